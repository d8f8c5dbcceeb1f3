// cli/controller.h: the law as C99 text for a robot, and a program that replays a record of it.
#ifndef CLI_CONTROLLER_H
#define CLI_CONTROLLER_H
#include "cli/job.h"

typedef struct cli_controller {
  const cli_job *job;
  fb_measure *law[FB_FORMS]; // those that are exported, in linear form; NULL: not
  bool single;               // tables and arithmetic in single precision, else double
} cli_controller;

// Bytes of the tables of all forms; and of the stack, at most: what is measured as the law takes it
// in, and the frames of two calls.
long cli_controller_tables(const cli_controller *c);
int cli_controller_stack(const cli_controller *c);

// A number as the text has it: %.17g, or %.9g of the nearest float.
double cli_controller_rounded(const cli_controller *c, double x);

// Write controller.h, controller.c, controller_replay.c.
void cli_controller_header(FILE *f, const cli_controller *c);
void cli_controller_source(FILE *f, const cli_controller *c);
void cli_controller_replay(FILE *f, const cli_controller *c);

// controller_trace.csv: k, then of each form FORM.Y.. and FORM.u.INPUT..; the header, then a row:
// y and u of each form, one after the other.
void cli_controller_trace_header(FILE *f, const cli_controller *c);
void cli_controller_trace_row(FILE *f, const cli_controller *c, int k, const double *row);
#endif
