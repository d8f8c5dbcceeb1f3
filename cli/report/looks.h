// cli/report/looks.h: the visual geometry of links from a robot's own files
// (cli/report/moving_robot.h).
#ifndef CLI_REPORT_LOOKS_H
#define CLI_REPORT_LOOKS_H
#include "cli/report/exhibit.h"

// Set obj.parts, meshes and missing. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_looks_of(cli_json *obj, const cli_exhibit *x);
#endif
