// problems/readers/format/hints.h: suggestions ("did you mean ...?") at the end of error messages.
#ifndef PB_FORMAT_HINTS_H
#define PB_FORMAT_HINTS_H
#include "problems/readers/format/key.h"
#include "problems/readers/format/yaml.h"

enum { PB_HINT = 128 }; // bytes of a hint

// The form of a mapping by its table, required keys first: "{steps: ..., time: ...}".
const char *pb_hint_form(const pb_key *table, char text[PB_HINT]);

// "; did you mean '180 deg'?" for a number in the notation of another language, or "".
const char *pb_hint_number(const pb_node *node, char text[PB_HINT]);

// Hint for a number found in place of a name: 1,5 in a mapping.
extern const char pb_hint_comma[];

// A name, or with a prefix "p." all of them, for a quantity that a formula lacks, and the reason with a remedy.
typedef struct pb_lacking {
  const char *name, *why;
} pb_lacking;

// The reason why formulas lack the quantity of this name, by a list up to a NULL name (NULL: none) or as a.elbow in all;
// NULL for other names.
const char *pb_hint_quantity(const pb_lacking *list, const char *name);

// Hint for a key that a section does not have. Considers a missing blank after the colon, similar
// spellings, the words of other tools, the section that has the key, and coordinate names.
//   table  the keys of the section
const char *pb_hint_key(const pb_reader *r, const pb_key *table, const char *key,
                        char text[PB_HINT]);
#endif
