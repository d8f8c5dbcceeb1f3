// cli/pictures/sheet.h: what plots draw on: panels of a picture, as a script for gnuplot.
//
// A panel is begun, has curves, and is ended. Names are text and nothing else in the script: no
// command, no markup. Data stand before the panels, in blocks: $x is the motion itself, in columns
// t, q, velocities of steps, u, kinetic and potential energy, and what their sum has gained; each
// plot writes the others that it draws from.
#ifndef CLI_PICTURES_SHEET_H
#define CLI_PICTURES_SHEET_H
#include "cli/results/registry.h"
#include "cli/stages/job.h"

enum { CLI_COLOURS = 8 };

// What there is to draw.
typedef struct cli_figure_data {
  const double *energy;       // [(N+1) x 2] kinetic, potential; NULL: unknown
  cli_table table[CLI_FILES]; // of each file of a result folder; x is NULL where there is none
  bool simulated;             // the motion is one of simulate
  bool sparse;                // which keeps not every knot of it
  const char *plant;          // that the fan ran on
  const char *start_plant;    // that the one start off the plan ran on
} cli_figure_data;

typedef struct cli_sheet {
  FILE *f;
  const cli_job *job;
  const cli_figure_data *d;
  int panels;
  double font;  // of legends, points
  bool *wanted; // [n or nu] of the curves of a kind, which go into one panel or several
} cli_sheet;

// The table of a file; its x is NULL where there is none.
const cli_table *cli_figure_table(const cli_figure_data *d, const cli_result_file *file);

// Colour number i, as six hexadecimal digits.
const char *cli_sheet_colour(int i);

// Begin a panel: its label, and as many columns in its legend as go over it. Curves follow.
void cli_sheet_begin(cli_sheet *s, const char *label, const char *unit);

// Column `column` of a block against its first, in gnuplot's style, with colour i and a name.
void cli_sheet_curve(cli_sheet *s, const char *block, int column, const char *style, int i,
                     const char *name);

// The name of a curve that the caller has written, up to its next one.
void cli_sheet_title(cli_sheet *s, const char *name);

// A limit as a dashed line in colour i; one so far off that curves from min to max would look
// flat beside it is left out. Returns whether it is drawn.
bool cli_sheet_limit(cli_sheet *s, double value, double min, double max, int i);

// End a panel; `limits`: the legend says what dashed lines are.
void cli_sheet_end(cli_sheet *s, bool limits);

// Whether --only shows the coordinate or input of that name.
bool cli_sheet_shows(const cli_sheet *s, const char *name);

// The words of a kind of coordinate, and its units.
typedef struct cli_kind_words {
  const char *q, *v, *loop, *unit, *rate;
} cli_kind_words;
const cli_kind_words *cli_sheet_kind(dm_kind kind);

// Want the curves of all coordinates of a kind that are shown.
void cli_sheet_want(const cli_sheet *s, dm_kind kind);

// A panel's share of the wanted curves: their numbers and colours.
typedef struct cli_group {
  int n, i[CLI_COLOURS], colour[CLI_COLOURS];
} cli_group;

// The next share of the wanted ones of n, from *at (0 at first) on: as many in each panel as in the
// others. Returns false where there are no more.
bool cli_sheet_next(const cli_sheet *s, int n, int *at, cli_group *g);

// Numbers of a block's line, each after a blank.
void cli_sheet_put(FILE *f, const double *x, int n);

// Every so many of these rows are enough for a curve.
int cli_sheet_stride(int rows);
#endif
