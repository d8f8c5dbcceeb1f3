#include "optim/rows/rows.h"

#include "optim/rows/cone_rows.h"
#include "optim/rows/contact_rows.h"
#include "optim/rows/curve_rows.h"
#include "optim/rows/differences.h"
#include "optim/rows/holonomic_rows.h"
#include "optim/rows/knot_speeds.h"
#include "optim/rows/lag_rows.h"
#include "optim/rows/level_rows.h"
#include "optim/rows/output_rows.h"
#include "optim/rows/periodic_rows.h"

#include <stdio.h>

// -- row descriptions

static void say(oc_row *out, const char *text, const char *name, char what, int entry) {
  snprintf(out->text, sizeof out->text, "%s %s", text, name);
  out->what = what;
  out->entry = entry;
}

static bool is_kinematic(const oc_transcription *t, int i) {
  return t->kinematic && t->kinematic[i];
}

// the meaning of the row of motion of coordinate i at knot k
static const char *find_motion(const oc_transcription *t, int k, int i) {
  const oc_task *task = &t->task;
  if (is_kinematic(t, i)) return k < t->N ? "next value of" : "end velocity of";
  if (k == 0 && oc_given(task->start.v, i)) return "start velocity of";
  return k == t->N && oc_given(task->goal.v, i) ? "goal velocity of" : "motion of";
}

static void describe_motion(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)r;
  say(out, find_motion(t, out->knot, i), t->task.coord_name[i], is_kinematic(t, i) ? 'q' : 'p', i);
}

static void describe_constraint(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)r;
  say(out, "constraint", oc_task_name(&t->task, OC_LAMBDA, i), 0, i);
}

static void describe_constraint_rate(const oc_transcription *t, const oc_rows *r, int i,
                                     oc_row *out) {
  (void)r;
  say(out, "rate of constraint", oc_task_name(&t->task, OC_LAMBDA, i), 0, i);
}

// momenta, then Dh v
static void describe_velocity(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  if (i >= t->n)
    describe_constraint_rate(t, r, i - t->n, out);
  else
    say(out, "velocity of", t->task.coord_name[i], is_kinematic(t, i) ? 'v' : 'p', i);
}

static void describe_speed(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const int at = t->limited[i * t->nlim / r->at.size];
  say(out, "speed limit of", t->task.coord_name[at], 'q', at);
}

static void describe_step(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)t;
  (void)r;
  say(out, "length of", "the step", 0, i);
}

static void describe_rate(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const int at = t->rated[i * t->nrate / r->at.size];
  say(out, "rate limit of", t->task.input_name[at], 'u', at);
}

static void describe_path(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const oc_path_constraint *path = &t->task.functions.paths[i];
  (void)r;
  say(out, "path constraint", dm_function_name(&path->y, path->row), 0, i);
}

static void describe_output(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const int output = t->task.outputs.limits[r->limit].output;
  (void)i;
  say(out, "output", oc_outputs_name(&t->task.outputs, output), 'y', output);
}

static void describe_curve(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const int output = t->task.outputs.follow.output[i];
  (void)r;
  say(out, "path of", oc_outputs_name(&t->task.outputs, output), 'y', output);
}

static void describe_order(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)t;
  (void)r;
  say(out, "order of", "places on the path", 0, i);
}

static void describe_travel(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)r;
  say(out, "travel of", t->task.coord_name[i], 'q', i);
}

static void describe_end_velocity(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)r;
  say(out, "velocity at both ends of", t->task.coord_name[i], 'v', i);
}

static void describe_end_impulse(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)r;
  say(out, "impulse at both ends of", oc_task_name(&t->task, OC_LAMBDA, i), 0, i);
}

static void describe_contact(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const char *name, *text = oc_contact_rows_text(t, i, &name);
  (void)r;
  say(out, text, name, 0, i);
}

static void describe_cone(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  (void)r;
  say(out, "friction of", t->task.cones.name[i], 0, i);
}

static void describe_lag(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const int at = t->lagged[i * t->nlag / r->at.size];
  say(out, "command of", t->task.input_name[at], 'u', at);
}

static void describe_bend(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const bool jerk = r->kind == OC_JERK_ROWS;
  const int at = t->bent[jerk][i * t->nbent[jerk] / r->at.size];
  say(out, jerk ? "jerk limit of" : "acceleration limit of", t->task.coord_name[at], 'q', at);
}

static void describe_level(const oc_transcription *t, const oc_rows *r, int i, oc_row *out) {
  const int output = t->task.outputs.levels[i].output;
  say(out, r->kind == OC_PEAK_ROWS ? "largest value of" : "integral of",
      oc_outputs_name(&t->task.outputs, output), 0, output);
}

// -- the kinds

const oc_row_kind oc_row_kinds[OC_ROW_KINDS] = {
    [OC_MOTION_ROWS] = {.describe = describe_motion},
    [OC_CONSTRAINT_ROWS] = {.describe = describe_constraint,
                            .settle = oc_holonomic_rows_settle,
                            .evaluate = oc_holonomic_rows_values},
    [OC_CONSTRAINT_RATE_ROWS] = {.describe = describe_constraint_rate,
                                 .evaluate = oc_holonomic_rows_rate_values},
    [OC_SPEED_ROWS] = {.describe = describe_speed,
                       .bound = oc_differences_bound,
                       .evaluate = oc_differences_evaluate,
                       .put = oc_differences_put},
    [OC_RATE_ROWS] = {.describe = describe_rate,
                      .bound = oc_differences_bound,
                      .evaluate = oc_differences_evaluate,
                      .put = oc_differences_put},
    [OC_VELOCITY_ROWS] = {.describe = describe_velocity,
                          .bound = oc_knot_speeds_bound,
                          .evaluate = oc_knot_speeds_rows},
    [OC_PATH_ROWS] = {.describe = describe_path,
                      .bound = oc_output_rows_bound_paths,
                      .evaluate = oc_output_rows_evaluate,
                      .put = oc_output_rows_put,
                      .put_hessian = oc_output_rows_put_hessian},
    [OC_OUTPUT_ROWS] = {.describe = describe_output,
                        .bound = oc_output_rows_bound,
                        .settle = oc_output_rows_settle},
    [OC_CURVE_ROWS] = {.describe = describe_curve,
                       .bound = oc_curve_rows_bound,
                       .evaluate = oc_curve_rows_evaluate,
                       .put = oc_curve_rows_put,
                       .put_hessian = oc_curve_rows_put_hessian},
    [OC_ORDER_ROWS] = {.describe = describe_order,
                       .bound = oc_curve_rows_bound_order,
                       .evaluate = oc_differences_evaluate,
                       .put = oc_differences_put},
    [OC_TRAVEL_ROWS] = {.describe = describe_travel,
                        .bound = oc_periodic_rows_bound,
                        .settle = oc_periodic_rows_settle,
                        .evaluate = oc_differences_evaluate,
                        .put = oc_differences_put},
    [OC_END_VELOCITY_ROWS] = {.describe = describe_end_velocity,
                              .evaluate = oc_differences_evaluate,
                              .put = oc_differences_put},
    [OC_END_IMPULSE_ROWS] = {.describe = describe_end_impulse,
                             .evaluate = oc_differences_evaluate,
                             .put = oc_differences_put},
    [OC_CONTACT_ROWS] = {.describe = describe_contact,
                         .bound = oc_contact_rows_bound,
                         .evaluate = oc_contact_rows_evaluate,
                         .put = oc_contact_rows_put,
                         .put_hessian = oc_contact_rows_put_hessian},
    [OC_CONE_ROWS] = {.describe = describe_cone,
                      .bound = oc_cone_rows_bound,
                      .evaluate = oc_cone_rows_evaluate,
                      .put = oc_cone_rows_put},
    [OC_LAG_ROWS] = {.describe = describe_lag,
                     .bound = oc_lag_rows_bound,
                     .evaluate = oc_lag_rows_evaluate,
                     .put = oc_lag_rows_put,
                     .put_hessian = oc_lag_rows_put_hessian},
    [OC_ACCELERATION_ROWS] = {.describe = describe_bend,
                              .bound = oc_bend_rows_bound,
                              .evaluate = oc_bend_rows_evaluate,
                              .put = oc_bend_rows_put,
                              .put_hessian = oc_bend_rows_put_hessian},
    [OC_JERK_ROWS] = {.describe = describe_bend,
                      .bound = oc_bend_rows_bound,
                      .evaluate = oc_bend_rows_evaluate,
                      .put = oc_bend_rows_put,
                      .put_hessian = oc_bend_rows_put_hessian},
    [OC_LEVEL_ROWS] = {.describe = describe_level,
                       .bound = oc_level_rows_bound,
                       .evaluate = oc_level_rows_evaluate,
                       .put = oc_level_rows_put},
    [OC_PEAK_ROWS] = {.describe = describe_level,
                      .bound = oc_level_rows_bound,
                      .evaluate = oc_level_rows_evaluate,
                      .put = oc_level_rows_put},
    [OC_STEP_ROWS] = {.describe = describe_step,
                      .bound = oc_differences_bound_steps,
                      .evaluate = oc_differences_evaluate,
                      .put = oc_differences_put},
};

// -- the list

// The rows of each kind: the number of rows per place, the number of places, their first knot and times, and
// the power of the step with which their multipliers grow. Outputs have one entry per limit.
static void place_rows(const oc_transcription *t, oc_rows of[OC_ROW_KINDS]) {
  const int n = t->n, nc = t->nc, N = t->N, sides = oc_transcription_steps_vary(t) ? 2 : 1,
            changes = t->nchange;
  const int m = t->s < 0 ? 0 : t->task.outputs.follow.curve->m;
  const int periodic = t->task.periodic ? n : 0, impulses = oc_periodic_rows_impulses(&t->task);
  const double h = 1.0 / N, mid = 1 - h / 2;
  const struct {
    int size, count, knot;
    double first, last;
    int dual;
  } place[OC_ROW_KINDS] = {
      [OC_MOTION_ROWS] = {n, N + 1, 0, 0, 1, 0},
      [OC_CONSTRAINT_ROWS] = {nc, N + 1, 0, 0, 1, 1},
      [OC_CONSTRAINT_RATE_ROWS] = {nc, 2, 0, 0, 1, 0},
      [OC_SPEED_ROWS] = {t->nlim * sides, N, 0, h / 2, mid, 0},
      [OC_RATE_ROWS] = {t->nrate * sides, changes, 0, h, changes * h, 0},
      [OC_VELOCITY_ROWS] = {n + nc, t->moving, 1, h, 1 - h, 1},
      [OC_PATH_ROWS] = {t->task.functions.npaths, N, 0, 0, 1 - h, 1},
      [OC_CURVE_ROWS] = {m, N + 1, 0, 0, 1, 1},
      [OC_ORDER_ROWS] = {m > 0, N, 0, h / 2, mid, 0},
      [OC_TRAVEL_ROWS] = {periodic, 1, N, 1, 1, 0},
      [OC_END_VELOCITY_ROWS] = {periodic, 1, N, 1, 1, 0},
      [OC_END_IMPULSE_ROWS] = {impulses, 1, N, 1, 1, 0},
      [OC_CONTACT_ROWS] = {t->nz, N + 1, 0, 0, 1, 0},
      [OC_CONE_ROWS] = {t->task.cones.n, N, 0, 0, 1 - h, 0},
      [OC_LAG_ROWS] = {t->nlag * sides, N, 0, h / 2, mid, 1},
      [OC_ACCELERATION_ROWS] = {t->nbent[0] * sides, oc_bend_rows_places(t, OC_ACCELERATION_ROWS),
                                0, 0, 1, -1},
      [OC_JERK_ROWS] = {t->nbent[1] * sides, oc_bend_rows_places(t, OC_JERK_ROWS), 0, 0, 1, -2},
      [OC_LEVEL_ROWS] = {t->task.outputs.nlevels, N + 1, 0, 0, 1, 0},
      [OC_PEAK_ROWS] = {t->task.outputs.nlevels, N + 1, 0, 0, 1, 1},
      [OC_STEP_ROWS] = {t->times >= 0, N, 0, h / 2, mid, 0},
  };
  for (int i = 0; i < OC_ROW_KINDS; i++)
    of[i] = (oc_rows){.kind = i,
                      .knot = place[i].knot,
                      .at = {.stride = place[i].size,
                             .size = place[i].size,
                             .count = place[i].count,
                             .first = place[i].first,
                             .last = place[i].last,
                             .dual = place[i].dual}};
}

// the rows of limit i on an output: one at each knot of its span, or at each step if it is driven
static oc_rows place_output(const oc_transcription *t, int i) {
  const oc_outputs *o = &t->task.outputs;
  const double N = t->N;
  int first, last;
  oc_outputs_span(o, o->limits[i].output, o->limits[i].at, t->N, &first, &last);
  return (oc_rows){.kind = OC_OUTPUT_ROWS,
                   .limit = i,
                   .knot = first,
                   .at = {.stride = 1,
                          .size = 1,
                          .count = last - first + 1,
                          .first = first / N,
                          .last = last / N,
                          .dual = last > first}};
}

int oc_rows_list(const oc_transcription *t, oc_rows *out, int *n) {
  oc_rows of[OC_ROW_KINDS];
  int rows = 0;
  *n = 0;
  place_rows(t, of);
  for (int kind = 0; kind < OC_ROW_KINDS; kind++) {
    const bool outputs = kind == OC_OUTPUT_ROWS;
    const int entries = outputs ? t->task.outputs.nlimits : 1;
    for (int i = 0; i < entries; i++) {
      oc_rows r = outputs ? place_output(t, i) : of[kind];
      r.at.at = rows;
      if (out) out[*n] = r;
      rows += r.at.size * r.at.count;
      ++*n;
    }
  }
  return rows;
}

void oc_unknowns_list(const oc_transcription *t, oc_series out[OC_UNKNOWN_KINDS]) {
  const int n = t->n, nc = t->nc, N = t->N, stage = n + t->nu + nc, speed = n + nc;
  const double h = 1.0 / N;
  out[OC_POSITIONS] = (oc_series){0, stage, n, N + 1, 0, 1, 0, 1};
  out[OC_INPUTS] = (oc_series){n, stage, t->nu, N, h / 2, 1 - h / 2, 0, 1};
  out[OC_IMPULSES] = (oc_series){n + t->nu, stage, nc, N, 0, 1 - h, 1, 0};
  out[OC_LAST_IMPULSE] = (oc_series){oc_transcription_lambda(t, N), 1, nc, 1, 1, 1, 1, 0};
  out[OC_START_VELOCITY] = (oc_series){t->v[0], 1, n, 1, 0, 0, 0, 0};
  out[OC_GOAL_VELOCITY] = (oc_series){t->v[1], 1, n, 1, 1, 1, 0, 0};
  out[OC_VELOCITIES] =
      (oc_series){oc_transcription_velocity(t, 1), speed, speed, t->moving, h, 1 - h, 0, 1};
  out[OC_STEP] = (oc_series){t->h < 0 ? 0 : t->h, 1, 1, t->h >= 0, 0, 0, 1, -1};
  out[OC_TIMES] =
      (oc_series){t->times < 0 ? 0 : t->times, 1, 1, t->times < 0 ? 0 : N + 1, 0, 1, 0, 1};
  out[OC_CURVE_PLACES] = (oc_series){t->s < 0 ? 0 : t->s, 1, 1, t->s < 0 ? 0 : N + 1, 0, 1, 0, 1};
  out[OC_LEVEL_VALUES] = (oc_series){
      t->level, t->task.outputs.nlevels, t->task.outputs.nlevels, N + 2, 0, 1 + h, 0, 1};
  out[OC_CONTACTS] = (oc_series){t->z, t->nz, t->nz, t->nz ? N + 1 : 0, 0, 1, 1, 0};
}

oc_row oc_transcription_row(const oc_transcription *t, int row) {
  // the last entry that begins at or before the row and has rows
  int e = t->nrows - 1;
  while (row < t->rows[e].at.at || t->rows[e].at.size * t->rows[e].at.count == 0) e--;
  const oc_rows *r = &t->rows[e];
  const int i = row - r->at.at, place = i / r->at.stride;
  oc_row out = {.knot = r->knot + place};
  if (r->kind == OC_CONSTRAINT_RATE_ROWS && place == 1) out.knot = t->N;
  oc_row_kinds[r->kind].describe(t, r, i % r->at.stride, &out);
  return out;
}

void oc_row_name(void *self, int row, char *text, size_t size, int *knot) {
  const oc_row r = oc_transcription_row(self, row);
  snprintf(text, size, "%s", r.text);
  *knot = r.knot;
}
