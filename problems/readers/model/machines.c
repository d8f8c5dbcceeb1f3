#include "problems/readers/model/machines.h"

#include "control/loop/mujoco.h"
#include "control/loop/stopped_plant.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/tree_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_PLANT(name, word) word,
const char *const pb_plant_names[PB_PLANTS] = {PB_PLANT_LIST(NAME_PLANT)};
#undef NAME_PLANT

void pb_machine_free(pb_machine *w) {
  // what refers to others goes first
  fb_plant_free(&w->plant);
  dm_stiff_damping_free(w->fitted);
  dm_quaternion_system_free(w->embed);
  if (w->model != w->tree) dm_model_free(w->model);
  dm_conservative_free(w->springs);
  dm_model_free(w->tree);
  free(w->friction_size);
  w->friction_size = NULL;
  w->fitted = NULL;
  w->embed = NULL;
  w->springs = NULL;
  w->model = w->tree = NULL;
}

// its tree, with damping said of coordinates as they are seen from outside
static dm_status change_tree(pb_machine *w, const dm_change *c) {
  const dm_model *m = w->robot->tree;
  double *damping = calloc((size_t)m->nq, sizeof *damping);
  dm_change inside = *c;
  if (!damping) return DM_NO_MEMORY;

  // the three turns of a ball joint have the damping of its quaternion
  for (int i = 0; i < m->nq; i++) damping[i] = c->damping ? c->damping[dm_ball_outside(m, i)] : 0;
  inside.damping = damping;
  dm_status s = dm_model_changed(&w->tree, m, &inside);
  free(damping);
  return s;
}

// dry friction of coordinates as they are seen from outside, a force of the machine's own
static dm_status add_machine_friction(pb_machine *w, const double *size) {
  const size_t n = (size_t)w->system.L.nq;
  w->friction_size = malloc(n * sizeof *size);
  if (!w->friction_size) return DM_NO_MEMORY;
  memcpy(w->friction_size, size, n * sizeof *size);
  w->friction = (dm_dry_friction){.n = (int)n, .size = w->friction_size};
  dm_system_add_force(&w->system, dm_dry_friction_force(&w->friction));
  return DM_OK;
}

// the robot's system with another tree: what lies on bodies is where it was
static dm_status change_machine(pb_machine *w, const dm_change *c) {
  const pb_robot *r = w->robot;

  // L of the other tree, less the energy of springs, which stay where they were
  DM_TRY(change_tree(w, c));
  dm_system s = dm_system_of(w->tree);
  if (r->springs) {
    dm_potential V = dm_springs_potential(r->springs);
    DM_TRY(dm_conservative_new(&w->springs, &s.L, &V));
    s.L = dm_conservative_lagrangian(w->springs);
  }
  // what else lies on bodies
  if (r->constraints) s.hol = dm_constraints_holonomic(r->constraints);
  if (r->loads) dm_system_add_force(&s, dm_loads_force(r->loads));

  // seen from outside, where there are ball joints
  w->model = w->tree;
  if (w->tree->nball) {
    w->model = NULL;
    DM_TRY(dm_ball_model(&w->model, w->tree, NULL));
    DM_TRY(dm_quaternion_system_new(&w->embed, w->tree, w->model, &s));
    s = dm_quaternion_system_of(w->embed);
  }
  w->system = s;
  return c->friction ? add_machine_friction(w, c->friction) : DM_OK;
}

// in MuJoCo, from the robot's own file
static dm_status open_mujoco(pb_machine *w, const dm_change *c) {
  const pb_robot *r = w->robot;
  if (!r->urdf || r->springs) return DM_UNAVAILABLE; // of the rest the plant knows
  return fb_plant_mujoco(&w->plant, &w->system, r->tree, c, r->urdf, r->urdf_size);
}

// the plant; continuous motion is integrated to 1e-9, far below a step's error
static const double PLANT_TOL = 1e-9;

static dm_status open_plant(pb_machine *w, const dm_change *c) {
  if (w->kind == PB_DISCRETE) return fb_plant_discrete(&w->plant, &w->system);
  if (w->kind == PB_CONTINUOUS) return fb_plant_continuous(&w->plant, &w->system, PLANT_TOL);
  return open_mujoco(w, c);
}

static dm_status open_stopped_plant(pb_machine *w) {
  const dm_unilateral g = dm_contacts_unilateral(w->stops);
  if (w->kind == PB_DISCRETE) return fb_plant_discrete_stopped(&w->plant, &w->system, &g, &w->met);
  if (w->kind == PB_CONTINUOUS)
    return fb_plant_continuous_stopped(&w->plant, &w->system, &g, PLANT_TOL, &w->met);
  return DM_UNAVAILABLE;
}

dm_status pb_stops_new(dm_contacts **out, const pb_robot *robot, const double *q_min,
                       const double *q_max) {
  const dm_model *m = robot->tree;
  *out = NULL;
  if (m->nball) return DM_UNAVAILABLE;

  // one at either end of each coordinate
  dm_contact *list = calloc(2 * (size_t)m->nq + 1, sizeof *list);
  dm_message msg;
  int n = 0;
  if (!list) return DM_NO_MEMORY;
  for (int i = 0; i < m->nq; i++) {
    dm_contact stop = {.name = m->name[i], .coord = i, .kind = DM_NOT_BELOW, .length = q_min[i]};
    if (isfinite(q_min[i])) list[n++] = stop;
    stop.kind = DM_NOT_ABOVE;
    stop.length = q_max[i];
    if (isfinite(q_max[i])) list[n++] = stop;
  }
  dm_status s = dm_contacts_new(out, m, n, list, &msg);
  free(list);
  return s;
}

static dm_status make_machine(void *self, const dm_change *c, const fb_plant **plant,
                              const dm_system **system) {
  pb_machine *w = self;

  // the robot's system, changed or as it is
  pb_machine_free(w);
  if (c)
    DM_TRY(change_machine(w, c));
  else
    w->system = pb_robot_system(w->robot);

  // by the problem's rule, fitted to its steps
  w->system.rule = w->rule;
  DM_TRY(dm_stiff_damping_new(&w->fitted, &w->system, w->step));
  w->system = dm_stiff_damping_system(w->fitted, &w->system);

  DM_TRY(w->stops ? open_stopped_plant(w) : open_plant(w, c));
  *plant = &w->plant;
  *system = &w->system;
  return DM_OK;
}

fb_perturbed_models pb_machines_of(pb_machine *w, const pb_robot *robot, const dm_rule *rule,
                                   double step, pb_plant kind) {
  *w = (pb_machine){.robot = robot, .rule = *rule, .step = step, .kind = kind};
  return (fb_perturbed_models){.self = w, .nj = robot->tree->nj, .build = make_machine};
}
