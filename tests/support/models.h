// tests/support/models.h: the mechanisms used by tests.
//
// With gravity, q = 0 is hanging straight down; joints rotate about y, and a positive angle swings
// the free end towards -x.
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H
#include "dmoc.h"
#include "lib/multibody/tree_system.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

// cmocka's own comparison is in single precision
#define assert_close(a, b, tol) models_close(a, b, tol, #a, __FILE__, __LINE__)
static inline void models_close(double a, double b, double tol, const char *what, const char *file,
                                int line) {
  if (fabs(a - b) <= tol) return;
  print_error("%s = %.17g, not %.17g: off by %.3g, allowed %.3g\n", what, a, b, fabs(a - b), tol);
  _fail(file, line);
}

static inline dm_coordinate models_coord(const char *name, bool slides, double x, double y,
                                         double z) {
  return (dm_coordinate){.name = name,
                         .slides = slides,
                         .axis = {x, y, z},
                         .limit = dm_range_none(),
                         .v_max = INFINITY,
                         .effort = INFINITY,
                         .mimic = -1,
                         .ratio = 1};
}

static inline dm_input models_input(const char *name, int coord) {
  return (dm_input){.name = name, .coord = coord, .u_min = -INFINITY, .u_max = INFINITY};
}

static inline dm_model *models_make(const dm_tree *tree) {
  dm_model *m = NULL;
  dm_message msg = {""};
  if (dm_model_new(&m, tree, &msg) != DM_OK) fail_msg("%s", msg.text);
  return m;
}

// a pendulum: m = l = 1, g = 9.8, a torque at its joint
static inline dm_model *models_pendulum(void) {
  dm_coordinate c[] = {models_coord("pivot", false, 0, 1, 0)};
  dm_body b[] = {{"bob", -1, dm_identity, 0, 1, 1, {0, 0, -1}, {0}}};
  dm_input u[] = {models_input("pivot", 0)};
  return models_make(&(dm_tree){.nbody = 1,
                                .ncoord = 1,
                                .ninput = 1,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.8}});
}

// a cart of 1 kg on a slider, a pole of 0.5 m with 0.3 kg at its tip; a force on the cart
static inline dm_model *models_cart_pole(void) {
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0), models_coord("pole", false, 0, 1, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1, {0}, {0}},
                 {"pole", 0, dm_identity, 1, 1, 0.3, {0, 0, -0.5}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  return models_make(&(dm_tree){.nbody = 2,
                                .ncoord = 2,
                                .ninput = 1,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

// a planar chain of n uniform links of 1 kg and length l, with joint i named ji; torques at the
// joints first..n-1
static inline dm_model *models_chain(int n, double l, int first) {
  enum { MOST = 200 };
  static dm_coordinate c[MOST];
  static dm_body b[MOST];
  static dm_input u[MOST];
  static char name[MOST][16];
  assert_true(n <= MOST);
  for (int i = 0; i < n; i++) {
    snprintf(name[i], sizeof name[i], "j%d", i);
    dm_pose offset = dm_identity;
    if (i > 0) offset.p.z = -l;
    c[i] = models_coord(name[i], false, 0, 1, 0);
    b[i] = (dm_body){name[i], i - 1, offset, i, 1, 1, {0, 0, -l / 2}, {0, l * l / 12}};
    if (i >= first) u[i - first] = models_input(name[i], i);
  }
  return models_make(&(dm_tree){.nbody = n,
                                .ncoord = n,
                                .ninput = n - first,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

// two uniform links of 1 kg and 1 m, a torque at the elbow
static inline dm_model *models_acrobot(void) {
  return models_chain(2, 1, 1);
}

// pseudo-random numbers in [-1,1]
static inline double models_random(uint64_t *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

// a branched spatial tree of nb bodies: one to three coordinates per body about skew axes,
// including prismatic joints and fixed bodies, and one mimic joint if `mimic` is set; damping,
// armature, inputs
static inline dm_model *models_random_tree(int nb, bool mimic, uint64_t seed) {
  enum { MOST = 40 };
  static dm_coordinate c[3 * MOST];
  static dm_body b[MOST];
  static dm_input u[3 * MOST];
  static char name[3 * MOST][16];
  assert_true(nb <= MOST);
  uint64_t r = seed;
  int nc = 0, nu = 0;
#define RND models_random(&r)
  for (int i = 0; i < nb; i++) {
    // every other body is a child of the previous one, the others of any earlier body
    int parent = i == 0 ? -1 : (int)((i - 1) * 0.5 * (1.999 + RND - 0.999) * 0.999);
    if (i % 2 == 0) parent = i - 1;
    double rpy[] = {RND, RND, RND}, p[] = {RND, RND, RND};
    b[i] = (dm_body){.name = "body", .parent = parent, .offset = dm_pose_rpy(rpy, p), .first = nc};
    b[i].ncoord = i % 5 == 3 ? 0 : 1 + i % 3;

    // its coordinates, about random axes; every fourth is prismatic
    for (int k = 0; k < b[i].ncoord; k++, nc++) {
      snprintf(name[nc], sizeof name[nc], "c%d", nc);
      double x = RND, y = RND, z = RND, len = sqrt(x * x + y * y + z * z);
      c[nc] = models_coord(name[nc], nc % 4 == 2, x / len, y / len, z / len);
      c[nc].damping = nc % 3 == 0 ? 0.3 : 0;
      c[nc].armature = nc % 2 || i % 4 == 2 ? 0.1 : 0;
      if (mimic && nc == 4) {
        c[nc].mimic = 1;
        c[nc].ratio = -1.5;
        c[nc].shift = 0.2;
      }
      if (nc % 2 == 0) u[nu++] = models_input(name[nc], nc);
    }

    // some massless bodies: their coordinates have armature
    b[i].mass = i % 4 == 2 ? 0 : 1.5 + RND;
    for (int k = 0; k < 3; k++) b[i].centre[k] = 0.5 * RND;
    if (b[i].mass > 0) {
      double J[] = {0.3, 0.4, 0.5, 0.05 * RND, 0.05 * RND, 0.05 * RND};
      memcpy(b[i].inertia, J, sizeof J);
    }
  }
#undef RND
  return models_make(&(dm_tree){.nbody = nb,
                                .ncoord = nc,
                                .ninput = nu,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0.7, -2, -9}});
}

// Compare the derivative d f(x) with central differences of steps e and e/2: if it is exact, the
// error decreases by a factor of four. Asserts this factor, or an error at rounding level.
typedef void (*models_function)(void *self, const double *x, double *out);
static inline void models_check_derivative(models_function f, void *self, int nx, int nout,
                                           const double *x, const double *d, const double *exact,
                                           double e, const char *what) {
  double *y = calloc((size_t)(nx + 2 * nout), sizeof *y), *a = y + nx, *b = a + nout;
  double error[2] = {0}, size = 0, value = 0;
  for (int half = 0; half < 2; half++, e /= 2) {
    // (f(x + e d) - f(x - e d)) / 2e
    for (int i = 0; i < nx; i++) y[i] = x[i] + e * d[i];
    f(self, y, a);
    for (int i = 0; i < nx; i++) y[i] = x[i] - e * d[i];
    f(self, y, b);
    for (int i = 0; i < nout; i++) {
      error[half] = fmax(error[half], fabs((a[i] - b[i]) / (2 * e) - exact[i]));
      size = fmax(size, fabs(exact[i]));
      value = fmax(value, fabs(a[i]));
    }
  }
  free(y);

  // rounding error of the values of f, divided by e
  double rounding = 40 * 2.3e-16 * (value + size) / e;
  if (error[1] > rounding && !(error[0] / error[1] > 3.5 && error[0] / error[1] < 4.5))
    fail_msg("%s: errors %.3e, %.3e: ratio %.3f, not 4 (size %.3e)", what, error[0], error[1],
             error[0] / error[1], size);
}
#endif
