#include "problems/readers/model/friction.h"

#include "problems/readers/model/part_list.h"
#include "problems/readers/model/tendon.h"

#include <math.h>
#include <string.h>

typedef struct friction_section {
  const char *joint;
  double force, smooth;
} friction_section;

#define FIELD(member, ...) PB_KEY(friction_section, member, __VA_ARGS__)
const pb_key pb_friction_keys[] = {
    FIELD(joint, .type = PB_TEXT, .absent = PB_REQUIRED,
          .about = "A dynamic coordinate; each at most once"),
    FIELD(force, .type = PB_NUMBER, .also = "coulomb torque", .unit = "N or N m", .range = ">= 0",
          .absent = PB_REQUIRED, .about = "Friction force F at high speed"),
    FIELD(smooth, .type = PB_NUMBER, .unit = "m/s or rad/s", .range = "> 0", .note = "dry",
          .about = "Speed s over which the friction force builds up; without it friction is dry"),
    {0}};
#undef FIELD

#define PATH "model.friction[]"

static dm_status read_friction(const pb_reader *r, const pb_node *node, const dm_model *m,
                               void *part) {
  friction_section s = {0};
  dm_joint_friction *out = part;
  DM_TRY(pb_schema_read(r, PATH, node, pb_friction_keys, &s));
  *out = (dm_joint_friction){
      .name = s.joint, .force = s.force, .smooth = s.smooth, .planned = s.smooth == 0};
  return pb_coordinate_read(r, PATH ".joint", pb_node_get(node, "joint"), m, &out->coord);
}

static const pb_part_list friction_list = {DM_PART_FRICTION, "friction", sizeof(dm_joint_friction),
                                           offsetof(dm_joint_friction, name), read_friction};

// whether model.friction has an entry for a joint, which replaces the friction of the robot's file
static bool is_replaced(const pb_part_source *from, const char *joint) {
  const pb_node *list = pb_node_get(from->model, "friction");
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *own = pb_node_get(e, "joint");
    if (own && own->kind == PB_SCALAR && !strcmp(own->text, joint)) return true;
  }
  return false;
}

// Append dry friction of the robot's file, on the joint that its joint follows. It is in no plan,
// so that a warning says where it acts.
static dm_status add_file_friction(const pb_part_source *from, const pb_file_friction *x,
                                   dm_joint_friction *list, int *n) {
  const pb_tree *t = from->tree;
  const dm_coordinate *c = &t->coord[x->coord];
  const dm_coordinate *moved = c->mimic >= 0 ? &t->coord[c->mimic] : c;
  const double force = x->force * (c->mimic >= 0 ? fabs(c->ratio) : 1);
  if (moved->locked || moved->kinematic || is_replaced(from, moved->name)) return DM_OK;
  DM_TRY(pb_warn(from->r, x->at.file, x->at.line,
                 "joint '%.64s': its dry friction %g is not in plans, only in the robots that "
                 "verify simulates; model.friction puts it into both",
                 c->name, x->force));

  // joints that follow the same one add up
  const int coord = dm_model_coord(from->m, moved->name);
  for (int i = 0; i < *n; i++)
    if (list[i].coord == coord) {
      list[i].force += force;
      return DM_OK;
    }
  list[(*n)++] = (dm_joint_friction){.name = moved->name, .coord = coord, .force = force};
  return DM_OK;
}

dm_status pb_friction_read(const pb_part_source *from, dm_robot *out) {
  const pb_tree *t = from->tree;
  void *list;
  int n = 0;
  DM_TRY(pb_part_list_new(from, &friction_list, t->nfriction, &list));
  for (int i = 0; i < t->nfriction; i++) DM_TRY(add_file_friction(from, &t->friction[i], list, &n));
  return pb_part_list_read(from, &friction_list, list, n, out);
}
