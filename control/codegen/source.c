#include "control/codegen/source.h"

#include "control/codegen/controller.h"
#include "control/codegen/head.h"
#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "control/codegen/tables.h"
#include "control/feedback/law_tables.h"
#include "control/onboard/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- the on-board files

enum { DEEPEST = 8 }; // of nested conditions

static bool begins(const char *line, const char *word) {
  return !strncmp(line, word, strlen(word));
}

// is the part of the line "#ifdef HAS_.." in the list?
static bool is_there(const char *line, const char *const *parts) {
  const char *name = line + strlen("#ifdef ");
  const size_t length = strcspn(name, "\n");
  for (; *parts; parts++)
    if (strlen(*parts) == length && !strncmp(name, *parts, length)) return true;
  return false;
}

// Write a text without the lines of parts that are not there; conditions of the compiler stay.
static void put_parts(FILE *f, const char *text, const char *const *parts) {
  struct {
    bool part, kept;
  } level[DEEPEST] = {{false, true}};
  int depth = 0;
  bool blank = true; // the last line that was written
  for (size_t length; *text; text += length) {
    length = strcspn(text, "\n");
    length += text[length] == '\n';
    const bool part = begins(text, "#ifdef HAS_"), above = level[depth].kept;
    bool written = above && !part && !(blank && *text == '\n');
    if (begins(text, "#if")) {
      depth++;
      level[depth].part = part;
      level[depth].kept = above && (!part || is_there(text, parts));
    } else if (begins(text, "#else") && level[depth].part) {
      level[depth].kept = level[depth - 1].kept && !level[depth].kept;
      written = false;
    } else if (begins(text, "#endif")) {
      written &= !level[depth].part;
      depth--;
    }
    if (!written) continue;
    fwrite(text, 1, length, f);
    blank = *text == '\n';
  }
}

void fb_source_put(FILE *f, const char *name, const char *const *parts) {
  const fb_onboard_text *file = fb_onboard_texts;
  while (strcmp(file->name, name)) file++;
  fprintf(f, "\n// -- %s\n\n", name);
  put_parts(f, file->text, parts);
}

// the parts that some of the laws have, as members of one schedule
static fb_tvlqr join_parts(const fb_codegen *const *law, int n) {
  fb_tvlqr all = {.N = 0};
  for (int i = 0; i < n; i++) {
    const fb_tvlqr *f = &fb_codegen_any(law[i])->f;
    if (f->rate_limit) all.rate_limit = f->rate_limit;
    if (f->envelope) all.envelope = f->envelope;
    if (fb_codegen_lined(law[i])) all.drives = f->drives;
    if (f->path) all.path = f->path;
    if (f->sections) all.sections = f->sections;
    if (f->ni) all.ni = f->ni;
    if (f->nl) all.nl = f->nl;
    if (fb_codegen_rubbed(law[i])) all.friction = f->friction;
  }
  return all;
}

// callees first
void fb_source_code(FILE *f, const fb_codegen *const *law, int n, bool task) {
  const fb_codegen *c = law[0];
  const fb_tvlqr all = join_parts(law, n), *s = &all;
  const bool timed = !s->path, orbit = s->sections > 0, positions = c->law[FB_POSITIONS] != NULL;
  const bool map = c->estimator && c->estimator->predictor.tree;
  const bool tree = fb_codegen_tree(c) != NULL, steps = fb_codegen_steps(c);
  bool rubs = false, faced = false;
  for (int i = 0; i < n && steps; i++) {
    rubs |= fb_codegen_tree(law[i])->frictions > 0;
    faced |= fb_tables_faced(fb_codegen_tree(law[i]));
  }
  const bool past = positions && c->law[FB_POSITIONS]->exact;
  const struct {
    const char *file, *part; // part: of other files, which exist with this one
    bool meant;
  } parts[] = {{"types.inc", NULL, true},
               {"number.c", NULL, true},
               {"sine.c", NULL, tree},
               {"law.c", NULL, true},
               {"plan.c", NULL, timed},
               {"positions.c", "HAS_POSITIONS", timed && positions && !past},
               {"friction.c", "HAS_FRICTION", s->friction != NULL},
               {"motors.c", "HAS_MOTORS", s->drives != NULL},
               {"slew.c", "HAS_RATES", s->rate_limit != NULL},
               {"envelope.c", "HAS_ENVELOPE", s->envelope != NULL},
               {"difference.c", task ? "HAS_DIFFERENCES" : NULL, c->law[FB_DIFFERENCE] != NULL},
               {"tree.c", NULL, tree},
               {"faced.c", "HAS_FACED_LOADS", faced},
               {"load.c", NULL, steps},
               {"joint_friction.c", "HAS_JOINT_FRICTION", rubs},
               {"impulse.c", NULL, steps},
               {"action.c", NULL, steps},
               {"past.c", NULL, past},
               {"integral.c", task ? "HAS_INTEGRALS" : NULL, s->ni > 0},
               {"lag.c", NULL, s->nl > 0},
               {"path.c", task ? "HAS_PATHS" : NULL, s->path != NULL && !orbit},
               {"controller.c", NULL, true},
               {"step.c", NULL, (!task || s->path) && !orbit},
               {"orbit.c", "HAS_ORBITS", orbit},
               {"timed.c", NULL, timed},
               {"filter.c", NULL, c->estimator != NULL},
               {"map.c", "HAS_MAP", map},
               {"encoders.c", NULL, c->estimator != NULL},
               {"phases.c", NULL, task}};
  enum { COUNT = sizeof parts / sizeof *parts };
  const char *there[COUNT + 1];
  int known = 0;
  for (int i = 0; i < COUNT; i++)
    if (parts[i].part && parts[i].meant) there[known++] = parts[i].part;
  there[known] = NULL;
  for (int i = 0; i < COUNT; i++)
    if (parts[i].meant) fb_source_put(f, parts[i].file, there);
}

// -- the numbers

// a number; values that are not finite in the text's precision become the largest number
static void put_number(FILE *f, const fb_codegen *c, double x) {
  const double largest = c->set.single ? (double)FLT_MAX : DBL_MAX;
  fb_number_write(f, c->set.single, fmin(fmax(x, -largest), largest));
}

static void put_reals(FILE *f, const fb_codegen *c, const char *name, const char *form, int n,
                      const double *x) {
  fb_lines_print(f, c->set.prefix, "static const controller_real %s%s%s[%d] = {", name, form,
                 c->set.end, n);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", f);
    put_number(f, c, x[i]);
  }
  fputs("};\n", f);
}

static void put_integers(FILE *f, const fb_codegen *c, const char *name, const char *form, int n,
                         const int *x) {
  fprintf(f, "static const int %s%s%s[%d] = {", name, form, c->set.end, n);
  for (int i = 0; i < n; i++) fprintf(f, "%s%d", i ? ", " : "", x[i]);
  fputs("};\n", f);
}

// the arrays of a law other than its tables; arrays common to all forms only once
static void put_arrays(FILE *f, const fb_codegen *c, const tables *T, const char *form,
                       bool first) {
  put_integers(f, c, "turns_", form, T->ny, T->turns);
  if (T->follows) put_reals(f, c, "near_", form, T->follows, T->near);
  if (T->orbits) put_reals(f, c, "travel_", form, T->orbits, T->travel);
  if (!first) return;
  const fb_output_feedback *w = fb_codegen_rubbed(c);
  if (w) put_reals(f, c, "friction", "", w->f.nu, w->f.friction->force);
  if (w) put_integers(f, c, "rubbing", "", w->f.nu, w->f.friction->along);
  const fb_output_feedback *lined = fb_codegen_lined(c);
  const dm_drive_limits *d = lined ? lined->f.drives : NULL;
  if (d) put_reals(f, c, "stall", "", d->n, d->stall);
  if (d) put_reals(f, c, "slope", "", d->n, d->slope);
  if (d) put_integers(f, c, "moved", "", d->n, d->coord);
  if (T->slews) put_reals(f, c, "u_step", "", T->slews, T->u_step);
  if (T->bounds) put_reals(f, c, "bound", "", T->bounds, T->bound);
  if (T->nm) put_reals(f, c, "cost", "", 1, T->cost);
  if (T->brakes) put_reals(f, c, "damping", "", T->brakes, T->damping);
  if (T->brakes) put_integers(f, c, "along", "", T->brakes, T->along);
  if (T->ni) put_integers(f, c, "integrated", "", T->ni, T->integral);
  if (T->nl) put_integers(f, c, "lagging", "", T->nl, T->lagging);
  if (T->nl) put_reals(f, c, "share", "", T->nl, T->share);
}

static void put_filter_arrays(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  put_integers(f, c, "which", "", e->ny, e->which);
  if (e->nd) put_integers(f, c, "disturbed", "", e->nd, e->disturbed);
  if (e->nd) put_reals(f, c, "d_max", "", e->nd, e->d_max);
}

// -- a law

static void put_field(FILE *f, const char *name, int value) {
  if (value) fprintf(f, "    .%s = %d,\n", name, value);
}

static void put_pointer(FILE *f, const fb_codegen *c, const char *field, bool there) {
  if (there) fprintf(f, "    .%s = %s%s,\n", field, field, c->set.end);
}

// the sizes of a filter and its tables, in the order of types.inc
static void put_filter_fields(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  put_field(f, "nx", e->nx);
  put_field(f, "nz", e->nz);
  put_field(f, "ne", e->ny);
  put_field(f, "nd", e->nd);
  for (const char *const *name = (const char *const[]){"L", "A", "B", "gate", NULL}; *name; name++)
    fb_tables_field(f, c, *name, "");
  put_pointer(f, c, "which", true);
  put_pointer(f, c, "disturbed", e->nd > 0);
  put_pointer(f, c, "d_max", e->nd > 0);
  put_field(f, "by_map", e->predictor.tree != NULL);
}

static void put_orbit(FILE *f, const fb_codegen *c, const tables *T, const char *name) {
  put_field(f, "orbits", T->orbits);
  fb_tables_field(f, c, "y_s", name);
  fb_tables_field(f, c, "u_s", "");
  fb_tables_field(f, c, "section", name);
  fprintf(f, "    .travel = travel_%s%s,\n", name, c->set.end);
}

// the law's struct, with fields in the order of types.inc
static void put_law(FILE *f, const fb_codegen *c, int form) {
  const tables T = fb_law_tables(c->law[form]);
  const char *name = fb_codegen_law(form);
  fb_lines_print(f, c->set.prefix,
                 "\nstatic const tables law_%s%s = {\n    .steps = %d,\n"
                 "    .nq = CONTROLLER_NQ,\n    .nu = CONTROLLER_NU,\n",
                 name, c->set.end, T.steps);
  put_field(f, "ny", T.ny);
  put_field(f, "nf", T.nf);
  put_field(f, "late", T.late);
  fprintf(f, "    .h = (real)%.17g,\n    .rate = (real)%.17g,\n", T.h, T.rate);
  fb_tables_field(f, c, "u_d", "");
  fb_tables_field(f, c, "y_d", name);
  if (T.v_d.rows) fb_tables_field(f, c, "v_d", "");
  fb_tables_field(f, c, "G", name);
  put_pointer(f, c, "u_min", true);
  put_pointer(f, c, "u_max", true);
  fprintf(f, "    .turns = turns_%s%s,\n", name, c->set.end);
  put_field(f, "rubs", T.rubs);
  put_pointer(f, c, "friction", T.rubs);
  put_pointer(f, c, "rubbing", T.rubs);
  if (T.rubs) fb_tables_field(f, c, "mass", "");
  if (T.rubs) fb_tables_field(f, c, "ahead", "");
  put_field(f, "lines", T.lines);
  put_pointer(f, c, "stall", T.lines);
  put_pointer(f, c, "slope", T.lines);
  put_pointer(f, c, "moved", T.lines);
  put_field(f, "speeds", T.speeds);
  put_field(f, "slews", T.slews);
  put_pointer(f, c, "u_step", T.slews);
  put_field(f, "bounds", T.bounds);
  put_pointer(f, c, "bound", T.bounds);
  put_field(f, "nm", T.nm);
  if (T.nm) fb_tables_field(f, c, "P", name);
  put_pointer(f, c, "cost", T.nm);
  put_field(f, "brakes", T.brakes);
  put_pointer(f, c, "damping", T.brakes);
  put_pointer(f, c, "along", T.brakes);
  put_field(f, "ni", T.ni);
  if (T.ni) fprintf(f, "    .integral = integrated%s,\n", c->set.end);
  put_field(f, "nl", T.nl);
  put_pointer(f, c, "lagging", T.nl);
  put_pointer(f, c, "share", T.nl);
  put_field(f, "follows", T.follows);
  if (T.follows) fprintf(f, "    .near = near_%s%s,\n", name, c->set.end);
  if (T.orbits) put_orbit(f, c, &T, name);
  if (c->estimator && form == FB_STATE) put_filter_fields(f, c);
  const bool predicts = c->estimator && form == FB_STATE && c->estimator->predictor.tree;
  if (T.tree || predicts) fprintf(f, "    .tree = &tree%s,\n", c->set.end);
  put_field(f, "continuous", T.continuous);
  fputs("};\n", f);
}

// -- the functions

// m: the data that the caller of a form keeps
static void put_memory(FILE *f, const fb_codegen *c, int way) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const char *const guard = ".lost = &guard->lost, ",
                    *const last = ".given = last->u, .given_at = &last->t, .begun = &last->begun, "
                                  ".cut = &last->cut, ",
                    *const path = ".knot = &path->at, .entered = &path->begun, ",
                    *const lap = ".lap = &path->lap, ",
                    *const rates = ".seen = rates->q, .speed = rates->v, .seen_at = &rates->t, "
                                   ".seen_age = &rates->age, .held = &rates->hold, "
                                   ".measured = &rates->begun, ",
                    *const filter = ".z = filter->z, .read_at = &filter->t, .u = filter->u, "
                                    ".before = filter->before, .since = &filter->since, "
                                    ".calls = &filter->calls, ";
  const bool gates = way == FB_ENCODERS && fb_estimator_gates(c->estimator);
  const bool differs = way == FB_DIFFERENCE;
  const bool any = s->envelope || s->rate_limit || s->path || differs || way == FB_ENCODERS;
  fprintf(f, "  const memory m = {%s%s%s%s%s%s%s};\n", s->envelope ? guard : "",
          s->rate_limit ? last : "",
          s->path ? path
          : any   ? ""
                  : "0",
          s->sections ? lap : "", differs ? rates : "", way == FB_ENCODERS ? filter : "",
          gates ? ".missed = filter->missed, " : "");
}

// y, assembled from the parameters of a form's function, except for entries that it computes
static void put_measured(FILE *f, const fb_codegen *c, int form) {
  const bool computed = fb_codegen_computes_momentum(c, form) || form == FB_DIFFERENCE;
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  int count = fb_codegen_entries(c, form, list), at = 0;
  for (int i = 0; i < count; at += list[i++].n) {
    if (computed && (!strcmp(list[i].name, "p") || !strcmp(list[i].name, "v"))) continue;
    fprintf(f, "  copy(%d, %s, &y[%d]);\n", list[i].n, list[i].name, at);
  }
  if (form == FB_VELOCITY && computed)
    fprintf(f, "  momenta(&tree, q, v, bodies, &y[%d]);\n", c->law[form]->n);
}

// the entries that depend on the time of the call: velocities by differences, p of positions
static void put_found(FILE *f, const fb_codegen *c, int form, fb_head head) {
  const char *name = fb_codegen_law(form);
  const int n = c->law[form]->n;
  const bool timed = head != FB_BY_STEP, computed = fb_codegen_computes_momentum(c, form);
  if (form == FB_POSITIONS && computed)
    fprintf(f, "  past_momentum(&law_%s, %s, at.y_d, q, before, %s, bodies, &y[%d]);\n", name,
            timed ? "when(t, age)" : "at.t", c->law[form]->nf ? "force" : "q", n);
  if (form != FB_DIFFERENCE) return;
  fprintf(f, "  differ(&law_%s, &m, at.t, %s, ", name, timed ? "age" : "ZERO");
  if (head == FB_BY_HOLD) fprintf(f, "held_steps(&law_%s, hold) * ", name);
  fprintf(f, "law_%s.h, q, v);\n", name);
  if (computed)
    fprintf(f, "  momenta(&tree, q, v, bodies, &y[%d]);\n", n);
  else
    fprintf(f, "  copy(%d, v, &y[%d]);\n", n, n);
}

static void put_array(FILE *f, const char *name, int n) {
  fprintf(f, "  real %s[%d];\n", name, n);
}

// a form's function
static void put_form(FILE *f, const fb_codegen *c, int form, fb_head head) {
  const bool timed = head != FB_BY_STEP;
  const fb_output_feedback *w = c->law[form];
  const char *name = fb_codegen_law(form);
  const bool differs = form == FB_DIFFERENCE;
  const char *v = differs || form == FB_VELOCITY ? "v" : "y";
  fputs("\n", f);
  fb_head_write(f, c, form, head);
  fputs(" {\n", f);
  put_memory(f, c, form);
  put_array(f, "y", w->ny);
  const bool orbit = w->f.sections > 0;
  if (timed || orbit) put_array(f, "y_d", w->ny);
  if (timed || orbit) put_array(f, "c", w->f.nu);
  const bool computed = fb_codegen_computes_momentum(c, form);
  const bool between = timed && form == FB_POSITIONS && !computed;
  if (between) put_array(f, "room", w->n);
  if (differs) put_array(f, "v", w->n);
  if (computed) put_array(f, "bodies", fb_tables_tree_room(c, form));
  fputs("  moment at;\n", f);

  // the measurement, and the plan to compare it with
  put_measured(f, c, form);
  const char *room = between ? "room" : "y_d";
  if (head == FB_BY_HOLD)
    fprintf(f, "  at = at_time(&law_%s, &m, t, age, hold, y_d, c, %s, y);\n", name, room);
  else if (timed)
    fprintf(f, "  at = at_time(&law_%s, &m, t, age, law_%s.h, y_d, c, %s, y);\n", name, name, room);
  else if (orbit)
    fprintf(f, "  at = on_orbit(&law_%s, &m, y, y_d, c);\n", name);
  else if (w->near)
    fprintf(f, "  at = on_time(&law_%s, nearest(&law_%s, &m, y));\n", name, name);
  else
    fprintf(f, "  at = on_time(&law_%s, k);\n", name);
  put_found(f, c, form, head);
  fprintf(f, "  %sanswer(&law_%s, &m, &at, at.c, %s, y, u);\n}\n",
          fb_codegen_watches(c, form) ? "return " : "(void)", name, v);
}

static void put_filter(FILE *f, const fb_codegen *c, fb_head head) {
  const bool timed = head != FB_BY_STEP;
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = c->law[FB_STATE];
  const char *under = w->f.late ? "now" : "u";
  fputs("\n", f);
  fb_head_write(f, c, FB_ENCODERS, head);
  fputs(" {\n", f);
  put_memory(f, c, FB_ENCODERS);
  put_array(f, "off", e->ny);
  put_array(f, "next", e->nz);
  if (timed) put_array(f, "z", e->nz);
  const bool map = !timed && e->predictor.tree;
  if (map) put_array(f, "x1", e->f->nx);
  if (map) put_array(f, "bodies", fb_tables_tree_room(c, FB_ENCODERS));
  if (timed) put_array(f, "planned", w->f.nu);
  put_array(f, "forward", w->f.nu);
  put_array(f, "y", w->ny);
  if (timed) put_array(f, "y_d", w->ny);
  if (timed) put_array(f, "c", w->f.nu);
  fprintf(f, "  const filter_room room = {.off = off, .next = next, %s.forward = forward%s};\n",
          timed ? ".z = z, .planned = planned, " : "", map ? ", .x1 = x1, .map = bodies" : "");
  const char *back = fb_codegen_watches(c, FB_ENCODERS) ? "return " : "(void)";
  if (timed)
    fprintf(f,
            "  %sencoders_at(&law_state, &m, t, age, %s, encoder, %s, &room, y_d, c, y, u);\n}\n",
            back, head == FB_BY_HOLD ? "hold" : "law_state.h", under);
  else
    fprintf(f, "  %sencoders(&law_state, &m, k, encoder, %s, &room, y, u);\n}\n", back, under);
}

// p = M(q) v
static void put_momentum(FILE *f, const fb_codegen *c) {
  const int n = fb_codegen_any(c)->n;
  fb_lines_print(
      f, c->set.prefix,
      "\nvoid controller_momentum(const controller_real q[%d], const controller_real v[%d],\n"
      "                         controller_real p[%d]) {\n",
      n, n, n);
  put_array(f, "bodies", fb_tables_tree_room(c, FB_VELOCITY));
  fputs("  momenta(&tree, q, v, bodies, p);\n}\n", f);
}

// the step of the caller's integrals
static void put_integrals(FILE *f, const fb_codegen *c, const char *name, bool timed) {
  const fb_output_feedback *w = fb_codegen_any(c);
  if (timed) {
    put_array(f, "q_d", w->n);
    put_array(f, "v", w->n);
    fprintf(f, "  real s;\n  const int k = knot_at(&law_%s, when(t, age), &s);\n", name);
  } else {
    fprintf(f, "  const real *q_d = row(&law_%s.y_d, k);\n", name);
  }
  fprintf(f, "  int cut = at_limit(&law_%s, u);\n", name);
  if (w->f.rate_limit) fputs("  if (last->cut != 0) {\n    cut = 1;\n  }\n", f);
  if (timed) fprintf(f, "  plan_motion(&law_%s, k, s, q_d, v);\n", name);
  fprintf(f, "  integrate(&law_%s, q_d, q, cut, integral);\n", name);
}

// the step of the caller's torques of motors with a lag
static void put_lags(FILE *f, const fb_codegen *c, const char *name, bool timed) {
  // late inputs: the plan's input of the step itself is at the end of y_d
  const fb_output_feedback *w = fb_codegen_any(c);
  const char *plan = w->f.late ? "y_d" : "u_d";
  const int at = w->f.late ? w->ny - w->f.nu : 0;
  if (!timed) {
    fprintf(f, "  follow(&law_%s, &row(&law_%s.%s, k)[%d], u, motor);\n", name, name, plan, at);
    return;
  }
  put_array(f, "c", w->f.nu);
  fprintf(f,
          "  real part;\n  const int step = knot_at(&law_%s, t, &part);\n"
          "  plan_mean(&law_%s.%s, step, part, ONE, %d, CONTROLLER_NU, c);\n"
          "  follow(&law_%s, c, u, motor);\n",
          name, name, plan, at, name);
}

// the step of the states that the caller keeps, by step or by time
static void put_integrate(FILE *f, const fb_codegen *c, bool timed) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const char *name = fb_codegen_law((int)fb_codegen_any(c)->form);
  fputs("\n", f);
  fb_head_integrate(f, c, timed);
  fputs(" {\n", f);
  if (!s->ni && timed) fputs("  (void)age;\n", f);
  if (s->ni) put_integrals(f, c, name, timed);
  if (s->nl) put_lags(f, c, name, timed);
  fputs("}\n", f);
}

// functions that begin a run
static void put_begins(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  if (s->envelope)
    fb_lines_put(f, c->set.prefix,
                 "\nvoid controller_reset(controller_guard *guard) {\n  guard->lost = 0;\n}\n");
  if (s->rate_limit)
    fb_lines_put(f, c->set.prefix,
                 "\nvoid controller_start(controller_output *last) {\n  last->begun = 0;\n"
                 "  last->cut = 0;\n}\n");
  if (s->path)
    fb_lines_put(f, c->set.prefix,
                 "\nvoid controller_enter(controller_path *path) {\n  path->at = 0;\n"
                 "  path->begun = 0;\n");
  if (s->sections) fputs("  path->lap = 0;\n", f);
  if (s->path) fputs("}\n", f);
  if (s->late)
    fb_lines_print(
        f, c->set.prefix,
        "\nvoid controller_first(controller_real u[%d]) {\n  copy(CONTROLLER_NU, first, u);\n}\n",
        s->nu);
  if (c->law[FB_DIFFERENCE])
    fb_lines_print(
        f, c->set.prefix,
        "\nvoid controller_forget(controller_rates *rates) {\n  int i;\n"
        "  for (i = 0; i < %d; i++) {\n    rates->q[i] = ZERO;\n    rates->v[i] = ZERO;\n"
        "  }\n  rates->t = ZERO;\n  rates->age = ZERO;\n  rates->hold = ZERO;\n"
        "  rates->begun = 0;\n}\n",
        s->nx / 2);
  if (!c->estimator) return;
  fb_lines_print(f, c->set.prefix,
                 "\nvoid controller_begin(controller_filter *filter) {\n  int i;\n"
                 "  for (i = 0; i < %d; i++) {\n    filter->z[i] = ZERO;\n  }\n"
                 "  filter->t = ZERO;\n  filter->since = ZERO;\n  filter->calls = 0;\n",
                 c->estimator->nz);
  if (fb_estimator_gates(c->estimator))
    fprintf(f, "  for (i = 0; i < %d; i++) {\n    filter->missed[i] = 0;\n  }\n", c->estimator->ny);
  fputs("}\n", f);
}

void fb_source_numbers(FILE *f, const fb_codegen *c) {
  fb_tables_write(f, c);
  if (fb_codegen_tree(c)) fb_tables_write_tree(f, c);
  if (c->estimator) put_filter_arrays(f, c);
  bool first = true;
  for (int form = 0; form < FB_FORMS; form++) {
    if (!c->law[form] || fb_codegen_shares_law(c, form)) continue;
    const tables T = fb_law_tables(c->law[form]);
    put_arrays(f, c, &T, fb_codegen_law(form), first);
    first = false;
  }
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form] && !fb_codegen_shares_law(c, form)) put_law(f, c, form);
}

void fb_source_begin(FILE *f, const fb_codegen *c) {
  // products not fused with sums, so that every compiler gives the library's bits
  fb_controller_origin(f, c, "controller.c");
  fb_lines_put(f, c->set.prefix,
               "#include \"controller.h\"\n\n"
               "#if defined(__GNUC__) && !defined(__clang__)\n"
               "#pragma GCC optimize(\"fp-contract=off\")\n"
               "#else\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n"
               "typedef controller_real real;\n");
  if (!fb_codegen_any(c)->near)
    fprintf(f, "#define ROUNDING ((real)%s)\n", c->set.single ? "1e-4" : "1e-9");
}

void fb_controller_source(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);

  // the code, the numbers, the functions for the caller
  fb_source_begin(f, c);
  fb_source_code(f, (const fb_codegen *const[]){c}, 1, false);
  fputs("\n// -- the numbers\n\n", f);
  fb_source_numbers(f, c);
  fputs("\n// -- the functions\n", f);
  put_begins(f, c);
  if (w->f.tree) put_momentum(f, c);
  for (int way = 0; way < FB_WAYS; way++)
    for (int head = 0; fb_codegen_has(c, way) && head < FB_HEADS; head++) {
      if (!fb_head_exists(c, (fb_head)head)) continue;
      if (way == FB_ENCODERS)
        put_filter(f, c, (fb_head)head);
      else
        put_form(f, c, way, (fb_head)head);
    }
  const bool kept = w->f.ni + w->f.nl > 0;
  if (kept) put_integrate(f, c, false);
  if (kept && !w->near) put_integrate(f, c, true);
}

dm_status fb_controller_write(FILE *header, FILE *source, const fb_tvlqr *f, const dm_system *s,
                              fb_form form, const fb_codegen_settings *set, dm_message *msg) {
  const fb_codegen_settings defaults = fb_codegen_default();
  bool forms[FB_FORMS] = {false};
  forms[form] = true;

  // the law, and whether a text can represent its numbers
  fb_codegen *law;
  DM_TRY(fb_codegen_new(&law, f, s, forms, NULL, set ? set : &defaults, msg));
  dm_status status = fb_tables_check(law, msg);
  if (status == DM_OK) {
    fb_controller_header(header, law);
    fb_controller_source(source, law);
    bool whole = fflush(header) == 0 && fflush(source) == 0 && !ferror(header) && !ferror(source);
    if (!whole) status = dm_fail(msg, DM_IO, "the controller's text cannot be written");
  }
  fb_codegen_free(law);
  return status;
}
