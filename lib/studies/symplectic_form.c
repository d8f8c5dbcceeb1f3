#include "lib/studies/symplectic_form.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

static void lay_out_form(void *self, dm_block *b) {
  dm_symplectic_form *w = self;
  size_t nx = 2 * (size_t)w->n;
  double **vectors[] = {&w->y, &w->x[0], &w->x[1]};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, nx, sizeof(double));
  for (int i = 0; i < 2; i++) w->z[i] = dm_block_alloc(b, 2 * nx, sizeof(double));
  w->A = dm_block_alloc(b, nx * nx, sizeof(double));
  w->B = dm_block_alloc(b, nx * (size_t)w->inputs, sizeof(double));
  w->lambda = dm_block_alloc(b, (size_t)w->nc, sizeof(double));
}

dm_status dm_symplectic_form_new(dm_symplectic_form **out, const dm_system *s, int order,
                                 const dm_del_settings *set, const dm_stepper *near) {
  dm_symplectic_form sizes = {.n = s->L.nq,
                              .nc = s->hol.nc,
                              .inputs = dm_system_inputs(s),
                              .exact = !near && (!set || !set->energy_momentum)};
  dm_symplectic_form *w = dm_block_make(&sizes, sizeof sizes, lay_out_form);
  if (!w) return DM_NO_MEMORY;

  // steps of the cloud with a tight tolerance, as differences amplify their error
  dm_del_settings fine = set ? *set : dm_del_default();
  fine.tol = 1e-16;

  // A of each step, unavailable for the energy-momentum method
  dm_status status = near ? DM_OK : dm_composition_new(&w->own, s, order, &fine, NULL);
  if (near) w->near = *near;
  if (w->own) w->near = dm_composition_stepper(w->own);
  if (status == DM_OK && w->exact) status = dm_linearize_new(&w->lin, s);
  if (status != DM_OK) {
    dm_symplectic_form_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_symplectic_form_free(dm_symplectic_form *w) {
  if (!w) return;
  dm_composition_free(w->own);
  dm_linearize_free(w->lin);
  dm_block_free(w);
}

// dq1.dp2 - dq2.dp1 of the pair z [2 x 2n]
static double find_form(int n, const double *z) {
  // z = (dq1, dp1), y = (dq2, dp2)
  const double *y = z + 2 * n;
  return dm_inner(n, z, y + n) - dm_inner(n, y, z + n);
}

// equal lengths and a right angle, conserving the form
static void balance_pair(int n, double *z) {
  double *y = z + 2 * n, zz = dm_inner(2 * n, z, z);

  // orthogonalize y to z
  dm_add_to(2 * n, -dm_inner(2 * n, z, y) / zz, z, y);

  // fourth root of the ratio of squares
  double f = sqrt(sqrt(dm_inner(2 * n, y, y) / zz));
  for (int i = 0; i < 2 * n; i++) {
    z[i] *= f;
    y[i] /= f;
  }
}

void dm_symplectic_form_start(dm_symplectic_form *w, const double *a, const double *Ma) {
  size_t bytes = (size_t)w->n * sizeof *a;
  for (int i = 0; i < 2; i++) {
    // (a, 0) and (0, M a): their form is a.M a
    memset(w->z[i], 0, 4 * bytes);
    memcpy(w->z[i], a, bytes);
    memcpy(w->z[i] + 3 * w->n, Ma, bytes);
    w->size[i] = find_form(w->n, w->z[i]);
    w->before[i] = w->form[i] = i || w->exact ? 1 : NAN;
    balance_pair(w->n, w->z[i]);
  }
}

bool dm_symplectic_form_exists(const dm_system *s) {
  return s->L.nq - s->nk - s->hol.nc > 0 && s->hol.nv == 0;
}

dm_status dm_symplectic_form_begin(dm_symplectic_form *w, dm_continuous *c, const double *q) {
  double *a = w->x[0], *Ma = w->x[1];
  for (int i = 0; i < w->n; i++) a[i] = c->s.kinematic && c->s.kinematic[i] ? 0 : cos(i);

  // a on the constraints, M a
  if (c->s.hol.nc) {
    dm_status s = dm_velocity_restrict(c, q, a);
    if (s != DM_OK) return s;
  }
  DM_TRY(dm_momentum_of(c, q, a, Ma));
  dm_symplectic_form_start(w, a, Ma);
  return DM_OK;
}

// propagate z by A of each part
static dm_status propagate_derivatives(dm_symplectic_form *w, const dm_composition *taken,
                                       const double *u, double h) {
  const int n = w->n, nc = taken->nc;
  for (int i = 0; i < taken->of.stages; i++) {
    // A of part i
    const double *q = taken->q + i * n, *lambda = nc ? taken->lambda + i * nc : NULL;
    DM_TRY(dm_linearize_step(w->lin, q, q + n, u, lambda, taken->g[i] * h, w->A, w->B));

    // z = A z, both
    for (int t = 0; t < 2; t++) {
      double *z = w->z[0] + t * 2 * n;
      for (int j = 0; j < 2 * n; j++) w->y[j] = dm_inner(2 * n, w->A + j * 2 * n, z);
      memcpy(z, w->y, 2 * (size_t)n * sizeof *z);
    }
  }
  return DM_OK;
}

// propagate z by steps from perturbed starts on both sides
static dm_status propagate_cloud(dm_symplectic_form *w, const double *q0, const double *p0,
                                 const double *q1, const double *u, double h) {
  const int n = w->n;
  for (int t = 0; t < 2; t++) {
    double *z = w->z[1] + t * 2 * n;

    // perturbation of 1e-5 of the state, about the cube root of rounding, which is optimal for
    // central differences
    const double off = 1e-5 * fmax(1, dm_largest(n, q0)) / dm_largest(2 * n, z);
    for (int side = 0; side < 2; side++) {
      double *x = w->x[side], step = side ? off : -off;
      for (int i = 0; i < n; i++) {
        w->y[i] = q0[i] + step * z[i];
        w->y[n + i] = p0[i] + step * z[n + i];
      }

      // a step from there, with the motion's own end as the guess
      memcpy(x, q1, (size_t)n * sizeof *x);
      DM_TRY(w->near.step(w->near.self, 0, w->y, w->y + n, u, h, x, x + n, w->lambda));
    }

    // the central difference
    for (int i = 0; i < 2 * n; i++) z[i] = (w->x[1][i] - w->x[0][i]) / (2 * off);
  }
  return DM_OK;
}

dm_status dm_symplectic_form_propagate(dm_symplectic_form *w, const dm_composition *taken,
                                       const double *q0, const double *p0, const double *q1,
                                       const double *u, double h) {
  if (w->exact) DM_TRY(propagate_derivatives(w, taken, u, h));
  DM_TRY(propagate_cloud(w, q0, p0, q1, u, h));

  // update the form of each pair relative to its start, then balance the pair
  for (int i = w->exact ? 0 : 1; i < 2; i++) {
    w->form[i] = w->before[i] * find_form(w->n, w->z[i]) / w->size[i];
    balance_pair(w->n, w->z[i]);

    // If the pair has grown to many times its form, which is then a small difference of large products,
    // replace it by (dq, 0) and (0, s dq), with dq from the vector that has the larger one
    enum { FLAT = 100 };
    const int n = w->n;
    const size_t bytes = (size_t)n * sizeof(double);
    double *z = w->z[i], *y = z + 2 * n;
    if (dm_inner(2 * n, z, z) < FLAT * fabs(find_form(n, z))) continue;

    // z = (dq, 0) with the longer dq, y = (0, s dq) with the size of its dp
    if (dm_inner(n, z, z) < dm_inner(n, y, y)) memcpy(z, y, 2 * bytes);
    double s = sqrt(dm_inner(n, z + n, z + n) / dm_inner(n, z, z));
    memset(z + n, 0, bytes);
    memset(y, 0, bytes);
    for (int j = 0; j < n; j++) y[n + j] = s > 0 ? s * z[j] : z[j];

    // the form of the new pair continues that of the old one
    w->before[i] = w->form[i];
    w->size[i] = find_form(n, z);
    balance_pair(n, z);
  }
  return DM_OK;
}
