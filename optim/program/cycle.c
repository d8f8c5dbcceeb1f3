#include "optim/program/cycle.h"

#include "control/feedback/repeat.h"
#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/discrete/motion_linearize.h"
#include "optim/program/join_map.h"

#include <math.h>
#include <string.h>

// Workspace for phases of at most n coordinates and ni inputs.
typedef struct cycle {
  const oc_phases_task *t;
  const dm_trajectory *const *motion;
  int n, ni;
  double *M, *MN;      // [2n x 2n] the product so far, and the next one
  double *A, *B, *T;   // [2n x 2n], [2n x ni], [2n x 2n]
  double *g, *gM;      // [n] g_q; [2n] g_q M
  double *y, *y_q;     // outputs and their derivatives
  double *x_a, *x_b;   // [2n] states at a join
  oc_pair *pairs;      // of a join whose travels are open
  void *scratch;       // of outputs
  int ny, npairs;      // most of any phase
  size_t scratch_size; // bytes
} cycle;

static void lay_out_cycle(void *self, dm_block *b) {
  cycle *w = self;
  const size_t nx = 2 * (size_t)w->n, ny = (size_t)w->ny;
  double **const squares[] = {&w->M, &w->MN, &w->A, &w->T};
  double **const vectors[] = {&w->g, &w->gM, &w->x_a, &w->x_b};
  for (int i = 0; i < 4; i++) *squares[i] = dm_block_alloc(b, nx * nx, sizeof(double));
  for (int i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, nx, sizeof(double));
  w->B = dm_block_alloc(b, nx * (size_t)w->ni, sizeof *w->B);
  w->y = dm_block_alloc(b, ny, sizeof *w->y);
  w->y_q = dm_block_alloc(b, ny * (size_t)w->n, sizeof *w->y_q);
  w->pairs = dm_block_alloc(b, (size_t)w->npairs, sizeof *w->pairs);
  w->scratch = dm_block_alloc(b, w->scratch_size, 1);
}

static int largest_of(int a, int b) {
  return a > b ? a : b;
}

static cycle *make_cycle(const oc_phases_task *t, const dm_trajectory *const *motion) {
  cycle sizes = {.t = t, .motion = motion};
  for (int i = 0; i < t->n; i++) {
    const oc_task *task = t->task[i];
    const size_t scratch = task->outputs.y.scratch;
    sizes.n = largest_of(sizes.n, task->system.L.nq);
    sizes.ni = largest_of(sizes.ni, task->system.nu + task->system.nk + 1);
    sizes.ny = largest_of(sizes.ny, task->outputs.y.ny);
    sizes.npairs = largest_of(sizes.npairs, t->join[i].npairs);
    sizes.scratch_size = scratch > sizes.scratch_size ? scratch : sizes.scratch_size;
  }
  return dm_block_make(&sizes, sizeof sizes, lay_out_cycle);
}

int oc_cycle_event(const oc_task *task) {
  const oc_outputs *o = &task->outputs;
  int event = -1, count = 0;
  for (int i = 0; !task->system.contacts && i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    if (l->low < l->high || l->at.from < 1 || oc_outputs_driven(o, l->output)) continue;
    if (dm_output_map_is_rated(&o->y, l->output)) continue;
    event = l->output;
    count++;
  }
  return count == 1 ? event : -1;
}

// M <- S M, with f_h in the last column of B
static dm_status pass_event(cycle *w, int i, int event, int ni, int wide) {
  const oc_task *task = w->t->task[i];
  const dm_trajectory *x = w->motion[i];
  const dm_output_map *y = &task->outputs.y;
  const int n = x->n;
  const dm_status s = dm_output_map_eval(y, w->scratch, x->q + x->N * n, NULL, w->y, w->y_q, NULL);
  if (s != DM_OK && s != DM_NOT_FINITE) return s;

  // g_q f_h, and g_q M
  const double *g = w->y_q + event * n;
  double closing = 0;
  memset(w->gM, 0, (size_t)wide * sizeof *w->gM);
  for (int r = 0; r < n; r++) {
    closing += g[r] * w->B[r * ni + ni - 1];
    dm_add_to(wide, g[r], w->M + r * wide, w->gM);
  }
  if (!(fabs(closing) > 0)) return DM_SINGULAR;
  for (int r = 0; r < 2 * n; r++)
    dm_add_to(wide, -w->B[r * ni + ni - 1] / closing, w->gM, w->M + r * wide);
  return DM_OK;
}

// does phase i end at a time that no row determines?
static bool is_open_ended(const cycle *w, int i) {
  const oc_task *task = w->t->task[i];
  return task->time.free && !task->system.contacts && oc_cycle_event(task) < 0;
}

// A - B K of step k into w->A; K NULL: A
static dm_status linearize_cycle_step(cycle *w, const dm_trajectory *x, int k,
                                      dm_motion_linearize *lin, const double *K) {
  const int nx = 2 * x->n, ni = dm_motion_linearize_inputs(lin), nu = x->nu;
  DM_TRY(dm_motion_linearize_step(lin, k, w->A, w->B));
  for (int r = 0; K && r < nx; r++)
    for (int j = 0; j < nu; j++)
      dm_add_to(nx, -w->B[r * ni + j], K + (k * nu + j) * nx, w->A + r * nx);
  return DM_OK;
}

// M <- X M, X [rows x cols]
static void pass_matrix(cycle *w, const double *X, int rows, int cols, int wide) {
  dm_gemm(rows, wide, cols, 1, X, w->M, 0, w->MN);
  memcpy(w->M, w->MN, (size_t)(rows * wide) * sizeof *w->M);
}

// M <- J S A_(N-1) .. A_0 M of phase i; wide: the columns of M
static dm_status pass_phase(cycle *w, int i, const double *K, int wide) {
  const dm_trajectory *x = w->motion[i];
  const int nx = 2 * x->n, event = oc_cycle_event(w->t->task[i]);
  dm_motion_linearize *lin;
  if (is_open_ended(w, i)) return DM_UNAVAILABLE;
  DM_TRY(dm_motion_linearize_new(&lin, x, &w->t->task[i]->system));
  dm_status s = DM_OK;
  for (int k = 0; s == DM_OK && k < x->N; k++) {
    s = linearize_cycle_step(w, x, k, lin, K);
    pass_matrix(w, w->A, nx, nx, wide);
  }
  if (s == DM_OK && event >= 0) s = pass_event(w, i, event, dm_motion_linearize_inputs(lin), wide);
  if (s == DM_OK) s = dm_motion_linearize_end(lin, w->x_a, w->A);
  if (s == DM_OK) pass_matrix(w, w->A, nx, nx, wide);
  dm_motion_linearize_free(lin);
  return s;
}

// (q,p) at the start of a motion
static void read_start(const dm_trajectory *x, double *state) {
  memcpy(state, x->q, (size_t)x->n * sizeof *state);
  memcpy(state + x->n, x->p, (size_t)x->n * sizeof *state);
}

oc_join oc_cycle_join(const oc_phases_task *t, int i, oc_pair *pairs) {
  oc_join join = t->join[i];
  for (int p = 0; p < join.npairs; p++) {
    oc_pair *pair = &pairs[p];
    *pair = join.pairs[p];
    if (join.law != OC_JOIN_MOMENTUM || (pair->low == 0 && pair->high == 0)) continue;
    pair->low = -INFINITY;
    pair->high = INFINITY;
  }
  join.pairs = pairs;
  return join;
}

// M <- T M of the join after phase i, whose state at the end is in w->x_a
static dm_status pass_join(cycle *w, int i, int wide) {
  const oc_phases_task *t = w->t;
  const int next = (i + 1) % t->n;
  const dm_trajectory *a = w->motion[i], *b = w->motion[next];
  const oc_join join = oc_cycle_join(t, i, w->pairs);
  oc_join_map *map;
  DM_TRY(oc_join_map_new(&map, &join, t->task[i], t->task[next]));
  read_start(b, w->x_b);
  const dm_status s = oc_join_map_slope(map, w->x_a, w->x_b, w->T);
  oc_join_map_free(map);
  if (s == DM_OK) pass_matrix(w, w->T, 2 * b->n, 2 * a->n, wide);
  return s;
}

dm_status oc_cycle_passage(const oc_phases_task *t, const dm_trajectory *const *motion, int i,
                           double *C) {
  if (!t->periodic) return DM_UNAVAILABLE;
  cycle *w = make_cycle(t, motion);
  if (!w) return DM_NO_MEMORY;
  const dm_trajectory *x = motion[i];
  const int wide = 2 * x->n, event = oc_cycle_event(t->task[i]);
  dm_motion_linearize *lin = NULL;
  dm_status s = is_open_ended(w, i) ? DM_UNAVAILABLE : DM_OK;
  for (int r = 0; r < wide; r++) w->M[r * wide + r] = 1;

  // the last step's derivative by its duration, the impulses at the end, then the join
  if (s == DM_OK) s = dm_motion_linearize_new(&lin, x, &t->task[i]->system);
  if (s == DM_OK && event >= 0) s = dm_motion_linearize_step(lin, x->N - 1, w->A, w->B);
  if (s == DM_OK && event >= 0) s = pass_event(w, i, event, dm_motion_linearize_inputs(lin), wide);
  if (s == DM_OK) s = dm_motion_linearize_end(lin, w->x_a, w->A);
  if (s == DM_OK) pass_matrix(w, w->A, wide, wide, wide);
  if (s == DM_OK) s = pass_join(w, i, wide);
  if (s == DM_OK) memcpy(C, w->M, 2 * (size_t)(motion[(i + 1) % t->n]->n * wide) * sizeof *C);
  dm_motion_linearize_free(lin);
  dm_block_free(w);
  return s;
}

// the eigenvalues of M [wide x wide]
static dm_status find_multipliers(cycle *w, int wide, double *re, double *im) {
  const int info = dm_blas()->LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', wide, w->M, wide, re, im,
                                            NULL, 1, NULL, 1);
  return info == 0 ? DM_OK : DM_STALLED;
}

dm_status oc_cycle_multipliers(const oc_phases_task *t, const dm_trajectory *const *motion,
                               const double *const *gains, double *re, double *im) {
  if (!t->periodic) return DM_UNAVAILABLE;
  cycle *w = make_cycle(t, motion);
  if (!w) return DM_NO_MEMORY;
  const int wide = 2 * motion[0]->n;
  dm_status s = DM_OK;
  for (int i = 0; i < wide; i++) w->M[i * wide + i] = 1;
  for (int i = 0; s == DM_OK && i < t->n; i++) {
    s = pass_phase(w, i, gains ? gains[i] : NULL, wide);
    if (s == DM_OK) s = pass_join(w, i, wide);
  }
  if (s == DM_OK) s = find_multipliers(w, wide, re, im);
  dm_block_free(w);
  return s;
}

dm_status oc_cycle_motion(const dm_trajectory *x, const dm_system *system, const double *K,
                          double *re, double *im) {
  const int wide = 2 * x->n;
  cycle sizes = {.n = x->n, .ni = system->nu + system->nk + 1};
  cycle *w = dm_block_make(&sizes, sizeof sizes, lay_out_cycle);
  dm_motion_linearize *lin = NULL;
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i < wide; i++) w->M[i * wide + i] = 1;
  dm_trajectory *repeated = NULL;
  dm_status s = x->nc ? fb_repeat_motion(&repeated, x, system) : DM_OK;
  if (repeated) x = repeated;
  if (s == DM_OK) s = dm_motion_linearize_new(&lin, x, system);
  for (int k = 0; s == DM_OK && k < x->N; k++) {
    s = linearize_cycle_step(w, x, k, lin, K);
    if (s == DM_OK) pass_matrix(w, w->A, wide, wide, wide);
  }
  if (s == DM_OK) s = find_multipliers(w, wide, re, im);
  dm_motion_linearize_free(lin);
  dm_trajectory_free(repeated);
  dm_block_free(w);
  return s;
}
