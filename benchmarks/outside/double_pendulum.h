// benchmarks/outside/double_pendulum.h: the machine of a public test bench [wiebe-2024] by equations of
// motion that are independent of dmoc, integrated by 4th-order Runge-Kutta in steps of 2 ms.
#ifndef BENCHMARKS_OUTSIDE_DOUBLE_PENDULUM_H
#define BENCHMARKS_OUTSIDE_DOUBLE_PENDULUM_H
#include <math.h>

static const double DT = 2e-3;

typedef struct machine {
  double m1, m2, l1, r1, r2, I1, I2; // moments about the joints
  double rotor, b[2], dry[2];        // before a gear of 6; viscous; N m, times atan(100 v)
} machine;

static const machine MODEL = {.m1 = 0.5234602302310271,
                              .m2 = 0.6255677234174437,
                              .l1 = 0.2,
                              .r1 = 0.2,
                              .r2 = 0.25569305436052964,
                              .I1 = 0.031887199591513114,
                              .I2 = 0.05086984812807257};

// M [3]: its upper left, off-diagonal, lower right entry
static inline void mass_matrix(const machine *w, double q2, double *M) {
  double coupling = w->m2 * w->l1 * w->r2 * cos(q2), gear = 6;
  M[0] = w->I1 + w->I2 + w->m2 * w->l1 * w->l1 + 2 * coupling + (gear * gear + 1) * w->rotor;
  M[1] = w->I2 + coupling - gear * w->rotor;
  M[2] = w->I2 + gear * gear * w->rotor;
}

// x' of x = (q1, q2, v1, v2) under torques
static inline void rate(const machine *w, const double *x, const double *torque, double *dx) {
  const double g = 9.81, c = w->m2 * w->l1 * w->r2 * sin(x[1]);
  double M[3], f[2];
  mass_matrix(w, x[1], M);
  f[0] = torque[0] + c * (2 * x[2] * x[3] + x[3] * x[3]) -
         g * ((w->m1 * w->r1 + w->m2 * w->l1) * sin(x[0]) + w->m2 * w->r2 * sin(x[0] + x[1]));
  f[1] = torque[1] - c * x[2] * x[2] - g * w->m2 * w->r2 * sin(x[0] + x[1]);
  for (int i = 0; i < 2; i++) f[i] -= w->b[i] * x[2 + i] + w->dry[i] * atan(100 * x[2 + i]);
  double det = M[0] * M[2] - M[1] * M[1];
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = (M[2] * f[0] - M[1] * f[1]) / det;
  dx[3] = (M[0] * f[1] - M[1] * f[0]) / det;
}

static inline void step(const machine *w, double *x, const double *torque) {
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double sum[4] = {0}, d[4] = {0}, y[4];
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < 4; i++) y[i] = x[i] + part[s] * DT * d[i];
    rate(w, y, torque, d);
    for (int i = 0; i < 4; i++) sum[i] += weight[s] * d[i];
  }
  for (int i = 0; i < 4; i++) x[i] += DT * sum[i] / 6;
}
#endif
