// control/codegen/prediction.h: one step of the discrete map of a tree as C: a filter's prediction
// when its estimate is away from the plan.
//
//   q1 <- q1 + S (p0 + D1(q0,q1,u))     FB_ROUNDS times, from the linear prediction
//   p1 = D2(q0,q1,u)
//
// S = dq1/dp0 = -D12^-1 is the plan's, the upper right block of the schedule's A: Newton's method
// with a fixed Jacobian, without a derivative or a factorization. Each round multiplies the error
// in q1 by about the deviation from the plan, so the step equals the map's up to the power 2 +
// FB_ROUNDS of the deviation. If the rounds do not reduce the residual, the linear prediction
// stays.
//
// D1 and D2 are sums over the points of the quadrature rule, of L_v and L_q in unrolled form
// (control/codegen/momentum.h), joint damping and inputs. The text performs the operations of
// fb_prediction_step in its order: only sines and cosines, which depend on the machine, may differ
// in the last bit.
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
  int *coord;                           // [nu] coordinate of an input
  double *impulse;                      // [nu] h times its gear
  double *q, *v, *f, *D1, *D2, *q1, *p; // scratch: [n], p [2n]
  bool single;                          // whether it rounds like a text in single precision
} fb_prediction;

// Make the step of the system s, with tree m, for steps of h [s].
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE with a sentence on the unsupported feature: ball
// joints, constraints, kinematic coordinates, springs and general forces, damping that decays
// within a step, rules with nodes within the step. On all but DM_OK *out is NULL.
dm_status fb_prediction_new(fb_prediction **out, const dm_model *m, const dm_system *s, double h,
                            dm_message *msg);
void fb_prediction_free(fb_prediction *w); // NULL is accepted

// Whether the step can be made, as above.
dm_status fb_prediction_check(const dm_model *m, const dm_system *s, dm_message *msg);

// Compute the step from x = (q0,p0) [2n] under u [nu] with A [2n x 2n] of the plan's step; x1 [2n]
// in: the linear prediction, out: the step, or the linear prediction if the rounds fail. No
// allocation. Cost: FB_ROUNDS + 1 evaluations of L_v and L_q for each point of the rule.
void fb_prediction_step(fb_prediction *w, const double *x, const double *u, const double *A,
                        double *x1);

// The same as a predictor of a filter (control/feedback/estimator.h).
fb_predictor fb_prediction_predictor(fb_prediction *w);

// Write the lines of a comment on its method and cost.
void fb_prediction_tell(FILE *f, const fb_prediction *w, bool single);

// Write its functions; a text calls `predict`.
void fb_prediction_write(FILE *f, const fb_prediction *w, bool single, const char *prefix);

DM_END_C
#endif
