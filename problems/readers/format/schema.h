// problems/readers/format/schema.h: read sections of a problem file by tables.
//
// A section is a mapping; its table (problems/readers/format/key.h) has one row per key.
// pb_schema_read walks the table and fills a struct.
#ifndef PB_FORMAT_SCHEMA_H
#define PB_FORMAT_SCHEMA_H
#include "problems/readers/format/key.h"
#include "problems/readers/format/yaml.h"

enum {
  PB_WORDS = 24,       // words per row, at most
  PB_WORDS_TEXT = 400, // bytes of them
  PB_NAME_MOST = 200,  // bytes per name, at most; buffers for composed names rely on this
  PB_TYPE_TEXT = 256,  // bytes of a row's type in words
};

typedef struct pb_range {
  const double *low, *high; // NAN: not given; -INFINITY, INFINITY: no limit
} pb_range;

// Read a section into a struct by its table (terminated by a row without key).
//   path     its name for messages, "" at the top level
//   section  a mapping; NULL: missing, every key has its default and none is required
// The words free and none become NAN and INFINITY. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_schema_read(const pb_reader *r, const char *path, const pb_node *section,
                         const pb_key *table, void *into);

// Read one number of a node, for values that have no table.
dm_status pb_schema_number(const pb_reader *r, const char *path, const pb_node *node,
                           const char *range, double *value);

// Read a number for all n names, a mapping from names to numbers (missing names keep their values),
// or a list of n numbers.
dm_status pb_schema_each(const pb_reader *r, const char *path, const pb_node *node,
                         const char *range, const char *what, const char *const *name, int n,
                         double *value);

// Read [low, high] in the same forms; a single range applies to the first `all` names. For inputs a
// number x > 0 means [-x, x].
dm_status pb_schema_ranges(const pb_reader *r, const char *path, const pb_node *node,
                           const char *what, const char *const *name, int n, int all, double *low,
                           double *high);

// The entry for coordinate i or for its ball joint in a mapping, or NULL.
const pb_node *pb_schema_entry(const pb_reader *r, const pb_node *node, int i);

// Read a list of exactly count numbers.
dm_status pb_schema_list(const pb_reader *r, const char *path, const pb_node *node, int count,
                         double *value);

// Read [low, high] with low <= high; one of them or the whole may be none.
dm_status pb_schema_limits(const pb_reader *r, const char *path, const pb_node *node,
                           double value[2]);

// Read [low, high], or one number used for both.
dm_status pb_schema_value_or_limits(const pb_reader *r, const char *path, const pb_node *node,
                                    double value[2]);

// The index in list [n] of the name in a node; what: "joint", for the message.
dm_status pb_schema_name(const pb_reader *r, const char *path, const pb_node *node,
                         const char *what, const char *const *list, int n, int *index);

// Refuse a section that lacks a key of must, or has a key in neither must nor may (words separated
// by spaces), for this value of its key: "found no 'length', expected one for the type point".
dm_status pb_schema_form(const pb_reader *r, const char *path, const pb_node *section,
                         const char *key, const char *value, const char *must, const char *may);

// Append the name of a list entry to names [*n], which must have room. Refuse a duplicate name and
// names of more than PB_NAME_MOST bytes.
dm_status pb_schema_once(const pb_reader *r, const char *path, const pb_node *section,
                         const char **names, int *n, const char *name);

// Normalize x [3] to the unit vector `unit`. Refuse node, the source of x, if x is 0.
dm_status pb_schema_direction(const pb_reader *r, const char *path, const pb_node *node,
                              const double x[3], double unit[3]);

// The type of a row as shown in the documents, with words and range, "number > 0"; returns text.
const char *pb_schema_type(const pb_key *key, char text[PB_TYPE_TEXT]);
#endif
