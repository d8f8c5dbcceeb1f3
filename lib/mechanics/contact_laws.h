// lib/mechanics/contact_laws.h: interface of contacts and dry friction on one impulse per knot.
//
// The rows r(q) are gaps, r >= 0, and positions along tangents. A law has a gap with up to two
// tangents (a contact), or one tangent alone (dry friction in a joint). Over a step from q0 to q1
// its impulses c >= 0 along the gap's gradient and t along the tangents' gradients, both at q0, obey
//
//   0 <= c  _|_  r(q1) >= 0        |t| <= friction c + force h (h/2 at the ends),  t against r(q1) - r(q0)
//
// The contacts of a robot (lib/multibody/robot_contact_laws.h) implement it.
//
// Source: docs/theory.md section 32.
#ifndef DM_MECHANICS_CONTACT_LAWS_H
#define DM_MECHANICS_CONTACT_LAWS_H
#include "lib/mechanics/holonomic.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_contact_law {
  const char *name;
  int gap;         // its row; -1: none
  int tangents;    // 0, 1 or 2
  int tangent[2];  // their rows
  bool angle;      // is the gap, or without a gap the tangent, an angle?
  double friction; // Coulomb coefficient
  double force;    // friction without a gap             N or N m
} dm_contact_law;

typedef struct dm_contact_laws {
  int n;
  const dm_contact_law *law; // [n]
  dm_holonomic rows;         // with its mask
  double mass, gravity;      // of the robot, for scales     kg, m/s2
} dm_contact_laws;

// The share of a step whose friction acts at knot k of N steps: half of it at the ends.
static inline double dm_contact_share(int k, int N) {
  return k == 0 || k == N ? 0.5 : 1;
}

// Add Dr(q)' times impulses [rows.nc] to momenta p [n].
//   scratch  of the rows; r [rows.nc] and Dr [rows.nc x n] are also scratch
// Returns DM_OK or the status of the rows.
dm_status dm_contact_laws_push(const dm_contact_laws *laws, int n, void *scratch, double *r,
                               double *Dr, const double *q, const double *impulse, double *p);

DM_END_C
#endif
