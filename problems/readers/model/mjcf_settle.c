#include "problems/readers/model/mjcf_settle.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/model/mjcf_tendon.h"

#include <string.h>

dm_status pb_mjcf_joint_spring(pb_mjcf_parts *w, const pb_mjcf_joint *j, double stiffness) {
  int *coord;
  double *factor;
  if (stiffness == 0) return DM_OK;
  PB_NEW(w->t->r->arena, coord, 1);
  PB_NEW(w->t->r->arena, factor, 1);
  *coord = j->coord;
  *factor = 1;
  const dm_tendon along = {.name = j->name, .ncoord = 1, .coord = coord, .factor = factor};
  return pb_tree_spring(
      w->t, &(pb_file_spring){.at = pb_mjcf_place(w, j->e),
                              .spring = {along, dm_spring_law_linear(stiffness, j->rest)}});
}

// 1 / (M^-1)_ii of every coordinate in the reference configuration
static dm_status find_inertias(const pb_mjcf_parts *w, const dm_model *m, double *inertia) {
  const int n = m->nq;
  const dm_lagrangian L = dm_tree_lagrangian(m);
  dm_block b = {0};
  dm_block_alloc(&b, (size_t)(4 * n + 3 * n * n), sizeof(double));
  dm_block_alloc(&b, 1, L.scratch);
  DM_TRY(dm_block_new(&b));
  void *base = b.base;
  double *q = dm_block_alloc(&b, (size_t)(4 * n + 3 * n * n), sizeof *q), *v = q + n;
  dm_jet jet = {.L_q = q + 2 * n, .L_v = q + 3 * n, .L_qq = q + 4 * n};
  jet.L_qv = jet.L_qq + n * n;
  jet.L_vv = jet.L_qv + n * n;
  memset(v, 0, (size_t)n * sizeof *v);
  pb_mjcf_reference(w, m, false, q);
  dm_status s = L.eval(L.self, dm_block_alloc(&b, 1, L.scratch), 2, q, v, &jet);

  // the inverse in the lower triangle; fails if M is not positive definite
  if (s == DM_OK && (dm_blas()->LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, jet.L_vv, n) != 0 ||
                     dm_blas()->LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, jet.L_vv, n) != 0))
    s = DM_NOT_FINITE;
  for (int i = 0; s == DM_OK && i < n; i++) inertia[i] = 1 / jet.L_vv[i * (n + 1)];
  dm_block_free(base);
  return s;
}

static dm_status settle_joints(pb_mjcf_parts *w, const dm_model *m) {
  double *inertia;
  PB_NEW(w->t->r->arena, inertia, m->nq + 1);
  const dm_status s = find_inertias(w, m, inertia);
  for (int i = 0; s == DM_OK && i < w->njoint; i++) {
    const pb_mjcf_joint *j = &w->joint[i];
    const double T = j->settle[0], z = j->settle[1];
    if (!(T > 0)) continue;
    dm_coordinate *c = &w->t->coord[j->coord];
    const double J = inertia[dm_model_coord(m, c->name)];
    if (w->m.dampers) c->damping = 2 * J / T;
    if (w->m.springs) DM_TRY(pb_mjcf_joint_spring(w, j, J / (T * T * z * z)));
  }
  if (s != DM_NOT_FINITE) return s;
  return pb_refuse_xml(
      w->m.x, pb_xml_root(w->m.x),
      "found springdamper of a robot without inertia, expected stiffness and damping");
}

dm_status pb_mjcf_settle(pb_mjcf_parts *w) {
  dm_model *m;
  bool any = false;
  for (int i = 0; i < w->njoint; i++) any = any || w->joint[i].settle[0] > 0;
  if (!any) return DM_OK;
  DM_TRY(pb_tree_draft(w->t, &m));
  const dm_status s = settle_joints(w, m);
  dm_model_free(m);
  return s;
}
