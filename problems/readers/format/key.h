// problems/readers/format/key.h: the table of the keys of a section.
//
// Each row describes one key: type of the value, range, unit, default, the struct member that
// receives it, and its meaning. The tables of docs/problem-format.md are generated from these rows
// (tests/house/keys.py).
#ifndef PB_FORMAT_KEY_H
#define PB_FORMAT_KEY_H
#include <math.h>
#include <stddef.h>

typedef enum pb_type {
  PB_NUMBER,      // double
  PB_INTEGER,     // int
  PB_TEXT,        // const char *
  PB_WORD,        // const char *, one of the row's words
  PB_CHOICE,      // int or enum, the index of one of the row's words; the default is the struct's
  PB_VECTOR,      // double [3], all or none
  PB_EACH_COORD,  // const double * [n]: one number for all, a mapping from names to numbers, or
                  // a list in the order of the names
  PB_EACH_INPUT,  // const double * [nu]: the same for inputs
  PB_RANGE_COORD, // pb_range [n]: [low, high] or none for all, a mapping from names to these, or
                  // a list of these
  PB_RANGE_INPUT, // pb_range [nu]; a number x > 0 is [-x, x]
  PB_SECTION,     // a nested struct, described by its own table (sub)
  PB_NODE,        // const pb_node *, a value with several forms; its keys, if any, by sub
  PB_LIST         // const pb_node *, a list of mappings described by sub
} pb_type;

typedef struct pb_key {
  const char *key;
  pb_type type;
  size_t at;          // offset in the struct
  const char *unit;   // shown in the documents
  const char *range;  // "> 0", ">= 0", "[0, 1]", "(0, 1)"; NULL: any finite number
  const char *absent; // default as written in a file; REQUIRED; NULL: the
                      // struct keeps its value (EACH: NULL)
  const char *rest;   // EACH: default of a name missing from the mapping; NULL: 0
  const char *note;   // for the documents, if absent and rest are not enough
  const char *words;  // WORD: allowed words; NUMBER, EACH, LIST: word allowed instead of a value
                      // (free, none, all); NODE: its forms
  const char *about;  // its meaning in one sentence, for the documents
  const char *also;   // words for the key in other tools; messages point to the key
  const char *turn;   // EACH_COORD: meaning of three numbers for a ball joint, "angle" or "rate"
  const struct pb_key *sub; // SECTION, NODE, LIST: the table of its keys
} pb_key;

#define PB_REQUIRED "required"

// Marks the first of a quaternion's rates if the other three are an angular velocity [rad/s] in the
// body axes (turn "rate").
#define PB_ANGULAR INFINITY

// a row whose key has the name of its struct member
#define PB_KEY(section, member, ...)                                                               \
  { .key = #member, .at = offsetof(section, member), __VA_ARGS__ }
#endif
