#include "control/feedback/tvlqr.h"

#include "control/feedback/across.h"
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/dare.h"
#include "control/feedback/kept_states.h"
#include "control/feedback/state_size.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/discrete/contact_linearize.h"
#include "lib/mechanics/continuous.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the states beside the robot's
static fb_kept_states find_kept(const fb_tvlqr *f) {
  return (fb_kept_states){f->nx,       f->nu,      f->ni,    f->nl, f->h,
                          f->integral, f->lagging, f->share, f->lag};
}

static void lay_out_schedule(void *self, dm_block *b) {
  fb_tvlqr *f = self;
  size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu, size = sizeof(double);

  // the motion, its gains and their origin; W only for late inputs
  f->x = dm_block_alloc(b, (N + 1) * nx, size);
  f->u = dm_block_alloc(b, N * nu, size);
  f->K = dm_block_alloc(b, N * nu * nx, size);
  f->A = dm_block_alloc(b, N * nx * nx, size);
  f->B = dm_block_alloc(b, N * nx * nu, size);
  f->P = dm_block_alloc(b, (N + 1) * nx * nx, size);
  f->Q = dm_block_alloc(b, (size_t)f->weighed * nx * nx, size);
  f->R = dm_block_alloc(b, f->weighed ? nu : 0, size);
  f->motor = dm_block_alloc(b, nu, size);
  f->integral = dm_block_alloc(b, (size_t)f->ni, sizeof *f->integral);
  f->lagging = dm_block_alloc(b, (size_t)f->nl, sizeof *f->lagging);
  f->share = dm_block_alloc(b, (size_t)f->nl, size);
  const size_t kept = (size_t)(f->ni + f->nl);
  f->Ki = kept ? dm_block_alloc(b, N * nu * kept, size) : NULL;
  f->W = f->late ? dm_block_alloc(b, N * nu * nu, size) : NULL;
  f->grid = dm_block_alloc(b, N + 1, size);
  f->slope = dm_block_alloc(b, (size_t)f->sections * nx, size);
  f->section = dm_block_alloc(b, (size_t)f->sections * nx, size);
  f->slope_u = dm_block_alloc(b, f->sections ? N * nu : 0, size);
}

// temporary data while a schedule is made
typedef struct maker {
  int nx, nu, nc;
  int N, na;    // steps; states with the kept ones
  bool across;  // gains are across an orbit
  int laws, nr; // contacts and their rows
  dm_contact_linearize *linearize;
  unsigned char *entry; // [(N+1) x laws] entries of contacts
  double *push, *Dh;    // [nr] impulses; [(nc + laws) x n] rows that deviations satisfy
  fb_constraint_tangent *tangent;
  fb_riccati *riccati;
  int knots;                // number of different Qs: N + 1, or 1 for all knots
  double *Q, *R, *Qf;       // [knots x na x na], [nu x nu], [na x na]
  dm_continuous *mechanics; // for weights that need velocities, else NULL
  double *v, *v_q, *v_p;    // [n], [n x n], [n x n] at a knot
  void *scratch;            // for knot weights
  size_t lent;              // size of it in bytes
  double *A, *B, *K;        // at the goal: [na x na], [na x nu], [nu x na]
  double *split;            // [nu x na] that K, of (q,p), then of kept states
  double *A_x, *B_x;        // for the state alone: [nx x nx], [nx x nu]
  double *size;             // [na] of states
  double time;              // of the motion that moves, s
  // For all stages with kept states, or across an orbit: [N x na x na], [N x na x nu], [N x nu x na], [(N+1) x na x na];
  // without them, the schedule's own.
  double *A_all, *B_all, *K_all, *P_all;
  double *r, *lambda; // at the goal: [n] momentum that a step adds, [nc] its part due to
                      // constraints
} maker;

static void lay_out_maker(void *self, dm_block *b) {
  maker *w = self;
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, nc = (size_t)w->nc, na = (size_t)w->na;
  double **square[] = {&w->Qf, &w->A};
  double **slim[] = {&w->B, &w->K, &w->split};
  w->Q = dm_block_alloc(b, (size_t)w->knots * na * na, sizeof(double));
  w->scratch = dm_block_alloc(b, 1, w->lent);
  w->v = dm_block_alloc(b, nx / 2, sizeof(double));
  w->v_q = dm_block_alloc(b, nx * nx / 4, sizeof(double));
  w->v_p = dm_block_alloc(b, nx * nx / 4, sizeof(double));
  for (int i = 0; i < 2; i++) *square[i] = dm_block_alloc(b, na * na, sizeof(double));
  for (int i = 0; i < 3; i++) *slim[i] = dm_block_alloc(b, na * nu, sizeof(double));
  w->size = dm_block_alloc(b, na, sizeof(double));
  w->A_x = dm_block_alloc(b, nx * nx, sizeof(double));
  w->B_x = dm_block_alloc(b, nx * nu, sizeof(double));

  // stages with kept states, or across an orbit
  size_t N = na > nx || w->across ? (size_t)w->N : 0;
  w->A_all = dm_block_alloc(b, N * na * na, sizeof(double));
  w->B_all = dm_block_alloc(b, N * na * nu, sizeof(double));
  w->K_all = dm_block_alloc(b, N * nu * na, sizeof(double));
  w->P_all = dm_block_alloc(b, (N + (N > 0)) * na * na, sizeof(double));
  w->R = dm_block_alloc(b, nu * nu, sizeof(double));
  w->r = dm_block_alloc(b, nx, sizeof(double));
  w->lambda = dm_block_alloc(b, nc, sizeof(double));

  const size_t laws = (size_t)w->laws;
  w->entry = dm_block_alloc(b, ((size_t)w->N + 1) * laws, 1);
  w->push = dm_block_alloc(b, (size_t)w->nr, sizeof(double));
  w->Dh = dm_block_alloc(b, (nc + laws) * nx / 2, sizeof(double));
}

static void free_maker(maker *w) {
  if (!w) return;
  dm_continuous_free(w->mechanics);
  dm_contact_linearize_free(w->linearize);
  fb_riccati_free(w->riccati);
  fb_constraint_tangent_free(w->tangent);
  dm_block_free(w);
}

static bool asks_for_velocities(const fb_weights *weights) {
  return weights &&
         ((weights->Q_at && weights->Q_at->rated) || (weights->Qf_at && weights->Qf_at->rated));
}

// sizes of states (q,p) at the motion's end, independent of its rest time; of integrals of errors
static dm_status set_sizes(maker *w, const dm_trajectory *x, const dm_system *s,
                           const fb_weights *weights) {
  const int moving = weights && weights->rest < x->N ? x->N - weights->rest : x->N;
  w->time = dm_trajectory_time(x, moving);
  DM_TRY(fb_state_size(w->size, s, x->q + x->N * x->n, w->time));
  fb_constraint_tangent_size(w->tangent, w->size);
  return DM_OK;
}

// whether law l is the friction of a joint that an input drives and compensates
static bool is_compensated(const dm_system *s, int l, const fb_friction *friction, int nu) {
  const dm_contact_law *law = &s->contacts->law[l];
  const unsigned char *moves = s->contacts->rows.mask + law->tangent[0] * s->L.nq;
  for (int j = 0; law->gap < 0 && j < nu; j++)
    if (friction->force[j] > 0 && moves[friction->along[j]]) return true;
  return false;
}

static dm_status make_maker(maker **out, const fb_tvlqr *f, const dm_trajectory *x,
                            const dm_system *s, const fb_weights *weights) {
  const int nx = f->nx, nu = f->nu, na = nx + f->ni + f->nl; // states (q,p), and with the kept ones
  maker sizes = {.nx = nx, .nu = nu, .nc = s->hol.nc, .N = f->N, .na = na};
  sizes.across = f->sections > 0;
  sizes.knots = sizes.across || (weights && weights->Q_at) ? f->N + 1 : 1;
  if (s->contacts) {
    sizes.laws = s->contacts->n;
    sizes.nr = s->contacts->rows.nc;
  }

  const size_t running = weights && weights->Q_at ? weights->Q_at->scratch : 0;
  const size_t final = weights && weights->Qf_at ? weights->Qf_at->scratch : 0;
  sizes.lent = running > final ? running : final;

  maker *w = *out = dm_block_make(&sizes, sizeof sizes, lay_out_maker);
  if (!w) return DM_NO_MEMORY;

  // the weights' diagonals as matrices
  for (int i = 0; weights && i < nx; i++) w->Q[i * na + i] = weights->Q[i];
  for (int i = 0; weights && i < nu; i++) w->R[i * nu + i] = weights->R[i];
  for (int i = 0; weights && weights->Qf && i < nx; i++) w->Qf[i * na + i] = weights->Qf[i];
  for (int i = 0; i < f->ni; i++) {
    double weight = weights->integral[f->integral[i]];
    w->Q[(nx + i) * na + nx + i] = weight;
    if (weights->Qf) w->Qf[(nx + i) * na + nx + i] = weight;
  }
  if (na == nx && !sizes.across) {
    w->A_all = f->A;
    w->B_all = f->B;
    w->K_all = f->K;
    w->P_all = f->P;
  }

  if (asks_for_velocities(weights)) DM_TRY(dm_continuous_new(&w->mechanics, s));
  dm_contact_verdict verdict;
  if (s->contacts) DM_TRY(dm_contact_check(x, s, w->entry, &verdict));
  for (int l = 0; weights && weights->friction && l < w->laws; l++)
    for (int k = 0; is_compensated(s, l, weights->friction, nu) && k <= f->N; k++)
      w->entry[k * w->laws + l] = DM_LAW_SLIDES;
  DM_TRY(dm_contact_linearize_new(&w->linearize, s));
  DM_TRY(fb_constraint_tangent_new(&w->tangent, s->L.nq, s->hol.nc + w->laws, s->hol.nv,
                                   s->kinematic));
  DM_TRY(set_sizes(w, x, s, weights));
  return fb_riccati_new(&w->riccati, na, nu);
}

// Q at knot k, or for all
static double *find_weight(const maker *w, int k) {
  return w->knots > 1 ? dm_row(w->Q, k, w->na * w->na) : w->Q;
}

// the velocity at a knot, and its derivatives by the state
static dm_status find_knot_velocity(const maker *w, const double *x, fb_knot *at) {
  memset(w->v, 0, (size_t)at->n * sizeof *w->v);
  DM_TRY(dm_velocity_of(w->mechanics, x, x + at->n, w->v));
  DM_TRY(dm_velocity_restrict(w->mechanics, x, w->v));
  at->v = w->v;
  at->v_q = w->v_q;
  at->v_p = w->v_p;
  return dm_velocity_slope(w->mechanics, x, w->v, w->v_q, w->v_p);
}

// add knot k's part to a matrix of weights [na x na]
static dm_status add_at_knot(const fb_tvlqr *f, const maker *w, const fb_knot_weight *weight, int k,
                             double *Q, dm_message *msg) {
  dm_message why = {""};
  const double *x = dm_row(f->x, k, f->nx);
  fb_knot at = {.n = f->nx / 2, .q = x, .p = x + f->nx / 2};
  dm_status s = weight->rated ? find_knot_velocity(w, x, &at) : DM_OK;
  if (s != DM_OK) dm_fail(&why, s, "it has no velocity: %s", dm_status_text(s));
  if (s == DM_OK) s = weight->add(weight->self, w->scratch, &at, Q, w->na, &why);
  return s == DM_OK ? s : dm_fail(msg, s, "no gains at knot %d: %.400s", k, why.text);
}

// knot k's own Q, if it has one
static dm_status form_weight(const fb_tvlqr *f, const fb_weights *weights, const maker *w, int k,
                             int *failed, dm_message *msg) {
  if (!weights->Q_at) return DM_OK;
  *failed = k;
  return add_at_knot(f, w, weights->Q_at, k, find_weight(w, k), msg);
}

// Q_k of the knots that move; at the last one Qf, or Q at rest
static dm_status form_weights(const fb_tvlqr *f, const fb_weights *weights, const maker *w,
                              int *failed, dm_message *msg) {
  const size_t size = (size_t)w->na * (size_t)w->na * sizeof *w->Q;
  for (int k = 1; k < w->knots; k++) memcpy(find_weight(w, k), w->Q, size);
  for (int k = 0; k < f->N - weights->rest; k++) DM_TRY(form_weight(f, weights, w, k, failed, msg));
  if (!weights->Qf || weights->rest) {
    DM_TRY(form_weight(f, weights, w, f->N, failed, msg));
  } else if (weights->Qf_at) {
    *failed = f->N;
    DM_TRY(add_at_knot(f, w, weights->Qf_at, f->N, w->Qf, msg));
  }
  *failed = -1;
  return DM_OK;
}

// A step of the motion, or at rest at its end: its arguments, the impulses and states of its contacts, and their
// states in the step before it.
typedef struct fb_step {
  const double *q0, *q1, *u, *lambda, *impulse;
  const unsigned char *entry, *before;
} fb_step;

static fb_step get_step(const maker *w, const dm_trajectory *x, int k) {
  const double *q = dm_row(x->q, k, x->n);
  const unsigned char *entry = w->entry + (size_t)k * (size_t)w->laws;
  return (fb_step){.q0 = q,
                   .q1 = q + x->n,
                   .u = dm_row(x->u, k, x->nu),
                   .lambda = dm_row(x->lambda, k, x->nc),
                   .impulse = dm_row(x->contact, k, w->nr),
                   .entry = entry,
                   .before = k > 0 ? entry - w->laws : entry};
}

// the rows that deviations at the start of the step satisfy: constraints, and gaps that were and stay closed
static dm_status set_tangent(maker *w, const unsigned char *before) {
  const dm_contact_linearize *lin = w->linearize;
  const size_t n = (size_t)lin->n, nc = (size_t)w->nc;
  int held = 0;
  memcpy(w->Dh, lin->step->k->Dh0, nc * n * sizeof *w->Dh);
  for (int g = 0; g < lin->gaps; g++)
    if (before[lin->law[g]] != DM_LAW_OPEN)
      memcpy(dm_row(w->Dh, w->nc + held++, n), dm_row(lin->gap, g, n), n * sizeof *w->Dh);
  w->tangent->nc = w->nc + held;
  return fb_constraint_tangent_set(w->tangent, w->Dh);
}

// A Pi and B of a step, for deviations that satisfy the constraints
static dm_status linearize_restricted(maker *w, const fb_step *at, double h, double *A, double *B) {
  // A dx + B du of the whole step, then A Pi
  DM_TRY(dm_contact_linearize_step(w->linearize, at->q0, at->q1, at->u, at->lambda, h, at->impulse,
                                   at->entry, A, B));
  DM_TRY(set_tangent(w, at->before));
  fb_constraint_tangent_restrict(w->tangent, 2 * w->tangent->n, A);
  return DM_OK;
}

// K and Ki, P of dx, from those of all states
static void split_gains(fb_tvlqr *f, const maker *w) {
  const fb_kept_states kept = find_kept(f);
  const size_t nx = (size_t)f->nx, na = (size_t)w->na;
  fb_kept_states_split(&kept, (size_t)f->N * (size_t)f->nu, w->K_all, f->K, f->Ki);
  for (size_t k = 0; k <= (size_t)f->N; k++)
    fb_kept_states_split(&kept, nx, w->P_all + k * na * na, f->P + k * nx * nx, NULL);
}

// the message for a goal without steady gains
static dm_status explain_no_steady_gain(const fb_tvlqr *f, const fb_weights *weights,
                                        const maker *w, dm_status s, dm_message *msg) {
  int n = f->nx / 2, state = -1;
  if (s != DM_MAX_ITER)
    return dm_fail(msg, s, "no steady gains at the goal: %s", dm_status_text(s));

  // no stabilizing solution exists: look for the state that no input steers, a left eigenvector
  // that does not decay and that B does not excite; report an integral before a state
  const double *seen = w->linearize->step->nv ? find_weight(w, f->N) : NULL;
  DM_TRY(fb_dare_stuck(w->na, f->nu, w->A, w->B, seen, w->size, f->nx, &state));
  if (state < 0)
    return dm_fail(msg, s,
                   "no steady gains at the goal: a deviation that does not decay is "
                   "not controllable, or has no weight in Q; give it a weight, or give Qf");

  // an integral that inputs do not steer by itself, or a state, by the name of its coordinate
  const int kept = state - f->nx, at = kept >= 0 && kept < f->ni ? f->integral[kept] : state % n;
  char name[80];
  if (weights->name)
    snprintf(name, sizeof name, "'%.64s'", weights->name[at]);
  else
    snprintf(name, sizeof name, "coordinate %d", at);
  if (state >= f->nx)
    return dm_fail(msg, s,
                   "no steady gains at the goal: inputs cannot control the integral of %s "
                   "together with all others; integrate fewer joints, or other ones",
                   name);
  if (w->linearize->step->nv && state < n)
    return dm_fail(msg, s,
                   "no steady gains at the goal: rolling constraints keep %s from being controlled "
                   "at rest; set its weight in feedback.Q to 0, or give feedback.Qf, so that gains "
                   "control it while the plan moves",
                   name);
  return dm_fail(msg, s,
                 "no steady gains at the goal: the %s of %s does not decay and is not "
                 "controllable; give Qf",
                 state < n ? "position" : "momentum", name);
}

// the impulse lambda by which constraints hold the robot at rest at q: D1 + D2 = Dh' lambda
static dm_status solve_rest_impulse(maker *w, const double *q, const double *u, double h) {
  dm_linearize *lin = w->linearize->step;

  // r = D1 + D2 of the step from q to q, and the lambda that minimizes its remainder
  DM_TRY(dm_interval_eval(lin->d, 1, q, q, u, h)); // forces included, without impulses
  for (int i = 0; i < lin->n; i++) w->r[i] = lin->d->D1[i] + lin->d->D2[i];
  DM_TRY(dm_kkt_start(lin->k, q));
  w->tangent->nc = w->nc;
  DM_TRY(fb_constraint_tangent_set(w->tangent, lin->k->Dh0));
  fb_constraint_tangent_impulse(w->tangent, w->r, w->lambda);
  return DM_OK;
}

// P and K of rest at contacts: the cost of another N steps there. Inputs may not steer sticking coordinates, so that no
// stationary solution exists.
static dm_status solve_standing_gain(const maker *w, dm_message *msg) {
  const size_t na = (size_t)w->na, nu = (size_t)w->nu;
  fb_lq lq = {.N = w->N,
              .nx = w->na,
              .nu = w->nu,
              .A = w->A,
              .B = w->B,
              .Q = find_weight(w, w->N),
              .R = w->R,
              .Qf = find_weight(w, w->N)};
  int failed;
  const dm_status s = fb_riccati_sweep(w->riccati, &lq, w->K_all, w->P_all, &failed);
  if (s != DM_OK)
    return dm_fail(msg, s,
                   "no gains of rest at the goal: %s; try other weights (feedback.Q, feedback.R)",
                   s == DM_NOT_DEFINITE ? "R + B'PB is not positive definite" : dm_status_text(s));
  memcpy(w->Qf, w->P_all, na * na * sizeof *w->Qf);
  memcpy(w->K, w->K_all, nu * na * sizeof *w->K);
  return DM_OK;
}

// A, B and Qf at the last knot, taken as an equilibrium, and the gain there
static dm_status solve_steady_gain(const fb_tvlqr *f, const dm_trajectory *x,
                                   const fb_weights *weights, maker *w, dm_message *msg) {
  // forces are linear in the holding input: it enters only through the constraints' part; q and u
  // are those of the last knot and the last step
  const double *q = x->q + x->N * x->n, *u = f->u + (f->N - 1) * f->nu;
  fb_step rest = get_step(w, x, f->N);
  rest.q1 = q;
  rest.u = u;
  rest.before = rest.entry;
  rest.lambda = w->nr ? dm_row(x->lambda, f->N - 1, x->nc) : w->lambda;
  rest.impulse = w->push;

  // the impulses of contacts in a step of rest: those at the last knot carry half of it
  for (int r = 0; r < w->nr; r++) w->push[r] = 2 * x->contact[f->N * w->nr + r];
  dm_status s = x->nc && !w->nr ? solve_rest_impulse(w, q, u, f->h) : DM_OK;
  if (s == DM_OK) s = linearize_restricted(w, &rest, f->h, w->A_x, w->B_x);
  if (s == DM_OK) {
    const fb_kept_states kept = find_kept(f);
    fb_kept_states_extend(&kept, w->A_x, w->B_x, w->A, w->B);
    fb_kept_states_size(&kept, w->B_x, w->time, w->size, w->size + f->nx);
  }
  if (s == DM_OK && w->nr) return solve_standing_gain(w, msg);

  // P replaces Qf; beside rolling constraints states without a weight need not be controlled
  const bool rolls = w->linearize->step->nv > 0;
  if (s == DM_OK)
    s = (rolls ? fb_dare_solve_seen : fb_dare_solve)(w->na, f->nu, w->A, w->B, find_weight(w, f->N),
                                                     w->R, w->size, w->Qf, w->K);
  return s == DM_OK ? s : explain_no_steady_gain(f, weights, w, s, msg);
}

// the steady A, B, K and P from a knot on
static void repeat_steady_gain(fb_tvlqr *f, const maker *w, int first) {
  size_t nx = (size_t)f->nx, nu = (size_t)f->nu, N = (size_t)f->N, size = sizeof(double);
  size_t na = (size_t)w->na;

  // steps have A, B and K; P is also set at the last knot
  for (size_t k = (size_t)first; k < N; k++) {
    memcpy(f->A + k * nx * nx, w->A_x, nx * nx * size);
    memcpy(f->B + k * nx * nu, w->B_x, nx * nu * size);
    memcpy(w->K_all + k * nu * na, w->K, na * nu * size);
  }
  for (size_t k = (size_t)first; k <= N; k++) memcpy(w->P_all + k * na * na, w->Qf, na * na * size);
}

// At contacts the momentum of a state is that in the middle of the knot's impulses, as M v is: half of those that
// continue from the step before come before it; at the end, all of them.
static dm_status add_impulses(fb_tvlqr *f, const maker *w, const dm_trajectory *x) {
  dm_contact_linearize *lin = w->linearize;
  for (int k = 1; w->nr && k <= f->N; k++) {
    const fb_step at = get_step(w, x, k);
    for (int r = 0; r < w->nr; r++) w->push[r] = (k == f->N ? 1 : 0.5) * at.impulse[r];
    for (int l = 0; l < w->laws && k < f->N; l++) {
      const dm_contact_law *law = &lin->laws->law[l];
      if (at.before[l] != DM_LAW_OPEN) continue;
      w->push[law->gap] = 0;
      for (int t = 0; t < law->tangents; t++) w->push[law->tangent[t]] = 0;
    }
    DM_TRY(dm_contact_laws_push(lin->laws, lin->n, lin->scratch, lin->r, lin->Dr0, at.q0, w->push,
                                dm_row(f->x, k, f->nx) + lin->n));
  }
  return DM_OK;
}

// the commands of motors with a lag, and their outputs at the start
static void set_commands(fb_tvlqr *f, const dm_trajectory *x, bool circular) {
  for (int i = 0; i < f->nu; i++) {
    const double *u = x->u + i;
    f->motor[i] = u[0];
    if (!f->lag || !(f->lag[i] > 0)) continue;
    f->motor[i] = dm_drive_torque_at(f->N, u, x->nu, 0);
    for (int k = 0; k < f->N; k++)
      f->u[(size_t)k * (size_t)f->nu + (size_t)i] =
          dm_drive_command(f->N, u, x->nu, k, circular, f->lag[i], x->h);
  }
}

// x_d = (q,p) and u_d of the motion
static dm_status copy_motion(fb_tvlqr *f, const maker *w, const dm_trajectory *x, bool circular) {
  int N = f->N, n = x->n, nx = f->nx;
  size_t half = (size_t)n * sizeof(double);
  for (int k = 0; k <= N; k++) {
    memcpy(f->x + k * nx, x->q + k * n, half);
    memcpy(f->x + k * nx + n, x->p + k * n, half);
  }
  memcpy(f->u, x->u, (size_t)N * (size_t)f->nu * sizeof(double));
  set_commands(f, x, circular);
  if (f->sections) fb_orbit_slopes(N, nx, f->x, true, f->slope);
  if (f->sections) fb_orbit_slopes(N, f->nu, f->u, false, f->slope_u);
  return add_impulses(f, w, x);
}

// Repeat the recursion over periods until P_0 equals P_N. It starts from the solution by doubling, or from Q if doubling
// fails. Each period maps an error of the previous one through the closed loop, twice.
static dm_status repeat_sweep(const maker *w, fb_lq *lq, int *failed) {
  enum { PERIODS = 2000 };
  const double same = 1e-12; // relative to P in scaled units
  const size_t na = (size_t)w->na, size = na * na;
  if (fb_dare_period(lq, w->size, w->Qf) != DM_OK) memcpy(w->Qf, w->Q, size * sizeof *w->Qf);
  for (int period = 0; period < PERIODS; period++) {
    DM_TRY(fb_riccati_sweep(w->riccati, lq, w->K_all, w->P_all, failed));
    double off = 0, most = 0;
    for (size_t i = 0; i < size; i++) {
      const double unit = w->size[i / na] * w->size[i % na];
      off = fmax(off, fabs(w->P_all[i] - w->Qf[i]) * unit);
      most = fmax(most, fabs(w->P_all[i]) * unit);
    }
    if (off <= same * most) return DM_OK;
    memcpy(w->Qf, w->P_all, size * sizeof *w->Qf);
  }
  *failed = w->N;
  return DM_MAX_ITER;
}

// the message for a recursion that failed
static dm_status explain_sweep(dm_status s, int knot, dm_message *msg) {
  if (s == DM_MAX_ITER)
    return dm_fail(msg, s,
                   "no periodic gains: the cost-to-go does not converge from period to period: a "
                   "deviation that does not decay is not controllable, or has no weight in Q; "
                   "give it a weight, or give Qf");
  return dm_fail(msg, s, "no gains at knot %d: %s; try other weights (feedback.Q, feedback.R)",
                 knot,
                 s == DM_NOT_DEFINITE ? "R + B'PB is not positive definite" : dm_status_text(s));
}

// Q and R of each stage, times its length in mean steps; *out is to be freed
static dm_status scale_stages(const fb_tvlqr *f, const maker *w, fb_lq *lq, double **out) {
  const size_t Q = (size_t)w->na * (size_t)w->na, R = (size_t)f->nu * (size_t)f->nu;
  const size_t N = (size_t)lq->N;
  double *scaled = *out = malloc(N * (Q + R) * sizeof *scaled);
  if (!scaled) return DM_NO_MEMORY;
  for (size_t k = 0; k < N; k++) {
    const double part = dm_grid_step(f->grid, (int)k), *Q_k = find_weight(w, (int)k);
    for (size_t i = 0; i < Q; i++) scaled[k * Q + i] = part * Q_k[i];
    for (size_t i = 0; i < R; i++) scaled[N * Q + k * R + i] = part * w->R[i];
  }
  lq->Q = scaled;
  lq->R = scaled + N * Q;
  lq->Q_stride = Q;
  lq->R_stride = R;
  return DM_OK;
}

// the section of an orbit at the last knot that was linearized, for deviations that satisfy the constraints
static void set_section(const fb_tvlqr *f, maker *w, const fb_weights *weights, int k) {
  double *section = dm_row(f->section, k, f->nx);
  fb_orbit_section(f->nx, weights->orbit, dm_row(f->slope, k, f->nx), section);
  fb_constraint_tangent_restrict(w->tangent, 1, section);
}

// A, B at each knot, then K, P backwards
static dm_status make_gains_along(fb_tvlqr *f, const dm_trajectory *x, const fb_weights *weights,
                                  maker *w, int *failed, dm_message *msg) {
  int N = f->N, nx = f->nx, nu = f->nu;

  // A, B of the steps that have gains of their own
  int moving = weights ? N - weights->rest : N; // without weights: only linearize
  for (int k = 0; k < moving; k++) {
    const fb_step at = get_step(w, x, k);
    dm_status s = linearize_restricted(w, &at, dm_trajectory_step(x, k), dm_row(f->A, k, nx * nx),
                                       dm_row(f->B, k, nx * nu));
    if (s == DM_OK && w->across) set_section(f, w, weights, k);
    if (s == DM_OK) continue;
    *failed = k;
    return dm_linearize_explain(msg, s, w->linearize->step, k, weights ? weights->name : NULL);
  }
  if (!weights) return DM_OK;
  DM_TRY(form_weights(f, weights, w, failed, msg));

  // Qf from the DARE at the goal, and its gain at all steps of rest
  const bool repeats = weights->periodic && !weights->Qf;
  if ((!weights->Qf && !repeats) || weights->rest) {
    *failed = N;
    dm_status s = solve_steady_gain(f, x, weights, w, msg);
    if (s != DM_OK) return s;
    *failed = -1;
  }
  repeat_steady_gain(f, w, moving);
  if (moving == 0) {
    split_gains(f, w);
    return DM_OK;
  }

  // the Riccati recursion over the other steps, from P = Qf: the cost of rest, or the terminal weight
  const int na = w->na;
  fb_kept_states kept = find_kept(f);
  for (int k = 0; k < moving; k++) {
    kept.h = dm_trajectory_step(x, k);
    fb_kept_states_extend(&kept, dm_row(f->A, k, nx * nx), dm_row(f->B, k, nx * nu),
                          dm_row(w->A_all, k, na * na), dm_row(w->B_all, k, na * nu));
  }
  const fb_across orbit = {N, nx, nu, f->slope, f->section};
  if (w->across) DM_TRY(fb_orbit_restrict(&orbit, w->A_all, w->B_all, w->Q, msg));
  kept.h = f->h;
  fb_lq lq = {.N = moving,
              .nx = na,
              .nu = nu,
              .A = w->A_all,
              .B = w->B_all,
              .Q = w->Q,
              .R = w->R,
              .Qf = w->Qf};
  lq.A_stride = (size_t)na * na;
  lq.B_stride = (size_t)na * nu;
  lq.Q_stride = w->knots > 1 ? (size_t)na * na : 0;
  fb_kept_states_size(&kept, f->B, w->time, w->size, w->size + nx);
  double *scaled = NULL;
  dm_status s = f->grid ? scale_stages(f, w, &lq, &scaled) : DM_OK;
  if (s == DM_OK)
    s = repeats ? repeat_sweep(w, &lq, failed)
                : fb_riccati_sweep(w->riccati, &lq, w->K_all, w->P_all, failed);
  free(scaled);
  if (s != DM_OK) return explain_sweep(s, *failed, msg);

  // after the last step of a periodic motion, the gain of the first step continues
  if (repeats) memcpy(w->K, w->K_all, (size_t)nu * (size_t)na * sizeof *w->K);
  split_gains(f, w);
  return DM_OK;
}

// the weights of each knot; at rest they are those of the last one
static void keep_weights(fb_tvlqr *f, const maker *w, const fb_weights *weights) {
  const int moving = f->N - weights->rest;
  const size_t size = (size_t)f->nx * (size_t)f->nx;
  for (int k = 0; k < f->weighed; k++)
    memcpy(f->Q + (size_t)k * size, find_weight(w, k < moving ? k : f->N), size * sizeof *f->Q);
  memcpy(f->R, weights->R, (size_t)f->nu * sizeof *f->R);
}

// K, Ki and W for late inputs; after the last knot the steady gain continues, if there is one
static void delay_gains(fb_tvlqr *f, const maker *w, bool at_rest) {
  const fb_kept_states kept = find_kept(f);
  double *K_end = w->split, *Ki_end = K_end + (size_t)f->nu * (size_t)f->nx;
  fb_kept_states_split(&kept, (size_t)f->nu, w->K, K_end, Ki_end);
  fb_kept_states_delay(&kept, f->N, f->A, f->B, at_rest ? K_end : NULL, at_rest ? Ki_end : NULL,
                       f->K, f->Ki, f->W);
}

dm_status fb_tvlqr_new(fb_tvlqr **out, const dm_trajectory *x, const dm_system *s,
                       const fb_weights *weights, int *failed, dm_message *msg) {
  assert(out && failed && x->n == s->L.nq && x->p);
  *out = NULL;
  *failed = -1;

  // check the requirements of a schedule
  if (x->N < 1) return dm_fail(msg, DM_BAD_INPUT, "found no step, expected at least one for gains");
  if (weights && weights->periodic && weights->rest)
    return dm_fail(msg, DM_BAD_INPUT, "found rest at the end of a periodic motion, expected none");
  if (weights && (weights->rest < 0 || weights->rest > x->N))
    return dm_fail(msg, DM_BAD_INPUT,
                   "found %d steps of rest in a motion of %d steps, expected fewer", weights->rest,
                   x->N);
  if (weights && weights->orbit)
    DM_TRY(fb_orbit_check(x, weights->periodic && !weights->Qf && !weights->delay,
                          weights->integral, weights->lag, msg));
  const bool costs = weights && weights->idle && weights->Qf && !weights->rest;
  if (dm_system_inputs(s) < 1 && !costs)
    return dm_fail(msg, DM_BAD_INPUT, "found no input, expected at least one for gains");

  // the schedule, and temporary data
  fb_tvlqr sizes = {.N = x->N,
                    .nx = 2 * x->n,
                    .nu = dm_system_inputs(s),
                    .h = x->h,
                    // delay in steps between a knot's measurement and the input that responds to it
                    .late = weights ? weights->delay : 0,
                    .lag = weights ? weights->lag : NULL,
                    .friction = weights ? weights->friction : NULL};
  if (weights && weights->orbit) sizes.sections = x->N + 1;
  fb_kept_states states = find_kept(&sizes);
  fb_kept_states_count(&states, weights ? weights->integral : NULL, sizes.lag);
  sizes.ni = states.ni;
  sizes.nl = states.nl;
  if (sizes.ni && sizes.late)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found integrals of errors beside inputs a step late, expected one of them");
  if (sizes.nl && !dm_grid_is_even(x->grid, x->N))
    return dm_fail(msg, DM_BAD_INPUT,
                   "found lags of motors beside steps of unequal length, expected equal steps");
  if (weights && !sizes.ni && !sizes.nl && sizes.nu) sizes.weighed = weights->Q_at ? x->N + 1 : 1;
  fb_tvlqr *f = dm_block_make(&sizes, sizeof sizes, lay_out_schedule);
  if (!f) return dm_fail(msg, DM_NO_MEMORY, "no memory for gains at %d knots", x->N);
  states = find_kept(f);
  fb_kept_states_fill(&states, weights ? weights->integral : NULL);
  for (int k = 0; k <= x->N; k++) f->grid[k] = dm_grid_at(x->grid, k);
  if (dm_grid_is_even(f->grid, x->N)) f->grid = NULL;
  maker *w = NULL;
  dm_status status = make_maker(&w, f, x, s, weights);
  if (status == DM_OK) status = copy_motion(f, w, x, weights && weights->periodic);
  if (status != DM_OK)
    dm_fail(msg, status, "%s", dm_status_text(status));
  else
    status = make_gains_along(f, x, weights, w, failed, msg);

  if (status == DM_OK && f->weighed) keep_weights(f, w, weights);

  const bool at_rest = weights && (weights->rest || !weights->Qf);
  if (status == DM_OK && f->late) delay_gains(f, w, at_rest);
  free_maker(w);
  if (status != DM_OK) fb_tvlqr_free(f);
  if (status == DM_OK) *out = f;
  return status;
}

void fb_tvlqr_free(fb_tvlqr *f) {
  dm_block_free(f);
}

void fb_tvlqr_input(const fb_tvlqr *f, int k, const double *x, double *u) {
  int nx = f->nx, nu = f->nu;

  // summed from the left; a copy without K is the plan alone
  const double *K = f->K ? dm_row(f->K, k, nu * nx) : NULL, *x_d = dm_row(f->x, k, nx);
  for (int i = 0; i < nu; i++) {
    u[i] = f->u[(size_t)k * nu + i];
    for (int j = 0; K && j < nx; j++) u[i] -= K[i * nx + j] * (x[j] - x_d[j]);
  }
}

dm_status fb_tvlqr_radius(const fb_tvlqr *f, double radius[2]) {
  const fb_kept_states kept = find_kept(f);
  DM_TRY(fb_dare_radius(f->nx, f->nu, f->A, f->B, NULL, NULL, &radius[0]));
  return fb_kept_states_radius(&kept, f->A, f->B, f->K, f->Ki, f->W, &radius[1]);
}
