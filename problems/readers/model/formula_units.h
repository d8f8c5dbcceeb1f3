// problems/readers/model/formula_units.h: warnings of formulas that add unlike units, or take the sine of meters.
//
// Known are units of coordinates (m, or rad, which is 1), of their velocities, of inputs and of outputs. Numbers, parameters,
// times, tables and values of functions may have any unit, as may products with them: a factor 0.1 has the unit that fits.
// So a warning is a sum of two known units, or a function of one, and never a guess.
#ifndef PB_MODEL_FORMULA_UNITS_H
#define PB_MODEL_FORMULA_UNITS_H
#include "problems/readers/format/expression.h"
#include "problems/readers/model/robot.h"

// Warn of a formula of the robot's outputs, whose symbols are numbered as in problems/readers/model/formula_output.h.
//   name  for the message
//   line  of the formula
// Returns DM_OK or DM_NO_MEMORY.
dm_status pb_formula_units_check(pb_reader *r, const pb_robot *robot, const pb_expression *e,
                                 const char *name, int line);
#endif
