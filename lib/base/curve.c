#include "lib/base/curve.h"

#include "lib/base/spline.h"

#include <math.h>
#include <string.h>

// number of stored points: a closed curve repeats the first
static int count_kept(int n, bool closed) {
  return closed ? n + 1 : n;
}

size_t dm_curve_room(int n, int m, bool closed) {
  const size_t kept = (size_t)count_kept(n, closed);
  return kept * (1 + 2 * (size_t)m) + 3 * kept; // s, r, r_ss; scratch of the fit
}

// |b - a|, computed without overflow
static double find_chord(int m, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum = hypot(sum, b[i] - a[i]);
  return sum;
}

// s as given, or by chord lengths; normalized to [0,1]
static dm_status set_parameters(int n, int m, const double *r, const double *given, bool closed,
                                double *s, dm_message *msg) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      if (!isfinite(r[i * m + j]))
        return dm_fail(msg, DM_BAD_INPUT, "point %d is not finite", i + 1);
    const double chord = i ? find_chord(m, r + (i - 1) * m, r + i * m) : 0;
    const bool back = closed && i == n - 1;
    if (i && !(chord > 0))
      return dm_fail(msg, DM_BAD_INPUT,
                     back ? "the last point is the first again, expected a closed curve without it"
                          : "points %d and %d are the same, expected different ones",
                     i, i + 1);
    if (given && i && !(given[i] > given[i - 1]))
      return dm_fail(msg, DM_BAD_INPUT, "found s %g after %g, expected them in ascending order",
                     given[i], given[i - 1]);
    s[i] = 0;
    if (i) s[i] = given ? given[i] - given[0] : s[i - 1] + chord;
  }

  // fraction of the total
  const double all = s[n - 1];
  if (!isfinite(all)) return dm_fail(msg, DM_BAD_INPUT, "the points are too far apart");
  for (int i = 0; i < n; i++) s[i] = i == n - 1 ? 1 : s[i] / all;
  for (int i = 1; i < n; i++)
    if (!(s[i] > s[i - 1]))
      return dm_fail(msg, DM_BAD_INPUT, "points %d and %d are too close for the whole curve", i,
                     i + 1);
  return DM_OK;
}

dm_status dm_curve_through(dm_curve *out, int n, int m, const double *points, const double *s,
                           bool closed, double *room, dm_message *msg) {
  const int least = closed ? 3 : 2, kept = count_kept(n, closed);
  if (n < least)
    return dm_fail(msg, DM_BAD_INPUT, "found %d point%s, expected at least %d", n,
                   n == 1 ? "" : "s", least);

  // points and parameters
  double *at = room, *r = at + kept, *r_ss = r + kept * m, *scratch = r_ss + kept * m;
  memcpy(r, points, (size_t)(n * m) * sizeof *r);
  if (closed) memcpy(r + n * m, points, (size_t)m * sizeof *r);
  DM_TRY(set_parameters(kept, m, r, s, closed, at, msg));

  // each entry separately
  for (int j = 0; j < m; j++) {
    if (closed)
      dm_spline_fit_closed(kept, at, r + j, m, r_ss + j, scratch);
    else
      dm_spline_fit_natural(kept, at, r + j, m, r_ss + j, scratch);
  }
  *out = (dm_curve){.m = m, .n = kept, .closed = closed, .s = at, .r = r, .r_ss = r_ss};
  return DM_OK;
}

// f'' to order h^2 at the first of equally spaced points; with a negative stride at the last
static double find_end_bend(const double *f, int stride, double h) {
  return (2 * f[0] - 5 * f[stride] + 4 * f[2 * stride] - f[3 * stride]) / (h * h);
}

dm_status dm_curve_through_samples(dm_curve *out, int n, int m, const double *points, double *room,
                                   dm_message *msg) {
  if (n < 4)
    return dm_fail(msg, DM_BAD_INPUT, "found %d point%s, expected at least 4", n,
                   n == 1 ? "" : "s");

  // equal steps, stored in the scratch of the fit until s is copied
  double *at = room, *r_ss = at + n + n * m, *scratch = r_ss + n * m;
  for (int i = 0; i < n; i++) scratch[i] = i;
  DM_TRY(dm_curve_through(out, n, m, points, scratch, false, room, msg));

  // fit again with the second derivatives at the ends
  const int last = (n - 1) * m;
  const double h = 1. / (n - 1);
  for (int j = 0; j < m; j++) {
    r_ss[j] = find_end_bend(points + j, m, h);
    r_ss[last + j] = find_end_bend(points + last + j, -m, h);
    dm_spline_fit_bent(n, at, out->r + j, m, r_ss + j, scratch);
  }
  return DM_OK;
}

void dm_curve_eval(const dm_curve *c, double s, double *r, double *r_s, double *r_ss) {
  // a closed curve is periodic; s = 1 is its end, not its start
  if (c->closed && (s < 0 || s > 1)) s -= floor(s);
  const int i = dm_spline_locate(c->n, c->s, s);
  const double t = s - c->s[i];
  for (int j = 0; j < c->m; j++) {
    const dm_spline_piece p = dm_spline_find_piece(c->s, c->r + j, c->r_ss + j, c->m, i);
    const double f = c->r[i * c->m + j];
    if (r) r[j] = f + t * (p.b + t * (p.c / 2 + t * p.d / 6));
    if (r_s) r_s[j] = p.b + t * (p.c + t * p.d / 2);
    if (r_ss) r_ss[j] = p.c + t * p.d;
  }
}
