// lib/multibody/quaternion.h: a unit quaternion q = (w,x,y,z) and its rate v as coordinates of a
// rotation.
//
// The rotation is that of q/|q|. The rate of rotation, in body axes,
//
//   W = 2 vec(conj(q) v)
//
// is polynomial, and it equals the angular velocity for |q| = 1, q.v = 0; another extension off the
// sphere would give another integrator. The mechanics uses the function that gives, for q near a
// given q0, the angles of three rotations about z, x, y that follow q0, and their rates: (q,v) ->
// (turns, rates). A chart is the set of its derivatives at q0, where the angles are zero. They need
// no trigonometry: with r = conj(q0) (q - q0) / |q0|^2 and n = conj(q0) v the function is the same
// for all q0, and a table holds its Taylor series.
//
// Source: paper 004, section 5; docs/theory.md section 23.
#ifndef DM_MULTIBODY_QUATERNION_H
#define DM_MULTIBODY_QUATERNION_H

// Derivatives of (turns, rates), matrices [3 x 4] row-major.
typedef struct dm_chart_map {
  double turns_q[12], rates_q[12], rates_v[12];
} dm_chart_map;

typedef struct dm_chart {
  dm_chart_map by;  // first derivatives
  double E[16], nn; // matrix of left multiplication by conj(q0); |q0|^2
  double n[4];      // conj(q0) v
} dm_chart;

// Compute the chart at q [4], not zero, and v [4].
void dm_chart_set(dm_chart *c, const double q[4], const double v[4]);

// The rates at that point.
void dm_chart_rates(const dm_chart *c, double rates[3]);

// The modified Rodrigues parameters n tan(angle/4) of the rotation of q, of length at most 1.
void dm_chart_rodrigues(const double q[4], double p[3]);

// The derivative of the first derivatives along (a_q,a_v).
void dm_chart_directional(const dm_chart *c, const double a_q[4], const double a_v[4],
                          dm_chart_map *out);

// Second derivatives by q and q, and by q and v [4 x 4], of g.turns + f.rates with constant g, f
// [3] (NULL: zeros; qv NULL: not computed). Those by v and v are zero. _directional: the derivative
// of these along (a_q,a_v).
void dm_chart_hessian(const dm_chart *c, const double *g, const double *f, double qq[16],
                      double qv[16]);
void dm_chart_hessian_directional(const dm_chart *c, const double *g, const double *f,
                                  const double a_q[4], const double a_v[4], double qq[16],
                                  double qv[16]);

// A torque t [3] in body axes, as a generalized force on q: f = 2 q (0,t) / |q|^2, with power t.W
// for |q| = 1.
//   f    [4] out, f_q [4 x 4] out
//   m    [4], qq [4 x 4] out: the second derivatives of m.f
void dm_quaternion_torque(const double q[4], const double t[3], double f[4], double f_q[16]);
void dm_quaternion_torque_hessian(const double q[4], const double t[3], const double m[4],
                                  double qq[16]);
#endif
