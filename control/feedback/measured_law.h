// control/feedback/measured_law.h: a law that acts on a robot's measurements, and the state of its
// run. control/feedback/output_feedback.h makes and evaluates it.
#ifndef FB_FEEDBACK_MEASURED_LAW_H
#define FB_FEEDBACK_MEASURED_LAW_H
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/full_turn.h"
#include "control/feedback/rate_limit.h"
#include "control/feedback/tvlqr.h"
#include "lib/discrete/kkt_matrix.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

struct fb_onboard;
struct fb_horizon;

typedef enum fb_form { FB_STATE, FB_VELOCITY, FB_POSITIONS, FB_DIFFERENCE, FB_FORMS } fb_form;
extern const char *const fb_form_names[]; // terminated by NULL

typedef struct fb_output_feedback {
  fb_tvlqr f; // the schedule as it runs, with by = &controller
  fb_controller controller;
  fb_form form;
  bool exact;
  int N;             // rows of the tables, the schedule's steps; f.N of them run
  int n, nf, nc, ny; // coordinates, forces, constraints, entries of y
  int kept, kept_at; // ni + nl of y from kept_at on: states beside the robot's, 0 on the plan
  double *y_d;       // [(N+1) x ny] desired; for an exact law x_d, and the input under way. Row N
                     // is the end of the motion, without a law of its own
  double *G;         // [N x nu x ny]
  int nm;            // entries of y that are measured, if dx'P dx is monitored; else 0
  double *P;  // [N x nm (nm + 1) / 2] J'PJ, lower triangle by rows, off-diagonal entries doubled
  double *PJ; // [2 nm nm] scratch
  double *c;  // [N x nu] planned: the knot's input, or, for late inputs, the next knot's
  bool compensates; // dry friction (f.friction); c does not contain it
  double *mass,
      *ahead;  // [N x nu] for it: force per speed that stops a joint within a step; planned
               // mean speed in the step
  double *v_d; // [(N+1) x n] the plan's speeds, if y_d does not have them and calls may be off the
               // knots
  double *impulse; // [N x nc] the c [nc] of p = L_v + Dh'c, for constraints
  // the tables as the on-board code reads them (control/onboard/types.inc)
  int *turns;                 // [ny] 1: an angle whose errors are taken modulo 2 pi
  double *u_step;             // [nu] maximum change of an input per step, if its rate is limited
  double *unlimited;          // [2 nu] the smallest and the largest number
  struct fb_horizon *horizon; // receding-horizon control in place of the gains; NULL: none
  fb_horizon_record horizons;
  bool waits;     // its inputs act a step after they are decided
  double *limits; // [2 nu] its limits of inputs
  struct fb_onboard *board;
  struct fb_onboard *whole;    // the one that it was made with
  const fb_envelope *envelope; // those that it was made with
  const double *rate_limit;
  // state of a run
  double *y;       // [ny] at this knot
  double *q;       // [n] at the previous knot
  double *v;       // [n] the velocity at this knot
  double *decided; // [nu] the input that starts now, if inputs are late
  int at;          // the knot whose gains acted
  double *near;    // [2n] weights of y that define the nearest knot; NULL: by time
  // on an orbit (control/feedback/across.h): slopes by the knot [(N+1) x ny], [N x nu], sections [(N+1) x ny], travel [ny]
  double *slope, *slope_u, *section, *travel;
  bool told;       // the times of the next measurement are set:
  double next[2];  // time of its call and its age [s]
  double t, age;   // the same for the last measurement [s]
  bool timed;      // that measurement is off the knots:
  double *then;    // [ny] y_d at the time of the measurement, by positions
  double *mean;    // [nu] mean planned input from the call on
  bool looked;     // FB_POSITIONS: the measurement one step before is set
  double *earlier; // [2n] its (q,p)
  double *acted;   // [N x nf] applied forces from each call on
  double *since;   // [N] times of the calls [s]
  double *force;   // [nf] forces in the step before the measurement, their mean off the knots
  double *before;  // [n] for an exact law by positions: the q that it took as one step before
  double *z;       // [ni + nl] the kept states (control/feedback/kept_states.h)
  fb_excursion excursion;
  dm_interval *d;  // FB_POSITIONS
  bool continuous; // FB_POSITIONS: y_d has q_k-1 from the continuous motion through x_k
  double *back;    // [12 n] scratch for it
  bool has_speeds; // v_d exists
  // for velocities, and if q lags; with constraints:
  dm_continuous *m;
  dm_kkt *k;
  fb_constraint_tangent *tangent;
  double *r, *H; // [n] scratch; [n x n] c D2h
} fb_output_feedback;

DM_END_C
#endif
