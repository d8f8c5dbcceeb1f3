// cli/report/sticks.h: sticks and masses for links without visual geometry
// (lib/multibody/outline.h), and inertias (cli/report/moving_robot.h).
#ifndef CLI_REPORT_STICKS_H
#define CLI_REPORT_STICKS_H
#include "cli/console/json.h"
#include "problems/readers/model/robot.h"

// Set obj.lines, marks and inertias. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_sticks_of(cli_json *obj, const pb_robot *robot);
#endif
