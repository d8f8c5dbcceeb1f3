// control/codegen/codegen.h: a feedback law that becomes C for a robot: what the text is made of.
//
//   fb_momentum_new         p = M(q) v, written out     (control/codegen/momentum.h)
//   fb_codegen_new          the law in each form of measurement that is wanted
//   fb_tables_check         whether it fits into a text     (control/codegen/tables.h)
//   fb_controller_header    controller.h                    (control/codegen/controller.h)
//   fb_controller_source    controller.c
//   fb_replay_source        controller_replay.c             (control/codegen/replay.h)
//   fb_emulation_row        what the C will compute, bit for bit (control/codegen/emulation.h)
//
// The C has a function for each way there is to be measured:
//
//   state, velocity, positions   u = u_d - G (y - y_d)      (control/feedback/output_feedback.h)
//   encoders                     a Kalman filter and the law on its estimate
//                                                           (control/feedback/estimator.h)
//
// By velocity p is in the table G to first order about the plan, or, where the settings have the
// robot's tree, computed: y = (q, p), p = M(q) v by the text's own mechanics, G = K.
//
// asked at a step k, or at a time t, of a measurement that is some time old,
//
//   u = u_d(t) - G (y - y_d(t - age))
//
// y_d between knots by the cubic of q_d and its speeds at either side, p_d on the line.
#ifndef FB_CODEGEN_CODEGEN_H
#define FB_CODEGEN_CODEGEN_H
#include "control/codegen/momentum.h"
#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"

DM_BEGIN_C

// The words and numbers that a text has beside the law. Arrays are borrowed.
typedef struct fb_codegen_settings {
  const char *name;            // whose feedback it is, in a comment; NULL: a robot's
  const char *sha256;          // digest of what the law was computed from, in a comment; NULL: none
  bool single;                 // tables and arithmetic in single precision, else double
  bool rests;                  // the motion ends at rest: the last law holds for all later times
  const double *u_min, *u_max; // [nu] limits that u is cut to; NULL: none
  const char *const *coord, *const *input;   // names [n], [nu]; NULL: they are numbered
  const char *const *q_unit, *const *v_unit; // units by coordinate [n]; NULL: SI
  const char *const *p_unit, *const *u_unit; // [n], and by input [nu]; NULL: SI
  const dm_model *tree; // p = M(q) v of measured velocities is computed; NULL: it is in a table
  const double *added_inertia; // [n] of stiffly damped joints (dm_stiff_damping.added), kg or kg m2
  const double *off_q,
      *off_v;        // [n] how far off the plan the range of u is told for; NULL: it is not
  const double *lag; // [n] of their positions (dm_stiff_damping.lag), s; NULL each: none
} fb_codegen_settings;

fb_codegen_settings fb_codegen_default(void);

// The ways there are to be measured: fb_form, then the filter's encoders.
enum { FB_ENCODERS = FB_FORMS, FB_WAYS };

typedef struct fb_codegen {
  fb_output_feedback *law[FB_FORMS]; // those that are written, in linear form; NULL: not
  const fb_estimator *estimator;     // borrowed; by encoders, on law[FB_STATE]; NULL: none
  double *v_d;                       // [(N+1) x n] the plan's speeds where y has none; else NULL
  double *off_p;                     // [n] what off_v comes to in p, where there is an off_v
  fb_momentum *momentum;             // p = M(q) v; NULL: the text has none
  fb_codegen_settings set;
} fb_codegen;

// Make the law of a schedule in the forms that are wanted.
//   f          the schedule, at the controller's rate; it must outlive out
//   s          the system that it is of
//   form       which forms [FB_FORMS], one at least; with an estimator FB_STATE is one of them
//   estimator  NULL: without encoders
// Returns DM_OK, DM_NO_MEMORY, DM_UNAVAILABLE where p = M(q) v cannot be written of this tree, or
// what failed at a knot, with a sentence in msg and *out NULL.
// Cost: the derivatives of one step a knot and form.
dm_status fb_codegen_new(fb_codegen **out, const fb_tvlqr *f, const dm_system *s,
                         const bool form[FB_FORMS], const fb_estimator *estimator,
                         const fb_codegen_settings *set, dm_message *msg);
void fb_codegen_free(fb_codegen *c); // NULL is accepted

// Whether a way is written; its name; the numbers measured.
bool fb_codegen_has(const fb_codegen *c, int way);
const char *fb_codegen_way(int way);
int fb_codegen_width(const fb_codegen *c, int way);

// Whether a way watches its envelope: its functions take a guard, and return whether the law is lost.
bool fb_codegen_watches(const fb_codegen *c, int way);

// Whether a way's p is computed from what is measured.
bool fb_codegen_computes_momentum(const fb_codegen *c, int way);

// What is common to all forms: any of them.
const fb_output_feedback *fb_codegen_any(const fb_codegen *c);

// A number as the text has it: itself, or the nearest float.
double fb_codegen_rounded(const fb_codegen *c, double x);

// A parameter of a function of the text.
typedef struct fb_codegen_parameter {
  const char *name, *cell; // in C, and before a coordinate's name in a trace: "before", "before.q."
  int n;                   // how many numbers
  const char *what;        // what they are, in words
  const char *const *of, *const *unit; // names and units by coordinate or input; NULL: none
  const int *which;                    // [n] of the coordinates; NULL: all in turn
} fb_codegen_parameter;
enum { FB_MAX_PARAMETERS = 5 };

// What a way's function is given, in order: the entries of y, one parameter after the other.
// Returns how many there are.
int fb_codegen_parameters(const fb_codegen *c, int way,
                          fb_codegen_parameter list[FB_MAX_PARAMETERS]);

DM_END_C
#endif
