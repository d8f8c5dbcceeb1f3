// problems/readers/model/output_names.h: how a file refers to outputs of a robot: by an output's
// name, for all its rows, or by the name of one row, NAME.x.
#ifndef PB_MODEL_OUTPUT_NAMES_H
#define PB_MODEL_OUTPUT_NAMES_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

// Rows first .. first + count - 1 of the robot's outputs (pb_robot_outputs).
typedef struct pb_output_rows {
  int first, count;
} pb_output_rows;

// The rows with this name between begin and end: one, or all rows of an output; count 0: none.
pb_output_rows pb_output_rows_of(const pb_robot *robot, const char *name, int begin, int end);

// The same, but at least one row must exist. `at`: the node with the name as its key. Returns
// DM_OK, DM_BAD_INPUT with the nearest name if there are none, or DM_NO_MEMORY.
dm_status pb_output_rows_find(const pb_reader *r, const pb_robot *robot, const char *path,
                              const pb_node *at, const char *name, int begin, int end,
                              pb_output_rows *out);

// Whether these are all rows of a rotation, a rotation vector.
bool pb_output_rows_turn(const pb_robot *robot, pb_output_rows rows);

// A number for some rows, and its position in the file.
typedef struct pb_output_number {
  const char *name; // of the output or the row
  pb_output_rows rows;
  double value;
  int line, column;
} pb_output_number;

// Read a mapping from outputs to numbers. An output with several rows takes one number for all rows
// together, or a list with one number per row. Each row may be named once; at least one must be.
//   range  of a number, "> 0"
//   out    [*n] in the arena
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_output_numbers_read(const pb_reader *r, const pb_robot *robot, const char *path,
                                 const pb_node *node, const char *range, pb_output_number **out,
                                 int *n);
#endif
