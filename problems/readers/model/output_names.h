// problems/readers/model/output_names.h: outputs of a robot as sections of a file name them: by an
// output's name, which stands for all its rows, or by that of one row, NAME.x.
#ifndef PB_MODEL_OUTPUT_NAMES_H
#define PB_MODEL_OUTPUT_NAMES_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

// Rows first .. first + count - 1 of the robot's outputs (pb_robot_outputs).
typedef struct pb_output_rows {
  int first, count;
} pb_output_rows;

// The rows of that name among those from begin to end: one, or those of an output with several; count
// 0: there are none.
pb_output_rows pb_output_rows_of(const pb_robot *robot, const char *name, int begin, int end);

// The same where there must be some. `at`
// is the node of the name as a key. Returns DM_OK; DM_BAD_INPUT where there are none, with the nearest
// name; DM_NO_MEMORY.
dm_status pb_output_rows_find(const pb_reader *r, const pb_robot *robot, const char *path,
                              const pb_node *at, const char *name, int begin, int end,
                              pb_output_rows *out);

// Whether these are all rows of a rotation, a rotation vector.
bool pb_output_rows_turn(const pb_robot *robot, pb_output_rows rows);

// A number of rows, and where it stands in the file.
typedef struct pb_output_number {
  const char *name; // of the output, or of the row
  pb_output_rows rows;
  double value;
  int line, column;
} pb_output_number;

// Read numbers by outputs, a mapping: of an output with several rows one number, which is of all of
// them together, or a list with one for each row. Each row is named once, and one at least.
//   range  of a number, "> 0"
//   out    [*n] in the arena
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_output_numbers_read(const pb_reader *r, const pb_robot *robot, const char *path,
                                 const pb_node *node, const char *range, pb_output_number **out,
                                 int *n);
#endif
