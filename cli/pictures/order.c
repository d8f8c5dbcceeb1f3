#include "cli/console/log.h"
#include "cli/pictures/method_words.h"
#include "cli/pictures/plots.h"
#include "lib/base/order_fit.h"
#include "problems/readers/format/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128, FIT_POINTS = 60 };

// errors that are further off a power of the step than this factor's logarithm follow none
static const double no_power = 0.5;

// Errors of one method, or of one column, at several steps.
typedef struct family {
  char name[NAME];
  int n;
  double *h, *e; // [n]
  double r;      // the step that errors are measured from, where it is one of these; else 0
  dm_order_fit fit;
} family;

typedef struct study {
  int n;
  family *of;                   // [n]
  const cli_exhibit *reference; // that motions are measured from; NULL: none
  char label[320];              // of errors
  const char *unit;
} study;

static void free_study(study *w) {
  for (int i = 0; i < w->n; i++) {
    free(w->of[i].h);
    free(w->of[i].e);
  }
  free(w->of);
}

// the family of that name, a new one where there is none; NULL without memory
static family *find_family(study *w, const char *name) {
  for (int i = 0; i < w->n; i++)
    if (!strncmp(w->of[i].name, name, NAME - 1)) return &w->of[i];
  family *more = realloc(w->of, ((size_t)w->n + 1) * sizeof *more);
  if (!more) return NULL;
  w->of = more;
  w->of[w->n] = (family){0};
  snprintf(w->of[w->n].name, NAME, "%s", name);
  return &w->of[w->n++];
}

static bool add_error(study *w, const char *name, double h, double e) {
  family *f = find_family(w, name);
  if (!f) return false;
  double *steps = realloc(f->h, ((size_t)f->n + 1) * sizeof *steps);
  if (steps) f->h = steps;
  double *errors = steps ? realloc(f->e, ((size_t)f->n + 1) * sizeof *errors) : NULL;
  if (!errors) return false;
  f->e = errors;
  f->h[f->n] = h;
  f->e[f->n++] = e;
  return true;
}

// -- what errors are measured from

// what --against says
typedef enum against_kind { NOTHING, NUMBER, FINEST, FOLDER } against_kind;

static against_kind read_against(const cli_request *r, double *number) {
  *number = 0;
  if (!r->against) return NOTHING;
  if (!strcmp(r->against, "finest")) return FINEST;
  return pb_number_parse(r->against, number) == DM_OK ? NUMBER : FOLDER;
}

// the folder of the smallest step
static const cli_exhibit *find_finest(const cli_exhibits *all) {
  const cli_exhibit *finest = all->at[0];
  for (int i = 1; i < all->shown; i++)
    if (all->at[i]->step < finest->step) finest = all->at[i];
  return finest;
}

static const char *name_family(const cli_exhibit *x, const cli_request *r, char text[NAME]) {
  if (!r->names.n) return cli_method_say(x, text, NAME);
  snprintf(text, NAME, "%s", x->name);
  return text;
}

// a family whose own solution is the reference has its error in each of its own
static void set_reference(study *w, const cli_request *r) {
  char name[NAME];
  if (!w->reference) return;
  name_family(w->reference, r, name);
  for (int i = 0; i < w->n; i++)
    if (!strcmp(w->of[i].name, name)) w->of[i].r = w->reference->step;
}

// -- errors of motions

static bool shows_coordinate(const cli_request *r, const char *name) {
  const cli_sheet s = {.request = r};
  return cli_sheet_shows(&s, name);
}

// |q - q_ref| over the coordinates that are shown, at a time
static double measure_motion_distance(const cli_exhibit *x, const cli_exhibit *from,
                                      const cli_request *r, double t) {
  double sum = 0;
  for (int i = 0; i < x->job.names.n; i++) {
    if (!shows_coordinate(r, x->job.names.coord[i])) continue;
    const double off = cli_exhibit_place(x, t, i) - cli_exhibit_place(from, t, i);
    sum += off * off;
  }
  return sqrt(sum);
}

// at the time that --times names, or the largest at all knots that both have
static double find_motion_error(const cli_exhibit *x, const cli_exhibit *from,
                                const cli_request *r) {
  const dm_trajectory *m = x->job.x;
  double most = 0;
  if (r->ntimes) return measure_motion_distance(x, from, r, r->times[0]);
  for (int k = 0; k <= m->N; k++)
    if (cli_exhibit_knot(from, k * m->h) >= 0)
      most = fmax(most, measure_motion_distance(x, from, r, k * m->h));
  return most;
}

// what is measured of motions, in words
static void label_motions(study *w, const cli_exhibits *all, const cli_request *r) {
  const cli_names *names = &all->at[0]->job.names;
  const dm_model *m = all->at[0]->job.p->model;
  w->unit = NULL;
  for (int i = 0; i < names->n; i++) {
    if (!shows_coordinate(r, names->coord[i])) continue;
    const char *unit = cli_sheet_kind(m->kind[i])->unit;
    if (!w->unit) w->unit = unit;
    if (strcmp(w->unit, unit) != 0) w->unit = "SI";
  }
  const char *of = w->reference->name;
  if (r->ntimes)
    snprintf(w->label, sizeof w->label, "|q - q of %.200s| at %g s", of, r->times[0]);
  else
    snprintf(w->label, sizeof w->label, "largest |q - q of %.200s|", of);
}

static int check_time(const cli_exhibits *all, const cli_request *r) {
  if (r->ntimes > 1)
    return cli_fail(r->args, CLI_INPUT, "--what order takes one time, got %d", r->ntimes);
  for (int i = 0; r->ntimes && i < all->n; i++)
    if (!(r->times[0] >= 0 && r->times[0] <= cli_exhibit_end(all->at[i]) * (1 + 1e-9)))
      return cli_fail(r->args, CLI_INPUT, "--times: %s goes from 0 to %g s, got %g",
                      all->at[i]->path, cli_exhibit_end(all->at[i]), r->times[0]);
  return CLI_DONE;
}

// errors are those of one motion at several steps: motions that end further apart than a step of
// either are those of other tasks. One time of all of them compares what comes before it
static int check_ends(const study *w, const cli_exhibits *all, const cli_request *r) {
  const double end = cli_exhibit_end(w->reference);
  for (int i = 0; !r->ntimes && i < all->shown; i++) {
    const cli_exhibit *x = all->at[i];
    const double apart = fabs(cli_exhibit_end(x) - end);
    if (apart > fmax(x->step, w->reference->step) * (1 + 1e-9))
      return cli_fail(r->args, CLI_INPUT,
                      "--what order compares one motion at several steps: %s ends after %g s, %s "
                      "after %g s; --times T compares both at one time",
                      x->path, cli_exhibit_end(x), w->reference->path, end);
  }
  return CLI_DONE;
}

static int measure_motions(study *w, const cli_exhibits *all, const cli_request *r) {
  char name[NAME];
  double number;
  int status = check_time(all, r);
  if (status == CLI_DONE && read_against(r, &number) == NUMBER)
    status = cli_fail(r->args, CLI_INPUT,
                      "--against takes a folder where motions are compared, got the number %s; "
                      "--y names a number of result.json",
                      r->against);
  if (status != CLI_DONE) return status;

  // from the folder that is named, or the finest
  w->reference = all->reference ? all->reference : find_finest(all);
  char text[512];
  for (int i = 0; i < all->shown; i++)
    if (!cli_exhibit_alike(w->reference, all->at[i], text, sizeof text))
      return cli_fail(r->args, CLI_INPUT, "%s: their motions cannot be compared", text);
  status = check_ends(w, all, r);
  if (status != CLI_DONE) return status;

  // an error of each of the others
  for (int i = 0; i < all->shown; i++) {
    const cli_exhibit *x = all->at[i];
    if (x == w->reference) continue;
    if (!add_error(w, name_family(x, r, name), x->step, find_motion_error(x, w->reference, r)))
      return cli_fail(r->args, CLI_FAULT, "out of memory");
  }
  label_motions(w, all, r);
  return CLI_DONE;
}

// -- errors of numbers of result.json

// the number at a dotted path; NAN: there is none
static double find_number(cli_json *o, const char *path) {
  const size_t length = strcspn(path, ".");
  char key[NAME];
  cli_json *inner = NULL;
  snprintf(key, sizeof key, "%.*s", (int)length, path);
  if (!json_object_object_get_ex(o, key, &inner)) return NAN;
  if (path[length]) return find_number(inner, path + length + 1);
  const bool number =
      json_object_is_type(inner, json_type_double) || json_object_is_type(inner, json_type_int);
  return number ? json_object_get_double(inner) : NAN;
}

static int measure_numbers(study *w, const cli_exhibits *all, const cli_request *r) {
  const char *path = r->y.word[0];
  char name[NAME];
  double from;
  const against_kind kind = read_against(r, &from);

  // from a folder's own number, or the one that is named, or 0
  if (kind == FOLDER) w->reference = all->reference;
  if (kind == FINEST) w->reference = find_finest(all);
  if (w->reference) from = find_number(w->reference->job.result, path);

  for (int i = 0; i < all->shown; i++) {
    const cli_exhibit *x = all->at[i];
    const double value = find_number(x->job.result, path);
    if (isnan(value) || isnan(from))
      return cli_fail(r->args, CLI_INPUT,
                      "%s/result.json has no number '%s', as objective or energy.drift is one",
                      x->path, path);
    if (x == w->reference) continue;
    if (!add_error(w, name_family(x, r, name), x->step, fabs(value - from)))
      return cli_fail(r->args, CLI_FAULT, "out of memory");
  }
  const char *of = w->reference ? w->reference->name : r->against;
  w->unit = "";
  if (kind == NOTHING)
    snprintf(w->label, sizeof w->label, "|%.200s|", path);
  else
    snprintf(w->label, sizeof w->label, "|%.120s - %s%.120s|", path, w->reference ? "that of " : "",
             of);
  return CLI_DONE;
}

// -- errors of a table's columns

// the row of the least x, or, of a count of steps, of the most
static int find_finest_row(const cli_named_table *t, int x) {
  const bool counts = strstr(t->name[x], "steps") != NULL;
  int finest = 0;
  for (int i = 1; i < t->rows; i++) {
    const double h = cli_named_table_number(t, i, x);
    const double best = cli_named_table_number(t, finest, x);
    if (counts ? h > best : h < best) finest = i;
  }
  return finest;
}

static int measure_column(study *w, const cli_exhibit *of, int x, int y, const cli_request *r,
                          const char *name) {
  const cli_named_table *t = &of->columns;
  double from;
  const against_kind kind = read_against(r, &from);
  const int finest = kind == FINEST ? find_finest_row(t, x) : -1;
  if (finest >= 0) from = cli_named_table_number(t, finest, y);
  for (int i = 0; i < t->rows; i++)
    if (i != finest && !add_error(w, name, cli_named_table_number(t, i, x),
                                  fabs(cli_named_table_number(t, i, y) - from)))
      return cli_fail(r->args, CLI_FAULT, "out of memory");
  family *f = find_family(w, name);
  if (f && finest >= 0) f->r = cli_named_table_number(t, finest, x);
  return CLI_DONE;
}

static int refuse_table_column(const cli_exhibit *x, const cli_request *r, const char *name) {
  char near[CLI_SUGGESTION];
  return cli_fail(r->args, CLI_INPUT, "%s has no column '%s'%s", x->path, name,
                  cli_suggest(x->columns.name, x->columns.cols, name, near));
}

// each column of each table
static int measure_tables(study *w, const cli_exhibits *all, const cli_request *r) {
  int status = CLI_DONE;
  double number;
  char name[NAME];
  if (!r->x || !r->y.n)
    return cli_fail(r->args, CLI_INPUT,
                    "--what order of a table needs --x COLUMN, the step, and --y COLUMNS, errors");
  if (read_against(r, &number) == FOLDER)
    return cli_fail(r->args, CLI_INPUT, "--against takes a number or finest for tables, got '%s'",
                    r->against);
  for (int i = 0; status == CLI_DONE && i < all->shown; i++)
    for (int c = 0; status == CLI_DONE && c < r->y.n; c++) {
      const cli_exhibit *of = all->at[i];
      const int x = cli_named_table_find(&of->columns, r->x);
      const int y = cli_named_table_find(&of->columns, r->y.word[c]);
      if (x < 0 || y < 0) return refuse_table_column(of, r, x < 0 ? r->x : r->y.word[c]);
      snprintf(name, sizeof name, all->shown > 1 ? "%.60s: %.60s" : "%.0s%.120s", of->name,
               r->y.word[c]);
      status = measure_column(w, of, x, y, r, name);
    }

  // from what, in words
  w->unit = "";
  snprintf(w->label, sizeof w->label, "%s%.200s%s%.60s%s", r->against ? "|" : "",
           r->y.n == 1 ? r->y.word[0] : "error", r->against ? " - " : "",
           r->against ? r->against : "", r->against ? "|" : "");
  return status;
}

// -- the study

// whether all are tables, or all folders
static int check_kinds(const cli_exhibits *all, const cli_request *r) {
  for (int i = 1; i < all->shown; i++)
    if (all->at[i]->folder != all->at[0]->folder)
      return cli_fail(r->args, CLI_INPUT, "--what order takes folders or tables, got both");
  if (all->at[0]->folder && r->y.n > 1)
    return cli_fail(r->args, CLI_INPUT,
                    "--what order of folders takes one number of result.json by --y, got %d",
                    r->y.n);
  return CLI_DONE;
}

static int make_study(study *w, const cli_exhibits *all, const cli_request *r) {
  int status = check_kinds(all, r);
  *w = (study){0};
  if (status == CLI_DONE && !all->at[0]->folder)
    status = measure_tables(w, all, r);
  else if (status == CLI_DONE)
    status = r->y.n ? measure_numbers(w, all, r) : measure_motions(w, all, r);
  set_reference(w, r);
  for (int i = 0; i < w->n; i++)
    w->of[i].fit = dm_order_fit_errors(w->of[i].n, w->of[i].h, w->of[i].e, w->of[i].r);
  return status;
}

static int prepare_order(cli_exhibits *all, const cli_request *r) {
  study w;
  int status = make_study(&w, all, r), used = 0;
  for (int i = 0; i < w.n; i++) used += w.of[i].fit.n;
  if (status == CLI_DONE && used < 2)
    status = cli_fail(r->args, CLI_INPUT,
                      "--what order needs two errors above 0 at steps of different length, got %d "
                      "(motions are measured from the finest, which has none)",
                      used);
  free_study(&w);
  return status;
}

// what is found: in words, and as an object
static void tell_study(cli_job *job, const study *w) {
  cli_json *list = json_object_new_array();

  // of each family its order, where errors follow a power of the step
  for (int i = 0; i < w->n; i++) {
    const family *f = &w->of[i];
    const bool fits = f->fit.scatter < no_power;
    char order[32] = "none";
    if (fits) snprintf(order, sizeof order, "%.3f", fabs(f->fit.order));
    cli_tell(job, i ? "" : "order", "%s of %s: %d steps, log e off by %.2g", order, f->name,
             f->fit.n, f->fit.scatter);
    cli_json *o = json_object_new_object();
    cli_json_text(o, "name", f->name);
    cli_json_number(o, "order", fits ? fabs(f->fit.order) : NAN);
    cli_json_number(o, "constant", f->fit.constant);
    cli_json_number(o, "scatter", f->fit.scatter);
    cli_json_vector(o, "steps", f->h, f->n);
    cli_json_vector(o, "errors", f->e, f->n);
    json_object_array_add(list, o);
  }
  json_object_object_add(job->result, "orders", list);
}

// -- the picture

// the errors of a family as dots, and the fit as a line under its name
static void draw_family(cli_sheet *s, const family *f, int colour) {
  double x[FIT_POINTS], y[FIT_POINTS], low = INFINITY, high = 0;
  char name[NAME + 32];
  cli_sheet_draw(s, &(cli_curve){.n = f->n,
                                 .x = f->h,
                                 .x_next = 1,
                                 .y = f->e,
                                 .y_next = 1,
                                 .dots = true,
                                 .colour = colour});
  for (int i = 0; i < f->n; i++) {
    if (!(f->e[i] > 0)) continue;
    low = fmin(low, f->h[i]);
    high = fmax(high, f->h[i]);
  }
  if (!(f->fit.scatter < no_power)) {
    fprintf(s->f, "NaN with points pt 7 ps 0.7 lc rgb '#%s'", cli_sheet_colour(colour));
    cli_sheet_title(s, f->name);
    return;
  }

  // evenly on a logarithmic scale
  for (int i = 0; i < FIT_POINTS; i++) {
    x[i] = low * pow(high / low, (double)i / (FIT_POINTS - 1));
    y[i] = dm_order_fit_error(&f->fit, x[i], f->r);
  }
  snprintf(name, sizeof name, "%s%sorder %.2f", f->name, f->name[0] ? ": " : "",
           fabs(f->fit.order));
  cli_sheet_draw(s, &(cli_curve){.n = FIT_POINTS,
                                 .x = x,
                                 .x_next = 1,
                                 .y = y,
                                 .y_next = 1,
                                 .line = true,
                                 .colour = colour,
                                 .dash = colour / CLI_COLOURS,
                                 .width = 1.5,
                                 .name = name});
}

// marks at steps themselves, where they have room; as powers of ten where they are many
static void put_step_marks(cli_sheet *s, const study *w) {
  enum { ROOM = 12 };
  double at[ROOM];
  int n = 0;

  // steps that are not near one which is marked already
  for (int i = 0; i < w->n; i++)
    for (int k = 0; k < w->of[i].n; k++) {
      const double h = w->of[i].h[k];
      bool near = false;
      for (int j = 0; j < n; j++) near = near || fabs(log(h / at[j])) < log(1.3);
      if (near || !(h > 0)) continue;
      if (n == ROOM) return;
      at[n++] = h;
    }
  fprintf(s->f, "set format x '%%h'\nset xtics (");
  for (int i = 0; i < n; i++) fprintf(s->f, "%s'%.4g' %.10g", i ? ", " : "", at[i], at[i]);
  fprintf(s->f, ")\n");
}

// whole decades of errors, so that there is a mark at either end; steps with some room about them
static void set_ranges(cli_sheet *s, const study *w) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {0};
  for (int i = 0; i < w->n; i++)
    for (int k = 0; k < w->of[i].n; k++) {
      const double at[] = {w->of[i].h[k], w->of[i].e[k]};
      for (int axis = 0; at[1] > 0 && axis < 2; axis++) {
        low[axis] = fmin(low[axis], at[axis]);
        high[axis] = fmax(high[axis], at[axis]);
      }
    }
  cli_sheet_range(s, 0, low[0] / 1.2, high[0] * 1.2);
  cli_sheet_range(s, 1, pow(10, floor(log10(low[1]))), pow(10, ceil(log10(high[1]) + 1e-9)));
}

static void draw_order(cli_sheet *s) {
  study w;
  const cli_exhibits all = {
      .at = (cli_exhibit **)s->all, .n = s->n, .shown = s->n, .reference = s->reference};
  s->short_of_memory = make_study(&w, &all, s->request) != CLI_DONE; // it was made before
  if (!s->short_of_memory) {
    // logarithms on both axes, and one panel
    fprintf(s->f, "set logscale xy\nset format xy '10^{%%T}'\nset offsets 0,0,0,0\n");
    s->logarithmic = true;
    set_ranges(s, &w);
    put_step_marks(s, &w);
    if (s->d->folder)
      cli_sheet_abscissa(s, "step h", "s");
    else
      cli_sheet_abscissa(s, s->request->x, "");
    cli_sheet_begin(s, w.label, w.unit);
    for (int i = 0; i < w.n; i++) draw_family(s, &w.of[i], i);
    cli_sheet_end(s, false);
    tell_study(s->job, &w);
  }
  free_study(&w);
}

const cli_plot cli_plot_order = {
    .word = "order",
    .help = "errors over steps by their logarithms, of folders of several steps or columns of a "
            "table, with the order that fits",
    .takes = "--x --y --times --against --xrange --yrange",
    .most = CLI_MANY,
    .apart = true,
    .together = true,
    .mixed = true,
    .tables = true,
    .prepare = prepare_order,
    .draw = draw_order,
};
