#include "optim/program/join_map.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"

#include <math.h>
#include <string.h>

enum { BEFORE, AFTER };

// One side of the map, at one point.
typedef struct map_side {
  const dm_system *s;
  dm_holonomic f;
  int n;
  dm_continuous *c;
  double *q, *v;         // [n] the evaluation point
  double *y, *y_q;       // [f.nc], [f.nc x n] of functions
  double *y_qq;          // [f.nc x n] the change of y_q along v
  double *v_q, *v_p;     // [n x n] derivatives of the velocity by the state
  dm_jet L;              // at that point
  void *scratch, *sweep; // of f, of L
} map_side;

struct oc_join_map {
  const oc_join *join;
  map_side side[2];
  int np, nc, size; // pairs; constraints after; size of K
  double *K;        // [size x size] by (q_a', q_b, multipliers of pairs, of constraints)
  int *piv;         // [size]
  double *scale;    // [size] powers of two by which its rows and columns are scaled
  bool rates;       // K is that of velocities: pairs with a range are continuous as well
  double *M;        // [m x m] L_vv of the phase before
  double *E;        // [n] regularization of coordinates after without a pair
  double *r, *rows; // [size], [size x 2m] right-hand sides and solutions
  double *h, *Dh;   // [nc], [nc x n]
  double *Dh_v;     // [nc x n] the change of Dh along v
  double *p, *P;    // [n] Phi' p_a; [n x 2m] its slope
  double *p_a, *by; // [m] p before; [f.nc] its part for the functions after
  double *bend;     // [n x n] p_a Phi_q by q_b
  double *x;        // [2n] a state of the phase after
};

static void lay_out_map_side(map_side *s, dm_block *b) {
  const size_t n = (size_t)s->n, nf = (size_t)s->f.nc;
  double **const vectors[] = {&s->q, &s->v, &s->L.L_q, &s->L.L_v};
  double **const squares[] = {&s->v_q, &s->v_p, &s->L.L_qq, &s->L.L_qv, &s->L.L_vv};
  double **const slim[] = {&s->y_q, &s->y_qq};
  for (int i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  for (int i = 0; i < 5; i++) *squares[i] = dm_block_alloc(b, n * n, sizeof(double));
  for (int i = 0; i < 2; i++) *slim[i] = dm_block_alloc(b, nf * n, sizeof(double));
  s->y = dm_block_alloc(b, nf, sizeof(double));
  s->scratch = dm_block_alloc(b, s->f.scratch, 1);
  s->sweep = dm_block_alloc(b, s->s->L.scratch, 1);
}

static void lay_out_map(void *self, dm_block *b) {
  oc_join_map *w = self;
  const size_t m = (size_t)w->side[BEFORE].n, n = (size_t)w->side[AFTER].n;
  const size_t nc = (size_t)w->nc, size = (size_t)w->size;
  for (int i = 0; i < 2; i++) lay_out_map_side(&w->side[i], b);

  // the linear system of both sides, the quantities for its right-hand sides, and the momenta
  w->K = dm_block_alloc(b, size * size, sizeof *w->K);
  w->piv = dm_block_alloc(b, size, sizeof *w->piv);
  w->scale = dm_block_alloc(b, size, sizeof(double));
  w->M = dm_block_alloc(b, m * m, sizeof *w->M);
  w->E = dm_block_alloc(b, n, sizeof *w->E);
  w->r = dm_block_alloc(b, size, sizeof *w->r);
  w->rows = dm_block_alloc(b, size * 2 * m, sizeof *w->rows);
  w->h = dm_block_alloc(b, nc, sizeof *w->h);
  w->Dh = dm_block_alloc(b, nc * n, sizeof *w->Dh);
  w->Dh_v = dm_block_alloc(b, nc * n, sizeof *w->Dh_v);
  w->p = dm_block_alloc(b, n, sizeof *w->p);
  w->P = dm_block_alloc(b, n * 2 * m, sizeof *w->P);
  w->p_a = dm_block_alloc(b, m, sizeof *w->p_a);
  w->by = dm_block_alloc(b, (size_t)w->side[AFTER].f.nc, sizeof *w->by);
  w->bend = dm_block_alloc(b, n * n, sizeof *w->bend);
  w->x = dm_block_alloc(b, 2 * n, sizeof *w->x);
}

void oc_join_map_free(oc_join_map *w) {
  if (!w) return;
  for (int i = 0; i < 2; i++) dm_continuous_free(w->side[i].c);
  dm_block_free(w);
}

// is the position after not determined by the pair?
static bool is_loose(const oc_pair *pair) {
  return pair->low < pair->high;
}

dm_status oc_join_map_new(oc_join_map **out, const oc_join *join, const oc_task *before,
                          const oc_task *after) {
  const dm_system *a = &before->system, *b = &after->system;
  *out = NULL;
  if (a->nk || b->nk) return DM_UNAVAILABLE;

  // unknowns of both sides, multipliers of the pairs and of the constraints after
  oc_join_map sizes = {.join = join, .np = join->npairs, .nc = b->hol.nc};
  sizes.side[BEFORE] = (map_side){.s = a, .f = join->before, .n = a->L.nq};
  sizes.side[AFTER] = (map_side){.s = b, .f = join->after, .n = b->L.nq};
  sizes.size = a->L.nq + b->L.nq + sizes.np + sizes.nc;
  oc_join_map *w = dm_block_make(&sizes, sizeof sizes, lay_out_map);
  if (!w) return DM_NO_MEMORY;
  dm_status s = dm_continuous_new(&w->side[BEFORE].c, a);
  if (s == DM_OK) s = dm_continuous_new(&w->side[AFTER].c, b);
  if (s != DM_OK) {
    oc_join_map_free(w);
    return s;
  }
  *out = w;
  return DM_OK;
}

// -- the equations at one point

static int find_pair_value(const oc_join_map *w, int side, int pair) {
  const oc_pair *p = &w->join->pairs[pair];
  return side == AFTER ? p->after : p->before;
}

// the row of functions for a value; negative: it is a coordinate
static int find_function_row(int value) {
  return -1 - value;
}

static dm_status eval_map_lagrangian(map_side *s) {
  const dm_lagrangian *L = &s->s->L;
  return L->eval(L->self, s->sweep, 2, s->q, s->v, &s->L);
}

// y, y_q; functions without a pair may be undefined
static dm_status eval_map_functions(map_side *s) {
  if (!s->f.nc) return DM_OK;
  const dm_status status = s->f.eval(s->f.self, s->scratch, s->q, s->y, s->y_q);
  return status == DM_NOT_FINITE ? DM_OK : status;
}

static double read_map_value(const map_side *s, int value) {
  return value >= 0 ? s->q[value] : s->y[find_function_row(value)];
}

// the derivative of a value by q, times sign, into a row and into a column of K
static void put_map_value(oc_join_map *w, const map_side *s, int value, double sign, int row,
                          int at) {
  for (int i = 0; i < s->n; i++) {
    const int f = find_function_row(value);
    const double y_q = f < 0 ? (i == value ? 1 : 0) : s->y_q[f * s->n + i];
    w->K[row * w->size + at + i] = w->K[(at + i) * w->size + row] = sign * y_q;
  }
}

static void scale_row(oc_join_map *w, int i, double by) {
  for (int j = 0; j < w->size; j++) {
    w->K[i * w->size + j] *= by;
    w->K[j * w->size + i] *= by;
  }
  w->scale[i] = by;
}

// the largest entry of row i in the columns from .. to - 1
static double find_entry(const oc_join_map *w, int i, int from, int to) {
  double most = 0;
  for (int j = from; j < to; j++) most = fmax(most, fabs(w->K[i * w->size + j]));
  return most;
}

// Scale K by powers of two to scale K scale, as masses and lengths may have any units: entries of the diagonal to about
// 1, coordinates without one like those that their pairs match with them, and multipliers by their rows.
static void balance_map(oc_join_map *w) {
  const int m = w->side[BEFORE].n, coords = m + w->side[AFTER].n;
  for (int i = 0; i < w->size; i++) {
    const double own = w->K[i * w->size + i];
    scale_row(w, i, own > 0 ? ldexp(1, -ilogb(own) / 2) : 1);
  }
  for (int i = m; i < coords; i++) {
    double most = 0;
    for (int row = coords; row < w->size && w->K[i * w->size + i] == 0; row++) {
      const double own = fabs(w->K[row * w->size + i]), other = find_entry(w, row, 0, m);
      if (own > 0 && other > 0) most = fmax(most, other / own);
    }
    if (most > 0) scale_row(w, i, ldexp(1, ilogb(most)));
  }
  for (int i = coords; i < w->size; i++) {
    const double most = find_entry(w, i, 0, coords);
    if (w->K[i * w->size + i] == 0 && most > 0) scale_row(w, i, ldexp(1, -ilogb(most)));
  }
}

// Solve K x = rows [size x columns] in place, with the factors of the scaled K.
static void solve_map(const oc_join_map *w, int columns, double *rows) {
  for (int i = 0; i < w->size; i++)
    for (int j = 0; j < columns; j++) rows[i * columns + j] *= w->scale[i];
  dm_lu_solve(w->size, w->K, w->piv, columns, rows);
  for (int i = 0; i < w->size; i++)
    for (int j = 0; j < columns; j++) rows[i * columns + j] *= w->scale[i];
}

// K = [M, 0, -Y_a', 0; 0, E, Y_b', Dh'; -Y_a, Y_b, 0, 0; 0, Dh, 0, 0], and its factors
static dm_status factor_map(oc_join_map *w) {
  map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const dm_holonomic *h = &b->s->hol;
  const int m = a->n, n = b->n, pairs = m + n;
  DM_TRY(eval_map_functions(a));
  DM_TRY(eval_map_functions(b));
  if (w->nc) DM_TRY(h->eval(h->self, b->c->hol, b->q, w->h, w->Dh));

  // its diagonal blocks, then the rows and columns of pairs and of constraints
  memset(w->K, 0, (size_t)w->size * (size_t)w->size * sizeof *w->K);
  for (int i = 0; i < m; i++) memcpy(w->K + i * w->size, w->M + i * m, (size_t)m * sizeof *w->K);
  for (int i = 0; i < n; i++) w->K[(m + i) * w->size + m + i] = w->E[i];
  for (int p = 0; p < w->np; p++) {
    const oc_pair *pair = &w->join->pairs[p];
    if (is_loose(pair) && !w->rates) {
      w->K[(pairs + p) * w->size + pairs + p] = 1; // no multiplier
      continue;
    }
    put_map_value(w, a, pair->before, -oc_pair_sign(pair), pairs + p, 0);
    put_map_value(w, b, pair->after, 1, pairs + p, m);
  }
  for (int c = 0; c < w->nc; c++)
    for (int i = 0; i < n; i++) {
      const int row = pairs + w->np + c;
      w->K[row * w->size + m + i] = w->K[(m + i) * w->size + row] = w->Dh[c * n + i];
    }
  double sum = 0;
  for (int i = 0; i < w->size * w->size; i++) sum += w->K[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;
  balance_map(w);
  return dm_lu_factor(w->size, w->K, w->piv);
}

// M_a at the end of the phase before; for coordinates after without a pair a fraction of their own mass,
// small enough to change nothing else
static dm_status set_map_metric(oc_join_map *w) {
  static const double LITTLE = 1e-9;
  map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  DM_TRY(eval_map_lagrangian(a));
  DM_TRY(eval_map_lagrangian(b));
  memcpy(w->M, a->L.L_vv, (size_t)(a->n * a->n) * sizeof *w->M);
  w->rates = false;
  for (int j = 0; j < b->n; j++) w->E[j] = LITTLE * b->L.L_vv[j * b->n + j];
  for (int p = 0; p < w->np; p++) {
    const int after = find_pair_value(w, AFTER, p);
    if (after >= 0 && !is_loose(&w->join->pairs[p])) w->E[after] = 0;
  }
  return DM_OK;
}

// K of velocities at the current point, which differs from that of positions by the pairs with a range
static dm_status factor_rates(oc_join_map *w) {
  bool loose = false;
  for (int p = 0; p < w->np; p++) {
    const oc_pair *pair = &w->join->pairs[p];
    if (!is_loose(pair)) continue;
    loose = true;
    if (pair->after >= 0) w->E[pair->after] = 0;
  }
  w->rates = true;
  return loose ? factor_map(w) : DM_OK;
}

// -- the map

// the step of q_a', q_b, in w->r, from the current point: towards q_a at the end and the planned q_b
static void solve_map_step(oc_join_map *w, const double *q_a, const double *q_b) {
  const map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int m = a->n, n = b->n;
  double *r = w->r, *pairs = r + m + n;
  for (int i = 0; i < m; i++) {
    r[i] = 0;
    for (int j = 0; j < m; j++) r[i] += w->M[i * m + j] * (q_a[j] - a->q[j]);
  }
  for (int i = 0; i < n; i++) r[m + i] = w->E[i] * (q_b[i] - b->q[i]);
  for (int p = 0; p < w->np; p++) {
    const oc_pair *pair = &w->join->pairs[p];
    const double target = oc_pair_sign(pair) * read_map_value(a, pair->before) + pair->low;
    pairs[p] = is_loose(pair) ? 0 : target - read_map_value(b, pair->after);
  }
  for (int c = 0; c < w->nc; c++) pairs[w->np + c] = -w->h[c];
  solve_map(w, 1, r);
}

// q_a', q_b by Newton's method on the minimum, without the curvature of the constraints, which is small near
// the join
static dm_status find_joined_place(oc_join_map *w, const double *q_a, const double *q_b) {
  enum { STEPS = 50 };
  static const double SMALL = 1e-12; // rad or m, for magnitudes of about 1
  map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int m = a->n, n = b->n;
  for (int step = 0; step < STEPS; step++) {
    DM_TRY(factor_map(w));
    solve_map_step(w, q_a, q_b);
    double size = 1;
    for (int i = 0; i < m; i++) a->q[i] += w->r[i];
    for (int i = 0; i < n; i++) b->q[i] += w->r[m + i];
    for (int i = 0; i < n; i++) size = fmax(size, fabs(b->q[i]));
    if (dm_largest(m + n, w->r) <= SMALL * size) return DM_OK;
  }
  return DM_MAX_ITER;
}

// Phi_q' p_a, into w->p
static void map_momentum(oc_join_map *w) {
  const map_side *b = &w->side[AFTER];
  memset(w->p, 0, (size_t)b->n * sizeof *w->p);
  for (int p = 0; p < w->np; p++) {
    const oc_pair *pair = &w->join->pairs[p];
    const double part = oc_pair_sign(pair) * w->p_a[pair->before];
    const int value = find_pair_value(w, AFTER, p);
    if (value >= 0)
      w->p[value] += part;
    else
      dm_add_to(b->n, part, b->y_q + find_function_row(value) * b->n, w->p);
  }
}

dm_status oc_join_map_apply(oc_join_map *w, const double *y_a, double *y_b) {
  map_side *b = &w->side[AFTER];
  const int m = w->side[BEFORE].n, n = b->n;
  double sum = 0;
  for (int i = 0; i < 2 * m; i++) sum += y_a[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;

  // the sides at (q_a,v_a) and (q_b,v_b)
  const double *const y[] = {y_a, y_b};
  for (int i = 0; i < 2; i++) {
    map_side *s = &w->side[i];
    memcpy(s->q, y[i], (size_t)s->n * sizeof *s->q);
    memcpy(s->v, y[i] + s->n, (size_t)s->n * sizeof *s->v);
  }

  // the position by the least motion, then the velocity by the law
  DM_TRY(set_map_metric(w));
  DM_TRY(find_joined_place(w, y_a, y_b));
  if (w->join->law == OC_JOIN_MOMENTUM) {
    DM_TRY(dm_momentum_of(w->side[BEFORE].c, y_a, y_a + m, w->p_a));
    map_momentum(w);
    DM_TRY(dm_velocity_of(b->c, b->q, w->p, b->v));
    DM_TRY(dm_velocity_restrict(b->c, b->q, b->v));
  } else {
    DM_TRY(factor_rates(w));
    memset(w->r, 0, (size_t)w->size * sizeof *w->r);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) w->r[i] += w->M[i * m + j] * y_a[m + j];
    for (int i = 0; i < n; i++) w->r[m + i] = w->E[i] * y_b[n + i];
    solve_map(w, 1, w->r);
    memcpy(b->v, w->r + m, (size_t)n * sizeof *b->v);
  }
  for (int i = 0; i < n; i++) sum += b->q[i] + b->v[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;
  memcpy(y_b, b->q, (size_t)n * sizeof *y_b);
  memcpy(y_b + n, b->v, (size_t)n * sizeof *y_b);
  return DM_OK;
}

// -- its derivative

// (q,v) of a state x = (q,p), v_q and v_p, and L at that state
static dm_status place_map_state(map_side *s, const double *x) {
  const size_t size = (size_t)s->n * sizeof *s->q;
  memcpy(s->q, x, size);
  memset(s->v, 0, size);
  DM_TRY(dm_velocity_of(s->c, x, x + s->n, s->v));
  DM_TRY(dm_velocity_restrict(s->c, x, s->v));
  return dm_velocity_slope(s->c, x, s->v, s->v_q, s->v_p);
}

// the change of functions' derivatives and of constraints' along v
static dm_status bend_map(oc_join_map *w) {
  map_side *b = &w->side[AFTER];
  const dm_holonomic *h = &b->s->hol;
  for (int i = 0; i < 2; i++) {
    map_side *s = &w->side[i];
    if (s->f.nc) DM_TRY(s->f.directional(s->f.self, s->scratch, s->q, s->v, NULL, s->y_qq, NULL));
  }
  if (!w->nc) return DM_OK;
  return h->directional(h->self, b->c->hol, b->q, b->v, NULL, w->Dh_v, NULL);
}

// dq_a', dq_b by (q_a,p_a) into rows [size x 2m]: K of both is M dq_a
static void solve_place_slope(oc_join_map *w, double *rows) {
  const int m = w->side[BEFORE].n;
  memset(rows, 0, (size_t)w->size * (size_t)(2 * m) * sizeof *rows);
  for (int i = 0; i < m; i++) memcpy(rows + i * 2 * m, w->M + i * m, (size_t)m * sizeof *rows);
  solve_map(w, 2 * m, rows);
}

// the change of a pair's rate y_q v when q changes by Q [n x 2m]: y_qq Q, subtracted from `to` times sign
static void turn_map_value(const map_side *s, int value, double sign, const double *Q, int wide,
                           double *to) {
  const int f = find_function_row(value);
  for (int i = 0; f >= 0 && i < s->n; i++)
    dm_add_to(wide, sign * s->y_qq[f * s->n + i], Q + i * wide, to);
}

// dv_b by the velocity law: M (dv_a' - dv_a) is balanced by the multipliers, and Y_b dv_b - Y_a dv_a' and Dh
// dv_b compensate the changes of the rows; `rows` has dq_a', dq_b on entry and dv_b instead of dq_b on
// return; dq_b is kept in Q
static void solve_velocity_law_slope(oc_join_map *w, double *rows, double *Q) {
  const map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int m = a->n, n = b->n, wide = 2 * m;
  double *pairs = rows + (m + n) * wide, *fixed = pairs + w->np * wide;
  memcpy(Q, rows + m * wide, (size_t)(n * wide) * sizeof *Q);
  memset(pairs, 0, (size_t)((w->np + w->nc) * wide) * sizeof *pairs);
  for (int p = 0; p < w->np; p++) {
    turn_map_value(a, find_pair_value(w, BEFORE, p), oc_pair_sign(&w->join->pairs[p]), rows, wide,
                   pairs + p * wide);
    turn_map_value(b, find_pair_value(w, AFTER, p), -1, Q, wide, pairs + p * wide);
  }
  for (int c = 0; c < w->nc; c++)
    for (int i = 0; i < n; i++)
      dm_add_to(wide, -w->Dh_v[c * n + i], Q + i * wide, fixed + c * wide);

  // M dv_a, from the state before
  memset(rows, 0, (size_t)((m + n) * wide) * sizeof *rows);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++) {
      dm_add_to(m, w->M[i * m + k], a->v_q + k * m, rows + i * wide);
      dm_add_to(m, w->M[i * m + k], a->v_p + k * m, rows + i * wide + m);
    }
  solve_map(w, wide, rows);
  memmove(rows, rows + m * wide, (size_t)(n * wide) * sizeof *rows);
}

// dp_a = L_vq dq_a + L_vv dv_a by (q_a,p_a), row i times weight added to `to`
static void add_momentum_slope(const map_side *a, int i, double weight, double *to) {
  const int m = a->n;
  for (int k = 0; k < m; k++) to[k] += weight * a->L.L_qv[k * m + i];
  for (int k = 0; k < m; k++) {
    dm_add_to(m, weight * a->L.L_vv[i * m + k], a->v_q + k * m, to);
    dm_add_to(m, weight * a->L.L_vv[i * m + k], a->v_p + k * m, to + m);
  }
}

// Phi' dp_a + (p_a Phi_qq) dq_b into w->P
static dm_status map_momentum_slope(oc_join_map *w, const double *Q) {
  map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int n = b->n, wide = 2 * a->n;
  memset(w->P, 0, (size_t)(n * wide) * sizeof *w->P);
  memset(w->bend, 0, (size_t)(n * n) * sizeof *w->bend);
  memset(w->by, 0, (size_t)b->f.nc * sizeof *w->by);

  // Phi' dp_a of coordinates and of functions, then the term of their curvature with dq_b = Q dx_a
  for (int p = 0; p < w->np; p++) {
    const int from = find_pair_value(w, BEFORE, p), value = find_pair_value(w, AFTER, p);
    const int f = find_function_row(value);
    const double sign = oc_pair_sign(&w->join->pairs[p]);
    if (f >= 0) w->by[f] += sign * w->p_a[from];
    for (int j = 0; j < n; j++) {
      const double y_q = f < 0 ? (j == value ? 1 : 0) : b->y_q[f * n + j];
      if (y_q != 0) add_momentum_slope(a, from, sign * y_q, w->P + j * wide);
    }
  }
  if (b->f.nc) DM_TRY(b->f.contract(b->f.self, b->scratch, b->q, w->by, w->bend));
  dm_gemm(n, wide, n, 1, w->bend, Q, 1, w->P);
  return DM_OK;
}

// dv_b by the momentum law, into rows [n x 2m]; dq_b is kept in Q
static dm_status solve_momentum_law_slope(oc_join_map *w, double *rows, double *Q) {
  map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int m = a->n, n = b->n, wide = 2 * m;
  memcpy(Q, rows + m * wide, (size_t)(n * wide) * sizeof *Q);
  memcpy(w->p_a, a->L.L_v, (size_t)m * sizeof *w->p_a);
  map_momentum(w);
  DM_TRY(map_momentum_slope(w, Q));

  // v_b of the state (q_b, Phi' p_a), including the impulses of the constraints
  memcpy(w->x, b->q, (size_t)n * sizeof *w->x);
  memcpy(w->x + n, w->p, (size_t)n * sizeof *w->x);
  DM_TRY(place_map_state(b, w->x));
  dm_gemm(n, wide, n, 1, b->v_q, Q, 0, rows);
  dm_gemm(n, wide, n, 1, b->v_p, w->P, 1, rows);
  return DM_OK;
}

dm_status oc_join_map_slope(oc_join_map *w, const double *x_a, const double *x_b, double *T) {
  map_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int m = a->n, n = b->n, wide = 2 * m;
  double *Q = T, *P = T + n * wide, *rows = w->rows;
  DM_TRY(place_map_state(a, x_a));
  DM_TRY(place_map_state(b, x_b));
  DM_TRY(set_map_metric(w));
  DM_TRY(factor_map(w));
  DM_TRY(bend_map(w));

  // dq_b, then dv_b, then dp_b = L_vq dq_b + L_vv dv_b
  solve_place_slope(w, rows);
  if (w->join->law == OC_JOIN_MOMENTUM) {
    DM_TRY(solve_momentum_law_slope(w, rows, Q));
    DM_TRY(eval_map_lagrangian(b));
  } else {
    DM_TRY(factor_rates(w));
    solve_velocity_law_slope(w, rows, Q);
  }
  dm_gemm_transposed(n, wide, n, 1, b->L.L_qv, n, Q, wide, 0, P, wide);
  dm_gemm(n, wide, n, 1, b->L.L_vv, rows, 1, P);
  return DM_OK;
}
