#include "problems/readers/model/bodies.h"

#include "lib/base/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct joint_section {
  const char *name, *type, *kinematic;
  const pb_node *rotate, *slide, *limits;
  double damping, armature, velocity, effort;
} joint_section;

static const pb_key joint_keys[] = {
    PB_KEY(joint_section, name, .type = PB_TEXT, .note = "BODY or BODY.type",
           .about = "Name of the coordinate; BODY if the body has one joint"),
    PB_KEY(joint_section, type, .type = PB_WORD, .words = "tx ty tz rx ry rz ball",
           .about = "Translation (t) or rotation (r) about an axis, or any rotation (`ball`); "
                    "give `type`, `rotate` or `slide`"),
    PB_KEY(joint_section, rotate, .type = PB_NODE, .words = "[x, y, z]",
           .about = "Rotation about this axis; dmoc normalizes the axis"),
    PB_KEY(joint_section, slide, .type = PB_NODE, .words = "[x, y, z]",
           .about = "Translation along this axis"),
    PB_KEY(joint_section, damping, .type = PB_NUMBER, .unit = "N s/m or N m s/rad", .range = ">= 0",
           .absent = "0", .about = "Viscous damping coefficient"),
    PB_KEY(joint_section, armature, .type = PB_NUMBER, .unit = "kg or kg m2", .range = ">= 0",
           .absent = "0",
           .about = "Rotor inertia, added to the coordinate's diagonal entry of the mass matrix"),
    PB_KEY(joint_section, limits, .type = PB_NODE, .unit = "m or rad", .note = "none",
           .words = "[low, high]", .about = "Position limits; either may be `none`"),
    PB_KEY(joint_section, velocity, .type = PB_NUMBER, .unit = "m/s or rad/s", .range = "> 0",
           .absent = "none", .words = "none", .about = "Speed limit"),
    PB_KEY(joint_section, effort, .type = PB_NUMBER, .unit = "N or N m", .range = "> 0",
           .absent = "none", .words = "none", .about = "Force or torque limit"),
    PB_KEY(joint_section, kinematic, .type = PB_WORD, .absent = "false", .words = "false true",
           .about = "`true`: the motion of the coordinate is prescribed"),
    {0}};

const pb_key pb_offset_keys[] = {
    PB_KEY(pb_offset, xyz, .type = PB_VECTOR, .unit = "m", .absent = "[0, 0, 0]",
           .about = "Position"),
    PB_KEY(pb_offset, rpy, .type = PB_VECTOR, .unit = "rad", .absent = "[0, 0, 0]",
           .about = "Roll, pitch, yaw about the fixed axes x, y, z, applied in this order"),
    {0}};

typedef struct inertia_section {
  double xx, yy, zz, xy, xz, yz;
} inertia_section;

#define MOMENT(name, text)                                                                         \
  PB_KEY(inertia_section, name, .type = PB_NUMBER, .unit = "kg m2", .absent = "0", .about = text)
const pb_key pb_inertia_keys[] = {MOMENT(xx, "Moments about the axes"),
                                  MOMENT(yy, "Moments about the axes"),
                                  MOMENT(zz, "Moments about the axes"),
                                  MOMENT(xy, "Products of inertia, as entries of the matrix"),
                                  MOMENT(xz, "Products of inertia, as entries of the matrix"),
                                  MOMENT(yz, "Products of inertia, as entries of the matrix"),
                                  {0}};
#undef MOMENT

typedef struct body_section {
  const char *name, *parent;
  pb_offset offset;
  const pb_node *joints, *inertia;
  double mass, centre[3];
} body_section;

const pb_key pb_body_keys[] = {
    PB_KEY(body_section, name, .type = PB_TEXT, .absent = PB_REQUIRED, .about = "Name of the body"),
    PB_KEY(body_section, parent, .type = PB_TEXT, .absent = "world",
           .about = "An earlier body, a link of the URDF, or `world`"),
    PB_KEY(body_section, offset, .type = PB_SECTION, .sub = pb_offset_keys,
           .about = "Pose of the body frame in the parent frame with all joints at zero"),
    PB_KEY(body_section, joints, .type = PB_LIST, .note = "fixed to its parent", .sub = joint_keys,
           .about = "Elementary joints in order, each in the frame reached so far: `tx ty tz rx "
                    "ry rz ball`, or a section"),
    PB_KEY(body_section, mass, .type = PB_NUMBER, .unit = "kg", .range = ">= 0", .absent = "0",
           .about = "Mass"),
    PB_KEY(body_section, centre, .type = PB_VECTOR, .unit = "m", .absent = "[0, 0, 0]",
           .about = "Center of mass in the body frame"),
    PB_KEY(body_section, inertia, .type = PB_NODE, .unit = "kg m2", .absent = "0",
           .words = "[xx, yy, zz], or a section", .sub = pb_inertia_keys,
           .about = "Inertia about the center of mass, in the body axes"),
    {0}};

pb_place pb_place_of(const pb_tree *t, const pb_node *node) {
  return (pb_place){t->r->file, node->line, node->column};
}

// the axis of the joint types tx .. rz; *slides is true for the first three
static void name_axis(const char *type, bool *slides, double axis[3]) {
  *slides = type[0] == 't';
  for (int i = 0; i < 3; i++) axis[i] = type[1] == 'x' + i;
}

// BODY if it has one joint, else BODY.tx and so on
static dm_status name_joint(const pb_tree *t, const char *path, const pb_node *list,
                            const pb_node *node, const char *body, joint_section *j) {
  if (j->name) return DM_OK;

  // a single joint has the name of its body
  if (list->n == 1) {
    j->name = body;
    return DM_OK;
  }

  // several joints are named by their types; a joint with a numeric axis has no type
  if (!j->type)
    return pb_refuse_node(t->r, node,
                          "%s: found no 'name', expected one where a body has several "
                          "joints",
                          path);
  size_t size = strlen(body) + strlen(j->type) + 2;
  char *name = pb_arena_alloc(t->r->arena, size, 1);
  if (!name) return DM_NO_MEMORY;
  snprintf(name, size, "%s.%s", body, j->type);
  j->name = name;
  return DM_OK;
}

// exactly one of type, rotate and slide
static dm_status read_axis(const pb_tree *t, const char *path, const pb_node *node,
                           const joint_section *j, bool *slides, double axis[3]) {
  if (!!j->type + !!j->rotate + !!j->slide != 1)
    return pb_refuse_node(t->r, node, "%s: found %s, expected one of type, rotate, slide", path,
                          j->type || j->rotate || j->slide ? "several axes" : "no axis");

  // by a type, or by three numbers
  if (j->type) {
    name_axis(j->type, slides, axis);
    return DM_OK;
  }
  *slides = j->slide != NULL;
  return pb_schema_list(t->r, path, j->slide ? j->slide : j->rotate, 3, axis);
}

// a ball joint: three rotations as one joint
static dm_status add_ball(pb_tree *t, const char *path, const pb_node *node,
                          const joint_section *j) {
  static const char *const not [] = {"armature", "limits", "velocity", "kinematic"};

  // keys that have no meaning for a ball joint
  for (size_t i = 0; node->kind == PB_MAPPING && i < sizeof not / sizeof *not ; i++) {
    const pb_node *bad = pb_node_get(node, not [i]);
    if (bad)
      return pb_refuse_key(t->r, bad,
                           "%s: found '%s', which a ball joint has not, expected "
                           "damping or effort",
                           path, not [i]);
  }

  // damping and effort apply to each of the three rotations
  int first = t->ncoord;
  DM_TRY(pb_tree_ball(t, j->name, pb_place_of(t, node)));
  for (int k = first; k < first + 3; k++) {
    t->coord[k].damping = j->damping;
    t->coord[k].effort = j->effort;
  }
  return DM_OK;
}

// add a joint of a body, given as a word or a section
static dm_status add_body_joint(pb_tree *t, const pb_node *list, const pb_node *node,
                                const char *body) {
  static const char *const types[] = {"tx", "ty", "tz", "rx", "ry", "rz", "ball"};
  const char *path = "model.bodies[].joints[]";
  joint_section j = {.velocity = INFINITY, .effort = INFINITY, .kinematic = "false"};
  bool slides = false;
  double axis[3], limits[2];
  int type;

  // a word has no limits; a section is read by its table
  if (node->kind == PB_SCALAR) {
    DM_TRY(pb_schema_name(t->r, path, node, "joint", types, 7, &type));
    j.type = types[type];
  } else {
    DM_TRY(pb_schema_read(t->r, path, node, joint_keys, &j));
  }

  // type of motion and name
  DM_TRY(read_axis(t, path, node, &j, &slides, axis));
  DM_TRY(name_joint(t, path, list, node, body, &j));
  if (j.type && !strcmp(j.type, "ball")) return add_ball(t, path, node, &j);
  if (pb_tree_find_coord(t, j.name) >= 0)
    return pb_refuse_node(t->r, node,
                          "found a second joint named '%.64s', expected every name once", j.name);

  // the coordinate
  dm_coordinate *c;
  DM_TRY(pb_tree_coord(t, j.name, pb_place_of(t, node), slides, axis, &c));
  c->damping = j.damping;
  c->armature = j.armature;
  c->v_max = j.velocity;
  c->effort = j.effort;
  c->kinematic = !strcmp(j.kinematic, "true");

  // limits [low, high]
  if (!j.limits) return DM_OK;
  DM_TRY(pb_schema_limits(t->r, "model.bodies[].joints[].limits", j.limits, limits));
  c->limit = (dm_range){limits[0], limits[1]};
  return DM_OK;
}

dm_status pb_inertia_read(pb_tree *t, const char *path, const pb_node *node, dm_body *body) {
  inertia_section I;
  char found[64];
  if (!node) return DM_OK;

  // a single number is not accepted
  if (node->kind == PB_SCALAR)
    return pb_refuse_node(
        t->r, node,
        "%s: found %s, expected [xx, yy, zz], or a mapping of xx, yy, zz, xy, xz, "
        "yz",
        path, pb_node_describe(node, found));

  // principal moments about the body axes, or all six entries
  if (node->kind == PB_SEQUENCE) {
    DM_TRY(pb_schema_list(t->r, path, node, 3, body->inertia));
  } else {
    DM_TRY(pb_schema_read(t->r, path, node, pb_inertia_keys, &I));
    memcpy(body->inertia, (double[]){I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}, sizeof body->inertia);
  }
  // about the center of mass
  return pb_tree_check_inertia(t, body, pb_place_of(t, node));
}

dm_status pb_body_find(const pb_tree *t, const char *path, const pb_node *node, const char *name,
                       const char *what, bool world, int *body) {
  *body = -1;
  if (world && !strcmp(name, "world")) return DM_OK;
  *body = pb_tree_find_body(t, name);
  if (*body >= 0) return DM_OK;

  // suggest the nearest name, or list the bodies
  const char **known;
  char hint[260] = "; there are ";
  const size_t used = strlen(hint);
  PB_NEW(t->r->arena, known, t->nbody + 1);
  for (int i = 0; i < t->nbody; i++) known[i] = t->body[i].name;
  known[t->nbody] = "world";
  const int n = t->nbody + world;
  if (dm_names_nearest(known, n, name))
    pb_did_you_mean(known, n, name, hint);
  else if (n)
    dm_names_join(known, n, hint + used, sizeof hint - used);
  else
    hint[0] = 0;
  return pb_refuse_node(t->r, node, "%s: found '%.64s', expected %s%s", path, name, what, hint);
}

dm_status pb_body_name_check(const pb_tree *t, const pb_node *node, const char *name) {
  if (strcmp(name, "world") && pb_tree_find_body(t, name) < 0) return DM_OK;
  return pb_refuse_node(t->r, node, "found a second body named '%.64s', expected every name once",
                        name);
}

// add a body of the list with its joints
static dm_status add_body(pb_tree *t, const pb_node *node) {
  body_section s = {0};
  dm_body *body;
  int parent;
  DM_TRY(pb_schema_read(t->r, "model.bodies[]", node, pb_body_keys, &s));

  // parents come first: the parent must exist
  const pb_node *name = pb_node_get(node, "name");
  const pb_node *above = pb_node_get(node, "parent");
  DM_TRY(pb_body_name_check(t, name, s.name));
  DM_TRY(pb_body_find(t, "model.bodies[].parent", above ? above : node, s.parent,
                      "world or a body that stands before", true, &parent));
  DM_TRY(pb_tree_body(t, s.name, pb_place_of(t, node), &body));

  // pose in the parent, and mass
  body->parent = parent;
  body->offset = dm_pose_rpy(s.offset.rpy, s.offset.xyz);
  body->mass = s.mass;
  memcpy(body->centre, s.centre, sizeof s.centre);
  DM_TRY(pb_inertia_read(t, "model.bodies[].inertia", s.inertia, body));

  // joints in order, starting at the parent
  for (const pb_node *e = s.joints ? s.joints->first : NULL; e; e = e->next)
    DM_TRY(add_body_joint(t, s.joints, e, s.name));
  return DM_OK;
}

dm_status pb_bodies_read(pb_tree *t, const pb_node *list) {
  if (!list->first)
    return pb_refuse_node(t->r, list, "model.bodies: found an empty list, expected a body");
  for (const pb_node *e = list->first; e; e = e->next) DM_TRY(add_body(t, e));
  return DM_OK;
}
