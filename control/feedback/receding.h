// control/feedback/receding.h: receding-horizon control by the discrete map, in place of the gains of
// a law. At each knot k, with the state (q,p) that the law finds from its measurements,
//
//   minimize  sum over j < stages of (dx_j'Q dx_j + du_j'R du_j)/2 + dx_s'P dx_s/2
//   subject to  p_j + D1(q_j,q_j+1,u_j) = 0   p_j+1 = D2(q_j,q_j+1,u_j)   u_min <= u_j <= u_max
//
// relative to the plan, with the weights of the gains and their cost-to-go P at the horizon's end. A
// call takes one Newton step of it from the motion of the last call: A and B are those of that
// motion, and the defects of its steps enter as constants. Bounds of inputs are kept exactly by an
// active-set method; a coordinate beyond its bound costs soft (q - bound)^2/2. Where no bound acts
// and the motion is the plan, the input is that of the gains.
//
// Near the plan's end the horizon is the rest of the plan, unless this ends at rest, which goes on. In
// place of the plan it can follow a reference: constant, of a table, or of the caller; the first
// motion is that of the plan also then.
//
// The code is that of a robot: control/onboard/horizon.c, sweep.c, interval.c, curvature.c.
//
// Source: docs/theory.md section 36; [diehl-2005], [hintermueller-2003] in docs/sources.md.
#ifndef FB_FEEDBACK_RECEDING_H
#define FB_FEEDBACK_RECEDING_H
#include "control/feedback/measured_law.h"

DM_BEGIN_C

struct tree_tables;
struct fb_ball_tables;

typedef struct fb_receding {
  int stages;                  // of the horizon, >= 1
  int sweeps;                  // most backward sweeps of a call, >= 1
  const double *u_min, *u_max; // [nu] copied; NULL: no limits
  const double *q_min, *q_max; // borrowed [n] bounds of coordinates, INFINITY: none; NULL: none
  const double *soft;          // borrowed [n] cost beyond them, > 0
  const double *v_max;  // borrowed [n] bounds of mean speeds in steps, INFINITY: none; NULL: none
  const double *soft_v; // borrowed [n] cost beyond them, > 0
  const double *P_end;  // borrowed [nx x nx] at a horizon's end; NULL: P of the gains there
  // borrowed [knots x nx], [knots x nu] the reference, whose last rows go on; NULL: the plan
  const double *y, *u;
  int knots;
  bool rests; // the plan ends at rest, which goes on: calls beyond its end are those of the rest
  bool asks;  // the caller may set the reference: fb_horizon.ask
  bool late;  // the input of a call acts from the next knot on
  int period; // steps after which the plan repeats: the schedule is longer by a horizon, and calls go on beyond
      // it; 0: it does not
  const double *travel; // borrowed [n] of a period
  const struct track_tables
      *track; // borrowed: outputs in addition (control/feedback/track.h); NULL: none
  const struct fb_ball_tables *balls; // borrowed: the tables of a robot with ball joints
      // (control/feedback/ball_tables.h), of these settings; NULL: without ball joints
  bool single; // in single precision
} fb_receding;

// From now on the law w, which is exact or of the state, has the tree of a robot's steps
// (control/feedback/mechanics.h) and acts at its knots, is receding-horizon control. w->horizons
// counts its calls of a run. Returns DM_OK; DM_UNAVAILABLE with a sentence that names the
// unsupported part: late inputs, integrals of errors, a law by the path, an envelope, rate limits;
// DM_NO_MEMORY. Allocates; its calls do not. Cost of a call: per stage the second derivatives of
// the tree, O(n depth), and per sweep and stage about 4 nx^3.
dm_status fb_receding_start(fb_output_feedback *w, const fb_receding *o, dm_message *msg);

// The state on board that a horizon takes, into w->y, from the measurement of w there (q, then p, v, or q
// of a step before), and the forces since.
void fb_receding_measure(fb_output_feedback *w, int k, const double *q, const double *second,
                         const double *force);

// The gains K [N x nu x nx] of a schedule whose inputs are a step late for inputs that are not: those of
// its cost-to-go. Returns DM_OK, DM_NO_MEMORY, or DM_NOT_DEFINITE; allocates scratch.
dm_status fb_receding_prompt_gains(const fb_tvlqr *f, double *K);

// The costs and gains of a schedule `to` that fb_resample_new made of f: each of its steps has the weights of a
// step of f, so that its cost-to-go at the end is that of f times the ratio of their lengths.
//   Q   out: [(N + 1) x nx x nx], the weights of f at its last knot before, if they vary; else unchanged
//   K   out: [N x nu x nx] for inputs without a delay; P out: [(N + 1) x nx x nx]
// Returns DM_OK, DM_NO_MEMORY, or DM_NOT_DEFINITE; allocates scratch.
dm_status fb_receding_sampled_gains(const fb_tvlqr *f, const fb_tvlqr *to, double *Q, double *K,
                                    double *P);

// y [(count + 1) x nx] and u [count x nu] of a reference by positions q [count x nx/2] at the steps of
// a law with the tree M: momenta and inputs of the map, which balance each knot as far as they can, with the
// least u'R u, R [nu] > 0; then rest. Quaternions become unit ones. Errors of p and u: O(h^2). Returns DM_OK or DM_NO_MEMORY; allocates scratch.
dm_status fb_receding_reference(const struct tree_tables *M, const double *R, int count,
                                const double *q, double *y, double *u);

// u [nu] of knot k from the last measurement of such a law, w->y, at its time w->t - w->age; counted in
// w->horizons.
void fb_receding_decide(fb_output_feedback *w, int k, double *u);

DM_END_C
#endif
