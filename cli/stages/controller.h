// cli/stages/controller.h: the law as C99 text for a robot, and a program that replays a record of
// it.
#ifndef CLI_STAGES_CONTROLLER_H
#define CLI_STAGES_CONTROLLER_H
#include "cli/stages/job.h"

typedef struct cli_controller {
  const cli_job *job;
  fb_output_feedback *law[FB_FORMS]; // those that are exported, in linear form; NULL: not
  const fb_estimator *estimator;     // by encoders, on law[FB_STATE]; NULL: none
  bool single;                       // tables and arithmetic in single precision, else double
} cli_controller;

// The ways there are to be measured: fb_form, then the filter's encoders.
enum { CLI_ENCODERS = FB_FORMS, CLI_WAYS };
bool cli_controller_has(const cli_controller *c, int way);
const char *cli_controller_way(int way);
int cli_controller_width(const cli_controller *c, int way); // numbers measured

// What is common to all forms: any of them.
const fb_output_feedback *cli_controller_any(const cli_controller *c);

// Write controller.h, controller.c, controller_replay.c.
void cli_controller_header(FILE *f, const cli_controller *c);
void cli_controller_source(FILE *f, const cli_controller *c);
void cli_controller_replay(FILE *f, const cli_controller *c);

// controller_trace.csv: k, then of each form FORM.Y.. and FORM.u.INPUT..; the header, then a row:
// y and u of each way, one after the other.
void cli_controller_trace_header(FILE *f, const cli_controller *c);
void cli_controller_trace_row(FILE *f, const cli_controller *c, int k, const double *row);
#endif
