// cli/pictures/sheet.h: what plots draw on: panels of a picture, as a script for gnuplot.
//
// A panel is begun, has curves, and is ended; its legend and the picture's size follow from the
// names of its curves. Names are text and nothing else in the script: no command, no markup. Data
// stand before all panels, in blocks: $x is the motion itself, in columns t, q, velocities of
// steps, u, kinetic and potential energy and their sum; each plot writes the others that it draws
// from, to s->data.
#ifndef CLI_PICTURES_SHEET_H
#define CLI_PICTURES_SHEET_H
#include "cli/pictures/exhibit.h"
#include "cli/pictures/request.h"

enum { CLI_COLOURS = 8 };

// What of a coordinate, a velocity or an output is rounding, in SI units.
#define CLI_ROUNDING 1e-12

typedef struct cli_sheet {
  FILE *f;    // the script: of a panel that is begun its curves, else settings
  FILE *data; // blocks, which stand before it

  // what there is: folders in the order in which they were named, the first of which is what plots
  // of one folder draw; and what was asked for
  cli_exhibit *const *all; // [n]
  int n;
  bool phases;                  // they are the phases of one folder
  const cli_exhibit *reference; // that --against names; or NULL
  const cli_exhibit *d;         // the first
  cli_job *job;                 // its job
  const cli_request *request;

  bool *wanted; // [n or nu] of the curves of a kind, which go into one panel or several

  // the picture
  int panels, blocks;
  bool short_of_memory; // a panel lacks something for want of it
  const struct cli_format *format;
  double width, height; // of each panel, px
  double legend;        // how high the legend of the last one is, px

  // the panel at hand
  FILE *body, *panel; // the script as a whole; curves
  char *curves;       // what is in panel
  size_t size;
  int titles;             // in its legend
  double longest;         // of them, in units of the font's size
  int letters;            // of them, at most
  double low[2], high[2]; // of x and y of curves by cli_sheet_draw
  double range[2][2];     // of x and y of panels
  bool ranged[2];         // by cli_sheet_range
  bool equal;             // by cli_sheet_equal
  bool logarithmic;       // y, by the plot itself
  bool timed;             // x is the time
  double scale;           // that y of curves by cli_sheet_draw is drawn in
  char label[320], unit[32];
} cli_sheet;

// A format of pictures: its fonts in its own units, and how far apart gnuplot places the columns of
// a legend: letter px for each letter and unit of its font, lead px for each unit, and gap px.
typedef struct cli_format {
  const char *suffix;
  double label, legend; // font of axes and of legends
  double unit;          // of a font, px
  double letter, lead, gap;
} cli_format;
const cli_format *cli_sheet_format(const char *suffix);

// Colour number i, as six hexadecimal digits.
const char *cli_sheet_colour(int i);

// The size of a panel that nothing has widened yet.
void cli_sheet_size(cli_sheet *s);

// Zeros [count], to be freed; NULL without memory, which is then told of the picture as a whole.
void *cli_sheet_take(cli_sheet *s, size_t count, size_t size);

// Settings of an axis in time, linear, of any range: those that each plot begins with.
void cli_sheet_reset(cli_sheet *s);

// The label of the horizontal axis, from the next panel on.
void cli_sheet_abscissa(cli_sheet *s, const char *label, const char *unit);

// The range of an axis (0: x, 1: y) of the panels from here on; NAN: as the curves need it.
void cli_sheet_range(cli_sheet *s, int axis, double low, double high);

// Panels with the same unit of length on both axes, from here on; x is as the curves need it.
void cli_sheet_equal(cli_sheet *s);

// Let the panel at hand reach to a point, that is drawn by other means than cli_sheet_draw.
void cli_sheet_reach(cli_sheet *s, double x, double y);

// Begin a panel: its label. Curves follow.
void cli_sheet_begin(cli_sheet *s, const char *label, const char *unit);

// Column `column` of a block against its first, in gnuplot's style, with colour i and a name.
void cli_sheet_curve(cli_sheet *s, const char *block, int column, const char *style, int i,
                     const char *name);

// The name of a curve that the caller has written, up to its next one.
void cli_sheet_title(cli_sheet *s, const char *name);

// A curve by its points.
typedef struct cli_curve {
  int n;
  const double *x, *y; // the first of n numbers; x NULL: from, from + step, ..
  int x_next, y_next;  // how far each is from the next
  double from, step;   // from is added to x; where x is NULL: from, from + step, ..
  double less;         // taken off y
  double rounding;     // smaller values of y are rounding errors and are drawn as 0
  bool size;           // |y| is drawn
  bool holds;          // y holds up to the next x, and the last for a step: a staircase
  bool dots;           // a dot a point alone
  bool line;           // no dots, however few points
  int colour, dash;    // numbers from 0
  const char *rgb;     // in place of the colour; or NULL
  double width;        // 0: 2
  const char *name;    // in the legend; NULL: none
} cli_curve;

// Draw it in the panel at hand, with a dot a point where they are few. Curves of many points are
// thinned out. Without one finite point there is nothing to draw, and no name.
void cli_sheet_draw(cli_sheet *s, const cli_curve *c);

// A limit as a dashed line in colour i; one so far off that curves from min to max would look
// flat beside it is left out. Returns whether it is drawn.
bool cli_sheet_limit(cli_sheet *s, double value, double min, double max, int i);

// End a panel; `limits`: the legend says what dashed lines are.
void cli_sheet_end(cli_sheet *s, bool limits);

// Whether one of the names in a list separated by commas is this one, or what it begins with: an output's
// name stands for all its rows, `tip` for tip.x and tip.z.
bool cli_sheet_lists(const char *list, const char *name);

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
