#include "cli/pictures/figure.h"

#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plot_data.h"
#include "cli/results/monitors.h"
#include "cli/stages/bench.h"
#include "lib/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_figure_what[] = {"trajectory",  "inputs",  "gains",  "loop",     "error",
                                       "convergence", "descent", "energy", "contacts", "monitors",
                                       "robustness",  "all",     NULL};

// coordinates whose response is drawn; size of a panel, px; iterations that are drawn as dots
enum { RESPONSES = 5, WIDTH = 460, HEIGHT = 280, DOTTED = 100 };

// colours that the colour-blind can tell apart
static const char *const colour[] = {"0072B2", "D55E00", "009E73", "CC79A7",
                                     "56B4E9", "E69F00", "000000", "8C6D31"};
enum { COLOURS = sizeof colour / sizeof colour[0] };

typedef struct sheet {
  FILE *f;
  const cli_job *job;
  const cli_figure_data *d;
  int panels;
  double font;  // of legends, points
  bool *wanted; // [n or nu] of the curves of a kind, which go into one panel or several
} sheet;

// whether one of the names in a list separated by commas is this one
static bool listed(const char *list, const char *name) {
  size_t len = strlen(name), word;
  for (; *list; list += word + (list[word] == ',')) {
    word = strcspn(list, ",");
    if (word == len && !strncmp(list, name, len)) return true;
  }
  return false;
}

static bool shown(const sheet *s, const char *name) {
  const char *only = s->job->args->only;
  return !only || listed(only, name);
}

bool cli_figure_unknown(const cli_names *names, const char *only, char *name, size_t size) {
  for (size_t word; *only; only += word + (only[word] == ',')) {
    bool known = false;
    word = strcspn(only, ",");
    snprintf(name, size, "%.*s", (int)word, only);
    for (int i = 0; i < names->n; i++) known = known || !strcmp(names->coord[i], name);
    for (int i = 0; i < names->nu; i++) known = known || !strcmp(names->input[i], name);
    if (!known) return true;
  }
  return false;
}

// a panel's share of the wanted curves of n, from *at on: as many in each panel as in the others
typedef struct group {
  int n, i[COLOURS], colour[COLOURS];
} group;

static bool next_group(const sheet *s, int n, int *at, group *g) {
  int all = 0;
  for (int i = 0; i < n; i++) all += s->wanted[i];
  int count = (all + COLOURS - 1) / COLOURS, each = count ? (all + count - 1) / count : 0;
  g->n = 0;
  for (; *at < n && g->n < each; ++*at)
    if (s->wanted[*at]) g->colour[g->n] = n <= COLOURS ? *at : g->n, g->i[g->n++] = *at;
  return g->n > 0;
}

// text between gnuplot's single quotes, in which only a quote and a line's end are words of its
// own; a quote becomes an apostrophe: two of them at the beginning would be an empty text
static void put_quoted(FILE *f, const char *text) {
  fputc('\'', f);
  while (*text) {
    int n = dm_text_plain(text);
    if (*text == '\'')
      fputs("\xe2\x80\x99", f);
    else if (n)
      fwrite(text, 1, (size_t)n, f);
    else
      fputc('_', f);
    text += n ? n : 1;
  }
  fputc('\'', f);
}

static int longest(const char *const *name, int n) {
  size_t most = 0;
  for (int i = 0; i < n; i++) most = strlen(name[i]) > most ? strlen(name[i]) : most;
  return (int)most;
}

// a panel's label, and as many columns in its legend as go over it
static void begin(sheet *s, const char *label, const char *unit) {
  const cli_names *names = &s->job->names;
  int letters = longest(names->coord, names->n), other = longest(names->input, names->nu);
  if (other > letters) letters = other;
  fprintf(s->f, "set key maxcols %d font ',%g'\n", letters > 40 ? 1 : 1 + 40 / (letters + 7),
          letters > 16 ? 0.75 * s->font : s->font);
  char text[160];
  snprintf(text, sizeof text, "%s%s%s%s", label, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
  fprintf(s->f, "set ylabel ");
  put_quoted(s->f, text);
  fprintf(s->f, " noenhanced\nplot ");
  s->panels++;
}

static void title(sheet *s, const char *name) {
  fprintf(s->f, " title ");
  put_quoted(s->f, name);
  fprintf(s->f, " noenhanced, ");
}

static void curve(sheet *s, const char *block, int column, const char *style, int i,
                  const char *name) {
  fprintf(s->f, "%s using 1:%d with %s lw 2 dt %d lc rgb '#%s'", block, column, style,
          1 + i / COLOURS, colour[i % COLOURS]);
  title(s, name);
}

// a limit as a dashed line; one so far off that the curve would look flat beside it is left out
static bool limit(sheet *s, double value, double least, double most, int i) {
  double span = fmax(most - least, 1e-3 * (1 + fabs(most)));
  if (!isfinite(value) || value > most + 2 * span || value < least - 2 * span) return false;
  fprintf(s->f, "%.8g with lines dt (8,5) lw 1.2 lc rgb '#%s' notitle, ", value,
          colour[i % COLOURS]);
  return true;
}

static void end(sheet *s, bool limits) {
  if (limits)
    fprintf(s->f, "NaN with lines dt (8,5) lw 1.2 lc rgb '#666666' title 'limits'");
  else
    fprintf(s->f, "NaN notitle");
  fprintf(s->f, "\n");
}

// what the coordinates of a kind are called, and their units
static const struct {
  const char *q, *v, *loop, *unit, *rate;
} coordinates[] = {
    [DM_SLIDE] = {"position", "velocity", "closed loop, position", "m", "m/s"},
    [DM_TURN] = {"angle", "angular velocity", "closed loop, angle", "rad", "rad/s"},
    [DM_QUATERNION] = {"quaternion", "its rate", "closed loop, quaternion", "1", "1/s"}};

static void want(const sheet *s, dm_kind kind) {
  for (int i = 0; i < s->job->names.n; i++)
    s->wanted[i] = s->job->p->model->kind[i] == kind && shown(s, s->job->names.coord[i]);
}

static double or_none(const double *x, int i, double none) {
  return x ? x[i] : none;
}

// what the plant does of it between the knots: a thin line
static void draw_followed(sheet *s, int column, int i) {
  if (!s->d->followed) return;
  fprintf(s->f, "$y using 1:%d with lines lw 0.8 lc rgb '#%s' notitle, ", column,
          colour[i % COLOURS]);
}

// positions or velocities of the coordinates of one kind, with their bounds
static void states(sheet *s, dm_kind kind, bool velocity) {
  const cli_job *job = s->job;
  const dm_trajectory *x = job->x;
  int n = x->n, at = 0;
  want(s, kind);
  for (group g; next_group(s, n, &at, &g);) {
    bool limits = false;
    const double *values = velocity ? x->v : x->q;
    cli_axis(s->f, values, x->N + 1, n, g.n, g.i, velocity ? 1e-12 : 0); // rounding of v at rest
    begin(s, velocity ? coordinates[kind].v : coordinates[kind].q,
          velocity ? coordinates[kind].rate : coordinates[kind].unit);
    for (int j = 0; j < g.n; j++) {
      int i = g.i[j], c = g.colour[j];
      double least, most, v = or_none(job->task->v_max, i, INFINITY);
      curve(s, "$x", 2 + i + (velocity ? n : 0), velocity && !s->d->sparse ? "steps" : "lines", c,
            job->names.coord[i]);
      draw_followed(s, 2 + i + (velocity ? n : 0), c);
      cli_axis_range(values + i, x->N + 1, n, &least, &most);
      limits |= limit(s, velocity ? -v : or_none(job->task->q_min, i, -INFINITY), least, most, c);
      limits |= limit(s, velocity ? v : or_none(job->task->q_max, i, INFINITY), least, most, c);
    }
    end(s, limits);
  }
}

static void trajectory(sheet *s) {
  for (int velocity = 0; velocity < 2; velocity++)
    for (dm_kind kind = DM_SLIDE; kind <= DM_QUATERNION; kind++) states(s, kind, velocity);
}

static void inputs(sheet *s) {
  static const char *const kinds[][2] = {{"force", "N"}, {"torque", "N m"}, {"load", "1"}};
  const cli_job *job = s->job;
  const dm_trajectory *x = job->x;
  const dm_system *sys = &job->task->system; // coordinates that are inputs are above
  for (int kind = 0; kind < 3; kind++) {
    for (int i = 0; i < sys->nu; i++)
      s->wanted[i] = !strcmp(pb_robot_unit(&job->p->robot, i), kinds[kind][1]) &&
                     shown(s, job->names.input[i]);
    int at = 0;
    for (group g; next_group(s, sys->nu, &at, &g);) {
      bool limits = false;
      cli_axis(s->f, x->u, x->N, x->nu, g.n, g.i, 0);
      begin(s, kinds[kind][0], kinds[kind][1]);
      for (int j = 0; j < g.n; j++) {
        int i = g.i[j], c = g.colour[j];
        double least, most;
        curve(s, "$x", 2 + 2 * x->n + i, "steps", c, job->names.input[i]);
        cli_axis_range(x->u + i, x->N, x->nu, &least, &most);
        limits |= limit(s, or_none(job->task->u_min, i, -INFINITY), least, most, c);
        limits |= limit(s, or_none(job->task->u_max, i, INFINITY), least, most, c);
      }
      end(s, limits);
    }
  }
}

// each gain by name where they are few; else their norms on errors of q and of p, by input
static void gains(sheet *s) {
  const cli_names *names = &s->job->names;
  int nx = 2 * names->n, nk = cli_gain_count(&s->job->names);
  if (!s->d->K) return;
  for (int i = 0; i < names->nu; i++) s->wanted[i] = shown(s, names->input[i]);
  for (int of = 0; nk > CLI_NAMED_GAINS && of < 2; of++) {
    int at = 0;
    for (group g; next_group(s, names->nu, &at, &g);) {
      begin(s, of ? "norm of gains on p" : "norm of gains on q", "SI");
      for (int j = 0; j < g.n; j++)
        curve(s, "$K", 2 + 2 * g.i[j] + of, "lines", g.colour[j], names->input[g.i[j]]);
      end(s, false);
    }
  }
  if (nk > CLI_NAMED_GAINS) return;
  cli_axis(s->f, s->d->K, s->job->x->N, nk, nk, NULL, 0);
  begin(s, "gains K", "SI");
  for (int i = 0; i < nk; i++) {
    char name[160];
    snprintf(name, sizeof name, "%s%s%s.%s", names->nu > 1 ? names->input[i / nx] : "",
             names->nu > 1 ? ": " : "", i % nx < names->n ? "q" : "p",
             names->coord[i % nx % names->n]);
    curve(s, "$K", 2 + i, "lines", i, name);
  }
  end(s, false);
}

// closed-loop runs of coordinates of one kind, translucent: about the plan, or off it
static void fan(sheet *s, dm_kind kind, bool off, const group *g) {
  const cli_job *job = s->job;
  int n = job->names.n;
  fprintf(s->f, "set xlabel 'time [s], %s plant'\n", s->d->plant);
  begin(s, off ? "closed loop - plan" : coordinates[kind].loop, coordinates[kind].unit);
  for (int j = 0; j < g->n; j++) {
    int i = g->i[j];
    const char *rgb = colour[g->colour[j] % COLOURS];
    // the plan covers most of them: a few will do there
    fprintf(s->f, "$fan every :::0::%d using 1:%d with lines lw 1 lc rgb '#90%s' notitle, ",
            off ? CLI_FAN_ROWS : 9, 2 + i + off * n, rgb);
    fprintf(s->f, "NaN with lines lw 2 lc rgb '#%s'", rgb);
    title(s, job->names.coord[i]);
    if (!off) fprintf(s->f, "$x using 1:%d with lines lw 1.2 lc rgb '#000000' notitle, ", 2 + i);
  }
  fprintf(s->f, "%s with lines lw 1.2 lc rgb '#000000' title 'plan'\nset xlabel 'time [s]'\n",
          off ? "0" : "NaN");
}

static void loop(sheet *s) {
  for (int off = 0; s->d->fan && off < 2; off++)
    for (dm_kind kind = DM_SLIDE; kind <= DM_QUATERNION; kind++) {
      int at = 0;
      want(s, kind);
      for (group g; next_group(s, s->job->names.n, &at, &g);) fan(s, kind, off, &g);
    }
}

// the largest |q - plan| of coordinate i without feedback
static double departs(const sheet *s, int i) {
  const dm_trajectory *x = s->job->x;
  int n = x->n, cols = 4 + 2 * n + x->nu;
  double most = 0;
  for (int k = 0; k <= x->N; k++)
    most = fmax(most, fabs(s->d->response[(size_t)k * (size_t)cols + (size_t)(4 + i)] -
                           x->q[(size_t)k * (size_t)n + (size_t)i]));
  return most;
}

// one start with feedback and without: the norm of its error, and the coordinates that go astray
// most without (or those asked for)
static void error(sheet *s) {
  const cli_job *job = s->job;
  int n = job->names.n;
  if (!s->d->response) return;
  fprintf(s->f, "set xlabel 'time [s], %s plant'\n", s->d->plant);
  fprintf(s->f, "set yrange [0:*]\n");
  begin(s, "norm of error in (q, p)", "SI");
  curve(s, "$r", 2, "lines", 1, "open loop");
  curve(s, "$r", 3, "lines", 0, "closed loop");
  end(s, false);
  fprintf(s->f, "set yrange [*:*]\n");
  int left = job->args->only ? n : RESPONSES;
  for (int i = 0; i < n; i++) s->wanted[i] = shown(s, job->names.coord[i]);
  for (; left > 0; left--) {
    int worst = -1;
    for (int i = 0; i < n; i++)
      if (s->wanted[i] && (worst < 0 || departs(s, i) > departs(s, worst))) worst = i;
    if (worst < 0) break;
    s->wanted[worst] = false;
    begin(s, job->names.coord[worst], coordinates[job->p->model->kind[worst]].unit);
    curve(s, "$r", 4 + worst, "lines", 1, "open loop");
    curve(s, "$r", 4 + n + worst, "lines", 0, "closed loop");
    fprintf(s->f, "$x using 1:%d with lines lw 1.2 lc rgb '#000000' title 'plan'\n", 2 + worst);
  }
  fprintf(s->f, "set xlabel 'time [s]'\n");
}

static void convergence(sheet *s) {
  if (!s->d->convergence_rows) return;
  fprintf(s->f, "set logscale y\nset format y '10^{%%T}'\nset xrange [0:*]\n"
                "set xlabel 'iteration'\n");
  begin(s, "convergence", "");
  static const char *const names[] = {"violation", "dual", "barrier"};
  for (int i = 0; i < 3; i++) {
    fprintf(s->f, "$c using 1:($%d > 0 ? $%d : NaN) with linespoints pt 7 ps 0.4 lw 2 lc rgb '#%s'",
            3 + i, 3 + i, colour[i]);
    title(s, names[i]);
  }
  end(s, false);
  fprintf(s->f, "unset logscale y\nset format y '%% h'\nset xrange [0:T]\nset xlabel 'time [s]'\n");
}

static int descents(const sheet *s, int method) {
  int rows = 0;
  for (int i = 0; i < s->d->descent_rows; i++)
    rows += (int)s->d->descent[i * CLI_DESCENT_COLUMNS] == method;
  return rows;
}

// cost error and slope of each method, against iterations and against time
static void descent(sheet *s) {
  static const char *const over[] = {"iteration", "time [ms]"};
  static const char *const labels[] = {"cost - its last", "-slope"};
  if (!s->d->descent_rows) return;
  fprintf(s->f, "set logscale xy\nset format xy '10^{%%T}'\nset xrange [*:*]\n");
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 2; x++) {
      fprintf(s->f, "set xlabel '%s'\n", over[x]);
      begin(s, labels[y], "");
      for (int m = 0; oc_method_names[m]; m++) {
        int rows = descents(s, m);
        if (!rows) continue;
        fprintf(s->f, "$d%d using %d:($%d > 0 ? $%d : NaN) with %s lw 2 lc rgb '#%s'", m, 1 + x,
                3 + y, 3 + y, rows > DOTTED ? "lines" : "linespoints pt 7 ps 0.4", colour[m]);
        title(s, oc_method_names[m]);
      }
      end(s, false);
    }
  fprintf(s->f, "unset logscale xy\nset format xy '%% h'\nset xrange [0:T]\n"
                "set xlabel 'time [s]'\n");
}

static void energy(sheet *s) {
  int at = 2 + 2 * s->job->names.n + s->job->names.nu;
  if (!s->d->energy) return;
  cli_axis(s->f, s->d->energy, s->job->x->N + 1, 2, 2, NULL, 0);
  begin(s, "energy", "J");
  curve(s, "$x", at, "lines", 0, "kinetic");
  curve(s, "$x", at + 1, "lines", 1, "potential");
  fprintf(s->f, "$x using 1:($%d+$%d) with lines lw 2 lc rgb '#000000'", at, at + 1);
  title(s, "total");
  end(s, false);
  if (!s->d->simulated) return;
  cli_axis_total(s->f, s->d->energy, s->job->x->N + 1);
  begin(s, "total energy - its start", "J");
  fprintf(s->f, "$x using 1:%d with lines lw 1 lc rgb '#000000' notitle, ", at + 2);
  end(s, false);
}

// impulses of contacts, and of their friction, a dot a step
static void contacts(sheet *s) {
  static const char *const labels[] = {"impulse of a contact in a step", "of its friction"};
  const dm_contacts *all = s->job->p->robot.contacts;
  bool rough = false;
  if (!s->d->contacts) return;
  dm_unilateral u = dm_contacts_unilateral(all);
  for (int i = 0; i < s->d->contacts_rows; i++)
    rough |= s->d->contacts[i * CLI_EVENT_COLUMNS + 5] > 0;
  for (int of = 0; of <= rough; of++) {
    double least, most; // from 0: all may be equal
    cli_axis_range(s->d->contacts + 4 + of, s->d->contacts_rows, CLI_EVENT_COLUMNS, &least, &most);
    fprintf(s->f, "set yrange [%.17g:%.17g]\n", fmin(1.05 * least, 0), fmax(1.05 * most, 1e-12));
    begin(s, labels[of], "N s");
    for (int i = 0; i < u.ng; i++) {
      fprintf(s->f, "$i using ($1==%d?$2:NaN):%d with points pt 7 ps 0.4 lc rgb '#%s'", i, 3 + of,
              colour[i % COLOURS]);
      if (i < COLOURS)
        title(s, u.name(u.self, i));
      else
        fprintf(s->f, " notitle, ");
    }
    end(s, false);
  }
  fprintf(s->f, "set yrange [*:*]\n");
}

// what is conserved, less what it was; constraints; the symplectic form
static void monitors(sheet *s) {
  static const struct {
    const char *label, *unit;
    int first, last;
    const char *names[4];
  } of[] = {{"energy - its start",
             "J",
             DM_MONITOR_ENERGY,
             DM_MONITOR_ENERGY_STEP,
             {"of knots", "of steps"}},
            {"moment - its start",
             "N m s",
             DM_MONITOR_MOMENT,
             DM_MONITOR_VERTICAL,
             {"x", "y", "z", "vertical"}},
            {"momentum - its start",
             "N s",
             DM_MONITOR_MOMENTUM,
             DM_MONITOR_MOMENTUM + 2,
             {"x", "y", "z"}},
            {"constraints", "", DM_MONITOR_CONSTRAINT, DM_MONITOR_CONSTRAINT, {"largest residual"}},
            {"form - 1", "", DM_MONITOR_FORM, DM_MONITOR_CLOUD, {"by derivatives", "by a cloud"}}};
  if (!s->d->monitors) return;
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    bool begun = false;
    for (int j = of[i].first; j <= of[i].last; j++) {
      if (isnan(s->d->monitors[2 + j])) continue;
      if (!begun)
        cli_axis_monitors(s->f, s->d, of[i].first, of[i].last), begin(s, of[i].label, of[i].unit),
            begun = true;
      curve(s, "$m", 2 + j, "lines", j - of[i].first, of[i].names[j - of[i].first]);
    }
    if (begun) end(s, false);
  }
}

// each axis alone, a curve for each part with its interval; the region of starts
static void robustness(sheet *s) {
  const double *r = s->d->robustness;
  fprintf(s->f, "set xrange [*:*]\nset yrange [0:105]\nset xlabel 'level'\n");
  for (int i = 0, c = 0; i < s->d->robustness_rows; i++, r += CLI_ROBUSTNESS_COLUMNS) {
    bool begun = i > 0 && r[-CLI_ROBUSTNESS_COLUMNS] == r[0];
    if (begun && r[1 - CLI_ROBUSTNESS_COLUMNS] == r[1]) continue;
    if (i > 0 && !begun) end(s, false);
    if (!begun) begin(s, fb_axis_names[(int)r[0]], "% held"), c = 0;
    fprintf(s->f,
            "$s using ($1==%g&&$2==%g?$3:NaN):4:5:6 with yerrorlines pt 7 ps 0.3 lc rgb '#%s'",
            r[0], r[1], colour[c++ % COLOURS]);
    title(s, cli_robustness_name(s->job->p, (int)r[1]));
  }
  if (s->d->robustness_rows > 0) end(s, false);
  if (s->d->region_rows > 0) fprintf(s->f, "set xlabel 'start error [spreads]'\n");
  if (s->d->region_rows > 0) begin(s, "directions", "% held"), curve(s, "$g", 2, "lines", 0, "");
  fprintf(s->f, "\nset xrange [0:T]\nset yrange [*:*]\nset xlabel 'time [s]'\n");
}

static void panels(sheet *s, const char *what) {
  static const struct {
    const char *name;
    void (*draw)(sheet *);
  } kinds[] = {{"trajectory", trajectory}, {"inputs", inputs},
               {"gains", gains},           {"loop", loop},
               {"error", error},           {"convergence", convergence},
               {"descent", descent},       {"energy", energy},
               {"contacts", contacts},     {"monitors", monitors},
               {"robustness", robustness}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(what, kinds[i].name) || !strcmp(what, "all")) {
      fprintf(s->f, "set yrange [*:*]\n");
      kinds[i].draw(s);
    }
}

static void head(FILE *f, int count, const char *suffix, double T) {
  int columns = count == 1 ? 1 : count <= 4 ? 2 : 3, rows = (count + columns - 1) / columns;
  int w = columns * WIDTH, h = rows * HEIGHT;
  if (!strcmp(suffix, "svg"))
    fprintf(f, "set terminal svg size %d,%d font 'Helvetica,13' background 'white' enhanced\n", w,
            h);
  else if (!strcmp(suffix, "png"))
    fprintf(f, "set terminal pngcairo size %d,%d font 'Sans,11' fontscale 2 linewidth 2 enhanced\n",
            2 * w, 2 * h);
  else
    fprintf(f, "set terminal pdfcairo size %g,%g font 'Sans,10' linewidth 1.3 enhanced\n", w / 96.0,
            h / 96.0);
  fprintf(f,
          "set encoding utf8\nT = %.17g\nset xrange [0:T]\nset xlabel 'time [s]'\n"
          "set border 3 lw 1 lc rgb '#444444'\nset tics out nomirror scale 0.6\n"
          "set grid lc rgb '#DDDDDD' lw 0.7 lt 1\nset format y '%% h'\nset offsets 0,0,graph 0.05,"
          "graph 0.05\n"
          "set key above left horizontal Left reverse samplen 1.4 height 0.2 spacing 0.95 "
          "noenhanced\n",
          T);
  fprintf(f, "set multiplot layout %d,%d\n", rows, columns);
}

int cli_figure_write(FILE *script, const cli_job *job, const cli_figure_data *d, const char *what,
                     const char *suffix) {
  char *body = NULL;
  size_t size;
  int most = job->names.n > job->names.nu ? job->names.n : job->names.nu;
  sheet s = {.f = open_memstream(&body, &size),
             .job = job,
             .d = d,
             .font = strcmp(suffix, "svg") ? 9.5 : 11.5,
             .wanted = calloc((size_t)most + 1, sizeof(bool))};
  if (s.f && s.wanted) panels(&s, what);
  if (s.f) fclose(s.f);
  free(s.wanted);
  if (body && s.panels) {
    head(script, s.panels, suffix, job->x->N * job->x->h);
    cli_blocks_write(script, job, d);
    fprintf(script, "%sunset multiplot\n", body);
  }
  free(body);
  return s.panels;
}
