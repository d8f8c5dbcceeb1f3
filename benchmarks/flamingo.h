// benchmarks/flamingo.h: the published Spring Flamingo task, with the equations in which it was published.
//
// Steps k = 0 .. N-1 of the same free length h lead from a = q_k to b = q_{k+1}. Each has normal forces c, and tangential
// forces t+ and t- along +x and -x, of four contacts (heels and toes) with gaps g and places s along x:
//
//   p_0 + D1_0 + h G_0 = 0      D2_{k-1} + D1_k + h G_k = 0       G = Dg(b)' c + Ds(b)' (t+ - t-)
//   gap = g(b)      v+- = slide +- Ds(b)(b - a)/h0                left = mu c - t+ - t-
//   c gap <= e      t+ v+ <= e,  t- v- <= e                       slide left <= e           all members >= 0
//
// h0 is a constant, and forces are in tenths of the weight, so that e means the same in each product.
//
// In the publication v+- has h instead of h0, and each step has one slack s for the sums of its products, whose price 1e4 s
// is a part of the objective. Cost: h (q - q_N)'Q(q - q_N)/2, and v and u likewise, in the middle of each step; 10 (0.1 - g)^2
// for each gap g below 0.1 there; half the square of each change of normal forces.
//
// Source: [manchester-2019] in docs/sources.md.
#ifndef BENCHMARKS_FLAMINGO_H
#define BENCHMARKS_FLAMINGO_H
#include "optim/nlp/ipopt.h"

#include <stdint.h>

enum {
  FLAMINGO_N = 24, // steps
  FLAMINGO_Q = 9,  // coordinates
  FLAMINGO_U = 4,  // inputs
  FLAMINGO_C = 4,  // contacts
  FLAMINGO_PAIRS = 4 * FLAMINGO_C,
  // unknowns of a step, after the common h: u; one member of each pair: c, t+ and t- of each contact, slide; the other
  // members: gap, v+ and v-, left; and q_{k+1}
  FLAMINGO_FORCE = FLAMINGO_U,
  FLAMINGO_OTHER = FLAMINGO_FORCE + FLAMINGO_PAIRS,
  FLAMINGO_NEXT = FLAMINGO_OTHER + FLAMINGO_PAIRS,
  FLAMINGO_UNKNOWNS = FLAMINGO_NEXT + FLAMINGO_Q,
  // rows of a step: of motion, of the other members, products
  FLAMINGO_MEMBERS = FLAMINGO_Q,
  FLAMINGO_PRODUCTS = FLAMINGO_MEMBERS + FLAMINGO_PAIRS,
  FLAMINGO_ROWS = FLAMINGO_PRODUCTS + FLAMINGO_PAIRS
};

typedef struct flamingo flamingo;

// Read the robot from a problem file and make the program, with pairs of room 1. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with a sentence.
dm_status flamingo_new(flamingo **out, const char *robot, dm_message *msg);
void flamingo_free(flamingo *w); // accepts NULL

const oc_nlp *flamingo_nlp(const flamingo *w);

// The index of unknown i of step k in a point of the program.
int flamingo_at(int k, int i);

// Complete a point that has u, the forces c, t+ and t- in N, and q_{k+1} of all steps: the time T of all steps [s], and
// the other unknowns, as their rows say. The motion begins at q0 [FLAMINGO_Q]. Returns DM_OK or the status of the map.
dm_status flamingo_fill(flamingo *w, const double *q0, double T, double *x);

// Start number `number`: the straight line with uniform noise of this size on all angles of each knot [rad], the weight on
// all contacts, small friction. Returns as flamingo_fill.
dm_status flamingo_start(flamingo *w, uint64_t seed, int number, double noise, double *x);

// The published objective without the price of its slacks; NAN: it is not finite. That of the program is a tenth of it.
double flamingo_objective(flamingo *w, const double *x);

// Set the room e of all products.
void flamingo_open(flamingo *w, double room);

// Read off the schedule at x, and fix one member of each pair at zero.
void flamingo_fix(flamingo *w, const double *x);

typedef struct flamingo_result {
  dm_status status;
  int iterations, factorizations;
  double searched, objective; // published objective before and after the polish
  double violation;           // largest of all rows after it
  double products;            // largest product of two members after it
} flamingo_result;

// Solve from the point x, and overwrite it:
//
//   1  room e = 3, 0.1, 0.01, 2e-4, each from the point before. The Hessian leaves out the products' curvature until the point is
//      nearly feasible: without it more starts arrive, with it the last iterations are few
//   2  the schedule: a contact is closed if c > gap; it sticks if left > slide, else it slides against the smaller v. Both
//      contacts of a flat foot do the same
//   3  polish: one member of each pair is zero, and the products are gone
//
flamingo_result flamingo_solve(flamingo *w, double *x);
#endif
