// control/feedback/output_feedback.h: the law in what a robot measures. No velocity is estimated.
//
//   state      y = (q, p)
//   velocity   y = (q, v)                      p = L_v(q,v) + Dh(q)'c
//   positions  y = (q_k, q_k-1, u_k-1)         p = D2(q_k-1, q_k, u_k-1): what the step left
//
// Two laws follow from u = u_d - K (x - x_d). The exact one finds p by the robot's mechanics. The
// linear one has it to first order, and needs a table alone:
//
//   u = u_d - G (y - y_d)      velocity   G = [K_q + K_p (L_vq + c D2h), K_p L_vv]
//                              positions  G = [K_q + K_p D22, K_p D21, K_p D2u]
//
// Where a state's q lags (lib/discrete/stiff_damping.h), what is measured stands at Q = q + lag v,
// and G takes that into account: q = Q - lag v, and from positions, of what is stiff, v = (Q_k -
// Q_k-1) / h. A measured state is the map's own.
//
// No velocity has what a momentum has along constraints: c [nc] is that of the plan, and K does not
// see more of it (control/feedback/tvlqr.h). u_k-1 are the forces as applied, limits included. The
// momentum at the first knot, which has no step before it, is taken as planned. Where inputs are a
// step late (control/feedback/delay.h) the input under way follows in y.
//
// Of a schedule with integrals of errors (control/feedback/tvlqr.h) these follow in y, desired 0, with
// the gains Ki in G: z_k+1 = z_k + h (q - q_d)_k of what is measured, but where a limit has cut an
// input of step k: then z stays.
//
// Source: docs/theory.md section 19; paper 001, section III.
#ifndef FB_FEEDBACK_OUTPUT_FEEDBACK_H
#define FB_FEEDBACK_OUTPUT_FEEDBACK_H
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/tvlqr.h"
#include "lib/discrete/kkt_matrix.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

typedef enum fb_form { FB_STATE, FB_VELOCITY, FB_POSITIONS, FB_FORMS } fb_form;
extern const char *const fb_form_names[]; // ended by NULL

typedef struct fb_output_feedback {
  fb_tvlqr f; // what runs: a schedule's, with by = &controller
  fb_controller controller;
  fb_form form;
  bool exact;
  int n, nf, nc, ny; // coordinates, forces, constraints, entries of y
  double *y_d;       // [(N+1) x ny] desired; of an exact law x_d, and what is under way. Row N is
                     // the motion's end, by positions that of N-1: no law of its own
  double *G;         // [N x nu x ny]
  double *c;         // [N x nu] planned: the input of the knot, or, of late ones, of the next
  double *impulse;   // [N x nc] the c [nc] above, of constraints
  // a run
  double *y;       // [ny] of this knot
  double *q;       // [n] of the knot before
  double *v;       // [n] the velocity there
  double *decided; // [nu] a step ago, where inputs are late or errors integrated
  double *z;       // [ni] the integrals of errors
  dm_interval *d;  // FB_POSITIONS
  bool continuous; // FB_POSITIONS: y_d has q_k-1 of the continuous motion through x_k
  double *back;    // [12 n] scratch of that
  // FB_VELOCITY, and where q lags; those of constraints:
  dm_continuous *m;
  dm_kkt *k;
  fb_constraint_tangent *tangent;
  double *r, *H; // [n] scratch; [n x n] c D2h
} fb_output_feedback;

// Make the law of a schedule (which must outlive it, and keep its K) in what is measured.
// Returns DM_OK, DM_NO_MEMORY, or what failed at a knot, with a sentence in msg.
dm_status fb_output_feedback_new(fb_output_feedback **out, const fb_tvlqr *f, const dm_system *s,
                                 fb_form form, bool exact, dm_message *msg);
void fb_output_feedback_free(fb_output_feedback *w);

// Find what is measured at knot k, into w->y: from x = (q,p) [nx], the configuration before [n], as
// it was measured (the first n of w->y; of an exact law that of its state), and the forces applied
// since [>= nf], which are not read at k = 0. Returns DM_OK or why there is no velocity. No
// allocation.
dm_status fb_output_feedback_measure(fb_output_feedback *w, int k, const double *x,
                                     const double *q_before, const double *u_before);

// The integrals w->z of knot k: of k = 0 zero; else those of the knot before, whose q is in w->q as
// it was measured, and h times its error, unless an input was cut there.
void fb_output_feedback_integrate(fb_output_feedback *w, int k, bool cut);

// The law: c - G (y - y_d) [nu] at knot k, summed from the left; without limits.
void fb_output_feedback_law(const fb_output_feedback *w, int k, const double *y, double *u);

DM_END_C
#endif
