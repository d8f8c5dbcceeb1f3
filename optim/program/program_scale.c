#include "optim/program/program_scale.h"

#include "lib/base/block.h"
#include "optim/nlp/scaled.h"
#include "optim/rows/contact_rows.h"
#include "optim/rows/contact_scale.h"

#include <math.h>

// The size of a coordinate relative to its range: 0.3 rad for an angle. Together with OBJECTIVE of a scaled
// program, it influences which of several minima is found, like the initial barrier parameter.
static const double SHARE = 0.3;

dm_status oc_task_scale(dm_scale **out, const oc_task *task, double time) {
  const int n = task->system.L.nq;
  dm_block b = {0};
  *out = NULL;
  dm_block_alloc(&b, (size_t)n, sizeof(double));
  DM_TRY(dm_block_new(&b));
  double *travel = dm_block_alloc(&b, (size_t)n, sizeof *travel);
  for (int i = 0; i < n; i++) {
    double low, high;
    travel[i] = task->periodic && oc_task_travel(task, i, &low, &high) ? high : NAN;
  }
  const dm_scale_task of = {.time = task->time.T > 0 ? task->time.T : time,
                            .reach = task->scales.reach,
                            .q_start = task->start.q,
                            .q_goal = task->goal.q,
                            .q = task->bounds[OC_Q],
                            .travel = travel,
                            .constant = task->constant.is};
  const dm_status s = dm_scale_new(out, &task->system, &of);
  dm_block_free(travel);
  return s;
}

dm_status oc_program_sizes(dm_scale **out, const oc_task *task) {
  DM_TRY(oc_task_scale(out, task, 1));
  for (int i = 0; i < task->system.L.nq; i++) {
    (*out)->q[i] *= SHARE;
    (*out)->v[i] *= SHARE;
  }
  return DM_OK;
}

// The classes of variables and rows, and their known scales.
typedef struct program_scale {
  const oc_transcription *t;
  const dm_scale *of;
  int *column, *row; // [nlp.n], [nlp.m] class of each: its first member
} program_scale;

static void lay_out_program_scale(void *self, dm_block *b) {
  program_scale *w = self;
  w->column = dm_block_alloc(b, (size_t)w->t->nlp.n, sizeof *w->column);
  w->row = dm_block_alloc(b, (size_t)w->t->nlp.m, sizeof *w->row);
}

// mark entries first .. first + count of all places of a series as known, with [count] sizes or one for all
static void set_known(const oc_series *f, int first, int count, const double *size, bool inverse,
                      int *class, double *scale) {
  for (int k = 0; k < f->count; k++)
    for (int i = 0; i < count; i++) {
      const int at = f->at + k * f->stride + first + i;
      class[at] = -1;
      scale[at] = inverse ? 1 / size[i] : size[i];
    }
}

// entries first .. first + count of a place form one class each, at all places, identified by the entries
// from `like` on
static void set_classes(const oc_series *f, int first, int count, int like, int *class) {
  for (int k = 0; k < f->count; k++)
    for (int i = 0; i < count; i++) class[f->at + k * f->stride + first + i] = like + i;
}

// the finite limits of inputs
static void set_input_limits(const program_scale *w, const oc_series *f, double *s) {
  const oc_task *task = &w->t->task;
  for (int j = 0; j < w->t->nf; j++) {
    const double low = oc_low(task, OC_U, j);
    const double high = oc_high(task, OC_U, j);
    const double size = fmax(fabs(low), fabs(high));
    for (int k = 0; k < f->count && isfinite(size); k++) s[f->at + k * f->stride + j] = size;
  }
}

// the next values of kinematic coordinates have the sizes of these coordinates
static void set_prescribed(const program_scale *w, const oc_series *f, double *s) {
  const oc_transcription *t = w->t;
  for (int i = 0, j = t->nf; t->kinematic && i < t->n; i++) {
    if (!t->kinematic[i]) continue;
    set_known(f, j++, 1, &w->of->q[i], false, w->column, s);
  }
}

static void set_variables(program_scale *w, double *s) {
  const oc_transcription *t = w->t;
  const oc_series *f = t->unknowns;
  const double step = w->of->time / t->N, one = 1;
  for (int j = 0; j < t->nlp.n; j++) s[j] = 0;
  set_known(&f[OC_POSITIONS], 0, t->n, w->of->q, false, w->column, s);
  set_classes(&f[OC_INPUTS], 0, t->nf, f[OC_INPUTS].at, w->column);
  // limits are often far away; through contact inputs have the sizes of impulses
  if (!t->nz) set_input_limits(w, &f[OC_INPUTS], s);
  set_prescribed(w, &f[OC_INPUTS], s);
  set_classes(&f[OC_IMPULSES], 0, t->nc, f[OC_IMPULSES].at, w->column);
  // the last ones are in the same class
  set_classes(&f[OC_LAST_IMPULSE], 0, t->nc, f[OC_IMPULSES].at, w->column);
  set_known(&f[OC_START_VELOCITY], 0, t->n, w->of->v, false, w->column, s);
  set_known(&f[OC_GOAL_VELOCITY], 0, t->n, w->of->v, false, w->column, s);
  set_known(&f[OC_VELOCITIES], 0, t->n, w->of->v, false, w->column, s);
  set_classes(&f[OC_VELOCITIES], t->n, t->nc, f[OC_VELOCITIES].at + t->n, w->column);
  set_known(&f[OC_STEP], 0, 1, &step, false, w->column, s);
  set_known(&f[OC_TIMES], 0, 1, &step, false, w->column, s);
  set_known(&f[OC_CURVE_PLACES], 0, 1, &one, false, w->column, s);
  set_classes(&f[OC_LEVEL_VALUES], 0, f[OC_LEVEL_VALUES].size, f[OC_LEVEL_VALUES].at, w->column);
  set_known(&f[OC_CONTACTS], 0, t->nz, oc_contact_rows_units(t), false, w->column, s);
}

static void set_rows(program_scale *w, double *r) {
  const oc_transcription *t = w->t;
  const dm_scale *of = w->of;
  const oc_series *motion = &oc_rows_of(t, OC_MOTION_ROWS)->at;
  const oc_series *velocity = &oc_rows_of(t, OC_VELOCITY_ROWS)->at;
  for (int i = 0; i < t->nlp.m; i++) r[i] = 0;

  // a class for each row of a place; all limits on an output have the size of the output
  for (const oc_rows *e = t->rows; e < t->rows + t->nrows; e++) {
    const oc_rows *like = e;
    const oc_output_limit *limits = t->task.outputs.limits;
    if (e->kind == OC_OUTPUT_ROWS)
      for (like = oc_rows_limit(t, 0); limits[like->limit].output != limits[e->limit].output;)
        like++;
    set_classes(&e->at, 0, e->at.size, like->at.at, w->row);
  }

  // momenta, or prescribed positions
  for (int i = 0; i < t->n; i++) {
    const bool prescribed = t->kinematic && t->kinematic[i];
    const bool length = t->task.system.length && t->task.system.length[i];
    const double impulse = t->nz ? oc_contact_impulse_of(&t->task, !length) : of->p[i];
    const double *size = prescribed ? &of->q[i] : &impulse;
    set_known(motion, i, 1, size, true, w->row, r);
    size = prescribed ? &of->v[i] : &impulse;
    if (velocity->count > 0) set_known(velocity, i, 1, size, true, w->row, r);
  }
  set_known(&oc_rows_of(t, OC_CONTACT_ROWS)->at, 0, t->nz, oc_contact_rows_sizes(t), true, w->row,
            r);
}

dm_status oc_transcription_scale(void *self, const double *x, double *s, double *r) {
  oc_transcription *t = self;
  dm_scale *of;
  DM_TRY(oc_program_sizes(&of, &t->task));
  program_scale sizes = {.t = t, .of = of};
  program_scale *w = dm_block_make(&sizes, sizeof sizes, lay_out_program_scale);
  dm_status status = w ? DM_OK : DM_NO_MEMORY;
  if (w) {
    set_variables(w, s);
    set_rows(w, r);
    status = oc_scale_by_class(&t->nlp, x, t->N, w->column, w->row, s, r);
  }
  dm_block_free(w);
  dm_scale_free(of);
  return status;
}

double oc_program_reach(const oc_task *const *task, int n) {
  double reach = 0;
  for (int c = 0; c < task[0]->system.L.nq; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) {
      const oc_task *of = task[i];
      const double *const ends[] = {of->start.q, of->goal.q};
      for (int e = 0; e < 2 && c < of->system.L.nq; e++) {
        if (!ends[e] || isnan(ends[e][c]) || !of->system.length || !of->system.length[c]) continue;
        low = fmin(low, ends[e][c]);
        high = fmax(high, ends[e][c]);
      }
    }
    reach = fmax(reach, high - low);
  }
  return reach;
}
