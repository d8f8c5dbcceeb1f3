#include "lib/studies/system_laws.h"

#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "lib/discrete/assembly.h"
#include "lib/discrete/composition.h"
#include "lib/discrete/simulate.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/symmetry_search.h"
#include "lib/second/flow.h"
#include "lib/studies/map_flow.h"
#include "lib/studies/second_flow.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ATTEMPTS = 5,
  SHORTER = 6
}; // each with half of the step, of a system also a quarter of the velocity

static const double IMPACT_SHARE = 0.01; // of the kinetic energy that an impact may add
static const double DEEP = 1e-6;         // within a contact, m

// the parts of a system: without contacts, joint inputs and prescribed motion; and also without forces
typedef struct parts {
  dm_system whole, free;
  bool forced, stiff; // has it damping or general forces? inertia added for stiff damping?
  char note[DM_LAW_TEXT];
} parts;

static parts split_system(const dm_system *s) {
  parts out = {.whole = *s};
  dm_system *whole = &out.whole, *free = &out.free;
  whole->contacts = NULL;
  whole->nu = whole->force.nu;
  bool damped = false;
  for (int i = 0; s->damping && i < s->L.nq; i++) damped |= s->damping[i] > 0;
  if (!damped) whole->damping = NULL;
  out.forced = damped || whole->force.count > 0;
  out.stiff = s->physical != NULL;

  *free = *whole;
  free->damping = NULL;
  free->force = (dm_forces){0};
  free->nu = 0;
  free->lag = NULL;
  if (s->physical) free->L = *s->physical;
  free->physical = NULL;
  const char *forces = damped ? " and forces" : "forces";
  snprintf(out.note, sizeof out.note, "%s%s%s", out.forced ? "without " : "",
           damped ? "damping" : "", whole->force.count ? forces : "");
  return out;
}

static int find_order(const dm_system *s, int composed) {
  if (composed > 2) return composed;
  if (!dm_system_is_symmetric(s)) return 1;
  return 2 * s->rule.inner + 2;
}

// does L(q,v) = L(q,-v) hold at some states?
static dm_status find_even(const dm_system *s, const double *q, const double *v, bool *even) {
  dm_continuous *c;
  const int n = s->L.nq;
  double *back = calloc((size_t)(2 * n), sizeof *back), L = 0, change = 0, size = 0;
  dm_status status = back ? dm_continuous_new(&c, s) : DM_NO_MEMORY;
  for (int k = 0; status == DM_OK && k < 3; k++) {
    for (int sign = 0; status == DM_OK && sign < 2; sign++) {
      for (int i = 0; i < n; i++) {
        const double r = v[i] * (1 + dm_random_uniform(5, k, (uint64_t)i));
        back[i] = sign ? -r : r;
      }
      status = dm_momentum_of(c, q, back, back + n);
      if (sign) change = fmax(change, fabs(c->jet.L - L));
      L = c->jet.L;
      size = fmax(size, dm_inner(n, back, back + n));
    }
  }
  *even = change <= 1e-10 * size;
  if (back && c) dm_continuous_free(c);
  free(back);
  return status;
}

// the start (q,p) of a motion, with `share` of the velocity
static dm_status draw_start(const dm_law_motion *motion, const dm_system *s, double share,
                            double *q, double *v, double *p, dm_message *msg) {
  const int n = s->L.nq;
  double *size = calloc(2 * (size_t)n, sizeof *size);
  dm_continuous *c = NULL;
  dm_status status = size ? dm_continuous_new(&c, s) : DM_NO_MEMORY;
  if (status == DM_OK) {
    dm_system_motion_sizes(s, motion->h, size);
    for (int i = 0; i < n; i++) {
      const bool fixed = s->kinematic && s->kinematic[i];
      q[i] = motion->q[i];
      v[i] = share * (motion->v[i] + size[n + i] * dm_random_uniform(3, 0, (uint64_t)i));
      if (fixed) v[i] = 0;
    }
    if (s->hol.nc) status = dm_assembly_project(s, q, msg);
    if (status == DM_OK && s->hol.nc) status = dm_velocity_restrict(c, q, v);
    if (status >= 0) status = dm_momentum_of(c, q, v, p);
  }
  dm_continuous_free(c);
  free(size);
  return status;
}

// flows, group and start of the laws; to be freed by free_laws
typedef struct system_laws {
  parts of;
  dm_law_settings set;
  dm_symmetry_search *search;
  dm_symmetry_group *group;
  double *q, *v, *p;
} system_laws;

static void free_laws(system_laws *w) {
  dm_discrete_flow_free(w->set.whole);
  dm_discrete_flow_free(w->set.free);
  dm_symmetry_group_free(w->group);
  dm_symmetry_search_free(w->search);
  free(w->set.map_scratch);
  free(w->q);
}

static dm_status make_laws(system_laws *w, const dm_law_motion *motion, dm_message *msg) {
  const dm_system *s = motion->s;
  const size_t n = (size_t)s->L.nq;
  w->of = split_system(s);
  w->q = calloc(3 * n, sizeof *w->q);
  const bool mapped = motion->map && motion->map->eval;
  if (mapped) w->set.map_scratch = aligned_alloc(64, (motion->map->scratch + 127) / 64 * 64);
  if (!w->q || (mapped && !w->set.map_scratch)) return DM_NO_MEMORY;
  w->v = w->q + n;
  w->p = w->v + n;
  dm_law_settings *set = &w->set;
  set->h = motion->h;
  set->x = w->q;
  set->p = w->p;
  set->order = find_order(&w->of.free, motion->order);
  set->whole_order = find_order(&w->of.whole, motion->order);
  set->symmetric = dm_system_is_symmetric(w->of.stiff ? &w->of.free : &w->of.whole);
  set->nonholonomic = s->hol.nv > 0;
  set->forced = w->of.forced && !w->of.stiff;
  set->coord = motion->coord;
  set->kept = motion->kept;
  set->note = w->of.note;
  set->map = motion->map;

  DM_TRY(dm_map_flow_new(&set->free, &w->of.free, motion->order, msg));
  if (set->forced) DM_TRY(dm_map_flow_new(&set->whole, &w->of.whole, motion->order, msg));
  DM_TRY(draw_start(motion, &w->of.free, 1, w->q, w->v, w->p, msg));
  DM_TRY(find_even(&w->of.free, w->q, w->v, &set->even));
  DM_TRY(dm_symmetry_search_new(&w->search, &w->of.free, mapped ? motion->map : NULL, w->q));
  if (dm_symmetry_group_new(&w->group, dm_symmetry_search_model(w->search)) == DM_OK)
    set->group = w->group;
  return DM_OK;
}

// the row of a motion whose steps are shorter than asked
static void note_step(dm_laws *laws, double h) {
  char text[DM_LAW_TEXT];
  snprintf(text, sizeof text, "judged with steps of %.3g s: longer ones are not stable here", h);
  dm_laws_refuse(laws, "step", "short enough", text);
}

dm_status dm_laws_of_system(dm_laws *laws, const dm_law_motion *motion, dm_message *msg) {
  assert(laws && motion && motion->s && motion->q && motion->v && motion->h > 0);
  system_laws w = {.search = NULL};
  const dm_laws before = *laws;
  dm_status s = make_laws(&w, motion, msg);
  if (s == DM_OK) s = dm_laws_judge(laws, &w.set);

  // steps that have no solution: shorter ones, of a slower motion
  dm_law_motion slow = *motion;
  for (int i = 1; s != DM_OK && s != DM_NO_MEMORY && w.group && i < ATTEMPTS; i++) {
    *laws = before;
    slow.h /= 2;
    w.set.h = slow.h;
    s = draw_start(&slow, &w.of.free, ldexp(1, -2 * i), w.q, w.v, w.p, msg);
    if (s >= 0) s = dm_laws_judge(laws, &w.set);
    if (s == DM_OK) note_step(laws, slow.h);
  }
  free_laws(&w);
  const char *why = s == DM_SINGULAR ? "the mass matrix is singular, or constraints are dependent"
                                     : dm_status_text(s);
  return s == DM_OK ? s : dm_fail(msg, s, "the laws have no motion: %s", why);
}

// -- second order

typedef struct second_model {
  dm_second_order_lagrangian C;
  double value;
} second_model;

static dm_status find_second_gradient(void *self, const double *x, double *g) {
  second_model *w = self;
  return w->C.eval(&w->C, 1, x, &w->value, g, NULL);
}

// is C even under reversal of time, q^(d) -> (-1)^d q^(d), at some states?
static dm_status find_second_even(const dm_second_order_lagrangian *C, const double *q,
                                  bool *even) {
  const int n = C->n, all = (C->k + 1) * n;
  double *x = calloc((size_t)(2 * all), sizeof *x), change = 0, size = 0;
  dm_status s = x ? DM_OK : DM_NO_MEMORY;
  for (int k = 0; s == DM_OK && k < 3; k++) {
    double value[2] = {0};
    for (int sign = 0; s == DM_OK && sign < 2; sign++) {
      for (int i = 0; i < all; i++) {
        const double r = dm_random_uniform(5, k, (uint64_t)i);
        x[i] = i < n ? q[i] + 0.1 * r : r;
        if (sign && i / n % 2) x[i] = -r;
      }
      s = C->eval(C, 0, x, &value[sign], x + all, NULL);
    }
    change = fmax(change, fabs(value[1] - value[0]));
    size = fmax(size, fabs(value[0]));
  }
  *even = change <= 1e-10 * size;
  free(x);
  return s;
}

// the order of a rule of second order, by its name
static int find_rule_order(const dm_second_order_rule *rule) {
  return strncmp(rule->name, "hermite", 7) ? 2 : 2 * rule->k;
}

// the laws with one step length, from momenta that lead to Taylor's expansion of the start
static dm_status judge_second(dm_laws *laws, dm_second_order *L, dm_law_settings *set,
                              const double *const start[4], double *X, dm_message *msg) {
  double *X1 = X + L->size, *P0 = X1 + L->size;
  dm_flow_taylor(L->n, L->k, set->h, start[0], start[1], start[2], start[3], X, X1);
  const dm_status s = dm_second_order_check(L, X, X1, set->h, msg);
  if (s != DM_OK) return s;
  DM_TRY(dm_second_order_eval(L, 1, X, X1, set->h));
  for (int i = 0; i < L->size; i++) P0[i] = -L->D0[i];
  set->x = X;
  set->p = P0;
  return dm_laws_judge(laws, set);
}

dm_status dm_laws_of_second(dm_laws *laws, dm_second_order *L, double h, const double *q,
                            const double *v, const double *a, const double *jerk,
                            const dm_law_quantities *kept, const char *const *coord,
                            dm_message *msg) {
  assert(laws && L && q && v && a && jerk && h > 0);
  const double *const start[] = {q, v, a, jerk};
  dm_law_settings set = {.h = h,
                         .order = find_rule_order(&L->rule),
                         .symmetric = true,
                         .kept = kept,
                         .coord = coord,
                         .note = ""};
  second_model model = {.C = L->C};
  const dm_symmetry_model search = {
      .n = L->n, .k = L->k, .self = &model, .gradient = find_second_gradient, .centre = q};
  dm_symmetry_group *group = NULL;
  const dm_laws before = *laws;
  double *X = calloc(3 * (size_t)L->size, sizeof *X);
  dm_status s = X ? dm_second_flow_new(&set.free, L) : DM_NO_MEMORY;
  if (s == DM_OK) s = find_second_even(&L->C, q, &set.even);
  if (s == DM_OK && dm_symmetry_group_new(&group, &search) == DM_OK) set.group = group;
  if (s == DM_OK) s = judge_second(laws, L, &set, start, X, msg);
  for (int i = 0; i < SHORTER && set.free && s != DM_OK && s != DM_SINGULAR; i++) {
    *laws = before;
    set.h /= 2;
    s = judge_second(laws, L, &set, start, X, msg);
    if (s == DM_OK) note_step(laws, set.h);
  }
  dm_symmetry_group_free(group);
  dm_discrete_flow_free(set.free);
  free(X);
  if (s != DM_SINGULAR && s != DM_UNAVAILABLE)
    return s == DM_OK ? s : dm_fail(msg, s, "the laws have no motion: %s", dm_status_text(s));
  dm_laws_refuse(laws, "second order", "a flow of knots",
                 s == DM_SINGULAR
                     ? "a step does not determine the next knot: a coordinate has no input or cost"
                     : "rounding grows too much within 12 steps");
  return DM_OK;
}

// -- impacts

typedef struct impact_run {
  const long *made;
  long before;               // contacts closed until the last knot
  int impacts, knots, open;  // knots since a contact closed, 0: more than one
  double energy, base;       // of the last knot; of that before the contact closed
  double gain, lost, smooth; // largest of an impact; sum of impacts; largest change in other steps
  double kinetic;            // largest energy of the motion
} impact_run;

// The energy of knot k is known before its step closes a contact, and an impulse at a knot acts on both sides: the energy
// of an impact is that two knots after it minus that before it.
static dm_status watch_energy(void *user, dm_simulation *x) {
  impact_run *w = user;
  const bool closed = x->stepped && *w->made > w->before;
  const double change = w->knots ? x->energy - w->energy : 0;
  if (w->open) {
    // after an impact: its end, unless another contact closes
    if (!closed && ++w->open > 2) {
      const double all = x->energy - w->base;
      w->gain = fmax(w->gain, all);
      w->lost += fmax(-all, 0);
      w->open = 0;
    }
  } else if (!closed) {
    w->smooth = fmax(w->smooth, fabs(change));
  }
  if (closed) {
    if (!w->open) w->base = w->knots ? w->energy : x->energy;
    w->open = 1;
    w->impacts += (int)(*w->made - w->before);
    w->before = *w->made;
  }
  w->kinetic = fmax(w->kinetic, dm_inner(x->x->n, x->x->p, x->x->v) / 2);
  w->energy = x->energy;
  w->knots++;
  return DM_OK;
}

// How deep the start lies in a contact at knots; the first step would push it out.
static dm_status find_depth(const dm_system *s, const double *q, double *depth) {
  const dm_contact_laws *laws = s->contacts;
  *depth = 0;
  if (!laws) return DM_OK;
  const dm_holonomic *rows = &laws->rows;
  const size_t scratch = (rows->scratch + 127) / 64 * 64;
  char *room = aligned_alloc(64, scratch);
  double *r = calloc((size_t)rows->nc, sizeof *r);
  dm_status status = room && r ? DM_OK : DM_NO_MEMORY;
  if (room) memset(room, 0, scratch);
  if (status == DM_OK) status = rows->eval(rows->self, room, q, r, NULL);
  for (int i = 0; status == DM_OK && i < laws->n; i++)
    if (laws->law[i].gap >= 0) *depth = fmax(*depth, -r[laws->law[i].gap]);
  free(room);
  free(r);
  return status;
}

dm_status dm_laws_of_impacts(dm_laws *laws, const dm_system *s, const dm_stepper *step,
                             const long *made, const double *q, const double *v, double h,
                             int steps) {
  assert(laws && s && step && made && q && v && h > 0);
  static const char law[] = "impacts", theorem[] = "add no energy";
  impact_run run = {.made = made};
  char text[DM_LAW_TEXT];
  double depth;
  DM_TRY(find_depth(s, q, &depth));
  if (depth > DEEP) {
    snprintf(text, sizeof text, "the start lies %.2g within a contact", depth);
    dm_laws_refuse(laws, law, theorem, text);
    return DM_OK;
  }
  dm_simulate_settings set = dm_simulate_default();
  set.steps = steps;
  set.h = h;
  set.knot = watch_energy;
  set.user = &run;
  dm_simulation *w;
  DM_TRY(dm_simulation_new(&w, s, step, &set));
  dm_status status = dm_simulation_start(w, &(dm_start){.q = q, .v = v});
  if (status == DM_OK) status = dm_simulation_run(w);
  dm_simulation_free(w);
  if (status == DM_NO_MEMORY) return status;
  if (!run.impacts) {
    snprintf(text, sizeof text, "no contact closes in %d steps", run.knots - 1);
    dm_laws_refuse(laws, law, theorem, text);
    return DM_OK;
  }
  dm_law_row row = {.theorem = theorem, .order = NAN, .expected = NAN};
  snprintf(row.law, sizeof row.law, "%s", law);
  snprintf(row.note, sizeof row.note,
           "%d impacts in %d steps of %.3g s take %.3g J; the kinetic energy is up to %.3g J",
           run.impacts, run.knots - 1, h, run.lost, run.kinetic);
  row.error = run.gain / run.kinetic;
  row.bound = IMPACT_SHARE + 3 * run.smooth / run.kinetic;
  dm_laws_add(laws, row);
  return DM_OK;
}
