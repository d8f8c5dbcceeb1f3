// problems/readers/model/row_names.h: the names of constraint rows, as in tables, in bounds.lambda and in formulas.
#ifndef PB_MODEL_ROW_NAMES_H
#define PB_MODEL_ROW_NAMES_H
#include "problems/readers/format/reader.h"
#include "problems/readers/model/robot.h"

// Make the names of the rows of a robot's constraints known to the reader: NAME, or NAME.1 .. for a constraint with several
// rows. Rows that were left out keep their names: the names of all equations go into equation [ne], of the constraints of
// the file alone. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_row_names(pb_reader *r, const pb_robot *robot, int *ne, const char *const **equation);
#endif
