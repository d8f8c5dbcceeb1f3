#include "control/feedback/output_feedback.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <string.h>

const char *const fb_form_names[] = {"state", "velocity", "positions", NULL};

static void lay_out_law(void *self, dm_block *b) {
  fb_output_feedback *w = self;
  size_t N = (size_t)w->f.N, nu = (size_t)w->f.nu, ny = (size_t)w->ny, n = (size_t)w->n;

  // the tables of the law, then what a run needs; c [nc] and c D2h under constraints alone
  w->y_d = dm_block_alloc(b, (N + 1) * ny, sizeof(double));
  w->G = dm_block_alloc(b, N * nu * ny, sizeof(double));
  w->c = dm_block_alloc(b, N * nu, sizeof(double));
  w->y = dm_block_alloc(b, ny, sizeof(double));
  w->q = dm_block_alloc(b, n, sizeof(double));
  w->v = dm_block_alloc(b, n, sizeof(double));
  w->decided = dm_block_alloc(b, nu, sizeof(double));
  w->z = dm_block_alloc(b, (size_t)w->f.ni, sizeof(double));
  w->impulse = dm_block_alloc(b, N * (size_t)w->nc, sizeof(double));
  w->r = dm_block_alloc(b, n, sizeof(double));
  w->back = dm_block_alloc(b, w->form == FB_POSITIONS ? 12 * n : 0, sizeof(double));
  w->H = dm_block_alloc(b, w->nc ? n * n : 0, sizeof(double));
}

static bool is_kinematic(const fb_output_feedback *w, int i) {
  const dm_system *s = w->d ? &w->d->s : &w->m->s; // of either form
  return s->kinematic && s->kinematic[i];
}

// -- the gains

// the derivatives of p_i by y [ny]
typedef void momentum_derivative(const fb_output_feedback *w, int i, double *dp);

// y = (q,v): p = L_v + Dh'c, so that dp = [L_vq + c D2h, L_vv]; the entry of a kinematic coordinate
// is its v
static void differentiate_by_velocity(const fb_output_feedback *w, int i, double *dp) {
  const dm_jet *L = &w->m->jet;
  int n = w->n;
  for (int j = 0; j < n; j++) {
    // L_vq is L_qv transposed; c D2h of constraints
    double along = w->nc ? w->H[i * n + j] : 0;
    dp[j] = is_kinematic(w, i) ? 0 : L->L_qv[j * n + i] + along;
    dp[n + j] = is_kinematic(w, i) ? i == j : L->L_vv[i * n + j];
  }
}

// y = (q_k, q_k-1, u_k-1): p = D2, so that dp = [D22, D21, D2u]; the entry of a kinematic
// coordinate is (q_k - q_k-1) / h
static void differentiate_by_positions(const fb_output_feedback *w, int i, double *dp) {
  const dm_interval *d = w->d;
  int n = w->n;
  for (int j = 0; j < n; j++) {
    dp[j] = is_kinematic(w, i) ? (i == j) / w->f.h : d->D22[i * n + j];
    dp[n + j] = is_kinematic(w, i) ? -(i == j) / w->f.h : d->D21[i * n + j];
  }
  for (int e = 0; e < d->nz; e++)
    // D2u has entries (row, col) where inputs drive momenta
    if (d->row[e] == i && !is_kinematic(w, i)) dp[2 * n + d->col[e]] += d->D2u[e];
}

// G <- G + K_p dp/dy, G [nu x ny], K = [K_q, K_p] [nu x 2n]
static void add_momentum_gains(fb_output_feedback *w, momentum_derivative *derivative,
                               const double *K, double *G) {
  int n = w->n, nu = w->f.nu, ny = w->ny;
  double *dp = w->y; // not in use yet
  for (int i = 0; i < n; i++) {
    memset(dp, 0, (size_t)ny * sizeof *dp);
    derivative(w, i, dp);
    for (int r = 0; r < nu; r++)
      // K [nu x 2n]: column n + i belongs to p_i
      for (int j = 0; j < ny; j++) G[r * ny + j] += K[r * 2 * n + n + i] * dp[j];
  }
}

// the velocity [n] of a state x, on the constraints
static dm_status find_constrained_velocity(fb_output_feedback *w, const double *x, double *v) {
  memset(v, 0, (size_t)w->n * sizeof *v);
  dm_status s = dm_velocity_of(w->m, x, x + w->n, v);
  return s == DM_OK && w->nc ? dm_velocity_restrict(w->m, x, v) : s;
}

// the c [nc] of p = L_v + Dh'c at a state x = (q,p), and H = c D2h, how that part turns with q
static dm_status find_constraint_momentum(fb_output_feedback *w, const double *x, const double *v,
                                          double *along) {
  const dm_holonomic *hol = &w->m->s.hol;
  int n = w->n;

  // r = p - L_v, and the c that leave least of it
  DM_TRY(dm_momentum_of(w->m, x, v, w->r));
  // by constraints alone p is not L_v
  for (int i = 0; i < n; i++) w->r[i] = x[n + i] - w->r[i];
  DM_TRY(dm_kkt_start(w->k, x));
  DM_TRY(fb_constraint_tangent_set(w->tangent, w->k->Dh0));
  fb_constraint_tangent_impulse(w->tangent, w->r, along);

  memset(w->H, 0, (size_t)(n * n) * sizeof *w->H);
  return hol->contract(hol->self, w->k->scratch, x, along, w->H);
}

// G = [K_q + K_p (L_vq + c D2h), K_p L_vv], y_d = (q_d, v_d)
static dm_status make_velocity_gain(fb_output_feedback *w, int k, const double *K, double *G,
                                    double *y_d) {
  int n = w->n;
  const double *x = dm_row(w->f.x, k, w->f.nx);
  dm_status s = find_constrained_velocity(w, x, y_d + n);
  if (s == DM_OK && w->nc)
    s = find_constraint_momentum(w, x, y_d + n, dm_row(w->impulse, k, w->nc));
  if (s != DM_OK) return s;
  DM_TRY(w->m->s.L.eval(w->m->s.L.self, w->m->sweep, 2, x, y_d + n, &w->m->jet));
  add_momentum_gains(w, differentiate_by_velocity, K, G);
  return DM_OK;
}

// (q,v)' = (v, a(q,v,u)) into rate [2n], at y + share of `along` [2n] (NULL: at y)
static dm_status find_motion_rate(fb_output_feedback *w, const double *y, double share,
                                  const double *along, const double *u, double *at, double *rate) {
  const int n = w->n;
  for (int i = 0; i < 2 * n; i++) at[i] = y[i] + (along ? share * along[i] : 0);
  memcpy(rate, at + n, (size_t)n * sizeof *rate);
  return dm_acceleration(w->m, at, at + n, u, rate + n);
}

// where the continuous motion that is at x_k was a step before, under u: (q,v) backwards, by Runge
// and Kutta's rule of order 4 in parts of a step, as a robot's encoders see it
static dm_status find_motion_before(fb_output_feedback *w, const double *x, const double *u,
                                    double *q) {
  enum { PARTS = 8 };
  const int n = w->n;
  const double h = -w->f.h / PARTS;
  double *y = w->back, *at = y + 2 * n, *k1 = at + 2 * n, *k2 = k1 + 2 * n, *k3 = k2 + 2 * n;
  double *k4 = k3 + 2 * n;
  memcpy(y, x, (size_t)n * sizeof *y);
  DM_TRY(find_constrained_velocity(w, x, y + n));
  for (int part = 0; part < PARTS; part++) {
    DM_TRY(find_motion_rate(w, y, 0, NULL, u, at, k1));
    DM_TRY(find_motion_rate(w, y, h / 2, k1, u, at, k2));
    DM_TRY(find_motion_rate(w, y, h / 2, k2, u, at, k3));
    DM_TRY(find_motion_rate(w, y, h, k3, u, at, k4));
    for (int i = 0; i < 2 * n; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  memcpy(q, y, (size_t)n * sizeof *q);
  return DM_OK;
}

// G = [K_q + K_p D22, K_p D21, K_p D2u], y_d = (q_k, q_k-1, u_k-1) of the plan
static dm_status make_positions_gain(fb_output_feedback *w, int k, const double *K, double *G,
                                     double *y_d) {
  const fb_tvlqr *f = &w->f;
  int n = w->n, before = k > 0 ? k - 1 : 0;
  const double *q0 = dm_row(f->x, before, f->nx), *q1 = dm_row(f->x, k, f->nx);
  const double *u = dm_row(f->u, before, f->nu);
  memcpy(y_d + n, q0, (size_t)n * sizeof *y_d);
  memcpy(y_d + 2 * n, u, (size_t)w->nf * sizeof *y_d);
  if (k == 0) return DM_OK; // there is no step before: its momentum is the planned one
  if (w->continuous) DM_TRY(find_motion_before(w, q1, u, y_d + n));
  DM_TRY(dm_interval_eval(w->d, 2, q0, q1, u, f->h));
  add_momentum_gains(w, differentiate_by_positions, K, G);
  return DM_OK;
}

// G and y_d for positions Q where q lags, q = Q - lag v, v = (Q_k - Q_k-1) / h where y has none
static dm_status allow_for_lag(fb_output_feedback *w, int k, double *G, double *y_d) {
  const double *lag = w->m->s.lag;
  int n = w->n, nx = w->f.nx, before = k > 0 ? k - 1 : 0;

  // G's columns by the lagging q's: with rates G_v <- G_v - lag G_q; without them
  // Q_k takes -lag/h of both, Q_k-1 as much with the other sign
  for (int r = 0; r < w->f.nu; r++) {
    // columns of Q_k, and of v or Q_k-1
    double *now = G + r * w->ny, *then = now + n;
    for (int i = 0; i < n; i++) {
      bool rates = w->form == FB_VELOCITY;
      double moved = lag[i] * (rates ? now[i] : (now[i] + then[i]) / w->f.h);
      if (!rates && k == 0) moved = 0; // there is no step before
      then[i] += rates ? -moved : moved;
      if (!rates) now[i] -= moved;
    }
  }

  // y_d stands where the plan is: Q_d = q_d + lag v_d, of the knot and of the one before
  DM_TRY(find_constrained_velocity(w, dm_row(w->f.x, k, nx), w->v));
  for (int i = 0; i < n; i++) y_d[i] += lag[i] * w->v[i];
  if (w->form == FB_VELOCITY) return DM_OK;
  DM_TRY(find_constrained_velocity(w, dm_row(w->f.x, before, nx), w->v));
  for (int i = 0; i < n; i++) y_d[n + i] += lag[i] * w->v[i];
  return DM_OK;
}

// the input under way in y: the last nu entries of y_d, and W in the last columns of G
static void append_late_input(fb_output_feedback *w, int k, double *G, double *y_d) {
  const fb_tvlqr *f = &w->f;
  int nu = f->nu, ny = w->ny;
  memcpy(y_d + ny - nu, dm_row(f->u, k, nu), (size_t)nu * sizeof *y_d);
  for (int r = 0; r < nu; r++)
    memcpy(G + r * ny + ny - nu, dm_row(f->W, k * nu + r, nu), (size_t)nu * sizeof *G);
}

// G, y_d and c of knot k
static dm_status make_gain(fb_output_feedback *w, int k) {
  const fb_tvlqr *f = &w->f;
  int n = w->n, nu = f->nu, ny = w->ny;
  const double *x = dm_row(f->x, k, f->nx), *K = dm_row(f->K, k, nu * f->nx);
  double *G = dm_row(w->G, k, nu * ny), *y_d = dm_row(w->y_d, k, ny);

  // c: the planned input that the law adds to, of the next step where inputs are late
  // the last step of late inputs has no next
  int next = f->late && k + 1 < f->N ? k + 1 : k;
  memcpy(dm_row(w->c, k, nu), dm_row(f->u, next, nu), (size_t)nu * sizeof *w->c);

  // where y is the state, G = K and y_d = x_d; else that begins with K_q and q_d
  bool state = w->exact || w->form == FB_STATE;
  memcpy(y_d, x, (size_t)(state ? f->nx : n) * sizeof *y_d);
  for (int r = 0; r < nu; r++)
    memcpy(G + r * ny, K + r * f->nx, (size_t)(state ? f->nx : n) * sizeof *G);

  // K_p through the derivatives of p; an exact law by velocities needs the plan's c [nc] alone
  dm_status s = DM_OK;
  if (!state && w->form == FB_VELOCITY) {
    s = make_velocity_gain(w, k, K, G, y_d);
  } else if (!state) {
    s = make_positions_gain(w, k, K, G, y_d);
  } else if (w->form == FB_VELOCITY && w->nc) {
    s = find_constrained_velocity(w, x, w->v);
    if (s == DM_OK) s = find_constraint_momentum(w, x, w->v, dm_row(w->impulse, k, w->nc));
  }

  if (s == DM_OK && !state && w->m && w->m->s.lag) s = allow_for_lag(w, k, G, y_d);

  // integrals of errors are to be 0
  for (int r = 0; r < nu && f->ni; r++)
    memcpy(G + r * ny + ny - f->ni, dm_row(f->Ki, k * nu + r, f->ni), (size_t)f->ni * sizeof *G);

  // u_k is on its way to the plant: its entry follows in y
  if (f->late) append_late_input(w, k, G, y_d);
  return s;
}

// y_d at the end of the motion, which times between the last two knots need; by positions, and what
// is under way, as at the last knot
static dm_status find_end(fb_output_feedback *w) {
  const int n = w->n, N = w->f.N;
  const double *x = dm_row(w->f.x, N, w->f.nx), *lag = w->m ? w->m->s.lag : NULL;
  double *y_d = dm_row(w->y_d, N, w->ny);
  memcpy(y_d, y_d - w->ny, (size_t)w->ny * sizeof *y_d);

  // (q,p), or (q,v) with Q = q + lag v
  if (w->exact || w->form == FB_STATE) memcpy(y_d, x, (size_t)w->f.nx * sizeof *y_d);
  if (w->exact || w->form != FB_VELOCITY) return DM_OK;
  DM_TRY(find_constrained_velocity(w, x, y_d + n));
  for (int i = 0; i < n; i++) y_d[i] = x[i] + (lag ? lag[i] * y_d[n + i] : 0);
  return DM_OK;
}

// -- a run

// (q,p) from what is measured, by the mechanics
static dm_status find_momentum(fb_output_feedback *w, int k, const double *x, const double *q,
                               const double *u) {
  int n = w->n;
  double *p = w->y + n;

  // p = L_v(q,v) + Dh'c with the plan's c
  if (w->form == FB_VELOCITY) {
    DM_TRY(dm_momentum_of(w->m, x, w->v, p));
    if (!w->nc) return DM_OK;
    DM_TRY(dm_kkt_start(w->k, x));
    const double *along = dm_row(w->impulse, k, w->nc);
    for (int c = 0; c < w->nc; c++)
      for (int i = 0; i < n; i++) // p of a kinematic coordinate is its velocity
        if (!is_kinematic(w, i)) p[i] += w->k->Dh0[c * n + i] * along[c];
    return DM_OK;
  }

  // p = D2(q_k-1, q_k, u_k-1), what the step left; at the first knot the plan's
  memcpy(p, w->f.x + n, (size_t)n * sizeof *p);
  if (k == 0) return DM_OK;
  DM_TRY(dm_interval_eval(w->d, 1, q, x, u, w->f.h));
  for (int i = 0; i < n; i++) p[i] = is_kinematic(w, i) ? (x[i] - q[i]) / w->f.h : w->d->D2[i];
  return DM_OK;
}

void fb_output_feedback_integrate(fb_output_feedback *w, int k, bool cut) {
  const double *y_d = k > 0 ? dm_row(w->y_d, k - 1, w->ny) : NULL;
  for (int i = 0; i < w->f.ni; i++) {
    const int j = w->f.integral[i];
    double step = k > 0 && !cut ? w->f.h * (w->q[j] - y_d[j]) : 0;
    w->z[i] = k > 0 ? w->z[i] + step : 0;
  }
}

dm_status fb_output_feedback_measure(fb_output_feedback *w, int k, const double *x,
                                     const double *q_before, const double *u_before) {
  int n = w->n;
  size_t half = (size_t)n * sizeof *x;
  assert(k >= 0 && k < w->f.N);

  // integrals of errors, which the robot's computer keeps
  memcpy(w->y + w->ny - w->f.ni, w->z, (size_t)w->f.ni * sizeof *w->z);

  // q; of a state p beside it, and no mechanics
  memcpy(w->y, x, half);
  if (w->form == FB_STATE) {
    memcpy(w->y + n, x + n, half);
    return DM_OK;
  }
  if (w->form == FB_VELOCITY) {
    dm_status s = find_constrained_velocity(w, x, w->v);
    if (s != DM_OK) return s;
  }
  if (w->exact) return find_momentum(w, k, x, q_before, u_before);

  // a robot measures Q = q + lag v
  const double *lag = w->m ? w->m->s.lag : NULL;
  // from the state's own (q,p), which the robot need not know
  if (lag && w->form == FB_POSITIONS) DM_TRY(find_constrained_velocity(w, x, w->v));
  for (int i = 0; lag && i < n; i++) w->y[i] += lag[i] * w->v[i];

  // beside it v, or what was measured and applied a step ago; at the first knot the plan's
  if (w->form == FB_VELOCITY) {
    memcpy(w->y + n, w->v, half);
  } else if (k > 0) {
    memcpy(w->y + n, q_before, half);
    memcpy(w->y + 2 * n, u_before, (size_t)w->nf * sizeof *x);
  } else {
    memcpy(w->y + n, w->y_d + n, half + (size_t)w->nf * sizeof *x);
  }
  return DM_OK;
}

void fb_output_feedback_law(const fb_output_feedback *w, int k, const double *y, double *u) {
  int nu = w->f.nu, ny = w->ny;
  const double *G = dm_row(w->G, k, nu * ny), *y_d = dm_row(w->y_d, k, ny);

  // in the order of the C that is written of it, so that both give the same bits
  for (int i = 0; i < nu; i++) {
    double sum = w->c[(size_t)k * nu + i];
    for (int j = 0; j < ny; j++) sum -= G[i * ny + j] * (y[j] - y_d[j]);
    u[i] = sum;
  }
}

// where inputs are late: what was seen a step ago is answered now, with what was applied meanwhile
static dm_status decide_late_input(fb_output_feedback *w, int k, const double *x, double *u) {
  size_t bytes = (size_t)w->f.nu * sizeof *u;

  // the input of this step; w->y is still that of the knot before
  if (k == 0) {
    memcpy(w->decided, w->f.u, bytes);
  } else {
    // y of the knot before, and what was applied since
    memcpy(w->y + w->ny - w->f.nu, u, bytes);
    fb_output_feedback_law(w, k - 1, w->y, w->decided);
  }

  // what is seen now, for the next
  dm_status s = fb_output_feedback_measure(w, k, x, w->q, u);
  memcpy(u, w->decided, bytes);
  return s;
}

// the law as a controller, see fb_controller
static dm_status decide_input(void *self, int k, const double *x, double *u) {
  fb_output_feedback *w = self;

  // an input that was not applied as it was decided was cut
  const size_t bytes = (size_t)w->f.nu * sizeof *u;
  if (w->f.ni) fb_output_feedback_integrate(w, k, k > 0 && memcmp(u, w->decided, bytes) != 0);
  dm_status s =
      w->f.late ? decide_late_input(w, k, x, u) : fb_output_feedback_measure(w, k, x, w->q, u);
  if (s == DM_OK && !w->f.late) fb_output_feedback_law(w, k, w->y, u);

  if (w->f.ni) memcpy(w->decided, u, bytes);

  // what the next knot takes for q_k-1: as measured, Q, but by the mechanics the state's own q
  memcpy(w->q, w->exact ? x : w->y, (size_t)w->n * sizeof *x);
  return s;
}

// -- making it

static dm_status make_law(fb_output_feedback *w, const dm_system *s, dm_message *msg) {
  // the mechanics that the form needs: velocities, constraints, the step
  w->continuous =
      w->f.continuous && w->form == FB_POSITIONS && !w->exact && !s->lag && !s->hol.nc && !s->nk;
  if (w->form == FB_VELOCITY || (w->form == FB_POSITIONS && s->lag) || w->continuous)
    DM_TRY(dm_continuous_new(&w->m, s));
  if (w->form == FB_VELOCITY && w->nc) DM_TRY(dm_kkt_new(&w->k, s));
  if (w->form == FB_VELOCITY && w->nc)
    DM_TRY(fb_constraint_tangent_new(&w->tangent, w->n, w->nc, s->kinematic));
  if (w->form == FB_POSITIONS) DM_TRY(dm_interval_new(&w->d, s));

  for (int k = 0; k < w->f.N; k++) {
    dm_status status = make_gain(w, k);
    if (status != DM_OK)
      return dm_fail(msg, status, "no momentum from %s at knot %d: %s; use measure: state",
                     fb_form_names[w->form], k, dm_status_text(status));
  }
  dm_status status = find_end(w);
  if (status != DM_OK)
    return dm_fail(msg, status, "no velocity at the motion's end: %s; use measure: state",
                   dm_status_text(status));
  return DM_OK;
}

dm_status fb_output_feedback_new(fb_output_feedback **out, const fb_tvlqr *f, const dm_system *s,
                                 fb_form form, bool exact, dm_message *msg) {
  assert(out && f->nx == 2 * s->L.nq && f->K && (unsigned)form < FB_FORMS);
  *out = NULL;

  // y: as many entries as a state, the forces of the step before, the input under way
  fb_output_feedback sizes = {
      .f = *f, .form = form, .exact = exact, .n = s->L.nq, .nf = s->nu, .nc = s->hol.nc};
  // sizes of y: (q,p) or (q,v) or (q_k,q_k-1)
  sizes.ny = f->nx;
  if (form == FB_POSITIONS && !exact) sizes.ny += s->nu;
  if (f->late) sizes.ny += f->nu;
  sizes.ny += f->ni;
  fb_output_feedback *w = dm_block_make(&sizes, sizeof sizes, lay_out_law);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "no memory for gains at %d knots", f->N);

  // the schedule's copy is run by this law
  w->controller = (fb_controller){.self = w, .input = decide_input};
  w->f.by = &w->controller;
  dm_status status = make_law(w, s, msg);
  if (status == DM_OK)
    *out = w;
  else
    fb_output_feedback_free(w);
  return status;
}

void fb_output_feedback_free(fb_output_feedback *w) {
  if (!w) return;
  dm_interval_free(w->d);
  dm_continuous_free(w->m);
  dm_kkt_free(w->k);
  fb_constraint_tangent_free(w->tangent);
  dm_block_free(w);
}
