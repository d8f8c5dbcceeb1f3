// cli/commands/two_point_study.h: output of a study of where constraints are imposed
// (lib/studies/two_point_study.h) in trajectory.csv and result.json.
#ifndef CLI_COMMANDS_TWO_POINT_STUDY_H
#define CLI_COMMANDS_TWO_POINT_STUDY_H
#include "cli/stages/call.h"
#include "lib/studies/two_point_study.h"

// Columns of trajectory.csv: residual.ROW of the last measured knot k, middle.ROW of its step, and
// the size of the alternating part in the residuals of three knots up to it. Without a study in the
// problem (p->simulate.points.measured), w is NULL, and nothing is written.
void cli_points_header(FILE *f, const pb_problem *p, const pb_names *names);
void cli_points_row(FILE *f, int k, const dm_two_point_study *w);

// Write `points` of result.json: over the whole motion, and over windows of it.
void cli_points_report(cli_call *call, const dm_two_point_study *w);
#endif
