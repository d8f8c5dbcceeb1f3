// optim/rows/contact_cone.h: the unknowns of contacts in a program, and friction within a round cone in the polish.
//
// A law with two tangents has in searches the rows of optim/rows/contact_rows.h, |t1| + |t2| <= b = friction c. With a
// schedule its unknowns t+ and w+ of each tangent have any sign, and are the impulse t and U times a direction d; t- and
// w- are zero. Rows of the step are
//
//   sticks   r' - r = 0                           left = (b^2 - |t|^2)/I >= 0
//   slides   r' - r = slide d,  slide >= 0        t = -b d        |d| = 1        left = 0
//
// with U the unit of distances and I that of impulses. The first and second derivatives of these polynomials exist also
// for a contact that comes to rest. Source: docs/theory.md section 32.
#ifndef OC_ROWS_CONTACT_CONE_H
#define OC_ROWS_CONTACT_CONE_H
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

static inline bool has_cone(const dm_contact_law *law) {
  return law->tangents > 1;
}

// Set the room of all pairs.
void oc_contact_rows_free_pairs(oc_transcription *t, double room);

// Row r after knot k, less its value there, at the last evaluation: r' - r, or s.
double oc_contact_rows_change(const oc_transcription *t, const double *x, int k, int r);

// The rows of law l at knot k under a schedule: out and z are those of the knot, with r' - r of each tangent in out.
void oc_contact_cone_evaluate(const oc_contacts *c, int k, int l, const double *z, double *out);

// The derivatives of its rows, which begin at `row`, by its unknowns, which begin at `at`; also in searches.
void oc_contact_cone_put(const oc_contacts *c, int k, int l, const double *z, int row, int at,
                         oc_triplets *s);
void oc_contact_cone_put_hessian(const oc_contacts *c, int k, int l, const double *lambda, int at,
                                 oc_triplets *s);

// Impose its state.
void oc_contact_cone_fix(oc_transcription *t, int k, int l);

// Give the unknowns of all laws with two tangents their meaning under the schedule, at a point of a search or of
// another schedule. Does nothing in searches.
void oc_contact_cone_settle(const oc_transcription *t, double *x);
#endif
