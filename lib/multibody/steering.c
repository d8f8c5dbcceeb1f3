#include "lib/multibody/steering.h"

void dm_steering_add(int nplanes, const dm_plane *plane, int n, int order, double u, int input,
                     int nu, const double *v, dm_force_jet *out) {
  for (const dm_plane *p = plane; p < plane + nplanes; p++) {
    const int a = p->coord[0], b = p->coord[1];
    const double c = p->factor;
    out->f[a] -= u * c * v[b];
    out->f[b] += u * c * v[a];
    if (order < 2) continue;

    // f_v = u S, f_u = S v
    out->f_v[a * n + b] -= u * c;
    out->f_v[b * n + a] += u * c;
    if (input < 0) continue;
    out->f_u[a * nu + input] -= c * v[b];
    out->f_u[b * nu + input] += c * v[a];
  }
}

void dm_steering_contract(int nplanes, const dm_plane *plane, int input, int nu, const double *mu,
                          dm_force_hessian *out) {
  // (mu.f)_vu = S' mu
  for (const dm_plane *p = plane; input >= 0 && p < plane + nplanes; p++) {
    const int a = p->coord[0], b = p->coord[1];
    out->vu[a * nu + input] += p->factor * mu[b];
    out->vu[b * nu + input] -= p->factor * mu[a];
  }
}
