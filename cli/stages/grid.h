// cli/stages/grid.h: the cases of a sweep: all combinations of values of the varied keys and
// starts.
#ifndef CLI_STAGES_GRID_H
#define CLI_STAGES_GRID_H
#include "cli/console/command.h"
#include "problems/readers/format/replace.h"

#include <stdio.h>

typedef struct cli_axis {
  char *key;
  int n;
  char **text; // [n] values
} cli_axis;

typedef struct cli_grid {
  int n, starts, cases;
  cli_axis axis[CLI_VARY];
} cli_grid;

// Read --vary and --starts. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after reporting the error.
int cli_grid_read(cli_grid *g, const cli_args *args);
void cli_grid_free(cli_grid *g);

// The values of case i [g->n]; returns its start. Starts vary fastest, then the last key.
int cli_grid_case(const cli_grid *g, int i, pb_replace list[CLI_VARY]);

// "case 3 (horizon.time = 2, start 1)"; returns text.
const char *cli_grid_name(const cli_grid *g, int i, char text[256]);
#endif
