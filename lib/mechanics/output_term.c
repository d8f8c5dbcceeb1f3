#include "lib/mechanics/output_term.h"

#include <math.h>

// |s'|; at rest the derivative is set to 0, the subgradient of least norm
static dm_term_jet eval_speed(const double rate[], double weight) {
  const double r = sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]);
  dm_term_jet j = {.y = weight * r};
  if (r == 0) return j;
  for (int a = 0; a < 3; a++) {
    j.by_rate[a] = weight * rate[a] / r;
    for (int b = 0; b < 3; b++)
      j.by_rates[a][b] = weight * ((a == b) - rate[a] / r * (rate[b] / r)) / r;
  }
  return j;
}

dm_term_jet dm_output_term_eval(const dm_output_term *t, const double *signals,
                                const double *rates, double u) {
  double s[DM_TERM_SIGNALS], r[DM_TERM_SIGNALS];
  const double c = t->weight;
  for (int k = 0; k < dm_output_term_signals(t); k++) {
    s[k] = signals[t->signal[k]];
    r[k] = rates[t->signal[k]];
  }
  switch (t->kind) {
  case DM_TERM_VALUE:
    return (dm_term_jet){.y = c * s[0], .by_s = {c}};
  case DM_TERM_RATE:
    return (dm_term_jet){.y = c * r[0], .by_rate = {c}};
  case DM_TERM_SPEED:
    return eval_speed(r, c);
  case DM_TERM_SWEEP:
    return (dm_term_jet){.y = c * (s[0] * r[1] - s[1] * r[0]),
                         .by_s = {c * r[1], -c * r[0]},
                         .by_rate = {-c * s[1], c * s[0]},
                         .by_both = {{0, c}, {-c, 0}}};
  case DM_TERM_INPUT:
    return (dm_term_jet){.y = c * u, .by_u = c};
  case DM_TERM_POWER:
    return (dm_term_jet){
        .y = c * u * r[0], .by_rate = {c * u}, .by_u = c * r[0], .by_u_rate = c};
  case DM_TERM_CONTACT_IMPULSE:
  case DM_TERM_CONTACT_FORCE:
  case DM_TERM_CONTACT_RATE:
    break; // lib/mechanics/contact_output.h
  }
  return (dm_term_jet){.y = NAN};
}

// -- rows that are formulas of other rows

void dm_output_formula_slopes(const dm_output_formula *f, const double *f_x, int nx, int i,
                              double *y_x) {
  double *own = y_x + i * nx;
  for (int j = 0; j < nx; j++) own[j] = 0;
  for (int a = 0; a < f->f.nx; a++) {
    const double *of = y_x + f->row[a] * nx;
    for (int j = 0; j < nx; j++) own[j] += f_x[a] * of[j];
  }
}

void dm_output_formula_curvature(const dm_output_formula *f, const double *f_xx, double lambda,
                                 int n, const double *A, const double *B, double *H) {
  for (int a = 0; a < f->f.nx; a++)
    for (int b = 0; b < f->f.nx; b++) {
      const double c = lambda * f_xx[a * f->f.nx + b];
      const double *of_a = A + f->row[a] * n, *of_b = B + f->row[b] * n;
      if (c == 0) continue;
      for (int i = 0; i < n; i++)
        for (int j = 0; of_a[i] != 0 && j < n; j++) H[i * n + j] += c * of_a[i] * of_b[j];
    }
}
