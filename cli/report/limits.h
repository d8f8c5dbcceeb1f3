// cli/report/limits.h: the limits of a task for the page, for the whole motion and for spans.
#ifndef CLI_REPORT_LIMITS_H
#define CLI_REPORT_LIMITS_H
#include "cli/report/exhibit.h"

// Set in o
//
//   limits: {q_min, q_max, v_max, u_min, u_max, stop_min, stop_max}, lists, if the task has them
//   windows: [{column, t, low, high}], limits over spans: of a column of trajectory.csv or
//   outputs.csv, at the times t [s] of the motion, from low to high; a side without a limit is left
//   out
//   clearances: the columns of outputs.csv that are distances between shapes kept apart
//
// A constant limit has at most two times. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_page_limits(cli_json *o, const cli_exhibit *x);
#endif
