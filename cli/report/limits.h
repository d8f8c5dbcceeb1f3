// cli/report/limits.h: what a task allows, for the page: limits of the whole motion, and limits over spans.
#ifndef CLI_REPORT_LIMITS_H
#define CLI_REPORT_LIMITS_H
#include "cli/report/exhibit.h"

// Put into o
//
//   limits: {q_min, q_max, v_max, u_min, u_max, stop_min, stop_max}, a list of each that the task has
//   windows: [{column, t, low, high}], the limits of spans: of a column of trajectory.csv or outputs.csv,
//     at the times t [s] of the motion, from low to high; a side that is open is left out
//   clearances: the columns of outputs.csv that are distances between shapes kept apart
//
// A limit that is constant has two times at most. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_page_limits(cli_json *o, const cli_exhibit *x);
#endif
