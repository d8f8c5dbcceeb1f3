#include "optim/identification/link_inertia.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// places of a symmetric matrix xx yy zz xy xz yz, which are also those of A in z
static const int ROW[6] = {0, 1, 2, 0, 0, 1}, COL[6] = {0, 1, 2, 1, 2, 2};
static const double ROUNDED = 0.01; // of the largest width: digits of a file
static const double NONE = 1e-9;    // of the largest moment: one that a file does not give
static const int AT[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

// -- S = A A'

// the upper triangular factor, from the last row up; false: S has no positive definite one
static bool factor_upper(const double S[6], double least, double A[6]) {
  const double zz = S[2];
  if (!(zz > least)) return false;
  A[2] = sqrt(zz);
  A[5] = S[5] / A[2];
  A[4] = S[4] / A[2];
  const double yy = S[1] - A[5] * A[5];
  if (!(yy > least)) return false;
  A[1] = sqrt(yy);
  A[3] = (S[3] - A[4] * A[5]) / A[1];
  const double xx = S[0] - A[3] * A[3] - A[4] * A[4];
  A[0] = sqrt(xx);
  return xx > least;
}

// tr(S) 1 - S of a symmetric matrix, which gives S from I - also with a factor 1/2 for the trace
static void swap_moments(const double S[6], double share, double I[6]) {
  const double trace = share * (S[0] + S[1] + S[2]);
  for (int i = 0; i < 6; i++) I[i] = (i < 3 ? trace : 0) - S[i];
}

// S of a body whose file gives the moment about one axis alone, as that of a machine in a plane may: flat, normal to it
static void flatten(double S[6]) {
  double about[6];
  swap_moments(S, 1, about);
  const double most = fmax(fmax(about[0], about[1]), about[2]);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    bool alone = about[i] == most;
    for (int e = 0; e < 6; e++) alone = alone && (e == i || fabs(about[e]) <= NONE * most);
    if (!alone) continue;
    S[i] = 0;
    S[j] = S[k] = most / 2;
  }
}

// S about the center c
static void find_widths(const dm_inertia *I, double c[3], double S[6]) {
  const double m = I->m, about[6] = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
  const double at[3] = {I->c.x / m, I->c.y / m, I->c.z / m};
  memcpy(c, at, sizeof at);
  swap_moments(about, 0.5, S);
  for (int i = 0; i < 6; i++) S[i] -= m * c[ROW[i]] * c[COL[i]];
  flatten(S);
}

dm_status oc_link_inertia_check(const dm_inertia *I, const char *name, dm_message *msg) {
  double c[3], S[6], A[6], about[6];
  find_widths(I, c, S);
  swap_moments(S, 1, about);
  const double whole = fmax(fmax(fabs(S[0]), fabs(S[1])), fabs(S[2]));
  for (int i = 0; i < 3; i++) S[i] += ROUNDED * whole;
  if (!(whole > 0) || factor_upper(S, 0, A)) return DM_OK;
  return dm_fail(
      msg, DM_BAD_INPUT,
      "links.%s: found moments of %g, %g and %g kg m2 about the center (xx, yy, zz of the "
      "joint's frame), "
      "expected each principal moment to be at most the sum of the other two: no body "
      "has these, and they would be the prior of the fit; correct the robot, or leave "
      "the link out of the parameters",
      name, about[0], about[1], about[2]);
}

void oc_link_inertia_start(const dm_inertia *I, double thin, double extent, double z[OC_LINK]) {
  const double m = I->m;
  double c[3], S[6], A[6];
  find_widths(I, c, S);

  // widths below `thin` of the whole: all grow alike until none is. A point on a rail has no length at all,
  // and no motion shows its moments
  const double size = extent > 0 ? extent : 1;
  const double whole = fmax(fmax(fmax(S[0], S[1]), S[2]), m * 1e-6 * size * size);
  double more = thin * thin * whole, given[3] = {S[0], S[1], S[2]};
  while (!factor_upper(S, 0.5 * thin * thin * whole, A)) {
    for (int i = 0; i < 3; i++) S[i] = given[i] + more;
    more *= 2;
  }
  z[0] = log(m);
  for (int i = 0; i < 3; i++) z[1 + i] = c[i];
  for (int i = 0; i < 6; i++) z[4 + i] = i < 3 ? log(A[i]) : A[i];
}

bool oc_link_inertia_find(const double pi[OC_LINK], double z[OC_LINK]) {
  double S[6], A[6];
  if (!(pi[0] > 0)) return false;
  swap_moments(pi + 4, 0.5, S);
  for (int i = 0; i < 6; i++) S[i] -= pi[1 + ROW[i]] * pi[1 + COL[i]] / pi[0];
  if (!factor_upper(S, 0, A)) return false;
  z[0] = log(pi[0]);
  for (int i = 0; i < 3; i++) z[1 + i] = pi[1 + i] / pi[0];
  for (int i = 0; i < 6; i++) z[4 + i] = i < 3 ? log(A[i]) : A[i];
  return true;
}

static void read_factor(const double z[OC_LINK], double A[3][3]) {
  memset(A, 0, 9 * sizeof(double));
  for (int i = 0; i < 6; i++) A[ROW[i]][COL[i]] = i < 3 ? exp(z[4 + i]) : z[4 + i];
}

// A A', and its derivative by the six numbers of A
static void square_factor(const double z[OC_LINK], double S[6], double S_z[6][6]) {
  double A[3][3];
  read_factor(z, A);
  for (int i = 0; i < 6; i++) {
    S[i] = 0;
    for (int k = 0; k < 3; k++) S[i] += A[ROW[i]][k] * A[COL[i]][k];
  }
  memset(S_z, 0, 36 * sizeof(double));
  for (int e = 0; e < 6; e++) {
    // dA = at (r,c): d(A A') has the column c of A in row and column r
    const int r = ROW[e], c = COL[e];
    const double d = e < 3 ? A[r][c] : 1;
    for (int k = 0; k < 3; k++) S_z[AT[r][k]][e] += d * A[k][c] * (k == r ? 2 : 1);
  }
}

// -- coefficients and values

void oc_link_inertia_coefficients(const double z[OC_LINK], double pi[OC_LINK], double *pi_z) {
  const double m = exp(z[0]), *c = z + 1;
  double S[6], S_z[6][6], by[6][OC_LINK] = {{0}};
  square_factor(z, S, S_z);

  // S about the origin, and its derivative
  for (int i = 0; i < 6; i++) {
    const int a = ROW[i], b = COL[i];
    S[i] += m * c[a] * c[b];
    by[i][0] = m * c[a] * c[b];
    by[i][1 + a] += m * c[b];
    by[i][1 + b] += m * c[a];
    for (int e = 0; e < 6; e++) by[i][4 + e] = S_z[i][e];
  }
  pi[0] = m;
  for (int i = 0; i < 3; i++) pi[1 + i] = m * c[i];
  swap_moments(S, 1, pi + 4);
  if (!pi_z) return;
  memset(pi_z, 0, OC_LINK * OC_LINK * sizeof *pi_z);
  pi_z[0] = m;
  for (int i = 0; i < 3; i++) {
    pi_z[(1 + i) * OC_LINK] = m * c[i];
    pi_z[(1 + i) * OC_LINK + 1 + i] = m;
  }
  for (int e = 0; e < OC_LINK; e++) {
    double column[6], moved[6];
    for (int i = 0; i < 6; i++) column[i] = by[i][e];
    swap_moments(column, 1, moved);
    for (int i = 0; i < 6; i++) pi_z[(4 + i) * OC_LINK + e] = moved[i];
  }
}

dm_inertia oc_link_inertia_of(const double pi[OC_LINK]) {
  return (dm_inertia){.m = pi[0],
                      .c = {pi[1], pi[2], pi[3]},
                      .xx = pi[4],
                      .yy = pi[5],
                      .zz = pi[6],
                      .xy = pi[7],
                      .xz = pi[8],
                      .yz = pi[9]};
}

void oc_link_inertia_values(const double z[OC_LINK], double value[OC_LINK], double *value_z) {
  double S[6], S_z[6][6];
  square_factor(z, S, S_z);
  value[0] = exp(z[0]);
  for (int i = 0; i < 3; i++) value[1 + i] = z[1 + i];
  swap_moments(S, 1, value + 4);
  if (!value_z) return;
  memset(value_z, 0, OC_LINK * OC_LINK * sizeof *value_z);
  value_z[0] = value[0];
  for (int i = 1; i < 4; i++) value_z[i * OC_LINK + i] = 1;
  for (int e = 0; e < 6; e++) {
    double column[6], moved[6];
    for (int i = 0; i < 6; i++) column[i] = S_z[i][e];
    swap_moments(column, 1, moved);
    for (int i = 0; i < 6; i++) value_z[(4 + i) * OC_LINK + 4 + e] = moved[i];
  }
}

// -- the divergence: |W|^2 - 2 sum log diag(W) - 4 with W = U0^-1 U

// U by rows [4 x 4], and its derivative by z
static void make_root(const double z[OC_LINK], double U[16], double U_z[OC_LINK][16]) {
  double A[3][3];
  const double s = exp(0.5 * z[0]);
  read_factor(z, A);
  memset(U, 0, 16 * sizeof *U);
  memset(U_z, 0, OC_LINK * 16 * sizeof(double));
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) U[4 * i + j] = A[i][j];
    U[4 * i + 3] = s * z[1 + i];
    U_z[0][4 * i + 3] = 0.5 * s * z[1 + i];
    U_z[1 + i][4 * i + 3] = s;
  }
  U[15] = s;
  U_z[0][15] = 0.5 * s;
  for (int e = 0; e < 6; e++) U_z[4 + e][4 * ROW[e] + COL[e]] = e < 3 ? A[e][e] : 1;
}

// X <- U^-1 X, U upper triangular [4 x 4]
static void solve_upper(const double U[16], double X[16]) {
  for (int i = 3; i >= 0; i--)
    for (int j = 0; j < 4; j++) {
      double x = X[4 * i + j];
      for (int k = i + 1; k < 4; k++) x -= U[4 * i + k] * X[4 * k + j];
      X[4 * i + j] = x / U[5 * i];
    }
}

// tr(J^-1 dJ_e J^-1 dJ_f): the second derivative along straight lines of J, with A = U^-1 dU
static void add_barrier(const double U[16], double U_z[OC_LINK][16], double weight,
                        double *hessian) {
  double A[OC_LINK][16];
  for (int e = 0; e < OC_LINK; e++) {
    solve_upper(U, U_z[e]);
    for (int i = 0; i < 16; i++) A[e][i] = U_z[e][i] + U_z[e][4 * (i % 4) + i / 4];
  }
  for (int e = 0; e < OC_LINK; e++)
    for (int f = 0; f < OC_LINK; f++)
      for (int i = 0; i < 16; i++) hessian[e * OC_LINK + f] += weight * A[e][i] * A[f][i];
}

double oc_link_inertia_divergence(const double z0[OC_LINK], const double z[OC_LINK], double weight,
                                  double *gradient, double *hessian) {
  double U0[16], U[16], W[16], U_z[OC_LINK][16], unused[OC_LINK][16], D = -4;
  make_root(z0, U0, unused);
  make_root(z, U, U_z);
  memcpy(W, U, sizeof W);
  solve_upper(U0, W);
  for (int i = 0; i < 16; i++) D += W[i] * W[i];
  D -= z[0] - z0[0]; // 2 log sqrt(m)
  for (int i = 4; i < 7; i++) D -= 2 * (z[i] - z0[i]);
  if (!gradient) return D;

  for (int e = 0; e < OC_LINK; e++) {
    double W_z[16], g = 0;
    memcpy(W_z, U_z[e], sizeof W_z);
    solve_upper(U0, W_z);
    for (int i = 0; i < 16; i++) g += 2 * W[i] * W_z[i];
    if (e == 0) g -= 1;
    if (e >= 4 && e < 7) g -= 2;
    gradient[e] += weight * g;
  }
  add_barrier(U, U_z, weight, hessian);
  return D;
}
