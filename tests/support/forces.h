// tests/support/forces.h: a general force from C functions, and the derivatives of a step with any
// force.
#ifndef TESTS_SUPPORT_FORCES_H
#define TESTS_SUPPORT_FORCES_H
#include "tests/support/models.h"

// f_i = size sin(a_i.q + b_i.v + c_i.u + i) for the first and the last coordinate, as a function of
// these two and two inputs: every possible second derivative is nonzero
enum { FORCES_MOST = 40, FORCES_INPUTS = 2 };
typedef struct forces_wave {
  int n;
  double size, w[FORCES_MOST][2 * FORCES_MOST + FORCES_INPUTS]; // (a_i, b_i, c_i)
  unsigned char mask[FORCES_MOST * FORCES_MOST], mask_u[FORCES_MOST * FORCES_INPUTS];
} forces_wave;

static inline double forces_phase(const forces_wave *s, int i, const double *q, const double *v,
                                  const double *u) {
  double x = i;
  for (int j = 0; j < s->n; j++) x += s->w[i][j] * q[j] + s->w[i][s->n + j] * v[j];
  for (int c = 0; c < FORCES_INPUTS; c++) x += s->w[i][2 * s->n + c] * u[c];
  return x;
}

static inline dm_status forces_wave_eval(const void *self, void *scratch, int order,
                                         const double *q, const double *v, const double *u,
                                         dm_force_jet *out) {
  const forces_wave *s = self;
  const int n = s->n, step = n > 1 ? n - 1 : 1;
  (void)scratch;
  for (int i = 0; i < n; i += step) {
    double x = forces_phase(s, i, q, v, u), slope = s->size * cos(x);
    out->f[i] += s->size * sin(x);
    for (int j = 0; order == 2 && j < n; j++) {
      out->f_q[i * n + j] += slope * s->w[i][j];
      out->f_v[i * n + j] += slope * s->w[i][n + j];
    }
    for (int c = 0; order == 2 && c < FORCES_INPUTS; c++)
      out->f_u[i * FORCES_INPUTS + c] += slope * s->w[i][2 * n + c];
  }
  return DM_OK;
}

static inline dm_status forces_wave_contract(const void *self, void *scratch, const double *q,
                                             const double *v, const double *u, const double *mu,
                                             dm_force_hessian *out) {
  const forces_wave *s = self;
  const int n = s->n, step = n > 1 ? n - 1 : 1;
  (void)scratch;
  for (int i = 0; i < n; i += step) {
    const double *a = s->w[i], *b = a + n, *c = b + n;

    // mu_i f_i'' = -mu_i size sin(phase) times products of the slopes (a, b, c) of the phase
    double bend = -mu[i] * s->size * sin(forces_phase(s, i, q, v, u));
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) {
        out->qq[j * n + k] += bend * a[j] * a[k];
        out->qv[j * n + k] += bend * a[j] * b[k];
        out->vv[j * n + k] += bend * b[j] * b[k];
      }
      for (int k = 0; k < FORCES_INPUTS; k++) {
        out->qu[j * FORCES_INPUTS + k] += bend * a[j] * c[k];
        out->vu[j * FORCES_INPUTS + k] += bend * b[j] * c[k];
      }
    }
    for (int j = 0; j < FORCES_INPUTS; j++)
      for (int k = 0; k < FORCES_INPUTS; k++) out->uu[j * FORCES_INPUTS + k] += bend * c[j] * c[k];
  }
  return DM_OK;
}

// The force of the wave s, which is filled with random slopes between the first and the last of n
// coordinates; size in N or N m.
static inline dm_force forces_wave_of(forces_wave *s, int n, double size) {
  const int step = n > 1 ? n - 1 : 1;
  uint64_t r = 23;
  *s = (forces_wave){.n = n, .size = size};
  assert_true(n <= FORCES_MOST);

  // the masks have an entry for each pair with a second derivative
  for (int i = 0; i < n; i += step) {
    for (int j = 0; j < n; j += step) {
      s->w[i][j] = models_random(&r);
      s->w[i][n + j] = models_random(&r);
      s->mask[i * n + j] = 1;
    }
    for (int c = 0; c < FORCES_INPUTS; c++) {
      s->w[i][2 * n + c] = models_random(&r);
      s->mask_u[i * FORCES_INPUTS + c] = 1;
    }
  }
  return (dm_force){.nu = FORCES_INPUTS,
                    .mask = s->mask,
                    .mask_u = s->mask_u,
                    .self = s,
                    .eval = forces_wave_eval,
                    .contract = forces_wave_contract};
}

enum { FORCES_KINDS = 6 };
static const char *const forces_kinds[] = {"world", "body", "mixed", "damper", "cable", "steering"};

// A load of each kind, constant or driven; cables and dampers connect body 5 and body 3, steering
// acts on the first three coordinates.
static inline dm_load forces_load(dm_load_kind kind, bool driven, int body) {
  static const int bodies[] = {5, -1, 3};
  static const double points[][3] = {{0.3, -0.2, 0.5}, {2, 3, 1}, {-0.4, 0.1, 0.2}};
  static const dm_plane planes[] = {{{0, 1}, 0.7}, {{2, 1}, -0.3}};
  dm_load x = {.name = forces_kinds[kind],
               .kind = kind,
               .driven = driven,
               .body = body,
               .point = {0.3, -0.4, 0.2},
               .torque = {0.5, -0.7, 0.2},
               .force = {1.1, 0.4, -0.6},
               .damping = 0.8};
  x.tendon = (dm_tendon){.npoint = 3, .body = bodies, .point = points};
  if (kind < DM_DAMPER) x.damping = 0;
  if (kind == DM_STEERING) x.plane = planes;
  if (kind == DM_STEERING) x.nplanes = 2;
  return x;
}

// A step of a system as a function of y = (q,p,u), for differences.
enum { FORCES_COLUMNS = 3 * FORCES_MOST };
typedef struct forces_step {
  dm_del *del;
  dm_linearize *lin;
  int n, ni, nc;
  double h, lambda[FORCES_MOST], guess[FORCES_MOST], zeta[2 * FORCES_MOST];
  double A[4 * FORCES_MOST * FORCES_MOST], B[2 * FORCES_MOST * FORCES_MOST];
} forces_step;

static inline void forces_take(void *self, const double *y, double *out) {
  forces_step *s = self;
  dm_del_info info;
  size_t size = (size_t)s->n * sizeof *out;
  memcpy(out, s->guess, size);
  memcpy(s->del->lambda, s->lambda, (size_t)s->nc * sizeof *out);
  assert_int_equal(dm_del_step(s->del, y, y + s->n, y + 2 * s->n, s->h, out, out + s->n, &info),
                   DM_OK);
}

// zeta' (A, B)
static inline void forces_pulled(void *self, const double *y, double *out) {
  forces_step *s = self;
  int nx = 2 * s->n;
  double x1[2 * FORCES_MOST];
  forces_take(s, y, x1);
  assert_int_equal(dm_linearize_step(s->lin, y, x1, y + nx, s->del->lambda, s->h, s->A, s->B),
                   DM_OK);
  for (int j = 0; j < nx + s->ni; j++) {
    out[j] = 0;
    for (int i = 0; i < nx; i++)
      out[j] += s->zeta[i] * (j < nx ? s->A[i * nx + j] : s->B[i * s->ni + j - nx]);
  }
}

// Compare A, B and the second derivatives of a step of length h from y = (q,p,u) with differences
// of the next lower derivative, and the tensor with its contraction.
static inline void forces_check_step(const dm_system *sys, double h, const double *y) {
  forces_step s = {.n = sys->L.nq, .ni = dm_system_inputs(sys), .nc = sys->hol.nc, .h = h};
  int n = s.n, nx = 2 * n, ni = s.ni, ny = nx + ni;
  double d[FORCES_COLUMNS], out[FORCES_COLUMNS], x1[2 * FORCES_MOST];
  static double xx[4 * FORCES_MOST * FORCES_MOST], xu[2 * FORCES_MOST * FORCES_MOST],
      uu[FORCES_MOST * FORCES_MOST];
  uint64_t r = 5;
  assert_true(n <= FORCES_MOST && ni <= FORCES_MOST && s.nc <= FORCES_MOST);
  assert_int_equal(dm_del_new(&s.del, sys, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&s.lin, sys), DM_OK);

  // the step around which differences are taken
  memcpy(s.guess, y, (size_t)n * sizeof *y);
  forces_take(&s, y, x1);
  memcpy(s.guess, x1, (size_t)n * sizeof *y);
  memcpy(s.lambda, s.del->lambda, (size_t)s.nc * sizeof *y);
  for (int i = 0; i < ny; i++) d[i] = models_random(&r);
  for (int i = 0; i < nx; i++) s.zeta[i] = models_random(&r);

  // (A, B) d
  assert_int_equal(dm_linearize_step(s.lin, y, x1, y + nx, s.lambda, h, s.A, s.B), DM_OK);
  for (int i = 0; i < nx; i++) {
    out[i] = 0;
    for (int j = 0; j < nx; j++) out[i] += s.A[i * nx + j] * d[j];
    for (int j = 0; j < ni; j++) out[i] += s.B[i * ni + j] * d[nx + j];
  }
  models_check_derivative(forces_take, &s, ny, nx, y, d, out, 1e-3, "A, B");

  // (zeta.f'') d, the derivative of zeta'(A, B) along d
  assert_int_equal(dm_linearize_second(s.lin, y, x1, y + nx, s.lambda, h, s.zeta, xx, xu, uu),
                   DM_OK);
  for (int i = 0; i < ny; i++) {
    out[i] = 0;
    for (int j = 0; j < ny; j++) {
      double entry;
      if (i < nx && j < nx)
        entry = xx[i * nx + j];
      else if (i < nx)
        entry = xu[i * ni + j - nx];
      else if (j < nx)
        entry = xu[j * ni + i - nx];
      else
        entry = uu[(i - nx) * ni + j - nx];
      out[i] += d[j] * entry;
    }
  }
  models_check_derivative(forces_pulled, &s, ny, ny, y, d, out, 1e-3, "zeta.f''");
  dm_linearize_free(s.lin);
  dm_del_free(s.del);
}
#endif
