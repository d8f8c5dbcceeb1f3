#include "lib/multibody/spring_law.h"

#include "lib/base/spline.h"

#include <math.h>
#include <string.h>

static dm_status eval_linear(const dm_spring_law *law, double s, double phi[4]) {
  double k = law->a, x = s - law->b;
  phi[0] = 0.5 * k * x * x;
  phi[1] = k * x;
  phi[2] = k;
  phi[3] = 0;
  return DM_OK;
}

dm_spring_law dm_spring_law_linear(double stiffness, double rest) {
  return (dm_spring_law){.eval = eval_linear, .a = stiffness, .b = rest};
}

static dm_status eval_taut(const dm_spring_law *law, double s, double phi[4]) {
  if (s > law->b) return eval_linear(law, s, phi);
  memset(phi, 0, 4 * sizeof *phi);
  return isnan(s) ? DM_NOT_FINITE : DM_OK;
}

dm_spring_law dm_spring_law_taut(double stiffness, double rest) {
  return (dm_spring_law){.eval = eval_taut, .a = stiffness, .b = rest};
}

static dm_status eval_pressed(const dm_spring_law *law, double s, double phi[4]) {
  if (s < law->b) return eval_linear(law, s, phi);
  memset(phi, 0, 4 * sizeof *phi);
  return isnan(s) ? DM_NOT_FINITE : DM_OK;
}

dm_spring_law dm_spring_law_pressed(double stiffness, double rest) {
  return (dm_spring_law){.eval = eval_pressed, .a = stiffness, .b = rest};
}

static dm_status eval_power(const dm_spring_law *law, double s, double phi[4]) {
  double c = law->a, n = law->b;

  // c s^n, then c n s^(n-1) etc.; a derivative with zero factor is zero also at s = 0
  for (int i = 0; i < 4; i++) {
    phi[i] = c == 0 ? 0 : c * pow(s, n);
    c *= n;
    n -= 1;
  }
  return DM_OK;
}

dm_spring_law dm_spring_law_power(double coefficient, double exponent) {
  return (dm_spring_law){.eval = eval_power, .a = coefficient, .b = exponent};
}

static dm_status eval_lennard_jones(const dm_spring_law *law, double s, double phi[4]) {
  double r = law->b / s, u = r * r * r * r * r * r, e = 4 * law->a * u;
  phi[0] = e * (u - 1);
  phi[1] = e * (6 - 12 * u) / s;
  phi[2] = e * (156 * u - 42) / (s * s);
  phi[3] = e * (336 - 2184 * u) / (s * s * s);
  return DM_OK;
}

dm_spring_law dm_spring_law_lennard_jones(double depth, double size) {
  return (dm_spring_law){.eval = eval_lennard_jones, .a = depth, .b = size};
}

// spline piece of the tension from point i
static dm_spline_piece find_piece(const dm_spring_law *law, int i) {
  return dm_spline_find_piece(law->s, law->f, law->f_ss, 1, i);
}

// phi and its derivatives at distance t from point i
static void eval_piece(const dm_spring_law *law, int i, const dm_spline_piece *p, double t,
                       double phi[4]) {
  double f = law->f[i], b = p->b, c = p->c, d = p->d;
  phi[0] = law->phi[i] + t * (f + t * (b / 2 + t * (c / 6 + t * d / 24)));
  phi[1] = f + t * (b + t * (c / 2 + t * d / 6));
  phi[2] = b + t * (c + t * d / 2);
  phi[3] = c + t * d;
}

static dm_status eval_table(const dm_spring_law *law, double s, double phi[4]) {
  // the piece that contains s; beyond the ends the first or last one
  const int n = law->n;
  int low = dm_spline_locate(n, law->s, s);

  // beyond the last point: a straight line with the slope at the end
  dm_spline_piece p = find_piece(law, low);
  if (s > law->s[n - 1]) {
    low = n - 1;
    p.b += p.h * (p.c + p.h * p.d / 2);
  }
  if (s < law->s[0] || s > law->s[n - 1]) p.c = p.d = 0;
  eval_piece(law, low, &p, s - law->s[low], phi);
  return DM_OK;
}

dm_status dm_spring_law_table(dm_spring_law *out, int n, const double *s, const double *f,
                              double *room, dm_message *msg) {
  if (n < 2) return dm_fail(msg, DM_BAD_INPUT, "found %d points, expected at least 2", n);
  for (int i = 0; i < n; i++) {
    if (!isfinite(s[i]) || !isfinite(f[i]))
      return dm_fail(msg, DM_BAD_INPUT, "point %d is not finite", i + 1);
    if (i > 0 && !(s[i] > s[i - 1]))
      return dm_fail(msg, DM_BAD_INPUT, "found %g after %g, expected points in ascending order",
                     s[i], s[i - 1]);
  }

  // spline through the points; phi is used as scratch until then
  double *S = room;
  double *F = room + n;
  double *f_ss = room + 2 * n;
  double *phi = room + 3 * n;
  memcpy(S, s, (size_t)n * sizeof *s);
  memcpy(F, f, (size_t)n * sizeof *f);
  dm_spline_fit_natural(n, S, F, 1, f_ss, phi);

  // phi at the points, by integrating piece by piece
  *out = (dm_spring_law){.eval = eval_table, .n = n, .s = S, .f = F, .f_ss = f_ss, .phi = phi};
  phi[0] = 0;
  for (int i = 0; i + 1 < n; i++) {
    double jet[4];
    dm_spline_piece p = find_piece(out, i);
    eval_piece(out, i, &p, p.h, jet);
    phi[i + 1] = jet[0];
  }
  if (!isfinite(phi[n - 1]))
    return dm_fail(msg, DM_BAD_INPUT,
                   "the points are too close together, or the forces too large, for a curve");
  return DM_OK;
}
