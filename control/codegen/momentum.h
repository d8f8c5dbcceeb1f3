// control/codegen/momentum.h: p = M(q) v of a tree as C: a recursion over its joints, unrolled for
// one specific robot, without loops, branches or memory.
//
//   V_j = R'(V_p + w_p x r) + S v_j      root to tip, in the joints' own frames
//   h_j = I_j V_j + sum over its children, transformed to j's frame
//   p_i = sum of ratio_j S_j.h_j over the joints of i, + armature_i v_i
//   L_q,i = sum of ratio_j ((V_j x S_j).h_j + S_j.W_j), W_j the weight of j's subtree
//
// The recursion runs once on expressions instead of numbers. Terms that are 0 or 1 for this robot
// are simplified, and common subexpressions are shared; operands precede the nodes that use them.
// The same nodes are evaluated here and written as text, so both perform the same operations in the
// same order. Only sines and cosines, which depend on the machine, may differ in the last bit.
//
// Source: [featherstone-2008] in docs/sources.md; docs/theory.md section 19.
#ifndef FB_CODEGEN_MOMENTUM_H
#define FB_CODEGEN_MOMENTUM_H
#include "lib/mechanics/system.h"
#include "lib/multibody/model.h"

#include <stdio.h>

DM_BEGIN_C

typedef enum fb_operation {
  FB_CONSTANT,
  FB_POSITION,
  FB_SPEED,
  FB_SINE,
  FB_COSINE,
  FB_NEGATIVE,
  FB_SUM,
  FB_DIFFERENCE,
  FB_PRODUCT
} fb_operation;

typedef struct fb_expression {
  fb_operation op;
  int a, b;     // operands; for a position or a speed, a is the coordinate
  double value; // of a constant
  int slot;     // slot of its value while it is needed; -1: it needs no slot
} fb_expression;

typedef struct fb_momentum {
  int n, count;              // coordinates; expressions
  fb_expression *node;       // [count]
  int outputs;               // n, or 2 n with slopes
  int *p;                    // [outputs] the expressions of p, and then of L_q
  int slots;                 // number of slots for intermediate values
  double *slot;              // [slots] values during an evaluation
  int sums, products, turns; // operations: + and -, *, sin and cos
} fb_momentum;

// Make the code of a tree.
//   s       its system: constraints, or damping that decays within a step, are refused
//   slopes  whether to compute also L_q(q,v), from kinetic and potential energy
// Supports revolute, prismatic, fixed and mimic joints, and a floating base with angles; not ball
// joints. Returns DM_OK; DM_UNAVAILABLE with a sentence in msg that names the unsupported feature;
// DM_NO_MEMORY. On all but DM_OK *out is NULL.
dm_status fb_momentum_new(fb_momentum **out, const dm_model *m, const dm_system *s, bool slopes,
                          dm_message *msg);
// Whether the code can be made: DM_OK, or DM_UNAVAILABLE with that sentence.
dm_status fb_momentum_check(const dm_model *m, const dm_system *s, dm_message *msg);
void fb_momentum_free(fb_momentum *w); // NULL is accepted

// p [outputs] from q and v [n] as the text computes it, in single or double precision. No
// allocation.
void fb_momentum_eval(const fb_momentum *w, bool single, const double *q, const double *v,
                      double *p);

// Write the statements that compute p from q and v, using their array w of intermediate values.
void fb_momentum_write(FILE *f, const fb_momentum *w, bool single, const char *prefix);

DM_END_C
#endif
