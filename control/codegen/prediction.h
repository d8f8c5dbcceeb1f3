// control/codegen/prediction.h: one step of the discrete map of a tree as C: what a filter predicts by
// where its estimate is off the plan.
//
//   q1 <- q1 + S (p0 + D1(q0,q1,u))     FB_ROUNDS times, from the linear prediction
//   p1 = D2(q0,q1,u)
//
// S = dq1/dp0 = -D12^-1 is the plan's, the upper right block of the schedule's A: Newton's method
// without a derivative or a factorization. What is off in q1 is multiplied by about the deviation
// from the plan in each round, so that the step is the map's but for the power 2 + FB_ROUNDS of the
// deviation. Where the rounds do not make the residual smaller the linear prediction stays.
//
// D1 and D2 are sums over the points of the rule, of L_v and L_q written out (control/codegen/momentum.h),
// of joints' damping and of inputs. The text does the operations of fb_prediction_step in its order:
// only sines and cosines of other machines may differ in the last bit.
//
// Source: docs/theory.md section 21; [marsden-west-2001] in docs/sources.md.
#ifndef FB_CODEGEN_PREDICTION_H
#define FB_CODEGEN_PREDICTION_H
#include "control/codegen/momentum.h"
#include "control/feedback/estimator.h"

DM_BEGIN_C

enum { FB_ROUNDS = 8 };

typedef struct fb_prediction {
  fb_momentum *L; // L_v and L_q
  int n, nu;      // coordinates; inputs
  double h;       // s
  dm_rule rule;
  double *damping;                      // [n]  N s/m or N m s
  int *coord;                           // [nu] of an input
  double *impulse;                      // [nu] h times its gear
  double *q, *v, *f, *D1, *D2, *q1, *p; // scratch: [n], p [2n]
  bool single;                          // whether it rounds as a text in single precision
} fb_prediction;

// Make the step of the system s of tree m in steps of h [s].
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE with a sentence on what is refused: ball joints,
// constraints, kinematic coordinates, springs and general forces, damping that is over within a
// step, rules with nodes within the step. On all but DM_OK *out is NULL.
dm_status fb_prediction_new(fb_prediction **out, const dm_model *m, const dm_system *s, double h,
                            dm_message *msg);
void fb_prediction_free(fb_prediction *w); // NULL is accepted

// Whether it can be made, as above.
dm_status fb_prediction_check(const dm_model *m, const dm_system *s, dm_message *msg);

// The step from x = (q0,p0) [2n] under u [nu] with A [2n x 2n] of the plan's step; x1 [2n] in: the
// linear prediction, out: the step, or that. No allocation. Cost: FB_ROUNDS + 1 evaluations of L_v
// and L_q for each point of the rule.
void fb_prediction_step(fb_prediction *w, const double *x, const double *u, const double *A,
                        double *x1);

// The same for a filter (control/feedback/estimator.h).
fb_predictor fb_prediction_predictor(fb_prediction *w);

// Write a comment's lines on what it does and costs.
void fb_prediction_tell(FILE *f, const fb_prediction *w, bool single);

// Write its functions; `predict` is what a text calls.
void fb_prediction_write(FILE *f, const fb_prediction *w, bool single);

DM_END_C
#endif
