#include "cli/pictures/sheet.h"

#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plot_text.h"

#include <math.h>
#include <string.h>

enum {
  ROWS = 3000, // of a curve
  DOTTED = 160 // points of a curve that are drawn as dots, at most
};

// Of a panel, px: its size, and what labels and marks of ticks take of its width and its height.
enum { WIDTH = 460, HEIGHT = 280, BESIDE = 95, BELOW = 70 };

// between the columns of a legend, px
static const double between = 8;

// what is long takes a smaller font
static const double smaller = 0.78;

const cli_format *cli_sheet_format(const char *suffix) {
  static const cli_format formats[] = {{"svg", 13, 11.5, 1, 0.7, 2.4, 10},
                                       {"png", 10, 8.6, 1.34, 0.85, 2.4, 11},
                                       {"pdf", 7.5, 6.5, 1.78, 1.13, 3.8, 9}};
  int i = 0;
  while (i < 2 && strcmp(formats[i].suffix, suffix) != 0) i++;
  return &formats[i];
}

// colours that the colour-blind can tell apart
const char *cli_sheet_colour(int i) {
  static const char *const colour[CLI_COLOURS] = {"0072B2", "D55E00", "009E73", "CC79A7",
                                                  "56B4E9", "E69F00", "000000", "8C6D31"};
  return colour[i % CLI_COLOURS];
}

bool cli_sheet_lists(const char *list, const char *name) {
  for (size_t word; *list; list += word + (list[word] == ',')) {
    word = strcspn(list, ",");
    if (word && !strncmp(list, name, word) && strchr(".", name[word])) return true;
  }
  return false;
}

bool cli_sheet_shows(const cli_sheet *s, const char *name) {
  const char *only = s->request->args->only;
  return !only || cli_sheet_lists(only, name);
}

// the next curves of a panel, as many in each as make all panels about equally full
bool cli_sheet_next(const cli_sheet *s, int n, int *at, cli_group *g) {
  // as many panels as colours make necessary
  int all = 0;
  for (int i = 0; i < n; i++) all += s->wanted[i];
  const int count = (all + CLI_COLOURS - 1) / CLI_COLOURS;
  const int each = count ? (all + count - 1) / count : 0;

  // each with its own colour, where all have one; else with the panel's next
  g->n = 0;
  for (; *at < n && g->n < each; ++*at) {
    if (!s->wanted[*at]) continue;
    g->colour[g->n] = n <= CLI_COLOURS ? *at : g->n;
    g->i[g->n++] = *at;
  }
  return g->n > 0;
}

// -- axes

void cli_sheet_size(cli_sheet *s) {
  s->width = WIDTH;
  s->height = 0;
}

// a label with its unit, if it has one
static void write_label(char *text, size_t size, const char *label, const char *unit) {
  snprintf(text, size, unit[0] ? "%s [%s]" : "%s", label, unit);
}

// a label along an axis so long, px: smaller, then without its middle where it is too long
static void put_label(const cli_sheet *s, const char *axis, const char *text, double length) {
  const double room = length / s->format->unit, size = s->format->label;
  double font = fmax(fmin(size, room / fmax(cli_text_width(text), 1)), smaller * size);
  char fitting[320];
  fprintf(s->f, "set %s ", axis);
  cli_text_quote(s->f, cli_text_fit(text, room / font, fitting, sizeof fitting));
  fprintf(s->f, " noenhanced font ',%.3g'\n", font);
}

void cli_sheet_abscissa(cli_sheet *s, const char *label, const char *unit) {
  char text[320];
  write_label(text, sizeof text, label, unit);
  put_label(s, "xlabel", text, WIDTH);
  s->timed = !strcmp(label, "time");
}

void *cli_sheet_take(cli_sheet *s, size_t count, size_t size) {
  void *zeros = calloc(count ? count : 1, size);
  if (!zeros) s->short_of_memory = true;
  return zeros;
}

void cli_sheet_reset(cli_sheet *s) {
  fprintf(s->f, "unset logscale\nset format x '%%h'\nset format y '%% h'\nset xrange [0:T]\n"
                "set yrange [*:*]\nset xtics autofreq\nset size noratio\n"
                "set offsets 0,0,graph 0.05,graph 0.05\n");
  if (s->request->log[0]) fprintf(s->f, "set logscale x\nset format x '10^{%%T}'\n");
  if (s->request->log[1]) fprintf(s->f, "set logscale y\nset format y '10^{%%T}'\n");
  s->ranged[0] = s->ranged[1] = s->equal = s->logarithmic = false;
  cli_sheet_abscissa(s, "time", "s");
}

void cli_sheet_range(cli_sheet *s, int axis, double low, double high) {
  s->ranged[axis] = true;
  s->range[axis][0] = low;
  s->range[axis][1] = high;
}

void cli_sheet_equal(cli_sheet *s) {
  fprintf(s->f, "set size ratio -1\nset offsets 0,0,0,0\n");
  cli_sheet_range(s, 0, NAN, NAN);
  s->equal = true;
}

// -- a panel

// the room of a legend's line before a name, with the blanks about both, px
static double find_sample(const cli_sheet *s, double font) {
  return s->format->lead * font / s->format->unit + s->format->gap + between;
}

// how many columns of a legend go over a panel; 0: its longest name is too long for one
static int count_legend_columns(const cli_sheet *s, double font) {
  return (int)((WIDTH - BESIDE) / (font * s->longest + find_sample(s, font)));
}

void cli_sheet_begin(cli_sheet *s, const char *label, const char *unit) {
  snprintf(s->label, sizeof s->label, "%s", label);
  snprintf(s->unit, sizeof s->unit, "%s", unit);
  s->titles = s->letters = 0;
  s->longest = 0;
  for (int i = 0; i < 2; i++) {
    s->low[i] = INFINITY;
    s->high[i] = -INFINITY;
  }

  // curves are written aside until the legend is known
  rewind(s->panel);
  s->f = s->panel;
  s->panels++;
}

void cli_sheet_title(cli_sheet *s, const char *name) {
  // the longest that fits into a panel of twice the width
  const double font = smaller * s->format->legend * s->format->unit;
  char fitting[320];
  name = cli_text_fit(name, (2 * WIDTH - BESIDE - find_sample(s, font)) / font, fitting,
                      sizeof fitting);

  // the legend's columns are as wide as its widest name
  const int letters = cli_text_letters(name);
  s->longest = fmax(s->longest, cli_text_width(name));
  if (letters > s->letters) s->letters = letters;
  s->titles++;
  fprintf(s->f, " title ");
  cli_text_quote(s->f, name);
  fprintf(s->f, " noenhanced, ");
}

void cli_sheet_curve(cli_sheet *s, const char *block, int column, const char *style, int i,
                     const char *name) {
  fprintf(s->f, "%s using 1:%d with %s lw 2 dt %d lc rgb '#%s'", block, column, style,
          1 + i / CLI_COLOURS, cli_sheet_colour(i));
  cli_sheet_title(s, name);
}

// the point k of a curve
static void find_point(const cli_curve *c, int k, double at[2]) {
  at[0] = c->from + (c->x ? c->x[(size_t)k * (size_t)c->x_next] : k * c->step);
  at[1] = c->y[(size_t)k * (size_t)c->y_next];
  if (fabs(at[1]) < c->rounding) at[1] = 0;
  at[1] -= c->less;
  if (c->size) at[1] = fabs(at[1]);
}

void cli_sheet_reach(cli_sheet *s, double x, double y) {
  const double at[] = {x, y};
  for (int i = 0; i < 2; i++) {
    s->low[i] = fmin(s->low[i], at[i]);
    s->high[i] = fmax(s->high[i], at[i]);
  }
}

// the points of a curve, a line each; returns how many are finite
static int put_points(cli_sheet *s, const cli_curve *c) {
  const int stride = cli_sheet_stride(c->n);
  const bool log = s->request->log[1] || s->logarithmic;
  int finite = 0;
  double at[2] = {0};

  // the last one is drawn whatever the stride; of a logarithm what is above 0 alone
  for (int k = 0; k < c->n; k++) {
    if (k % stride && k + 1 < c->n) continue;
    find_point(c, k, at);
    if (log && !(at[1] > 0)) at[1] = NAN;
    cli_sheet_put(s->data, at, 2);
    fprintf(s->data, "\n");
    if (!isfinite(at[0]) || !isfinite(at[1])) continue;
    finite++;
    cli_sheet_reach(s, at[0], at[1]);
  }

  // what holds does so for a step after the last
  at[0] += c->step;
  if (c->holds && c->n) cli_sheet_put(s->data, at, 2);
  if (c->holds && c->n) fprintf(s->data, "\n");
  return finite;
}

void cli_sheet_draw(cli_sheet *s, const cli_curve *c) {
  // its points, as a block of its own
  fprintf(s->data, "$b%d << EOD\n", s->blocks);
  const int finite = put_points(s, c);
  fprintf(s->data, "EOD\n");
  const int block = s->blocks++;
  if (!finite) return;

  // a line, with a dot a point where they are few
  const char *style = finite <= DOTTED && !c->line ? "linespoints pt 7 ps 0.3" : "lines";
  if (c->holds) style = "steps";
  if (c->dots) style = "points pt 7 ps 0.7";
  fprintf(s->f, "$b%d using 1:($2*Y) with %s ", block, style);
  if (!c->dots) fprintf(s->f, "lw %g dt %d ", c->width > 0 ? c->width : 2, 1 + c->dash);
  fprintf(s->f, "lc rgb '#%s'", c->rgb ? c->rgb : cli_sheet_colour(c->colour));
  if (c->name)
    cli_sheet_title(s, c->name);
  else
    fprintf(s->f, " notitle, ");
}

bool cli_sheet_limit(cli_sheet *s, double value, double min, double max, int i) {
  double span = fmax(max - min, 1e-3 * (1 + fabs(max)));
  if (!isfinite(value) || value > max + 2 * span || value < min - 2 * span) return false;
  fprintf(s->f, "%.8g with lines dt (8,5) lw 1.2 lc rgb '#%s' notitle, ", value,
          cli_sheet_colour(i));
  return true;
}

// the legend over a panel: as many columns as go there, in a font that makes it short
static void put_legend(cli_sheet *s) {
  double font = s->format->legend * s->format->unit;
  int columns = count_legend_columns(s, font);

  // smaller, and the panel wider, where a name needs it
  if (columns < 1 || s->titles > 3 * columns) {
    font *= smaller;
    columns = count_legend_columns(s, font);
  }
  if (columns < 1) {
    columns = 1;
    s->width = fmax(s->width, BESIDE + font * s->longest + find_sample(s, font));
  }

  // and all panels higher by the rows that are more than two
  const int rows = (s->titles + columns - 1) / columns;
  s->legend = rows * 1.35 * font;
  if (!s->equal) s->height = fmax(s->height, HEIGHT + fmax(s->legend - 2.7 * font, 0));

  // gnuplot places columns by the number of letters: so many more or fewer are as wide as names are
  const double size = font / s->format->unit;
  const double letters = (font * s->longest + between) / (s->format->letter * size);
  fprintf(s->f, "set key maxcols %d width %d font ',%.3g'\n", columns,
          (int)ceil(letters - s->letters), size);
}

// the range that was asked for, or that the plot says; NULL: neither
static const double *find_range(const cli_sheet *s, int axis) {
  const double *asked = s->request->range[axis];
  if (!isnan(asked[0]) || !isnan(asked[1])) return asked;
  return s->ranged[axis] ? s->range[axis] : NULL;
}

// the ends of what an axis shows; NAN: none
static void find_ends(const cli_sheet *s, int axis, double ends[2]) {
  const double *r = find_range(s, axis);
  ends[0] = r && isfinite(r[0]) ? r[0] : s->low[axis];
  ends[1] = r && isfinite(r[1]) ? r[1] : s->high[axis];
}

// with one unit of length on both axes: the curves, and as much room about them on all sides where
// nothing else was asked for
static void widen_ends(const cli_sheet *s, int axis, double ends[2]) {
  const double *r = find_range(s, axis);
  double other[2];
  find_ends(s, !axis, other);
  double room = 0.06 * fmax(ends[1] - ends[0], other[1] - other[0]);
  if (!(room > 0)) room = 0.1;
  if (!r || isnan(r[0])) ends[0] -= room;
  if (!r || isnan(r[1])) ends[1] += room;
}

// the range of an axis; time has its own
static void put_range(cli_sheet *s, int axis) {
  const char *name = axis ? "y" : "x";
  const double *r = find_range(s, axis);
  const bool drawn = isfinite(s->low[axis]);
  double ends[2];
  if (!r && axis == 0) return;
  find_ends(s, axis, ends);
  if (s->equal && drawn) {
    widen_ends(s, axis, ends);
    r = ends;
  }

  // of logarithms from decade to decade, one at least
  const bool log = s->request->log[axis] || (axis && s->logarithmic);
  if (log && drawn && (!r || (isnan(r[0]) && isnan(r[1])))) {
    ends[0] = pow(10, floor(log10(s->low[axis])));
    ends[1] = fmax(pow(10, ceil(log10(s->high[axis]))), 10 * ends[0]);
    r = ends;
  }

  // of curves that are drawn by their points, one that is not empty
  const double scale = axis ? s->scale : 1;
  if (!r || (isnan(r[0]) && isnan(r[1]))) {
    if (drawn) cli_axis_along(s->f, name, scale * s->low[axis], scale * s->high[axis], 0);
    return;
  }
  fprintf(s->f, "set %srange [", name);
  fprintf(s->f, isnan(r[0]) ? "*:" : "%.10g:", scale * r[0]);
  fprintf(s->f, isnan(r[1]) ? "*]\n" : "%.10g]\n", scale * r[1]);
}

// a power of ten as its exponent stands above a line
static void put_power(FILE *f, int exponent) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char text[16];
  snprintf(text, sizeof text, "%d", exponent);
  fputs("10", f);
  for (const char *c = text; *c; c++) fputs(*c == '-' ? "⁻" : digits[*c - '0'], f);
}

// What is much smaller or larger than one is drawn in a power of ten, which stands by the unit, so
// that numbers are as short as others.
static void choose_scale(cli_sheet *s, const char *label, const char *unit, char *text,
                         size_t size) {
  const double most = fmax(fabs(s->low[1]), fabs(s->high[1]));
  const bool plain = s->request->log[1] || s->equal || s->logarithmic;
  s->scale = 1;
  write_label(text, size, label, unit);
  if (plain || !isfinite(most) || !(most > 0) || (most >= 1e-3 && most < 1e5)) return;

  // label [10⁻¹³ unit]
  const int exponent = (int)floor(log10(most));
  s->scale = pow(10, -exponent);
  FILE *f = fmemopen(text, size, "w");
  if (!f) return;
  fprintf(f, "%s [", label);
  put_power(f, exponent);
  fprintf(f, unit[0] ? " %s]" : "]", unit);
  fclose(f);
}

// what an axis of one unit of length shows, m
static double find_extent(const cli_sheet *s, int axis) {
  double ends[2];
  find_ends(s, axis, ends);
  widen_ends(s, axis, ends);
  return ends[1] - ends[0];
}

// 1, 2 or 5 times a power of ten, at least x
static double round_up(double x) {
  const double power = pow(10, floor(log10(x)));
  static const double steps[] = {1, 2, 5};
  for (int i = 0; i < 3; i++)
    if (x <= steps[i] * power * (1 + 1e-9)) return steps[i] * power;
  return 10 * power;
}

// of panels with one unit of length as high as their data are for their width, but neither flat nor
// a tower; with as many marks on the horizontal axis as have room for their numbers
static void fit_height(cli_sheet *s) {
  const double width = find_extent(s, 0), height = find_extent(s, 1);
  const double room = s->width - BESIDE, ratio = height / width;
  const double high = fmin(fmax(ratio, 0.3), 1.4) * room;
  s->height = fmax(s->height, high + BELOW + s->legend + 10);
  const double wide = fmin(room, high / ratio);
  fprintf(s->f, "set xtics %.6g\n", round_up(width / fmin(fmax(wide / 50, 1), 7)));
}

// where phases begin: a line from below to above
static void put_marks(cli_sheet *s) {
  fprintf(s->f, "unset arrow\n");
  for (int i = 0; s->timed && i < s->n; i++)
    if (s->all[i]->begin > 0)
      fprintf(s->f,
              "set arrow from first %.10g, graph 0 to first %.10g, graph 1 nohead back dt 3 lw 1 "
              "lc rgb '#888888'\n",
              s->all[i]->begin, s->all[i]->begin);
}

void cli_sheet_end(cli_sheet *s, bool limits) {
  if (limits) {
    fprintf(s->f, "NaN with lines dt (8,5) lw 1.2 lc rgb '#666666'");
    cli_sheet_title(s, "limits");
  }
  fprintf(s->f, "NaN notitle");

  // what was written aside, after its legend
  fflush(s->panel);
  const int length = (int)ftell(s->panel);
  s->f = s->body;
  char label[400];
  choose_scale(s, s->label, s->unit, label, sizeof label);
  fprintf(s->f, "Y = %.10g\n", s->scale);
  put_legend(s);
  if (s->equal) fit_height(s);
  for (int axis = 0; axis < 2; axis++) put_range(s, axis);
  put_label(s, "ylabel", label, HEIGHT - 30);
  put_marks(s);
  fprintf(s->f, "plot %.*s\n", length, s->curves);
}

// -- words and numbers

const cli_kind_words *cli_sheet_kind(dm_kind kind) {
  static const cli_kind_words words[] = {
      [DM_SLIDE] = {"position", "velocity", "closed loop, position", "m", "m/s"},
      [DM_TURN] = {"angle", "angular velocity", "closed loop, angle", "rad", "rad/s"},
      [DM_QUATERNION] = {"quaternion", "its rate", "closed loop, quaternion", "1", "1/s"}};
  return &words[kind];
}

void cli_sheet_want(const cli_sheet *s, dm_kind kind) {
  for (int i = 0; i < s->job->names.n; i++)
    s->wanted[i] = s->job->p->model->kind[i] == kind && cli_sheet_shows(s, s->job->names.coord[i]);
}

void cli_sheet_put(FILE *f, const double *x, int n) {
  for (int i = 0; i < n; i++) fprintf(f, isfinite(x[i]) ? " %.10g" : " NaN", x[i]);
}

int cli_sheet_stride(int rows) {
  return rows / ROWS + 1;
}
