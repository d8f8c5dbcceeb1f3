// problems/readers/task/path_formula.h: `path.formula`, a curve by an expression of s for each row of
// outputs, as the spline through so many samples that it is the expression to a billionth of its size.
#ifndef PB_TASK_PATH_FORMULA_H
#define PB_TASK_PATH_FORMULA_H
#include "lib/base/curve.h"
#include "problems/readers/format/yaml.h"

// Read it into out, whose arrays are the arena's.
//   node    a mapping from names of rows to expressions, a list of these, or one of a single row
//   row     [m] names
//   closed  the curve ends as it begins
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_path_formula_read(pb_reader *r, const pb_node *node, int m, const char *const *row,
                               bool closed, dm_curve *out);
#endif
