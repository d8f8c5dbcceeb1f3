// cli/stages/constants.h: the tables of a controller's text, their numbers and their sizes.
#ifndef CLI_STAGES_CONSTANTS_H
#define CLI_STAGES_CONSTANTS_H
#include "cli/stages/controller.h"

// A table of the text: N rows of which the last is meant for all later knots, too.
typedef struct cli_constants {
  const char *name, *form; // NAMEFORM
  const double *x;         // [N x cols]
  size_t cols;
} cli_constants;
enum { CLI_MOST_CONSTANTS = 2 + 2 * FB_FORMS + 3 };
int cli_constants_list(const cli_controller *c, cli_constants list[CLI_MOST_CONSTANTS]);

// Rows that the text has of a table: what follows is equal to the last of them.
size_t cli_constants_rows(const cli_controller *c, const cli_constants *t);

// Bytes of the tables of all forms; and of the stack, at most: what is measured as the law takes it
// in, what a filter works on, and the frames of two calls.
long cli_constants_bytes(const cli_controller *c);
int cli_constants_stack(const cli_controller *c);

// A number as the text has it: %.17g, or %.9g of the nearest float, both read back to the same
// bits.
double cli_constants_rounded(const cli_controller *c, double x);

// Write the tables, and the limits of inputs.
void cli_constants_write(FILE *f, const cli_controller *c);
#endif
