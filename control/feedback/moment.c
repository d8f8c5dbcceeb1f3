#include "control/feedback/moment.h"

#include "control/feedback/plan.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

fb_moment fb_moment_of(const fb_output_feedback *w, int k) {
  const int row = w->timed ? w->at : k, width = w->f.nu * w->ny;
  fb_moment m = {w->then, w->mean, dm_row(w->G, row, width),
                 dm_row(w->P, row, fb_moment_packed(w->nm))};
  if (w->timed) return m;
  m.y_d = dm_row(w->y_d, k, w->ny);
  m.c = dm_row(w->c, k, w->f.nu);
  return m;
}

// the plan's places [n] at a time, by their cubic, and their speeds [n]
static void find_places(const fb_output_feedback *w, double t, double *q, double *v) {
  const int N = w->N, n = w->n;
  double s;
  const int k = fb_plan_knot(N, w->f.h, t, &s), next = k < N ? k + 1 : k;
  const double *from = dm_row(w->y_d, k, w->ny), *to = dm_row(w->y_d, next, w->ny);
  const double *v0 = w->has_speeds ? dm_row(w->v_d, k, n) : from + n;
  const double *v1 = w->has_speeds ? dm_row(w->v_d, next, n) : to + n;
  fb_plan_cubic(n, w->f.h, s, from, v0, to, v1, q, v);
}

// entries `at` to `end` of y_d at a time, on the line, into w->then
static void find_on_line(fb_output_feedback *w, double t, int at, int end) {
  double s;
  const int k = fb_plan_knot(w->N, w->f.h, t, &s), next = k < w->N ? k + 1 : k;
  const double *from = dm_row(w->y_d, k, w->ny), *to = dm_row(w->y_d, next, w->ny);
  for (int i = at; i < end; i++) w->then[i] = from[i] + s * (to[i] - from[i]);
}

// by how much a continuous motion stood elsewhere a step before, on the line, added to w->then
static void add_continuous_motion(fb_output_feedback *w, double t) {
  const int n = w->n;
  double s;
  const int k = fb_plan_knot(w->N, w->f.h, t, &s), next = k < w->N ? k + 1 : k;
  const double *from = dm_row(w->y_d, k, w->ny), *to = dm_row(w->y_d, next, w->ny);
  const double *before = dm_row(w->y_d, k > 0 ? k - 1 : 0, w->ny);
  for (int i = 0; i < n; i++)
    w->then[n + i] =
        w->then[n + i] + ((1 - s) * (from[n + i] - before[i]) + s * (to[n + i] - from[i]));
}

// y_d(t - age) [ny]: places by their cubic, p, forces and what is under way on the line
static void find_plan_then(fb_output_feedback *w) {
  const int n = w->n, N = w->N, nu = w->f.nu, ny = w->ny;
  const double then = w->age > 0 ? w->t - w->age : w->t;

  // (q,v), (q,p), or (q, that of a step before, the forces between); errors integrated are to be 0
  memset(w->then, 0, (size_t)ny * sizeof *w->then);
  find_places(w, then, w->then, w->form == FB_VELOCITY ? w->then + n : w->v);
  if (fb_moment_has_state(w)) {
    find_on_line(w, then, n, 2 * n);
  } else if (w->form == FB_POSITIONS) {
    find_on_line(w, then, 2 * n, 2 * n + w->nf);
    find_places(w, then - w->f.h, w->then + n, w->v);
    if (w->continuous) add_continuous_motion(w, then);
  }

  // now: what is under way, the mean input over a step, the gains of the interval
  double s;
  const int k = fb_plan_knot(N, w->f.h, w->t, &s);
  fb_plan_line(w->c, N, (size_t)nu, k, s, w->mean);
  w->at = k < N ? k : N - 1;
  if (w->f.late) find_on_line(w, w->t, ny - nu, ny);
}

void fb_moment_take(fb_output_feedback *w, int k) {
  const bool known = w->has_speeds || (w->form == FB_VELOCITY && !w->exact);
  const double on_time = k * w->f.h;
  w->timed = w->told && known && !w->near && (w->t != on_time || w->age > 0);
  w->told = false;
  if (!w->timed) w->t = on_time;
  if (w->timed) find_plan_then(w);
}

void fb_moment_force(fb_output_feedback *w, int k) {
  const double h = w->f.h, end = w->age > 0 ? w->t - w->age : w->t, begin = end - h;
  const size_t nf = (size_t)w->nf;
  memset(w->force, 0, nf * sizeof *w->force);

  // from the last back, each as long as it acted there
  double to = end;
  for (int j = k - 1; j >= -1 && to > begin; j--) {
    const double *u = j < 0 ? w->f.u : dm_row(w->acted, j, nf);
    const double from = j < 0 ? begin : fmax(w->since[j], begin);
    if (from >= to) continue;
    for (size_t i = 0; i < nf; i++) w->force[i] += (to - from) / h * u[i];
    to = from;
  }
}
