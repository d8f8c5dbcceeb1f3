#include "optim/program/join_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BEFORE, AFTER };

static bool has_momenta(const oc_join *join) {
  return join->law == OC_JOIN_MOMENTUM;
}

int oc_join_rows_count(const oc_join *join, const oc_transcription *after) {
  return join->npairs + (has_momenta(join) ? after->n + after->task.cones.n : join->npairs);
}

int oc_join_impulses_count(const oc_join *join, const oc_transcription *after) {
  return has_momenta(join) ? after->nc : 0;
}

// the row of the functions for a value
static int row_of(int value) {
  return -1 - value;
}

// -- valid joins

static const char *name_function(const dm_holonomic *f, int row) {
  return f->row_name ? f->row_name(f->self, row) : "?";
}

static dm_status check_value(const char *phase, int value, int n, const dm_holonomic *f,
                             dm_message *msg) {
  if (value < n && row_of(value) < f->nc) return DM_OK;
  if (value >= 0)
    return dm_fail(msg, DM_BAD_INPUT, "the join takes coordinate %d of the phase %s, which has %d",
                   value, phase, n);
  return dm_fail(msg, DM_BAD_INPUT, "the join takes row %d of functions of the phase %s, of %d",
                 row_of(value), phase, f->nc);
}

// a momentum without a counterpart after the join would be lost
static dm_status check_map(const oc_join *join, const oc_task *before, dm_message *msg) {
  for (int p = 0; p < join->npairs; p++)
    if (join->pairs[p].before < 0)
      return dm_fail(msg, DM_BAD_INPUT,
                     "the join by momenta takes a function of the phase before, expected "
                     "coordinates of it alone: what begins anew has no momentum");
  for (int i = 0; i < before->system.L.nq; i++) {
    int count = 0;
    for (int p = 0; p < join->npairs; p++) count += join->pairs[p].before == i ? 1 : 0;
    if (count != 1)
      return dm_fail(msg, DM_BAD_INPUT,
                     "the join by momenta has '%s' of the phase before %d times, expected once: "
                     "its momentum goes on in what it becomes",
                     before->coord_name[i], count);
  }
  return DM_OK;
}

dm_status oc_join_check(const oc_join *join, const oc_task *before, const oc_task *after,
                        dm_message *msg) {
  const dm_holonomic *f[] = {&join->before, &join->after};
  for (int s = 0; s < 2; s++)
    if (f[s]->nc && !f[s]->directional)
      return dm_fail(msg, DM_BAD_INPUT,
                     "the join's functions offer no third derivatives (directional)");
  for (int p = 0; p < join->npairs; p++) {
    const oc_pair *pair = &join->pairs[p];
    DM_TRY(check_value("before", pair->before, before->system.L.nq, f[BEFORE], msg));
    DM_TRY(check_value("after", pair->after, after->system.L.nq, f[AFTER], msg));
  }
  return has_momenta(join) ? check_map(join, before, msg) : DM_OK;
}

// -- making them

static void lay_out_side(oc_join_side *s, dm_block *b) {
  const size_t n = (size_t)s->t->n, nf = (size_t)s->f.nc;
  double **functions[] = {&s->y, &s->rate, &s->weight};
  for (int i = 0; i < 3; i++) *functions[i] = dm_block_alloc(b, nf, sizeof(double));
  s->y_q = dm_block_alloc(b, nf * n, sizeof(double));
  s->y_qq = dm_block_alloc(b, nf * n, sizeof(double));
  s->by = dm_block_alloc(b, n, sizeof(double));
  s->block = dm_block_alloc(b, n * n, sizeof(double));
  s->drawn = dm_block_alloc(b, 2 * n, sizeof(double));
  dm_jet *jets[] = {&s->L, &s->T};
  for (int i = 0; i < 2; i++) {
    double **vectors[] = {&jets[i]->L_q, &jets[i]->L_v};
    double **squares[] = {&jets[i]->L_qq, &jets[i]->L_qv, &jets[i]->L_vv};
    for (int j = 0; j < 2; j++) *vectors[j] = dm_block_alloc(b, n, sizeof(double));
    for (int j = 0; j < 3; j++) *squares[j] = dm_block_alloc(b, n * n, sizeof(double));
  }
  s->scratch = dm_block_alloc(b, s->f.scratch, 1);
}

void oc_join_rows_lay_out(oc_join_rows *w, dm_block *b) {
  w->nc = oc_join_impulses_count(w->join, w->side[AFTER].t);
  w->side[BEFORE].f = w->join->before;
  w->side[AFTER].f = w->join->after;
  for (int s = 0; s < 2; s++) lay_out_side(&w->side[s], b);

  const size_t n = (size_t)w->side[AFTER].t->n, npairs = (size_t)w->join->npairs;
  w->Phi = dm_block_alloc(b, npairs * n, sizeof(double));
  w->Dh = dm_block_alloc(b, (size_t)w->nc * n, sizeof(double));
  w->Dh_mu = dm_block_alloc(b, (size_t)w->nc * n, sizeof(double));
  w->pull = dm_block_alloc(b, (size_t)w->nc, sizeof(double));
  w->same = dm_block_alloc(b, n, sizeof(int));
}

static bool is_kinematic(const oc_join_side *s, int i) {
  return s->t->kinematic && s->t->kinematic[i];
}

// the pair of a coordinate before with coordinate j after, or -1
static int find_same(const oc_join *join, int j) {
  for (int p = 0; p < join->npairs; p++)
    if (join->pairs[p].after == j && join->pairs[p].before >= 0) return p;
  return -1;
}

void oc_join_rows_set(oc_join_rows *w) {
  const oc_join_side *b = &w->side[AFTER];
  for (int j = 0; j < b->t->n; j++) w->same[j] = is_kinematic(b, j) ? find_same(w->join, j) : -1;
}

// -- values

// Functions without a value or derivative matter only if a pair uses them.
static dm_status check_finite(const oc_join_rows *w, const oc_join_side *s) {
  const int n = s->t->n;
  for (int p = 0; p < w->join->npairs; p++) {
    const oc_pair *pair = &w->join->pairs[p];
    const int row = row_of(s == &w->side[AFTER] ? pair->after : pair->before);
    if (row < 0) continue;
    if (!isfinite(s->y[row])) return DM_NOT_FINITE;
    for (int i = 0; i < n; i++)
      if (!isfinite(s->y_q[row * n + i])) return DM_NOT_FINITE;
  }
  return DM_OK;
}

// y, y_q of the functions; for the velocity law y_q v and y_qq v
static dm_status eval_functions(const oc_join_rows *w, oc_join_side *s, const double *x) {
  const int n = s->t->n;
  if (!s->f.nc) return DM_OK;
  const dm_status status = s->f.eval(s->f.self, s->scratch, x + s->q, s->y, s->y_q);
  if (status == DM_NOT_FINITE)
    DM_TRY(check_finite(w, s));
  else
    DM_TRY(status);
  if (has_momenta(w->join)) return DM_OK;
  for (int r = 0; r < s->f.nc; r++) {
    s->rate[r] = 0;
    for (int i = 0; i < n; i++) s->rate[r] += s->y_q[r * n + i] * x[s->v + i];
  }
  return s->f.directional(s->f.self, s->scratch, x + s->q, x + s->v, s->weight, s->y_qq, NULL);
}

static double read_value(const oc_join_side *s, const double *x, int value) {
  return value >= 0 ? x[s->q + value] : s->y[row_of(value)];
}

static double read_rate(const oc_join_side *s, const double *x, int value) {
  return value >= 0 ? x[s->v + value] : s->rate[row_of(value)];
}

// Phi_q, from the pairs of the functions after
static void set_map(oc_join_rows *w) {
  const oc_join_side *b = &w->side[AFTER];
  const int n = b->t->n;
  for (int p = 0; p < w->join->npairs; p++) {
    const int value = w->join->pairs[p].after;
    double *row = w->Phi + p * n;
    if (value < 0)
      memcpy(row, b->y_q + row_of(value) * n, (size_t)n * sizeof *row);
    else
      for (int j = 0; j < n; j++) row[j] = j == value ? 1 : 0;
    for (int j = 0; w->join->pairs[p].mirrored && j < n; j++) row[j] = -row[j];
  }
}

// all quantities in the rows
static dm_status eval_join(oc_join_rows *w, const double *x) {
  for (int s = 0; s < 2; s++) DM_TRY(eval_functions(w, &w->side[s], x));
  if (!has_momenta(w->join)) return DM_OK;

  // p on both sides, Phi_q, Dh after
  oc_join_side *b = &w->side[AFTER];
  const dm_holonomic *h = &b->t->task.system.hol;
  for (oc_join_side *s = w->side; s < w->side + 2; s++) {
    const dm_lagrangian *L = &s->t->task.system.L;
    DM_TRY(L->eval(L->self, s->t->scratch, 2, x + s->q, x + s->v, &s->L));
  }
  set_map(w);
  if (!w->nc) return DM_OK;
  return h->eval(h->self, b->t->hol_scratch, x + b->q, b->t->hol_rate, w->Dh);
}

// p_b - Phi_q' p_a - Dh' Lambda of coordinate j; for a kinematic one, its velocity minus that before
static double eval_momentum_row(const oc_join_rows *w, const double *x, int j) {
  const oc_join_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int n = b->t->n;
  if (is_kinematic(b, j) && w->same[j] < 0) return 0;
  if (is_kinematic(b, j)) {
    const oc_pair *pair = &w->join->pairs[w->same[j]];
    return x[b->v + j] - oc_pair_sign(pair) * x[a->v + pair->before];
  }
  double sum = b->L.L_v[j];
  for (int p = 0; p < w->join->npairs; p++)
    sum -= w->Phi[p * n + j] * a->L.L_v[w->join->pairs[p].before];
  for (int c = 0; c < w->nc; c++) sum -= w->Dh[c * n + j] * x[w->impulse + c];
  return sum;
}

// -C Lambda of row i of the cones after: impulses of a join push, those of steps pull
static double eval_cone_row(const oc_join_rows *w, const double *x, int i) {
  const double *C = w->side[AFTER].t->task.cones.C + i * w->nc;
  double sum = 0;
  for (int c = 0; c < w->nc; c++) sum -= C[c] * x[w->impulse + c];
  return sum;
}

dm_status oc_join_rows_evaluate(oc_join_rows *w, const double *x, double *g) {
  const oc_join *join = w->join;
  const oc_join_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  double *row = g + w->row;
  DM_TRY(eval_join(w, x));
  for (int p = 0; p < join->npairs; p++)
    *row++ = read_value(b, x, join->pairs[p].after) -
             oc_pair_sign(&join->pairs[p]) * read_value(a, x, join->pairs[p].before);
  for (int p = 0; !has_momenta(join) && p < join->npairs; p++)
    *row++ = read_rate(b, x, join->pairs[p].after) -
             oc_pair_sign(&join->pairs[p]) * read_rate(a, x, join->pairs[p].before);
  for (int j = 0; has_momenta(join) && j < b->t->n; j++) *row++ = eval_momentum_row(w, x, j);
  for (int i = 0; has_momenta(join) && i < b->t->task.cones.n; i++) *row++ = eval_cone_row(w, x, i);
  return DM_OK;
}

// -- first derivatives

// the value of a side in a pair, and its sign in the pair's rows
static int find_term(const oc_join_rows *w, const oc_join_side *s, int p, double *sign) {
  const oc_pair *pair = &w->join->pairs[p];
  *sign = s == &w->side[AFTER] ? 1 : -oc_pair_sign(pair);
  return s == &w->side[AFTER] ? pair->after : pair->before;
}

// derivative of a value by q
static void put_value(const oc_join_rows *w, const oc_join_side *s, oc_triplets *out, int row,
                      int p) {
  const int n = s->t->n;
  double sign;
  const int value = find_term(w, s, p, &sign);
  if (value >= 0) {
    oc_put(out, row, s->q + value, sign);
    return;
  }
  const double *y_q = s->y_q + row_of(value) * n;
  for (int i = 0; i < n; i++) oc_put(out, row, s->q + i, sign * y_q[i]);
}

// derivative of its rate by v and, for a function, by q
static void put_rate(const oc_join_rows *w, const oc_join_side *s, oc_triplets *out, int row,
                     int p) {
  const int n = s->t->n;
  double sign;
  const int value = find_term(w, s, p, &sign), at = row_of(value) * n;
  if (value >= 0) {
    oc_put(out, row, s->v + value, sign);
    return;
  }
  for (int i = 0; i < n; i++) {
    oc_put(out, row, s->q + i, sign * s->y_qq[at + i]);
    oc_put(out, row, s->v + i, sign * s->y_q[at + i]);
  }
}

// the momenta before that map to the functions after, as weights of these functions
static void weigh_functions(oc_join_rows *w) {
  oc_join_side *b = &w->side[AFTER];
  const double *p_a = w->side[BEFORE].L.L_v;
  memset(b->weight, 0, (size_t)b->f.nc * sizeof *b->weight);
  for (int p = 0; p < w->join->npairs; p++) {
    const oc_pair *pair = &w->join->pairs[p];
    if (pair->after < 0) b->weight[row_of(pair->after)] += oc_pair_sign(pair) * p_a[pair->before];
  }
}

// sum of p_a y_qq and Lambda D2h after, the derivative of a momentum row by q_b, into b->block
static dm_status add_map_curvature(oc_join_rows *w, const double *x) {
  oc_join_side *b = &w->side[AFTER];
  const dm_holonomic *h = &b->t->task.system.hol;
  const size_t n = (size_t)b->t->n;
  memset(b->block, 0, n * n * sizeof *b->block);
  weigh_functions(w);
  if (b->f.nc) DM_TRY(b->f.contract(b->f.self, b->scratch, x + b->q, b->weight, b->block));
  if (!w->nc) return DM_OK;
  return h->contract(h->self, b->t->hol_scratch, x + b->q, x + w->impulse, b->block);
}

// the row of a momentum by (q_b,v_b), (q_a,v_a) and Lambda
static void put_momentum(const oc_join_rows *w, oc_triplets *out, int row, int j) {
  const oc_join_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int n = b->t->n, m = a->t->n;
  for (int i = 0; i < n; i++) {
    oc_put(out, row, b->q + i, out->val ? b->L.L_qv[i * n + j] - b->block[j * n + i] : 0);
    oc_put(out, row, b->v + i, b->L.L_vv[j * n + i]);
  }
  for (int i = 0; i < m; i++) {
    double by_q = 0, by_v = 0;
    for (int p = 0; p < w->join->npairs; p++) {
      const int from = w->join->pairs[p].before;
      by_q -= w->Phi[p * n + j] * a->L.L_qv[i * m + from];
      by_v -= w->Phi[p * n + j] * a->L.L_vv[from * m + i];
    }
    oc_put(out, row, a->q + i, by_q);
    oc_put(out, row, a->v + i, by_v);
  }
  for (int c = 0; c < w->nc; c++) oc_put(out, row, w->impulse + c, -w->Dh[c * n + j]);
}

dm_status oc_join_rows_put(oc_join_rows *w, const double *x, oc_triplets *out) {
  const oc_join *join = w->join;
  const oc_join_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  int row = w->row;
  if (out->val) DM_TRY(eval_join(w, x));
  if (out->val && has_momenta(join)) DM_TRY(add_map_curvature(w, x));

  for (int p = 0; p < join->npairs; p++, row++) {
    put_value(w, a, out, row, p);
    put_value(w, b, out, row, p);
  }
  for (int p = 0; !has_momenta(join) && p < join->npairs; p++, row++) {
    put_rate(w, a, out, row, p);
    put_rate(w, b, out, row, p);
  }
  for (int j = 0; has_momenta(join) && j < b->t->n; j++, row++) {
    if (!is_kinematic(b, j)) {
      put_momentum(w, out, row, j);
    } else if (w->same[j] >= 0) {
      const oc_pair *pair = &join->pairs[w->same[j]];
      oc_put(out, row, a->v + pair->before, -oc_pair_sign(pair));
      oc_put(out, row, b->v + j, 1);
    }
  }
  const oc_cones *cones = &b->t->task.cones;
  for (int i = 0; has_momenta(join) && i < cones->n; i++, row++)
    for (int c = 0; c < w->nc; c++) oc_put(out, row, w->impulse + c, -cones->C[i * w->nc + c]);
  return DM_OK;
}

// -- second derivatives

// the multipliers of a side's functions, for rows from `row` on, into its weights
static void weigh_rows(const oc_join_rows *w, oc_join_side *s, const double *lambda, int row) {
  memset(s->weight, 0, (size_t)s->f.nc * sizeof *s->weight);
  for (int p = 0; p < w->join->npairs; p++) {
    double sign;
    const int value = find_term(w, s, p, &sign);
    if (value < 0) s->weight[row_of(value)] += sign * lambda[row + p];
  }
}

// of values and rates of functions: into block by (q,q), into T.L_qv by (q,v)
static dm_status contract_functions(oc_join_rows *w, oc_join_side *s, const double *x,
                                    const double *lambda) {
  const size_t nn = (size_t)(s->t->n * s->t->n);
  if (!s->f.nc) return DM_OK;
  weigh_rows(w, s, lambda, w->row);
  DM_TRY(s->f.contract(s->f.self, s->scratch, x + s->q, s->weight, s->block));
  if (has_momenta(w->join)) return DM_OK;

  // rates y_q v: y_qq by (q,v), y_qqq v by (q,q)
  weigh_rows(w, s, lambda, w->row + w->join->npairs);
  memset(s->T.L_qv, 0, nn * sizeof *s->T.L_qv);
  DM_TRY(s->f.contract(s->f.self, s->scratch, x + s->q, s->weight, s->T.L_qv));
  return s->f.directional(s->f.self, s->scratch, x + s->q, x + s->v, s->weight, s->y_qq, s->block);
}

// mu of the momenta after, and Phi_q mu, the multipliers of those before
static void set_momentum_multipliers(oc_join_rows *w, const double *lambda) {
  oc_join_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int n = b->t->n;
  for (int j = 0; j < n; j++)
    b->by[j] = is_kinematic(b, j) ? 0 : lambda[w->row + w->join->npairs + j];
  memset(a->by, 0, (size_t)a->t->n * sizeof *a->by);
  for (int p = 0; p < w->join->npairs; p++)
    for (int j = 0; j < n; j++) a->by[w->join->pairs[p].before] -= w->Phi[p * n + j] * b->by[j];
}

// of momenta: p_b.mu - p_a.(Phi_q mu) - Lambda.(Dh mu), where the last two also depend on q_b
static dm_status contract_momenta(oc_join_rows *w, const double *x, const double *lambda) {
  oc_join_side *b = &w->side[AFTER];
  const dm_holonomic *h = &b->t->task.system.hol;
  set_momentum_multipliers(w, lambda);

  // the Hessian of L_v.by into T, and its part by (q,q) into block
  for (oc_join_side *s = w->side; s < w->side + 2; s++) {
    const dm_lagrangian *L = &s->t->task.system.L;
    DM_TRY(L->contract(L->self, s->t->scratch, x + s->q, x + s->v, s->t->zero, s->by, &s->T));
    for (int i = 0; i < s->t->n * s->t->n; i++) s->block[i] += s->T.L_qq[i];
  }

  // y_qqq mu, y_qq mu
  weigh_functions(w);
  for (int r = 0; r < b->f.nc; r++) b->weight[r] = -b->weight[r];
  if (b->f.nc)
    DM_TRY(b->f.directional(b->f.self, b->scratch, x + b->q, b->by, b->weight, b->y_qq, b->block));

  // D3h mu, D2h mu
  for (int c = 0; c < w->nc; c++) w->pull[c] = -x[w->impulse + c];
  if (!w->nc) return DM_OK;
  return h->directional(h->self, b->t->hol_scratch, x + b->q, b->by, w->pull, w->Dh_mu, b->block);
}

// the blocks of a side: (q,q), (v,q) and, of momenta, (v,v)
static void put_side(const oc_join_rows *w, const oc_join_side *s, oc_triplets *out) {
  const int n = s->t->n;
  if (!s->f.nc && !has_momenta(w->join)) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) oc_put(out, s->q + i, s->q + j, s->block[i * n + j]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) oc_put(out, s->v + i, s->q + j, s->T.L_qv[j * n + i]);
  for (int i = 0; has_momenta(w->join) && i < n; i++)
    for (int j = 0; j <= i; j++) oc_put(out, s->v + i, s->v + j, s->T.L_vv[i * n + j]);
}

// an entry of the lower triangle: the phase after comes first in x if the motion is periodic
static void put_lower(oc_triplets *out, int row, int col, double value) {
  oc_put(out, row > col ? row : col, row > col ? col : row, value);
}

// -(y_qq mu) by q_b and the momentum before, i.e. q_a and v_a; -(D2h mu) by q_b and Lambda
static void put_across(const oc_join_rows *w, oc_triplets *out) {
  const oc_join_side *a = &w->side[BEFORE], *b = &w->side[AFTER];
  const int n = b->t->n, m = a->t->n;
  for (int p = 0; p < w->join->npairs; p++) {
    const oc_pair *pair = &w->join->pairs[p];
    if (pair->after >= 0) continue;
    const double *along = b->y_qq + row_of(pair->after) * n;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        const double bend = -oc_pair_sign(pair) * along[j];
        put_lower(out, b->q + j, a->q + i, bend * a->L.L_qv[i * m + pair->before]);
        put_lower(out, b->q + j, a->v + i, bend * a->L.L_vv[pair->before * m + i]);
      }
  }
  for (int c = 0; c < w->nc; c++)
    for (int j = 0; j < n; j++) oc_put(out, w->impulse + c, b->q + j, -w->Dh_mu[c * n + j]);
}

dm_status oc_join_rows_contract(oc_join_rows *w, const double *x, const double *lambda,
                                oc_triplets *out) {
  const bool momenta = has_momenta(w->join);
  if (out->val) DM_TRY(eval_join(w, x));
  for (int i = 0; out->val && i < 2; i++) {
    oc_join_side *s = &w->side[i];
    memset(s->block, 0, (size_t)(s->t->n * s->t->n) * sizeof *s->block);
    DM_TRY(contract_functions(w, s, x, lambda));
  }
  if (out->val && momenta) DM_TRY(contract_momenta(w, x, lambda));

  for (int i = 0; i < 2; i++) put_side(w, &w->side[i], out);
  if (momenta) put_across(w, out);
  return DM_OK;
}

// -- names

void oc_join_rows_name(const oc_join_rows *w, int i, char *text, size_t size) {
  const oc_join *join = w->join;
  const oc_join_side *b = &w->side[AFTER];
  const char *const *coord = b->t->task.coord_name;
  if (has_momenta(join) && i >= join->npairs + b->t->n) {
    snprintf(text, size, "friction of %s", b->t->task.cones.name[i - join->npairs - b->t->n]);
    return;
  }
  if (has_momenta(join) && i >= join->npairs) {
    const int j = i - join->npairs;
    snprintf(text, size, "%s of %s", is_kinematic(b, j) ? "velocity" : "momentum", coord[j]);
    return;
  }
  const int after = join->pairs[i % join->npairs].after;
  snprintf(text, size, "%s of %s", i < join->npairs ? "position" : "velocity",
           after >= 0 ? coord[after] : name_function(&b->f, row_of(after)));
}
