// lib/mechanics/contact_laws.h: interface of contacts and dry friction on one impulse per knot.
//
// The rows r(q) are gaps, r >= 0, and positions along tangents. A law has a gap with up to two
// tangents (a contact), or one tangent alone (dry friction in a joint). Over a step from q0 to q1
// its impulses c >= 0 along the gap's gradient and t along the tangents' gradients, both at q0, obey
//
//   0 <= c  _|_  r(q1) >= 0        |t| <= friction c + B(v) h (h/2 at the ends),  t against r(q1) - r(q0)
//
// where B(v) = force + excess exp(-(v/speed)^2) at the mean speed v = (r(q1) - r(q0))/h along the tangent of a law
// without a gap.
//
// A tangent of a contact that rolls in space, or slides on a curved surface, has no position: along its row
//
//   s(q0,q1), how far the contact slides in the step, replaces r(q1) - r(q0), and W(q) = ds/dq1 at q1 = q the gradient
//
// Its r is 0 and its Dr is W, and the functions of `rows` have the derivatives of W for those of Dr; contract then adds
// d(W'lambda)/dq, which is not symmetric.
//
// The contacts of a robot (lib/multibody/robot_contact_laws.h) implement it.
//
// Source: docs/theory.md section 32.
#ifndef DM_MECHANICS_CONTACT_LAWS_H
#define DM_MECHANICS_CONTACT_LAWS_H
#include "lib/mechanics/holonomic.h"

#include <math.h>
#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_contact_law {
  const char *name;
  int gap;         // its row; -1: none
  int tangents;    // 0, 1 or 2
  int tangent[2];  // their rows
  bool angle;      // is the gap, or without a gap the tangent, an angle?
  double friction; // Coulomb coefficient
  double force;    // friction without a gap, far above the speed    N or N m
  double excess;   // additional force that breaks loose from rest     N or N m
  double speed;    // Stribeck's, > 0 if there is an excess           m/s or rad/s
} dm_contact_law;

// The state of a law in the step after a knot: an entry of a schedule.
enum {
  DM_LAW_OPEN = 0,   // a gap without an impulse
  DM_LAW_STICKS = 1, // closed, and the tangents keep their places
  DM_LAW_SLIDES =
      2 // closed and sliding: with the directions in which friction acts, DM_LAW_ACTS(d)
};
#define DM_LAW_STATE(entry) ((entry)&3)
#define DM_LAW_ACTS(d)                                                                             \
  (16 << (d)) // d = 0, 1: along the first tangent, against it; 2, 3: the second
#define DM_LAW_ACTS_IN(entry) ((entry) >> 4)

typedef struct dm_contact_laws {
  int n;
  const dm_contact_law *law; // [n]
  dm_holonomic rows;         // with its mask
  double mass, gravity;      // of the robot, for scales     kg, m/s2
  const bool *slides; // [rows.nc] rows that have s; NULL: none, and the functions are not called
  // s [rows.nc] and, if they are not NULL, its derivatives by q0 and q1 [rows.nc x nq]; entries of other rows are left
  dm_status (*slide)(const void *self, void *scratch, const double *q0, const double *q1, double *s,
                     double *Ds0, double *Ds1);
  // add lambda's second derivatives of s by (q0,q0), (q0,q1), (q1,q1) [nq x nq each]
  dm_status (*slide_contract)(const void *self, void *scratch, const double *q0, const double *q1,
                              const double *lambda, double *H00, double *H01, double *H11);
  const unsigned char *schedule; // [knots x n] entries that plans and steps must have; NULL: free
  int knots;
} dm_contact_laws;

// The share of a step whose friction acts at knot k of N steps: half of it at the ends.
static inline double dm_contact_share(int k, int N) {
  return k == 0 || k == N ? 0.5 : 1;
}

// The prescribed entries [n] of knot k of a motion with N steps; those of other grids by the nearest
// time. NULL: free.
static inline const unsigned char *dm_contact_schedule_at(const dm_contact_laws *laws, int k,
                                                          int N) {
  if (!laws->schedule || N < 1) return NULL;
  const int at = (int)((2 * (long)k * (laws->knots - 1) + N) / (2 * (long)N));
  return laws->schedule + (size_t)at * (size_t)laws->n;
}

// The entry of a law that slides under the impulses F [rows]; without friction, against its way along
// the first tangent.
static inline unsigned char dm_contact_sliding(const dm_contact_law *law, const double *F,
                                               double way) {
  double most = 0;
  int acts = 0;
  for (int t = 0; t < law->tangents; t++) most = fmax(most, fabs(F[law->tangent[t]]));
  for (int t = 0; t < law->tangents; t++)
    if (fabs(F[law->tangent[t]]) > 1e-9 * most)
      acts |= DM_LAW_ACTS(2 * t + (F[law->tangent[t]] < 0));
  return (unsigned char)(DM_LAW_SLIDES | (acts ? acts : DM_LAW_ACTS(way >= 0)));
}

// The friction bound of a law without a gap: b = B(v), B'(v), B''(v).
void dm_contact_law_bound(const dm_contact_law *law, double v, double b[3]);

// Replace, along rows that have it, r(q1) by s and its gradient by ds/dq1, and set Ds0, if not NULL, to ds/dq0.
static inline dm_status dm_contact_laws_slide(const dm_contact_laws *laws, void *scratch,
                                              const double *q0, const double *q1, double *r1,
                                              double *Ds0, double *Dr1) {
  return laws->slides ? laws->slide(laws->rows.self, scratch, q0, q1, r1, Ds0, Dr1) : DM_OK;
}

// Add Dr(q)' times impulses [rows.nc] to momenta p [n].
//   scratch  of the rows; r [rows.nc] and Dr [rows.nc x n] are also scratch
// Returns DM_OK or the status of the rows.
dm_status dm_contact_laws_push(const dm_contact_laws *laws, int n, void *scratch, double *r,
                               double *Dr, const double *q, const double *impulse, double *p);

DM_END_C
#endif
