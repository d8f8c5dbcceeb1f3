#include "lib/mechanics/driven_output.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

// work arrays of a call, in the caller's scratch
typedef struct step_place {
  void *scratch;          // of the signals
  double *end[2];         // [ns] s at q0 and q1
  double *s_q[2];         // [ns x n]
  double *s, *rate;       // [ns] means s, s'
  double *by_s, *by_rate; // [ns] coefficients of their second derivatives
  double *curvature;      // [n x n]
  double *s_z[2];         // [nz] slopes of a signal and its rate
  double *rate_z[2];
  // of momenta, only if a row has them: L at the mean position with the mean velocity, sum lambda psi_p [n]
  void *of_L;
  double *mean, *speed; // [n]
  dm_jet L;
  double *by_p, *still;
  // of a row: values and slopes of its slots, derivatives of its formula
  double *x, *x_z;    // [slots], [slots x nz]
  double *f_x, *f_xx; // [slots], [slots x slots]
  double *room;       // of its tape
} step_place;

// the number of entries of z, and the index of the input or time of a term
static int count_entries(const dm_output_map *m, int nu) {
  return 2 * m->n + nu + (m->timed ? 3 : 1) + m->impulses;
}

static int find_drive(const dm_output_map *m, int nu, const dm_output_term *t) {
  const int at_h = 2 * m->n + nu;
  if (t->kind == DM_TERM_LAMBDA) return at_h + (m->timed ? 3 : 1) + t->input;
  if (t->kind == DM_TERM_TIME) return t->input < 2 ? at_h + 1 + t->input : at_h;
  return 2 * m->n + t->input;
}

static void lay_out_step(step_place *w, dm_block *b, const dm_output_map *m, int nu) {
  const size_t ns = (size_t)m->s.nc, n = (size_t)m->n, d = sizeof(double);
  const size_t slots = (size_t)dm_output_most_slots(m), nz = (size_t)count_entries(m, nu);
  w->scratch = dm_block_alloc(b, m->s.scratch, 1);
  double **vectors[] = {&w->end[0], &w->end[1], &w->s, &w->rate, &w->by_s, &w->by_rate};
  for (int i = 0; i < 6; i++) *vectors[i] = dm_block_alloc(b, ns, d);
  for (int end = 0; end < 2; end++) {
    w->s_q[end] = dm_block_alloc(b, ns * n, d);
    w->s_z[end] = dm_block_alloc(b, nz, d);
    w->rate_z[end] = dm_block_alloc(b, nz, d);
  }
  w->curvature = dm_block_alloc(b, n * n, d);
  const size_t np = m->momenta ? n : 0;
  w->of_L = dm_block_alloc(b, m->momenta ? m->L.scratch : 0, 1);
  double **momenta[] = {&w->mean, &w->speed, &w->L.L_q, &w->L.L_v, &w->by_p, &w->still};
  for (int i = 0; i < 6; i++) *momenta[i] = dm_block_alloc(b, np, d);
  double **slopes[] = {&w->L.L_qq, &w->L.L_qv, &w->L.L_vv};
  for (int i = 0; i < 3; i++) *slopes[i] = dm_block_alloc(b, np * np, d);
  w->x = dm_block_alloc(b, slots, d);
  w->x_z = dm_block_alloc(b, slots * nz, d);
  w->f_x = dm_block_alloc(b, slots, d);
  w->f_xx = dm_block_alloc(b, slots * slots, d);
  w->room = dm_block_alloc(b, dm_output_row_room(m), d);
}

size_t dm_driven_outputs_scratch(const dm_output_map *m, int nu) {
  dm_block b = {0};
  step_place w;
  lay_out_step(&w, &b, m, nu);
  return (b.used + 63) & ~(size_t)63;
}

// is row i one of inputs?
static bool is_of_inputs(const dm_output_map *m, int i) {
  return dm_output_map_is_driven(m, i) && !dm_output_map_is_contact(m, i);
}

static dm_status eval_end(const dm_output_map *m, step_place *w, int end, const double *q) {
  const dm_status s = m->s.eval(m->s.self, w->scratch, q, w->end[end], w->s_q[end]);
  return s == DM_NOT_FINITE ? DM_OK : s; // rows without a value are handled below
}

// p at q and v, NAN without L
static dm_status place_momenta(const dm_output_map *m, step_place *w, int order, const double *q,
                               const double *v) {
  for (int i = 0; m->momenta && i < m->n; i++) w->L.L_v[i] = NAN;
  if (!m->momenta || !m->L.eval) return DM_OK;
  return m->L.eval(m->L.self, w->of_L, order, q, v, &w->L);
}

// s, s' and s_q at both ends, and p
static dm_status place_step(const dm_output_map *m, int nu, void *scratch, const dm_step *x,
                            step_place *w) {
  dm_block b = {.base = scratch};
  lay_out_step(w, &b, m, nu);
  DM_TRY(eval_end(m, w, 0, x->q0));
  DM_TRY(eval_end(m, w, 1, x->q1));
  for (int i = 0; i < m->s.nc; i++) {
    w->s[i] = (w->end[0][i] + w->end[1][i]) / 2;
    w->rate[i] = (w->end[1][i] - w->end[0][i]) / x->h;
  }
  for (int i = 0; m->momenta && i < m->n; i++) {
    w->mean[i] = (x->q0[i] + x->q1[i]) / 2;
    w->speed[i] = (x->q1[i] - x->q0[i]) / x->h;
  }
  return place_momenta(m, w, 2, w->mean, w->speed);
}

static dm_term_jet eval_term(const step_place *w, const dm_output_term *t, const dm_step *at) {
  return dm_output_term_eval(t, w->s, w->rate, dm_output_term_drive(t, at, w->L.L_v));
}

// c p_z of a coordinate, added to its row: of the mean position and the mean velocity
static void add_momentum_slopes(const dm_output_map *m, int nu, const step_place *w, double h,
                                int a, double c, double *p_z) {
  const int n = m->n;
  for (int j = 0; j < n; j++) {
    const double mean = c * w->L.L_qv[j * n + a] / 2, rate = c * w->L.L_vv[a * n + j] / h;
    p_z[j] += mean - rate;
    p_z[n + j] += mean + rate;
    p_z[2 * n + nu] -= rate * w->speed[j];
  }
}

// add psi_z of a term to its row
static void add_term_slopes(const dm_output_map *m, int nu, const step_place *w, const dm_step *x,
                            const dm_output_term *t, const dm_term_jet *jet, double *psi_z) {
  const int n = m->n;
  for (int k = 0; k < dm_output_term_signals(t); k++) {
    const int s = t->signal[k];
    const double mean = jet->by_s[k] / 2, rate = jet->by_rate[k] / x->h;
    for (int j = 0; j < n; j++) psi_z[j] += (mean - rate) * w->s_q[0][s * n + j];
    for (int j = 0; j < n; j++) psi_z[n + j] += (mean + rate) * w->s_q[1][s * n + j];
    psi_z[2 * n + nu] -= rate * w->rate[s];
  }
  if (t->kind == DM_TERM_MOMENTUM)
    add_momentum_slopes(m, nu, w, x->h, t->input, jet->by_u, psi_z);
  else if (jet->by_u != 0)
    psi_z[find_drive(m, nu, t)] += jet->by_u;
}

// x [slots] of row i, and x_z [slots x nz] if not NULL
static void sum_terms(const dm_output_map *m, int nu, const step_place *w, const dm_step *at, int i,
                      double *x, double *x_z) {
  const int nz = count_entries(m, nu), slots = dm_output_row_slots(m, i);
  memset(x, 0, (size_t)slots * sizeof *x);
  if (x_z) memset(x_z, 0, (size_t)(slots * nz) * sizeof *x_z);
  for (int t = m->first[i]; t < m->first[i + 1]; t++) {
    const dm_output_term *term = &m->term[t];
    const dm_term_jet jet = eval_term(w, term, at);
    x[term->slot] += jet.y;
    if (x_z) add_term_slopes(m, nu, w, at, term, &jet, x_z + term->slot * nz);
  }
}

dm_status dm_driven_outputs_eval(const dm_output_map *m, int nu, void *scratch, const dm_step *x,
                                 double *y, double *y_z) {
  const int nz = count_entries(m, nu);
  dm_status status = DM_OK;
  step_place w;
  DM_TRY(place_step(m, nu, scratch, x, &w));
  for (int i = 0; i < m->ny; i++) {
    if (!is_of_inputs(m, i)) continue;
    double *by_z = y_z ? y_z + i * nz : NULL;
    sum_terms(m, nu, &w, x, i, w.x, by_z ? w.x_z : NULL);
    y[i] = dm_output_row_eval(m, i, w.x, w.room, w.f_x, NULL);
    double sum = y[i];
    for (int c = 0; by_z && c < nz; c++) {
      by_z[c] = 0;
      for (int a = 0; a < dm_output_row_slots(m, i); a++) by_z[c] += w.f_x[a] * w.x_z[a * nz + c];
      sum += by_z[c];
    }

    // the row has no value or no derivative
    if (isfinite(sum)) continue;
    if (!isfinite(y[i])) y[i] = NAN;
    status = DM_NOT_FINITE;
  }
  return status;
}

dm_status dm_driven_outputs_now(const dm_output_map *m, int nu, void *scratch, const dm_step *at,
                                double *y) {
  dm_status status = DM_OK;
  dm_block b = {.base = scratch};
  step_place w;
  lay_out_step(&w, &b, m, nu);
  DM_TRY(eval_end(m, &w, 0, at->q0));
  DM_TRY(place_momenta(m, &w, 1, at->q0, at->q1));
  for (int s = 0; s < m->s.nc; s++) {
    w.s[s] = w.end[0][s];
    w.rate[s] = 0;
    for (int j = 0; j < m->n; j++) w.rate[s] += w.s_q[0][s * m->n + j] * at->q1[j];
  }
  for (int i = 0; i < m->ny; i++) {
    if (!is_of_inputs(m, i)) continue;
    memset(w.x, 0, (size_t)dm_output_row_slots(m, i) * sizeof *w.x);
    for (int t = m->first[i]; t < m->first[i + 1]; t++)
      w.x[m->term[t].slot] += eval_term(&w, &m->term[t], at).y;
    y[i] = dm_output_row_eval(m, i, w.x, w.room, NULL, NULL);
    if (!isfinite(y[i])) status = DM_NOT_FINITE;
  }
  return status;
}

bool dm_driven_outputs_varies(const dm_output_map *m, int i) {
  if (!is_of_inputs(m, i)) return false;
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    if (m->term[t].kind != DM_TERM_INPUT && m->term[t].kind != DM_TERM_LAMBDA) return true;
  return false;
}

// -- second derivatives

// H += c (a b' + b a'), or c a a' if both are the same
static void add_product(int nz, double c, const double *a, const double *b, double *H) {
  if (c == 0) return;
  for (int i = 0; i < nz; i++)
    for (int j = 0; a[i] != 0 && j < nz; j++) {
      const double value = c * a[i] * b[j];
      H[i * nz + j] += value;
      if (a != b) H[j * nz + i] += value;
    }
}

// s_z and s'_z of a signal
static void find_signal_slopes(const dm_output_map *m, int nu, const step_place *w,
                               const dm_step *x, int s, double *s_z, double *rate_z) {
  const int n = m->n, nz = count_entries(m, nu);
  memset(s_z, 0, (size_t)nz * sizeof *s_z);
  memset(rate_z, 0, (size_t)nz * sizeof *rate_z);
  for (int a = 0; a < 2 * n; a++) {
    const double s_q = w->s_q[a / n][s * n + a % n];
    s_z[a] = s_q / 2;
    rate_z[a] = (a < n ? -s_q : s_q) / x->h;
  }
  rate_z[2 * n + nu] = -w->rate[s] / x->h;
}

// lambda psi_zz except the second derivatives of signals, whose coefficients are added to by_s and by_rate
static void add_term_curvature(const dm_output_map *m, int nu, const step_place *w,
                               const dm_step *x, const dm_output_term *t, double lambda,
                               double *H) {
  const int nz = count_entries(m, nu), count = dm_output_term_signals(t);
  const dm_term_jet jet = eval_term(w, t, x);
  if (t->kind == DM_TERM_MOMENTUM) w->by_p[t->input] += lambda * jet.by_u;
  for (int a = 0; a < count; a++) {
    w->by_s[t->signal[a]] += lambda * jet.by_s[a];
    w->by_rate[t->signal[a]] += lambda * jet.by_rate[a];
    if (t->kind == DM_TERM_VALUE || t->kind == DM_TERM_RATE) continue;
    find_signal_slopes(m, nu, w, x, t->signal[a], w->s_z[0], w->rate_z[0]);
    for (int b = 0; b < count; b++) {
      find_signal_slopes(m, nu, w, x, t->signal[b], w->s_z[1], w->rate_z[1]);
      add_product(nz, lambda * jet.by_both[a][b], w->s_z[0], w->rate_z[1], H);
      if (b == a) add_product(nz, lambda * jet.by_rates[a][a], w->rate_z[0], w->rate_z[0], H);
      if (b > a) add_product(nz, lambda * jet.by_rates[a][b], w->rate_z[0], w->rate_z[1], H);
    }
  }

  // by u and s'
  if (jet.by_u_rate == 0) return;
  memset(w->s_z[1], 0, (size_t)nz * sizeof *w->s_z[1]);
  w->s_z[1][2 * m->n + t->input] = 1;
  add_product(nz, lambda * jet.by_u_rate, w->s_z[1], w->rate_z[0], H);
}

// f_xx x_z x_z', and then the terms
static void add_row_curvature(const dm_output_map *m, int nu, const step_place *w, const dm_step *x,
                              int i, double lambda, double *H) {
  const int nz = count_entries(m, nu), slots = dm_output_row_slots(m, i);
  w->f_x[0] = 1;
  if (dm_output_map_formula(m, i)) {
    sum_terms(m, nu, w, x, i, w->x, w->x_z);
    dm_output_row_eval(m, i, w->x, w->room, w->f_x, w->f_xx);
    for (int a = 0; a < slots; a++)
      for (int b = 0; b <= a; b++)
        add_product(nz, lambda * w->f_xx[a * slots + b], w->x_z + a * nz, w->x_z + b * nz, H);
  }
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    add_term_curvature(m, nu, w, x, &m->term[t], lambda * w->f_x[m->term[t].slot], H);
}

// by_s s_zz + by_rate s'_zz: by h at once, by q at both ends
static dm_status add_signal_curvature(const dm_output_map *m, int nu, step_place *w,
                                      const dm_step *x, double *H) {
  const int n = m->n, nz = count_entries(m, nu), at_h = 2 * n + nu;
  const double *const q[] = {x->q0, x->q1};
  for (int s = 0; s < m->s.nc; s++) {
    const double c = w->by_rate[s] / x->h;
    if (c == 0) continue;
    H[at_h * nz + at_h] += 2 * c * w->rate[s] / x->h;
    for (int a = 0; a < 2 * n; a++) {
      const double slope = (a < n ? c : -c) * w->s_q[a / n][s * n + a % n] / x->h;
      H[at_h * nz + a] += slope;
      H[a * nz + at_h] += slope;
    }
  }
  for (int end = 0; end < 2; end++) {
    // with by_s/2 -+ by_rate/h
    for (int s = 0; s < m->s.nc; s++)
      w->rate[s] = w->by_s[s] / 2 + (end ? w->by_rate[s] : -w->by_rate[s]) / x->h;
    memset(w->curvature, 0, (size_t)(n * n) * sizeof *w->curvature);
    DM_TRY(m->s.contract(m->s.self, w->scratch, q[end], w->rate, w->curvature));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) H[(end * n + i) * nz + end * n + j] += w->curvature[i * n + j];
  }
  return DM_OK;
}

// by_p p_zz, with T = (by_p p)'' by q and v, and v_zz of v = (q1 - q0)/h
static dm_status add_momentum_curvature(const dm_output_map *m, int nu, step_place *w,
                                        const dm_step *x, double *H) {
  const int n = m->n, nz = count_entries(m, nu), at_h = 2 * n + nu;
  const double h = x->h, *v = w->speed;
  if (!m->L.contract) return DM_NOT_FINITE;

  // v_zz, by the slope of by_p p by v
  for (int j = 0; j < n; j++) {
    double slope = 0;
    for (int i = 0; i < n; i++) slope += w->by_p[i] * w->L.L_vv[i * n + j] / (h * h);
    H[j * nz + at_h] += slope;
    H[at_h * nz + j] += slope;
    H[(n + j) * nz + at_h] -= slope;
    H[at_h * nz + n + j] -= slope;
    H[at_h * nz + at_h] += 2 * v[j] * slope;
  }

  // x_z' T x_z, x = (mean, v): entry a of z has coordinate a % n, and h all of them
  DM_TRY(m->L.contract(m->L.self, w->of_L, w->mean, v, w->still, w->by_p, &w->L));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double qq = w->L.L_qq[i * n + j], qv = w->L.L_qv[i * n + j], vv = w->L.L_vv[i * n + j];
      const double vq = w->L.L_qv[j * n + i];
      const double mean[] = {0.5, 0.5, 0}, of_i[] = {-1 / h, 1 / h, -v[i] / h};
      const double of_j[] = {-1 / h, 1 / h, -v[j] / h};
      const int row[] = {i, n + i, at_h}, col[] = {j, n + j, at_h};
      for (int ab = 0; ab < 9; ab++) {
        const int a = ab / 3, b = ab % 3;
        H[row[a] * nz + col[b]] +=
            mean[a] * (qq * mean[b] + qv * of_j[b]) + of_i[a] * (vq * mean[b] + vv * of_j[b]);
      }
    }
  return DM_OK;
}

dm_status dm_driven_outputs_contract(const dm_output_map *m, int nu, void *scratch,
                                     const dm_step *x, const double *lambda, double *H) {
  step_place w;
  DM_TRY(place_step(m, nu, scratch, x, &w));
  memset(w.by_s, 0, (size_t)m->s.nc * sizeof *w.by_s);
  memset(w.by_rate, 0, (size_t)m->s.nc * sizeof *w.by_rate);
  for (int i = 0; m->momenta && i < m->n; i++) w.by_p[i] = w.still[i] = 0;
  for (int i = 0; i < m->ny; i++)
    if (lambda[i] != 0 && is_of_inputs(m, i)) add_row_curvature(m, nu, &w, x, i, lambda[i], H);
  if (m->momenta) DM_TRY(add_momentum_curvature(m, nu, &w, x, H));
  return add_signal_curvature(m, nu, &w, x, H);
}

// -- sparsity

// does a term depend on an entry: coordinates of its signals, its drive, and with rates h?
static bool sees_entry(const dm_output_map *m, int nu, const dm_output_term *t, int a) {
  const int n = m->n, signals = dm_output_term_signals(t);
  const bool momentum = t->kind == DM_TERM_MOMENTUM;
  const bool driven = t->kind == DM_TERM_INPUT || t->kind == DM_TERM_POWER ||
                      t->kind == DM_TERM_TIME || t->kind == DM_TERM_LAMBDA;
  if (a >= 2 * n && driven && a == find_drive(m, nu, t)) return true;
  if (a == 2 * n + nu) return momentum || (signals > 0 && t->kind != DM_TERM_VALUE);
  if (a >= 2 * n) return false;
  if (momentum) return !m->L.mask || m->L.mask[t->input * n + a % n];
  for (int k = 0; k < signals; k++)
    if (!m->s.mask || m->s.mask[t->signal[k] * n + a % n]) return true;
  return false;
}

static bool moves_driven(const void *self, int i, int a) {
  const dm_driven_outputs *w = self;
  const dm_output_map *m = w->y;
  if (!is_of_inputs(m, i)) return false;
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    if (sees_entry(m, w->nu, &m->term[t], a)) return true;
  return false;
}

// of a sum, power alone is not linear: in s(q0) - s(q1), and in u
static bool couples_driven(const void *self, int i, int a, int b) {
  const dm_driven_outputs *w = self;
  const dm_output_map *m = w->y;
  const int n = m->n, nu = w->nu;
  if (!is_of_inputs(m, i)) return false;
  if (dm_output_map_formula(m, i)) return moves_driven(self, i, a) && moves_driven(self, i, b);
  const bool both_ends = a < 2 * n && b < 2 * n && a / n != b / n;
  const bool input_twice = a == b && a >= 2 * n && a < 2 * n + nu;
  if (both_ends || input_twice) return false;
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    if (m->term[t].kind == DM_TERM_POWER && sees_entry(m, nu, &m->term[t], a) &&
        sees_entry(m, nu, &m->term[t], b))
      return true;
  return false;
}

// -- as a function of z

static dm_step find_step(const dm_driven_outputs *w, const double *z) {
  const int n = w->y->n, at_h = 2 * n + w->nu;
  dm_step step = {.q0 = z, .q1 = z + n, .u = z + 2 * n, .h = z[at_h]};
  for (int i = 0; w->y->timed && i < 2; i++) step.time[i] = z[at_h + 1 + i];
  step.lambda = z + at_h + (w->y->timed ? 3 : 1);
  return step;
}

static dm_status eval_driven(const void *self, void *scratch, const double *z, double *y,
                             double *y_z) {
  const dm_driven_outputs *w = self;
  const dm_step step = find_step(w, z);
  return dm_driven_outputs_eval(w->y, w->nu, scratch, &step, y, y_z);
}

static dm_status contract_driven(const void *self, void *scratch, const double *z,
                                 const double *lambda, double *H) {
  const dm_driven_outputs *w = self;
  const dm_step step = find_step(w, z);
  return dm_driven_outputs_contract(w->y, w->nu, scratch, &step, lambda, H);
}

static const char *name_driven(const void *self, int row) {
  const dm_driven_outputs *w = self;
  return dm_output_map_name(w->y, row);
}

dm_function dm_driven_outputs_function(const dm_driven_outputs *self) {
  const int n = self->y->n;
  return (dm_function){.ny = self->y->ny,
                       .size = {[DM_Q] = n,
                                [DM_NEXT_Q] = n,
                                [DM_U] = self->nu,
                                [DM_STEP] = 1,
                                [DM_TIME] = self->y->timed ? 2 : 0,
                                [DM_LAMBDA] = self->y->impulses},
                       .self = self,
                       .scratch = dm_driven_outputs_scratch(self->y, self->nu),
                       .eval = eval_driven,
                       .contract = contract_driven,
                       .moves = moves_driven,
                       .couples = couples_driven,
                       .row_name = name_driven};
}
