#include "optim/program/input_sizes.h"

#include "lib/base/block.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>

// the largest limit, relative to the input that the coordinates need
static const double LOOSEST = 100;

// a point at which the forces are evaluated, with their derivatives by the inputs
typedef struct input_place {
  const oc_task *task;
  double *q, *v, *u, *f, *f_q, *f_v, *f_u;
  void *scratch;
} input_place;

static void lay_out_input_place(void *self, dm_block *b) {
  input_place *w = self;
  const dm_system *s = &w->task->system;
  const size_t n = (size_t)s->L.nq, nu = (size_t)s->force.nu;
  double **of_n[] = {&w->q, &w->v, &w->f};
  for (int i = 0; i < 3; i++) *of_n[i] = dm_block_alloc(b, n, sizeof(double));
  w->u = dm_block_alloc(b, nu, sizeof(double));
  w->f_q = dm_block_alloc(b, n * n, sizeof(double));
  w->f_v = dm_block_alloc(b, n * n, sizeof(double));
  w->f_u = dm_block_alloc(b, n * nu, sizeof(double));
  w->scratch = dm_block_alloc(b, dm_forces_scratch(&s->force, s->L.nq), 1);
}

// 1 / u of input j for coordinate i: the fraction of its momentum that a unit input changes in T
static void raise_share(double *u, const dm_scale *of, int i, double f_u) {
  const double share = of->time * fabs(f_u) / of->p[i];
  if (isfinite(share)) *u = fmax(*u, share);
}

// u_j after taking its limit into account; without a limit unchanged, also if it is 0
static double limit_size(const oc_task *task, int j, double u) {
  const double low = oc_low(task, OC_U, j);
  const double high = oc_high(task, OC_U, j);
  const double size = fmax(fabs(low), fabs(high));
  if (!isfinite(size) || size <= 0) return u;
  return u > 0 ? fmin(size, LOOSEST * u) : size;
}

dm_status oc_input_sizes(const oc_task *task, const dm_scale *of, double *u) {
  assert(task && of && u);
  const dm_system *s = &task->system;
  const int n = s->L.nq, joints = s->nu - s->force.nu, general = s->force.nu;
  input_place sizes = {.task = task};
  input_place *w = dm_block_make(&sizes, sizeof sizes, lay_out_input_place);
  if (!w) return DM_NO_MEMORY;

  // fractions of momenta from the columns of the forces
  dm_force_jet jet = {w->f, w->f_q, w->f_v, w->f_u};

  // near the start, but not at it, so that no lever arm vanishes by chance
  const oc_task *t = w->task;
  for (int i = 0; i < t->system.L.nq; i++) {
    const double start = oc_given(t->start.q, i) ? t->start.q[i] : 0;
    w->q[i] = start + 0.3 * of->q[i] * dm_random_uniform(1, i, 1);
    w->v[i] = of->v[i];
  }

  dm_status status = DM_OK;
  if (general > 0) status = dm_forces_eval(&s->force, n, w->scratch, 2, w->q, w->v, w->u, &jet);
  for (int j = 0; j < s->nu; j++) u[j] = 0;
  for (int j = 0; j < joints; j++)
    raise_share(&u[j], of, s->input_coord[j], s->input_gear ? s->input_gear[j] : 1);
  for (int i = 0; status == DM_OK && i < n; i++)
    for (int j = 0; j < general; j++) raise_share(&u[joints + j], of, i, w->f_u[i * general + j]);
  dm_block_free(w);

  // their inverses, or limits; inputs that move nothing at this point get the size of the largest one
  double largest = 0;
  for (int j = 0; j < s->nu; j++) {
    u[j] = limit_size(task, j, u[j] > 0 && isfinite(1 / u[j]) ? 1 / u[j] : 0);
    largest = fmax(largest, u[j]);
  }
  for (int j = 0; j < s->nu; j++)
    if (!(u[j] > 0)) u[j] = largest > 0 ? largest : 1;
  for (int i = 0, j = s->nu; s->kinematic && i < n; i++)
    if (s->kinematic[i]) u[j++] = of->q[i];
  return status == DM_NO_MEMORY ? status : DM_OK;
}
