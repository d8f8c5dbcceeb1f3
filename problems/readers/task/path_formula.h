// problems/readers/task/path_formula.h: read `path.formula`, a curve given by one expression of s
// per row of outputs, as a spline with enough samples to equal the expressions to 1e-9 of its size.
#ifndef PB_TASK_PATH_FORMULA_H
#define PB_TASK_PATH_FORMULA_H
#include "lib/base/curve.h"
#include "problems/readers/format/yaml.h"

// A row of outputs that follows the path, and the range of its values.
typedef struct pb_path_row {
  const char *name;
  double low, high; // -INFINITY, INFINITY: unbounded
} pb_path_row;

// Describe the range of a row: "a value from -1 to 1"; returns text.
const char *pb_path_row_describe(const pb_path_row *row, char text[80]);

// Read the curve into out, whose arrays are in the arena.
//   node    a mapping from row names to expressions, a list of expressions, or the expression of a
//           single row
//   row     [m]
//   closed  the curve ends at its start
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_path_formula_read(pb_reader *r, const pb_node *node, int m, const pb_path_row *row,
                               bool closed, dm_curve *out);
#endif
