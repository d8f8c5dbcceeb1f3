// control/codegen/momentum.h: p = M(q) v of a tree as C: a recursion over its joints, written out
// for the very robot, without loops, branches or memory.
//
//   V_j = R'(V_p + w_p x r) + S v_j      root to tip, in the joints' own frames
//   h_j = I_j V_j + sum of its children's, brought to j's frame
//   p_i = sum of ratio_j S_j.h_j over the joints of i, + armature_i v_i
//   L_q,i = sum of ratio_j ((V_j x S_j).h_j + S_j.W_j), W_j the weight of j's subtree
//
// The recursion is run once on expressions in place of numbers. What is 0 or 1 in this robot is
// left out, what occurs twice is kept: nodes in an order in which operands come first. The same
// nodes are evaluated here and written as text, so that both do the same operations in the same
// order. Of sines and cosines each machine has its own: these alone may differ in the last bit.
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
  int a, b;     // operands; of a position or a speed a is the coordinate
  double value; // of a constant
  int slot;     // where its number is kept as long as it is needed; -1: it needs no place
} fb_expression;

typedef struct fb_momentum {
  int n, count;              // coordinates; expressions
  fb_expression *node;       // [count]
  int outputs;               // n, or 2 n with slopes
  int *p;                    // [outputs] the expressions that are p, and then L_q
  int slots;                 // places for numbers on the way
  double *slot;              // [slots] of an evaluation
  int sums, products, turns; // operations: + and -, *, sin and cos
} fb_momentum;

// Make the code of a tree.
//   s       its system: what has constraints, or damping that is over within a step, is refused
//   slopes  whether L_q(q,v), of kinetic and potential energy, is wanted beside p
// Turns, slides, what is fixed, joints that mimic others and a base that floats by angles are
// taken; ball joints are not. Returns DM_OK; DM_UNAVAILABLE with a sentence in msg that says what
// is refused; DM_NO_MEMORY. On all but DM_OK *out is NULL.
dm_status fb_momentum_new(fb_momentum **out, const dm_model *m, const dm_system *s, bool slopes,
                          dm_message *msg);
// Whether it can be made: DM_OK, or DM_UNAVAILABLE with that sentence.
dm_status fb_momentum_check(const dm_model *m, const dm_system *s, dm_message *msg);
void fb_momentum_free(fb_momentum *w); // NULL is accepted

// p [outputs] of q and v [n] as the text computes it, in single precision or double. No allocation.
void fb_momentum_eval(const fb_momentum *w, bool single, const double *q, const double *v,
                      double *p);

// Write the statements that compute p from q and v, with their array w of numbers on the way.
void fb_momentum_write(FILE *f, const fb_momentum *w, bool single);

DM_END_C
#endif
