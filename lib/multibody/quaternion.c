#include "lib/multibody/quaternion.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// One term of the series of (turns, rates) about z, x, y: coef times a product of components of r =
// (0,1,2,3), times a component of n if n >= 0.
typedef struct term {
  int of; // 0 .. 2 turns, 3 .. 5 rates
  double coef;
  int r[3], n; // n -1: none
} term;

// The angles of Rz Rx Ry = rotation of 1 + r, and J^-1 2 vec(conj(1 + r) n) with J at these angles,
// to third order in r. The terms of order k in r are many[k] to many[k + 1].
static const term series[] = {{3, 2, {0}, 3},
                              {4, 2, {0}, 1},
                              {5, 2, {0}, 2},
                              {3, 2, {0}, 3},
                              {3, -2, {1}, 2},
                              {3, -2, {2}, 1},
                              {3, -2, {3}, 0},
                              {4, 2, {0}, 1},
                              {4, -2, {1}, 0},
                              {4, 2, {2}, 3},
                              {4, 2, {3}, 2},
                              {5, 2, {0}, 2},
                              {5, -2, {1}, 3},
                              {5, -2, {2}, 0},
                              {5, -2, {3}, 1},
                              {0, 2, {3}, -1},
                              {1, 2, {1}, -1},
                              {2, 2, {2}, -1},
                              {3, 4, {1, 1}, 3},
                              {3, 4, {1, 2}, 0},
                              {3, 4, {1, 3}, 1},
                              {3, -4, {2, 3}, 2},
                              {4, -4, {1, 2}, 2},
                              {4, -4, {1, 3}, 3},
                              {4, -4, {2, 3}, 0},
                              {5, 4, {1, 1}, 2},
                              {5, 4, {1, 2}, 1},
                              {5, 4, {1, 3}, 0},
                              {5, -4, {2, 3}, 3},
                              {0, -2, {0, 3}, -1},
                              {0, -2, {1, 2}, -1},
                              {1, -2, {0, 1}, -1},
                              {1, 2, {2, 3}, -1},
                              {2, -2, {0, 2}, -1},
                              {2, -2, {1, 3}, -1},
                              {3, -4, {0, 1, 1}, 3},
                              {3, -4, {0, 1, 2}, 0},
                              {3, -4, {0, 1, 3}, 1},
                              {3, 4, {0, 2, 3}, 2},
                              {3, -4, {1, 1, 1}, 2},
                              {3, -8, {1, 1, 2}, 1},
                              {3, -8, {1, 1, 3}, 0},
                              {3, 4, {1, 2, 2}, 2},
                              {3, 12, {1, 2, 3}, 3},
                              {3, 4, {1, 3, 3}, 2},
                              {3, 4, {2, 2, 3}, 0},
                              {3, 4, {2, 3, 3}, 1},
                              {4, 4, {0, 1, 2}, 2},
                              {4, 4, {0, 1, 3}, 3},
                              {4, 4, {0, 2, 3}, 0},
                              {4, 4, {1, 1, 2}, 3},
                              {4, 4, {1, 1, 3}, 2},
                              {4, 4, {1, 2, 2}, 0},
                              {4, 4, {1, 2, 3}, 1},
                              {4, 4, {1, 3, 3}, 0},
                              {4, -4, {2, 2, 3}, 2},
                              {4, -4, {2, 3, 3}, 3},
                              {5, -4, {0, 1, 1}, 2},
                              {5, -4, {0, 1, 2}, 1},
                              {5, -4, {0, 1, 3}, 0},
                              {5, 4, {0, 2, 3}, 3},
                              {5, -4, {1, 1, 1}, 3},
                              {5, -8, {1, 1, 2}, 0},
                              {5, -8, {1, 1, 3}, 1},
                              {5, 4, {1, 2, 2}, 3},
                              {5, 12, {1, 2, 3}, 2},
                              {5, 4, {1, 3, 3}, 3},
                              {5, 4, {2, 2, 3}, 1},
                              {5, 4, {2, 3, 3}, 0},
                              {0, 2, {0, 0, 3}, -1},
                              {0, 4, {0, 1, 2}, -1},
                              {0, 2, {1, 1, 3}, -1},
                              {0, -2, {2, 2, 3}, -1},
                              {0, -2.0 / 3, {3, 3, 3}, -1},
                              {1, 2, {0, 0, 1}, -1},
                              {1, -4, {0, 2, 3}, -1},
                              {1, -2.0 / 3, {1, 1, 1}, -1},
                              {1, -2, {1, 2, 2}, -1},
                              {1, -2, {1, 3, 3}, -1},
                              {2, 2, {0, 0, 2}, -1},
                              {2, 4, {0, 1, 3}, -1},
                              {2, 2, {1, 1, 2}, -1},
                              {2, -2.0 / 3, {2, 2, 2}, -1},
                              {2, -2, {2, 3, 3}, -1}};
static const int many[] = {0, 3, 18, 35, 84};

// A nonzero derivative of a term at r = 0: by all its r factors, and by its n or not.
typedef struct form {
  int of, x[4]; // variables of differentiation: r is 0 .. 3, n is 4 .. 7
  double c;
} form;

// by_n: the last derivative is by n; otherwise n has its value at the chart
static inline form make_form(const dm_chart *c, int i, bool by_n, int order) {
  const term *t = &series[i];
  form f = {.of = t->of, .c = t->coef, .x = {t->r[0], t->r[1], t->r[2]}};
  if (by_n)
    f.x[order - 1] = 4 + t->n;
  else if (t->n >= 0) // linear in n: its value is a factor
    f.c *= c->n[t->n];
  return f;
}

// All forms of an order: terms with `order` factors r, and those with one less and a factor n.
#define FOR_FORMS(c, f, order)                                                                     \
  for (int by_n = 0; by_n < 2; by_n++)                                                             \
    for (int i_ = many[(order)-by_n]; i_ < many[(order)-by_n + 1]; i_++)                           \
      if ((!by_n || series[i_].n >= 0) && (f = make_form(c, i_, by_n, order), true))

// convert D [6 x 8] by (r,n) to derivatives by (q,v): r = E q / nn, n = E v
static void unfold_map(const dm_chart *c, double D[6][8], dm_chart_map *out) {
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 4; j++) {
      // D_r E / |q|^2 and D_n E
      double turns_q = 0, rates_q = 0, rates_v = 0;
      for (int i = 0; i < 4; i++) {
        // chain rule with r = E q / |q|^2 and n = E v, E constant
        double e = c->E[4 * i + j];
        turns_q += D[k][i] * e;
        rates_q += D[3 + k][i] * e;
        rates_v += D[3 + k][4 + i] * e;
      }
      out->turns_q[4 * k + j] = turns_q / c->nn;
      out->rates_q[4 * k + j] = rates_q / c->nn;
      out->rates_v[4 * k + j] = rates_v;
    }
}

// scale E' S E, with S the block of H [8 x 8] at (row,col)
static void unfold_block(const dm_chart *c, double H[8][8], int row, int col, double scale,
                         double out[16]) {
  // H E, then E' H E
  double HE[16] = {0};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < 4; j++) HE[4 * i + j] += H[row + i][col + k] * c->E[4 * k + j];
  memset(out, 0, 16 * sizeof *out);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) out[4 * i + j] += scale * c->E[4 * k + i] * HE[4 * k + j];
}

// a direction by (q,v) in terms of (r,n)
static void fold_direction(const dm_chart *c, const double a_q[4], const double a_v[4],
                           double a[8]) {
  for (int i = 0; i < 4; i++) {
    // (a_r, a_n) = (E a_q / |q|^2, E a_v)
    a[i] = a[4 + i] = 0;
    for (int j = 0; j < 4; j++) {
      a[i] += c->E[4 * i + j] * a_q[j] / c->nn;
      a[4 + i] += c->E[4 * i + j] * a_v[j];
    }
  }
}

static double find_weight(const double *g, const double *f, int of) {
  const double *from = of < 3 ? g : f; // 0 .. 2: turns; 3 .. 5: rates
  return from ? from[of % 3] : 0;
}

void dm_chart_set(dm_chart *c, const double q[4], const double v[4]) {
  // E: left multiplication by conj(q), row by row
  double w = q[0], x = q[1], y = q[2], z = q[3];
  const double E[16] = {w, x, y, z, -x, w, z, -y, -y, -z, w, x, -z, y, -x, w};
  memcpy(c->E, E, sizeof E);
  c->nn = w * w + x * x + y * y + z * z;
  for (int i = 0; i < 4; i++) {
    c->n[i] = 0;
    for (int j = 0; j < 4; j++) c->n[i] += E[4 * i + j] * v[j];
  }

  // the terms that are linear at r = 0
  double D[6][8] = {{0}};
  form f;
  FOR_FORMS(c, f, 1) D[f.of][f.x[0]] += f.c;
  unfold_map(c, D, &c->by);
}

void dm_chart_rates(const dm_chart *c, double rates[3]) {
  // at r = 0 the rates about z, x, y are the components of W = 2 n in that order
  rates[0] = 2 * c->n[3];
  rates[1] = 2 * c->n[1];
  rates[2] = 2 * c->n[2];
}

void dm_chart_rodrigues(const double q[4], double p[3]) {
  // n tan(angle/4) = vec(q) / (|q| + |w|), for the sign of q with the smaller angle
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double by = copysign(1, q[0]) / (length + fabs(q[0]));
  for (int i = 0; i < 3; i++) p[i] = by * q[1 + i];
}

void dm_chart_directional(const dm_chart *c, const double a_q[4], const double a_v[4],
                          dm_chart_map *out) {
  double a[8], D[6][8] = {{0}};
  form f;

  // a quadratic term x y contracted with a: a_x y + x a_y
  fold_direction(c, a_q, a_v, a);
  FOR_FORMS(c, f, 2) {
    D[f.of][f.x[0]] += f.c * a[f.x[1]];
    D[f.of][f.x[1]] += f.c * a[f.x[0]];
  }
  unfold_map(c, D, out);
}

void dm_chart_hessian(const dm_chart *c, const double *g, const double *f, double qq[16],
                      double qv[16]) {
  double H[8][8] = {{0}};
  form t;

  // H: quadratic terms of g.turns + f.rates by (r,n)
  FOR_FORMS(c, t, 2) {
    double w = t.c * find_weight(g, f, t.of);
    H[t.x[0]][t.x[1]] += w;
    H[t.x[1]][t.x[0]] += w;
  }

  // qq from r = E q / |q|^2 twice, qv from r and n = E v
  unfold_block(c, H, 0, 0, 1 / (c->nn * c->nn), qq);
  if (qv) unfold_block(c, H, 0, 4, 1 / c->nn, qv);
}

void dm_chart_hessian_directional(const dm_chart *c, const double *g, const double *f,
                                  const double a_q[4], const double a_v[4], double qq[16],
                                  double qv[16]) {
  static const int turn[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  double a[8], H[8][8] = {{0}};
  form t;
  fold_direction(c, a_q, a_v, a);

  // a cubic term x y z contracted with a: all orders of the factors, the last one replaced by a
  FOR_FORMS(c, t, 3) for (int k = 0; k < 6; k++) {
    const int *s = turn[k];
    H[t.x[s[0]]][t.x[s[1]]] += t.c * find_weight(g, f, t.of) * a[t.x[s[2]]];
  }
  unfold_block(c, H, 0, 0, 1 / (c->nn * c->nn), qq);
  if (qv) unfold_block(c, H, 0, 4, 1 / c->nn, qv);
}

// 2 q (0,t) = L q, antisymmetric
static void make_torque_matrix(const double t[3], double L[16]) {
  double x = 2 * t[0], y = 2 * t[1], z = 2 * t[2];
  const double M[16] = {0, -x, -y, -z, x, 0, z, -y, y, -z, 0, x, z, y, -x, 0};
  memcpy(L, M, sizeof M);
}

static void multiply_vector(const double L[16], const double x[4], double y[4]) {
  for (int i = 0; i < 4; i++)
    y[i] = L[4 * i] * x[0] + L[4 * i + 1] * x[1] + L[4 * i + 2] * x[2] + L[4 * i + 3] * x[3];
}

static double find_inverse_square(const double q[4]) {
  return 1 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

void dm_quaternion_torque(const double q[4], const double t[3], double f[4], double f_q[16]) {
  // f = s L q, s = 1/|q|^2; f_q = s L - 2 s^2 (L q) q'
  double L[16], Lq[4], s = find_inverse_square(q);
  make_torque_matrix(t, L);
  multiply_vector(L, q, Lq);
  for (int i = 0; i < 4; i++) {
    f[i] = s * Lq[i];
    for (int j = 0; j < 4; j++) f_q[4 * i + j] = s * L[4 * i + j] - 2 * s * s * Lq[i] * q[j];
  }
}

void dm_quaternion_torque_hessian(const double q[4], const double t[3], const double m[4],
                                  double qq[16]) {
  // m.f = s m.L q: derivatives of s and of L q
  double L[16], Lm[4], mLq = 0, s = find_inverse_square(q);
  make_torque_matrix(t, L);
  multiply_vector(L, m, Lm); // L'm = -Lm
  for (int i = 0; i < 4; i++) mLq -= Lm[i] * q[i];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      qq[4 * i + j] = 2 * s * s * (Lm[i] * q[j] + q[i] * Lm[j] - (i == j ? mLq : 0)) +
                      8 * s * s * s * mLq * q[i] * q[j];
}
