#include "problems/run/controller.h"

#include "control/feedback/delay.h"
#include "control/feedback/resample.h"
#include "lib/base/block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fb_tvlqr *pb_controller_schedule(const pb_controller *c) {
  return c->sampled ? c->sampled : c->gains;
}

static bool has_balls(const pb_problem *p) {
  return p->robot.mechanism.tree->nball > 0;
}

// the mechanics on board, at the rate of the controller; without them an exact law has the system's
static dm_status make_mechanics(pb_controller *c, const pb_problem *p, dm_message *msg) {
  const pb_feedback *set = &p->feedback;
  fb_tvlqr *f = pb_controller_schedule(c);
  const bool steps = set->by_map || p->mpc.there || set->measure == FB_POSITIONS;
  dm_message why = {""};
  if (!set->by_map && !set->exact && !p->mpc.there) return DM_OK;
  const fb_mechanics_of simple = steps ? FB_OF_STEPS : FB_OF_VELOCITIES;
  const dm_status s = fb_mechanics_new(&c->mechanics, &p->robot.mechanism, &p->task.system, f->h,
                                       p->mpc.there ? FB_OF_HORIZON : simple, &why);
  // gains of a robot with ball joints have the system's mechanics
  if (s == DM_OK && (set->exact || p->mpc.there) && !has_balls(p))
    f->tree = fb_mechanics_tables(c->mechanics);
  if (s == DM_OK || (s == DM_UNAVAILABLE && !set->by_map && !p->mpc.there)) return DM_OK;
  return dm_fail(msg, s, "%s", why.text);
}

// The gains of a schedule with steps of unequal length belong to these lengths; at the rate of the controller they are
// those of its own steps, with the same weights.
static dm_status regain_samples(const fb_tvlqr *f, fb_tvlqr *to) {
  const size_t N = (size_t)to->N, nx = (size_t)to->nx, nu = (size_t)to->nu;
  const size_t gains = nu * nx, costs = (N + 1) * nx * nx;
  double *Q = calloc(2 * costs + gains, sizeof *Q), *P = Q + costs, *end = P + costs;
  dm_status s = Q ? fb_receding_sampled_gains(f, to, Q, to->K, P) : DM_NO_MEMORY;
  if (s == DM_OK) {
    // dx'P dx per mean step of the plan, as in the plan's own
    for (size_t i = 0; to->P && i < costs; i++) to->P[i] = to->h / f->h * P[i];
    memcpy(end, to->K + (N - 1) * gains, gains * sizeof *end);
    if (to->late) fb_delay_gains(to->N, to->nx, to->nu, to->A, to->B, end, to->K, to->W);
  }
  free(Q);
  return s;
}

dm_status pb_controller_sample(pb_controller *c, const pb_problem *p, dm_message *msg) {
  const pb_feedback *set = &p->feedback;
  fb_tvlqr *f = c->gains;
  f->turns = NULL;
  for (int i = 0; i < p->model->nq; i++)
    if (set->turns[i]) f->turns = set->turns;
  f->envelope = set->has_envelope ? &set->envelope : NULL;
  f->rate_limit = set->rate_limit;
  f->drives = dm_drive_limits_lines(&p->robot.drives) ? &p->robot.drives : NULL;
  f->path = set->near;
  f->continuous = set->continuous;
  if (f->grid && !isfinite(set->rate))
    return dm_fail(
        msg, DM_BAD_INPUT,
        "found no feedback.rate beside steps of unequal length, expected one: a controller "
        "runs at equal times");
  if (isfinite(set->rate))
    DM_TRY(
        fb_resample_new(&c->sampled, f, &p->task.system, set->rate, set->between, set->delay, msg));
  if (c->sampled && f->grid && f->weighed) {
    const dm_status s = regain_samples(f, c->sampled);
    if (s != DM_OK)
      return dm_fail(msg, s, "no gains at %g Hz: %s; try other weights (feedback.Q, feedback.R)",
                     set->rate, dm_status_text(s));
  }
  return make_mechanics(c, p, msg);
}

dm_status pb_controller_check_rates(const pb_controller *c, const pb_problem *p, dm_message *msg) {
  const pb_feedback *set = &p->feedback;
  const fb_tvlqr *f = pb_controller_schedule(c);
  int i;
  if (!set->rate_limit) return DM_OK;
  const int k = fb_rate_limit_broken(f->N, f->nu, f->h, f->u, set->rate_limit, &i);
  if (k < 0) return DM_OK;
  const double *u = f->u + (size_t)k * (size_t)f->nu + i;

  // the plan's step changes at once, within one sample of a controller that is faster than the grid
  const double planned = set->rate_limit[i] * fmin(1, f->h / c->gains->h);
  return dm_fail(
      msg, DM_BAD_INPUT,
      "%s:%d:%d: feedback.rate_limit: found %g of '%.64s', but the plan changes it by %.6g "
      "per s at knot %d, expected at least that; plan with bounds.rate: %g, or a wider "
      "rate_limit",
      p->file.path, set->rate_limit_at[0], set->rate_limit_at[1], set->rate_limit[i],
      p->names.input[i], fabs(u[f->nu] - u[0]) / f->h, k, planned);
}

// whether the schedule ends at rest: that of a balance, or one that is kept
static bool is_kept(const pb_controller *c, const pb_problem *p) {
  return c->rests || p->rest;
}

// whether the plan repeats, with the gains of a periodic cost-to-go
static bool repeats(const pb_problem *p) {
  return p->task.periodic && !p->feedback.Qf && !p->rest;
}

// refuse settings that continue after the motion if the motion does not end at rest
static dm_status check_rest(const pb_controller *c, const pb_problem *p, dm_message *msg) {
  const pb_mpc *set = &p->mpc;
  const fb_tvlqr *f = pb_controller_schedule(c);
  const bool steady = set->end == PB_END_STEADY && p->feedback.Qf;
  char what[96] = "";
  if (set->reference != PB_OF_PLAN)
    snprintf(what, sizeof what, "mpc.reference: found another one than the plan");
  else if (steady)
    snprintf(what, sizeof what, "mpc.end: found steady");
  else if (set->stages > f->N && !repeats(p))
    snprintf(what, sizeof what, "mpc.horizon: found %d, more than the %d steps", set->stages, f->N);
  if (repeats(p) && fabs(f->N * f->h - c->gains->N * c->gains->h) > 1e-9 * f->h)
    return dm_fail(msg, DM_BAD_INPUT,
                   "feedback.rate: found %g Hz beside mpc of a motion that repeats after %g s, "
                   "expected a whole "
                   "number of steps of 1/rate",
                   1 / f->h, c->gains->N * c->gains->h);
  if (is_kept(c, p) || !what[0]) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT,
                 "%s of a motion that does not end at a rest that is kept, expected a goal at an "
                 "equilibrium, or %s",
                 what, set->stages > f->N ? "a shorter horizon" : "reference: plan, end: tvlqr");
}

// the states and inputs of a table; states at rest follow until the end of the schedule
static dm_status make_reference(pb_controller *c, const pb_problem *p, fb_receding *o,
                                dm_message *msg) {
  const fb_tvlqr *f;
  DM_TRY(pb_controller_prompt(c, p, &f, msg));
  const size_t knots = (size_t)p->mpc.knots, nx = (size_t)f->nx, nu = (size_t)f->nu;
  const size_t rows = 1 + (p->mpc.knots > f->N ? knots : (size_t)f->N);
  c->reference_rows = (int)rows;
  if (!c->reference) c->reference = calloc(rows * nx + (knots + 1) * nu, sizeof *c->reference);
  if (!c->reference) return DM_NO_MEMORY;
  double *x = c->reference, *u = x + rows * nx;
  DM_TRY(fb_receding_reference(f->tree, f->R, p->mpc.knots, p->mpc.q, x, u));

  // at rest after the last knot
  for (size_t k = knots + 1; k < rows; k++) memcpy(x + k * nx, x + knots * nx, nx * sizeof *x);
  memcpy(u + knots * nu, u + (knots - 1) * nu, nu * sizeof *u);
  o->y = c->reference;
  o->u = u;
  o->knots = p->mpc.knots + 1;
  return DM_OK;
}

// the outputs that it tracks: of tables, else of the states that it follows
static dm_status make_track(pb_controller *c, const pb_problem *p, fb_receding *o,
                            dm_message *msg) {
  const fb_tvlqr *f;
  const pb_track *t = &p->mpc.track;
  if (!t->rows) return DM_OK;
  DM_TRY(pb_controller_prompt(c, p, &f, msg));
  if (repeats(p) && t->tables)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "mpc.outputs: found a table for a motion that repeats, expected reference: plan or caller");
  const fb_track_settings set = {.rows = t->rows,
                                 .row = t->row,
                                 .weight = t->weight,
                                 .knots = t->knots,
                                 .y = t->y,
                                 .states = o->y ? o->knots : f->N + 1,
                                 .x = o->y ? o->y : f->x,
                                 .asks = t->asks};
  if (!c->track)
    DM_TRY(fb_track_new(&c->track, p->robot.outputs.rows, p->model, f->tree, &set, msg));
  o->track = fb_track_tables(c->track);
  return DM_OK;
}

static dm_status make_ball_tables(pb_controller *c, const pb_problem *p, fb_receding *o,
                                  dm_message *msg) {
  const fb_tvlqr *f;
  DM_TRY(pb_controller_prompt(c, p, &f, msg));
  if (!c->balls) DM_TRY(fb_ball_tables_new(&c->balls, f, o, msg));
  o->balls = c->balls;
  return DM_OK;
}

// feedback.Qf, which weighs as many steps of the controller as there are in a step of the gains
static dm_status make_end_cost(pb_controller *c, const pb_problem *p, fb_receding *o) {
  const fb_tvlqr *f = pb_controller_schedule(c);
  const size_t square = (size_t)f->nx * (size_t)f->nx;
  if (!c->end) c->end = calloc(square, sizeof *c->end);
  if (!c->end) return DM_NO_MEMORY;
  for (size_t i = 0; i < square; i++) c->end[i] = c->gains->h / f->h * p->mpc.Qf[i];
  o->P_end = c->end;
  return DM_OK;
}

dm_status pb_controller_horizon(pb_controller *c, const pb_problem *p, fb_receding *out,
                                dm_message *msg) {
  const pb_mpc *set = &p->mpc;
  const fb_tvlqr *f = pb_controller_schedule(c);
  const size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu;
  DM_TRY(check_rest(c, p, msg));
  if (repeats(p) && !c->travel) {
    c->travel = calloc(nx, sizeof *c->travel);
    if (!c->travel) return DM_NO_MEMORY;
    for (size_t i = 0; i < nx / 2; i++) c->travel[i] = f->x[N * nx + i] - f->x[i];
  }
  *out = (fb_receding){.stages = set->stages,
                       .sweeps = set->sweeps,
                       .u_min = p->feedback.u_min,
                       .u_max = p->feedback.u_max,
                       .q_min = set->q_min,
                       .q_max = set->q_max,
                       .soft = set->soft,
                       .v_max = set->v_max,
                       .soft_v = set->soft_v,
                       .rests = is_kept(c, p),
                       .asks = set->reference == PB_OF_CALLER,
                       .late = f->late > 0,
                       .period = repeats(p) ? f->N : 0,
                       .travel = c->travel,
                       .single = set->single};
  const fb_tvlqr *prompt;
  DM_TRY(pb_controller_prompt(c, p, &prompt, msg));
  if (set->end == PB_END_STEADY) out->P_end = prompt->P + N * nx * nx;
  if (set->end == PB_END_TERMINAL) DM_TRY(make_end_cost(c, p, out));
  if (set->reference == PB_OF_TABLE)
    DM_TRY(make_reference(c, p, out, msg));
  else if (set->reference != PB_OF_PLAN) {
    // the rest at the end, also until the caller sets another reference
    out->y = f->x + N * nx;
    out->u = f->u + (N - 1) * nu;
    out->knots = 1;
  }
  DM_TRY(make_track(c, p, out, msg));
  return has_balls(p) ? make_ball_tables(c, p, out, msg) : DM_OK;
}

// the number of a table that is farthest beyond its limits
typedef struct excess {
  double size; // over the range of the limits
  size_t knot, column;
  double x, low, high;
} excess;

// rows of `of` numbers, `cols` apart, with limits low and high [of] (NULL: none)
static excess find_excess(size_t rows, size_t cols, size_t of, const double *x, const double *low,
                          const double *high) {
  excess most = {.size = 1e-9};
  for (size_t i = 0; low && high && i < rows * of; i++) {
    const size_t k = i / of, j = i % of;
    const double at = x[k * cols + j], range = high[j] - low[j];
    const double size = fmax(at - high[j], low[j] - at) / (isfinite(range) ? range : fabs(at));
    if (size > most.size) most = (excess){size, k, j, at, low[j], high[j]};
  }
  return most;
}

bool pb_controller_unreached(const pb_controller *c, const pb_problem *p, dm_message *msg) {
  const fb_tvlqr *f = pb_controller_schedule(c);
  const size_t knots = (size_t)p->mpc.knots, nx = (size_t)f->nx, nu = (size_t)f->nu;
  if (!c->reference) return false;
  const double *x = c->reference, *u = x + (size_t)c->reference_rows * nx;
  const excess of_u = find_excess(knots, nu, nu, u, p->feedback.u_min, p->feedback.u_max);
  const excess of_q = find_excess(knots + 1, nx, nx / 2, x, p->mpc.q_min, p->mpc.q_max);
  const bool input = of_u.size >= of_q.size;
  const excess *most = input ? &of_u : &of_q;
  if (!(most->size > 1e-9)) return false;
  dm_fail(
      msg, DM_OK,
      "mpc.reference: '%.64s' needs %.4g at %.4g s, beyond its limits [%g, %g]: the robot comes as "
      "near as the costs allow",
      input ? p->names.input[most->column] : p->names.coord[most->column], most->x,
      (double)most->knot * f->h, most->low, most->high);
  return true;
}

static void lay_out_repeated(void *self, dm_block *b) {
  fb_tvlqr *f = self;
  const size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu;
  f->x = dm_block_alloc(b, (N + 1) * nx, sizeof *f->x);
  f->u = dm_block_alloc(b, N * nu, sizeof *f->u);
  f->K = dm_block_alloc(b, N * nu * nx, sizeof *f->K);
  f->A = dm_block_alloc(b, N * nx * nx, sizeof *f->A);
  f->B = dm_block_alloc(b, N * nx * nu, sizeof *f->B);
  f->P = dm_block_alloc(b, (N + 1) * nx * nx, sizeof *f->P);
  f->Q = dm_block_alloc(b, (size_t)f->weighed * nx * nx, sizeof *f->Q);
}

// rows of a table of N rows, again and again
static void repeat_rows(int N, int rows, size_t row, const double *from, double *to) {
  for (int k = 0; k < rows; k++) memcpy(to + k * row, from + k % N * row, row * sizeof *to);
}

// f, and `more` steps of the next periods; none: its motion does not repeat
static dm_status repeat_schedule(const fb_tvlqr *f, int more, fb_tvlqr **out) {
  const size_t nx = (size_t)f->nx, nu = (size_t)f->nu;
  const int N = f->N, n = f->nx / 2, knots = more ? N : N + 1; // that differ
  fb_tvlqr sizes = *f;
  sizes.N = N + more;
  sizes.weighed = f->weighed > 1 ? sizes.N + 1 : f->weighed;
  fb_tvlqr *to = dm_block_make(&sizes, sizeof sizes, lay_out_repeated);
  *out = to;
  if (!to) return DM_NO_MEMORY;
  repeat_rows(knots, to->N + 1, nx, f->x, to->x);
  repeat_rows(N, to->N, nu, f->u, to->u);
  repeat_rows(N, to->N, nu * nx, f->K, to->K);
  repeat_rows(N, to->N, nx * nx, f->A, to->A);
  repeat_rows(N, to->N, nx * nu, f->B, to->B);
  repeat_rows(knots, to->N + 1, nx * nx, f->P, to->P);
  repeat_rows(f->weighed > 1 ? knots : 1, to->weighed, nx * nx, f->Q, to->Q);
  for (int k = 0; more && k <= to->N; k++)
    for (int i = 0; i < n; i++)
      to->x[(size_t)k * nx + (size_t)i] += k / N * (f->x[(size_t)N * nx + (size_t)i] - f->x[i]);
  return DM_OK;
}

// The gains of the schedule `to` for inputs without a delay, and, at another rate than the knots', its costs: in
// *numbers, which the caller frees
static dm_status find_prompt_gains(const pb_controller *c, fb_tvlqr *to, double **numbers) {
  const fb_tvlqr *of = c->gains;
  const size_t N = (size_t)to->N, nx = (size_t)to->nx, gains = N * (size_t)to->nu * nx;
  const size_t costs = (N + 1) * nx * nx;
  double *K = calloc(gains + 2 * costs, sizeof *K), *P = K + gains, *Q = P + costs;
  *numbers = K;
  if (!K) return DM_NO_MEMORY;
  if (!c->sampled) {
    DM_TRY(fb_receding_prompt_gains(to, K));
  } else {
    DM_TRY(fb_receding_sampled_gains(of, to, Q, K, P));
    to->R = of->R;
    to->Q = of->weighed > 1 ? Q : of->Q;
    to->P = P;
    to->weighed = of->weighed > 1 ? to->N + 1 : 1;
  }
  to->K = K;
  return DM_OK;
}

dm_status pb_controller_prompt(pb_controller *c, const pb_problem *p, const fb_tvlqr **out,
                               dm_message *msg) {
  fb_tvlqr *f = pb_controller_schedule(c);
  const bool other = f->late || repeats(p) || c->sampled;
  *out = f;
  if (!other && !has_balls(p)) return DM_OK;
  if (!c->prompt) {
    fb_tvlqr plain = *f;
    double *numbers = NULL;
    plain.late = 0;
    plain.W = NULL;
    if (has_balls(p)) plain.tree = fb_mechanics_tables(c->mechanics);
    dm_status s = other ? find_prompt_gains(c, &plain, &numbers) : DM_OK;
    if (s == DM_OK) s = repeat_schedule(&plain, repeats(p) ? p->mpc.stages + 1 : 0, &c->prompt);
    free(numbers);
    if (s != DM_OK) return dm_fail(msg, s, "no gains for a horizon: %s", dm_status_text(s));
  }
  *out = c->prompt;
  return DM_OK;
}

dm_status pb_controller_recede(fb_output_feedback **law, pb_controller *c, const pb_problem *p,
                               dm_message *msg) {
  const fb_tvlqr *f;
  fb_receding o;
  *law = NULL;
  DM_TRY(pb_controller_horizon(c, p, &o, msg));
  DM_TRY(pb_controller_prompt(c, p, &f, msg));
  DM_TRY(fb_output_feedback_new(law, f, &p->task.system, p->mpc.measure, true, msg));
  const dm_status s = fb_receding_start(*law, &o, msg);
  if (s == DM_OK) return DM_OK;
  fb_output_feedback_free(*law);
  *law = NULL;
  return s;
}

dm_status pb_controller_measure(pb_controller *c, const pb_problem *p, dm_message *msg) {
  return fb_output_feedback_new(&c->law, pb_controller_schedule(c), &p->task.system,
                                p->feedback.measure, p->feedback.exact, msg);
}

dm_status pb_controller_estimate(pb_controller *c, const pb_problem *p, dm_message *msg) {
  const dm_system *system = &p->task.system;
  fb_tvlqr *along = pb_controller_schedule(c);
  int failed;
  dm_status s = fb_estimator_new(&c->estimator, along, system, &p->feedback.sensors, &failed, msg);
  if (s != DM_OK) return s;

  // predict with the model's step, if requested
  if (p->feedback.by_map) c->estimator->predictor = fb_mechanics_predictor(c->mechanics);
  c->estimator->drawn = p->verify.robust.set.fit != NULL;
  c->sensor = fb_estimator_sensor(c->estimator);
  along->sensor = &c->sensor;
  if (c->law) c->law->f.sensor = &c->sensor;
  return DM_OK;
}

void pb_controller_free(pb_controller *c) {
  fb_output_feedback_free(c->law);
  fb_tvlqr_free(c->sampled);
  free(c->reference);
  free(c->travel);
  free(c->end);
  fb_ball_tables_free(c->balls);
  fb_track_free(c->track);
  dm_block_free(c->prompt);
  fb_estimator_free(c->estimator);
  fb_mechanics_free(c->mechanics);
  fb_tvlqr_free(c->gains);
  *c = (pb_controller){0};
}
