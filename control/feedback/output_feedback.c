#include "control/feedback/output_feedback.h"

#include "control/feedback/law_tables.h"
#include "control/feedback/plan.h"
#include "control/feedback/receding.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// whether y begins with the state itself
static bool has_state(const fb_output_feedback *w) {
  return w->exact || w->form == FB_STATE;
}

// whether it acts on velocities, measured or found by differences
static bool has_velocity(const fb_output_feedback *w) {
  return w->form == FB_VELOCITY || w->form == FB_DIFFERENCE;
}

static bool is_kinematic(const fb_output_feedback *w, int i) {
  const dm_system *s = w->d ? &w->d->s : &w->m->s; // of either form
  return s->kinematic && s->kinematic[i];
}

// -- the gains

// the derivatives of p_i by y [ny]
typedef void momentum_derivative(const fb_output_feedback *w, int i, double *dp);

// y = (q,v): p = L_v + Dh'c, so dp = [L_vq + c D2h, L_vv]; for a kinematic coordinate the entry is its v
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

// y = (q_k, q_k-1, u_k-1): p = D2, so dp = [D22, D21, D2u]; for a kinematic coordinate the entry is
// (q_k - q_k-1) / h
static void differentiate_by_positions(const fb_output_feedback *w, int i, double *dp) {
  const dm_interval *d = w->d;
  int n = w->n;
  for (int j = 0; j < n; j++) {
    dp[j] = is_kinematic(w, i) ? (i == j) / w->f.h : d->D22[i * n + j];
    dp[n + j] = is_kinematic(w, i) ? -(i == j) / w->f.h : d->D21[i * n + j];
  }
  for (int e = 0; e < d->nz; e++)
    // D2u has entries (row, col) if inputs drive momenta
    if (d->row[e] == i && !is_kinematic(w, i)) dp[2 * n + d->col[e]] += d->D2u[e];
}

// G <- G + K_p dp/dy, G [rows x width], K = [K_q, K_p] [rows x 2n]
static void add_momentum_gains(fb_output_feedback *w, momentum_derivative *derivative, int rows,
                               const double *K, int width, double *G) {
  int n = w->n;
  double *dp = w->y; // not in use yet
  for (int i = 0; i < n; i++) {
    memset(dp, 0, (size_t)w->ny * sizeof *dp);
    derivative(w, i, dp);
    for (int r = 0; r < rows; r++)
      // K [rows x 2n]: column n + i belongs to p_i
      for (int j = 0; j < width; j++) G[r * width + j] += K[r * 2 * n + n + i] * dp[j];
  }
}

// the velocity [n] of a state x, on the constraints
static dm_status find_constrained_velocity(fb_output_feedback *w, const double *x, double *v) {
  memset(v, 0, (size_t)w->n * sizeof *v);
  dm_status s = dm_velocity_of(w->m, x, x + w->n, v);
  return s == DM_OK && w->nc ? dm_velocity_restrict(w->m, x, v) : s;
}

// the c [nc] of p = L_v + Dh'c at a state x = (q,p), and H = c D2h, the derivative of Dh'c by q
static dm_status find_constraint_momentum(fb_output_feedback *w, const double *x, const double *v,
                                          double *along) {
  const dm_holonomic *hol = &w->m->s.hol;
  int n = w->n;

  // r = p - L_v, and the c that minimizes its remainder
  DM_TRY(dm_momentum_of(w->m, x, v, w->r));
  // p differs from L_v by the constraints only
  for (int i = 0; i < n; i++) w->r[i] = x[n + i] - w->r[i];
  DM_TRY(dm_kkt_start(w->k, x));
  DM_TRY(fb_constraint_tangent_set(w->tangent, w->k->Dh0));
  fb_constraint_tangent_impulse(w->tangent, w->r, along);

  memset(w->H, 0, (size_t)(n * n) * sizeof *w->H);
  return hol->contract(hol->self, w->k->scratch, x, along, w->H);
}

// the derivatives of p = L_v + Dh'c at knot k, y_d = (q_d, v_d)
static dm_status differentiate_velocity(fb_output_feedback *w, int k, double *y_d) {
  int n = w->n;
  const double *x = dm_row(w->f.x, k, w->f.nx);
  dm_status s = find_constrained_velocity(w, x, y_d + n);
  if (s == DM_OK && w->nc)
    s = find_constraint_momentum(w, x, y_d + n, dm_row(w->impulse, k, w->nc));
  if (s != DM_OK) return s;
  return w->m->s.L.eval(w->m->s.L.self, w->m->sweep, 2, x, y_d + n, &w->m->jet);
}

// the derivatives of p = D2 at knot k, y_d = (q_k, q_k-1, u_k-1) of the plan
static dm_status differentiate_positions(fb_output_feedback *w, int k, double *y_d) {
  const fb_tvlqr *f = &w->f;
  int n = w->n, before = k > 0 ? k - 1 : 0;
  const double *q0 = dm_row(f->x, before, f->nx), *q1 = dm_row(f->x, k, f->nx);
  const double *u = dm_row(f->u, before, f->nu);
  memcpy(y_d + n, q0, (size_t)n * sizeof *y_d);
  memcpy(y_d + 2 * n, u, (size_t)w->nf * sizeof *y_d);
  if (k == 0) return DM_OK; // there is no step before: use the planned momentum
  if (w->continuous) {
    DM_TRY(find_constrained_velocity(w, q1, w->v));
    DM_TRY(fb_plan_before(w->m, n, f->h, q1, w->v, u, w->back, y_d + n));
  }
  return dm_interval_eval(w->d, 2, q0, q1, u, f->h);
}

// G [rows x width] for positions Q if q lags: q = Q - lag v, v = (Q_k - Q_k-1) / h if y has no v
static void allow_rows_for_lag(const fb_output_feedback *w, int k, int rows, int width, double *G) {
  const double *lag = w->m->s.lag;
  int n = w->n;

  // G's columns of the lagging q's: with velocities G_v <- G_v - lag G_q; without them Q_k takes
  // -lag/h of both, Q_k-1 the opposite
  for (int r = 0; r < rows; r++) {
    // columns of Q_k, and of v or Q_k-1
    double *now = G + r * width, *then = now + n;
    for (int i = 0; i < n; i++) {
      bool rates = has_velocity(w);
      double moved = lag[i] * (rates ? now[i] : (now[i] + then[i]) / w->f.h);
      if (!rates && k == 0) moved = 0; // there is no step before
      then[i] += rates ? -moved : moved;
      if (!rates) now[i] -= moved;
    }
  }
}

// y_d has physical positions: Q_d = q_d + lag v_d, for the knot and the one before
static dm_status allow_plan_for_lag(fb_output_feedback *w, int k, double *y_d) {
  const double *lag = w->m->s.lag;
  int n = w->n, nx = w->f.nx, before = k > 0 ? k - 1 : 0;
  DM_TRY(find_constrained_velocity(w, dm_row(w->f.x, k, nx), w->v));
  for (int i = 0; i < n; i++) y_d[i] += lag[i] * w->v[i];
  if (has_velocity(w)) return DM_OK;
  DM_TRY(find_constrained_velocity(w, dm_row(w->f.x, before, nx), w->v));
  for (int i = 0; i < n; i++) y_d[n + i] += lag[i] * w->v[i];
  return DM_OK;
}

// K J [rows x width]: rows K [rows x 2n] for a state's deviation, applied to measurements, dx = J dy
static void change_rows(fb_output_feedback *w, int k, int rows, const double *K, int width,
                        double *G) {
  const int own = has_state(w) ? 2 * w->n : w->n; // of K, K_q
  memset(G, 0, (size_t)rows * (size_t)width * sizeof *G);
  for (int r = 0; r < rows; r++) memcpy(G + r * width, K + r * 2 * w->n, (size_t)own * sizeof *G);
  if (has_state(w)) return;

  // at the first knot, positions have no step before: p is the planned one
  if (has_velocity(w))
    add_momentum_gains(w, differentiate_by_velocity, rows, K, width, G);
  else if (k > 0)
    add_momentum_gains(w, differentiate_by_positions, rows, K, width, G);
  if (w->m && w->m->s.lag) allow_rows_for_lag(w, k, rows, width, G);
}

// J'P J at knot k, lower triangle by rows, off-diagonal entries doubled
static void change_cost(fb_output_feedback *w, int k) {
  const int nx = 2 * w->n, nm = w->nm;
  const double *P = dm_row(w->f.P, k, nx * nx);
  double *M = w->PJ, *T = M + nm * nm, *packed = dm_row(w->P, k, fb_law_packed(nm));

  // M = P J [nx x nm], then its transpose [nm x nx] by J; P is symmetric
  change_rows(w, k, nx, P, nm, M);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nm; j++) T[j * nx + i] = M[i * nm + j];
  change_rows(w, k, nm, T, nm, M);
  for (int i = 0; i < nm; i++)
    for (int j = 0; j <= i; j++) *packed++ = i == j ? M[i * nm + i] : M[i * nm + j] + M[j * nm + i];
}

// the input under way in y: the last nu entries of y_d, and W in the last columns of G
static void append_late_input(fb_output_feedback *w, int k, double *G, double *y_d) {
  const fb_tvlqr *f = &w->f;
  int nu = f->nu, ny = w->ny;
  memcpy(y_d + ny - nu, dm_row(f->u, k, nu), (size_t)nu * sizeof *y_d);
  for (int r = 0; r < nu; r++)
    memcpy(G + r * ny + ny - nu, dm_row(f->W, k * nu + r, nu), (size_t)nu * sizeof *G);
}

// the weights of (q,p) at a knot in terms of y: the diagonal of J'QJ, dp = J dy; their mean over all knots
static void add_path_weights(fb_output_feedback *w) {
  const double *Q = w->f.path;
  const int n = w->n;
  const bool state = has_state(w);
  double *dp = w->y; // not in use yet
  for (int i = 0; i < n; i++) {
    w->near[i] += Q[i] / w->N;
    if (state) w->near[n + i] += Q[n + i] / w->N;
    if (state) continue;
    differentiate_by_velocity(w, i, dp);
    for (int j = 0; j < 2 * n; j++) w->near[j] += Q[n + i] * dp[j] * dp[j] / w->N;
  }
}

// the tables by which friction is compensated at knot k, whose L_vv is in w->m; c without friction
static void take_friction_off(fb_output_feedback *w, int k, double *c) {
  const fb_friction *of = w->f.friction;
  const double *x = dm_row(w->f.x, k, w->f.nx), *x1 = x + w->f.nx;
  double *mass = dm_row(w->mass, k, w->f.nu), *ahead = dm_row(w->ahead, k, w->f.nu);
  for (int j = 0; j < w->f.nu; j++) {
    const double F = of->force[j];
    const int i = of->along[j];
    if (!(F > 0)) continue;
    mass[j] = w->m->jet.L_vv[i * w->n + i] / (w->f.h * of->gear[j]);
    ahead[j] = (x1[i] - x[i]) / w->f.h;
    if (of->planned[j]) c[j] -= fmin(fmax(FB_STEEP * mass[j] * ahead[j], -F), F);
  }
}

// G, y_d and c of knot k
static dm_status make_gain(fb_output_feedback *w, int k) {
  const fb_tvlqr *f = &w->f;
  int n = w->n, nu = f->nu, ny = w->ny;
  const double *x = dm_row(f->x, k, f->nx), *K = dm_row(f->K, k, nu * f->nx);
  double *G = dm_row(w->G, k, nu * ny), *y_d = dm_row(w->y_d, k, ny);

  // c: the planned input to which the law adds, of the next step if inputs are late
  // the last step of late inputs has no next step
  int next = f->late && k + 1 < w->N ? k + 1 : k;
  memcpy(dm_row(w->c, k, nu), dm_row(f->u, next, nu), (size_t)nu * sizeof *w->c);

  // if y is the state, y_d = x_d; else y_d begins with q_d, and p has derivatives; an exact law by
  // velocities needs only the plan's c [nc]
  const bool state = has_state(w);
  memcpy(y_d, x, (size_t)(state ? f->nx : n) * sizeof *y_d);
  dm_status s = DM_OK;
  if (!state && has_velocity(w)) {
    s = differentiate_velocity(w, k, y_d);
  } else if (!state) {
    s = differentiate_positions(w, k, y_d);
  } else if (has_velocity(w) && w->nc) {
    s = find_constrained_velocity(w, x, w->v);
    if (s == DM_OK) s = find_constraint_momentum(w, x, w->v, dm_row(w->impulse, k, w->nc));
  }
  if (s != DM_OK) return s;

  if (w->compensates) take_friction_off(w, k, dm_row(w->c, k, nu));

  // u_d - K dx and dx'P dx, in terms of measurements
  change_rows(w, k, nu, K, ny, G);
  if (w->nm) change_cost(w, k);
  if (w->near) add_path_weights(w);
  if (f->sections)
    change_rows(w, k, 1, dm_row(f->section, k, f->nx), ny, dm_row(w->section, k, ny));
  if (!state && w->m && w->m->s.lag) s = allow_plan_for_lag(w, k, y_d);

  for (int r = 0; r < nu && w->kept; r++)
    memcpy(G + r * ny + w->kept_at, dm_row(f->Ki, k * nu + r, w->kept),
           (size_t)w->kept * sizeof *G);

  // the input under way follows in y
  if (f->late) append_late_input(w, k, G, y_d);
  return s;
}

// y_d at the end of the motion, needed for times between the last two knots; the input under way
// stays that of the last knot
static dm_status find_end(fb_output_feedback *w) {
  const int n = w->n, N = w->N;
  const double *x = dm_row(w->f.x, N, w->f.nx), *lag = w->m ? w->m->s.lag : NULL;
  double *y_d = dm_row(w->y_d, N, w->ny);
  memcpy(y_d, y_d - w->ny, (size_t)w->ny * sizeof *y_d);

  // (q,p), or (q,v) with Q = q + lag v
  if (w->exact || w->form == FB_STATE) memcpy(y_d, x, (size_t)w->f.nx * sizeof *y_d);
  if (w->exact || w->form == FB_STATE) return DM_OK;

  // for positions (Q_N, Q_N-1, u_N-1)
  if (w->form == FB_POSITIONS) {
    memcpy(y_d + n, y_d - w->ny, (size_t)n * sizeof *y_d);
    memcpy(y_d, x, (size_t)n * sizeof *y_d);
    const double *u = dm_row(w->f.u, N - 1, w->f.nu);
    memcpy(y_d + 2 * n, u, (size_t)w->nf * sizeof *y_d);
    if (w->continuous) {
      DM_TRY(find_constrained_velocity(w, x, w->v));
      return fb_plan_before(w->m, n, w->f.h, x, w->v, u, w->back, y_d + n);
    }
    if (!lag) return DM_OK;
    DM_TRY(find_constrained_velocity(w, x, w->v));
    for (int i = 0; i < n; i++) y_d[i] += lag[i] * w->v[i];
    return DM_OK;
  }
  DM_TRY(find_constrained_velocity(w, x, y_d + n));
  for (int i = 0; i < n; i++) y_d[i] = x[i] + (lag ? lag[i] * y_d[n + i] : 0);
  return DM_OK;
}

// -- a run

void fb_output_feedback_date(fb_output_feedback *w, double t, double age) {
  w->told = true;
  w->next[0] = t;
  w->next[1] = age;
}

void fb_output_feedback_look_back(fb_output_feedback *w, const double *x) {
  w->looked = true;
  memcpy(w->earlier, x, 2 * (size_t)w->n * sizeof *x);
}

// the mean force over the step before the measurement of call k, into w->force
static void find_mean_force(fb_output_feedback *w, int k) {
  const double h = w->f.h, end = w->age > 0 ? w->t - w->age : w->t, begin = end - h;
  const size_t nf = (size_t)w->nf;
  memset(w->force, 0, nf * sizeof *w->force);

  // backwards from the last force, each weighted by its duration
  double to = end;
  for (int j = k - 1; j >= -1 && to > begin; j--) {
    const double *u = j < 0 ? w->f.u : dm_row(w->acted, j, nf);
    const double from = j < 0 ? begin : fmax(w->since[j], begin);
    if (from >= to) continue;
    for (size_t i = 0; i < nf; i++) w->force[i] += (to - from) / h * u[i];
    to = from;
  }
}

// the kind of call for the current measurement
static fb_call call_of(const fb_output_feedback *w, int k) {
  return (fb_call){.k = k, .timed = w->timed, .t = w->t, .age = w->age, .hold = w->f.h};
}

// the next measurement belongs to knot k, or to the times that were set
static void take_times(fb_output_feedback *w, int k) {
  const bool known = w->has_speeds || (has_velocity(w) && !w->exact);
  const double on_time = k * w->f.h;
  w->t = w->told ? w->next[0] : on_time;
  w->age = w->told ? w->next[1] : 0;
  w->timed = w->told && known && !w->near && (w->t != on_time || w->age > 0);
  w->told = false;
  if (!w->timed) w->t = on_time;
  const fb_call call = call_of(w, k);
  if (w->timed && w->form == FB_POSITIONS) w->board->by->plan(w->board, &call, w->then, w->mean);
}

// the measurement one step before, and the mean force since, for a law by positions that is
// evaluated off its knots
static dm_status find_step_before(fb_output_feedback *w, int k, const double *u,
                                  const double **q_before, const double **u_before) {
  const double *lag = w->m && !w->exact ? w->m->s.lag : NULL;
  const bool looked = w->looked;
  w->looked = false;
  w->since[k] = w->t;
  if (k == 0) return DM_OK;
  memcpy(dm_row(w->acted, k - 1, w->nf), u, (size_t)w->nf * sizeof *u);
  if (!w->timed && !looked) return DM_OK;

  // the mean force; the positions, Q = q + lag v
  find_mean_force(w, k);
  *u_before = w->force;
  if (!looked) return DM_OK;
  *q_before = w->earlier;
  if (!lag) return DM_OK;
  DM_TRY(find_constrained_velocity(w, w->earlier, w->v));
  for (int i = 0; i < w->n; i++) w->earlier[i] += lag[i] * w->v[i];
  return DM_OK;
}

// (q,p) from measurements, by the mechanics
static dm_status find_momentum(fb_output_feedback *w, int k, const double *x, const double *q,
                               const double *u) {
  int n = w->n;
  double *p = w->y + n;

  // by the tree on board
  const fb_call call = call_of(w, k);
  if (!has_velocity(w)) memcpy(w->before, k > 0 ? q : x, (size_t)n * sizeof *q);
  if (!has_velocity(w) && u != w->force)
    memcpy(w->force, k > 0 ? u : w->f.u, (size_t)w->nf * sizeof *u);
  if (w->horizon)
    fb_receding_measure(w, k, x, has_velocity(w) ? w->v : w->before, w->force);
  else if (w->f.tree && has_velocity(w))
    w->board->by->momentum(w->board, x, w->v, p);
  else if (w->f.tree)
    w->board->by->past(w->board, &call, x, w->before, w->force, p);
  if (w->horizon || w->f.tree) return DM_OK;

  // p = L_v(q,v) + Dh'c with the plan's c
  if (has_velocity(w)) {
    DM_TRY(dm_momentum_of(w->m, x, w->v, p));
    if (!w->nc) return DM_OK;
    DM_TRY(dm_kkt_start(w->k, x));
    const double *along = dm_row(w->impulse, k, w->nc);
    for (int c = 0; c < w->nc; c++)
      for (int i = 0; i < n; i++) // p of a kinematic coordinate is its velocity
        if (!is_kinematic(w, i)) p[i] += w->k->Dh0[c * n + i] * along[c];
    return DM_OK;
  }

  // p = D2(q_k-1, q_k, u_k-1) of the previous step; the planned p if no step precedes
  memcpy(p, (w->timed ? w->then : w->f.x) + n, (size_t)n * sizeof *p);
  if (k == 0 || (w->timed && w->t - w->age < w->f.h)) return DM_OK;
  DM_TRY(dm_interval_eval(w->d, 1, q, x, u, w->f.h));
  for (int i = 0; i < n; i++) p[i] = is_kinematic(w, i) ? (x[i] - q[i]) / w->f.h : w->d->D2[i];
  return DM_OK;
}

dm_status fb_output_feedback_measure(fb_output_feedback *w, int k, const double *x,
                                     const double *q_before, const double *u_before) {
  int n = w->n;
  size_t half = (size_t)n * sizeof *x;
  assert(k >= 0 && k < w->N);
  take_times(w, k);
  if (w->form == FB_POSITIONS) DM_TRY(find_step_before(w, k, u_before, &q_before, &u_before));

  // the states that the robot's computer keeps; torques of motors may be the sensor's
  const size_t kept = (size_t)w->kept;
  const double *motor = w->f.sensor ? w->f.sensor->motor : NULL;
  if (k == 0) memset(w->z, 0, kept * sizeof *w->z);
  if (motor) memcpy(w->z + w->f.ni, motor, (size_t)w->f.nl * sizeof *w->z);
  memcpy(w->y + w->kept_at, w->z, kept * sizeof *w->z);

  // q; if y is the state, p follows and no mechanics are needed
  const bool sees_state = w->form == FB_STATE;
  memcpy(w->y, x, sees_state ? 2 * half : half);
  if (sees_state && w->horizon) fb_receding_measure(w, k, x, x + n, NULL);
  if (sees_state) return DM_OK;
  const fb_call call = call_of(w, k);
  const bool differs = w->form == FB_DIFFERENCE;
  if (w->form == FB_VELOCITY) DM_TRY(find_constrained_velocity(w, x, w->v));
  if (differs && w->exact) w->board->by->differ(w->board, &call, w->y, w->v);
  if (w->exact) return find_momentum(w, k, x, q_before, u_before);

  // a robot measures Q = q + lag v
  const double *lag = w->m ? w->m->s.lag : NULL;
  // from the state's (q,p), which the robot need not know
  if (lag && w->form != FB_VELOCITY) DM_TRY(find_constrained_velocity(w, x, w->v));
  for (int i = 0; lag && i < n; i++) w->y[i] += lag[i] * w->v[i];
  if (differs) w->board->by->differ(w->board, &call, w->y, w->v);

  // followed by v, or by the measurement and the forces one step ago; at the first knot, those of the plan
  if (has_velocity(w)) {
    memcpy(w->y + n, w->v, half);
  } else if (k > 0) {
    memcpy(w->y + n, q_before, half);
    memcpy(w->y + 2 * n, u_before, (size_t)w->nf * sizeof *x);
  } else {
    memcpy(w->y + n, (w->timed ? w->then : w->y_d) + n, half + (size_t)w->nf * sizeof *x);
  }
  return DM_OK;
}

void fb_output_feedback_stop_at(fb_output_feedback *w, int N, double *x) {
  assert(N <= w->N);
  w->f.N = N;
  w->f.x = x;
}

bool fb_output_feedback_turns(const fb_output_feedback *w, int j) {
  const bool both = w->form == FB_POSITIONS && !w->exact; // q, and the previous q
  return w->f.turns && j < (both ? 2 : 1) * w->n && w->f.turns[j % w->n];
}

// start a run: no envelope was left and no input applied
static void begin_run(fb_output_feedback *w) {
  w->board->by->begin(w->board);
  if (w->horizon) w->horizon->begin(w->horizon);
  w->horizons = (fb_horizon_record){0};
  w->excursion = (fb_excursion){.left = -1};
}

// how close the last call was to leaving the envelope
static void note_excursion(fb_output_feedback *w, int k, bool lost) {
  fb_excursion *run = &w->excursion;
  double bound, cost;
  w->board->by->reach(w->board, &bound, &cost);
  run->cost = fmax(run->cost, cost);
  run->reach = fmax(run->reach, bound);
  if (w->nm) run->reach = fmax(run->reach, sqrt(fmax(0, cost) / w->f.envelope->cost));
  if (lost && run->left < 0) run->left = k;
}

void fb_output_feedback_decide(fb_output_feedback *w, int k, const double *acting, double *u) {
  if (w->horizon) {
    fb_receding_decide(w, k, u);
    return;
  }
  const fb_call call = call_of(w, k);
  if (k == 0) begin_run(w);
  const bool lost = w->board->by->decide(w->board, &call, w->y, w->v, acting, u);
  w->at = w->board->by->knot(w->board);
  if (w->f.envelope) note_excursion(w, k, lost);
}

// for late inputs: the previous measurement is used now, with the input applied meanwhile
static dm_status decide_late_input(fb_output_feedback *w, int k, const double *x, double *u) {
  const size_t bytes = (size_t)w->f.nu * sizeof *u;

  // the input of this step; w->y is still from the previous knot
  if (k == 0) {
    begin_run(w);
    memcpy(w->decided, w->f.u, bytes);
  } else {
    memcpy(w->y + w->ny - w->f.nu, u, bytes);
    fb_output_feedback_decide(w, k - 1, NULL, w->decided);
    w->board->by->follow(w->board, u, w->z + w->f.ni);
  }

  // the current measurement, for the next step
  dm_status s = fb_output_feedback_measure(w, k, x, w->q, u);
  memcpy(u, w->decided, bytes);
  return s;
}

// the law as a controller, see fb_controller
static dm_status decide_input(void *self, int k, const double *x, double *u) {
  fb_output_feedback *w = self;

  // the input that was applied in the previous step, and the kept states after it
  if (k == 0) begin_run(w);
  if (k > 0) w->board->by->apply(w->board, u);
  if (k > 0 && w->f.ni) w->board->by->integrate(w->board, w->z);
  if (k > 0 && !w->f.late) w->board->by->follow(w->board, u, w->z + w->f.ni);
  dm_status s =
      w->f.late ? decide_late_input(w, k, x, u) : fb_output_feedback_measure(w, k, x, w->q, u);
  const double *acting = w->f.sensor ? w->f.sensor->acting : NULL;
  if (s == DM_OK && !w->f.late) fb_output_feedback_decide(w, k, acting, u);

  // q_k-1 for the next knot: as measured, Q; for exact laws the state's own q
  memcpy(w->q, w->exact ? x : w->y, (size_t)w->n * sizeof *x);
  return s;
}

static void date_call(void *self, double t, double age) {
  fb_output_feedback_date(self, t, age);
}

static void see_earlier(void *self, const double *x) {
  fb_output_feedback_look_back(self, x);
}

// -- construction

// the mechanics that the form needs: velocities, constraints, the step
static dm_status make_mechanics(fb_output_feedback *w, const dm_system *s) {
  w->continuous =
      w->f.continuous && w->form == FB_POSITIONS && !w->exact && !s->lag && !s->hol.nc && !s->nk;
  if (has_velocity(w) || (w->form == FB_POSITIONS && s->lag) || w->continuous)
    DM_TRY(dm_continuous_new(&w->m, s));
  if (has_velocity(w) && w->nc) DM_TRY(dm_kkt_new(&w->k, s));
  if (has_velocity(w) && w->nc)
    DM_TRY(fb_constraint_tangent_new(&w->tangent, w->n, w->nc, s->hol.nv, s->kinematic));
  return w->form == FB_POSITIONS ? dm_interval_new(&w->d, s) : DM_OK;
}

// the law on board
static dm_status make_board(fb_output_feedback *w) {
  for (int j = 0; j < w->ny; j++) w->turns[j] = fb_output_feedback_turns(w, j);
  if (w->f.sections && !w->board) fb_law_orbit(w);
  for (int i = 0; i < w->f.nu; i++) {
    w->unlimited[i] = -DBL_MAX;
    w->unlimited[w->f.nu + i] = DBL_MAX;
    // sums with "no limit" stay finite, also in single precision
    if (w->f.rate_limit) w->u_step[i] = fmin(w->f.rate_limit[i] * w->f.h, FLT_MAX / 4);
  }
  const tables T = fb_law_tables(w);
  struct fb_onboard *board = fb_precision_double.make(&T);
  if (!board) return DM_NO_MEMORY;
  w->board = board;
  return DM_OK;
}

dm_status fb_output_feedback_leave_out(fb_output_feedback *w, bool envelope, bool rate_limits) {
  if (w->board != w->whole) dm_block_free(w->board);
  w->board = w->whole;
  w->f.envelope = envelope ? NULL : w->envelope;
  w->f.rate_limit = rate_limits ? NULL : w->rate_limit;
  w->f.excursion = w->f.envelope ? &w->excursion : NULL;
  if (!envelope && !rate_limits) return DM_OK;

  // other tables; all parts again if there is no memory for them
  const dm_status s = make_board(w);
  if (s != DM_OK) (void)fb_output_feedback_leave_out(w, false, false);
  return s;
}

static dm_status make_law(fb_output_feedback *w, const dm_system *s, dm_message *msg) {
  dm_status status = make_mechanics(w, s);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));

  for (int k = 0; k < w->N; k++) {
    status = make_gain(w, k);
    if (status != DM_OK)
      return dm_fail(msg, status, "no momentum from %s at knot %d: %s; use measure: state",
                     fb_form_names[w->form], k, dm_status_text(status));
  }
  // a plan without speeds is known only at its knots
  int knot;
  status = w->has_speeds ? fb_plan_speeds(&w->f, s, w->v_d, &knot) : DM_OK;
  if (status == DM_NO_MEMORY) return dm_fail(msg, status, "out of memory");
  if (status != DM_OK && w->form == FB_DIFFERENCE)
    return dm_fail(msg, status, "no velocity at knot %d: %s; use measure: state", knot,
                   dm_status_text(status));
  w->has_speeds = w->has_speeds && status == DM_OK;
  status = find_end(w);
  if (status != DM_OK)
    return dm_fail(msg, status, "no velocity at the motion's end: %s; use measure: state",
                   dm_status_text(status));
  return make_board(w) == DM_OK ? DM_OK : dm_fail(msg, DM_NO_MEMORY, "out of memory");
}

dm_status fb_output_feedback_new(fb_output_feedback **out, const fb_tvlqr *f, const dm_system *s,
                                 fb_form form, bool exact, dm_message *msg) {
  assert(out && f->nx == 2 * s->L.nq && f->K && (unsigned)form < FB_FORMS);
  *out = NULL;

  fb_output_feedback sizes = {
      .f = *f, .N = f->N, .form = form, .exact = exact, .n = s->L.nq, .nf = s->nu, .nc = s->hol.nc};
  // sizes of y: (q,p) or (q,v) or (q_k,q_k-1)
  sizes.ny = f->nx;
  if (form == FB_POSITIONS && !exact) sizes.ny += s->nu;
  if (f->envelope && f->envelope->cost > 0) sizes.nm = sizes.ny;
  sizes.kept_at = sizes.ny;
  sizes.ny += sizes.kept = f->ni + f->nl;
  if (f->late) sizes.ny += f->nu;
  sizes.compensates = f->friction && has_velocity(&sizes) && !exact;
  sizes.has_speeds = exact || form == FB_STATE || form == FB_POSITIONS;
  assert(!sizes.nm || f->P);
  fb_output_feedback *w = dm_block_make(&sizes, sizeof sizes, fb_law_lay_out);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "no memory for gains at %d knots", f->N);

  // this law runs the schedule's copy
  w->controller = (fb_controller){.self = w, .input = decide_input, .date = date_call};
  w->f.by = &w->controller;
  w->f.excursion = f->envelope ? &w->excursion : NULL;
  dm_status status = make_law(w, s, msg);
  if (form == FB_POSITIONS && w->has_speeds) w->controller.look_back = see_earlier;
  w->whole = w->board;
  w->envelope = f->envelope;
  w->rate_limit = f->rate_limit;
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
  if (w->board != w->whole) dm_block_free(w->board);
  dm_block_free(w->whole);
  dm_block_free(w->horizon);
  dm_block_free(w);
}
