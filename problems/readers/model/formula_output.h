// problems/readers/model/formula_output.h: read an output that is an expression of
//
//   q.NAME, v.NAME, p.NAME   a coordinate, its velocity and momentum     u.NAME   an input
//   lambda.NAME              the impulse of a constraint in a step        t, T, h  times
//   NAME, NAME.x             a row of an output listed before it, not of contacts
//
// The grammar is that of problems/readers/format/expression.h; a formula in another one is inserted into it.
#ifndef PB_MODEL_FORMULA_OUTPUT_H
#define PB_MODEL_FORMULA_OUTPUT_H
#include "problems/readers/format/expression.h"
#include "problems/readers/model/robot.h"

// The outputs of a list so far.
typedef struct pb_listed_outputs {
  int n;
  const dm_output *output;   // [n]
  pb_expression *expression; // [n] of formulas; count 0: none
  const char *vector;        // a name for the last three of them, numbers, as a vector; NULL: none
} pb_listed_outputs;

enum { PB_TIMES = 3 }; // t, T, h

// The variable with the number `at` of a symbol of these expressions.
dm_output_variable pb_formula_variable(const pb_reader *r, const dm_model *m, int at);

// Read the formula of output o at a key `path`, which is behind those of the list, with its expression. Its tape is in the
// arena. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_formula_output_read(const pb_reader *r, const char *path, const pb_node *node,
                                 const dm_model *m, const pb_listed_outputs *before, dm_output *o,
                                 pb_expression *expression);

// The same for a force, which may be constant, without derivatives by the time. size > 0: component `part` of a vector of
// this size.
dm_status pb_formula_force_read(const pb_reader *r, const char *path, const pb_node *node,
                                const dm_model *m, const pb_listed_outputs *before, int size,
                                int part, dm_output *o);
#endif
