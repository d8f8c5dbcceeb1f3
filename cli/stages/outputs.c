#include "cli/stages/outputs.h"

#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/results/outputs.h"
#include "cli/results/registry.h"
#include "cli/stages/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// m, rad or 1: minimum size to which an output's violation is compared
static const double LEAST_RANGE = 1e-2;
static const double APART = 0.1; // the same for a clearance, m

// -- outputs along a motion

static bool has_outputs(const cli_call *call) {
  return call->run.p->names.ny > 0 || call->run.p->task.outputs.nlimits > 0;
}

static int begin_outputs(cli_outputs *w, const cli_call *call) {
  *w = (cli_outputs){.y = pb_robot_outputs(&call->run.p->robot),
                     .rows = call->run.p->robot.outputs.all};
  const size_t rows = (size_t)w->rows;
  const size_t of_step = dm_driven_outputs_scratch(&w->y, call->run.p->task.system.nu);
  const size_t room = of_step > w->y.scratch ? of_step : w->y.scratch;
  for (int i = 0; i < w->y.ny; i++) w->driven |= dm_output_map_is_driven(&w->y, i);
  w->scratch = aligned_alloc(64, (room + 127) & ~(size_t)63);
  w->value = calloc((size_t)w->y.ny + 4 * rows + 1, sizeof *w->value);
  w->lambda = calloc((size_t)call->run.p->task.system.hol.nc + 1, sizeof *w->lambda);
  if (!w->scratch || !w->value || !w->lambda)
    return cli_fail(call->args, CLI_FAULT, "out of memory");
  w->low = w->value + w->y.ny;
  w->high = w->low + rows;
  w->start = w->high + rows;
  w->last = w->start + rows;
  for (size_t i = 0; i < rows; i++) w->last[i] = NAN;
  return CLI_DONE;
}

int cli_outputs_open(cli_outputs *w, cli_call *call) {
  *w = (cli_outputs){.f = NULL};
  if (!has_outputs(call)) return CLI_DONE;
  const int status = begin_outputs(w, call);
  if (status != CLI_DONE || !call->run.p->names.ny) return status;
  w->f = cli_call_file(call, "outputs.csv");
  if (!w->f) return CLI_INPUT;
  cli_table_begin(w->f, &cli_file_outputs, &call->run.p->names);
  return CLI_DONE;
}

void cli_outputs_free(cli_outputs *w) {
  free(w->scratch);
  free(w->value);
  free(w->lambda);
  dm_continuous_free(w->plant);
  *w = (cli_outputs){.f = NULL};
}

// y(q,v) into w->value, NAN if an output is undefined, and for outputs of inputs if these are
// unknown
static void evaluate_outputs(cli_outputs *w, const double *q, const double *v) {
  for (int i = 0; i < w->y.ny; i++) w->value[i] = NAN;
  dm_output_map_eval(&w->y, w->scratch, q, v, w->value, NULL, NULL);
}

// step k of the motion, for outputs of inputs, with impulses in w->lambda
static dm_step find_driven_step(const cli_outputs *w, const dm_trajectory *x, int k) {
  const double *q = x->q + (size_t)k * (size_t)x->n;
  for (int c = 0; c < w->y.impulses; c++)
    w->lambda[c] = dm_grid_impulse(x->grid, k) * x->lambda[(size_t)k * (size_t)x->nc + (size_t)c];
  return (dm_step){.q0 = q,
                   .q1 = q + x->n,
                   .u = x->u + (size_t)k * (size_t)x->nu,
                   .h = dm_trajectory_step(x, k),
                   .time = {dm_trajectory_within(x, k, 0.5), x->N * x->h},
                   .lambda = w->lambda};
}

static void evaluate_driven(cli_outputs *w, const cli_call *call, const dm_step *step) {
  dm_driven_outputs_eval(&w->y, call->run.p->task.system.nu, w->scratch, step, w->value, NULL);
}

void cli_outputs_add(cli_outputs *w, const cli_call *call, int k, double t, const double *q,
                     const double *v, const dm_step *step, const dm_contact_knot *contact,
                     bool row) {
  if (!w->value) return;
  evaluate_outputs(w, q, v);
  if (w->driven && step) evaluate_driven(w, call, step);
  if (w->driven && contact) dm_contact_outputs_now(&w->y, contact, w->value);
  for (int i = 0; i < w->rows; i++) {
    const double y = w->value[i];
    if (!w->begun) w->low[i] = w->high[i] = w->start[i] = y;
    w->low[i] = fmin(w->low[i], y);
    w->high[i] = fmax(w->high[i], y);
    if (!isnan(y)) w->last[i] = y;
    const bool due = step || !dm_output_map_is_driven(&w->y, i);
    w->empty |= isnan(y) && due && dm_output_map_formula(&w->y, i);
  }
  w->begun = true;
  if (row && w->f)
    cli_outputs_row(w->f, k, t, w->value, w->place ? w->place[k] : NAN, &call->run.p->names);
}

// the units of all columns, as space permits
static void describe_units(const cli_call *call) {
  const dm_outputs *o = call->run.p->robot.outputs.rows;
  char text[700] = "";
  size_t at = 0;
  for (int i = 0; i < call->run.p->names.ny && at < sizeof text; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%sy.%s in %s", i ? ", " : "",
                           call->run.p->names.output[i], dm_outputs_unit(o, i));
  cli_columns_describe(call->result, "outputs.csv", "%s.", text);
}

// a formula without a value leaves cells empty
static void warn_empty(const cli_outputs *w, const cli_call *call) {
  char fault[200] = "an output by a formula has no value at some knots";
  if (!w->empty) return;
  const oc_outputs all = {.y = w->y};
  if (call->run.x) oc_outputs_fault(&all, call->run.x, NULL, NULL, fault, sizeof fault);
  cli_note(call->args, "warning: outputs.csv: %s; its cells there are empty", fault);
}

void cli_outputs_report(const cli_outputs *w, cli_call *call) {
  if (!w->f || !w->begun) return;
  warn_empty(w, call);
  describe_units(call);

  // at the knot added last; for outputs of inputs, in the last step
  cli_json *all = cli_json_object(call->result, "outputs");
  for (int i = 0; i < call->run.p->names.ny; i++) {
    cli_json *o = cli_json_open(all, call->run.p->names.output[i]);
    cli_json_text(o, "unit", dm_outputs_unit(call->run.p->robot.outputs.rows, i));
    cli_json_number(o, "start", w->start[i]);
    cli_json_number(o, "end", dm_output_map_is_driven(&w->y, i) ? w->last[i] : w->value[i]);
    cli_json_number(o, "low", w->low[i]);
    cli_json_number(o, "high", w->high[i]);
  }
}

// -- limits

// compare a value at or between knots with a limit, in units of `size`; an equality counts
// deviations of either sign
static void compare_output(fb_excess *worst, int i, const oc_output_limit *l, double value,
                           double size, double knot, const dm_trajectory *x) {
  const double from = oc_output_limit_reference(l, knot), below = from + l->low - value;
  double by = oc_output_limit_excess(l, knot, value);
  if (isnan(value)) by = INFINITY;
  if (!(by / size > worst->share)) return;
  *worst = (fb_excess){.by = by,
                       .share = by / size,
                       .value = value,
                       .limit = from + (below == by ? l->low : l->high),
                       .t = dm_trajectory_at(x, knot),
                       .index = i,
                       .sample = -1};
}

// the size for an output's violation: its range along the motion; clearances have a fixed size,
// because they may change a lot and still be critical
static double find_output_size(const cli_outputs *w, const cli_call *call, int row) {
  const pb_outputs *o = &call->run.p->robot.outputs;
  if (row < o->named && row >= o->named - o->kept) return APART;
  return LEAST_RANGE + fmax(w->high[row] - w->low[row], 0);
}

// impulses in a step of the plant's constraint forces at one of its states, NAN without a plant
static void find_plant_impulses(cli_outputs *w, const cli_call *call, const dm_step *at) {
  const dm_system *s = &call->run.p->task.system;
  dm_status status = DM_NOT_FINITE;
  if (!w->y.impulses) return;
  if (!w->plant) (void)dm_continuous_new(&w->plant, s);
  if (w->plant) status = dm_constraint_forces(w->plant, at->q0, at->q1, at->u, w->lambda);
  for (int c = 0; c < w->y.impulses; c++)
    w->lambda[c] = status == DM_OK ? at->h * w->lambda[c] : NAN;
}

// the worst violation of limit i on an output of inputs: over the steps of its span, or on a plant
// at its states, with `parts` per step; averages are compared over whole steps there too
static fb_excess find_driven_excess(cli_outputs *w, const cli_call *call, int i, int parts,
                                    const double *y) {
  const oc_output_limit *l = &call->run.p->task.outputs.limits[i];
  const double size = find_output_size(w, call, l->output);
  const int n = call->run.x->n;
  fb_excess worst = fb_excess_none();
  int first, last;
  oc_span_steps(l->at, call->run.x->N, &first, &last);
  for (int k = first; k <= last; k++) {
    const double *states = y ? y + (size_t)(k * parts) * 2 * (size_t)n : NULL;
    dm_step step = find_driven_step(w, call->run.x, k);
    if (!y || l->low == l->high) {
      // the mean over the step, by its work
      if (y) step.q1 = states + (size_t)parts * 2 * (size_t)n;
      evaluate_driven(w, call, &step);
      compare_output(&worst, i, l, w->value[l->output], size, k, call->run.x);
      continue;
    }

    // the values at the plant's states in the step
    for (int j = 0; j <= parts; j++) {
      const dm_trajectory *x = call->run.x;
      step.q0 = states + (size_t)j * 2 * (size_t)n;
      step.q1 = step.q0 + n;
      step.time[0] = dm_trajectory_within(x, k, (double)j / parts);
      find_plant_impulses(w, call, &step);
      dm_driven_outputs_now(&w->y, call->run.p->task.system.nu, w->scratch, &step, w->value);
      compare_output(&worst, i, l, w->value[l->output], size, k + (double)j / parts, x);
    }
  }
  return worst;
}

// the worst violation of limit i on an output of contacts over the knots of its span; a plant's are unknown
static fb_excess find_contact_excess(cli_outputs *w, const cli_call *call, int i) {
  const oc_output_limit *l = &call->run.p->task.outputs.limits[i];
  const dm_trajectory *x = call->run.x;
  fb_excess worst = fb_excess_none();
  int first, last;
  oc_outputs_span(&call->run.p->task.outputs, l->output, l->at, x->N, &first, &last);
  for (int k = first; k <= last; k++) {
    const dm_contact_knot contact = dm_contact_knot_of(x->contact, x->nr, k, x->N, x->h);
    dm_contact_outputs_now(&w->y, &contact, w->value);
    compare_output(&worst, i, l, w->value[l->output], find_output_size(w, call, l->output), k, x);
  }
  return worst;
}

// the worst violation of limit i over the states of its span, with `parts` states per step, each
// `next` numbers apart
static fb_excess find_output_excess(cli_outputs *w, const cli_call *call, int i, int parts,
                                    const double *q, const double *v, int next) {
  const oc_output_limit *l = &call->run.p->task.outputs.limits[i];
  const double size = find_output_size(w, call, l->output);
  fb_excess worst = fb_excess_none();
  int first, last;
  oc_span_knots(l->at, call->run.x->N, &first, &last);
  for (int k = first * parts; k <= last * parts; k++) {
    const size_t at = (size_t)k * (size_t)next;
    evaluate_outputs(w, q + at, v + at);
    compare_output(&worst, i, l, w->value[l->output], size, (double)k / parts, call->run.x);
  }
  return worst;
}

static void put_output_excess(cli_json *o, const fb_excess *e) {
  cli_json_number(o, "excess", fmax(e->by, 0));
  cli_json_number(o, "t", e->t);
  cli_json_number(o, "value", e->value);
}

const char *cli_output_row_name(const cli_call *call, int row, char text[80]) {
  const pb_outputs *of = &call->run.p->robot.outputs;
  const char *group = "";
  if (row >= of->named) group = row < of->speeds ? "q." : "v.";
  snprintf(text, 80, "%s%.64s", group, oc_outputs_name(&call->run.p->task.outputs, row));
  return text;
}

// an entry of output_limits per limit, at the knots of call->run.x
static void put_limits(cli_outputs *w, cli_call *call) {
  const oc_outputs *o = &call->run.p->task.outputs;
  cli_json *list = json_object_new_array();
  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    const bool contact = dm_output_map_is_contact(&o->y, l->output);
    const bool driven = oc_outputs_driven(o, l->output) && !contact;
    const dm_trajectory *x = call->run.x;
    const fb_excess worst = contact  ? find_contact_excess(w, call, i)
                            : driven ? find_driven_excess(w, call, i, 1, NULL)
                                     : find_output_excess(w, call, i, 1, x->q, x->v, x->n);
    int first, last;
    oc_outputs_span(o, l->output, l->at, call->run.x->N, &first, &last);

    // the limit and its times, then its violation
    cli_json *each = json_object_new_object();
    char name[80];
    cli_json_text(each, "output", cli_output_row_name(call, l->output, name));
    cli_json_text(each, "unit", dm_outputs_unit(call->run.p->robot.outputs.rows, l->output));
    cli_json_number(each, "low", l->low);
    cli_json_number(each, "high", l->high);
    cli_json_number(each, "from", dm_trajectory_time(call->run.x, first));
    cli_json_number(each, "to",
                    dm_trajectory_time(call->run.x, last + oc_outputs_of_steps(o, l->output)));
    if (l->references) {
      cli_json_number(each, "reference_from", l->references[first]);
      cli_json_number(each, "reference_to", l->references[last]);
    }
    put_output_excess(cli_json_object(each, "knots"), &worst);
    json_object_array_add(list, each);
  }
  json_object_object_add(call->result, "output_limits", list);
}

// all knots of call->run.x
static void add_motion(cli_outputs *w, const cli_call *call) {
  const dm_trajectory *x = call->run.x;
  for (int k = 0; k <= x->N; k++) {
    const size_t at = (size_t)k * (size_t)x->n;
    const dm_step step = find_driven_step(w, x, k < x->N ? k : 0);
    const dm_contact_knot contact = dm_contact_knot_of(x->contact, x->nr, k, x->N, x->h);
    cli_outputs_add(w, call, k, dm_trajectory_time(x, k), x->q + at, x->v + at,
                    k < x->N ? &step : NULL, x->nr ? &contact : NULL, true);
  }
}

int cli_outputs_write(cli_call *call) {
  cli_outputs w;
  int status = cli_outputs_open(&w, call);
  if (status == CLI_DONE && w.value) {
    double *place = cli_path_places(call);
    w.place = place;
    add_motion(&w, call);
    free(place);
    w.place = NULL;
    cli_outputs_report(&w, call);
    if (call->run.p->task.outputs.nlimits && call->run.x->N == call->run.p->task.N)
      put_limits(&w, call);
    status = cli_path_report(call);
  }
  cli_outputs_free(&w);
  return status;
}

fb_excess cli_output_limits_follow(const cli_call *call, int parts, const double *y,
                                   cli_json *list) {
  fb_excess worst = fb_excess_none();
  cli_outputs w = {.f = NULL};
  if (!call->run.p->task.outputs.nlimits || call->run.x->N != call->run.p->task.N) return worst;

  // sizes from the ranges at the plan's knots; a plant's contacts are not the plan's
  if (begin_outputs(&w, call) == CLI_DONE) {
    add_motion(&w, call);
    for (int i = 0; i < call->run.p->task.outputs.nlimits; i++) {
      const int n = call->run.x->n;
      if (dm_output_map_is_contact(&w.y, call->run.p->task.outputs.limits[i].output)) continue;
      const bool driven =
          oc_outputs_driven(&call->run.p->task.outputs, call->run.p->task.outputs.limits[i].output);
      const fb_excess of = driven ? find_driven_excess(&w, call, i, parts, y)
                                  : find_output_excess(&w, call, i, parts, y, y + n, 2 * n);
      worst = fb_excess_worse(&worst, &of);
      if (!list) continue;
      put_output_excess(cli_json_object(json_object_array_get_idx(list, (size_t)i), "plant"), &of);
    }
  }
  cli_outputs_free(&w);
  return worst;
}

const char *cli_output_excess_describe(const cli_call *call, const fb_excess *e, char *text,
                                       size_t size) {
  const oc_outputs *o = &call->run.p->task.outputs;
  const oc_output_limit *l = &o->limits[e->index];
  const char *unit = dm_outputs_unit(call->run.p->robot.outputs.rows, l->output);
  const pb_outputs *of = &call->run.p->robot.outputs;
  const bool held = l->low == l->high;
  const char *kind = l->output < of->speeds ? "coordinate" : "speed of";
  if (l->output < of->named) kind = "output";
  if (unit[0] == '1') unit = "";
  snprintf(text, size, "the %s '%.64s' is %.3g%s%s %s of %.4g at %.4g s", kind,
           oc_outputs_name(o, l->output), e->by, unit[0] ? " " : "", unit,
           held ? "off its value" : "beyond its limit", e->limit, e->t);
  return text;
}
