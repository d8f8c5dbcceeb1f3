#include "optim/rows/output_rows.h"

#include "optim/rows/contact_rows.h"
#include "optim/rows/curve_rows.h"
#include "optim/rows/exact_rows.h"

#include <math.h>
#include <string.h>

void oc_output_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  const oc_outputs *o = &t->task.outputs;
  const double room = oc_exact_rows_room(&t->task).limits;
  (void)kind;

  // the rows of a limit are consecutive, by knot or by step
  for (int i = 0; i < o->nlimits; i++) {
    const oc_rows *r = oc_rows_limit(t, i);
    for (int k = r->knot; oc_rows_has(r, k); k++) {
      const int at = oc_rows_row(r, k);
      oc_outputs_bounds(o, t->N, i, k, &t->g_min[at], &t->g_max[at]);
      if (k > 0 && k < t->N && t->g_min[at] == t->g_max[at]) {
        t->g_min[at] -= room;
        t->g_max[at] += room;
      }
    }
  }
}

// index of the velocity of a knot; for inner knots only if it is an unknown
static int find_velocity(const oc_transcription *t, int k) {
  if (k == 0) return t->v[0];
  return k == t->N ? t->v[1] : oc_transcription_velocity(t, k);
}

static bool has_velocity(const oc_transcription *t, int k) {
  return k == 0 || k == t->N || t->moving;
}

// are all coordinates that move output i at an end given?
static bool is_output_given(const oc_transcription *t, int i, int k) {
  const int q = oc_transcription_q(t, k), v = find_velocity(t, k);
  for (int j = 0; j < t->n; j++) {
    if (!t->out_mask[i * t->n + j]) continue;
    if (!oc_is_given(t, q + j) || (t->out_rated[i] && !oc_is_given(t, v + j))) return false;
  }
  return true;
}

// The outputs at an end into t->out_here, with free unknowns at zero. Only outputs without free unknowns are
// read.
static dm_status eval_given_end(oc_transcription *t, int k) {
  const int q = oc_transcription_q(t, k), v = find_velocity(t, k);
  for (int j = 0; j < t->n; j++) {
    t->mu[j] = oc_is_given(t, q + j) ? t->x_min[q + j] : 0;
    t->mu1[j] = oc_is_given(t, v + j) ? t->x_min[v + j] : 0;
  }
  const dm_status s = dm_output_map_eval(&t->task.outputs.y, t->out_scratch, t->mu, t->mu1,
                                         t->out_here, NULL, NULL);
  return s == DM_NOT_FINITE ? DM_OK : s; // the caller refuses outputs without a value
}

dm_status oc_output_rows_settle(oc_transcription *t, dm_message *msg) {
  return oc_function_rows_free_given(t->functions, t->x_min, t->x_max, t->g_min, t->g_max, msg);
}

dm_status oc_output_rows_know(oc_transcription *t, int output, int k, double *low, double *high) {
  oc_outputs_range(&t->task.outputs, t->N, output, k, false, low, high);
  if (!is_output_given(t, output, k)) return DM_OK;
  DM_TRY(eval_given_end(t, k));
  *low = *high = t->out_here[output];
  return DM_OK;
}

// -- functions at knots and in steps

static int find_knot_entry(const void *self, int k, int a) {
  const oc_transcription *t = self;
  if (a < t->n) return oc_transcription_q(t, k) + a;
  return has_velocity(t, k) ? find_velocity(t, k) + a - t->n : -1;
}

static int find_step_entry(const void *self, int k, int a) {
  const oc_transcription *t = self;
  const int n = t->n;
  if (a < n) return oc_transcription_q(t, k) + a;
  if (a < 2 * n) return oc_transcription_q(t, k + 1) + a - n;
  if (a < 2 * n + t->nf) return oc_transcription_u(t, k) + a - 2 * n;
  const int impulse = a - 2 * n - t->nf - (t->task.outputs.y.timed ? 3 : 1);
  return impulse < 0 ? t->h : oc_transcription_lambda(t, k) + impulse;
}

// the impulses of knot k, those of the next one, and times
static int find_contact_entry(const void *self, int k, int a) {
  const oc_transcription *t = self;
  const dm_contact_outputs of =
      dm_contact_outputs_of(&t->task.outputs.y, t->task.system.contacts->rows.nc);
  const int next = a / (2 * of.nr), at = a % (2 * of.nr);
  if (next > of.rates) return t->h;
  return oc_contact_rows_unknown(t, k + next < t->N ? k + next : t->N, at % of.nr, at >= of.nr);
}

dm_status oc_output_rows_new(oc_transcription *t) {
  const oc_function_program program = {.task = &t->task,
                                       .self = t,
                                       .knot = find_knot_entry,
                                       .step = find_step_entry,
                                       .contact = t->nz ? find_contact_entry : NULL,
                                       .h = t->h,
                                       .limits = oc_rows_limit(t, 0),
                                       .paths = oc_rows_of(t, OC_PATH_ROWS),
                                       .curve = oc_rows_of(t, OC_CURVE_ROWS),
                                       .levels = oc_rows_of(t, OC_LEVEL_ROWS),
                                       .peaks = oc_rows_of(t, OC_PEAK_ROWS)};
  return oc_function_rows_new(&t->functions, &program);
}

void oc_output_rows_bound_paths(oc_transcription *t, oc_rows_kind kind) {
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; k < t->N; k++)
    for (int i = 0; i < t->task.functions.npaths; i++, row++) {
      t->g_min[row] = t->task.functions.paths[i].low;
      t->g_max[row] = t->task.functions.paths[i].high;
    }
}

void oc_output_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                             double *g) {
  (void)kind;
  (void)x;
  oc_function_rows_values(t->functions, g);
}

dm_status oc_output_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                             oc_triplets *s) {
  (void)kind;
  if (s->val) DM_TRY(oc_function_rows_evaluate(t->functions, x));
  oc_function_rows_put(t->functions, s);
  return DM_OK;
}

dm_status oc_output_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                     double sigma, const double *lambda, oc_triplets *s) {
  (void)kind;
  return oc_function_rows_put_hessian(t->functions, x, sigma, lambda, s);
}
