#include "optim/rows/knot_speeds.h"

#include "optim/rows/holonomic_rows.h"

#include <math.h>
#include <string.h>

// a speed limit is far if it lets a coordinate cross its whole range this many times
static const double CROSSINGS = 20;

static const double KEPT = 1e-9; // relative tolerance of speed limits at knots

// the speed limit of coordinate i at inner knots, INFINITY without a limit
static double limit_at_knots(const oc_task *task, int i) {
  const dm_system *s = &task->system;
  // kinematic coordinates have no row that determines a velocity
  const bool driven = s->nk && s->kinematic[i];
  return task->bounds[OC_V].high && !driven ? oc_high(task, OC_V, i) : INFINITY;
}

static bool is_far(const oc_task *task, int i) {
  if (!task->bounds[OC_Q].low || !task->bounds[OC_Q].high) return false;
  return oc_high(task, OC_V, i) * task->time.T >=
         CROSSINGS * (oc_high(task, OC_Q, i) - oc_low(task, OC_Q, i));
}

bool oc_knot_speeds_wanted(const oc_task *task) {
  if (task->system.contacts) return false; // speeds jump at knots: those of steps are limited
  for (int i = 0; i < task->system.L.nq; i++) {
    const bool limited = isfinite(limit_at_knots(task, i));
    if (limited && (task->every_speed || !is_far(task, i))) return true;
  }
  for (int k = 1; k < task->N; k++)
    if (oc_outputs_rated_at(&task->outputs, task->N, k)) return true;
  return false;
}

bool oc_knot_speeds_kept(const oc_task *task, const dm_trajectory *motion) {
  const int n = motion->n;
  if (task->system.contacts) return true;
  for (int i = 0; i < n; i++) {
    const double limit = limit_at_knots(task, i) * (1 + KEPT);
    for (int k = 1; k < motion->N; k++)
      if (!(fabs(motion->v[k * n + i]) <= limit)) return false;
  }
  return true;
}

static bool follows_no_momentum(const oc_transcription *t, int i) {
  return t->kinematic && t->kinematic[i];
}

// the first unknown and row of knot k's velocity, and of kappa and its rows after them
typedef struct place {
  int q, v, kappa, row, rate;
} place;

static inline place find_knot_place(const oc_transcription *t, int k) {
  int v = oc_transcription_velocity(t, k), row = oc_rows_at(t, OC_VELOCITY_ROWS, k - 1);
  return (place){oc_transcription_q(t, k), v, v + t->n, row, row + t->n};
}

void oc_knot_speeds_bound(oc_transcription *t, oc_rows_kind kind) {
  (void)kind;
  for (int k = 1; k <= t->moving; k++) {
    // v within its limit; kappa and prescribed velocities are free
    place at = find_knot_place(t, k);
    for (int i = 0; i < t->n; i++) {
      // the limits of prescribed coordinates apply elsewhere
      const bool limited = t->task.bounds[OC_V].high && !follows_no_momentum(t, i);
      const double limit = limited ? oc_high(&t->task, OC_V, i) : INFINITY;
      t->x_min[at.v + i] = -limit;
      t->x_max[at.v + i] = limit;
    }
    for (int c = 0; c < t->nc; c++) {
      t->x_min[at.kappa + c] = -INFINITY;
      t->x_max[at.kappa + c] = INFINITY;
    }
  }
}

// Knots are evaluated in groups of as many as the Lagrangian has lanes, in the scratch of t->many, which is
// valid until the intervals are evaluated next. Lane l of q, v is knot first + l, or the nearest knot that
// has a velocity.
static void gather_knots(oc_transcription *t, const double *x, int first) {
  int W = t->many->lanes;
  for (int l = 0; l < W; l++) {
    // knots with a velocity are 1..moving; lanes outside that range take the nearest one
    int k = first + l;
    if (k > t->moving) k = t->moving;
    if (k < 1) k = 1;
    place at = find_knot_place(t, k);
    for (int i = 0; i < t->n; i++) {
      t->many->nodes->qm[i * W + l] = x[at.q + i];
      t->many->nodes->v[i * W + l] = x[at.v + i];
    }
  }
}

// lane l of a table of n numbers
static void pick_lane(int n, int W, int l, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i * W + l];
}

// L at knot k into t->end, from the lanes that begin at knots 1, 1 + W, ..
static dm_status evaluate_lane(oc_transcription *t, const double *x, int k) {
  dm_step_nodes *many = t->many->nodes; // for its Lagrangian of many points
  int n = t->n, W = many->lanes, l = (k - 1) % W;
  if (l == 0) {
    // the first lane evaluates all of them
    gather_knots(t, x, k);
    const dm_lagrangian *L = &many->s.L;
    DM_TRY(L->eval(L->self, many->L_scratch, 2, many->qm, many->v, &many->jet));
  }

  pick_lane(n, W, l, many->jet.L_v, t->end.L_v);
  pick_lane(n * n, W, l, many->jet.L_qv, t->end.L_qv);
  pick_lane(n * n, W, l, many->jet.L_vv, t->end.L_vv);
  return DM_OK;
}

// T(0,a) at knot k into t->end, a = -eta, from the lanes that begin at knots 0, W, ..
static dm_status contract_lane(oc_transcription *t, const double *x, int k, const double *lambda) {
  dm_step_nodes *many = t->many->nodes; // for its Lagrangian of many points
  int n = t->n, W = many->lanes, l = k % W;
  if (l == 0 || k == 1) {
    // a = -eta of each lane's knot, zero if the knot has no velocity
    gather_knots(t, x, k - l);
    memset(many->a_q, 0, (size_t)(n * W) * sizeof *many->a_q);
    for (int other = 0; other < W; other++) {
      int knot = k - l + other;
      bool has = knot >= 1 && knot <= t->moving;
      const double *eta = has ? lambda + oc_rows_at(t, OC_VELOCITY_ROWS, knot - 1) : NULL;
      for (int i = 0; i < n; i++)
        many->a_v[i * W + other] = has && !follows_no_momentum(t, i) ? -eta[i] : 0;
    }

    const dm_lagrangian *L = &many->s.L;
    DM_TRY(
        L->contract(L->self, many->L_scratch, many->qm, many->v, many->a_q, many->a_v, &many->T));
  }

  // this knot's lane
  pick_lane(n * n, W, l, many->T.L_qq, t->end.L_qq);
  pick_lane(n * n, W, l, many->T.L_qv, t->end.L_qv);
  pick_lane(n * n, W, l, many->T.L_vv, t->end.L_vv);
  return DM_OK;
}

// L and the constraints at knot k: into t->end, t->Dh, t->hol_rate_q, with t->hol_curvature = D2h kappa
static dm_status evaluate_knot(oc_transcription *t, const double *x, int k) {
  const dm_holonomic *hol = &t->task.system.hol;

  place at = find_knot_place(t, k);
  const double *q = x + at.q, *v = x + at.v, *kappa = x + at.kappa;
  int n = t->n, nc = t->nc;
  double *momentum = t->knot_momentum + (k - 1) * n, *rate = t->knot_rate + (k - 1) * nc;

  // L_v
  DM_TRY(evaluate_lane(t, x, k));
  memcpy(momentum, t->end.L_v, (size_t)n * sizeof *momentum);
  if (nc == 0) return DM_OK; // its curvature is zero, as allocated

  // Dh' kappa, D2h kappa, Dh v and its derivative by q
  memset(t->hol_curvature, 0, (size_t)(n * n) * sizeof *t->hol_curvature);
  DM_TRY(hol->eval(hol->self, t->hol_scratch, q, rate, t->Dh));
  DM_TRY(hol->contract(hol->self, t->hol_scratch, q, kappa, t->hol_curvature));
  for (int c = 0; c < nc; c++) {
    rate[c] = 0;
    for (int i = 0; i < n; i++) {
      momentum[i] += t->Dh[c * n + i] * kappa[c];
      rate[c] += t->Dh[c * n + i] * v[i];
    }
  }
  DM_TRY(hol->directional(hol->self, t->hol_scratch, q, v, kappa, t->hol_rate_q, NULL));
  return oc_holonomic_rows_drift(t, q, NULL, rate, t->hol_rate_q);
}

// the row of a kinematic coordinate: h v_k - (q_k - q_{k-1})
static void put_prescribed_velocity(const oc_transcription *t, const double *x, oc_triplets *s,
                                    int k, int i) {
  place at = find_knot_place(t, k);
  // without values h is not read
  const double h = s->val ? oc_transcription_step(t, x, k - 1) : 0;
  const double part = oc_task_part(&t->task, k - 1);
  // by q_{k-1}, q_k, v_k and h
  oc_put(s, at.row + i, oc_transcription_q(t, k - 1) + i, 1);
  oc_put(s, at.row + i, at.q + i, -1);
  oc_put(s, at.row + i, at.v + i, h);
  if (t->h >= 0) oc_put(s, at.row + i, t->h, s->val ? part * x[at.v + i] : 0);
}

// D2 of the interval, by its inputs
static void put_arrival_inputs(const oc_transcription *t, oc_triplets *s, int k) {
  const dm_interval *d = t->d;
  int row = oc_rows_at(t, OC_VELOCITY_ROWS, k - 1), u = oc_transcription_u(t, k - 1);
  // inputs at the right end of the interval before
  for (int e = 0; t->right && e < d->nz; e++)
    if (!follows_no_momentum(t, d->row[e])) oc_put(s, row + d->row[e], u + d->col[e], d->D2u[e]);
}

// the blocks of D2(k-1) - L_v - Dh' kappa by q_{k-1}, q_k, v_k
static void put_momentum_blocks(const oc_transcription *t, oc_triplets *s, const place *at, int k) {
  const oc_block_pattern *p = &t->motion;
  const dm_interval *d = t->d;
  const int n = t->n;
  // the walk has already put this block of the knot, and resets it for the next one
  double *by_q = t->knot_block;
  for (int i = 0; s->val && i < n; i++)
    for (int j = 0, ij = i * n; j < n; j++, ij++)
      by_q[ij] = d->D22[ij] - t->end.L_qv[j * n + i] - t->hol_curvature[ij];

  oc_put_block(p, s, at->row, oc_transcription_q(t, k - 1), 1, d->D21, p->place);
  oc_put_block(p, s, at->row, at->q, 1, by_q, p->place);
  oc_put_block(p, s, at->row, at->v, -1, t->end.L_vv, p->place);
}

// row i of it, by kappa_k and h
static void put_momentum_columns(const oc_transcription *t, oc_triplets *s, const place *at, int k,
                                 int i) {
  const int n = t->n, row = at->row + i;
  for (int c = 0; c < t->nc; c++)
    if (t->hol_mask[c * n + i]) oc_put(s, row, at->kappa + c, -t->Dh[c * n + i]);
  const double by_h = t->d->D2h[i];
  if (t->h >= 0) oc_put(s, row, t->h, oc_task_part(&t->task, k - 1) * by_h);
  if (t->times >= 0) oc_put(s, row, t->times + k - 1, -by_h);
  if (t->times >= 0) oc_put(s, row, t->times + k, by_h);
}

dm_status oc_knot_speeds_walk(oc_transcription *t, const double *x, oc_triplets *s, int k) {
  if (k > t->moving) return DM_OK;
  place at = find_knot_place(t, k);
  int n = t->n;
  if (s->val) DM_TRY(evaluate_knot(t, x, k));

  // D2(k-1) - L_v - Dh' kappa
  put_momentum_blocks(t, s, &at, k);
  for (int i = 0; i < n; i++) {
    if (follows_no_momentum(t, i))
      put_prescribed_velocity(t, x, s, k, i);
    else
      put_momentum_columns(t, s, &at, k, i);
  }

  // by u_{k-1}
  put_arrival_inputs(t, s, k);

  // Dh v
  for (int c = 0; c < t->nc; c++)
    for (int i = 0; i < n; i++) {
      if (!t->hol_mask[c * n + i]) continue;
      oc_put(s, at.rate + c, at.q + i, t->hol_rate_q[c * n + i]);
      oc_put(s, at.rate + c, at.v + i, t->Dh[c * n + i]);
    }
  return DM_OK;
}

void oc_knot_speeds_rows(const oc_transcription *t, oc_rows_kind kind, const double *x, double *g) {
  (void)kind;
  int n = t->n, nc = t->nc;
  for (int k = 1; k <= t->moving; k++) {
    place at = find_knot_place(t, k);
    const double *q = x + at.q, *before = x + oc_transcription_q(t, k - 1);
    const double h = oc_transcription_step(t, x, k - 1);

    // arriving momentum minus L_v + Dh' kappa, or the prescribed velocity; then Dh v
    for (int i = 0; i < n; i++)
      g[at.row + i] = follows_no_momentum(t, i)
                          ? h * x[at.v + i] - (q[i] - before[i])
                          : t->D2[(k - 1) * n + i] - t->knot_momentum[(k - 1) * n + i];
    memcpy(g + at.rate, t->knot_rate + (k - 1) * nc, (size_t)nc * sizeof *g); // Dh v
  }
}

void oc_knot_speeds_pair(oc_transcription *t, const double *lambda) {
  int n = t->n;
  memcpy(t->mu1, t->mu, (size_t)((t->N + 1) * n) * sizeof *t->mu1);
  // D2(k-1) appears in both rows of knot k, so the sum of both multipliers applies
  for (int k = 1; k <= t->moving; k++)
    for (int i = 0; i < n; i++)
      if (!follows_no_momentum(t, i))
        t->mu1[k * n + i] += lambda[oc_rows_at(t, OC_VELOCITY_ROWS, k - 1) + i];
}

// the values of oc_knot_speeds_contract: T(a) of -L_v.eta and the constraints' part
static dm_status contract_knot(oc_transcription *t, const double *x, int k, const double *lambda) {
  const dm_holonomic *hol = &t->task.system.hol;
  place at = find_knot_place(t, k);
  const double *q = x + at.q, *v = x + at.v, *kappa = x + at.kappa;
  int n = t->n;

  // -L_v.eta by (q,v)
  double *a = t->g_v; // a = -eta
  for (int i = 0; i < n; i++) a[i] = follows_no_momentum(t, i) ? 0 : -lambda[at.row + i];
  DM_TRY(contract_lane(t, x, k, lambda));
  for (int i = 0; i < n * n; i++) t->knot_block[i] += t->end.L_qq[i];
  if (t->nc == 0) return DM_OK;

  // -eta.Dh' kappa by (q,q) into the carry, by (kappa,q) into t->Dh
  memset(t->hol_curvature, 0, (size_t)(n * n) * sizeof *t->hol_curvature);
  DM_TRY(hol->directional(hol->self, t->hol_scratch, q, a, kappa, t->Dh, t->hol_curvature));
  for (int i = 0; i < n * n; i++) t->knot_block[i] += t->hol_curvature[i];

  // nu.Dh v by (q,q) and (v,q)
  DM_TRY(hol->directional(hol->self, t->hol_scratch, q, v, lambda + at.rate, t->hol_rate_q,
                          t->knot_block));
  if (hol->drift) DM_TRY(oc_holonomic_rows_drift(t, q, lambda + at.rate, NULL, NULL));
  return oc_holonomic_rows_mixed(t, q, lambda + at.rate);
}

dm_status oc_knot_speeds_contract(oc_transcription *t, const double *x, int k, const double *lambda,
                                  oc_triplets *s) {
  if (k < 1 || k > t->moving) return DM_OK;
  place at = find_knot_place(t, k);
  int n = t->n;
  if (s->val) DM_TRY(contract_knot(t, x, k, lambda));

  // by (v,q), (v,v)
  oc_put_block(&t->curvature, s, at.v, at.q, 1, t->end.L_qv, t->curvature.flip);
  oc_put_block(&t->lower, s, at.v, at.v, 1, t->end.L_vv, t->lower.place);

  // by (kappa,q), and (h,v) of prescribed coordinates
  for (int c = 0; c < t->nc; c++)
    for (int i = 0; i < n; i++)
      if (t->hol_mask[c * n + i]) oc_put(s, at.kappa + c, at.q + i, t->Dh[c * n + i]);
  for (int i = 0; t->h >= 0 && i < n; i++)
    if (follows_no_momentum(t, i))
      oc_put(s, t->h, at.v + i, s->val ? oc_task_part(&t->task, k - 1) * lambda[at.row + i] : 0);
  return DM_OK;
}
