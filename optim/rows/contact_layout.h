// optim/rows/contact_layout.h: the unknowns of contacts in a program and their schedule, for contact_rows.c,
// contact_cone.c and contact_schedule.c.
#ifndef OC_ROWS_CONTACT_LAYOUT_H
#define OC_ROWS_CONTACT_LAYOUT_H
#include "optim/rows/layout.h"

// Two unknowns whose product is small. The row of the product has the place of a.
typedef struct oc_contact_pair {
  int a, b;
  bool cone; // of a law with two tangents
} oc_contact_pair;

// The places of a law's unknowns among those of a knot.
typedef struct oc_contact_place {
  int c, gap;      // -1: the law has no gap
  int slide, left; // -1: it has no tangents
  int t[4], w[4];  // t+, t- and w+, w- of each tangent
} oc_contact_place;

struct oc_contacts {
  const dm_contact_laws *laws;
  int n, nr, nz, knots, npairs;
  oc_contact_place *place; // [laws]
  oc_contact_pair *pair;   // [npairs] of a knot
  bool searched;           // are the products left out of the Hessian?
  bool round;              // is a schedule imposed, with round cones?
  double step;             // T/N, for the displacement after the last knot        s
  double *unit, *size;     // [nz] scales of unknowns and rows
  // the schedule: DM_LAW_OPEN ..; the directions in which impulses act, a bit for each; [knots x laws]
  unsigned char *state, *against;
  // of the last evaluation
  double *r, *Dr;        // [knots x nr], [knots x nr x n]
  double *end;           // [nr x n] D2r v at the last knot
  double *s, *Ds0, *Ds1; // of rows with s, [knots x nr], [knots x nr x n] each
  // scratch
  double *force, *weight, *weight_v; // [nr] impulses; multipliers of D2r by (q,q), by (q,v)
  double *J, *H, *Hv;                // [nr x n], [n x n] each
  double *Hs, *H01;                  // [n x n] of s by (q1,q1) of the step before, and by (q0,q1)
  bool *meets;                       // [n x n] coordinates that move the same row
  void *scratch;
};

// Has the law a round cone?
static inline bool has_cone(const dm_contact_law *law) {
  return law->tangents > 1;
}

// Set the room of all pairs, and the bounds that belong to it.
void oc_contact_pairs_open(oc_transcription *t, double room);

// Row r after knot k, less its value there: r' - r. The rows must have been evaluated at x.
double oc_contact_change(const oc_transcription *t, const double *x, int k, int r);
#endif
