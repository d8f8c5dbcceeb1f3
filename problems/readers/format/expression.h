// problems/readers/format/expression.h: expressions in the usual notation, 0.4 + 0.1*cos(2 pi s),
// compiled to a list of operations that refer to results of earlier ones.
//
//   sum      = [sign] product { sign product }
//   product  = factor { ("*" | "/" | nothing) [sign] factor }      from left to right
//   factor   = base [ ("^" | "**") [sign] factor ]
//   base     = operand { "[" index "]" }
//   operand  = number | name { "'" } | function "(" sum { "," sum } ")" | "(" sum ")" | "[" sum { "," sum } "]"
//
// A number is decimal, pi, deg or rad (problems/readers/format/number.h). The longest known name
// that matches a whole word is taken; it may be followed by derivative marks. A sign after a factor
// without an operator belongs to the sum; two adjacent numbers are an error. Functions are those of
// lib/base/tape.h, and a few of several arguments that are composed of them (expression.c). A definition is
// inserted where its name is written. Vectors have components from [0] on; a name may be that of a vector.
#ifndef PB_FORMAT_EXPRESSION_H
#define PB_FORMAT_EXPRESSION_H
#include "lib/base/tape.h"
#include "problems/readers/format/schema.h"

#include <stdbool.h>

// A name: of an expression that replaces it, of variable number `at`, or of a constant if at < 0.
typedef struct pb_symbol {
  const char *name;
  int at;
  double value;
  const struct pb_expression *means;
} pb_symbol;

enum { PB_MOST_PARAMETERS = 16 }; // of a function, and numbers of a vector

// A vector of consecutive symbols.
typedef struct pb_vector {
  const char *name;
  int first, n; // in the list of symbols
} pb_vector;

// A user's name for a text, with `count` parameters, or for a table (problems/readers/format/definitions.h).
typedef struct pb_definition {
  const char *name, *text;
  int count;
  const char *const *parameter; // [count]
  int line;                     // in the problem file
  dm_tape_table table;          // n > 0: of one argument, without a text
} pb_definition;

typedef struct pb_definitions {
  int n;
  const pb_definition *list;
} pb_definitions;

typedef enum pb_operator {
  PB_IS_NUMBER,
  PB_IS_VARIABLE,
  PB_NEGATE,
  PB_ADD,
  PB_SUBTRACT,
  PB_MULTIPLY,
  PB_DIVIDE,
  PB_RAISE,
  PB_CALL,
  PB_LOOK_UP
} pb_operator;

typedef struct pb_operation {
  pb_operator kind;
  int a, b;      // indices of the operands; a call with one argument has the same twice
  int place;     // offset in the text at which the operation or its first operand begins
  double value;  // PB_IS_NUMBER
  int at, marks; // variable: index and number of derivative marks
  int f;         // PB_CALL: row of the functions of lib/base/tape.h
  const dm_tape_table *table; // PB_LOOK_UP
} pb_operation;

typedef struct pb_expression {
  const char *text;
  int count; // the last one is the value
  pb_operation *operation;
  bool cut; // refused because the text ended before a function's second argument
} pb_expression;

// The symbols and features that a text may use.
typedef struct pb_language {
  const pb_symbol *list;
  int n;
  int marks;      // derivative marks after a variable, at most
  bool functions; // sin, atan2, ..
  bool smooth;    // refuse those without two derivatives
  const pb_vector *vectors;
  int nvectors;
  const pb_definitions *definitions; // NULL: none
  const struct pb_lacking *lacks;    // for messages (hints.h); up to a NULL name; NULL: none
  int size,
      part; // size > 0: the text is a vector of this size, of which component `part` is the value; 0: a number
} pb_language;

// Parse a whole text; its operations are in the arena. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT
// with "found X at character N, expected Y" in why.
dm_status pb_expression_parse(pb_arena *arena, const char *text, const pb_language *language,
                              pb_expression *out, dm_message *why);

// The expression, without derivative marks, as a function of the variables that occur in it: variable i
// of the tape is symbol number (*used)[i]. Both are in the arena. Equal subexpressions are evaluated once,
// those of numbers now. Returns DM_OK or DM_NO_MEMORY. Cost: O(count^2) comparisons at most.
dm_status pb_expression_compile(pb_arena *arena, const pb_expression *e, dm_tape *out,
                                const int **used);

// The same for the text of a node; an error names its line. path: the key, for messages; what: the names
// that the expression may contain, "of s".
dm_status pb_expression_read(const pb_reader *r, const char *path, const pb_node *node,
                             const pb_language *language, const char *what, pb_expression *out);

// Refuse the text at an offset (from 0) with the sentence above. Returns DM_BAD_INPUT.
dm_status pb_expression_refuse(const char *text, int place, const char *expected, dm_message *why);
#endif
