// cli/report/forces.h: what pushes, pulls and turns a robot, as its page draws it: where each acts,
// and which column of a table says how hard.
//
//   name, part     part: input, load, cable, spring, constraint, contact; what switches it on and off
//   kind           push: an arrow at a point; turn: an arc about an axis; line: along a path
//   unit           of what is drawn: N, N m; N s of a contact
//   joint, at      push, turn: the point, in that joint's frame (-1: the world's)     [m]
//   lines          line: its pieces, {from, to}, each end {joint, at}
//   terms          the vector, or tension, is their sum: {factor, joint, along} times a column of
//                  trajectory.csv, or of `series`, or 1; `along` in that joint's axes
//   squared        line: lambda of |x0 - x1|^2, so that the tension is 2 |x0 - x1| times it
//   contact, what  rows of contacts.csv: of one that is made their impulse, of one that is held the
//                  mean force of a step
//
// `series` beside them is {rows, t, x}: columns over time that no table has, springs' tensions.
#ifndef CLI_REPORT_FORCES_H
#define CLI_REPORT_FORCES_H
#include "cli/report/exhibit.h"

// Set obj.forces and obj.series of a folder whose motion is read. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_forces_of(cli_json *obj, const cli_exhibit *x);
#endif
