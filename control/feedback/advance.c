#include "control/feedback/advance.h"

#include "control/feedback/plan.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

// of a step, what is rounding of a time
static const double ROUNDING = 1e-9;

void fb_applied_add(fb_applied *a, int nu, double t, const double *u) {
  if (!a->calls || t > a->since) {
    memcpy(a->before, a->u, (size_t)nu * sizeof *u);
    if (a->calls < 2) a->calls++;
    a->since = t;
  }
  memcpy(a->u, u, (size_t)nu * sizeof *u);
}

// the row of a table at knot k, the last one after the end
static const double *find_row(const double *table, int k, int rows, size_t len) {
  return table + (size_t)(k < rows ? k : rows - 1) * len;
}

// x [len] on the line between two rows
static double interpolate_entry(const double *from, const double *to, size_t i, double share) {
  return from[i] + share * (to[i] - from[i]);
}

// a share of a step from the time t on, under u (NULL: the plan's) and what acts beside it (NULL: nothing)
static void advance_part(const fb_tvlqr *f, double t, double share, const double *u,
                         const double *acting, double *z, double *next) {
  const size_t nx = (size_t)f->nx, nu = (size_t)f->nu;
  double part;
  const int k = fb_plan_knot(f->N, f->h, t, &part);

  // the step's map, on the line between those of the knots beside t
  const double *A0 = find_row(f->A, k, f->N, nx * nx), *A1 = find_row(f->A, k + 1, f->N, nx * nx);
  const double *B0 = find_row(f->B, k, f->N, nx * nu), *B1 = find_row(f->B, k + 1, f->N, nx * nu);
  const double *u0 = find_row(f->u, k, f->N, nu), *u1 = find_row(f->u, k + 1, f->N, nu);
  for (size_t i = 0; i < nx; i++) {
    next[i] = 0;
    for (size_t j = 0; j < nx; j++) next[i] += interpolate_entry(A0, A1, i * nx + j, part) * z[j];
    for (size_t j = 0; (u || acting) && j < nu; j++) {
      const double u_d = interpolate_entry(u0, u1, j, part);
      const double off = (u ? u[j] : u_d) - (u_d - (acting ? acting[j] : 0));
      next[i] += interpolate_entry(B0, B1, i * nu + j, part) * off;
    }
  }

  // of a part of a step that part of what it changes
  for (size_t i = 0; i < nx; i++) z[i] = share < 1 ? z[i] + share * (next[i] - z[i]) : next[i];
}

void fb_advance(const fb_tvlqr *f, const fb_applied *a, const double *acting, double from,
                double to, double *z, double *next) {
  for (int parts = 0; to - from > ROUNDING * f->h && parts < FB_MOST_PARTS; parts++) {
    // to where another input came, a whole step at most
    const bool old = a->calls && from < a->since - ROUNDING * f->h;
    double end = old && a->since < to ? a->since : to;
    double share = (end - from) * (1 / f->h);
    if (share > 1 - ROUNDING) {
      share = 1;
      end = from + f->h;
    }

    // what acted then, as far as it is known
    const double *u = old ? a->before : a->u;
    advance_part(f, from, share, a->calls > old ? u : NULL, acting, z, next);
    from = end;
  }
}
