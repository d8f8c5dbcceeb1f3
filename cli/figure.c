#include "cli/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_figure_what[] = {"trajectory",  "inputs", "gains", "loop",
                                       "convergence", "energy", "all",   NULL};

// rows of a curve, of all curves of a fan; gains that are told by name; size of a panel, px
enum { ROWS = 3000, FAN_ROWS = 6000, NAMED = 12, WIDTH = 460, HEIGHT = 280 };

// colours that the colour-blind can tell apart
static const char *const colour[] = {"0072B2", "D55E00", "009E73", "CC79A7",
                                     "56B4E9", "E69F00", "000000", "8C6D31"};
enum { COLOURS = sizeof colour / sizeof colour[0] };

typedef struct sheet {
  FILE *f;
  const cli_job *job;
  const cli_figure_data *d;
  int panels;
} sheet;

// --- the data, as blocks of the script ---

static void put(FILE *f, const double *x, int n) {
  for (int i = 0; i < n; i++) fprintf(f, isfinite(x[i]) ? " %.8g" : " NaN", x[i]);
}

// t, q, the velocity of the step that begins there (what is bounded; of the knot itself where knots
// between were not kept), u, kinetic and potential energy, and what their sum has gained; the last
// knot repeats what belongs to the last step
static void put_motion(const sheet *s) {
  const dm_trajectory *x = s->job->x;
  size_t n = (size_t)x->n, nu = (size_t)x->nu;
  int stride = x->N / ROWS + 1;
  fprintf(s->f, "$x << EOD\n");
  for (int k = 0; k <= x->N; k += stride) {
    size_t at = (size_t)k;
    fprintf(s->f, "%.8g", k * x->h);
    put(s->f, x->q + at * n, x->n);
    const double *q = x->q + (k < x->N ? at : at - 1) * n;
    for (size_t i = 0; i < n; i++) {
      double v = s->d->sparse ? x->v[at * n + i] : (q[n + i] - q[i]) / x->h;
      put(s->f, &v, 1);
    }
    put(s->f, x->u + (k < x->N ? at : at - 1) * nu, x->nu);
    const double *e = s->d->energy;
    if (e) {
      double gained = e[2 * at] + e[2 * at + 1] - (e[0] + e[1]);
      put(s->f, e + 2 * at, 2);
      put(s->f, &gained, 1);
    }
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static int count_gains(const sheet *s) {
  return s->job->names.nu * 2 * s->job->names.n;
}

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// t and each gain; where they are many, for each input the norm of its gains on q and that on p
static void put_gains(const sheet *s) {
  const dm_trajectory *x = s->job->x;
  int n = x->n, nk = count_gains(s), stride = x->N / ROWS + 1;
  fprintf(s->f, "$K << EOD\n");
  for (int k = 0; k < x->N; k += stride) {
    const double *K = s->d->K + (size_t)k * (size_t)nk;
    fprintf(s->f, "%.8g", k * x->h);
    if (nk <= NAMED) put(s->f, K, nk);
    for (int i = 0; nk > NAMED && i < 2 * x->nu; i++) {
      double size = norm(K + i * n, n);
      put(s->f, &size, 1);
    }
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

// one curve a sample, separated by empty lines: t, q, q - q_d
static void put_fan(const sheet *s) {
  const dm_trajectory *x = s->job->x;
  int n = x->n, cols = 3 + n, stride = s->d->fan_rows / FAN_ROWS + 1;
  fprintf(s->f, "$fan << EOD\n");
  for (int i = 0; i < s->d->fan_rows; i++) {
    const double *row = s->d->fan + (size_t)i * (size_t)cols;
    int k = (int)row[1];
    if (i && k == 0) fprintf(s->f, "\n");
    if (k > x->N || (k % stride && k < x->N)) continue;
    put(s->f, row + 2, 1 + n);
    for (int j = 0; j < n; j++) {
      double deviation = row[3 + j] - x->q[(size_t)k * (size_t)n + (size_t)j];
      put(s->f, &deviation, 1);
    }
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

static void put_convergence(const sheet *s) {
  fprintf(s->f, "$c << EOD\n");
  for (int i = 0; i < s->d->convergence_rows; i++) {
    put(s->f, s->d->convergence + i * CLI_CONVERGENCE_COLUMNS, CLI_CONVERGENCE_COLUMNS);
    fprintf(s->f, "\n");
  }
  fprintf(s->f, "EOD\n");
}

// --- panels ---

// text between gnuplot's single quotes
static void put_quoted(FILE *f, const char *text) {
  fputc('\'', f);
  for (; *text; text++) fprintf(f, *text == '\'' ? "''" : "%c", *text);
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
  fprintf(s->f, "set key maxcols %d\n", letters > 40 ? 1 : 1 + 40 / (letters + 7));
  fprintf(s->f, "set ylabel '%s%s%s%s'\nplot ", label, unit[0] ? " [" : "", unit,
          unit[0] ? "]" : "");
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

// the range of every cols-th number
static void range(const double *x, int rows, int cols, double *least, double *most) {
  *least = INFINITY, *most = -INFINITY;
  for (int k = 0; k < rows; k++) {
    *least = fmin(*least, x[(size_t)k * (size_t)cols]);
    *most = fmax(*most, x[(size_t)k * (size_t)cols]);
  }
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

// how many coordinates turn (or slide)
static int count(const sheet *s, bool turns) {
  int n = 0;
  for (int i = 0; i < s->job->names.n; i++) n += s->job->p->model->turns[i] == turns;
  return n;
}

static double or_none(const double *x, int i, double none) {
  return x ? x[i] : none;
}

// positions or velocities of the coordinates of one kind, with their bounds
static void states(sheet *s, bool turns, bool velocity) {
  const cli_job *job = s->job;
  const dm_trajectory *x = job->x;
  int n = x->n;
  bool limits = false;
  if (!count(s, turns)) return;
  begin(s,
        velocity ? turns ? "angular velocity" : "velocity"
        : turns  ? "angle"
                 : "position",
        velocity ? turns ? "rad/s" : "m/s"
        : turns  ? "rad"
                 : "m");
  for (int i = 0; i < n; i++) {
    if (job->p->model->turns[i] != turns) continue;
    double least, most, v = or_none(job->task->v_max, i, INFINITY);
    curve(s, "$x", 2 + i + (velocity ? n : 0), velocity && !s->d->sparse ? "steps" : "lines", i,
          job->names.coord[i]);
    range((velocity ? x->v : x->q) + i, x->N + 1, n, &least, &most);
    limits |= limit(s, velocity ? -v : or_none(job->task->q_min, i, -INFINITY), least, most, i);
    limits |= limit(s, velocity ? v : or_none(job->task->q_max, i, INFINITY), least, most, i);
  }
  end(s, limits);
}

static void trajectory(sheet *s) {
  for (int velocity = 0; velocity < 2; velocity++)
    states(s, false, velocity), states(s, true, velocity);
}

static void inputs(sheet *s) {
  static const char *const kinds[][2] = {{"force", "N"}, {"torque", "N m"}, {"load", "1"}};
  const cli_job *job = s->job;
  const dm_trajectory *x = job->x;
  for (int kind = 0; kind < 3; kind++) {
    bool limits = false, any = false;
    for (int i = 0; i < job->task->system.nu; i++) { // coordinates that are inputs are above
      if (strcmp(pb_robot_unit(&job->p->robot, i), kinds[kind][1]) != 0) continue;
      if (!any) begin(s, kinds[kind][0], kinds[kind][1]);
      any = true;
      double least, most;
      curve(s, "$x", 2 + 2 * x->n + i, "steps", i, job->names.input[i]);
      range(x->u + i, x->N, x->nu, &least, &most);
      limits |= limit(s, or_none(job->task->u_min, i, -INFINITY), least, most, i);
      limits |= limit(s, or_none(job->task->u_max, i, INFINITY), least, most, i);
    }
    if (any) end(s, limits);
  }
}

// each gain by name where they are few; else their norms on errors of q and of p, by input
static void gains(sheet *s) {
  const cli_names *names = &s->job->names;
  int nx = 2 * names->n, nk = count_gains(s);
  if (!s->d->K) return;
  for (int of = 0; nk > NAMED && of < 2; of++) {
    begin(s, of ? "norm of gains on p" : "norm of gains on q", "SI");
    for (int i = 0; i < names->nu; i++) curve(s, "$K", 2 + 2 * i + of, "lines", i, names->input[i]);
    end(s, false);
  }
  if (nk > NAMED) return;
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

// closed-loop runs of the coordinates of one kind, translucent: about the plan, or off it
static void fan(sheet *s, bool turns, bool off) {
  const cli_job *job = s->job;
  int n = job->names.n;
  if (!count(s, turns)) return;
  fprintf(s->f, "set xlabel 'time [s], %s plant'\n", s->d->plant);
  begin(s,
        off     ? "closed loop - plan"
        : turns ? "closed loop, angle"
                : "closed loop, position",
        turns ? "rad" : "m");
  for (int i = 0; i < n; i++) {
    if (job->p->model->turns[i] != turns) continue;
    const char *rgb = colour[i % COLOURS];
    // the plan covers most of them: a few will do there
    fprintf(s->f, "$fan every :::0::%d using 1:%d with lines lw 1 lc rgb '#90%s' notitle, ",
            off ? FAN_ROWS : 9, 2 + i + off * n, rgb);
    fprintf(s->f, "NaN with lines lw 2 lc rgb '#%s'", rgb);
    title(s, job->names.coord[i]);
    if (!off) fprintf(s->f, "$x using 1:%d with lines lw 1.2 lc rgb '#000000' notitle, ", 2 + i);
  }
  fprintf(s->f, "%s with lines lw 1.2 lc rgb '#000000' title 'plan'\nset xlabel 'time [s]'\n",
          off ? "0" : "NaN");
}

static void loop(sheet *s) {
  for (int off = 0; s->d->fan && off < 2; off++) fan(s, false, off), fan(s, true, off);
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

static void energy(sheet *s) {
  int at = 2 + 2 * s->job->names.n + s->job->names.nu;
  if (!s->d->energy) return;
  begin(s, "energy", "J");
  curve(s, "$x", at, "lines", 0, "kinetic");
  curve(s, "$x", at + 1, "lines", 1, "potential");
  fprintf(s->f, "$x using 1:($%d+$%d) with lines lw 2 lc rgb '#000000'", at, at + 1);
  title(s, "total");
  end(s, false);
  if (!s->d->simulated) return;
  begin(s, "total energy - its start", "J");
  fprintf(s->f, "$x using 1:%d with lines lw 1 lc rgb '#000000' notitle, ", at + 2);
  end(s, false);
}

// --- the sheet ---

static void panels(sheet *s, const char *what) {
  static const struct {
    const char *name;
    void (*draw)(sheet *);
  } kinds[] = {{"trajectory", trajectory},   {"inputs", inputs}, {"gains", gains}, {"loop", loop},
               {"convergence", convergence}, {"energy", energy}};
  for (int i = 0; i < 6; i++)
    if (!strcmp(what, kinds[i].name) || !strcmp(what, "all")) kinds[i].draw(s);
}

static void head(FILE *f, int count, const char *suffix, const char *output, double T) {
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
  fprintf(f, "set output ");
  put_quoted(f, output);
  fprintf(f,
          "\nset encoding utf8\nT = %.17g\nset xrange [0:T]\nset xlabel 'time [s]'\n"
          "set border 3 lw 1 lc rgb '#444444'\nset tics out nomirror scale 0.6\n"
          "set grid lc rgb '#DDDDDD' lw 0.7 lt 1\nset format y '%% h'\nset offsets 0,0,graph 0.05,"
          "graph 0.05\n"
          "set key above left horizontal Left reverse samplen 1.4 height 0.2 spacing 0.95 "
          "font ',%g' noenhanced\n",
          T, strcmp(suffix, "svg") ? 9.5 : 11.5);
  fprintf(f, "set multiplot layout %d,%d\n", rows, columns);
}

int cli_figure_write(FILE *script, const cli_job *job, const cli_figure_data *d, const char *what,
                     const char *suffix, const char *output) {
  char *body = NULL;
  size_t size;
  sheet s = {open_memstream(&body, &size), job, d, 0};
  if (!s.f) return 0;
  panels(&s, what);
  fclose(s.f);
  if (body && s.panels) {
    head(script, s.panels, suffix, output, job->x->N * job->x->h);
    s.f = script;
    put_motion(&s);
    if (d->K) put_gains(&s);
    if (d->fan) put_fan(&s);
    if (d->convergence) put_convergence(&s);
    fprintf(script, "%sunset multiplot\nset output\n", body);
  }
  free(body);
  return s.panels;
}
