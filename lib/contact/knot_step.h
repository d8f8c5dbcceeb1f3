// lib/contact/knot_step.h: steps with one impulse per knot of contacts and dry friction
// (lib/mechanics/contact_laws.h): the map of plans through contact.
//
//   p0 + D1(q0,q1) + Dr(q0)'F = 0        F: the impulses c, t of the laws
//   0 <= c  _|_  r(q1) >= 0              |t| <= friction c + B(v) h,  against r(q1) - r(q0) = h v
//   p1 = D2(q0,q1)                       momenta before the impulses at q1
//
//   1  Newton's equations of the step: q1 and r(q1) as linear functions of F
//   2  F by Newton's method from the last one (lib/contact/cone_impulses.h), if friction has two tangents or
//      states are given; otherwise, and if it fails, from the linear complementarity problem of the laws with
//      |t| as a sum (lib/base/lcp.h), whose guess is the set that F and r(q1) show. B is linear in q1
//   3  q1 and F; repeat until r(q1) does not change
//
// Impacts are plastic: a contact that closes stays closed, without restitution. A friction step may
// have several solutions; the guess of F selects one. A joint whose bound B falls with its speed by more
// than its inertia per step both sticks and slides, if the force on it is between B at rest and at a speed;
// steps of simulations look for the other one.
//
// Source: [stewart-trinkle-1996] in docs/sources.md; docs/theory.md section 32.
#ifndef DM_CONTACT_KNOT_STEP_H
#define DM_CONTACT_KNOT_STEP_H
#include "lib/base/lcp.h"
#include "lib/contact/cone_impulses.h"
#include "lib/contact/contact_stepper.h"
#include "lib/discrete/contact_check.h"
#include "lib/discrete/del.h"
#include "lib/discrete/stepper.h"
#include "lib/mechanics/scale.h"

DM_BEGIN_C

// Larger gaps of dm_knot_certify are not rounding.
#define DM_CERTIFIED_CONTACT 1e-9

typedef struct dm_knot_step_info {
  int solves; // of the laws with linear equations of motion
  int pivots; // of linear complementarity problems, 0 if the guessed sets were right
  int worst;  // law of the largest change in the last iteration, or that breaks its law; -1: none
  dm_contact_fault fault; // how, with DM_INFEASIBLE in a given schedule
  double change;          // that change, relative to the largest unknown
  dm_del_info del;        // of the step under the last F
} dm_knot_step_info;

typedef struct dm_knot_step {
  dm_del *del;
  const dm_contact_laws *laws;
  int n, nr;
  double *impulse;      // [nr] F: in: guess; out: of the last step         N s or N m s
  double *push;         // [n] Dr(q0)'F                                     N s or N m s
  unsigned char *entry; // [laws] of the last step (lib/mechanics/contact_laws.h)
  const unsigned char
      *given; // [laws] entries of a schedule that the next step must have; NULL: free
  dm_lcp *lcp;
  dm_cone_impulses *cone;
  bool round;  // has a law two tangents?
  double most; // largest impulse and change of a row, in units
  dm_knot_step_info info;
  // statistics since its creation, for simulations
  long made, left; // contacts that closed and opened
  double deepest;  // largest violation of a gap at a knot                  m or rad
  int second,
      second_law; // the first knot with a second solution, as B falls, -1: none; and its law
  // scratch
  int *at;              // [laws + 1] first unknown of each law
  double *M, *b, *size; // the linear problem, and the unit of each unknown
  double *next, *ahead, *rounding,
      *unit; // [nr] F of the linear equations; change and rounding of r; units
  double *r0, *r1, *Dr0, *Dr1, *A; // [nr] each, [nr x n] each, [nr x nr]
  double share, h;                 // of the step
  double *bound, *fall;            // [laws] its friction in joints, as in dm_cone_problem
  double *W;                       // [nd + nc x nr + 1] changes of q1 by F, and the step without
  double *start;         // [2n] momenta at the start of a simulation's step; of `other` its (q1,p1)
  double *p, *q, *end;   // [n] momenta after the push, configuration and momenta at t + h
  unsigned char *before; // [laws] entries of the step before
  struct dm_knot_step *other; // looks for second solutions; NULL: no B falls
  void *scratch;
} dm_knot_step;

// Allocate for a system with contacts (copied; s->contacts is not NULL and must outlive it). Returns
// DM_OK or DM_NO_MEMORY.
dm_status dm_knot_step_new(dm_knot_step **out, const dm_system *s);
void dm_knot_step_free(dm_knot_step *w); // accepts NULL

// Advance one step.
//   share   of the step's dry friction that acts at this knot (dm_contact_share)
//   q0, p0  state at the knot, momenta before its impulses    [n] rad or m, [n] SI
//   u       inputs held over the step                         [nu]
//   h       step, > 0                                         s
//   q1      in: guess, out: configuration at t + h            [n]
//   p1      out: momenta at t + h before its impulses         [n]; may be p0
// The impulses are in w->impulse, the entries of the laws in w->entry. Returns DM_OK; DM_MAX_ITER if the
// impulses do not settle, or DM_INFEASIBLE if the laws have no solution, or not with the given entries,
// all with the last iterate in q1; or as dm_del_step. Does not allocate. Cost of an iteration: second derivatives of L,
// an LU of size n, and a linear complementarity problem.
dm_status dm_knot_step_take(dm_knot_step *w, double share, const double *q0, const double *p0,
                            const double *u, double h, double *q1, double *p1);

// A stepper for simulations. Its first step has the share of an end, the others whole steps.
dm_stepper dm_knot_stepper(dm_knot_step *w);

// The event of law l, one with a gap, in the last step of a simulation.
dm_contact_event dm_knot_step_event(const dm_knot_step *w, int l);

// Step each knot of a motion x of the system (dm_system.contacts) once, with its impulses as guesses.
//   scale  of the gaps as for dm_certify (lib/discrete/certify.h)
//   gap    out: the largest difference from the next knot, relative to scale + |value|; INFINITY:
//          a step failed
//   knot   out: start of that step
// Returns DM_OK or DM_NO_MEMORY. Allocates. Cost: a step for each knot.
dm_status dm_knot_certify(const dm_trajectory *x, const dm_system *s, const dm_scale *scale,
                          double *gap, int *knot);

// Look for a knot of a motion that dm_knot_certify accepts from which another step also obeys the laws, as with
// friction on a coarse grid, or with a bound that falls. The steps start from other guesses of the impulses: one that
// is found exists, but there may be more.
//   knot  out: the first of these knots, -1: not found;   law  out: the law whose state differs there
// Returns DM_OK or DM_NO_MEMORY. Allocates. Cost: five steps for each knot, and one for each bound that falls.
dm_status dm_knot_find_second(const dm_trajectory *x, const dm_system *s, const dm_scale *scale,
                              int *knot, int *law);

DM_END_C
#endif
