// problems/readers/format/schema.h: sections of a problem file, described by tables.
//
// A section is a mapping; its table has a row for each key: the type of the value, its range and
// unit, what it is when left out, and where it goes. pb_schema_read walks the table and fills a
// struct; the rows also make the table of keys in docs/problem-format.md (a test holds the two
// together).
#ifndef PB_FORMAT_SCHEMA_H
#define PB_FORMAT_SCHEMA_H
#include "problems/readers/format/yaml.h"

#include <math.h>

typedef enum pb_type {
  PB_NUMBER,     // double
  PB_INTEGER,    // int
  PB_TEXT,       // const char *
  PB_WORD,       // const char *, one of the row's words
  PB_VECTOR,     // double [3], all or nothing
  PB_EACH_COORD, // const double * [n]: a number for all, a mapping from names to numbers, or a list
                 // of them in the order of the names
  PB_EACH_INPUT, // const double * [nu]: the same for inputs
  PB_RANGE_COORD, // pb_range [n]: [low, high] or none for all, or a mapping from names to these, or
                  // a list of these
  PB_RANGE_INPUT, // pb_range [nu]
  PB_SECTION,     // a struct in place, by the row's own table
  PB_NODE,        // const pb_node *, of more than one form; keys, where it has any, by own table
  PB_LIST         // const pb_node *, a list of mappings by own table
} pb_type;

typedef struct pb_key {
  const char *key;
  pb_type type;
  size_t at;          // where in the struct
  const char *unit;   // for the reader of the documents
  const char *range;  // "> 0", ">= 0", "[0, 1]", "(0, 1)"; NULL: any finite number
  const char *absent; // the value of a key left out, as it would be written; REQUIRED; NULL: the
                      // struct keeps what it had (EACH: NULL)
  const char *rest;   // EACH: the value of a name left out of the mapping; NULL: 0
  const char *note;   // for the documents, where absent and rest do not say it
  const char *words;  // WORD: the words; NUMBER, EACH: the word it takes beside numbers (free,
                      // none); NODE: its forms
  const char *also;   // words of other tools for the key, which point to it where they are found
  const char *turn;   // EACH_COORD: what three numbers for a ball joint are, "angle" or "rate"
  const struct pb_key *sub; // SECTION, NODE, LIST: the table of its keys
} pb_key;

#define PB_REQUIRED "required"

// The first of a quaternion's rates where the other three are an angular velocity [rad/s] in the
// axes that have turned (turn "rate").
#define PB_ANGULAR INFINITY

// a row whose key is named as the member it goes to, and what else is to be said of it
#define PB_KEY(section, member, ...)                                                               \
  { .key = #member, .at = offsetof(section, member), __VA_ARGS__ }

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

// [low, high] in the same way.
dm_status pb_schema_ranges(const pb_reader *r, const char *path, const pb_node *node,
                           const char *what, const char *const *name, int n, double *low,
                           double *high);

// The entry of coordinate i in such a mapping, or of the ball joint it belongs to; or NULL.
const pb_node *pb_schema_entry(const pb_reader *r, const pb_node *node, int i);

// Exactly count numbers in a list.
dm_status pb_schema_list(const pb_reader *r, const char *path, const pb_node *node, int count,
                         double *value);

// [low, high] with low <= high, either of them or the whole none.
dm_status pb_schema_limits(const pb_reader *r, const char *path, const pb_node *node,
                           double value[2]);

// The index of the name a node holds in list [n]; what: "joint", for the message.
dm_status pb_schema_name(const pb_reader *r, const char *path, const pb_node *node,
                         const char *what, const char *const *list, int n, int *index);

// Refuse a section that has not all keys of must, or one of neither must nor may (words with
// spaces between), as its key has that value: "found no 'length', expected one for the type point".
dm_status pb_schema_form(const pb_reader *r, const char *path, const pb_node *section,
                         const char *key, const char *value, const char *must, const char *may);

// How a row reads in the documents: its type with words and range, "number > 0"; returns text.
const char *pb_schema_type(const pb_key *key, char text[128]);
#endif
