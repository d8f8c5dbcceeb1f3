#include "lib/multibody/rolling_contact.h"

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

// the place of the contact: its normal n, and the fields a = T lambda and b = a x n with their derivatives by x
typedef struct contact_place {
  double n[3], H[9];
  field a, b;
  double a_x[3][3], b_x[3][3];
} contact_place;

static contact_place find_place(const dm_rolling_contact *c, const double lambda[2],
                                const double *x) {
  contact_place p = {.a_x = {{0}}};
  const double along[2] = {c->flat ? c->sign[0] * lambda[0] : lambda[0],
                           c->flat ? c->sign[1] * lambda[1] : lambda[1]};
  find_normal(c, x, p.n, p.H);
  p.a = find_tangent(along, p.n);
  p.b = cross_normal(&p.a, p.n);
  for (int e = 0; e < 27; e++) {
    const int i = e / 9, j = e / 3 % 3, k = e % 3;
    p.a_x[i][j] += p.a.by_n[i][k] * p.H[3 * k + j];
    p.b_x[i][j] += p.b.by_n[i][k] * p.H[3 * k + j];
  }
  return p;
}

// Add the second derivatives of R b.(E x V)/2: by V and E, b x; by V and x, - E x b_x; by E and x, V x b_x. E and V are
// the differences of places e and 0.
static void add_spin_bend(double R, const contact_place *p, int e, const double E[3],
                          const double V[3], double *S_vy, double *S_yy) {
  double mixed[9] = {0}, Ex[9] = {0}, Vx[9] = {0};
  add_cross_matrix(R / 2, p->b.x, mixed, 3);
  add_cross_matrix(-R / 2, E, Ex, 3);
  add_cross_matrix(R / 2, V, Vx, 3);
  for (int m = 0; m < 9; m++) {
    const int i = m / 3, j = m % 3, at = 3 * e + i, to = 3 * e + j;
    double V_x = 0, E_x = 0;
    for (int k = 0; k < 3; k++) {
      V_x += Ex[3 * i + k] * p->b_x[k][j];
      E_x += Vx[3 * i + k] * p->b_x[k][j];
    }
    S_vy[PLACES * at + to] += mixed[m];
    S_vy[PLACES * at + j] += V_x - mixed[m];
    S_vy[PLACES * i + to] -= mixed[m];
    S_vy[PLACES * i + j] += mixed[m] - V_x;
    if (!S_yy) continue;
    S_yy[PLACES * at + j] += E_x;
    S_yy[PLACES * j + at] += E_x;
    S_yy[PLACES * i + j] -= E_x;
    S_yy[PLACES * j + i] -= E_x;
  }
}

double dm_rolling_contact_eval(const dm_rolling_contact *c, const double lambda[2], const double *y,
                               const double *v, double *S_v, double *S_y, double *S_vy,
                               double *S_yy) {
  const contact_place p = find_place(c, lambda, y);
  const double R = c->radius;
  double w[3] = {0}, value = 0;
  memset(S_v, 0, PLACES * sizeof *S_v);
  memset(S_y, 0, PLACES * sizeof *S_y);
  if (S_vy) memset(S_vy, 0, PLACES * PLACES * sizeof *S_vy);
  if (S_yy) memset(S_yy, 0, PLACES * PLACES * sizeof *S_yy);
  if (R > 0) {
    // R b.w with w = sum_i E_i x E_i'/2: by E_i' it is (b x E_i)/2, by E_i (E_i' x b)/2
    for (int e = 1; e < 4; e++) {
      double E[3], V[3], EV[3], by_V[3], by_E[3];
      for (int i = 0; i < 3; i++) {
        E[i] = y[3 * e + i] - y[i];
        V[i] = v[3 * e + i] - v[i];
      }
      cross(E, V, EV);
      cross(p.b.x, E, by_V);
      cross(V, p.b.x, by_E);
      for (int i = 0; i < 3; i++) {
        w[i] += EV[i] / 2;
        S_v[3 * e + i] += R / 2 * by_V[i];
        S_v[i] -= R / 2 * by_V[i];
        S_y[3 * e + i] += R / 2 * by_E[i];
        S_y[i] -= R / 2 * by_E[i];
      }
      if (S_vy) add_spin_bend(R, &p, e, E, V, S_vy, S_yy);
    }
  }

  // a.x' + R b.w, by x' and by x in a, b
  for (int i = 0; i < 3; i++) {
    value += p.a.x[i] * v[i] + R * p.b.x[i] * w[i];
    S_v[i] += p.a.x[i];
    for (int j = 0; j < 3; j++) {
      S_y[j] += p.a_x[i][j] * v[i] + R * p.b_x[i][j] * w[i];
      if (S_vy) S_vy[PLACES * i + j] += p.a_x[i][j];
    }
  }
  if (S_yy && !c->flat) add_bend(c, y, p.H, &p.a, &p.b, v, w, S_yy);
  return value;
}
