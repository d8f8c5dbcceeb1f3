#include "lib/multibody/tree_system.h"

#include "lib/multibody/tree_lagrangian.h"

#include <math.h>

// The longest way from the world along the joints to a centre of mass, all coordinates zero.
static double find_extent(const dm_model *m) {
  double extent = 0;
  for (int j = 0; j < m->nj; j++) {
    double way = 0;
    const dm_inertia *I = &m->body[j];
    if (I->m > 0) way = sqrt(dm_dot(I->c, I->c)) / I->m;
    for (int i = j; i >= 0; i = m->parent[i]) way += sqrt(dm_dot(m->offset[i].p, m->offset[i].p));
    extent = fmax(extent, way);
  }
  return extent;
}

dm_system dm_system_of(const dm_model *m) {
  dm_system s = {.L = dm_tree_lagrangian(m),
                 .length = m->length,
                 .extent = find_extent(m),
                 .rule = dm_lagrangian_rules[0].rule,
                 .nu = m->nu - m->nload,
                 .damping = m->damping,
                 .inertia = m->inertia,
                 .input_coord = m->input_coord,
                 .input_gear = m->input_gear};
  for (int i = 0; i < m->nq; i++) s.nk += m->kinematic[i];
  if (s.nk) s.kinematic = m->kinematic;
  s.rule.left = dm_force_rules[0].rule.left;
  return s;
}
