// cli/report/moving_robot.h: the moving robot of a folder, for a page.
//
//   frames, end       number of frames, equally spaced in time from 0 to end                [s]
//   poses             [frames x joints x 12] each joint's frame in the world: the columns x, y, z
//                     of its rotation, and its position [m]
//   goal              [joints x 12] at the last knot
//   parts             visual geometry of links: kind, joint (-1: the world), pose [12] in its
//                     frame, size, colour, mesh (an index in meshes)
//   meshes            [triangles x 9] of each
//   lines, marks      sticks and masses (lib/multibody/outline.h), for links without visual
//                     geometry
//   inertias          {joint, at, mass [kg], moments [kg m2] xx, yy, zz, xy, xz, yz about its
//                     center}
//   forces, series    forces and torques (cli/report/forces.h)
//   shapes            of keep_out: name, kind, joint, pose [12], radius, half [3]; null: infinite
//   samples           closed-loop runs: their frames and poses
//   missing           sentences: parts that cannot be shown
//
// Large arrays are in base64 (cli/report/base64.h).
#ifndef CLI_REPORT_MOVING_ROBOT_H
#define CLI_REPORT_MOVING_ROBOT_H
#include "cli/report/exhibit.h"

// Set obj.scene for a folder whose motion was read; fan: its closed-loop runs, or an empty table.
// Returns DM_OK or DM_NO_MEMORY.
dm_status cli_moving_robot(cli_json *obj, const cli_exhibit *x, const cli_table *fan);

// Set obj.joints, and obj.poses at times t [n] of a motion. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_robot_poses(cli_json *obj, const cli_exhibit *x, const double *t, int n);

// Set obj.lines, marks, inertias and shapes. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_robot_outline(cli_json *obj, const pb_robot *robot);
#endif
