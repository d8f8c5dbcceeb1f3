// cli/report/forces.h: the forces and torques on a robot for its page: the point of each, and the
// table column with its value.
//
//   name, part     part: input, cable, or the word of a kind of part (lib/multibody/robot.h); for
//                  switching groups on and off
//   kind           push: an arrow at a point; turn: an arc about an axis; line: along a path
//   unit           of the value: N, N m; N s for a contact
//   joint, at      push, turn: the point, in that joint's frame (-1: the world's)     [m]
//   lines          line: its segments, {from, to}, each end {joint, at}
//   terms          the vector, or tension, is their sum: {factor, joint, along} times a column of
//                  trajectory.csv, or of `series`, or 1; `along` in that joint's axes
//   squared        line: lambda belongs to |x0 - x1|^2, so that the tension is 2 |x0 - x1| times it
//   contact, what  of simulations: rows of contacts.csv, the impulse when a contact is made, the mean force of
//                  a step while it is held; plans through contact have the columns contact.NAME instead
//
// `series` next to them is {rows, names, x}: columns over time that are in no table: the time,
// then tension.NAME of springs and friction.NAME of joints.
#ifndef CLI_REPORT_FORCES_H
#define CLI_REPORT_FORCES_H
#include "cli/report/exhibit.h"

// Set obj.forces and obj.series for a folder whose motion was read. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_forces_of(cli_json *obj, const cli_exhibit *x);
#endif
