#include "problems/readers/model/machines.h"

#include "control/loop/mujoco.h"
#include "control/loop/saturated_plant.h"
#include "control/loop/stopped_plant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_PLANT(name, word) word,
const char *const pb_plant_names[PB_PLANTS] = {PB_PLANT_LIST(NAME_PLANT)};
#undef NAME_PLANT

void pb_machine_free(pb_machine *w) {
  // objects that refer to others go first
  fb_plant_free(&w->plant);
  dm_robot_contact_laws_free(w->laws);
  w->laws = NULL;
  dm_stiff_damping_free(w->fitted);
  dm_robot_free(&w->changed);
  w->fitted = NULL;
}

dm_status pb_robot_require_mujoco(const pb_robot *robot, dm_message *msg) {
  const bool rolls = robot->mechanism.rolling != NULL;
  return fb_mujoco_require(&robot->mechanism,
                           rolls ? "MuJoCo's plant of robots on wheels"
                                 : "MuJoCo's plant, made from the URDF alone,",
                           msg);
}

// a plant in MuJoCo, from the robot's own file or, on wheels, from its tree
static dm_status open_mujoco(pb_machine *w, const dm_robot *machine, const dm_change *c) {
  const pb_robot *r = w->robot;
  if (!r->urdf && !machine->rolling) return DM_UNAVAILABLE;
  return fb_plant_mujoco(&w->plant, &w->system, &r->mechanism, machine, c, r->urdf, r->urdf_size,
                         &w->slip);
}

// tolerance of plants integrated in continuous time, far below the error of a step
static const double PLANT_TOL = 1e-9;

// whether plans of a robot know dry friction in a joint, which acts at knots of the map
static bool has_planned_friction(const dm_robot *r) {
  const dm_joint_forces *f = r->joint[DM_JOINT_FRICTION];
  for (int i = 0; i < dm_joint_forces_count(f); i++)
    if (dm_joint_forces_get(f, i)->planned) return true;
  return false;
}

static dm_status open_contact_plant(pb_machine *w, const dm_robot *machine) {
  dm_message why;
  if (w->kind != PB_CONTINUOUS) return DM_UNAVAILABLE;
  DM_TRY(dm_robot_contact_laws_new(&w->laws, machine, &why));
  w->system.contacts = dm_robot_contact_laws_get(w->laws);
  const dm_unilateral g = dm_contacts_unilateral(machine->contacts);
  if (w->height) return fb_plant_feet(&w->plant, &w->system, &g, w->height);
  return fb_plant_contacts(&w->plant, &w->system, &g, PB_CONTACT_PARTS);
}

// dry friction sticks
static dm_status open_sticking_plant(pb_machine *w, const dm_robot *machine) {
  dm_message why;
  DM_TRY(dm_robot_contact_laws_new(&w->laws, machine, &why));
  w->system.contacts = dm_robot_contact_laws_get(w->laws);
  return fb_plant_sticking(&w->plant, &w->system, PB_CONTACT_PARTS);
}

// whether dry friction stays dry in a machine
static bool does_stick(const pb_machine *w) {
  const dm_robot *r = &w->robot->mechanism;
  const bool dry = w->dry || has_planned_friction(r);
  return w->kind == PB_CONTINUOUS && !w->stops && !r->contacts && dry;
}

static dm_status open_plant(pb_machine *w, const dm_robot *machine, const dm_change *c) {
  if (machine->contacts) return open_contact_plant(w, machine);
  if (does_stick(w)) return open_sticking_plant(w, machine);
  if (w->kind == PB_DISCRETE && (w->dry || has_planned_friction(machine))) return DM_UNAVAILABLE;
  if (w->kind == PB_DISCRETE) return fb_plant_discrete(&w->plant, &w->system);
  if (w->kind == PB_CONTINUOUS) return fb_plant_continuous(&w->plant, &w->system, PLANT_TOL);
  return open_mujoco(w, machine, c);
}

static dm_status open_stopped_plant(pb_machine *w) {
  const dm_unilateral g = dm_contacts_unilateral(w->stops);
  if (w->kind == PB_DISCRETE) return fb_plant_discrete_stopped(&w->plant, &w->system, &g, &w->met);
  if (w->kind == PB_CONTINUOUS)
    return fb_plant_continuous_stopped(&w->plant, &w->system, &g, PLANT_TOL, &w->met);
  return DM_UNAVAILABLE;
}

dm_status pb_stops_new(dm_contacts **out, const pb_robot *robot, dm_bounds limits) {
  const dm_model *m = robot->mechanism.tree;
  *out = NULL;
  if (m->nball) return DM_UNAVAILABLE;

  // a stop at either end of each coordinate
  dm_contact *list = calloc(2 * (size_t)m->nq + 1, sizeof *list);
  dm_message msg;
  int n = 0;
  if (!list) return DM_NO_MEMORY;
  for (int i = 0; i < m->nq; i++) {
    const dm_range q = dm_bounds_at(limits, i);
    dm_contact stop = {.name = m->name[i], .coord = i, .kind = DM_NOT_BELOW, .length = q.low};
    if (isfinite(q.low)) list[n++] = stop;
    stop.kind = DM_NOT_ABOVE;
    stop.length = q.high;
    if (isfinite(q.high)) list[n++] = stop;
  }
  dm_status s = dm_contacts_new(out, m, n, list, &msg);
  free(list);
  return s;
}

static dm_status make_machine(void *self, const dm_change *c, const fb_plant **plant,
                              const dm_system **system) {
  pb_machine *w = self;

  // the robot's system, changed or nominal; dry friction acts in a changed robot only
  pb_machine_free(w);
  const dm_robot *robot = &w->robot->mechanism;
  if (c || w->dry || dm_joint_forces_dry(robot->joint[DM_JOINT_FRICTION])) {
    dm_change change = c ? *c : (dm_change){0};
    change.sticks = does_stick(w);
    change.dry = w->dry;
    DM_TRY(dm_robot_changed(&w->changed, robot, &change));
    robot = &w->changed;
  }
  w->system = dm_robot_system(robot);

  // with the problem's rule, fitted to its step
  w->system.rule = w->rule;
  DM_TRY(dm_stiff_damping_new(&w->fitted, &w->system, w->step));
  w->system = dm_stiff_damping_system(w->fitted, &w->system);

  DM_TRY(w->stops ? open_stopped_plant(w) : open_plant(w, robot, c));
  DM_TRY(fb_plant_saturate(&w->plant, &w->robot->drives));
  *plant = &w->plant;
  *system = &w->system;
  return DM_OK;
}

fb_perturbed_models pb_machines_of(pb_machine *w, const pb_robot *robot, const dm_rule *rule,
                                   double step, pb_plant kind) {
  *w = (pb_machine){.robot = robot, .rule = *rule, .step = step, .kind = kind};
  w->slip.friction = 1;
  return (fb_perturbed_models){.self = w, .nj = robot->mechanism.tree->nj, .build = make_machine};
}
