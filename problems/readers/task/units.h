// problems/readers/task/units.h: the units of positions, velocities, momenta and inputs of a
// problem.
#ifndef PB_TASK_UNITS_H
#define PB_TASK_UNITS_H
#include "problems/readers/task/problem.h"

DM_BEGIN_C

// The unit of entry i of 'q', 'v', 'p' or 'u' (forces, then next values of kinematic coordinates):
// "m", "rad/s", "N m s", "1", ..; NULL: no such entry.
const char *pb_problem_unit(const pb_problem *p, char what, int i);

DM_END_C
#endif
