// problems/readers/format/expression.h: expressions as people write them, 0.4 + 0.1*cos(2 pi s), as a
// list of operations, each on results of earlier ones.
//
//   sum      = [sign] product { sign product }
//   product  = factor { ("*" | "/" | nothing) [sign] factor }      from left to right
//   factor   = base [ ("^" | "**") [sign] factor ]
//   base     = number | name { "'" } | function "(" sum { "," sum } ")" | "(" sum ")"
//
// A number is decimal, pi, deg or rad (problems/readers/format/number.h). A name is the longest one
// known that stands there as a whole word; what follows it may be marks of derivatives. Signs behind
// a factor that has none before it belong to the sum; two numbers do not stand side by side.
#ifndef PB_FORMAT_EXPRESSION_H
#define PB_FORMAT_EXPRESSION_H
#include "problems/readers/format/arena.h"

#include <stdbool.h>

// A name: variable `at`, or where that is < 0 a constant.
typedef struct pb_symbol {
  const char *name;
  int at;
  double value;
} pb_symbol;

typedef enum pb_operator {
  PB_IS_NUMBER,
  PB_IS_VARIABLE,
  PB_NEGATE,
  PB_ADD,
  PB_SUBTRACT,
  PB_MULTIPLY,
  PB_DIVIDE,
  PB_RAISE,
  PB_CALL
} pb_operator;

// A function of one number or of two.
typedef struct pb_function {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
} pb_function;

typedef struct pb_operation {
  pb_operator kind;
  int a, b;             // operations whose results it takes; a call of one has the same twice
  int place;            // in the text, where it or its first operand begins, from 0
  double value;         // of a number
  int at, marks;        // of a variable: which, and how many marks of derivatives
  const pb_function *f; // of a call
} pb_operation;

typedef struct pb_expression {
  const char *text;
  int count; // the last one is the value
  pb_operation *operation;
  bool cut; // refused where it ended before a function's second argument
} pb_expression;

// What a text may hold.
typedef struct pb_language {
  const pb_symbol *list;
  int n;
  int marks;      // of derivatives, behind a variable, at most
  bool functions; // sin, atan2, ..
} pb_language;

// Read a whole text; its operations are in the arena. Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT with
// "found X at character N, expected Y" in why.
dm_status pb_expression_parse(pb_arena *arena, const char *text, const pb_language *language,
                              pb_expression *out, dm_message *why);

// Its value, of variables x without derivatives. Does not allocate.
//   room  scratch [e->count]
double pb_expression_eval(const pb_expression *e, const double *x, double *room);

// Refuse what stands at a place of a text, from 0, with the sentence above. Returns DM_BAD_INPUT.
dm_status pb_expression_refuse(const char *text, int place, const char *expected, dm_message *why);
#endif
