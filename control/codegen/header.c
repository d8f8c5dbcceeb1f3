#include "control/codegen/controller.h"

#include "control/codegen/head.h"
#include "control/codegen/lines.h"
#include "control/codegen/operations.h"
#include "control/codegen/range.h"
#include "control/codegen/tables.h"
#include "control/onboard/onboard.h"

#include "config.h"

#include <math.h>

// -- text of comments

// the name of a coordinate or an input; its number if it has no name
static void put_comment_name(FILE *f, const char *const *name, int i) {
  if (name)
    fb_lines_word(f, name[i]);
  else
    fprintf(f, "%d", i);
}

void fb_controller_parameter(FILE *f, const fb_codegen_parameter *p) {
  fprintf(f, "//   %s [%d]: %s\n", p->name, p->n, p->what);
  for (int i = 0; i < p->n; i++) {
    // entries that are numbered coordinates, or all in order
    int at = p->which ? p->which[i] : i;
    fprintf(f, "//     [%d] ", i);
    put_comment_name(f, p->of, at);
    fputs(", ", f);
    fb_lines_unit(f, p->unit ? p->unit[at] : "SI");
    fputc('\n', f);
  }
}

void fb_controller_origin(FILE *f, const fb_codegen *c, const char *file) {
  fputs("// ", f);
  fb_lines_put(f, c->set.prefix, file);
  fputs(": feedback for ", f);
  fb_lines_word(f, c->set.name ? c->set.name : "a robot");
  fprintf(f, ", written by dmoc %s.\n", DMOC_VERSION);
  if (!c->set.sha256) return;
  fputs("// Inputs' SHA-256: ", f);
  fb_lines_word(f, c->set.sha256);
  fputc('\n', f);
}

// -- controller.h

// indexed by whether inputs are late
static const char *const filter_words[] = {
    "// By encoders alone, a Kalman filter estimates the rest, z = (q, p) less the plan:\n//\n"
    "//   z <- z + L (encoder - q_d - z)     u = u_d - G z     z <- A z + B (u - u_d)\n//\n"
    "// It is called once a knot, k = 0, 1, ..., and goes on with the u that it returns: apply "
    "that "
    "u.\n// The caller keeps z; each robot has its own.\n//\n",
    "// By encoders alone, a Kalman filter estimates the rest, z = (q, p) less the plan:\n//\n"
    "//   z <- z + L (encoder - q_d - z)     u = u_d - G (z, now - now_d)\n"
    "//   z <- A z + B (now - now_d)\n//\n"
    "// It is called once a knot, k = 0, 1, ..., and goes on with the input under way, now.\n"
    "// The caller keeps z; each robot has its own.\n//\n"};

// torques of motors with a lag, which the filter has as well
static void tell_motors(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  if (e && e->f->nl)
    fputs("// z ends with the torques of motors with a lag, less the plan's: they follow from u "
          "alone.\n//\n",
          f);
}

// input disturbances, which the filter also estimates
static void tell_disturbances(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  if (!e || !e->nd) return;
  fputs("// What acts beside inputs follows in z, and is taken off them: u_d - d in the place of "
        "u_d, d "
        "beside\n// ",
        f);
  for (int j = 0; j < e->nd; j++) {
    if (j) fputs(", ", f);
    put_comment_name(f, c->set.input, e->disturbed[j]);
  }
  fputs(".\n//\n", f);
}

// how a state (q,p) represents joints whose damping decays within a step
static void tell_lags(FILE *f, const fb_codegen *c) {
  const fb_codegen_settings *set = &c->set;
  for (int i = 0; set->added_inertia && i < fb_codegen_any(c)->n; i++) {
    if (set->added_inertia[i] == 0) continue;

    // p = L_v + added v, and Q = q + lag v
    fputs("// Where (q,p) is measured: for ", f);
    put_comment_name(f, set->coord, i);
    if (set->lag)
      fprintf(f, ", damped stiffly, q is less its position by %.17g s times its speed, and",
              set->lag[i]);
    fprintf(f, " p is of an inertia\n// more by %.17g than the robot's.\n", set->added_inertia[i]);
  }
}

// number of knots with different laws: the rows of the longest table
static int count_laws(const fb_codegen *c) {
  // equal rows at a table's end count as one
  fb_table list[FB_MAX_TABLES];
  int count = fb_tables_list(c, list), differ = 1;
  for (int i = 0; i < count; i++) {
    int rows = (int)fb_tables_rows(c, &list[i]);
    if (rows > differ) differ = rows;
  }
  return differ;
}

// the angles that are compared modulo 2 pi
static void tell_turns(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);
  bool first = true;
  for (int i = 0; w->f.turns && i < w->n; i++) {
    if (!w->f.turns[i]) continue;
    fputs(first ? "// Whole turns are no error of: " : ", ", f);
    put_comment_name(f, c->set.coord, i);
    first = false;
  }
  fputs(first ? "// Angles are not wrapped" : ".\n// Other angles are not wrapped", f);
  fputs(" nor quaternions' signs changed: they are as along the plan.\n", f);
}

// whether a form that is written computes p
static bool computes(const fb_codegen *c, int form) {
  return c->law[form] && fb_codegen_computes_momentum(c, form);
}

// the law, its times, and its behavior before and after them
static void tell_law(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const int differ = count_laws(c);

  // the law and its times: sample k acts from k h on, a late one a step later
  fprintf(
      f,
      "//\n//   u = u_d - G (y - y_d)\n//\n"
      "// Feedback is subtracted. y is what is measured at knot k, t = k h, h = %.17g s; u is held "
      "from %s.\n// Steps k = 0 .. %d; a k beyond has the law of the nearest. ",
      // u_k acts from t_k on; if late, one step later
      s->h, s->late ? "t + h to t + 2 h" : "t to t + h", s->N - 1);

  if (computes(c, FB_VELOCITY) || computes(c, FB_DIFFERENCE))
    fb_lines_put(
        f, c->set.prefix,
        "By velocity y = (q, p),\n// p = M(q) v of the measured q and v (controller_momentum). ");
  if (computes(c, FB_POSITIONS))
    fputs("By positions y = (q, p),\n// p = D2(before, q, force) of the step from before to q. ",
          f);

  // after the last step: an equilibrium has one law for all times
  if (c->set.rests && differ == 1 && s->N > 1)
    fputs("The law is one and the same: it holds for all times.\n// ", f);
  else if (c->set.rests && differ < s->N)
    fprintf(f, "From k = %d on it is the same: it holds for all times.\n// ", differ - 1);

  // its behavior at limits, and with measurements that are not finite
  fprintf(f,
          "u is cut to its limits,\n// and is a number within them whatever it is called with.\n"
          "// Where a measurement is not finite %s.\n",
          c->estimator ? "the filter goes on without it, and a law without a filter as planned"
                       : "u is that of the plan");
  if (fb_codegen_lined(c))
    fputs(
        "// Functions of measured velocities also cut u to the torque-speed lines of the motors.\n",
        f);
  tell_turns(f, c);
  fputs("// Coordinates and inputs are positive as in the robot's file; units are SI.\n//\n", f);
}

// when it may be called
static void tell_calls(FILE *f, const fb_codegen *c) {
  if (fb_codegen_any(c)->near) return;
  fputs(
      "// Calls by k are taken as on time: what is measured is compared with the plan at t = k h, "
      "whenever it was\n// measured. No call leaves anything behind",
      f);
  if (fb_codegen_any(c)->f.envelope) fputs(", but in its guard that the law is lost", f);
  if (fb_codegen_any(c)->f.rate_limit) fputs(", but what was given last", f);
  if (c->law[FB_DIFFERENCE]) fputs(", but the positions of the last one", f);

  // an estimate must be propagated from knot to knot
  fb_lines_put(f, c->set.prefix,
               c->estimator
                   ? " but controller_encoders: that is called once for each k, in turn, where a "
                     "knot was\n// missed with encoders that are not finite. Any other call may "
                     "be repeated or left out, with its own k.\n"
                   : ": any may be repeated or left out, with its own k.\n");

  // calls by time
  fputs("//\n//   _at    u = u_d(t) - G (y - y_d(t - age))\n//\n"
        "// takes calls at any time t, s since k = 0, early or late, with the age of what is "
        "measured, s. y_d is the\n// plan of then, between knots by a cubic; u_d its mean over "
        "h from t on: u is meant to be held for about\n// that. At t = k h and age 0 it is the "
        "call by k. Before the start and after the end of the motion it is\n// compared with "
        "these; an age below 0 is 0. Where age is not finite u is that of the plan, where t is "
        "not, of its\n// start or end.\n"
        "//\n//   _hold  u = mean of u_d over t to t + hold - G (y - y_d(t - age))\n//\n"
        "// also takes for how long u will be held, s: calls at another period than h give the "
        "input of the plan.\n// G remains that of h. A hold below 0 is 0, one above 63 h is 63 h, "
        "and h if it is not a number.\n// The ranges below are of holds up to h.\n",
        f);
  if (c->law[FB_POSITIONS])
    fputs(
        "// By positions age is that of q; before was read h earlier, force is the mean between.\n",
        f);
  fputs("//\n", f);
}

// its resources
static void tell_cost(FILE *f, const fb_codegen *c) {
  fb_lines_print(
      f, c->set.prefix,
      "// Tables: %ld bytes in %s precision. Stack: at most %d bytes. No memory is allocated "
      "and none is kept.\n"
      "// On IEEE arithmetic of that precision, products not fused with sums, it gives bit for "
      "bit what dmoc\n// computes: -ffp-contract=off (controller.c asks for it, too), no "
      "-ffast-math, on old x86 -mfpmath=sse.\n// controller_replay.c holds it against "
      "controller_trace.csv.\n",
      fb_tables_bytes(c), c->set.single ? "single" : "double", fb_tables_stack(c));
}

// p = M(q) v
static void declare_momentum(FILE *f, const fb_codegen *c) {
  const int n = fb_codegen_any(c)->n;
  const fb_codegen_settings *set = &c->set;
  const fb_codegen_parameter of[] = {
      {"q", "", n, "configuration", set->coord, set->q_unit, NULL},
      {"v", "", n, "velocity", set->coord, set->v_unit, NULL},
      {"p", "", n, "momentum L_v(q,v)", set->coord, set->p_unit, NULL}};

  fputs("\n// p = M(q) v of this robot.\n//\n", f);
  for (int i = 0; i < 3; i++) fb_controller_parameter(f, &of[i]);
  fb_lines_print(
      f, c->set.prefix,
      "void controller_momentum(const controller_real q[%d], const controller_real v[%d],\n"
      "                         controller_real p[%d]);\n",
      n, n, n);
}

// -- the parts of a law, for its caller

static void declare_slew(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  fputs("\n// From one call to the next an input changes by no more than\n//\n", f);

  // the rate limits
  for (int i = 0; i < s->nu; i++)
    if (isfinite(s->rate_limit[i])) {
      fprintf(f, "//   %.6g ", s->rate_limit[i]);
      fb_lines_unit(f, c->set.u_unit ? c->set.u_unit[i] : "SI");
      fprintf(f, " a second of u[%d]\n", i);
    }

  // data that the caller keeps
  fb_lines_print(
      f, c->set.prefix,
      "//\n// of what was given last, which the caller keeps, each robot its own; at the first "
      "call that is the plan's. By\n// k a call may use what a whole step may, and is made "
      "once; by t what the time since the last call may, at\n// most that of a step, and that of "
      "a step where time has gone back. Apply the u that is given.\n"
      "typedef struct controller_output {\n"
      "  controller_real u[%d];\n  controller_real t;\n"
      "  int begun; // 0 or 1\n"
      "  int cut;   // 0 or 1: where the limit has changed u\n"
      "} controller_output;\n\n"
      "// A motion begins: nothing was given yet.\n"
      "void controller_start(controller_output *last);\n\n",
      s->nu);
}

// whether some coordinate has a bound
static bool bounds_positions(const fb_output_feedback *w) {
  bool some = false;
  for (int i = 0; i < w->n; i++) some |= isfinite(w->f.envelope->bound[i]) != 0;
  return some;
}

// whether the fallback uses measured velocities
static bool brakes(const fb_tvlqr *f) {
  for (int i = 0; i < f->nu; i++)
    if (f->envelope->damping[i] != 0) return true;
  return false;
}

static void declare_envelope(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const fb_codegen_settings *set = &c->set;
  const fb_envelope *e = w->f.envelope;

  // when the law is lost, and the fallback
  fputs("\n// The law is lost once ", f);
  if (bounds_positions(w)) fputs("a place that is measured is further from the plan than\n//\n", f);
  for (int i = 0; i < w->n; i++)
    if (isfinite(e->bound[i])) {
      fprintf(f, "//   %.6g ", e->bound[i]);
      fb_lines_unit(f, set->q_unit ? set->q_unit[i] : "SI");
      fprintf(f, " of q[%d]\n", i);
    }
  if (w->nm && bounds_positions(w)) fputs("//\n// or once ", f);
  if (w->nm)
    fprintf(f,
            "what is left to pay for the way back, x'P x, is more than %.6g: x is (q, p) less the "
            "plan's, as it follows\n// from what is measured, P the Riccati matrix of the gains. "
            "By time P is that of the knot before.\n",
            e->cost);
  fputs("//\n// Its functions return 0 before; 1 from then on, with ", f);
  if (!brakes(&w->f)) fputs("u = 0", f);
  for (int i = 0, first = 1; i < w->f.nu; i++)
    if (e->damping[i] != 0) {
      fprintf(f, "%su[%d] = -%.6g v[%d]", first ? "" : ", ", i, e->damping[i], e->along[i]);
      first = 0;
    }
  fputs(brakes(&w->f) ? " and 0 of other inputs" : "", f);
  fb_lines_put(
      f, c->set.prefix,
      ", cut to limits, until the\n// guard is reset: what is lost stays lost, wherever the robot "
      "goes. The caller keeps the guard, each robot its\n// own, and resets it before the first "
      "call. What else is to be done then, as to close a brake, is the caller's.\n"
      "typedef struct controller_guard {\n  int lost; // 0 or 1\n} controller_guard;\n\n"
      "void controller_reset(controller_guard *guard);\n\n");
}

static void declare_orbit(FILE *f, const fb_codegen *c) {
  fb_lines_print(
      f, c->set.prefix,
      "\n// u = u_d(s) - G(s) (y - y_d(s)) at the phase s of y: the fraction of a step between two "
      "knots at which a\n"
      "// section of the orbit contains y. The first call finds the nearest of all %d knots, later "
      "calls the nearest\n"
      "// within %d knots of the last one. Time has no effect: the law does not oppose deviations "
      "along the orbit.\n"
      "// Call it once per step h, for ever; coordinates that travel go on. It drives a robot that "
      "does not move\n"
      "// without an end: the caller limits that time. The caller keeps the phase, one per robot.\n"
      "typedef struct controller_path {\n  int at;    // a knot\n  int lap;   // periods since the "
      "first\n"
      "  int begun; // 0 or 1\n} controller_path;\n\n"
      "// A motion begins.\nvoid controller_enter(controller_path *path);\n\n",
      fb_codegen_any(c)->f.N, FB_NEARBY);
}

static void declare_path(FILE *f, const fb_codegen *c) {
  if (fb_codegen_any(c)->f.sections) {
    declare_orbit(f, c);
    return;
  }
  fb_lines_print(
      f, c->set.prefix,
      "\n" FB_PATH_RULE "Call it once per step h. The law waits for a robot\n// that is held back, "
      "and drives a robot that does not move without an end: the caller limits "
      "that time.\n// The caller keeps the knot, one per robot.\n"
      "typedef struct controller_path {\n  int at;    // a knot\n  int begun; // 0 or 1\n} "
      "controller_path;\n\n"
      "// A motion begins.\nvoid controller_enter(controller_path *path);\n\n",
      FB_MOST_KNOTS);
}

// the states that the caller keeps
static void declare_kept(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  if (s->ni)
    fputs("\n// integral is 0 at k = 0, and the caller's to keep. After each step's u: to the next "
          "knot, with the q that\n// was measured, integral + h (q - q_d); where u is at a limit, "
          "or q "
          "not finite, it stays.\n",
          f);
  if (s->ni && s->rate_limit)
    fputs("// So it does where the rate of u was limited, as `last` says.\n", f);
  if (s->nl)
    fputs("\n// motor is 0 at k = 0, and the caller's to keep. After each step's u, as it was "
          "applied: "
          "to the next knot,\n// motor + share (u - u_d - motor), the torque of a motor with a lag "
          "less the plan's. A caller that measures the\n// torque may give that instead.\n",
          f);
  fb_head_integrate(f, c, false);
  fputs(";\n", f);
  if (fb_codegen_any(c)->near) return;
  fputs(s->ni ? "// After a call by time: q_d of t - age. Once a step.\n"
              : "// After a call by time. Once a step.\n",
        f);
  fb_head_integrate(f, c, true);
  fputs(";\n", f);
}

static void declare_rates(FILE *f, const fb_codegen *c) {
  const int n = fb_codegen_any(c)->n;
  fb_lines_print(
      f, c->set.prefix,
      "\n// By difference v = (q - q of the last call) / the time between both measurements; at "
      "the "
      "first call v of the plan.\n// That time is the hold of the last call, h without one, or the "
      "difference of both times t where it is\n// another, and by k h a step, less the growth of "
      "the age. v stays if q is not finite, or not newer. The caller keeps\n// the last "
      "measurement, each robot its own.\n"
      "typedef struct controller_rates {\n  controller_real q[%d];\n  controller_real v[%d];\n"
      "  controller_real t;\n  controller_real age;\n  controller_real hold;\n"
      "  int begun; // 0 or 1\n} controller_rates;\n\n"
      "// A motion begins: nothing was measured yet.\n"
      "void controller_forget(controller_rates *rates);\n\n",
      n, n);
}

static void declare_filter(FILE *f, const fb_codegen *c) {
  const int nx = fb_codegen_any(c)->f.nx, nz = c->estimator->nz; // (q,p); all states of the filter
  const bool lags = c->estimator->nx > nx;
  const bool gates = fb_estimator_gates(c->estimator);
  fb_lines_print(
      f, c->set.prefix,
      "\n// The estimate: %d of q, then %d of p%s, in the units above; by time also when that "
      "is, and the last inputs.\n"
      "typedef struct controller_filter {\n  controller_real z[%d];\n"
      "  controller_real t;\n  controller_real since;\n  controller_real u[%d];\n  "
      "controller_real before[%d];\n  int calls;\n",
      nx / 2, nx / 2,
      lags      ? ", then the torques of motors with a lag less the plan's"
      : nz > nx ? ", then what acts beside inputs"
                : "",
      nz, fb_codegen_any(c)->f.nu, fb_codegen_any(c)->f.nu);
  if (gates) fprintf(f, "  int missed[%d];\n", c->estimator->ny);
  fb_lines_print(
      f, c->set.prefix,
      "} controller_filter;\n\n"
      "// A motion begins: nothing is known but its plan.\n"
      "void controller_begin(controller_filter *filter);\n\n"
      "// By time a reading is one of t - age: the estimate goes on to then, and from there to t, "
      "under what was given\n// or was under way. Calls may come at any times, one after the "
      "other; a reading no newer than the last one\n// changes nothing, also where time goes "
      "back. To either it goes on by %d steps at most.\n// An estimate that overflows is given up: "
      "z "
      "= 0. A motion is called by k or by time.\n",
      FB_MOST_PARTS);
  if (gates)
    fprintf(f,
            "// A reading that is further from what the filter expects than %g standard deviations "
            "is left out, but\n// for the sixth in a row of the same encoder, and on until one is "
            "near again.\n",
            c->estimator->set.gate);
}

// the functions, each after its parameters
static void declare_functions(FILE *f, const fb_codegen *c) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  // feedback.measure's, and with --all the others
  for (int way = 0; way < FB_WAYS; way++) {
    if (!fb_codegen_has(c, way)) continue;

    // the filter's type precedes the function that uses it
    if (way == FB_ENCODERS) declare_filter(f, c);
    if (way == FB_DIFFERENCE) declare_rates(f, c);

    // each parameter with its entries, then the prototype
    int count = fb_codegen_parameters(c, way, list);
    fputs("//\n", f);
    for (int i = 0; i < count; i++) fb_controller_parameter(f, &list[i]);
    if (way == FB_POSITIONS)
      fputs("// At k = 0 there is no step before: what is of it is not used, but must be finite.\n",
            f);
    for (int head = 0; head < FB_HEADS; head++) {
      if (!fb_head_exists(c, (fb_head)head)) continue;
      fb_head_write(f, c, way, (fb_head)head);
      fputs(";\n", f);
    }
  }
}

void fb_controller_header(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const fb_codegen_parameter u = {"u", "u.", s->nu, "input", c->set.input, c->set.u_unit, NULL};

  // the comment: purpose, timing, cost
  fb_controller_origin(f, c, "controller.h");
  tell_law(f, c);
  tell_calls(f, c);
  if (c->law[FB_STATE]) tell_lags(f, c);
  if (c->estimator) fputs(filter_words[s->late], f);
  if (c->estimator && c->estimator->predictor.tree)
    fprintf(f,
            "// From there q + q_d and p + p_d go a step of the model, by its equations: %d rounds "
            "from the linear z.\n// Where these do not find it, and by time, that stays.\n//\n",
            FB_ROUNDS);
  tell_motors(f, c);
  tell_disturbances(f, c);
  fb_range_tell(f, c);
  fb_operations_tell(f, c);
  tell_cost(f, c);

  // the guard, the number type and the sizes
  fb_lines_put(f, c->set.prefix,
               "#ifndef CONTROLLER_H\n#define CONTROLLER_H\n\n"
               "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  fb_lines_print(f, c->set.prefix, "typedef %s controller_real;\n\n",
                 c->set.single ? "float" : "double");
  fb_lines_print(f, c->set.prefix,
                 "enum { CONTROLLER_STEPS = %d, CONTROLLER_NQ = %d, CONTROLLER_NU = %d };\n\n",
                 s->N, fb_codegen_any(c)->n, s->nu);

  if (s->envelope) declare_envelope(f, c);
  if (s->rate_limit) declare_slew(f, c);
  if (s->path) declare_path(f, c);

  // the input's entries, then a function per form of measurement
  fb_controller_parameter(f, &u);
  declare_functions(f, c);
  if (fb_codegen_any(c)->f.tree) declare_momentum(f, c);
  if (s->ni + s->nl > 0) declare_kept(f, c);
  if (s->late)
    fb_lines_print(f, c->set.prefix,
                   "\n// The input from t = 0 to h, which nothing has decided yet.\n"
                   "void controller_first(controller_real u[%d]);\n",
                   s->nu);
  fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", f);
}
