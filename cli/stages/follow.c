#include "cli/stages/follow.h"

#include "cli/console/log.h"
#include "cli/results/plant.h"
#include "cli/results/sentences.h"
#include "cli/stages/outputs.h"
#include "cli/stages/path.h"
#include "problems/readers/task/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// steps of the map per step of the plan, if the map is used as the plant
enum { MAP_STEPS = 32 };

// number of substeps that are checked; fewer on fine grids
static int choose_parts(int N) {
  if (N <= 1000) return 4;
  return N <= 4000 ? 2 : 1;
}

static const double PLANT_TOL = 1e-9;
static const double FAR = 0.1; // warn beyond this gap to the next knot, over the largest step

const char *const cli_limit_names[CLI_LIMIT_KINDS] = {"position", "speed", "input"};

double cli_limit_tolerance(const cli_call *call) {
  return 1. / call->run.x->N;
}

static const char *find_excess_name(const cli_call *call, cli_limit kind, int i) {
  return kind == CLI_INPUT_LIMIT ? call->run.p->names.input[i] : call->run.p->names.coord[i];
}

cli_json *cli_excess_json(const cli_call *call, cli_limit kind, const fb_excess *e) {
  // no limit of this kind
  if (e->index < 0) return NULL;

  // negative by: the limit is satisfied, and the excess is 0
  cli_json *out = json_object_new_object();
  cli_json_number(out, "excess", fmax(e->by, 0));
  cli_json_text(out, "joint", find_excess_name(call, kind, e->index));
  cli_json_number(out, "t", e->t);
  cli_json_number(out, "value", e->value);
  cli_json_number(out, "limit", e->limit);
  if (e->sample >= 0) cli_json_int(out, "sample", e->sample);
  return out;
}

void cli_put_excess(const cli_call *call, cli_json *o, cli_limit kind, const fb_excess *e) {
  json_object_object_add(o, cli_limit_names[kind], cli_excess_json(call, kind, e));
}

const char *cli_describe_excess(const cli_call *call, cli_limit kind, const fb_excess *e,
                                char *text, size_t size) {
  const int i = e->index;
  const char what = kind == CLI_INPUT_LIMIT ? 'u' : kind == CLI_SPEED ? 'v' : 'q';
  const char *unit = pb_problem_unit(call->run.p, what, i);
  snprintf(text, size, "the %s of '%.64s' is %.3g%s%s beyond its limit of %.4g at %.4g s",
           cli_limit_names[kind], find_excess_name(call, kind, e->index), e->by, unit[0] ? " " : "",
           unit, e->limit, e->t);
  return text;
}

// the largest change of a coordinate in one step
static double find_largest_way(const dm_trajectory *x) {
  double max = 0;
  for (int k = 0; k < x->N; k++)
    for (int i = 0; i < x->n; i++)
      max = fmax(max, fabs(x->q[(k + 1) * x->n + i] - x->q[k * x->n + i]));
  return max;
}

static void put_gap(const cli_call *call, cli_json *o, const char *key, const fb_gap *gap) {
  cli_json *out = cli_json_object(o, key);
  cli_json_number(out, "most", gap->size);
  cli_json_text(out, "joint", gap->index < 0 ? NULL : call->run.p->names.coord[gap->index]);
  cli_json_number(out, "t", dm_trajectory_time(call->run.x, gap->knot));
}

// the worst violation of output limits, if there are any
static void put_output_limit(const cli_call *call, cli_json *o, const fb_excess *e) {
  if (e->index < 0) return;
  const oc_outputs *y = &call->run.p->task.outputs;
  cli_json *out = cli_json_object(o, "output");
  cli_json_number(out, "excess", fmax(e->by, 0));
  char name[80];
  cli_json_text(out, "output", cli_output_row_name(call, y->limits[e->index].output, name));
  cli_json_number(out, "t", e->t);
  cli_json_number(out, "value", e->value);
  cli_json_number(out, "limit", e->limit);
}

static const char *const change_names[] = {"acceleration", "jerk"};

static void put_change(const cli_call *call, cli_json *o, int which, const fb_excess *e) {
  if (e->index < 0) return;
  cli_json *out = cli_json_object(o, change_names[which]);
  cli_json_number(out, "excess", fmax(e->by, 0));
  cli_json_text(out, "joint", call->run.p->names.coord[e->index]);
  cli_json_number(out, "t", e->t);
  cli_json_number(out, "value", e->value);
  cli_json_number(out, "limit", e->limit);
}

static const char *describe_change(const cli_call *call, int which, const fb_excess *e, char *text,
                                   size_t size) {
  const bool slides = call->run.p->model->kind[e->index] == DM_SLIDE;
  snprintf(text, size, "the %s of '%.64s' is %.3g %s/s%d beyond its limit of %.4g at %.4g s",
           change_names[which], call->run.p->names.coord[e->index], e->by, slides ? "m" : "rad",
           2 + which, e->limit, e->t);
  return text;
}

// returns the object in result.json
static cli_json *put_following(cli_call *call, const cli_following *w, const fb_excess *output) {
  const fb_following *f = &w->f;

  // limit violations by kind
  const fb_excess *const each[] = {&f->position, &f->speed, &f->input};
  cli_json *o = cli_json_object(call->result, "plant");
  cli_json_text(o, "name", w->plant);
  cli_json_int(o, "parts", w->parts);
  for (int kind = 0; kind < CLI_LIMIT_KINDS; kind++) cli_put_excess(call, o, kind, each[kind]);
  put_output_limit(call, o, output);
  for (int i = 0; i < 2; i++) put_change(call, o, i, &w->change[i]);

  // gaps between a step from a plan knot and the next knot: of q, of v, and of q relative to
  // fb_gap_unit
  cli_json *gap = cli_json_object(o, "step_gap");
  put_gap(call, gap, "q", &f->q);
  put_gap(call, gap, "v", &f->v);
  put_gap(call, gap, "share", &f->share);

  // the total drift without restarting at the plan's knots
  cli_json_number(o, "drift", f->drift);
  cli_json_number(o, "tolerance", cli_limit_tolerance(call));
  if (f->failed >= 0) cli_json_int(o, "failed", f->failed);
  return o;
}

// append a violation larger than the tolerance, with a warning
static void add_excess(const cli_call *call, const char *one, char *text, size_t size) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s", used ? "; " : "", one);
  cli_note(call->args,
           "warning: between knots %s: take more steps, or tighten the bound by as much", one);
}

// whether a limit is enforced between knots, and violated by no more than allowed
static bool is_within_between(const cli_call *call, const fb_excess *e) {
  const oc_outputs *o = &call->run.p->task.outputs;
  if (!o->margins || !oc_between_has(o, call->run.p->task.N, e->index)) return false;
  return e->by <= call->run.p->fine.between * oc_between_unit(o, e->index);
}

static bool has_integrals(const cli_call *call) {
  const oc_outputs *o = &call->run.p->task.outputs;
  for (int i = 0; i < o->nlevels; i++)
    if (!o->levels[i].largest) return true;
  return false;
}

// summarize limit violations for the end of the line, with warnings
static void judge_limits(const cli_call *call, const cli_following *w, char *text, size_t size) {
  const fb_excess *const each[] = {&w->f.position, &w->f.speed, &w->f.input};
  const fb_excess *output = &w->output;
  const double allowed = cli_limit_tolerance(call);
  double max = output->share;
  char one[240];
  text[0] = 0;

  for (int kind = 0; kind < CLI_LIMIT_KINDS; kind++) {
    max = fmax(max, each[kind]->share);
    if (fb_excess_beyond(each[kind], allowed))
      add_excess(call, cli_describe_excess(call, kind, each[kind], one, sizeof one), text, size);
  }
  if (fb_excess_beyond(output, allowed) && !is_within_between(call, output))
    add_excess(call, cli_output_excess_describe(call, output, one, sizeof one), text, size);
  for (int i = 0; i < 2; i++) {
    max = fmax(max, w->change[i].share);
    if (fb_excess_beyond(&w->change[i], allowed))
      add_excess(call, describe_change(call, i, &w->change[i], one, sizeof one), text, size);
  }

  // no violation: report the smallest margin; 1e-9 is rounding
  if (text[0]) return;
  if (isinf(max))
    snprintf(text, size,
             has_integrals(call) ? "the problem limits integrals alone"
                                 : "the problem has no limits");
  else if (max > 1e-9)
    snprintf(text, size, "limits are exceeded by at most %.2g %%", 100 * max);
  else
    snprintf(text, size, "all limits are kept");
}

static void report_following(cli_call *call, const cli_following *w) {
  const fb_following *f = &w->f;
  char limits[640];
  cli_json *list = NULL;
  if (json_object_object_get_ex(call->result, "output_limits", &list) && f->failed < 0)
    cli_output_limits_follow(call, w->parts, w->y, list);
  cli_json *o = put_following(call, w, &w->output);

  // a step of the plant failed: nothing to compare
  if (f->failed >= 0) {
    cli_tell_group(call->summary.file, "plant", o);
    cli_note(call->args, "warning: the plant fails on this plan from knot %d on: take more steps",
             f->failed);
    return;
  }

  // otherwise the gap to the next knot, compared with the largest step
  judge_limits(call, w, limits, sizeof limits);
  const char *joint = call->run.p->names.coord[f->q.index];
  double t = dm_trajectory_time(call->run.x, f->q.knot), way = find_largest_way(call->run.x);
  bool off = f->q.size > FAR * way;
  cli_json_text(o, "~followed", off ? "followed roughly by" : "followed by");
  cli_json_text(o, "~limits", limits);
  cli_tell_group(call->summary.file, "plant", o);

  // the plan does not represent the robot if the gap exceeds a tenth of that step
  if (off)
    cli_note(call->args,
             "warning: the %s plant ends a step %.2g off the plan ('%s', %.4g s), where the "
             "largest step is %.2g: take more steps",
             w->plant, f->q.size, joint, t, way);
}

static int write_plant(cli_call *call, const cli_following *w) {
  FILE *f = cli_call_file(call, "plant.csv");
  if (!f) return CLI_INPUT;
  cli_plant_write(f, &call->run.p->names, call->run.x, w->parts, w->y, w->u);
  return CLI_DONE;
}

// the continuous plant, or the map with shorter steps; *inner: its steps per substep
static dm_status open_plant(const cli_call *call, cli_following *w, fb_plant *plant, int *inner) {
  const dm_system *system = &call->run.p->task.system;

  // its own steps satisfy the tolerance
  dm_status s = fb_plant_continuous(plant, system, PLANT_TOL);
  w->plant = "continuous";
  *inner = 1;
  if (s != DM_UNAVAILABLE) return s;

  // with kinematic coordinates: 32 steps of the map per step of the plan
  w->plant = "fine discrete";
  *inner = MAP_STEPS / w->parts;
  return fb_plant_discrete(plant, system);
}

// violations of output limits between knots, if the problem requests it
static dm_status measure_between(const cli_call *call, cli_following *w) {
  const dm_trajectory *x = call->run.x;
  if (!call->run.p->task.outputs.margins || x->N != call->run.p->task.N) return DM_OK;
  DM_TRY(oc_between_new(&w->between, &call->run.p->task));
  return oc_between_measure(w->between, x, w->parts, w->y);
}

// The plant's accelerations, the change of its velocity over each step, and their differences; each step begins at
// the plan's knot.
static void measure_changes(const cli_call *call, cli_following *w) {
  const dm_trajectory *x = call->run.x;
  const dm_bounds *of = call->run.p->task.bounds;
  const int n = x->n;
  double *a = calloc(3 * (size_t)n, sizeof *a), *jerk = a + 2 * n;
  for (int k = 0; a && k < x->N; k++) {
    const double *end = w->y + (size_t)(k + 1) * (size_t)w->parts * 2 * (size_t)n + n;
    double *now = a + k % 2 * n;
    const double *before = a + (k + 1) % 2 * n;
    const double h = dm_trajectory_step(x, k);
    for (int i = 0; i < n; i++) now[i] = (end[i] - x->v[k * n + i]) / h;
    const double apart = (h + (k ? dm_trajectory_step(x, k - 1) : h)) / 2;
    for (int i = 0; i < n; i++) jerk[i] = (now[i] - before[i]) / apart;
    fb_excess_add_size(&w->change[0], n, now, of[OC_A].high, dm_trajectory_within(x, k, 0.5));
    if (k) fb_excess_add_size(&w->change[1], n, jerk, of[OC_JERK].high, dm_trajectory_time(x, k));
  }
  free(a);
}

int cli_follow(const cli_call *call, cli_following *w) {
  const dm_trajectory *x = call->run.x;
  const dm_bounds *of = call->run.p->task.bounds;
  const dm_limits limits = {of[OC_Q], of[OC_V], of[OC_U]};
  fb_plant plant = {0};
  *w = (cli_following){.parts = choose_parts(x->N), .output = fb_excess_none()};
  w->change[0] = w->change[1] = fb_excess_none();
  if (call->run.p->task.system.contacts) return CLI_DONE; // no plant has its contacts

  // 2n numbers at the end of each substep, and the input that led to it
  size_t pieces = (size_t)x->N * (size_t)w->parts;
  w->y = calloc((pieces + 1) * 2 * (size_t)x->n, sizeof *w->y);
  w->u = calloc(pieces * (size_t)x->nu + 1, sizeof *w->u);
  double *range = calloc((size_t)x->n, sizeof *range);
  if (range) {
    // the range of each coordinate: between its limits; for a rotation at most one revolution
    static const double REVOLUTION = 6.283185307179586;
    const dm_model *m = call->run.p->model;
    for (int i = 0; i < m->nq; i++) {
      const dm_range q = dm_bounds_at(limits.q, i);
      range[i] = q.high - q.low;
      if (m->kind[i] == DM_TURN) range[i] = fmin(range[i], REVOLUTION);
    }
  }

  int inner;

  // start each step at the plan's knot, so that errors do not accumulate
  dm_status s = w->y && w->u && range ? open_plant(call, w, &plant, &inner) : DM_NO_MEMORY;
  if (s == DM_OK)
    s = fb_follow(x, &call->run.p->task.system, &plant, w->parts, inner, &limits, range, w->y, w->u,
                  &w->f);
  fb_plant_free(&plant);
  free(range);
  if (s == DM_OK && w->f.failed < 0) {
    w->output = cli_output_limits_follow(call, w->parts, w->y, NULL);
    measure_changes(call, w);
    s = measure_between(call, w);
  }

  // a plan without velocities at its knots cannot be followed, but remains a plan
  if (s == DM_NO_MEMORY || s == DM_FAULT) return cli_fail_status(call->args, s, NULL);
  if (s != DM_OK) {
    cli_note(
        call->args,
        "warning: the plan is not tested on a plant, because its states have no velocities: %s",
        dm_status_text(s));
    w->plant = NULL;
  }
  return CLI_DONE;
}

void cli_following_free(cli_following *f) {
  oc_between_free(f->between);
  free(f->y);
  free(f->u);
  *f = (cli_following){0};
}

int cli_follow_report(cli_call *call, const cli_following *f) {
  if (!f->plant) return CLI_DONE;
  report_following(call, f);
  if (f->f.failed < 0 && cli_path_follow(call, f->parts, f->y) != CLI_DONE) return CLI_FAULT;
  return write_plant(call, f);
}

void cli_between_report(cli_call *call, const cli_following *f, int rounds) {
  const oc_between *w = f->between;
  if (!w || w->limit < 0) return;

  // the limit with the smallest margin or the largest violation
  const oc_outputs *y = &call->run.p->task.outputs;
  const oc_output_limit *l = &y->limits[w->limit];
  const char *name = oc_outputs_name(y, l->output);
  const char *unit = dm_outputs_unit(call->run.p->robot.outputs.rows, l->output);
  const double t = dm_trajectory_at(call->run.x, w->at), from = oc_output_limit_reference(l, w->at);
  const double limit = from + (w->value < from + (l->low + l->high) / 2 ? l->low : l->high);
  cli_json *o = cli_json_object(call->result, "between");
  cli_json_number(o, "allowed", call->run.p->fine.between * oc_between_unit(y, w->limit));
  cli_json_int(o, "rounds", rounds);
  cli_json_text(o, "output", name);
  cli_json_number(o, "t", t);
  cli_json_number(o, "value", w->value);
  cli_json_number(o, "limit", limit);
  cli_json_number(o, "excess", fmax(w->excess, 0));

  // the largest margin by which bounds were narrowed
  double most = 0;
  for (int i = 0; i < 2 * w->task->outputs.nlimits * (w->task->N + 1); i++)
    most = fmax(most, w->task->outputs.margins[i]);
  cli_json_number(o, "margin", most);

  // in a line: "'ball-shelf' comes to 0.0199 m between knots (limit 0.02; 0.61 s), after 2 rounds"
  char times[32];
  snprintf(times, sizeof times, "%d time%s", rounds, rounds == 1 ? "" : "s");
  if (rounds) cli_json_text(o, "~times", times);
  if (unit[0] != '1') cli_json_text(o, "~unit", unit);
  cli_tell_group(call->summary.file, "between", o);
}
