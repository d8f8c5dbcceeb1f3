#include "optim/task/lagrangian_image.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

// relative tolerance on L and its derivatives: rounding of sines of large angles
static const double SAME = 1e-9;

struct oc_image {
  dm_lagrangian L;
  double *size, *speed; // [n] typical coordinates and rates
  double *q, *v;        // [n]
  dm_jet a, b;          // L and its gradient there, and at the image
  void *work;
};

static void lay_out_image(void *self, dm_block *b) {
  oc_image *w = self;
  const size_t n = (size_t)w->L.nq;
  double **vectors[] = {&w->q,     &w->v,     &w->a.L_q, &w->a.L_v,
                        &w->b.L_q, &w->b.L_v, &w->size,  &w->speed};
  for (int i = 0; i < 8; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  w->work = dm_block_alloc(b, w->L.scratch + 1, 1);
}

dm_status oc_image_new(oc_image **out, const oc_task *task) {
  assert(out && task);
  oc_image sizes = {.L = task->system.L};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_image);
  if (!*out) return DM_NO_MEMORY;
  for (int i = 0; i < sizes.L.nq; i++) {
    (*out)->size[i] = oc_task_way(task, i);
    (*out)->speed[i] = (*out)->size[i] / (task->time.T > 0 ? task->time.T : 1);
  }
  return DM_OK;
}

void oc_image_free(oc_image *w) {
  dm_block_free(w);
}

double oc_image_size(const oc_image *w, int i) {
  return w->size[i];
}

bool oc_image_is_alike(oc_image *w, double sign, const double *shift) {
  const dm_lagrangian *L = &w->L;
  const int n = L->nq;
  for (int j = 0; j < n; j++) {
    w->q[j] = w->size[j] * sin(1 + 0.7 * j);
    w->v[j] = w->speed[j] * cos(2 + 0.9 * j);
  }
  if (L->eval(L->self, w->work, 1, w->q, w->v, &w->a) < 0) return false;
  for (int j = 0; j < n; j++) {
    w->q[j] = sign * w->q[j] + (shift ? shift[j] : 0);
    w->v[j] *= sign;
  }
  if (L->eval(L->self, w->work, 1, w->q, w->v, &w->b) < 0) return false;

  // compare energies, with the changes that coordinates and velocities of typical size cause
  double off = fabs(w->a.L - w->b.L), size = fabs(w->a.L);
  for (int j = 0; j < n; j++) {
    const double q = w->size[j], v = w->speed[j];
    off = fmax(off, q * fabs(sign * w->a.L_q[j] - w->b.L_q[j]));
    off = fmax(off, v * fabs(sign * w->a.L_v[j] - w->b.L_v[j]));
    size += q * fabs(w->a.L_q[j]) + v * fabs(w->a.L_v[j]);
  }
  return off <= SAME * size;
}
