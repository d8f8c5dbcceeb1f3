#include "lib/multibody/shape.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// a value with derivatives up to `order`; higher ones are not written
typedef double distance_function(const dm_shape *s, int order, const double x[3], double *D_x,
                                 double *D_xx);

// |y| over the entries with live true: gradient y/|y|, Hessian (P - nn')/|y|, P the projector on
// them
static double eval_norm(int n, int order, const double *y, const bool *live, double *g, double *H) {
  double square = 0;
  for (int i = 0; i < n; i++) square += live[i] ? y[i] * y[i] : 0;
  const double norm = sqrt(square);
  for (int i = 0; order > 0 && i < n; i++) g[i] = live[i] ? y[i] / norm : 0;
  for (int i = 0; order > 1 && i < n; i++)
    for (int j = 0; j < n; j++) H[i * n + j] = ((i == j && live[i]) - g[i] * g[j]) / norm;
  return norm;
}

// The box |y_i| <= half_i in n dimensions: outside |max(e, 0)| with e_i = |y_i| - half_i, inside
// the largest e_i.
static double eval_box(int n, int order, const double *y, const double *half, double *g,
                       double *H) {
  double e[3], most = -INFINITY;
  bool live[3];
  int largest = 0;
  for (int i = 0; i < n; i++) {
    e[i] = fabs(y[i]) - half[i];
    live[i] = e[i] > 0;
    if (e[i] > most) {
      most = e[i];
      largest = i;
    }
  }

  // inside, a face is nearest
  if (!(most > 0)) {
    for (int i = 0; order > 0 && i < n; i++) g[i] = i == largest ? copysign(1, y[i]) : 0;
    if (order > 1) memset(H, 0, (size_t)(n * n) * sizeof *H);
    return most;
  }

  // outside, a face, an edge or a corner is nearest; de_i/dy_i is the sign of y_i
  const double norm = eval_norm(n, order, e, live, g, H);
  for (int i = 0; order > 1 && i < n; i++)
    for (int j = 0; j < n; j++) H[i * n + j] *= copysign(1, y[i]) * copysign(1, y[j]);
  for (int i = 0; order > 0 && i < n; i++) g[i] *= copysign(1, y[i]);
  return norm;
}

// -- distance of each kind

static double eval_half_space(const dm_shape *s, int order, const double x[3], double *D_x,
                              double *D_xx) {
  (void)s;
  for (int i = 0; order > 0 && i < 3; i++) D_x[i] = i == 2;
  if (order > 1) memset(D_xx, 0, 9 * sizeof *D_xx);
  return x[2];
}

static double eval_sphere(const dm_shape *s, int order, const double x[3], double *D_x,
                          double *D_xx) {
  static const bool live[] = {true, true, true};
  return eval_norm(3, order, x, live, D_x, D_xx) - s->radius;
}

static double eval_capsule(const dm_shape *s, int order, const double x[3], double *D_x,
                           double *D_xx) {
  // next to the axis z does not matter; beyond an end, measure from that end
  const double over = fabs(x[2]) - s->half[2];
  const bool live[] = {true, true, over > 0};
  const double y[] = {x[0], x[1], over > 0 ? copysign(over, x[2]) : 0};
  return eval_norm(3, order, y, live, D_x, D_xx) - s->radius;
}

static double eval_cylinder(const dm_shape *s, int order, const double x[3], double *D_x,
                            double *D_xx) {
  static const bool live[] = {true, true};
  const double half[] = {s->radius, s->half[2]};
  double n[2], N[4], g[2], G[4];

  // a box in (rho, z), rho the norm of (x, y)
  const double y[] = {eval_norm(2, order, x, live, n, N), x[2]};
  const double D = eval_box(2, order, y, half, g, G);

  // on the axis inside, rho is not differentiable, but an end may be nearest
  const bool flat = order > 0 && g[0] == 0;
  const double rho_x[] = {flat ? 0 : n[0], flat ? 0 : n[1], 0}, z_x[] = {0, 0, 1};
  for (int i = 0; order > 0 && i < 3; i++) D_x[i] = g[0] * rho_x[i] + g[1] * z_x[i];
  for (int i = 0; order > 1 && i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double rho_xx = i < 2 && j < 2 && !flat ? N[2 * i + j] : 0;
      D_xx[3 * i + j] = G[0] * rho_x[i] * rho_x[j] + G[3] * z_x[i] * z_x[j] +
                        G[1] * (rho_x[i] * z_x[j] + z_x[i] * rho_x[j]) + g[0] * rho_xx;
    }
  return D;
}

static double eval_whole_box(const dm_shape *s, int order, const double x[3], double *D_x,
                             double *D_xx) {
  return eval_box(3, order, x, s->half, D_x, D_xx);
}

static distance_function *const distances[] = {[DM_SHAPE_HALF_SPACE] = eval_half_space,
                                               [DM_SHAPE_SPHERE] = eval_sphere,
                                               [DM_SHAPE_CAPSULE] = eval_capsule,
                                               [DM_SHAPE_CYLINDER] = eval_cylinder,
                                               [DM_SHAPE_BOX] = eval_whole_box};

double dm_shape_distance(const dm_shape *s, int order, const double x[3], double *D_x,
                         double *D_xx) {
  return distances[s->kind](s, order, x, D_x, D_xx);
}

// -- third derivatives, outside

// of |y| along a: -((g.a) (P - gg') + b g' + g b') / |y|^2, b = Pa - (g.a) g
static void turn_norm(int n, const double *y, const bool *live, const double *a, double *T) {
  double g[3], square = 0, ga = 0;
  const double norm = eval_norm(n, 1, y, live, g, NULL);
  for (int i = 0; i < n; i++) square += live[i] ? y[i] * y[i] : 0;
  for (int i = 0; i < n; i++) ga += g[i] * a[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double b_i = (live[i] ? a[i] : 0) - ga * g[i], b_j = (live[j] ? a[j] : 0) - ga * g[j];
      const double P = i == j && live[i];
      T[i * n + j] = norm > 0 ? -(ga * (P - g[i] * g[j]) + b_i * g[j] + g[i] * b_j) / square : 0;
    }
}

static void turn_box(int n, const double *y, const double *half, const double *a, double *T) {
  double e[3], b[3];
  bool live[3];
  for (int i = 0; i < n; i++) {
    e[i] = fabs(y[i]) - half[i];
    b[i] = copysign(1, y[i]) * a[i];
    live[i] = e[i] > 0;
  }
  turn_norm(n, e, live, b, T);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) T[i * n + j] *= copysign(1, y[i]) * copysign(1, y[j]);
}

// D(rho, z) with rho the norm of (x, y)
static void turn_cylinder(const dm_shape *s, const double x[3], const double a[3], double *T) {
  static const bool live[] = {true, true};
  const double half[] = {s->radius, s->half[2]};
  double n[2], N[4], N_a[4], g[2], G[4], G_a[4];
  const double y[] = {eval_norm(2, 2, x, live, n, N), x[2]};
  eval_box(2, 2, y, half, g, G);
  const double y_a[] = {n[0] * a[0] + n[1] * a[1], a[2]};
  turn_norm(2, x, live, a, N_a);
  turn_box(2, y, half, y_a, G_a);

  // derivatives of rho and z, and those of rho's gradient along a
  const double rho_x[] = {n[0], n[1], 0}, z_x[] = {0, 0, 1};
  const double rho_xa[] = {N[0] * a[0] + N[1] * a[1], N[2] * a[0] + N[3] * a[1], 0};
  const bool beside = g[0] != 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = G_a[3] * z_x[i] * z_x[j];
      if (beside) {
        sum += G_a[0] * rho_x[i] * rho_x[j] + G_a[1] * (rho_x[i] * z_x[j] + z_x[i] * rho_x[j]);
        sum += G[0] * (rho_xa[i] * rho_x[j] + rho_x[i] * rho_xa[j]);
        sum += G[1] * (rho_xa[i] * z_x[j] + z_x[i] * rho_xa[j]);
      }
      if (beside && i < 2 && j < 2)
        sum += (G[0] * y_a[0] + G[1] * y_a[1]) * N[2 * i + j] + g[0] * N_a[2 * i + j];
      T[3 * i + j] = sum;
    }
}

void dm_shape_hessian_along(const dm_shape *s, const double x[3], const double y[3],
                            double D_xx_y[9]) {
  static const bool all[] = {true, true, true};
  const double over = fabs(x[2]) - s->half[2];
  switch (s->kind) {
  case DM_SHAPE_HALF_SPACE:
    memset(D_xx_y, 0, 9 * sizeof *D_xx_y);
    break;
  case DM_SHAPE_SPHERE:
    turn_norm(3, x, all, y, D_xx_y);
    break;
  case DM_SHAPE_CAPSULE:
    turn_norm(3, (const double[]){x[0], x[1], over > 0 ? copysign(over, x[2]) : 0},
              (const bool[]){true, true, over > 0}, y, D_xx_y);
    break;
  case DM_SHAPE_CYLINDER:
    turn_cylinder(s, x, y, D_xx_y);
    break;
  case DM_SHAPE_BOX:
    turn_box(3, x, s->half, y, D_xx_y);
    break;
  case DM_SHAPE_KIND_COUNT:
    break;
  }
}

// -- segments

// D at the parameter t of the segment; its ends have the weights 1 - t and t: f_x, f_t, f_xx, f_xt,
// f_tt
typedef struct segment_point {
  double t, f, f_t, f_tt;
  double f_x[6], f_xt[6], f_xx[36];
} segment_point;

static void place_on_segment(const double x[6], double t, double at[3]) {
  for (int i = 0; i < 3; i++) at[i] = (1 - t) * x[i] + t * x[3 + i];
}

static segment_point eval_segment_point(const dm_shape *s, int order, const double x[6], double t) {
  segment_point p = {.t = t};
  // point at t, with D, its gradient g and Hessian H there; e = x1 - x0
  const double share[] = {1 - t, t};
  double at[3], g[3] = {0}, H[9] = {0}, e[3], He[3];
  place_on_segment(x, t, at);
  p.f = distances[s->kind](s, order, at, g, H);
  for (int i = 0; i < 3; i++) e[i] = x[3 + i] - x[i];
  for (int i = 0; i < 3; i++) He[i] = H[3 * i] * e[0] + H[3 * i + 1] * e[1] + H[3 * i + 2] * e[2];

  // f_t = g.e, f_tt = e'H e, f_x = weight g, f_xt and f_xx
  for (int i = 0; i < 3; i++) p.f_t += g[i] * e[i];
  for (int i = 0; i < 3; i++) p.f_tt += e[i] * He[i];
  for (int a = 0; a < 6; a++) {
    p.f_x[a] = share[a / 3] * g[a % 3];
    p.f_xt[a] = share[a / 3] * He[a % 3] + (a < 3 ? -g[a] : g[a - 3]);
    for (int b = 0; order > 1 && b < 6; b++)
      p.f_xx[6 * a + b] = share[a / 3] * share[b / 3] * H[3 * (a % 3) + b % 3];
  }
  return p;
}

// f_t only
static double eval_segment_slope(const dm_shape *s, const double x[6], double t) {
  double at[3], g[3] = {0}, slope = 0;
  place_on_segment(x, t, at);
  distances[s->kind](s, 1, at, g, NULL);
  for (int i = 0; i < 3; i++) slope += g[i] * (x[3 + i] - x[i]);
  return slope;
}

// minimizer of the convex D along a segment
typedef struct nearest_point {
  double low, high; // adjacent floating-point numbers that enclose it, or twice the same number
  bool within;      // inside the segment; else an end
} nearest_point;

// The zero of the slope by the Illinois method (regula falsi that halves the value of an end kept
// twice), with a bisection every eighth step, until the slope is zero to rounding or changes sign
// between two adjacent floating-point numbers.
static nearest_point find_nearest(const dm_shape *s, const double x[6]) {
  enum { MOST = 240 };
  double a = 0, f_a = eval_segment_slope(s, x, 0);
  double b = 1, f_b = eval_segment_slope(s, x, 1);
  const double rounding = 1e-15 * fmax(fabs(f_a), fabs(f_b));
  if (!(f_a < 0)) return (nearest_point){0, 0, false};
  if (!(f_b > 0)) return (nearest_point){1, 1, false};

  for (int i = 1, last = 0; i < MOST; i++) {
    double t = i % 8 ? a - f_a * (b - a) / (f_b - f_a) : (a + b) / 2;
    if (!(t > a && t < b)) t = (a + b) / 2;
    if (t <= a || t >= b) break;

    // replace the end of the bracket with the same sign
    const double f = eval_segment_slope(s, x, t);
    if (fabs(f) <= rounding) return (nearest_point){t, t, true};
    if (f < 0) {
      a = t;
      f_a = f;
      if (last < 0) f_b /= 2;
      last = -1;
    } else {
      b = t;
      f_b = f;
      if (last > 0) f_a /= 2;
      last = 1;
    }
  }
  return (nearest_point){a, b, true};
}

// The nearest point is inside the segment: t follows the ends so that the slope stays zero.
static void follow_slope(const segment_point *p, double *D_x, double *D_xx) {
  for (int a = 0; a < 6; a++) D_x[a] = p->f_x[a];
  for (int i = 0; D_xx && p->f_tt > 0 && i < 36; i++)
    D_xx[i] -= p->f_xt[i / 6] * p->f_xt[i % 6] / p->f_tt;
}

// Two faces meet at the minimum, and D is w f + (1 - w) f' with w f_t + (1 - w) f'_t = 0: f = f'
// determines t, the slopes determine w.
static void follow_edge(const segment_point *p, const segment_point *q, double *D_x, double *D_xx) {
  const double F_t = p->f_t - q->f_t, w = -q->f_t / F_t;
  for (int a = 0; a < 6; a++) D_x[a] = w * p->f_x[a] + (1 - w) * q->f_x[a];
  for (int b = 0; D_xx && b < 6; b++) {
    const double t_x = -(p->f_x[b] - q->f_x[b]) / F_t;
    const double p_tx = p->f_xt[b] + p->f_tt * t_x, q_tx = q->f_xt[b] + q->f_tt * t_x;
    const double w_x = (-q_tx - w * (p_tx - q_tx)) / F_t;
    for (int a = 0; a < 6; a++)
      D_xx[6 * a + b] = w * p->f_xx[6 * a + b] + (1 - w) * q->f_xx[6 * a + b] +
                        (w * p->f_xt[a] + (1 - w) * q->f_xt[a]) * t_x +
                        (p->f_x[a] - q->f_x[a]) * w_x;
  }
}

double dm_shape_distance_segment(const dm_shape *s, int order, const double x[6], double *D_x,
                                 double *D_xx) {
  const double jump =
      1e-6; // slope difference, relative to the length, above which the point is on an edge
  const nearest_point at = find_nearest(s, x);
  const segment_point p = eval_segment_point(s, order, x, at.low);
  if (order < 1) return p.f;
  if (order > 1) memcpy(D_xx, p.f_xx, sizeof p.f_xx);

  // an end of the segment
  if (!at.within) {
    memcpy(D_x, p.f_x, sizeof p.f_x);
    return p.f;
  }

  // a point of a face, or of an edge
  const segment_point q = at.high > at.low ? eval_segment_point(s, order, x, at.high) : p;
  double length = 0;
  for (int i = 0; i < 3; i++) length += (x[3 + i] - x[i]) * (x[3 + i] - x[i]);
  if (q.f_t - p.f_t > jump * sqrt(length))
    follow_edge(&p, &q, D_x, order > 1 ? D_xx : NULL);
  else
    follow_slope(&p, D_x, order > 1 ? D_xx : NULL);
  return p.f;
}
