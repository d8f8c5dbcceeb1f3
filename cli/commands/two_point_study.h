// cli/commands/two_point_study.h: a study of where constraints are held: how far off they are at
// knots and in the middle between them, and what of that, and of the multipliers, changes its sign
// from knot to knot: a part that grows as (-1)^k c^k has the growth c a step.
#ifndef CLI_COMMANDS_TWO_POINT_STUDY_H
#define CLI_COMMANDS_TWO_POINT_STUDY_H
#include "cli/stages/job.h"

typedef struct cli_points cli_points;

// Of a problem that asks for it (p->simulate.points.measured), from its first knot on; else *out stays
// NULL, and all below do nothing. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_points_new(cli_points **out, const pb_problem *p);
void cli_points_free(cli_points *w);

// Measure knot k = 0, 1, ... at q [n], and the step from there to q1 with the multipliers lambda
// [nc]; NULL: there is none. Returns DM_OK or DM_NOT_FINITE.
dm_status cli_points_measure(cli_points *w, int k, const double *q, const double *q1,
                             const double *lambda);

// Columns of trajectory.csv: residual.ROW of the knot last measured, middle.ROW of its step.
void cli_points_header(FILE *f, const pb_problem *p, const cli_names *names);
void cli_points_row(FILE *f, const cli_points *w);

// Into result.json under `points`: of the whole motion, and of windows of it.
void cli_points_report(cli_job *job, const cli_points *w);
#endif
