// problems/readers/format/key.h: the table of a section's keys.
//
// A row for each key: the type of the value, its range and unit, what it is when left out, and where
// it goes in a struct. The rows also make the table of keys in docs/problem-format.md (a test holds
// the two together).
#ifndef PB_FORMAT_KEY_H
#define PB_FORMAT_KEY_H
#include <math.h>
#include <stddef.h>

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
  PB_RANGE_INPUT, // pb_range [nu]; a number x > 0 is [-x, x]
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
  const char *words;  // WORD: the words; NUMBER, EACH, LIST: the word it takes beside these
                      // (free, none, all); NODE: its forms
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
#endif
