// control/codegen/codegen.h: a feedback law as C for a robot: the parts of the generated text.
//
//   fb_codegen_new          the law in each requested form of measurement
//   fb_tables_check         checks that it fits into a text     (control/codegen/tables.h)
//   fb_controller_header    controller.h                    (control/codegen/controller.h)
//   fb_controller_source    controller.c
//   fb_replay_source        controller_replay.c             (control/codegen/replay.h)
//   fb_emulation_row        the results of the C code, bit for bit (control/codegen/emulation.h)
//
// The C has one function per form of measurement:
//
//   state, velocity, positions,  u = u_d - G (y - y_d)      (control/feedback/output_feedback.h)
//   difference
//   encoders                     a Kalman filter and the law on its estimate
//                                                           (control/feedback/estimator.h)
//
// By difference the text finds v from positions, and has the tables of velocities.
//
// p is in the table G to first order about the plan, or, if the schedule has the robot's tree,
// computed: y = (q, p), p = M(q) v or D2 by the on-board mechanics (control/feedback/mechanics.h),
// G = K. By positions the tree must have the parts of a step.
//
// Called at a step k, or at a time t with a measurement of some age, it computes
//
//   u = u_d(t) - G (y - y_d(t - age))
//
// y_d between knots is the cubic of q_d and its speeds at both ends, p_d is linear.
#ifndef FB_CODEGEN_CODEGEN_H
#define FB_CODEGEN_CODEGEN_H
#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"

DM_BEGIN_C

// The labels and settings of a text in addition to the law. Arrays are borrowed.
typedef struct fb_codegen_settings {
  const char *name;            // name of the robot, in a comment; NULL: "a robot"
  const char *prefix;          // of all names and files, an identifier; NULL: "controller"
  const char *end;             // of the names of tables, for a text with several laws; NULL: ""
  const char *sha256;          // digest of the law's inputs, in a comment; NULL: none
  bool single;                 // tables and arithmetic in single precision, else double
  bool rests;                  // the motion ends at rest: the last law holds at all later times
  const double *u_min, *u_max; // [nu] limits for u; NULL: none
  const char *const *coord, *const *input;   // names [n], [nu]; NULL: numbered
  const char *const *q_unit, *const *v_unit; // units by coordinate [n]; NULL: SI
  const char *const *p_unit, *const *u_unit; // [n], and by input [nu]; NULL: SI
  const double *added_inertia; // [n] for stiffly damped joints (dm_stiff_damping.added), kg or kg
                               // m2
  const double *off_q,
      *off_v;        // [n] deviations from the plan for which the range of u is stated; NULL: not
                     // stated
  const double *lag; // [n] of their positions (dm_stiff_damping.lag), s; NULL each: none
} fb_codegen_settings;

fb_codegen_settings fb_codegen_default(void);

// The forms of measurement: fb_form, then the filter's encoders.
enum { FB_ENCODERS = FB_FORMS, FB_WAYS };

typedef struct fb_codegen {
  fb_output_feedback *law[FB_FORMS]; // the requested laws, in linear form; NULL: not requested
  const fb_estimator *estimator;     // borrowed; for encoders, applied to law[FB_STATE]; NULL: none
  double *v_d;                       // [(N+1) x n] the plan's speeds if y does not have them; else
                                     // NULL
  double *off_p;                     // [n] deviation in p that off_v causes, if there is an off_v
  fb_codegen_settings set;
} fb_codegen;

// Make the law of a schedule in the requested forms.
//   f          the schedule, at the controller's rate; it must outlive out
//   s          the system of the schedule
//   form       requested forms [FB_FORMS], at least one; an estimator requires FB_STATE
//   estimator  NULL: without encoders
// Returns DM_OK, DM_NO_MEMORY, or the status of the knot that failed, with a sentence in msg and
// *out NULL.
// Cost: the derivatives of one step per knot and form.
dm_status fb_codegen_new(fb_codegen **out, const fb_tvlqr *f, const dm_system *s,
                         const bool form[FB_FORMS], const fb_estimator *estimator,
                         const fb_codegen_settings *set, dm_message *msg);
void fb_codegen_free(fb_codegen *c); // NULL is accepted

// Whether a form is written; its name; how many numbers it measures.
bool fb_codegen_has(const fb_codegen *c, int way);
const char *fb_codegen_way(int way);
int fb_codegen_width(const fb_codegen *c, int way);

// Whether a form monitors its envelope: its functions take a guard, and return whether the law is
// lost.
bool fb_codegen_watches(const fb_codegen *c, int way);

// The name of a form's tables; and whether another form that is written has the same tables.
const char *fb_codegen_law(int form);
bool fb_codegen_shares_law(const fb_codegen *c, int form);

// Whether a form computes p from measurements; the tree by which it or a filter's prediction is
// computed, NULL: none is; and whether any of these take steps.
bool fb_codegen_computes_momentum(const fb_codegen *c, int way);
const struct tree_tables *fb_codegen_tree(const fb_codegen *c);
bool fb_codegen_steps(const fb_codegen *c);

// The law of a form that compensates dry friction; NULL: none does.
const fb_output_feedback *fb_codegen_rubbed(const fb_codegen *c);

// The law of a form that cuts its input to torque-speed lines; NULL: none does.
const fb_output_feedback *fb_codegen_lined(const fb_codegen *c);

// The law of any form, for properties common to all forms.
const fb_output_feedback *fb_codegen_any(const fb_codegen *c);

// A number as printed in the text: itself, or the nearest float.
double fb_codegen_rounded(const fb_codegen *c, double x);

// A parameter of a function of the text.
typedef struct fb_codegen_parameter {
  const char *name, *cell; // in C, and before a coordinate's name in a trace: "before", "before.q."
  int n;                   // number of entries
  const char *what;        // description
  const char *const *of, *const *unit; // names and units by coordinate or input; NULL: none
  const int *which;                    // [n] of the coordinates; NULL: all in order
} fb_codegen_parameter;
enum { FB_MAX_PARAMETERS = 6 };

// The entries of a form's y in order, parameter by parameter; and the parameters of its function,
// from which it computes them. Each returns their number.
int fb_codegen_entries(const fb_codegen *c, int way, fb_codegen_parameter list[FB_MAX_PARAMETERS]);
int fb_codegen_parameters(const fb_codegen *c, int way,
                          fb_codegen_parameter list[FB_MAX_PARAMETERS]);

// How a function is called: by step k, by a time and an age, or also by how long u will be held.
typedef enum fb_head { FB_BY_STEP, FB_BY_TIME, FB_BY_HOLD, FB_HEADS } fb_head;

DM_END_C
#endif
