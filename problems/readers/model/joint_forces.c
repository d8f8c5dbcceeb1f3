#include "problems/readers/model/joint_forces.h"

#include "problems/readers/model/part_list.h"
#include "problems/readers/model/tendon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// an entry; `from` replaces the rest
typedef struct joint_entry {
  dm_joint_force force;
  const char *from;
} joint_entry;

#define FROM                                                                                       \
  {                                                                                                \
    .key = "from", .type = PB_WORD, .at = offsetof(joint_entry, from), .words = "robot",           \
    .about = "Instead of `joint` and `force`: the friction of the robot's file, also in plans"     \
  }
#define PARAMETER(kind, member, key_, unit_, range_, also_, absent_, about_)                       \
  {.key = key_,                                                                                    \
   .type = PB_NUMBER,                                                                              \
   .at = offsetof(joint_entry, force.kind.member),                                                 \
   .unit = unit_,                                                                                  \
   .range = range_,                                                                                \
   .also = also_,                                                                                  \
   .absent = absent_,                                                                              \
   .about = about_},
#define KEYS(KIND, kind, ...)                                                                      \
  const pb_key pb_##kind##_keys[] = {{.key = "joint",                                              \
                                      .type = PB_TEXT,                                             \
                                      .at = offsetof(joint_entry, force.name),                     \
                                      .absent = PB_REQUIRED,                                       \
                                      .about = "A dynamic coordinate; each at most once"},         \
                                     DM_##KIND##_PARAMETERS(PARAMETER) FROM,                       \
                                     {0}};
DM_JOINT_FORCES(KEYS)
#undef KEYS
#undef PARAMETER

// keys beside `from`
static const pb_key file_keys[] = {
    FROM,
    {.key = "smooth",
     .type = PB_NUMBER,
     .at = offsetof(joint_entry, force.friction.smooth),
     .unit = "m/s or rad/s",
     .range = "> 0",
     .absent = "0",
     .about = "Speed over which the friction force builds up; left out: dry"},
    {0}};

// Refuse an entry without a term, and forces at rest that do not belong to its other terms.
static dm_status check_terms(const pb_reader *r, const pb_node *node, const dm_joint_force *x) {
  static const char *const terms[] = {"force", "static", "viscous", "offset"};
  const dm_friction_values *p = &x->friction;
  const pb_node *rest = pb_node_get(node, "static"), *speed = pb_node_get(node, "stribeck");
  bool any = false;
  for (int i = 0; i < 4; i++) any |= pb_node_get(node, terms[i]) != NULL;
  if (!any)
    return pb_refuse_node(r, node,
                          "model.friction[]: found no term of '%.64s', expected 'force', 'static', "
                          "'viscous' or 'offset'",
                          x->name);
  if (rest && p->rest < p->force)
    return pb_refuse_key(
        r, rest,
        "model.friction[].static: found %g of '%.64s', expected at least its force "
        "%g; static is the force at which it breaks loose",
        p->rest, x->name, p->force);
  if (rest && !speed)
    return pb_refuse_key(
        r, rest,
        "model.friction[].static: found it of '%.64s' without 'stribeck', expected "
        "the speed over which friction falls from static to force",
        x->name);
  if (speed && !rest)
    return pb_refuse_key(
        r, speed,
        "model.friction[].stribeck: found it of '%.64s' without 'static', expected "
        "the force at which the joint breaks loose",
        x->name);
  return DM_OK;
}

static dm_status read_entry(const pb_reader *r, const pb_part_list *list, const pb_node *node,
                            const dm_model *m, void *part) {
  dm_joint_force *out = part;
  char path[64];
  snprintf(path, sizeof path, "model.%.32s[]", list->section);
  joint_entry entry = {.from = NULL};
  const bool whole = pb_node_get(node, "from") != NULL;
  if (whole && list->kind != DM_PART_FRICTION)
    return pb_refuse_node(r, node,
                          "%s: found 'from', expected 'joint' and its parameters: robot files do "
                          "not have them",
                          path);
  DM_TRY(pb_schema_read(r, path, node, whole ? file_keys : list->keys, &entry));
  *out = entry.force; // without a name if `from` is given
  if (whole) return DM_OK;
  if (list->kind == DM_PART_FRICTION) DM_TRY(check_terms(r, node, out));
  out->planned = list->kind == DM_PART_FRICTION && dm_joint_force_is_dry(out);
  snprintf(path, sizeof path, "model.%.32s[].joint", list->section);
  return pb_coordinate_read(r, path, pb_node_get(node, "joint"), m, &out->coord);
}

// whether model.friction has an entry for a joint, which replaces the friction of the robot's file
static bool is_replaced(const pb_part_source *from, const char *joint) {
  const pb_node *list = pb_node_get(from->model, "friction");
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *own = pb_node_get(e, "joint");
    if (own && own->kind == PB_SCALAR && !strcmp(own->text, joint)) return true;
  }
  return false;
}

// The entry `from: robot` of model.friction, once; NULL: none. smooth: its speed.
static dm_status find_file_entry(const pb_part_source *from, const pb_node **out, double *smooth) {
  const pb_node *list = pb_node_get(from->model, "friction");
  joint_entry entry = {.from = NULL};
  *out = NULL;
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *key = pb_node_get(e, "from");
    if (!key) continue;
    if (*out)
      return pb_refuse_key(from->r, key, "model.friction[]: found a second 'from', expected one");
    *out = e;
    DM_TRY(pb_schema_read(from->r, "model.friction[]", e, file_keys, &entry));
  }
  *smooth = entry.force.friction.smooth;
  if (*out && !from->tree->nfriction)
    return pb_refuse_node(
        from->r, *out,
        "model.friction[].from: found robot, but its file has no dry friction of a "
        "joint with one coordinate (revolute or prismatic, hinge or slide), the "
        "only ones with dry friction");
  return DM_OK;
}

// Append dry friction of the robot's file, on the joint that its joint follows. Without an entry
// `from: robot` it is in no plan, so that a warning says where it acts.
static dm_status add_file_friction(const pb_part_source *from, const pb_file_friction *x,
                                   dm_joint_force *list, int *n) {
  const pb_node *entry;
  double smooth;
  DM_TRY(find_file_entry(from, &entry, &smooth));
  const pb_tree *t = from->tree;
  const dm_coordinate *c = &t->coord[x->coord];
  const dm_coordinate *moved = c->mimic >= 0 ? &t->coord[c->mimic] : c;
  const double force = x->force * (c->mimic >= 0 ? fabs(c->ratio) : 1);
  if (moved->locked || moved->kinematic || is_replaced(from, moved->name)) return DM_OK;
  if (!entry)
    DM_TRY(pb_warn(from->r, x->at.file, x->at.line,
                   "joint '%.64s': its dry friction %g is not in plans, only in the robots that "
                   "verify simulates; model.friction: [{from: robot}] puts it into both",
                   c->name, x->force));

  // joints that follow the same one add up
  const int coord = dm_model_coord(from->m, moved->name);
  for (int i = 0; i < *n; i++)
    if (list[i].coord == coord) {
      list[i].friction.force += force;
      return DM_OK;
    }
  list[(*n)++] = (dm_joint_force){.name = moved->name,
                                  .coord = coord,
                                  .planned = entry && smooth == 0,
                                  .friction = {.force = force, .smooth = smooth}};
  return DM_OK;
}

static dm_status read_forces(const pb_part_source *from, const pb_part_list *list, dm_robot *out) {
  const bool rubs = list->kind == DM_PART_FRICTION;
  const int nfile = rubs ? from->tree->nfriction : 0;
  void *parts;
  int n = 0;
  const pb_node *entry;
  double smooth;
  if (rubs) DM_TRY(find_file_entry(from, &entry, &smooth));
  DM_TRY(pb_part_list_new(from, list, nfile, &parts));
  for (int i = 0; i < nfile; i++)
    DM_TRY(add_file_friction(from, &from->tree->friction[i], parts, &n));
  return pb_part_list_read(from, list, parts, n, out);
}

#define READER(KIND, kind, section, about)                                                         \
  dm_status pb_##kind##_read(const pb_part_source *from, dm_robot *out) {                          \
    static const pb_part_list list = {DM_PART_##KIND,         section,                             \
                                      sizeof(dm_joint_force), offsetof(dm_joint_force, name),      \
                                      pb_##kind##_keys,       read_entry};                         \
    return read_forces(from, &list, out);                                                          \
  }
DM_JOINT_FORCES(READER)
