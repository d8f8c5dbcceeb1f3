// problems/readers/task/path_formula.h: `path.formula`, a curve by an expression of s for each row of
// outputs, as the spline through so many samples that it is the expression to a billionth of its size.
#ifndef PB_TASK_PATH_FORMULA_H
#define PB_TASK_PATH_FORMULA_H
#include "lib/base/curve.h"
#include "problems/readers/format/yaml.h"

// A row of outputs that follows, and what it can be at most, with what it may be off the path.
typedef struct pb_path_row {
  const char *name;
  double low, high; // -INFINITY, INFINITY: anything
} pb_path_row;

// Describe what a row can be: "a value from -1 to 1"; returns text.
const char *pb_path_row_describe(const pb_path_row *row, char text[80]);

// Read it into out, whose arrays are the arena's.
//   node    a mapping from names of rows to expressions, a list of these, or one of a single row
//   row     [m]
//   closed  the curve ends as it begins
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_path_formula_read(pb_reader *r, const pb_node *node, int m, const pb_path_row *row,
                               bool closed, dm_curve *out);
#endif
