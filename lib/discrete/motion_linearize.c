#include "lib/discrete/motion_linearize.h"

#include "lib/base/block.h"
#include "lib/mechanics/continuous.h"

#include <string.h>

struct dm_motion_linearize {
  const dm_trajectory *x;
  int laws;
  dm_linearize *smooth;          // without contacts
  dm_contact_linearize *contact; // with them
  dm_continuous *mechanics;
  unsigned char *entry; // [(N+1) x laws]
  double *v_q, *v_p;    // [n x n]
};

static void lay_out_motion(void *self, dm_block *b) {
  dm_motion_linearize *w = self;
  const size_t n = (size_t)w->x->n, knots = (size_t)w->x->N + 1;
  w->entry = dm_block_alloc(b, knots * (size_t)w->laws, 1);
  w->v_q = dm_block_alloc(b, w->laws ? n * n : 0, sizeof(double));
  w->v_p = dm_block_alloc(b, w->laws ? n * n : 0, sizeof(double));
}

dm_status dm_motion_linearize_new(dm_motion_linearize **out, const dm_trajectory *x,
                                  const dm_system *s) {
  const bool touches = s->contacts && x->nr;
  dm_motion_linearize sizes = {.x = x, .laws = touches ? s->contacts->n : 0};
  dm_motion_linearize *w = dm_block_make(&sizes, sizeof sizes, lay_out_motion);
  dm_contact_verdict verdict;
  if (!w) return DM_NO_MEMORY;
  dm_status status = DM_OK;
  if (!touches) status = dm_linearize_new_by_step(&w->smooth, s);
  if (touches) status = dm_contact_check(x, s, w->entry, &verdict);
  if (touches && status == DM_OK) status = dm_contact_linearize_new(&w->contact, s);
  if (touches && status == DM_OK) status = dm_continuous_new(&w->mechanics, s);
  if (status == DM_OK)
    *out = w;
  else
    dm_motion_linearize_free(w);
  return status;
}

void dm_motion_linearize_free(dm_motion_linearize *w) {
  if (!w) return;
  dm_linearize_free(w->smooth);
  dm_contact_linearize_free(w->contact);
  dm_continuous_free(w->mechanics);
  dm_block_free(w);
}

int dm_motion_linearize_inputs(const dm_motion_linearize *w) {
  return w->smooth ? w->smooth->ni : w->contact->ni;
}

dm_status dm_motion_linearize_step(dm_motion_linearize *w, int k, double *A, double *B) {
  const dm_trajectory *x = w->x;
  if (w->smooth) return dm_trajectory_linearize(x, k, w->smooth, A, B);
  const double *q = x->q + k * x->n;
  return dm_contact_linearize_step(w->contact, q, q + x->n, x->u + k * x->nu, x->lambda + k * x->nc,
                                   dm_trajectory_step(x, k), x->contact + k * x->nr,
                                   w->entry + k * w->laws, A, B);
}

dm_status dm_motion_linearize_end(dm_motion_linearize *w, double *state, double *J) {
  const dm_trajectory *x = w->x;
  const int n = x->n, N = x->N;
  const double *q = x->q + N * n, *v = x->v + N * n;
  memcpy(state, q, (size_t)n * sizeof *state);
  if (w->smooth) {
    memcpy(state + n, x->p + N * n, (size_t)n * sizeof *state);
    memset(J, 0, 4 * (size_t)n * (size_t)n * sizeof *J);
    for (int i = 0; i < 2 * n; i++) J[i * 2 * n + i] = 1;
    return DM_OK;
  }
  DM_TRY(dm_momentum_of(w->mechanics, q, v, state + n));
  DM_TRY(dm_velocity_slope(w->mechanics, state, v, w->v_q, w->v_p));
  return dm_contact_linearize_end(w->contact, q, v, w->v_q, w->v_p, x->h, x->contact + N * x->nr,
                                  w->entry + N * w->laws, J);
}
