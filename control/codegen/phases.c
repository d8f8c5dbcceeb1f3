#include "control/codegen/phases.h"

#include "control/codegen/controller.h"
#include "control/codegen/head.h"
#include "control/codegen/lines.h"
#include "control/codegen/source.h"
#include "control/codegen/tables.h"
#include "control/onboard/onboard.h"

#include <math.h>
#include <string.h>

static const fb_tvlqr *schedule_of(const fb_phases *w, int i) {
  return &fb_codegen_any(w->law[i])->f;
}

// do the laws go by their paths?
static bool goes_by_path(const fb_phases *w) {
  return schedule_of(w, 0)->path != NULL;
}

// -- whether the phases have one controller

// compare the names and units of coordinates or inputs of phase i with those of the first phase
static dm_status compare_names(const fb_phases *w, int i, int n, const char *what,
                               const char *const *const of[2], const char *const *const unit[2],
                               dm_message *msg) {
  for (int j = 0; j < n; j++)
    if (strcmp(of[0][j], of[1][j]) != 0 || strcmp(unit[0][j], unit[1][j]) != 0)
      return dm_fail(msg, DM_UNAVAILABLE,
                     "%s %d is '%.60s' (%s) in phase '%s' and '%.60s' (%s) in phase '%s'", what, j,
                     of[0][j], unit[0][j], w->name[0], of[1][j], unit[1][j], w->name[i]);
  return DM_OK;
}

static dm_status compare_coordinates(const fb_phases *w, int i, dm_message *msg) {
  const fb_codegen_settings *a = &w->law[0]->set, *b = &w->law[i]->set;
  const int n = fb_codegen_any(w->law[0])->n, m = fb_codegen_any(w->law[i])->n;
  const int nu = schedule_of(w, 0)->nu, mu = schedule_of(w, i)->nu;
  if (n != m)
    return dm_fail(msg, DM_UNAVAILABLE, "phase '%s' has %d coordinates, phase '%s' has %d",
                   w->name[0], n, w->name[i], m);
  if (nu != mu)
    return dm_fail(msg, DM_UNAVAILABLE, "phase '%s' has %d inputs, phase '%s' has %d", w->name[0],
                   nu, w->name[i], mu);
  DM_TRY(compare_names(w, i, n, "coordinate", (const char *const *const[]){a->coord, b->coord},
                       (const char *const *const[]){a->q_unit, b->q_unit}, msg));
  return compare_names(w, i, nu, "input", (const char *const *const[]){a->input, b->input},
                       (const char *const *const[]){a->u_unit, b->u_unit}, msg);
}

// the number of measured entries of a form, without integrals
static int count_measured(const fb_codegen *c, int form) {
  return c->law[form]->ny - c->law[form]->f.ni;
}

static dm_status compare_forms(const fb_phases *w, int i, dm_message *msg) {
  const fb_codegen *a = w->law[0], *b = w->law[i];
  const double h = schedule_of(w, 0)->h;
  for (int form = 0; form < FB_FORMS; form++) {
    const bool same = !a->law[form] == !b->law[form];
    if (!same || (a->law[form] && (count_measured(a, form) != count_measured(b, form) ||
                                   a->law[form]->exact != b->law[form]->exact)))
      return dm_fail(msg, DM_UNAVAILABLE, "phases '%s' and '%s' measure different quantities (%s)",
                     w->name[0], w->name[i], "feedback.measure, feedback.momentum");
  }
  if (a->law[FB_POSITIONS] && fabs(schedule_of(w, i)->h / h - 1) > 1e-9)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "by positions a measurement one step before is needed, and the steps of phases "
                   "'%s' and '%s' differ: %.6g s and %.6g s",
                   w->name[0], w->name[i], h, schedule_of(w, i)->h);
  return DM_OK;
}

// parts that do not go on from phase to phase
static dm_status check_parts(const fb_phases *w, int i, dm_message *msg) {
  const fb_tvlqr *f = schedule_of(w, i);
  const char *part = NULL;
  if (w->law[i]->estimator) part = "feedback.estimator: its estimate ends with the phase";
  if (f->late) part = "feedback.delay: the phase before decides the first input of a phase";
  if (f->nl)
    part = "a lag of model.drives: the torque of its motor does not go on to the next phase";
  if (!f->path != !goes_by_path(w))
    return dm_fail(msg, DM_UNAVAILABLE,
                   "phases '%s' and '%s' have feedback.schedule: path and time, expected one of "
                   "them",
                   w->name[f->path ? i : 0], w->name[f->path ? 0 : i]);
  if (!part) return DM_OK;
  return dm_fail(msg, DM_UNAVAILABLE, "phase '%s' has %s", w->name[i], part);
}

dm_status fb_phases_check(const fb_phases *w, dm_message *msg) {
  for (int i = 0; i < w->n; i++) DM_TRY(check_parts(w, i, msg));
  for (int i = 1; i < w->n; i++) {
    DM_TRY(compare_coordinates(w, i, msg));
    DM_TRY(compare_forms(w, i, msg));
  }
  return DM_OK;
}

// -- parts that some phase has

static bool some_watch(const fb_phases *w) {
  for (int i = 0; i < w->n; i++)
    if (schedule_of(w, i)->envelope) return true;
  return false;
}

static bool some_slew(const fb_phases *w) {
  for (int i = 0; i < w->n; i++)
    if (schedule_of(w, i)->rate_limit) return true;
  return false;
}

static int most_integrals(const fb_phases *w) {
  int most = 0;
  for (int i = 0; i < w->n; i++)
    if (schedule_of(w, i)->ni > most) most = schedule_of(w, i)->ni;
  return most;
}

// whether the phases have trees for p = M(q) v
static bool has_trees(const fb_phases *w) {
  for (int i = 0; i < w->n; i++)
    if (!schedule_of(w, i)->tree) return false;
  return true;
}

// numbers on the stack for a tree of any phase
static int most_tree_room(const fb_phases *w, int form) {
  int most = 0;
  for (int i = 0; i < w->n; i++)
    if (fb_tables_tree_room(w->law[i], form) > most) most = fb_tables_tree_room(w->law[i], form);
  return most;
}

static bool has_form(const fb_phases *w, int form) {
  return w->law[0]->law[form] != NULL;
}

static const char *prefix_of(const fb_phases *w) {
  return w->law[0]->set.prefix;
}

long fb_phases_bytes(const fb_phases *w) {
  long bytes = 0;
  for (int i = 0; i < w->n; i++) bytes += fb_tables_bytes(w->law[i]);
  return bytes;
}

int fb_phases_stack(const fb_phases *w) {
  enum { SWITCH = 160 }; // the frames in which a phase begins
  int most = 0;
  for (int i = 0; i < w->n; i++)
    if (fb_tables_stack(w->law[i]) > most) most = fb_tables_stack(w->law[i]);
  return most + SWITCH + most_integrals(w) * (w->law[0]->set.single ? 4 : 8);
}

// -- heads of functions

static void put_head(FILE *f, const fb_phases *w, int form, fb_head head) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  const int count = fb_codegen_parameters(w->law[0], form, list);
  fb_lines_print(f, prefix_of(w), "%s controller_%s%s(controller_run *run",
                 some_watch(w) ? "int" : "void", fb_codegen_way(form), fb_head_end(head));
  if (!goes_by_path(w)) fb_lines_put(f, prefix_of(w), ", controller_real t, controller_real age");
  if (head == FB_BY_HOLD) fb_lines_put(f, prefix_of(w), ", controller_real hold");
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].name, "integral"))
      fb_lines_print(f, prefix_of(w), ", const controller_real %s[%d]", list[i].name, list[i].n);
  fb_lines_print(f, prefix_of(w), ", controller_real u[%d])", schedule_of(w, 0)->nu);
}

static void put_next_head(FILE *f, const fb_phases *w) {
  fb_lines_put(f, prefix_of(w), "void controller_next(controller_run *run");
  fb_lines_put(f, prefix_of(w), goes_by_path(w) ? ")" : ", controller_real t)");
}

static void put_integrate_head(FILE *f, const fb_phases *w) {
  fb_lines_print(f, prefix_of(w),
                 "void controller_integrate_at(controller_run *run, controller_real t, "
                 "controller_real age, const controller_real q[%d], const controller_real u[%d])",
                 fb_codegen_any(w->law[0])->n, schedule_of(w, 0)->nu);
}

static void put_momentum_head(FILE *f, const fb_phases *w) {
  const int n = fb_codegen_any(w->law[0])->n;
  fb_lines_print(f, prefix_of(w),
                 "void controller_momentum(const controller_run *run, const controller_real q[%d], "
                 "const controller_real v[%d], controller_real p[%d])",
                 n, n, n);
}

// -- controller.h

// how the caller uses times
static void tell_times(FILE *f, const fb_phases *w) {
  fb_lines_put(
      f, prefix_of(w),
      "//\n"
      "// t [s] is one clock for all phases; it is 0 at the start of the first phase. Each law "
      "counts its times\n// from the start of its phase. If t is past the end of a phase, the next "
      "phase begins at that end. Phases\n// only go forward, also if t goes back. controller_next "
      "begins the next phase at an event. If you set\n// run->waits = 1 after controller_begin, "
      "only controller_next ends a phase: its last law continues until\n// then.\n//\n"
      "// age [s] is the age of the measurement, hold [s] the time until u is replaced; _at takes "
      "the step h of\n// the phase. A measurement made before the start of the phase is compared "
      "with the plan at that start.\n// u is finite and within the limits of the phase for any "
      "arguments. If a measurement is not finite, u is\n// the input of the plan. Angles that "
      "turn without limits are compared modulo 2 pi.\n//\n");
}

// how the caller goes along the paths
static void tell_paths(FILE *f, const fb_phases *w) {
  fb_lines_print(f, prefix_of(w),
                 "//\n" FB_PATH_RULE
                 "Call a function once per step h of the\n// phase. Only controller_next ends a "
                 "phase, as at a touch; until then the law of its last knot acts.\n// u is finite "
                 "and within the limits of\n// the phase for any "
                 "arguments. If a measurement is not finite, u is the input of the plan.\n//\n",
                 FB_MOST_KNOTS);
}

static void tell_use(FILE *f, const fb_phases *w) {
  (goes_by_path(w) ? tell_paths : tell_times)(f, w);
  if (w->repeats)
    fb_lines_put(
        f, prefix_of(w),
        "// After the last phase the first one begins again: call controller_next at each touch. "
        "Until the next touch\n// the law of a phase compares the robot with the end of its plan. "
        "Coordinates and inputs have their names\n// in the current step: after a touch exchange "
        "legs, and set the base back, as the join of the task does.\n//\n");
  fb_lines_print(
      f, prefix_of(w),
      "// Tables: %ld bytes in %s precision. Stack: at most %d bytes. No memory is allocated "
      "and none is kept.\n"
      "// In each phase the controller of the phase alone gives the same bits: "
      "-ffp-contract=off (controller.c asks\n// for it, too), no -ffast-math, on old x86 "
      "-mfpmath=sse. Its header states the range of u and the number of\n// operations.\n",
      fb_phases_bytes(w), w->law[0]->set.single ? "single" : "double", fb_phases_stack(w));
}

// the data that the caller keeps
static void declare_run(FILE *f, const fb_phases *w) {
  const int n = fb_codegen_any(w->law[0])->n, nu = schedule_of(w, 0)->nu;
  fb_lines_put(
      f, prefix_of(w),
      "// The caller keeps one for each robot. A switch of phases keeps the last input, the "
      "last measurement, the guard,\n// and the integrals that both phases have.\n"
      "typedef struct controller_run {\n"
      "  int phase;             // the current one\n");
  fb_lines_put(f, prefix_of(w),
               goes_by_path(w)
                   ? "  int knot;              // of its path, by which the law acted last\n"
                     "  int entered;           // 1: it has one\n"
                   : "  int waits;             // 1: only controller_next ends a phase\n"
                     "  controller_real start; // s, of the phase\n");
  if (some_watch(w)) fputs("  int lost;              // 1: the envelope was left\n", f);
  if (some_slew(w))
    fb_lines_print(f, prefix_of(w),
                   "  controller_real u[%d];  // the last input, for rate limits\n"
                   "  controller_real t;     // and its time in the phase, s\n"
                   "  int begun;             // 1: there was one\n"
                   "  int cut;               // 1: a rate limit has changed it\n",
                   nu);
  if (has_form(w, FB_DIFFERENCE))
    fb_lines_print(f, prefix_of(w),
                   "  controller_real q[%d];  // the last measurement, for velocities\n"
                   "  controller_real v[%d];  // the last velocities\n"
                   "  controller_real seen;  // s, the time of its call in the phase\n"
                   "  controller_real age;   // s, its age at that time\n"
                   "  controller_real hold;  // s, for how long the input was to be held\n"
                   "  int measured;          // 1: there was one\n",
                   n, n);
  if (most_integrals(w))
    fb_lines_print(f, prefix_of(w),
                   "  controller_real integral[%d]; // of the error of each coordinate; 0 if the "
                   "phase does not integrate it\n",
                   n);
  fb_lines_put(f, prefix_of(w),
               "} controller_run;\n\n// The task begins.\n"
               "void controller_begin(controller_run *run);\n\n");
  fb_lines_put(f, prefix_of(w),
               goes_by_path(w) ? "// The next phase begins at its first knot."
                               : "// The next phase begins at time t, or, if t is not finite, at "
                                 "the end of the current phase.");
  fb_lines_put(f, prefix_of(w), w->repeats ? "\n" : " In the last\n// phase it does nothing.\n");
  put_next_head(f, w);
  fputs(";\n\n", f);
  if (some_watch(w))
    fputs("// If a phase has an envelope, the functions return 0 within it; 1 once it was left, "
          "then u is the fallback\n// of the phase until a new run.\n",
          f);
}

static void declare_functions(FILE *f, const fb_phases *w) {
  for (int form = 0; form < FB_FORMS; form++) {
    if (!has_form(w, form)) continue;
    fb_codegen_parameter list[FB_MAX_PARAMETERS];
    const int count = fb_codegen_parameters(w->law[0], form, list);
    fputs("//\n", f);
    for (int i = 0; i < count; i++)
      if (strcmp(list[i].name, "integral")) fb_controller_parameter(f, &list[i]);
    put_head(f, w, form, goes_by_path(w) ? FB_BY_STEP : FB_BY_TIME);
    fputs(";\n", f);
    if (goes_by_path(w)) continue;
    put_head(f, w, form, FB_BY_HOLD);
    fputs(";\n", f);
  }
  if (has_trees(w)) {
    fputs("\n// p = M(q) v in the current phase.\n", f);
    put_momentum_head(f, w);
    fputs(";\n", f);
  }
  if (!most_integrals(w)) return;
  fputs("\n// After a call, once per step: integral + h (q - q_d) with the q that was measured; if "
        "u was cut, or q is\n// not finite, the integral does not change.\n",
        f);
  put_integrate_head(f, w);
  fputs(";\n", f);
}

void fb_phases_header(FILE *f, const fb_phases *w) {
  const fb_codegen *c = w->law[0];
  const int nu = schedule_of(w, 0)->nu;
  const fb_codegen_parameter u = {"u", "u.", nu, "input", c->set.input, c->set.u_unit, NULL};

  // its origin: the task's name and digest
  fb_codegen whole = *w->law[0];
  whole.set.name = w->task;
  whole.set.sha256 = w->sha256;
  fb_controller_origin(f, &whole, "controller.h");

  // the phases, with their lengths and steps
  fputs("//\n// One controller for all phases of a task. In each phase\n//\n"
        "//   ",
        f);
  fputs(goes_by_path(w) ? "u = u_d - G (y - y_d) of the nearest knot"
                        : "u = mean of u_d over t to t + hold - G (y - y_d(t - age))",
        f);
  fputs("\n//\n//   phase          length, s       step h, s\n", f);
  for (int i = 0; i < w->n; i++) {
    fprintf(f, "//   %d ", i);
    fb_lines_word(f, w->name[i]);
    fprintf(f, "%*s %-15.9g %.9g\n", 12 - (int)strlen(w->name[i]), "", w->length[i],
            schedule_of(w, i)->h);
  }

  tell_use(f, w);
  fb_lines_put(f, prefix_of(w),
               "#ifndef CONTROLLER_H\n#define CONTROLLER_H\n\n"
               "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  fb_lines_print(f, prefix_of(w), "typedef %s controller_real;\n\n",
                 c->set.single ? "float" : "double");
  fb_lines_print(f, prefix_of(w),
                 "enum { CONTROLLER_PHASES = %d, CONTROLLER_NQ = %d, CONTROLLER_NU = %d };\n\n",
                 w->n, fb_codegen_any(c)->n, nu);
  declare_run(f, w);
  fb_controller_parameter(f, &u);
  declare_functions(f, w);
  fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", f);
}

// -- controller.c

// the list of a form's laws
static void put_list(FILE *f, const fb_phases *w, int form) {
  fprintf(f, "\nstatic const phase phases_%s[%d] = {\n", fb_codegen_way(form), w->n);
  for (int i = 0; i < w->n; i++)
    fprintf(f, "    {&law_%s%s, (real)%.17g},\n", fb_codegen_law(form), w->law[i]->set.end,
            w->length[i]);
  fputs("};\n", f);
}

// m and o: the data that the caller keeps
static void put_memory(FILE *f, const fb_phases *w, bool kept) {
  const bool watches = some_watch(w), slews = some_slew(w), differs = has_form(w, FB_DIFFERENCE);
  const bool follows = goes_by_path(w);
  if (kept)
    fprintf(f, "  const memory m = {%s%s%s%s%s};\n", watches ? ".lost = &run->lost, " : "",
            slews ? ".given = run->u, .given_at = &run->t, .begun = &run->begun, .cut = &run->cut, "
                  : "",
            differs ? ".seen = run->q, .speed = run->v, .seen_at = &run->seen, "
                      ".seen_age = &run->age, .held = &run->hold, .measured = &run->measured, "
                    : "",
            follows ? ".knot = &run->knot, .entered = &run->entered, " : "",
            watches || slews || differs || follows ? "" : "0");
  fprintf(f, "  const progress o = {.at = &run->phase, %s.repeats = %d%s};\n",
          follows ? "" : ".start = &run->start, .waits = &run->waits, ", w->repeats,
          most_integrals(w) ? ", .integral = run->integral" : "");
}

// p = M(q) v in the current phase
static void put_momentum(FILE *f, const fb_phases *w) {
  fprintf(f, "\nstatic const tree_tables *const trees[%d] = {", w->n);
  for (int i = 0; i < w->n; i++) fprintf(f, "%s&tree%s", i ? ", " : "", w->law[i]->set.end);
  fputs("};\n\n", f);
  put_momentum_head(f, w);
  fputs(" {\n", f);
  fprintf(f, "  real bodies[%d];\n", most_tree_room(w, FB_VELOCITY));
  fb_lines_put(f, prefix_of(w),
               "  int at = run->phase;\n  if ((at < 0) || (at >= CONTROLLER_PHASES)) {\n"
               "    at = 0;\n  }\n  momenta(trees[at], q, v, bodies, p);\n}\n");
}

// y of the law T from the parameters of a form's function, except for entries that it computes
static void put_measured(FILE *f, const fb_phases *w, int form) {
  const fb_codegen *c = w->law[0];
  const bool computed = fb_codegen_computes_momentum(c, form) || form == FB_DIFFERENCE;
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  const int count = fb_codegen_entries(c, form, list);
  for (int i = 0, at = 0; i < count; at += list[i++].n) {
    const bool found = computed && (!strcmp(list[i].name, "p") || !strcmp(list[i].name, "v"));
    if (found || !strcmp(list[i].name, "integral")) continue;
    fprintf(f, "  copy(%d, %s, &y[%d]);\n", list[i].n, list[i].name, at);
  }
  if (form == FB_VELOCITY && computed)
    fprintf(f, "  momenta(T->tree, q, v, bodies, &y[%d]);\n", c->law[form]->n);
  if (most_integrals(w)) fprintf(f, "  take_integrals(T, &o, &y[%d]);\n", count_measured(c, form));
}

// the entries that depend on the time of the call: velocities by differences, p of positions
static void put_found(FILE *f, const fb_phases *w, int form, fb_head head) {
  const fb_codegen *c = w->law[0];
  const int n = c->law[form]->n;
  const bool computed = fb_codegen_computes_momentum(c, form);
  if (form == FB_POSITIONS && computed)
    fprintf(f, "  past_momentum(T, when(now, age), at.y_d, q, before, %s, bodies, &y[%d]);\n",
            c->law[form]->nf ? "force" : "q", n);
  if (form != FB_DIFFERENCE) return;
  fprintf(f, "  differ(T, &m, now, age, %s, q, v);\n",
          head == FB_BY_HOLD ? "held_steps(T, hold) * T->h" : "T->h");
  if (computed)
    fprintf(f, "  momenta(T->tree, q, v, bodies, &y[%d]);\n", n);
  else
    fprintf(f, "  copy(%d, v, &y[%d]);\n", n, n);
}

static void put_function(FILE *f, const fb_phases *w, int form, fb_head head) {
  const int ny = count_measured(w->law[0], form) + most_integrals(w);
  const bool differs = form == FB_DIFFERENCE, watches = some_watch(w);
  const char *way = fb_codegen_way(form), *v = differs || form == FB_VELOCITY ? "v" : "y";
  const bool computed = fb_codegen_computes_momentum(w->law[0], form);
  const bool between = form == FB_POSITIONS && !computed;
  fputs("\n", f);
  put_head(f, w, form, head);
  fputs(" {\n", f);
  put_memory(f, w, true);
  if (goes_by_path(w))
    fb_lines_print(f, prefix_of(w),
                   "  const tables *T = law_now(phases_%s, CONTROLLER_PHASES, &o);\n"
                   "  real y[%d];\n",
                   way, ny);
  else
    fb_lines_print(f, prefix_of(w),
                   "  const tables *T = law_at(phases_%s, CONTROLLER_PHASES, &o, &m, t);\n"
                   "  const real now = t - run->start;\n  real y[%d];\n  real y_d[%d];\n"
                   "  real c[CONTROLLER_NU];\n",
                   way, ny, ny);
  if (between) fb_lines_put(f, prefix_of(w), "  real room[CONTROLLER_NQ];\n");
  if (differs) fb_lines_put(f, prefix_of(w), "  real v[CONTROLLER_NQ];\n");
  if (computed) fprintf(f, "  real bodies[%d];\n", most_tree_room(w, form));
  fputs("  moment at;\n", f);
  if (watches) fputs("  int lost;\n", f);
  put_measured(f, w, form);
  if (goes_by_path(w))
    fputs("  at = on_time(T, nearest(T, &m, y));\n", f);
  else
    fprintf(f, "  at = at_time(T, &m, now, age, %s, y_d, c, %s, y);\n",
            head == FB_BY_HOLD ? "hold" : "T->h", between ? "room" : "y_d");
  put_found(f, w, form, head);
  fprintf(f, "  %sanswer(T, &m, &at, at.c, %s, y, u);\n", watches ? "lost = " : "(void)", v);
  if (some_slew(w)) fputs("  keep_input(T, &m, at.t, u);\n", f);
  fputs(watches ? "  return lost;\n}\n" : "}\n", f);
}

static void put_integrate(FILE *f, const fb_phases *w, int form) {
  fputs("\n", f);
  put_integrate_head(f, w);
  fputs(" {\n", f);
  put_memory(f, w, false);
  fb_lines_print(
      f, prefix_of(w),
      "  const tables *T = phases_%s[phase_now(&o, CONTROLLER_PHASES)].law;\n"
      "  real q_d[CONTROLLER_NQ];\n  real v[CONTROLLER_NQ];\n  real z[%d];\n  real s;\n"
      "  const int k = knot_at(T, when(t - run->start, age), &s);\n  int cut = at_limit(T, u);\n",
      fb_codegen_way(form), most_integrals(w));
  if (some_slew(w)) fputs("  if ((T->slews > 0) && (run->cut != 0)) {\n    cut = 1;\n  }\n", f);
  fputs("  plan_motion(T, k, s, q_d, v);\n  take_integrals(T, &o, z);\n"
        "  integrate(T, q_d, q, cut, z);\n  keep_integrals(T, &o, z);\n}\n",
        f);
}

void fb_phases_source(FILE *f, const fb_phases *w) {
  int form = 0; // the first one stands for all where only the sizes of phases matter
  while (!has_form(w, form)) form++;
  fb_codegen whole = *w->law[0];
  whole.set.name = w->task;
  whole.set.sha256 = w->sha256;
  fb_source_begin(f, &whole);
  fb_source_code(f, w->law, w->n, true);
  for (int i = 0; i < w->n; i++) {
    fprintf(f, "\n// -- the numbers of phase %d, ", i);
    fb_lines_word(f, w->name[i]);
    fputs("\n\n", f);
    fb_source_numbers(f, w->law[i]);
  }
  for (int i = form; i < FB_FORMS; i++)
    if (has_form(w, i)) put_list(f, w, i);
  fputs("\n// -- the functions\n", f);

  // controller_begin and controller_next
  fb_lines_put(f, prefix_of(w), "\nvoid controller_begin(controller_run *run) {\n");
  const bool differs = has_form(w, FB_DIFFERENCE);
  if (most_integrals(w) || differs) fputs("  int i;\n", f);
  fputs("  run->phase = 0;\n", f);
  fputs(goes_by_path(w) ? "  run->knot = 0;\n  run->entered = 0;\n"
                        : "  run->waits = 0;\n  run->start = ZERO;\n",
        f);
  if (some_watch(w)) fputs("  run->lost = 0;\n", f);
  if (some_slew(w)) fprintf(f, "  run->t = ZERO;\n  run->begun = 0;\n  run->cut = 0;\n");
  if (differs)
    fb_lines_put(f, prefix_of(w),
                 "  run->seen = ZERO;\n  run->age = ZERO;\n  run->hold = ZERO;\n"
                 "  run->measured = 0;\n"
                 "  for (i = 0; i < CONTROLLER_NQ; i++) {\n    run->q[i] = ZERO;\n"
                 "    run->v[i] = ZERO;\n  }\n");
  if (most_integrals(w))
    fb_lines_put(f, prefix_of(w),
                 "  for (i = 0; i < CONTROLLER_NQ; i++) {\n    run->integral[i] = ZERO;\n  }\n");
  fputs("}\n\n", f);
  put_next_head(f, w);
  fputs(" {\n", f);
  put_memory(f, w, true);
  if (goes_by_path(w))
    fb_lines_put(f, prefix_of(w), "  end_phase(CONTROLLER_PHASES, &o, &m);\n}\n");
  else
    fb_lines_print(f, prefix_of(w), "  end_phase(phases_%s, CONTROLLER_PHASES, &o, &m, t);\n}\n",
                   fb_codegen_way(form));

  if (has_trees(w)) put_momentum(f, w);
  for (int i = form; i < FB_FORMS; i++) {
    if (!has_form(w, i)) continue;
    put_function(f, w, i, goes_by_path(w) ? FB_BY_STEP : FB_BY_TIME);
    if (!goes_by_path(w)) put_function(f, w, i, FB_BY_HOLD);
  }
  if (most_integrals(w)) put_integrate(f, w, form);
}
