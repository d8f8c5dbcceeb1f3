#include "lib/multibody/tree_lagrangian.h"

#include "lib/multibody/tree_lanes.h"

#define LANES 1
#include "lib/multibody/tree_lagrangian.inc"

// the kernel with the most lanes that the processor supports; NULL: one lane
static const dm_tree_kernel *find_widest_kernel(void) {
#ifdef DM_X86_LANES
  if (__builtin_cpu_supports("avx512f")) return &dm_tree_avx512;
  if (__builtin_cpu_supports("avx2")) return &dm_tree_avx2;
#endif
  return NULL;
}

dm_lagrangian dm_tree_lagrangian(const dm_model *m) {
  dm_lagrangian L = {.nq = m->nq,
                     .idle = m->nq - m->active,
                     .quadratic = true,
                     .mask = m->mask,
                     .self = m,
                     .scratch = find_scratch_size(m),
                     .eval = eval_tree,
                     .contract = contract_tree,
                     .lanes = 1};

  // evaluate several points at once if the processor has vector instructions
  const dm_tree_kernel *k = find_widest_kernel();
  if (k) {
    L.lanes = k->lanes;
    L.lanes_scratch = k->scratch(m);
    L.lanes_eval = k->eval;
    L.lanes_contract = k->contract;
  }
  return L;
}

void dm_tree_momentum(const dm_model *m, void *scratch, const double *q, const double *v,
                      double mu[6]) {
  tree_pass w = open_scratch(m, scratch);
  place_joints(m, &w, q);
  find_motions(m, &w, v);

  // sum over bodies about the recursion's origin o; about the world's origin add o x linear
  // momentum
  dm_spatial sum = {0};
  for (int j = 0; j < m->nj; j++) sum = dm_sadd(sum, w.h[j]);
  sum.w = dm_add(sum.w, dm_cross(w.o, sum.v));
  dm_spatial_list(sum, mu);
}

// dm_tree_momentum with the signature of dm_momentum_map
static void eval_tree_momentum(const void *self, void *scratch, const double *q, const double *v,
                               double mu[6]) {
  dm_tree_momentum(self, scratch, q, v, mu);
}

dm_momentum_map dm_tree_momentum_map(const dm_model *m) {
  return (dm_momentum_map){.self = m, .scratch = find_scratch_size(m), .eval = eval_tree_momentum};
}

dm_pose dm_tree_pose(const dm_model *m, void *scratch, const double *q, int b) {
  tree_pass w = open_scratch(m, scratch);
  place_joints(m, &w, q);
  int j = m->body_joint[b];
  return j < 0 ? m->body_pose[b] : dm_compose(&w.X[j], &m->body_pose[b]);
}

void dm_tree_frames_of(const dm_model *m, int count, const int *joint, const double *q,
                       dm_pose *X) {
  for (int i = 0; i < count; i++) {
    const int j = joint ? joint[i] : i, own = m->ball[j] == 1 ? 3 : 1;
    double at[3];

    // value of the joint: its coordinate, or ratio q + shift
    for (int k = 0; !m->direct && k < own; k++)
      at[k] = m->ratio[j + k] * q[m->coord[j + k]] + m->shift[j + k];
    place_frame(m, X, j, m->direct ? q + j : at);
  }
}

void dm_tree_frames(const dm_model *m, const double *q, dm_pose *X) {
  dm_tree_frames_of(m, m->nj, NULL, q, X);
}
