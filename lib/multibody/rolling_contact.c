#include "lib/multibody/rolling_contact.h"

#include "lib/multibody/spatial.h"

#include <string.h>

enum { PLACES = DM_ROLLING_PLACES };
static const double TURNED = -0.5; // n_z below which tangents turn from -z

// A vector as a function of the normal, with its derivatives: x[i], by_n[i][j], by_nn[i][j][k].
typedef struct field {
  double x[3], by_n[3][3], by_nn[3][3][3];
} field;

// n_i n_j f of f(n_z), with its derivatives times t, into component `to`
static void add_term(field *a, int to, double t, int i, int j, const double n[3],
                     const double f[3]) {
  double e[3] = {0}; // of n_i n_j
  e[i] += n[j];
  e[j] += n[i];
  a->x[to] += t * n[i] * n[j] * f[0];
  for (int k = 0; k < 3; k++) a->by_n[to][k] += t * e[k] * f[0];
  a->by_n[to][2] += t * n[i] * n[j] * f[1];
  a->by_nn[to][i][j] += t * f[0];
  a->by_nn[to][j][i] += t * f[0];
  for (int k = 0; k < 3; k++) {
    a->by_nn[to][k][2] += t * e[k] * f[1];
    a->by_nn[to][2][k] += t * e[k] * f[1];
  }
  a->by_nn[to][2][2] += t * n[i] * n[j] * f[2];
}

// lambda_0 T_0 + lambda_1 T_1, of [duff-2017]:
//   T_0 = (1 - n_x^2/d', - n_x n_y/d', - z n_x), T_1 = (- n_x n_y/d, z - n_y^2/d, - n_y)    d = z + n_z, d' = z d
static field find_tangent(const double lambda[2], const double n[3]) {
  field a = {.x = {0}};
  const double z = n[2] < TURNED ? -1 : 1, d = z + n[2];
  const double f[3] = {-1 / d, 1 / (d * d), -2 / (d * d * d)};
  a.x[0] = lambda[0];
  a.x[1] = z * lambda[1];
  add_term(&a, 0, z * lambda[0], 0, 0, n, f);
  add_term(&a, 1, z * lambda[0], 0, 1, n, f);
  add_term(&a, 0, lambda[1], 0, 1, n, f);
  add_term(&a, 1, lambda[1], 1, 1, n, f);
  a.x[2] = -z * lambda[0] * n[0] - lambda[1] * n[1];
  a.by_n[2][0] = -z * lambda[0];
  a.by_n[2][1] = -lambda[1];
  return a;
}

static const int after[3] = {1, 2, 0}, before[3] = {2, 0, 1};

// a x n
static field cross_normal(const field *a, const double n[3]) {
  field b = {.x = {0}};
  for (int i = 0; i < 3; i++)
    for (int side = 0; side < 2; side++) {
      // + a_p n_q, - a_q n_p
      const int p = side ? before[i] : after[i], q = side ? after[i] : before[i];
      const double t = side ? -1 : 1;
      b.x[i] += t * a->x[p] * n[q];
      b.by_n[i][q] += t * a->x[p];
      for (int j = 0; j < 3; j++) {
        b.by_n[i][j] += t * a->by_n[p][j] * n[q];
        b.by_nn[i][j][q] += t * a->by_n[p][j];
        b.by_nn[i][q][j] += t * a->by_n[p][j];
        for (int k = 0; k < 3; k++) b.by_nn[i][j][k] += t * a->by_nn[p][j][k] * n[q];
      }
    }
  return b;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[after[i]] * b[before[i]] - a[before[i]] * b[after[i]];
}

// out[i][j] += t (a x)_ij
static void add_cross_matrix(double t, const double a[3], double *out, int ld) {
  for (int i = 0; i < 3; i++) {
    out[i * ld + after[i]] -= t * a[before[i]];
    out[i * ld + before[i]] += t * a[after[i]];
  }
}

// the normal at x with its derivative
static void find_normal(const dm_rolling_contact *c, const double *x, double n[3], double H[9]) {
  memset(H, 0, 9 * sizeof *H);
  n[0] = n[1] = 0;
  n[2] = 1;
  if (!c->flat) (void)dm_shape_distance(&c->shape, 2, x, n, H);
}

// the part of S by the center: a.x' + R b.w with x' and w given; its second derivatives by x
static void add_bend(const dm_rolling_contact *c, const double *x, const double *H, const field *a,
                     const field *b, const double *v, const double *w, double *S_yy) {
  double g[3] = {0}, G[3][3] = {{0}}, bend[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      g[j] += a->by_n[i][j] * v[i] + c->radius * b->by_n[i][j] * w[i];
      for (int k = 0; k < 3; k++)
        G[j][k] += a->by_nn[i][j][k] * v[i] + c->radius * b->by_nn[i][j][k] * w[i];
    }
  dm_shape_hessian_along(&c->shape, x, g, bend);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = bend[3 * i + j];
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) sum += H[3 * k + i] * G[k][l] * H[3 * l + j];
      S_yy[PLACES * i + j] += sum;
    }
}

// S as a function of the center's place and velocity and of the differences E, E' of the other places
double dm_rolling_contact_eval(const dm_rolling_contact *c, const double lambda[2], const double *y,
                               const double *v, double *S_v, double *S_y, double *S_vy,
                               double *S_yy) {
  const double R = c->radius;
  const double along[2] = {c->flat ? c->sign[0] * lambda[0] : lambda[0],
                           c->flat ? c->sign[1] * lambda[1] : lambda[1]};
  double n[3], H[9], w[3] = {0}, a_x[3][3] = {{0}}, b_x[3][3] = {{0}};
  find_normal(c, y, n, H);
  const field a = find_tangent(along, n), b = cross_normal(&a, n);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) {
        a_x[i][j] += a.by_n[i][k] * H[3 * k + j];
        b_x[i][j] += b.by_n[i][k] * H[3 * k + j];
      }
  memset(S_v, 0, PLACES * sizeof *S_v);
  memset(S_y, 0, PLACES * sizeof *S_y);
  if (S_vy) memset(S_vy, 0, PLACES * PLACES * sizeof *S_vy);
  if (S_yy) memset(S_yy, 0, PLACES * PLACES * sizeof *S_yy);

  // b.w = sum_i b.(E_i x E_i')/2: by E_i' it is (b x E_i)/2, by E_i (E_i' x b)/2
  for (int e = 1; e < 4 && R > 0; e++) {
    double E[3], V[3], by_V[3], by_E[3];
    for (int i = 0; i < 3; i++) {
      E[i] = y[3 * e + i] - y[i];
      V[i] = v[3 * e + i] - v[i];
    }
    cross(E, V, by_E);
    for (int i = 0; i < 3; i++) w[i] += by_E[i] / 2;
    cross(b.x, E, by_V);
    cross(V, b.x, by_E);
    for (int i = 0; i < 3; i++) {
      S_v[3 * e + i] += R / 2 * by_V[i];
      S_v[i] -= R / 2 * by_V[i];
      S_y[3 * e + i] += R / 2 * by_E[i];
      S_y[i] -= R / 2 * by_E[i];
    }

    // by E' and E, b x; by E' and x, - E x b_x; by E and x, V x b_x
    double mixed[9] = {0}, Ex[9] = {0}, Vx[9] = {0};
    add_cross_matrix(R / 2, b.x, mixed, 3);
    add_cross_matrix(-R / 2, E, Ex, 3);
    add_cross_matrix(R / 2, V, Vx, 3);
    for (int i = 0; i < 3 && S_vy; i++)
      for (int j = 0; j < 3; j++) {
        double by_x = 0, E_x = 0;
        for (int k = 0; k < 3; k++) {
          by_x += Ex[3 * i + k] * b_x[k][j];
          E_x += Vx[3 * i + k] * b_x[k][j];
        }
        const int at = 3 * e + i, to = 3 * e + j;
        S_vy[PLACES * at + to] += mixed[3 * i + j];
        S_vy[PLACES * at + j] += by_x - mixed[3 * i + j];
        S_vy[PLACES * i + to] -= mixed[3 * i + j];
        S_vy[PLACES * i + j] += mixed[3 * i + j] - by_x;
        if (!S_yy) continue;
        S_yy[PLACES * at + j] += E_x;
        S_yy[PLACES * j + at] += E_x;
        S_yy[PLACES * i + j] -= E_x;
        S_yy[PLACES * j + i] -= E_x;
      }
  }

  // a.x' + R b.w, by x' and by x in a, b
  double value = 0;
  for (int i = 0; i < 3; i++) {
    value += a.x[i] * v[i] + R * b.x[i] * w[i];
    S_v[i] += a.x[i];
    for (int j = 0; j < 3; j++) {
      S_y[j] += a_x[i][j] * v[i] + R * b_x[i][j] * w[i];
      if (S_vy) S_vy[PLACES * i + j] += a_x[i][j];
    }
  }
  if (S_yy && !c->flat) add_bend(c, y, H, &a, &b, v, w, S_yy);
  return value;
}
