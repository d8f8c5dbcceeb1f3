#include "control/codegen/codegen.h"

#include "control/codegen/number.h"
#include "control/feedback/plan.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

fb_codegen_settings fb_codegen_default(void) {
  return (fb_codegen_settings){.name = NULL};
}

void fb_codegen_free(fb_codegen *c) {
  if (!c) return;
  for (int form = 0; form < FB_FORMS; form++) fb_output_feedback_free(c->law[form]);
  free(c->v_d);
  free(c->off_p);
  dm_block_free(c);
}

// the plan's speeds v_d [(N+1) x n], from its momenta
static dm_status find_plan_speeds(fb_codegen *c, const fb_tvlqr *f, const dm_system *s,
                                  dm_message *msg) {
  int knot = 0;
  c->v_d = calloc(((size_t)f->N + 1) * (size_t)s->L.nq, sizeof *c->v_d);
  if (!c->v_d) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_status status = fb_plan_speeds(f, s, c->v_d, &knot);
  if (status != DM_OK)
    dm_fail(msg, status, "the plan has no velocity at knot %d: %s", knot, dm_status_text(status));
  return status;
}

// raise off_p to at least |J| off_v at knot k, with J = dp/dv there; work: space for 4 n numbers
static dm_status widen_momentum_room(fb_codegen *c, const fb_tvlqr *f, int k, dm_continuous *m,
                                     size_t n, double *work) {
  double *off = work, *v = work + n, *p = work + 2 * n, *p0 = work + 3 * n;
  const double *q = dm_row(f->x, k, f->nx);

  // column by column, since p is linear in v
  memset(work, 0, 2 * n * sizeof *work);
  dm_status status = dm_momentum_of(m, q, v, p0);
  for (size_t j = 0; j < n && status == DM_OK; j++) {
    v[j] = c->set.off_v[j];
    status = dm_momentum_of(m, q, v, p);
    v[j] = 0;
    for (size_t i = 0; i < n; i++) off[i] += fabs(p[i] - p0[i]);
  }
  for (size_t i = 0; i < n; i++) c->off_p[i] = fmax(c->off_p[i], off[i]);
  return status;
}

// how far p may be from the plan at a knot
static dm_status find_momentum_room(fb_codegen *c, const fb_tvlqr *f, const dm_system *s,
                                    dm_message *msg) {
  const size_t n = (size_t)s->L.nq;
  dm_continuous *m = NULL;
  double *work = calloc(4 * n, sizeof *work);
  c->off_p = calloc(n, sizeof *c->off_p);
  dm_status status = work && c->off_p ? dm_continuous_new(&m, s) : DM_NO_MEMORY;
  for (int k = 0; k <= f->N && status == DM_OK; k++)
    status = widen_momentum_room(c, f, k, m, n, work);
  if (status != DM_OK) dm_fail(msg, status, "no range of p: %s", dm_status_text(status));
  dm_continuous_free(m);
  free(work);
  return status;
}

dm_status fb_codegen_new(fb_codegen **out, const fb_tvlqr *f, const dm_system *s,
                         const bool form[FB_FORMS], const fb_estimator *estimator,
                         const fb_codegen_settings *set, dm_message *msg) {
  dm_block b = {0};
  assert(out && set && f->N > 0 && f->K);
  assert(form[FB_STATE] || form[FB_VELOCITY] || form[FB_POSITIONS] || form[FB_DIFFERENCE]);
  assert(form[FB_STATE] || !estimator);

  // fb_codegen_free accepts an object without laws
  *out = NULL;
  dm_block_alloc(&b, 1, sizeof **out);
  if (dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  fb_codegen *c = dm_block_alloc(&b, 1, sizeof *c);
  c->estimator = estimator;
  c->set = *set;
  if (!c->set.end) c->set.end = "";

  // the schedule's law in each form: a table G, and mechanics only for p = M(q) v
  dm_status status = DM_OK;
  for (int i = 0; i < FB_FORMS && status == DM_OK; i++) {
    const bool exact = f->tree && i != FB_STATE && (i != FB_POSITIONS || f->tree->points > 0);
    if (form[i]) status = fb_output_feedback_new(&c->law[i], f, s, (fb_form)i, exact, msg);
  }
  if (status == DM_OK && (c->law[FB_STATE] || c->law[FB_POSITIONS] || f->tree))
    status = find_plan_speeds(c, f, s, msg);
  if (status == DM_OK && set->off_v) status = find_momentum_room(c, f, s, msg);
  if (status != DM_OK) {
    fb_codegen_free(c);
    return status;
  }
  *out = c;
  return DM_OK;
}

// -- the forms of measurement

const fb_output_feedback *fb_codegen_lined(const fb_codegen *c) {
  const int forms[] = {FB_VELOCITY, FB_DIFFERENCE};
  for (int i = 0; i < 2; i++)
    if (c->law[forms[i]] && c->law[forms[i]]->f.drives) return c->law[forms[i]];
  return NULL;
}

const fb_output_feedback *fb_codegen_any(const fb_codegen *c) {
  int form = 0; // there is at least one, see fb_codegen_new
  while (!c->law[form]) form++;
  return c->law[form];
}

bool fb_codegen_has(const fb_codegen *c, int way) {
  return way == FB_ENCODERS ? c->estimator != NULL : c->law[way] != NULL;
}

bool fb_codegen_watches(const fb_codegen *c, int way) {
  return fb_codegen_has(c, way) && fb_codegen_any(c)->f.envelope;
}

bool fb_codegen_computes_momentum(const fb_codegen *c, int way) {
  return way != FB_ENCODERS && way != FB_STATE && c->law[way]->exact;
}

const struct tree_tables *fb_codegen_tree(const fb_codegen *c) {
  const tree_tables *tree = fb_codegen_any(c)->f.tree;
  return !tree && c->estimator ? c->estimator->predictor.tree : tree;
}

bool fb_codegen_steps(const fb_codegen *c) {
  const bool predicts = c->estimator && c->estimator->predictor.tree;
  return predicts || (c->law[FB_POSITIONS] && c->law[FB_POSITIONS]->exact);
}

const fb_output_feedback *fb_codegen_rubbed(const fb_codegen *c) {
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form] && c->law[form]->compensates) return c->law[form];
  return NULL;
}

const char *fb_codegen_law(int form) {
  return fb_form_names[form == FB_DIFFERENCE ? FB_VELOCITY : form];
}

bool fb_codegen_shares_law(const fb_codegen *c, int form) {
  return form == FB_DIFFERENCE && c->law[FB_VELOCITY];
}

const char *fb_codegen_way(int way) {
  return way == FB_ENCODERS ? "encoders" : fb_form_names[way];
}

int fb_codegen_width(const fb_codegen *c, int way) {
  const fb_tvlqr *f = &fb_codegen_any(c)->f;
  if (way == FB_ENCODERS) return c->estimator->ny + f->late * f->nu;
  const fb_output_feedback *w = c->law[way];
  if (way == FB_DIFFERENCE) return w->ny - w->n;
  return w->ny + (way == FB_POSITIONS && w->exact ? w->nf : 0);
}

double fb_codegen_rounded(const fb_codegen *c, double x) {
  return fb_number_rounded(c->set.single, x);
}

// -- the parameters of each function

// the parameters of a function by `way`, of the law of a form w
static int list_parameters(const fb_codegen *c, const fb_output_feedback *w, int way,
                           fb_codegen_parameter list[FB_MAX_PARAMETERS]) {
  const fb_codegen_settings *set = &c->set;
  int n = w->n, count = 0;

  // positions
  if (way == FB_ENCODERS)
    list[count++] =
        (fb_codegen_parameter){"encoder",  "q.",        c->estimator->ny,   "what encoders read",
                               set->coord, set->q_unit, c->estimator->which};
  else
    list[count++] =
        (fb_codegen_parameter){"q", "q.", n, "configuration", set->coord, set->q_unit, NULL};

  // velocities
  if (way == FB_STATE)
    list[count++] =
        (fb_codegen_parameter){"p", "p.", n, "momentum L_v(q,v)", set->coord, set->p_unit, NULL};
  if (way == FB_VELOCITY)
    list[count++] = (fb_codegen_parameter){"v", "v.", n, "velocity", set->coord, set->v_unit, NULL};
  if (way == FB_POSITIONS)
    list[count++] = (fb_codegen_parameter){
        "before", "before.q.", n, "configuration one step ago", set->coord, set->q_unit, NULL};
  if (way == FB_POSITIONS && w->nf)
    list[count++] = (fb_codegen_parameter){
        "force",    "before.u.", w->nf, "forces applied since, as they were after limits",
        set->input, set->u_unit, NULL};

  // data that the caller keeps
  if (w->f.ni)
    list[count++] =
        (fb_codegen_parameter){"integral", "integral.q.", w->f.ni,      "integral of the error of",
                               set->coord, NULL,          w->f.integral};
  if (w->f.nl && way != FB_ENCODERS) // whose filter has them
    list[count++] = (fb_codegen_parameter){
        "motor",    "motor.u.",  w->f.nl,     "torque less the plan's, of the motor of",
        set->input, set->u_unit, w->f.lagging};

  // the input under way
  if (w->f.late)
    list[count++] = (fb_codegen_parameter){
        "now",      "now.u.",    w->f.nu, "input under way, as applied from now on",
        set->input, set->u_unit, NULL};
  return count;
}

// the law of a form; of encoders any
static const fb_output_feedback *find_law(const fb_codegen *c, int way) {
  return way == FB_ENCODERS ? fb_codegen_any(c) : c->law[way];
}

int fb_codegen_entries(const fb_codegen *c, int way, fb_codegen_parameter list[FB_MAX_PARAMETERS]) {
  const int of = fb_codegen_computes_momentum(c, way) ? FB_STATE : way;
  return list_parameters(c, find_law(c, way), of == FB_DIFFERENCE ? FB_VELOCITY : of, list);
}

int fb_codegen_parameters(const fb_codegen *c, int way,
                          fb_codegen_parameter list[FB_MAX_PARAMETERS]) {
  return list_parameters(c, find_law(c, way), way, list);
}
