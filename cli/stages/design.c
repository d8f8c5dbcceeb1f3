#include "cli/stages/design.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/stages/solve.h"
#include "lib/base/random.h"
#include "lib/mechanics/family_misfit.h"
#include "optim/program/input_sizes.h"
#include "optim/program/program_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  NP = DM_FAMILY_PARAMETERS,
  MEMBERS = DM_FAMILY_MEMBERS,
  PROBES = 3,      // random states at which a family is compared with the robot itself
  MOST_DEGREE = 24 // of one parameter; may be smaller because the number of members is limited
};

// tolerance for the difference from the robot, relative to its outputs
static const double EXACT = 1e-10;
// smallest size of an output, relative to the largest one with the same unit
static const double LEAST = 1e-4;

// the largest difference of a family from the robot
typedef struct design_misfit {
  double off;
  const char *output; // the row; NULL: in the equations
} design_misfit;

// problems at the nodes of the parameter grid, the design made from them, and its program
struct cli_design_members {
  cli_call *call;
  int n; // number of problems so far
  pb_problem *p[MEMBERS];
  oc_task task[MEMBERS];
  oc_design design;
  oc_design_program *program;
  dm_scale *scale; // of the run's task
  double *input;   // [nu] sizes of its inputs
};

// -- problems with other parameters

// replacements for the parameters p: the run's own, then the parameters' places
static cli_json *list_values(const cli_call *call, const double *p) {
  const pb_design *d = &call->run.p->design;
  cli_json *list = json_object_new_object();
  cli_json *now = cli_json_get_object(call->result, "replaced");
  if (now) {
    json_object_object_foreach(now, key, value)
        cli_json_text(list, key, json_object_get_string(value));
  }
  for (int i = 0; i < d->n; i++)
    for (int k = 0; k < d->places[i]; k++) {
      char text[40];
      snprintf(text, sizeof text, "%.17g", d->at[i][k].factor * p[i]);
      cli_json_text(list, d->at[i][k].path, text);
    }
  return list;
}

// "length = 0.3, mass = 2"
static const char *describe_values(const pb_design *d, const double *p, char *text, size_t size) {
  size_t at = 0;
  for (int i = 0; i < d->n && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%.40s = %.6g", i ? ", " : "",
                           d->parameter[i].name, p[i]);
  return text;
}

static int read_member(cli_call *call, const double *p, pb_problem **out) {
  pb_replace list[CLI_REPLACED];
  dm_message msg = {""};
  char text[200];
  cli_json *values = list_values(call, p);
  const dm_status s =
      pb_problem_vary(out, call->run.p->file.path, list, cli_call_replaced(values, list), &msg);
  json_object_put(values);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail(call->args, cli_exit_of(s), "design, with %s: %s",
                  describe_values(&call->run.p->design, p, text, sizeof text), msg.text);
}

// -- comparison of members, which may differ only in their systems

// whether two tables of numbers are equal except for rounding, relative to their sizes [n]
static bool are_alike(const double *a, const double *b, const double *size, int n) {
  for (int i = 0; (a || b) && i < n; i++) {
    if (!a || !b) return false;
    const bool free = isnan(a[i]) && isnan(b[i]);
    const double room = 1e-9 * (size[i] + fabs(a[i]));
    if (!free && a[i] != b[i] && !(fabs(a[i] - b[i]) <= room)) return false;
  }
  return true;
}

// the part of a task other than its system that changes with the parameters; NULL: none
static const char *find_change(const cli_design_members *w, const oc_task *b) {
  const oc_task *a = &w->call->run.p->task;
  const double *q = w->scale->q, *v = w->scale->v, *u = w->input;
  const int n = a->system.L.nq, nu = dm_system_inputs(&a->system);
  const struct {
    const char *what;
    const double *a, *b, *size;
    int n;
  } tables[] = {{"the start", a->start.q, b->start.q, q, n},
                {"the start's velocity", a->start.v, b->start.v, v, n},
                {"the goal", a->goal.q, b->goal.q, q, n},
                {"the goal's velocity", a->goal.v, b->goal.v, v, n},
                {"a limit of positions", a->bounds[OC_Q].low, b->bounds[OC_Q].low, q, n},
                {"a limit of positions", a->bounds[OC_Q].high, b->bounds[OC_Q].high, q, n},
                {"a limit of speeds", a->bounds[OC_V].high, b->bounds[OC_V].high, v, n},
                {"a limit of inputs", a->bounds[OC_U].low, b->bounds[OC_U].low, u, nu},
                {"a limit of inputs", a->bounds[OC_U].high, b->bounds[OC_U].high, u, nu}};

  // tables of equal length with equal numbers
  if (b->system.L.nq != n || dm_system_inputs(&b->system) != nu) return "what moves";
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (!are_alike(tables[i].a, tables[i].b, tables[i].size, tables[i].n)) return tables[i].what;
  return NULL;
}

static int refuse_change(const cli_call *call, const char *what) {
  return cli_fail(
      call->args, CLI_INPUT,
      "design: %s changes with the parameters, expected a change of the robot's equations "
      "alone; give the values in 'start', 'goal' or 'bounds', and leave coordinates that "
      "constraints determine free, with 'assemble: none'",
      what);
}

// -- members

static void drop_members(cli_design_members *w) {
  oc_design_program_free(w->program);
  w->program = NULL;
  for (int j = 0; j < w->n; j++) pb_problem_free(w->p[j]);
  w->n = 0;
}

// make the members for a polynomial degree, and their program
static int make_members(cli_design_members *w, int degree) {
  cli_call *call = w->call;
  const pb_design *d = &call->run.p->design;
  double low[NP], high[NP], p[MEMBERS * NP];
  for (int i = 0; i < d->n; i++) {
    low[i] = d->parameter[i].low;
    high[i] = d->parameter[i].high;
  }

  // a robot per node of the parameter grid; the rest of the task must not depend on the parameters
  drop_members(w);
  dm_family_values(d->n, degree, low, high, p);
  const int m = dm_family_members(d->n, degree);
  for (; w->n < m; w->n++) {
    const int status = read_member(call, p + w->n * d->n, &w->p[w->n]);
    if (status != CLI_DONE) return status;
    w->task[w->n] = w->p[w->n]->task;
    const char *what = find_change(w, &w->task[w->n]);
    if (what) {
      w->n++;
      return refuse_change(call, what);
    }
  }
  w->design = (oc_design){d->n, d->parameter, degree, w->task};
  const dm_status s = oc_design_program_new(&w->program, &w->design, &call->msg);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail(call->args, cli_exit_of(s), "design: %s", call->msg.text);
}

// -- accuracy of the family between its members

// a random state: q near the start, everything with the size of its unit
static void draw_probe(const cli_design_members *w, int probe, double *z, double *v, double *u) {
  const pb_design *d = &w->call->run.p->design;
  const oc_task *t = &w->call->run.p->task;
  const int n = t->system.L.nq, nu = dm_system_inputs(&t->system);
  for (int i = 0; i < n + d->n; i++) {
    const double at = dm_random_uniform((uint64_t)probe + 1, i, 1);
    if (i < n) {
      const double start = oc_given(t->start.q, i) ? t->start.q[i] : 0;
      z[i] = start + w->scale->q[i] * at;
      v[i] = w->scale->v[i] * dm_random_uniform((uint64_t)probe + 1, i, 2);
      continue;
    }
    const oc_parameter *p = &d->parameter[i - n];
    z[i] = (p->low + p->high) / 2 + 0.9 * at * (p->high - p->low) / 2;
    v[i] = 0;
  }
  for (int j = 0; j < nu; j++) u[j] = w->input[j] * dm_random_uniform((uint64_t)probe + 1, j, 3);
}

// The sizes of a robot's outputs from these values and derivatives: the value, plus its change for
// coordinates and velocities of typical size. Rows with the same unit are at least a fraction of
// the largest one.
static void find_output_sizes(const cli_design_members *w, int ny, const double *y, double *size) {
  const int n = w->call->run.p->task.system.L.nq;
  const dm_outputs *rows = w->call->run.p->robot.outputs.rows;
  const double *y_q = y + ny, *y_v = y_q + ny * n;
  for (int i = 0; i < ny; i++) {
    size[i] = isfinite(y[i]) ? fabs(y[i]) : 0;
    for (int j = 0; j < n && isfinite(y[i]); j++) {
      const double change =
          fabs(y_q[i * n + j]) * w->scale->q[j] + fabs(y_v[i * n + j]) * w->scale->v[j];
      if (isfinite(change)) size[i] += change;
    }
  }
  for (int i = 0; i < ny; i++)
    for (int l = 0; l < ny; l++)
      if (!strcmp(dm_outputs_unit(rows, i), dm_outputs_unit(rows, l)))
        size[i] = fmax(size[i], LEAST * size[l]);
}

// the largest difference of outputs that have a value, relative to their sizes
static dm_status compare_outputs(const cli_design_members *w, const dm_output_map *there,
                                 const dm_output_map *own, const double *z, const double *v,
                                 design_misfit *misfit) {
  const size_t scratch = own->scratch > there->scratch ? own->scratch : there->scratch;
  const size_t ny = (size_t)own->ny, n = (size_t)own->n;
  void *room = aligned_alloc(64, (scratch + 127) & ~(size_t)63);
  double *y = calloc(ny * (3 + 2 * n) + 1, sizeof *y);
  dm_status s = room && y ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) {
    double *at = y + 2 * ny, *size = y + ny, *other = y;
    s = dm_output_map_eval(there, room, z, v, at, at + ny, at + ny + ny * (size_t)there->n);
    if (s == DM_OK || s == DM_NOT_FINITE)
      s = dm_output_map_eval(own, room, z, v, other, NULL, NULL);
    if (s == DM_NOT_FINITE) s = DM_OK;
    find_output_sizes(w, own->ny, at, size);
    for (int i = 0; s == DM_OK && i < own->ny; i++) {
      const double off = fabs(at[i] - other[i]) / size[i];
      if (at[i] != other[i] && off > misfit->off)
        *misfit = (design_misfit){off, dm_output_map_name(own, i)};
    }
  }
  free(room);
  free(y);
  return s;
}

// the largest difference at the probes from the given robots; for a family with parameter `moved`
// at the other end of its range, -1: none
static int measure_misfit(const cli_design_members *w, pb_problem *const probe[PROBES], int moved,
                          design_misfit *misfit) {
  const oc_task *own = oc_design_program_task(w->program);
  const int N = own->system.L.nq, nu = dm_system_inputs(&own->system), np = w->design.np;
  double *z = calloc((size_t)N + 1, sizeof *z), *v = calloc((size_t)N + 1, sizeof *v);
  double *u = calloc((size_t)nu + 1, sizeof *u);
  dm_status s = z && v && u ? DM_OK : DM_NO_MEMORY;
  *misfit = (design_misfit){0, NULL};
  for (int i = 0; i < PROBES && s == DM_OK; i++) {
    double off = 0;
    draw_probe(w, i, z, v, u);
    if (moved >= 0) {
      const oc_parameter *p = &w->design.parameter[moved];
      double *value = z + N - np + moved;
      *value = *value > (p->low + p->high) / 2 ? p->low : p->high;
    }
    const oc_task *there = &probe[i]->task;
    s = dm_family_misfit(oc_design_program_family(w->program), &there->system, w->scale, z, v, u,
                         &off);
    if (isnan(off)) off = INFINITY;
    if (off > misfit->off) *misfit = (design_misfit){off, NULL};
    if (s == DM_OK && own->outputs.y.ny)
      s = compare_outputs(w, &there->outputs.y, &own->outputs.y, z, v, misfit);
  }
  free(z);
  free(v);
  free(u);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail(w->call->args, cli_exit_of(s), "design: %s", dm_status_text(s));
}

// make the members of a degree and compare them with the robot
static int try_degree(cli_design_members *w, pb_problem *const probe[PROBES], int degree,
                      design_misfit *misfit) {
  if (cli_interrupted())
    return cli_fail(w->call->args, CLI_OUTCOME, "design: interrupted: no parameters were found");
  const int status = make_members(w, degree);
  return status == CLI_DONE ? measure_misfit(w, probe, -1, misfit) : status;
}

static int refuse_misfit(const cli_design_members *w, const design_misfit *misfit) {
  char what[100] = "the equations are";
  if (misfit->output) snprintf(what, sizeof what, "the output '%.64s' is", misfit->output);
  return cli_fail(w->call->args, CLI_INPUT,
                  "design: between %d robots %s off by %.2g: narrow the ranges (within), or seek "
                  "fewer parameters at a time",
                  w->n, what, misfit->off);
}

// refuse a parameter that does not change the robot
static int refuse_idle(const cli_design_members *w, pb_problem *const probe[PROBES]) {
  int status = CLI_DONE;
  for (int i = 0; i < w->design.np && status == CLI_DONE; i++) {
    design_misfit misfit;
    status = measure_misfit(w, probe, i, &misfit);
    if (status == CLI_DONE && misfit.off < EXACT)
      status = cli_fail(
          w->call->args, CLI_INPUT,
          "design: found '%s', on which nothing depends between %.6g and %.6g, expected "
          "a number that changes the robot's equations or an output",
          w->design.parameter[i].name, w->design.parameter[i].low, w->design.parameter[i].high);
  }
  return status;
}

int cli_design_open(cli_design_members **out, cli_call *call, const oc_task **task) {
  cli_design_members *w = calloc(1, sizeof *w);
  *out = w;
  *task = NULL;
  if (!w) return cli_fail(call->args, CLI_FAULT, "out of memory");
  w->call = call;
  const oc_task *own = &call->run.p->task;
  w->input = calloc((size_t)dm_system_inputs(&own->system) + 1, sizeof *w->input);
  dm_status s = w->input ? oc_task_scale(&w->scale, own, 1) : DM_NO_MEMORY;
  if (s == DM_OK) s = oc_input_sizes(own, w->scale, w->input);
  if (s != DM_OK) return cli_fail(call->args, CLI_FAULT, "out of memory");

  // choose the lowest degree with which the family equals the robot
  const int np = w->call->run.p->design.n;
  pb_problem *probe[PROBES] = {NULL};
  design_misfit misfit = {INFINITY, NULL};

  // the robot at several parameters
  const int n = w->call->run.p->task.system.L.nq,
            nu = dm_system_inputs(&w->call->run.p->task.system);
  double *z = calloc(2 * (size_t)(n + NP) + (size_t)nu + 1, sizeof *z);
  int status = z ? CLI_DONE : cli_fail(w->call->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < PROBES && status == CLI_DONE; i++) {
    draw_probe(w, i, z, z + n + NP, z + 2 * (n + NP));
    status = read_member(w->call, z + n, &probe[i]);
  }
  free(z);

  for (int degree = 1; status == CLI_DONE && !(misfit.off < EXACT); degree++) {
    if (degree > MOST_DEGREE || dm_family_members(np, degree) > MEMBERS)
      status = refuse_misfit(w, &misfit);
    else
      status = try_degree(w, probe, degree, &misfit);
  }
  if (status == CLI_DONE) status = refuse_idle(w, probe);
  for (int i = 0; i < PROBES; i++) pb_problem_free(probe[i]);

  if (status == CLI_DONE) *task = oc_design_program_task(w->program);
  return status;
}

void cli_design_close(cli_design_members *w) {
  if (w) {
    drop_members(w);
    dm_scale_free(w->scale);
    free(w->input);
  }
  free(w);
}

// -- optimization

typedef struct design_watch {
  cli_progress progress;
  const cli_call *call;
  oc_iterate at; // the last iterate; iteration < 0: none yet
} design_watch;

static void show_design(design_watch *w) {
  cli_progress_show(&w->progress, CLI_UNKNOWN,
                    "%s: design, iteration %d, objective %.6g, violation %.1e",
                    w->call->run.p->file.name, w->at.iteration, w->at.objective, w->at.violation);
}

static bool watch_design(void *user, const oc_iterate *it) {
  design_watch *w = user;
  w->at = *it;
  show_design(w);
  return true;
}

// called many times within an iteration, once there is one
static bool ask_design_to_stop(void *user) {
  design_watch *w = user;
  if (w->at.iteration >= 0) show_design(w);
  return cli_interrupt_asked(NULL);
}

// optimize the parameters, starting at the problem's guess
static int solve_design(cli_design *w, cli_call *call, const cli_design_members *members) {
  oc_setup set = oc_setup_default();
  design_watch watch = {cli_progress_of(call->args), call, {.iteration = -1}};
  dm_trajectory *guess = NULL;
  bool same;
  cli_solve_choose(call, &set);
  int status = cli_guess(call, &guess, &same);
  if (status != CLI_DONE) return status;

  // motion and parameters together, from the problem's guess
  set.guess = guess;
  set.hooks.watch = watch_design;
  set.hooks.stop = ask_design_to_stop;
  set.hooks.user = &watch;
  const dm_status s = oc_design_solve(&members->design, &set, &w->motion, &w->found, &call->msg);
  cli_progress_end(&watch.progress);
  dm_trajectory_free(guess);
  if (s < 0) return cli_fail_status(call->args, s, &call->msg);
  if (s != DM_OK && s != DM_ACCEPTABLE)
    return cli_fail(call->args, CLI_OUTCOME,
                    "design: %s after %d iterations (%s): no parameters were found; try another "
                    "guess, or narrower ranges",
                    w->found.solve.late ? "time_limit" : cli_status_word(s),
                    w->found.solve.iterations, w->found.solve.detail);
  return CLI_DONE;
}

// replace the values in the file by the optimal parameters
static int take_values(cli_design *w, cli_call *call) {
  pb_problem *p = NULL;
  const int status = read_member(call, w->found.value, &p);
  if (status != CLI_DONE) return status;
  cli_json *values = list_values(call, w->found.value);
  w->asked = call->run.p;
  call->run.p = p;
  json_object_object_add(call->result, "replaced", values);
  cli_json_text(call->result, "inputs_sha256", p->file.sha256);
  call->coarse = w->motion;
  return CLI_DONE;
}

int cli_design_seek(cli_design *w, cli_call *call) {
  cli_design_members *members = NULL;
  const oc_task *task;
  *w = (cli_design){.asked = NULL};
  if (!call->run.p->design.n) return CLI_DONE;
  int status = cli_design_open(&members, call, &task);
  if (status == CLI_DONE) status = solve_design(w, call, members);
  if (status == CLI_DONE) w->degree = members->design.degree;
  if (status == CLI_DONE) status = take_values(w, call);
  cli_design_close(members);
  return status;
}

// the name of the bound at which a parameter is, or NULL
static const char *find_bound(const oc_parameter *p, double value) {
  const double near = 1e-6 * (p->high - p->low);
  if (value < p->low + near) return "low";
  return value > p->high - near ? "high" : NULL;
}

void cli_design_report(const cli_design *w, cli_call *call) {
  if (!w->asked) return;
  const pb_design *d = &w->asked->design;
  cli_json *all = cli_json_object(call->result, "design");
  cli_json_number(all, "objective", w->found.solve.objective);
  cli_json_int(all, "iterations", w->found.solve.iterations);
  cli_json_text(all, "solver", w->found.solve.method);
  cli_json_int(all, "degree", w->degree);
  cli_json *list = json_object_new_array();

  // one entry per parameter
  for (int i = 0; i < d->n; i++) {
    const oc_parameter *p = &d->parameter[i];
    const double value = w->found.value[i], slope = w->found.slope[i];
    const char *bound = find_bound(p, value);
    cli_json *o = json_object_new_object();
    cli_json_text(o, "name", p->name);
    cli_json_number(o, "value", value);
    cli_json_number(o, "was", p->guess);
    cli_json_number(o, "low", p->low);
    cli_json_number(o, "high", p->high);
    cli_json_text(o, "at_bound", bound);
    cli_json_number(o, "slope", slope);
    json_object_array_add(list, o);

    // the multiplier of a bound: the derivative of the optimum with respect to it
    char text[120] = "between its bounds";
    if (bound)
      snprintf(text, sizeof text, "at its %s bound, whose worth is %.4g per unit", bound, slope);
    cli_tell(call, i ? "" : "design", "%s %.6g (was %.6g), %s", p->name, value, p->guess, text);
  }
  json_object_object_add(all, "parameters", list);
}

void cli_design_free(cli_design *w) {
  dm_trajectory_free(w->motion);
  pb_problem_free(w->asked);
  *w = (cli_design){.asked = NULL};
}
