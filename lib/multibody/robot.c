#include "lib/multibody/robot.h"

#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/tree_system.h"

#include <stdlib.h>
#include <string.h>

// -- springs: an energy

static int count_springs(const dm_robot *r) {
  return r->springs ? dm_springs_count(r->springs) : 0;
}

static const char *name_spring(const dm_robot *r, int i) {
  return dm_springs_name(r->springs, i);
}

static void enter_springs(const dm_robot *r, dm_system *s) {
  if (!r->springs) return;
  s->L = r->sprung ? dm_conservative_lagrangian(r->sprung) : dm_springs_lagrangian(r->springs);
}

// L of the new tree minus the energy of the springs
static dm_status change_springs(dm_robot *r, const dm_change *c) {
  (void)c;
  if (!r->springs) return DM_OK;
  const dm_system s = dm_system_of(r->tree);
  const dm_potential V = dm_springs_potential(r->springs);
  return dm_conservative_new(&r->sprung, &s.L, &V);
}

static void release_springs(dm_robot *r) {
  dm_conservative_free(r->sprung);
  if (!r->was) dm_springs_free(r->springs);
}

// -- constraints

static int count_constraints(const dm_robot *r) {
  const dm_constraint *list;
  return r->constraints ? dm_constraints_described(r->constraints, &list) : 0;
}

static const char *name_constraint(const dm_robot *r, int i) {
  const dm_constraint *list;
  dm_constraints_described(r->constraints, &list);
  return list[i].name;
}

static void enter_constraints(const dm_robot *r, dm_system *s) {
  if (r->constraints) s->hol = dm_constraints_holonomic(r->constraints);
}

static void release_constraints(dm_robot *r) {
  if (!r->was) dm_constraints_free(r->constraints);
}

// -- loads: forces on bodies and along tendons

static int count_loads(const dm_robot *r) {
  return r->loads ? dm_loads_count(r->loads) : 0;
}

static const char *name_load(const dm_robot *r, int i) {
  return dm_loads_name(r->loads, i);
}

static void enter_loads(const dm_robot *r, dm_system *s) {
  if (r->loads) dm_system_add_force(s, dm_loads_force(r->loads));
}

static void release_loads(dm_robot *r) {
  if (!r->was) dm_loads_free(r->loads);
}

// -- friction in joints

static int count_frictions(const dm_robot *r) {
  return dm_frictions_count(r->frictions);
}

static const char *name_friction(const dm_robot *r, int i) {
  return dm_frictions_get(r->frictions, i).name;
}

static void enter_frictions(const dm_robot *r, dm_system *s) {
  if (r->frictions) dm_system_add_force(s, dm_frictions_force(r->frictions));
}

// with the additional friction, given in external coordinates
static dm_status change_frictions(dm_robot *r, const dm_change *c) {
  const dm_model *m = r->tree;
  if (!c->friction) return DM_OK;
  double *more = calloc((size_t)m->nq, sizeof *more);
  if (!more) return DM_NO_MEMORY;
  for (int i = 0; i < m->nq; i++) more[i] = c->friction[dm_ball_outside(m, i)];
  const dm_status s = dm_frictions_changed(&r->rubbed, r->frictions, m, more);
  free(more);
  if (s == DM_OK) r->frictions = r->rubbed;
  return s;
}

static void release_frictions(dm_robot *r) {
  dm_frictions_free(r->rubbed);
  if (!r->was) dm_frictions_free(r->frictions);
}

// -- contacts, which do not enter the smooth system

static int count_contacts(const dm_robot *r) {
  const dm_contact *list;
  return r->contacts ? dm_contacts_list(r->contacts, &list) : 0;
}

static const char *name_contact(const dm_robot *r, int i) {
  return dm_contacts_unilateral(r->contacts).name(r->contacts, i);
}

static void release_contacts(dm_robot *r) {
  if (!r->was) dm_contacts_free(r->contacts);
}

// -- the robot

const dm_part_row dm_part_rows[DM_PART_KINDS] = {
    [DM_PART_SPRING] = {"spring", count_springs, name_spring, enter_springs, change_springs,
                        release_springs},
    [DM_PART_CONSTRAINT] = {"constraint", count_constraints, name_constraint, enter_constraints,
                            NULL, release_constraints},
    [DM_PART_LOAD] = {"load", count_loads, name_load, enter_loads, NULL, release_loads},
    [DM_PART_FRICTION] = {"friction", count_frictions, name_friction, enter_frictions,
                          change_frictions, release_frictions},
    [DM_PART_CONTACT] = {"contact", count_contacts, name_contact, NULL, NULL, release_contacts},
};

dm_system dm_robot_inside(const dm_robot *r) {
  dm_system s = dm_system_of(r->tree);
  for (const dm_part_row *row = dm_part_rows; row < dm_part_rows + DM_PART_KINDS; row++)
    if (row->enter) row->enter(r, &s);
  return s;
}

dm_system dm_robot_system(const dm_robot *r) {
  return r->embed ? dm_quaternion_system_of(r->embed) : dm_robot_inside(r);
}

// the changed tree, with damping given in external coordinates
static dm_status change_tree(dm_model **out, const dm_model *m, const dm_change *c) {
  double *damping = calloc((size_t)m->nq, sizeof *damping);
  dm_change inside = *c;
  if (!damping) return DM_NO_MEMORY;

  // the three joints of a ball joint have the damping of its quaternion
  for (int i = 0; i < m->nq; i++) damping[i] = c->damping ? c->damping[dm_ball_outside(m, i)] : 0;
  inside.damping = damping;
  const dm_status s = dm_model_changed(out, m, &inside);
  free(damping);
  return s;
}

dm_status dm_robot_changed(dm_robot *out, const dm_robot *r, const dm_change *c) {
  // 1. the same parts on another tree
  *out = *r;
  out->was = r;
  out->tree = out->model = NULL;
  out->embed = NULL;
  out->sprung = NULL;
  out->rubbed = NULL;
  DM_TRY(change_tree(&out->tree, r->tree, c));
  out->model = out->tree;

  // 2. parts that change with the tree or by themselves
  for (const dm_part_row *row = dm_part_rows; row < dm_part_rows + DM_PART_KINDS; row++)
    if (row->change) DM_TRY(row->change(out, c));

  // 3. external system if there are ball joints
  if (!out->tree->nball) return DM_OK;
  const dm_system inside = dm_robot_inside(out);
  out->model = NULL;
  DM_TRY(dm_ball_model(&out->model, out->tree, NULL));
  return dm_quaternion_system_new(&out->embed, out->tree, out->model, &inside);
}

dm_status dm_robot_require(const dm_robot *r, unsigned supported, const char *who,
                           dm_message *msg) {
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_row *row = &dm_part_rows[kind];
    if ((supported >> kind & 1) || row->count(r) == 0) continue;
    return dm_fail(msg, DM_BAD_INPUT, "%s has no %s: '%.64s'", who, row->word, row->name(r, 0));
  }
  return DM_OK;
}

void dm_robot_free(dm_robot *r) {
  // free dependents first
  dm_quaternion_system_free(r->embed);
  for (const dm_part_row *row = dm_part_rows; row < dm_part_rows + DM_PART_KINDS; row++)
    row->release(r);
  if (r->model != r->tree) dm_model_free(r->model);
  dm_model_free(r->tree);
  *r = (dm_robot){0};
}
