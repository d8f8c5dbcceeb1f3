// cli/commands/two_point_study.h: what a study of where constraints are held
// (lib/studies/two_point_study.h) writes to trajectory.csv and result.json.
#ifndef CLI_COMMANDS_TWO_POINT_STUDY_H
#define CLI_COMMANDS_TWO_POINT_STUDY_H
#include "cli/stages/job.h"
#include "lib/studies/two_point_study.h"

// Columns of trajectory.csv: residual.ROW of the knot last measured, k, middle.ROW of its step, and
// the size of what alternates in residuals of three knots up to it. Where a problem asks for no
// study (p->simulate.points.measured), w is NULL, and nothing is written.
void cli_points_header(FILE *f, const pb_problem *p, const cli_names *names);
void cli_points_row(FILE *f, int k, const dm_two_point_study *w);

// Into result.json under `points`: of the whole motion, and of windows of it.
void cli_points_report(cli_job *job, const dm_two_point_study *w);
#endif
