// problems/readers/format/schema.h: sections of a problem file, described by tables.
//
// A section is a mapping; its table (problems/readers/format/key.h) has a row for each key.
// pb_schema_read walks the table and fills a struct.
#ifndef PB_FORMAT_SCHEMA_H
#define PB_FORMAT_SCHEMA_H
#include "problems/readers/format/key.h"
#include "problems/readers/format/yaml.h"

enum {
  PB_WORDS = 24,      // words of a row, at most
  PB_NAME_MOST = 200, // bytes of a name, at most: what is made of it elsewhere has room for them
  PB_TYPE_TEXT = 256, // bytes of a row's type in words
};

typedef struct pb_range {
  const double *low, *high; // NAN: nothing was said of this one; -INFINITY, INFINITY: none
} pb_range;

// Read a section by its table (ended by a row without key) into a struct.
//   path     its name for messages, "" at the top
//   section  a mapping; NULL: it is not there, every key has its absent value, none is required
// Words free and none become NAN and INFINITY. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_schema_read(const pb_reader *r, const char *path, const pb_node *section,
                         const pb_key *table, void *into);

// One number of a node, for values that tables do not describe.
dm_status pb_schema_number(const pb_reader *r, const char *path, const pb_node *node,
                           const char *range, double *value);

// A number for all n names, a mapping from names to numbers, whose others keep what they had, or a
// list of n numbers.
dm_status pb_schema_each(const pb_reader *r, const char *path, const pb_node *node,
                         const char *range, const char *what, const char *const *name, int n,
                         double *value);

// [low, high] in the same way; one for all is for the first `all` names. Of inputs a number x > 0 is
// [-x, x].
dm_status pb_schema_ranges(const pb_reader *r, const char *path, const pb_node *node,
                           const char *what, const char *const *name, int n, int all, double *low,
                           double *high);

// The entry of coordinate i in such a mapping, or of the ball joint it belongs to; or NULL.
const pb_node *pb_schema_entry(const pb_reader *r, const pb_node *node, int i);

// Exactly count numbers in a list.
dm_status pb_schema_list(const pb_reader *r, const char *path, const pb_node *node, int count,
                         double *value);

// [low, high] with low <= high, either of them or the whole none.
dm_status pb_schema_limits(const pb_reader *r, const char *path, const pb_node *node,
                           double value[2]);

// The same, or a number, which is both of them.
dm_status pb_schema_value_or_limits(const pb_reader *r, const char *path, const pb_node *node,
                                    double value[2]);

// The index of the name a node holds in list [n]; what: "joint", for the message.
dm_status pb_schema_name(const pb_reader *r, const char *path, const pb_node *node,
                         const char *what, const char *const *list, int n, int *index);

// Refuse a section that has not all keys of must, or one of neither must nor may (words with
// spaces between), as its key has that value: "found no 'length', expected one for the type point".
dm_status pb_schema_form(const pb_reader *r, const char *path, const pb_node *section,
                         const char *key, const char *value, const char *must, const char *may);

// Keep the name of a section of a list in names [*n], which has room for it; refuse one that is
// there already, every name once, and one of more than PB_NAME_MOST bytes.
dm_status pb_schema_once(const pb_reader *r, const char *path, const pb_node *section,
                         const char **names, int *n, const char *name);

// The unit vector along x [3]; the node that x was read from, refused where x is 0.
dm_status pb_schema_direction(const pb_reader *r, const char *path, const pb_node *node,
                              const double x[3], double unit[3]);

// How a row reads in the documents: its type with words and range, "number > 0"; returns text.
const char *pb_schema_type(const pb_key *key, char text[PB_TYPE_TEXT]);
#endif
