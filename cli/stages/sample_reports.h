// cli/stages/sample_reports.h: findings of the samples of a verification on one plant, in its object o of
// result.json and in the summary. Samples of rows [samples] that did not run do not count.
#ifndef CLI_STAGES_SAMPLE_REPORTS_H
#define CLI_STAGES_SAMPLE_REPORTS_H
#include "cli/stages/call.h"
#include "control/loop/monte_carlo.h"

// How many samples left the controller's envelope, and the largest reach of successful ones.
void cli_report_envelope(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran);

// Where dry friction leaves the robot: its standing error, and how far it swings.
void cli_report_rest(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran);

// How far wheels slid on a plant with friction.
void cli_report_slip(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran);

// Calls and sweeps of receding-horizon control.
void cli_report_horizons(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran);
#endif
