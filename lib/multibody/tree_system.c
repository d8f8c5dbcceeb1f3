#include "lib/multibody/tree_system.h"

#include "lib/multibody/tree_lagrangian.h"

dm_system dm_system_of(const dm_model *m) {
  dm_system s = {.L = dm_tree_lagrangian(m),
                 .length = m->length,
                 .extent = dm_model_extent(m),
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
