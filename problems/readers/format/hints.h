// problems/readers/format/hints.h: what was probably meant: the ends of messages that refuse
// something.
#ifndef PB_FORMAT_HINTS_H
#define PB_FORMAT_HINTS_H
#include "problems/readers/format/key.h"
#include "problems/readers/format/yaml.h"

enum { PB_HINT = 128 }; // room for one

// The form of a mapping by its table, those that are required first: "{steps: ..., time: ...}".
const char *pb_hint_form(const pb_key *table, char text[PB_HINT]);

// "; did you mean '180 deg'?" for a number as other languages write it, or "".
const char *pb_hint_number(const pb_node *node, char text[PB_HINT]);

// Of a number where a name should stand: 1,5 in a mapping.
extern const char pb_hint_comma[];

// The same for a key that a section has not: by a blank that is missing after its colon, its
// letters, the words of other tools, the section it stands in, or the coordinate that it names.
//   table  the section's
const char *pb_hint_key(const pb_reader *r, const pb_key *table, const char *key,
                        char text[PB_HINT]);
#endif
