#include "lib/mechanics/driven_output.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

// work arrays of a call, in the caller's scratch
typedef struct step_place {
  void *scratch;     // of the signals
  double *s[2];      // [ns] at q0 and q1
  double *s_q[2];    // [ns x n]
  double *by_s;      // [ns] coefficients of their second derivatives
  double *curvature; // [n x n]
} step_place;

static void lay_out_step(step_place *w, dm_block *b, const dm_output_map *m) {
  const size_t ns = (size_t)m->s.nc, n = (size_t)m->n;
  w->scratch = dm_block_alloc(b, m->s.scratch, 1);
  for (int end = 0; end < 2; end++) {
    w->s[end] = dm_block_alloc(b, ns, sizeof(double));
    w->s_q[end] = dm_block_alloc(b, ns * n, sizeof(double));
  }
  w->by_s = dm_block_alloc(b, ns, sizeof(double));
  w->curvature = dm_block_alloc(b, n * n, sizeof(double));
}

size_t dm_driven_outputs_scratch(const dm_output_map *m) {
  dm_block b = {0};
  step_place w;
  lay_out_step(&w, &b, m);
  return (b.used + 63) & ~(size_t)63;
}

// is row i one of inputs?
static bool is_of_inputs(const dm_output_map *m, int i) {
  return dm_output_map_is_driven(m, i) && !dm_output_map_is_contact(m, i);
}

// s and s_q at one or both ends
static dm_status place_step(const dm_output_map *m, void *scratch, const double *const q[],
                            int ends, step_place *w) {
  dm_block b = {.base = scratch};
  lay_out_step(w, &b, m);
  for (int end = 0; end < ends; end++) {
    const dm_status s = m->s.eval(m->s.self, w->scratch, q[end], w->s[end], w->s_q[end]);
    if (s < 0 && s != DM_NOT_FINITE) return s; // rows without a value are handled below
  }
  return DM_OK;
}

// add y and y_z of one term to its row
static void add_term(const dm_output_map *m, int nu, const step_place *w, const dm_step *x,
                     const dm_output_term *t, double *y, double *y_z) {
  const int n = m->n, at_u = 2 * n + t->input, at_h = 2 * n + nu;
  const double u = x->u[t->input], c = t->weight;
  if (t->kind == DM_TERM_INPUT) {
    *y += c * u;
    if (y_z) y_z[at_u] += c;
    return;
  }

  // w u D/h
  const int s = t->signal[0];
  const double rate = c * (w->s[1][s] - w->s[0][s]) / x->h;
  *y += u * rate;
  if (!y_z) return;
  for (int j = 0; j < n; j++) y_z[j] -= c * u / x->h * w->s_q[0][s * n + j];
  for (int j = 0; j < n; j++) y_z[n + j] += c * u / x->h * w->s_q[1][s * n + j];
  y_z[at_u] += rate;
  y_z[at_h] -= u * rate / x->h;
}

dm_status dm_driven_outputs_eval(const dm_output_map *m, int nu, void *scratch, const dm_step *x,
                                 double *y, double *y_z) {
  const int nz = 2 * m->n + nu + 1;
  dm_status status = DM_OK;
  step_place w;
  DM_TRY(place_step(m, scratch, (const double *const[]){x->q0, x->q1}, 2, &w));
  for (int i = 0; i < m->ny; i++) {
    if (!is_of_inputs(m, i)) continue;
    double *by_z = y_z ? y_z + i * nz : NULL, sum;
    if (by_z) memset(by_z, 0, (size_t)nz * sizeof *by_z);
    y[i] = 0;
    for (int t = m->first[i]; t < m->first[i + 1]; t++)
      add_term(m, nu, &w, x, &m->term[t], &y[i], by_z);

    // the row has no value or no derivative
    sum = y[i];
    for (int a = 0; by_z && a < nz; a++) sum += by_z[a];
    if (isfinite(sum)) continue;
    if (!isfinite(y[i])) y[i] = NAN;
    status = DM_NOT_FINITE;
  }
  return status;
}

dm_status dm_driven_outputs_now(const dm_output_map *m, void *scratch, const double *q,
                                const double *v, const double *u, double *y) {
  dm_status status = DM_OK;
  step_place w;
  DM_TRY(place_step(m, scratch, &q, 1, &w));
  for (int i = 0; i < m->ny; i++) {
    if (!is_of_inputs(m, i)) continue;
    y[i] = 0;

    // sum of w u for inputs, of w u s_q v for power
    for (int t = m->first[i]; t < m->first[i + 1]; t++) {
      const dm_output_term *term = &m->term[t];
      double rate = 1;
      if (term->kind == DM_TERM_POWER) rate = 0;
      for (int j = 0; term->kind == DM_TERM_POWER && j < m->n; j++)
        rate += w.s_q[0][term->signal[0] * m->n + j] * v[j];
      y[i] += term->weight * u[term->input] * rate;
    }
    if (!isfinite(y[i])) status = DM_NOT_FINITE;
  }
  return status;
}

bool dm_driven_outputs_varies(const dm_output_map *m, int i) {
  if (!is_of_inputs(m, i)) return false;
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    if (m->term[t].kind == DM_TERM_POWER) return true;
  return false;
}

// -- second derivatives

// entries (a,b) and (b,a)
static void add_pair(double *H, int nz, int a, int b, double value) {
  H[a * nz + b] += value;
  if (a != b) H[b * nz + a] += value;
}

// all terms of (lambda w u D/h)'' except s_qq, whose coefficient goes to by_s
static void add_driven_curvature(const dm_output_map *m, int nu, const step_place *w,
                                 const dm_step *x, const dm_output_term *t, double lambda,
                                 double *H) {
  const int n = m->n, nz = 2 * n + nu + 1, at_u = 2 * n + t->input, at_h = 2 * n + nu;
  const int s = t->signal[0];
  const double c = lambda * t->weight / x->h, D = w->s[1][s] - w->s[0][s], u = x->u[t->input];
  w->by_s[s] += c * u;

  // by u and q: sign - at q0, + at q1; by h and q: the opposite signs
  for (int end = 0; end < 2; end++)
    for (int j = 0; j < n; j++) {
      const double slope = (end ? c : -c) * w->s_q[end][s * n + j];
      add_pair(H, nz, at_u, end * n + j, slope);
      add_pair(H, nz, at_h, end * n + j, -u * slope / x->h);
    }

  // by u and h, and by h twice
  add_pair(H, nz, at_h, at_u, -c * D / x->h);
  add_pair(H, nz, at_h, at_h, 2 * c * u * D / (x->h * x->h));
}

dm_status dm_driven_outputs_contract(const dm_output_map *m, int nu, void *scratch,
                                     const dm_step *x, const double *lambda, double *H) {
  const int n = m->n, nz = 2 * n + nu + 1;
  const double *const q[] = {x->q0, x->q1};
  step_place w;
  DM_TRY(place_step(m, scratch, q, 2, &w));
  memset(w.by_s, 0, (size_t)m->s.nc * sizeof *w.by_s);
  for (int i = 0; i < m->ny; i++) {
    if (lambda[i] == 0 || !is_of_inputs(m, i)) continue;
    for (int t = m->first[i]; t < m->first[i + 1]; t++)
      if (m->term[t].kind == DM_TERM_POWER)
        add_driven_curvature(m, nu, &w, x, &m->term[t], lambda[i], H);
  }

  // -+ w u s_qq/h at both ends
  for (int end = 0; end < 2; end++) {
    memset(w.curvature, 0, (size_t)(n * n) * sizeof *w.curvature);
    DM_TRY(m->s.contract(m->s.self, w.scratch, q[end], w.by_s, w.curvature));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        H[(end * n + i) * nz + end * n + j] += (end ? 1 : -1) * w.curvature[i * n + j];
  }
  return DM_OK;
}

// -- sparsity

// entries that a term depends on: coordinates of its signal, u, h
static bool sees_entry(const dm_output_map *m, int nu, const dm_output_term *t, int a) {
  const int n = m->n;
  if (a == 2 * n + t->input) return true;
  if (t->kind == DM_TERM_INPUT) return false;
  if (a < 2 * n) return !m->s.mask || m->s.mask[t->signal[0] * n + a % n];
  return a == 2 * n + nu;
}

static bool moves_driven(const void *self, int i, int a) {
  const dm_driven_outputs *w = self;
  const dm_output_map *m = w->y;
  if (!is_of_inputs(m, i)) return false;
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    if (sees_entry(m, w->nu, &m->term[t], a)) return true;
  return false;
}

static bool couples_driven(const void *self, int i, int a, int b) {
  const dm_driven_outputs *w = self;
  const dm_output_map *m = w->y;
  const int n = m->n, nu = w->nu;
  const bool both_ends = a < 2 * n && b < 2 * n && a / n != b / n; // D is a sum over the two ends
  const bool input_twice = a == b && a >= 2 * n && a < 2 * n + nu; // linear in u
  if (both_ends || input_twice || !is_of_inputs(m, i)) return false;
  for (int t = m->first[i]; t < m->first[i + 1]; t++)
    if (m->term[t].kind == DM_TERM_POWER && sees_entry(m, nu, &m->term[t], a) &&
        sees_entry(m, nu, &m->term[t], b))
      return true;
  return false;
}

// -- as a function of z

static dm_step find_step(const dm_driven_outputs *w, const double *z) {
  const int n = w->y->n;
  return (dm_step){.q0 = z, .q1 = z + n, .u = z + 2 * n, .h = z[2 * n + w->nu]};
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
                       .size = {[DM_Q] = n, [DM_NEXT_Q] = n, [DM_U] = self->nu, [DM_STEP] = 1},
                       .self = self,
                       .scratch = dm_driven_outputs_scratch(self->y),
                       .eval = eval_driven,
                       .contract = contract_driven,
                       .moves = moves_driven,
                       .couples = couples_driven,
                       .row_name = name_driven};
}
