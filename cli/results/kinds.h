// cli/results/kinds.h: the keys of result.json, each with its type, unit, label and documentation.
//
// The table is cli/results/kinds.inc. The reference in docs/results.md and the help of results in
// Python are renderings of it; tests compare every result.json with it.
#ifndef CLI_RESULTS_KINDS_H
#define CLI_RESULTS_KINDS_H
#include "cli/console/json.h"

#include <stdio.h>

typedef enum cli_kind_type {
  CLI_NUMBER,
  CLI_INTEGER,
  CLI_TEXT,
  CLI_TRUTH,
  CLI_VECTOR, // of numbers
  CLI_MATRIX, // of vectors
  CLI_NAMES,  // texts
  CLI_GROUP,  // an object
  CLI_LIST,   // of objects
} cli_kind_type;

// Any value may be null: unknown, not finite, or without meaning for this result.
typedef struct cli_kind {
  // Names joined by dots. `*` stands for any name, for example of a coordinate, unless the group has
  // a row with the name; `**` for any number of groups inside each other; keys of the objects in
  // a list follow `[]`.
  const char *key;
  cli_kind_type type;
  const char *unit;  // `unit`: in the unit of the coordinate, row or output; "": none
  const char *label; // for people; "": the name
  const char *doc;   // one sentence
  const char *like;  // key of a group or list that has the same content; NULL: none
} cli_kind;

#define CLI_COUNT_KIND(...) +1
#define KIND                CLI_COUNT_KIND
#define LIKE                CLI_COUNT_KIND
#define TELL(...)
enum {
  CLI_KINDS = 0
#include "cli/results/kinds.inc"
};
#undef KIND
#undef LIKE
#undef TELL

extern const cli_kind cli_kinds[CLI_KINDS];

enum { CLI_KIND_PATH = 256 };

// Whether every key of a result is in the table, with its type. seen [CLI_KINDS]: set for the rows
// that occur; place: the first key that is not in the table. Both may be NULL.
bool cli_kinds_hold(const cli_json *result, bool *seen, char place[CLI_KIND_PATH]);

// Write the table, one row per key.
void cli_kinds_write(FILE *f);

// The same as an object: {KEY: {value, unit, label, meaning, like}}.
cli_json *cli_kinds_json(void);

// The labels of single values, for pages: {KEY: [LABEL, UNIT]}.
cli_json *cli_kinds_labels(void);
#endif
