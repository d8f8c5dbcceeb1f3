#include "lib/mechanics/step_function.h"

#include "lib/base/block.h"

#include <string.h>

// work arrays of a call, in the caller's scratch
typedef struct step_place {
  double *y_x;   // [ny x nx] of the last evaluation
  void *scratch; // of the function
  double *x;     // [nx]
  double *H;     // [nx x nx]
} step_place;

// Are the arguments z itself? Then the chain rule is the identity.
static bool takes_place(const dm_step_function *f) {
  const int *size = f->y.size;
  const bool step = size[DM_NEXT_Q] == f->n && size[DM_U] == f->nu && size[DM_STEP] &&
                    size[DM_TIME] == f->times && size[DM_LAMBDA] == f->impulses;
  return size[DM_Q] == f->n && (f->knot ? size[DM_V] == f->n : !size[DM_V] && step && !f->side);
}

static void lay_out_step(step_place *w, dm_block *b, const dm_step_function *f) {
  const size_t nx = (size_t)dm_function_entries(&f->y), chain = takes_place(f) ? 0 : nx;
  w->y_x = dm_block_alloc(b, (size_t)f->y.ny * chain, sizeof(double));
  w->scratch = dm_block_alloc(b, f->y.scratch, 1);
  w->x = dm_block_alloc(b, nx, sizeof(double));
  w->H = dm_block_alloc(b, chain * chain, sizeof(double));
}

size_t dm_step_function_scratch(const dm_step_function *f) {
  dm_block b = {0};
  step_place w;
  lay_out_step(&w, &b, f);
  return (b.used + 63) & ~(size_t)63;
}

size_t dm_step_function_kept(const dm_step_function *f) {
  const size_t chain = takes_place(f) ? 0 : (size_t)dm_function_entries(&f->y);
  dm_block b = {0};
  dm_block_alloc(&b, (size_t)f->y.ny * chain, sizeof(double));
  dm_block_alloc(&b, f->y.kept, 1);
  return b.used;
}

// x of this place
static step_place place_step(const dm_step_function *f, void *scratch, const dm_step *step) {
  dm_block b = {.base = scratch};
  const int *size = f->y.size;
  step_place w;
  lay_out_step(&w, &b, f);
  double *x = w.x;
  for (int i = 0; i < size[DM_Q]; i++) *x++ = f->side ? step->q1[i] : step->q0[i];
  for (int i = 0; i < size[DM_V]; i++)
    *x++ = f->knot ? step->q1[i] : (step->q1[i] - step->q0[i]) / step->h;
  for (int i = 0; i < size[DM_NEXT_Q]; i++) *x++ = step->q1[i];
  for (int j = 0; j < size[DM_U]; j++) *x++ = step->u[j];
  if (size[DM_STEP]) *x++ = step->h;
  for (int j = 0; j < size[DM_TIME]; j++) *x++ = step->time[j];
  for (int j = 0; j < size[DM_LAMBDA]; j++) *x++ = step->lambda[j];
  return w;
}

// The entries of z on which an entry of x depends, with its derivatives by them.
typedef struct step_trace {
  int n, z[3];
  double slope[3];
} step_trace;

// the trace of entry a of x; v is its value, for a velocity
static step_trace trace_entry(const dm_step_function *f, int a, double v, double h) {
  const int *size = f->y.size, n = f->n, by_h = 2 * n + f->nu;
  if (a < size[DM_Q]) return (step_trace){1, {a + (f->side ? n : 0)}, {1}};
  a -= size[DM_Q];
  if (f->knot) return (step_trace){1, {n + a}, {1}};
  if (a < size[DM_V]) return (step_trace){3, {a, n + a, by_h}, {-1 / h, 1 / h, -v / h}};
  a -= size[DM_V];
  if (a < size[DM_NEXT_Q]) return (step_trace){1, {n + a}, {1}};
  a -= size[DM_NEXT_Q];
  if (a < size[DM_U]) return (step_trace){1, {2 * n + a}, {1}};
  return (step_trace){1, {by_h + (a - size[DM_U]) + !size[DM_STEP]}, {1}};
}

dm_status dm_step_function_eval(const dm_step_function *f, void *scratch, const dm_step *step,
                                double *y, double *y_z) {
  const int nx = dm_function_entries(&f->y), nz = dm_step_function_entries(f);
  const step_place w = place_step(f, scratch, step);
  if (takes_place(f)) return f->y.eval(f->y.self, w.scratch, w.x, y, y_z);
  const dm_status s = f->y.eval(f->y.self, w.scratch, w.x, y, y_z ? w.y_x : NULL);
  if (!y_z || (s < 0 && s != DM_NOT_FINITE)) return s;

  memset(y_z, 0, (size_t)(f->y.ny * nz) * sizeof *y_z);
  for (int a = 0; a < nx; a++) {
    const step_trace t = trace_entry(f, a, w.x[a], step->h);
    for (int i = 0; i < f->y.ny; i++)
      for (int e = 0; e < t.n; e++) y_z[i * nz + t.z[e]] += t.slope[e] * w.y_x[i * nx + a];
  }
  return s;
}

// x_z' H x_z of two entries of x
static void add_pair(const step_trace *a, const step_trace *b, double value, int nz, double *H) {
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < b->n; j++) H[a->z[i] * nz + b->z[j]] += a->slope[i] * b->slope[j] * value;
}

// (lambda y_v) v_zz: the velocity also depends on h
static void add_rate_curvature(const dm_step_function *f, const step_place *w, double h,
                               const double *lambda, double *H) {
  const int nx = dm_function_entries(&f->y), n = f->n, nz = dm_step_function_entries(f);
  const int by_h = 2 * n + f->nu;
  const int first = f->y.size[DM_Q];
  for (int i = 0; i < f->y.size[DM_V]; i++) {
    double slope = 0;
    for (int r = 0; r < f->y.ny; r++)
      if (lambda[r] != 0) slope += lambda[r] * w->y_x[r * nx + first + i];

    // by q0 and h: 1/h^2, by q1 and h: -1/h^2, by h twice: 2 v/h^2
    slope /= h * h;
    H[i * nz + by_h] += slope;
    H[by_h * nz + i] += slope;
    H[(n + i) * nz + by_h] -= slope;
    H[by_h * nz + n + i] -= slope;
    H[by_h * nz + by_h] += 2 * w->x[first + i] * slope;
  }
}

dm_status dm_step_function_contract(const dm_step_function *f, void *scratch, const dm_step *step,
                                    const double *lambda, double *H) {
  const int nx = dm_function_entries(&f->y), nz = dm_step_function_entries(f);
  const step_place w = place_step(f, scratch, step);
  if (takes_place(f))
    return f->y.contract ? f->y.contract(f->y.self, w.scratch, w.x, lambda, H) : DM_OK;
  if (!f->knot) add_rate_curvature(f, &w, step->h, lambda, H);
  if (!f->y.contract) return DM_OK;
  memset(w.H, 0, (size_t)(nx * nx) * sizeof *w.H);
  DM_TRY(f->y.contract(f->y.self, w.scratch, w.x, lambda, w.H));
  for (int a = 0; a < nx; a++) {
    const step_trace of_a = trace_entry(f, a, w.x[a], step->h);
    for (int b = 0; b < nx; b++) {
      if (w.H[a * nx + b] == 0) continue;
      const step_trace of_b = trace_entry(f, b, w.x[b], step->h);
      add_pair(&of_a, &of_b, w.H[a * nx + b], nz, H);
    }
  }
  return DM_OK;
}

// -- sparsity

// does entry a of x depend on entry z?
static bool traces(const dm_step_function *f, int a, int z) {
  const step_trace t = trace_entry(f, a, 1, 1);
  for (int e = 0; e < t.n; e++)
    if (t.z[e] == z) return true;
  return false;
}

static bool is_moved(const dm_step_function *f, int row, int a) {
  return !f->y.moves || f->y.moves(f->y.self, row, a);
}

bool dm_step_function_moves(const dm_step_function *f, int row, int z) {
  for (int a = 0; a < dm_function_entries(&f->y); a++)
    if (is_moved(f, row, a) && traces(f, a, z)) return true;
  return false;
}

bool dm_step_function_couples(const dm_step_function *f, int row, int y, int z) {
  const int nx = dm_function_entries(&f->y), by_h = 2 * f->n + f->nu;
  for (int a = 0; a < nx; a++) {
    if (!is_moved(f, row, a)) continue;
    // v_zz by h
    const bool rate = a >= f->y.size[DM_Q] && a < f->y.size[DM_Q] + f->y.size[DM_V];
    if (rate && !f->knot && (y == by_h || z == by_h) && traces(f, a, y) && traces(f, a, z))
      return true;
    if (!f->y.contract || !traces(f, a, y)) continue;
    for (int b = 0; b < nx; b++)
      if (is_moved(f, row, b) && traces(f, b, z) &&
          (!f->y.couples || f->y.couples(f->y.self, row, a, b)))
        return true;
  }
  return false;
}
