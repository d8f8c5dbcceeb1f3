#include "lib/multibody/signal_law.h"

#include <math.h>

// |s| of a vector [3]
void dm_signal_length(const dm_signal *r, int order, const double *s, double *y, double *y_s,
                      double *y_ss) {
  (void)r;
  const double length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  *y = length;
  for (int a = 0; order > 0 && a < 3; a++) y_s[a] = s[a] / length;
  for (int ab = 0; order > 1 && ab < 9; ab++)
    y_ss[ab] = ((ab % 4 == 0) - y_s[ab / 3] * y_s[ab % 3]) / length;
}

// f = theta / sin theta as a function of c = cos theta, with f_c and f_cc: (1 - c^2) f_c = c f - 1.
// The sine is a separate argument because 1 - c^2 would cancel near pi.
static void eval_sinc_inverse(double c, double sine, double f[3]) {
  const double x = 1 - c, s = sine * sine;
  if (x > 0.1) {
    f[0] = atan2(sine, c) / sine;
    f[1] = (c * f[0] - 1) / s;
    f[2] = (f[0] + 3 * c * f[1]) / s;
    return;
  }

  // sum a_k x^k, a_{k+1} = a_k (k+1)/(2k+3), near theta = 0 to avoid cancellation
  enum { TERMS = 18 };
  double a[TERMS] = {1};
  f[0] = f[1] = f[2] = 0;
  for (int k = 0; k + 1 < TERMS; k++) a[k + 1] = a[k] * (k + 1) / (2 * k + 3);
  for (int k = TERMS - 1; k >= 0; k--) {
    f[0] = f[0] * x + a[k];
    if (k > 0) f[1] = f[1] * x - k * a[k];
    if (k > 1) f[2] = f[2] * x + k * (k - 1) * a[k];
  }
}

// Component i of the rotation vector theta a near theta = pi, where w is dominated by rounding. The
// axis comes from the longest column of (R + R')/2 = c I + (1 - c) a a', with the sign of w.
static double find_half_turn(int i, const double *s, const double twice[3], double theta,
                             double c) {
  int l = 0;
  for (int a = 1; a < 3; a++)
    if (s[4 * a] > s[4 * l]) l = a;
  double axis[3], square = 0, along = 0;
  for (int a = 0; a < 3; a++) {
    axis[a] = (s[3 * a + l] + s[3 * l + a]) / 2 - (a == l ? c : 0);
    square += axis[a] * axis[a];
    along += axis[a] * twice[a];
  }
  return (along < 0 ? -theta : theta) * axis[i] / sqrt(square);
}

// Component i of the rotation vector f(c) w of R = (s_ab) = s[3a + b], with w = vee(R - R')/2, |w|
// = sin theta, and c = (tr R - 1)/2; both are linear in R.
void dm_signal_rotation(const dm_signal *r, int order, const double *s, double *y, double *y_s,
                        double *y_ss) {
  const int i = r->component;
  static const double HALF_TURN = 1e-6; // sin theta: below this, w has lost ten digits
  const double twice[] = {s[7] - s[5], s[2] - s[6], s[3] - s[1]}; // 2 w
  const double w = twice[i] / 2, c = (s[0] + s[4] + s[8] - 1) / 2;
  double f[3], square = 0;
  for (int a = 0; a < 3; a++) square += twice[a] * twice[a];
  const double sine = sqrt(square) / 2;
  eval_sinc_inverse(c, sine, f);
  *y = f[0] * w;

  // the value is valid, the derivatives are not
  if (c < 0 && sine < HALF_TURN) {
    *y = find_half_turn(i, s, twice, atan2(sine, c), c);
    f[0] = f[1] = f[2] = NAN;
  }

  // c_s = 1/2 on the diagonal, w_s = 1/2 and -1/2 off the diagonal
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  double w_s[9] = {0}, c_s[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  w_s[3 * k + j] = 0.5;
  w_s[3 * j + k] = -0.5;
  for (int a = 0; order > 0 && a < 9; a++) y_s[a] = f[1] * c_s[a] * w + f[0] * w_s[a];
  for (int a = 0; order > 1 && a < 9; a++)
    for (int b = 0; b < 9; b++)
      y_ss[9 * a + b] = f[2] * c_s[a] * c_s[b] * w + f[1] * (c_s[a] * w_s[b] + w_s[a] * c_s[b]);
}

// clearance of a point [3] or a segment [6] in the frame of the shape
void dm_signal_clearance(const dm_signal *r, int order, const double *s, double *y, double *y_s,
                         double *y_ss) {
  *y = r->count == 3 ? dm_shape_distance(&r->shape, order, s, y_s, y_ss)
                     : dm_shape_distance_segment(&r->shape, order, s, y_s, y_ss);
}
