#include "problems/readers/model/read_robot.h"

#include "problems/readers/model/row_names.h"

#include "lib/multibody/ball_joint.h"

#include "problems/readers/model/bodies.h"
#include "problems/readers/model/clock.h"
#include "problems/readers/model/constraints.h"
#include "problems/readers/model/contacts.h"
#include "problems/readers/model/drives.h"
#include "problems/readers/model/formula_parts.h"
#include "problems/readers/model/joint_forces.h"
#include "problems/readers/model/keyframe.h"
#include "problems/readers/model/links.h"
#include "problems/readers/model/loads.h"
#include "problems/readers/model/lock.h"
#include "problems/readers/model/mjcf.h"
#include "problems/readers/model/parts.h"
#include "problems/readers/model/payload.h"
#include "problems/readers/model/springs.h"
#include "problems/readers/model/urdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct model_section {
  const char *robot, *urdf, *base; // the robot's file under either key, and the base
  double gravity[3], density;
  const pb_node *coordinates, *lagrangian, *bodies, *links, *payload, *lock, *damping, *armature,
      *kinematic, *drives, *rolling;
  const pb_node *part; // a list of parts, which pb_parts_read finds by its key
} model_section;

#define PART_KEY(word, keys, text)                                                                 \
  { .key = word, .at = offsetof(model_section, part), .type = PB_LIST, .sub = keys, .about = text }
#define JOINT_KEY(KIND, kind, section, about) PART_KEY(section, pb_##kind##_keys, about),

const pb_key pb_model_keys[] = {
    PB_KEY(model_section, robot, .type = PB_TEXT, .also = "file path mjcf xml mujoco",
           .about = "Robot file, relative to the problem file: URDF or MuJoCo XML"),
    PB_KEY(model_section, urdf, .type = PB_TEXT,
           .about = "Older name of `model.robot`; give only one of them"),
    PB_KEY(model_section, base, .type = PB_WORD,
           .also = "floating floating_base free_flyer root_joint", .absent = "fixed",
           .words = "fixed floating floating-quaternion planar",
           .about = "`floating` frees the root link of a URDF: `base.x base.y base.z base.rz "
                    "base.ry base.rx`; `floating-quaternion` has `base.qw base.qx base.qy "
                    "base.qz` instead of the angles, without a singularity; `planar` has `base.x "
                    "base.y base.rz` alone, for robots on wheels"),
    PB_KEY(model_section, gravity, .type = PB_VECTOR, .unit = "m/s2", .absent = "[0, 0, -9.81]",
           .about = "Gravity in the world frame; a MuJoCo file has its own default"),
    PB_KEY(model_section, density, .type = PB_NUMBER, .unit = "kg/m3", .range = "> 0",
           .note = "no mass",
           .about = "Density of the `collision` shapes of URDF links without `inertial`"),
    PB_KEY(model_section, coordinates, .type = PB_NODE, .words = "m or rad by name",
           .about = "Instead of a robot: coordinates of `lagrangian` with their units"),
    PB_KEY(model_section, lagrangian, .type = PB_NODE, .unit = "J", .words = "expression",
           .about = "L(q, v), an expression of `q.NAME` and `v.NAME`"),
    PB_KEY(model_section, bodies, .type = PB_LIST, .sub = pb_body_keys,
           .about = "Bodies of the robot, or added to the links of a URDF; each after its parent"),
    PB_KEY(model_section, links, .type = PB_NODE, .also = "inertials masses",
           .words = "section by link", .sub = pb_link_keys,
           .about = "Masses, centers and inertias that replace those of links with everything "
                    "fixed to them"),
    PB_KEY(model_section, payload, .type = PB_NODE, .also = "load loads tool attached",
           .words = "section, or a list of these", .sub = pb_payload_keys,
           .about = "Rigid loads that the robot carries"),
    PB_KEY(model_section, lock, .type = PB_NODE, .also = "locked fixed fixed_joints locked_joints",
           .unit = "m or rad", .words = "value by joint", .about = "Joints fixed at a value"),
    PB_KEY(model_section, damping, .type = PB_NODE, .unit = "N s/m or N m s/rad",
           .note = "the robot's", .words = "number >= 0, or by joint",
           .about = "Viscous damping; replaces the value of the robot file for the joints named"),
    PB_KEY(model_section, armature, .type = PB_NODE, .unit = "kg or kg m2", .note = "the robot's",
           .words = "number >= 0, or by joint",
           .about = "Rotor inertia; replaces the value of the robot file (0 in a URDF)"),
    PB_KEY(model_section, drives, .type = PB_LIST, .also = "motors actuators transmissions gears",
           .sub = pb_drive_keys,
           .about = "Motors of joints: gear, rotor, torque-speed line, rate, series spring"),
    PB_KEY(model_section, kinematic, .type = PB_LIST,
           .about = "Coordinates with prescribed motion"),
    PART_KEY("springs", pb_spring_keys, "Springs on coordinates, between points, or along cables"),
    PART_KEY("potentials", pb_potential_keys,
             "Potentials by formulas, or between each two of several points"),
    PART_KEY("forces", pb_force_keys, "Forces on coordinates and bodies by formulas"),
    PART_KEY("constraints", pb_constraint_keys,
             "Equality constraints between bodies or coordinates, for example closed loops, and "
             "wheels that roll"),
    PB_KEY(model_section, rolling, .type = PB_NODE, .words = "[name, ...]",
           .about = "Links of a robot file, or joints of links, that are wheels and roll on the "
                    "world's plane: the axle is that of the joint, the radius that of the "
                    "cylinder or sphere in `collision`"),
    PART_KEY("contacts", pb_contact_keys,
             "Unilateral contacts: floors, walls, obstacles and stops"),
    PART_KEY("dampers", pb_damper_keys, "Dampers between bodies"),
    PART_KEY("wrenches", pb_wrench_keys, "Constant forces and torques on bodies"),
    DM_JOINT_FORCES(JOINT_KEY){0}};

// the coordinates that a list refers to, in order and without mimic joints
static dm_status keep_coordinates(const pb_tree *t, const char *path, const pb_node *node,
                                  pb_joint_list *joints) {
  int n = 0;
  for (int i = 0; i < joints->n; i++) {
    int c = joints->coord[i];

    // the three coordinates of a ball joint would need one number
    if (pb_tree_in_ball(t, c))
      return pb_refuse_node(t->r, node,
                            "%s: found a list, expected a number for all, or a mapping by name: "
                            "ball joints have one for three turns",
                            path);

    // mimic joints are not external coordinates
    if (t->coord[c].mimic >= 0) continue;
    joints->coord[n] = c;
    joints->name[n++] = t->coord[c].name;
  }
  joints->n = n;
  return DM_OK;
}

// replace a number of each coordinate (at this offset in it) by the problem file's value
static dm_status override_number(pb_tree *t, const char *path, const pb_node *node, size_t at) {
  pb_joint_list joints;
  double *value;
  if (!node) return DM_OK;

  // a mapping by joint, or a list by coordinate
  DM_TRY(pb_tree_joints(t, &joints));
  if (node->kind == PB_SEQUENCE) DM_TRY(keep_coordinates(t, path, node, &joints));
  PB_NEW(t->r->arena, value, joints.n);

  // joints not named keep the robot's values
  for (int i = 0; i < joints.n; i++)
    value[i] = *(double *)((char *)&t->coord[joints.coord[i]] + at);
  DM_TRY(pb_schema_each(t->r, path, node, ">= 0", "joint", joints.name, joints.n, value));
  for (int i = 0; i < joints.n; i++)
    *(double *)((char *)&t->coord[joints.coord[i]] + at) = value[i];
  return DM_OK;
}

// the independent coordinate of a joint
static dm_coordinate *followed_coordinate(const pb_tree *t, int i) {
  return &t->coord[t->coord[i].mimic >= 0 ? t->coord[i].mimic : i];
}

// mark the listed coordinates as kinematic, that is moved by inputs
static dm_status mark_kinematic(pb_tree *t, const pb_node *list) {
  const char *path = "model.kinematic[]";
  pb_joint_list joints;
  int i;
  if (!list) return DM_OK;

  // by the name of any movable joint
  DM_TRY(pb_tree_joints(t, &joints));
  for (const pb_node *e = list->first; e; e = e->next) {
    // a mimic joint is moved by its independent joint
    DM_TRY(pb_schema_name(t->r, path, e, "coordinate", joints.name, joints.n, &i));
    i = joints.coord[i];
    if (followed_coordinate(t, i) != &t->coord[i])
      return pb_refuse_node(t->r, e, "%s: found '%.64s', which follows '%.64s', expected that one",
                            path, t->coord[i].name, followed_coordinate(t, i)->name);
    t->coord[i].kinematic = true;
  }
  return DM_OK;
}

// the force range of a coordinate in the robot's file; whether it has a motor
static bool find_motor(const pb_tree *t, int coord, double range[2]) {
  range[1] = t->coord[coord].effort;
  range[0] = -range[1];
  for (int i = 0; i < t->nmotor; i++) {
    if (t->motor[i].coord != coord) continue;
    range[0] = t->motor[i].low;
    range[1] = t->motor[i].high;
    return true;
  }
  return isfinite(range[1]) && t->coord[coord].mimic < 0;
}

// add an input on a coordinate that is not locked or kinematic, if it has a motor or, unless it is
// a mimic joint, an effort limit; each pass covers only ball joints or only others
static dm_status add_own_input(pb_tree *t, int i, bool ball) {
  const dm_coordinate *c = &t->coord[i], *moved = followed_coordinate(t, i);
  dm_input *input;
  double range[2];
  if (c->locked || moved->locked || moved->kinematic || !find_motor(t, i, range)) return DM_OK;
  if (pb_tree_in_ball(t, i) != ball) return DM_OK;
  for (int k = 0; k < t->ninput; k++)
    if (t->input[k].coord == i) return DM_OK;
  DM_TRY(pb_tree_input(t, c->name, t->coord_at[i], i, &input));
  input->u_min = range[0];
  input->u_max = range[1];
  return DM_OK;
}

// add an input for an actuator of the robot's file that is not on a joint
static dm_status add_file_input(pb_tree *t, const pb_file_load *x) {
  dm_input *input;
  if (!x->load.driven || !pb_file_load_moves(t, x)) return DM_OK;
  DM_TRY(pb_tree_input(t, x->load.name, x->at, -1, &input));
  input->u_min = x->low;
  input->u_max = x->high;
  return DM_OK;
}

static dm_status add_file_inputs(pb_tree *t) {
  for (int i = 0; i < t->nload; i++) DM_TRY(add_file_input(t, &t->load[i]));
  return DM_OK;
}

// motors in the order of the file, then coordinates with an effort limit; of ball joints, or of
// others
static dm_status add_own_inputs(pb_tree *t, bool ball) {
  for (int i = 0; i < t->nmotor; i++) DM_TRY(add_own_input(t, t->motor[i].coord, ball));
  for (int i = 0; i < t->ncoord; i++) DM_TRY(add_own_input(t, i, ball));
  return DM_OK;
}

// inputs of ball joints follow the others; last come inputs that are not on joints
static dm_status add_all_inputs(pb_tree *t) {
  DM_TRY(add_own_inputs(t, false));
  DM_TRY(add_own_inputs(t, true));
  return add_file_inputs(t);
}

// limits of an input: the robot's range, [-effort, effort], or min and max
static dm_status limit_input(const pb_tree *t, const pb_node *node, const pb_input *s,
                             const double range[2], dm_input *input) {
  const bool own = !isnan(s->effort);
  // a cable can only pull
  double lowest = s->path ? 0 : own ? -s->effort : range[0];
  input->u_min = isnan(s->min) ? lowest : s->min;
  input->u_max = isnan(s->max) ? own ? s->effort : range[1] : s->max;
  if (input->u_min <= input->u_max) return DM_OK;
  return pb_refuse_node(t->r, node, "inputs[]: found min %g above max %g, expected min <= max",
                        input->u_min, input->u_max);
}

// add an input on a joint; each pass covers only ball joints or only others
static dm_status add_joint_input(pb_tree *t, const pb_node *node, const pb_joint_list *joints,
                                 bool ball) {
  pb_input s;
  dm_input *input;
  int c;

  // its joint, if it is on one and belongs to this pass
  DM_TRY(pb_input_read(t->r, node, &s));
  const pb_node *joint = pb_node_get(node, "joint");
  if (!joint) return DM_OK;
  DM_TRY(pb_schema_name(t->r, "inputs[].joint", joint, "joint", joints->name, joints->n, &c));
  c = joints->coord[c];
  if (pb_tree_in_ball(t, c) != ball) return DM_OK;

  // no force on a kinematic coordinate, none beside a spring, and at most one input per joint
  DM_TRY(pb_drives_check_input(t, joint, c));
  if (followed_coordinate(t, c)->kinematic)
    return pb_refuse_node(t->r, joint,
                          "inputs[].joint: found '%.64s', which is kinematic, expected one that "
                          "forces move",
                          s.joint);
  for (int i = 0; i < t->ninput; i++)
    if (t->input[i].coord == c)
      return pb_refuse_node(t->r, joint,
                            "inputs: found a second input on '%.64s', expected one for each joint",
                            s.joint);

  // the name of the joint and, by default, its limits
  double range[2];
  find_motor(t, c, range);
  DM_TRY(pb_tree_input(t, t->coord[c].name, pb_place_of(t, node), c, &input));
  return limit_input(t, node, &s, range, input);
}

// add an input that is a wrench or a tension, or if `free` one of formulas; its name must be unique
static dm_status add_load_input(pb_tree *t, const pb_node *node, bool free) {
  pb_input s;
  dm_input *input;
  const pb_file_load *own = NULL;
  double range[] = {-INFINITY, INFINITY};
  DM_TRY(pb_input_read(t->r, node, &s));
  if (s.joint || s.free != free) return DM_OK;
  if (s.actuator)
    DM_TRY(pb_actuator_read(t, "inputs[].actuator", pb_node_get(node, "actuator"), &own));
  if (own) memcpy(range, (double[]){own->low, own->high}, sizeof range);

  // names of inputs: the joint, the load, or the kinematic coordinate
  const char *name = own ? own->load.name : s.wrench.name;
  bool taken = false;
  for (int i = 0; i < t->ninput; i++) taken = taken || !strcmp(t->input[i].name, name);
  for (int i = 0; i < t->ncoord; i++)
    taken = taken || (t->coord[i].kinematic && !strcmp(t->coord[i].name, name));
  if (taken)
    return pb_refuse_node(t->r, pb_node_get(node, own ? "actuator" : "name"),
                          "inputs[]: found a second one named '%.64s', expected every name once",
                          name);

  // not on a coordinate: its load is read later
  DM_TRY(pb_tree_input(t, name, pb_place_of(t, node), -1, &input));
  return limit_input(t, node, &s, range, input);
}

// whether a coordinate belongs to a free body: a floating base, or a root that moves in a plane
static bool is_of_free_body(const pb_tree *t, int coord) {
  int b = 0, slides = 0;
  while (b < t->nbody && coord >= t->body[b].first + t->body[b].ncoord) b++;
  if (b == t->nbody) return false;
  const dm_body *body = &t->body[b];
  for (int i = 0; i < body->ncoord; i++) slides += t->coord[body->first + i].slides;
  return body->ncoord >= 6 || (body->parent < 0 && body->ncoord == 3 && slides == 2);
}

// the joints that could have a motor but have none: not kinematic, not mimic, not of a free body
static dm_status list_passive(const pb_tree *t, pb_joint_list *list) {
  double range[2];
  int n = 0;
  DM_TRY(pb_tree_joints(t, list));
  for (int i = 0; i < list->n; i++) {
    const int c = list->coord[i];
    const dm_coordinate *x = &t->coord[c];
    if (x->mimic >= 0 || x->kinematic || is_of_free_body(t, c) || find_motor(t, c, range)) continue;
    list->coord[n] = c;
    list->name[n++] = list->name[i];
  }
  list->n = n;
  return DM_OK;
}

// Motors are never invented: without `inputs`, a joint without a motor is passive. The robot keeps
// copies of the names of passive joints in one block. If there are motors, joints that are passive
// on purpose are left out: those of a file that lists its motors, and those of bodies in the
// problem file.
static dm_status keep_passive(const pb_tree *t, pb_robot *out) {
  pb_joint_list list;
  size_t size = 0;
  int n = 0;
  const bool lists_motors = t->nmotor || t->nload;

  // select the names
  DM_TRY(list_passive(t, &list));
  for (int i = 0; i < list.n; i++) {
    const char *file = t->coord_at[list.coord[i]].file;
    if (!t->ninput || (!lists_motors && file && file != t->r->file)) list.name[n++] = list.name[i];
  }
  list.n = n;
  if (!n) return DM_OK;

  // copy them: an array of pointers, then the text
  for (int i = 0; i < list.n; i++) size += sizeof(char *) + strlen(list.name[i]) + 1;
  out->passive = malloc(size);
  if (!out->passive) return DM_NO_MEMORY;
  out->npassive = list.n;
  char *at = (char *)(out->passive + list.n);
  for (int i = 0; i < list.n; i++) {
    out->passive[i] = strcpy(at, list.name[i]);
    at += strlen(at) + 1;
  }
  return DM_OK;
}

// `inputs: all`: each motor of the robot's file, and an unlimited one on every other joint
static dm_status add_every_input(pb_tree *t) {
  pb_joint_list list;
  dm_input *input;
  DM_TRY(list_passive(t, &list));
  for (int ball = 0; ball < 2; ball++) {
    DM_TRY(add_own_inputs(t, ball));
    for (int i = 0; i < list.n; i++)
      if (pb_tree_in_ball(t, list.coord[i]) == ball)
        DM_TRY(pb_tree_input(t, list.name[i], t->coord_at[list.coord[i]], list.coord[i], &input));
  }
  return add_file_inputs(t);
}

// inputs on joints, ball joints last, then other inputs
static dm_status add_inputs(pb_tree *t, const pb_node *list, pb_robot *out) {
  pb_joint_list joints;
  if (!list) {
    DM_TRY(add_all_inputs(t));
    return keep_passive(t, out);
  }
  if (list->kind == PB_SCALAR) return add_every_input(t);

  // two passes, because the external order puts coordinates of ball joints last
  DM_TRY(pb_tree_joints(t, &joints));
  for (int ball = 0; ball < 2; ball++)
    for (const pb_node *e = list->first; e; e = e->next)
      DM_TRY(add_joint_input(t, e, &joints, ball));
  for (int free = 0; free < 2; free++)
    for (const pb_node *e = list->first; e; e = e->next) DM_TRY(add_load_input(t, e, free));
  return DM_OK;
}

// make the names of coordinates and inputs known to the reader
static void know_names(pb_reader *r, const dm_model *m) {
  r->n = m->nq;
  r->nu = r->nf = m->nu;
  r->coord = m->name;
  r->input = m->input_name;
  r->nball = m->quaternion ? m->nball : 0;
  r->quaternion = m->quaternion;
}

// explain path notations of other tools
static const char *explain_path(const char *name) {
  if (strstr(name, "://")) return "; packages are not searched, expected a path from this file";
  if (name[0] == '~') return "; '~' is not expanded, expected a path from this file or from '/'";
  return "";
}

// robot file formats by root element
static const struct robot_format {
  const char *root;
  dm_status (*read)(pb_tree *t, pb_xml *x, const char *name, pb_base base);
} robot_formats[] = {{"robot", pb_urdf_read}, {"mujoco", pb_mjcf_read}};

enum { FORMATS = sizeof robot_formats / sizeof *robot_formats };

#define CONVERTED "; sdf2mjcf of sdformat-mjcf writes MuJoCo's XML from an SDF"

// read the text of a robot file by its format
static dm_status read_robot_text(pb_tree *t, const char *file, const char *name, const char *text,
                                 size_t size, pb_base base, pb_robot *out) {
  pb_xml x;
  t->file = file;
  DM_TRY(pb_xml_open(&x, t->r, file, text, size));

  // the root element determines the format, not the file name
  const pb_xml_node *root = pb_xml_root(&x);
  const char *word = root ? root->name : "";
  dm_status (*read)(pb_tree *, pb_xml *, const char *, pb_base) = NULL;
  for (int i = 0; i < FORMATS; i++)
    if (!strcmp(word, robot_formats[i].root)) read = robot_formats[i].read;
  if (read == pb_urdf_read) {
    out->urdf = text;
    out->urdf_size = size;
  }
  const dm_status s = read ? read(t, &x, name, base)
                           : pb_refuse(t->r, file, root ? pb_xml_line(root) : 1, 0,
                                       "found <%.40s>, expected <robot> or <mujoco>%s", word,
                                       strcmp(word, "sdf") ? "" : CONVERTED);
  memcpy(out->touching, t->touching, sizeof out->touching);
  return s;
}

// read the robot file named in the section
static dm_status read_file(pb_tree *t, const pb_node *model, const model_section *s, pb_base base,
                           pb_robot *out) {
  const char *key = s->robot ? "robot" : "urdf", *name = s->robot ? s->robot : s->urdf;
  const pb_node *node = pb_node_get(model, key);
  const char *path = pb_file_beside(t->r, name);
  if (!path) return DM_NO_MEMORY;

  // the file is included in the problem's digest and copies
  char *text;
  size_t size;
  dm_message why = {""};
  dm_status status = pb_file_read(t->r, name, path, &text, &size, &why);

  // the path may be in the notation of another tool
  if (status == DM_IO)
    return pb_refuse_node(t->r, node, "model.%s: '%.200s' cannot be read: %.100s%s", key, path,
                          why.text, explain_path(name));
  DM_TRY(status);
  out->file = t->r->last_source;
  return read_robot_text(t, path, name, text, size, base, out);
}

const double *pb_robot_enter(const pb_reader *r, const pb_robot *robot, const double *q) {
  if (!robot->mechanism.embed) return q;
  double *inside = pb_arena_alloc(r->arena, (size_t)robot->mechanism.tree->nq, sizeof *inside);
  if (inside) dm_ball_enter(robot->mechanism.tree, q, NULL, inside, NULL);
  return inside;
}

// refuse constraints with the name of a ball joint, whose constraint has that name
static dm_status check_rows(const pb_reader *r, const pb_node *list, const pb_robot *robot) {
  dm_holonomic h = dm_quaternion_system_of(robot->mechanism.embed).hol;

  // holonomic rows of the file's constraints, one row per ball joint, nonholonomic rows
  const int nball = robot->mechanism.tree->nball, first = h.nc - h.nv - nball;
  for (int i = 0; i < h.nc; i++)
    for (int k = first; k < first + nball; k++)
      if ((i < first || i >= first + nball) &&
          !strcmp(h.row_name(h.self, i), h.row_name(h.self, k)))
        return pb_refuse(r, r->file, list ? list->line : 0, list ? list->column : 0,
                         "model.constraints: found one named '%.64s', as a ball joint, expected "
                         "every name once",
                         h.row_name(h.self, k));
  return DM_OK;
}

// the system in external coordinates (quaternions), if there are ball joints
static dm_status embed_quaternions(const pb_reader *r, const pb_node *model, pb_robot *out) {
  // without ball joints both are the same; a draft that cannot be stepped has no system
  if (!out->mechanism.tree->nball || (r->draft && r->draft->text[0])) return DM_OK;

  // each ball joint adds the constraint |q| = 1
  dm_system inside = dm_robot_system(&out->mechanism);
  dm_status s = dm_quaternion_system_new(&out->mechanism.embed, out->mechanism.tree,
                                         out->mechanism.model, &inside);
  if (s == DM_OK) return check_rows(r, pb_node_get(model, "constraints"), out);
  return s == DM_NOT_FINITE ? pb_refuse(r, r->file, 0, 0, "model: its energy at rest is not finite")
                            : s;
}

// read the bodies: the robot's file, additional bodies, payloads; and the locked joints
static dm_status read_tree(pb_tree *t, const pb_node *model, const model_section *s, pb_base base,
                           pb_robot *out) {
  // a robot file, bodies, or both; a floating base needs a robot file
  const bool file = s->robot || s->urdf;
  if (s->robot && s->urdf)
    return pb_refuse_node(t->r, pb_node_get(model, "urdf"),
                          "model: found both robot and urdf, two words for one file, expected one "
                          "of them");
  if (!s->coordinates != !s->lagrangian || (s->coordinates && (file || s->bodies)))
    return pb_refuse_node(t->r, model,
                          "model: found %s, expected 'coordinates' with their 'lagrangian' alone, "
                          "or a robot",
                          !s->lagrangian    ? "coordinates without lagrangian"
                          : !s->coordinates ? "lagrangian without coordinates"
                                            : "coordinates beside a robot or bodies");
  if (s->coordinates) return pb_coordinates_read(t, s->coordinates);
  if (!file && !s->bodies)
    return pb_refuse_node(t->r, model,
                          "model: found none of robot, bodies, lagrangian, expected one of them");
  if (!file && base != PB_FIXED)
    return pb_refuse_node(t->r, model,
                          "model: found base: %s beside bodies, expected the first body to have "
                          "the joints [tx, ty, %s]",
                          s->base,
                          base == PB_PLANAR     ? "rz"
                          : base == PB_FLOATING ? "tz, rz, ry, rx"
                                                : "tz, ball");

  // bodies attach to links, payloads to both, and any of their joints may be locked
  if (file) DM_TRY(read_file(t, model, s, base, out));
  if (s->bodies) DM_TRY(pb_bodies_read(t, s->bodies));
  DM_TRY(pb_links_read(t, s->links));
  DM_TRY(pb_payload_read(t, s->payload));
  DM_TRY(pb_lock_read(t, s->lock));

  // the file alone no longer describes the robot
  if (s->bodies || s->links || s->payload || s->lock || s->drives) {
    out->urdf = NULL;
    out->urdf_size = 0;
  }
  return DM_OK;
}

// the tree and its parts
static dm_status compile_robot(const pb_tree *t, pb_part_source *from, dm_robot *out) {
  DM_TRY(pb_tree_compile(t, &out->tree, &out->model));
  from->m = out->tree;
  know_names(from->r, from->m);
  return pb_parts_read(from, out);
}

// compile a robot once more, with the coordinate of the time; its first `warned` warnings stay
static dm_status add_clock(pb_tree *t, pb_part_source *from, int warned, dm_robot *out) {
  struct pb_warnings *w = from->r->warnings;
  while (w && w->n > warned) free(w->text[--w->n]);
  dm_robot_free(out);
  DM_TRY(pb_clock_add(t, *from->timed));
  from->timed = NULL;
  return compile_robot(t, from, out);
}

dm_status pb_robot_read(pb_reader *r, const pb_node *model, const pb_node *inputs,
                        const pb_node *outputs, pb_base base, pb_robot *out) {
  model_section s = {0};
  pb_tree t = {.r = r, .file = r->file};
  DM_TRY(pb_schema_read(r, "model", model, pb_model_keys, &s));
  if (!strcmp(s.base, "floating")) base = PB_FLOATING;
  if (!strcmp(s.base, "floating-quaternion")) base = PB_QUATERNION;
  if (!strcmp(s.base, "planar")) base = PB_PLANAR;
  memcpy(t.gravity, s.gravity, sizeof t.gravity);
  t.density = s.density;

  // the tree, with values overridden by the problem file
  DM_TRY(read_tree(&t, model, &s, base, out));
  if (pb_node_get(model, "gravity")) memcpy(t.gravity, s.gravity, sizeof t.gravity);
  if (s.lagrangian) memset(t.gravity, 0, sizeof t.gravity);
  DM_TRY(mark_kinematic(&t, s.kinematic));
  DM_TRY(pb_drives_read(&t, s.drives));
  DM_TRY(override_number(&t, "model.damping", s.damping, offsetof(dm_coordinate, damping)));
  DM_TRY(override_number(&t, "model.armature", s.armature, offsetof(dm_coordinate, armature)));

  // inputs on joints; afterwards joints are known by index
  DM_TRY(add_inputs(&t, inputs, out));
  const pb_node *timed = NULL;
  const int warned = r->warnings ? r->warnings->n : 0;
  const bool every = inputs && inputs->kind == PB_SCALAR;
  pb_part_source from = {.r = r,
                         .tree = &t,
                         .model = model,
                         .inputs = every ? NULL : inputs,
                         .outputs = outputs,
                         .file = out->file,
                         .timed = &timed};
  DM_TRY(compile_robot(&t, &from, &out->mechanism));
  if (timed) DM_TRY(add_clock(&t, &from, warned, &out->mechanism));

  // tasks use external coordinates (quaternions)
  know_names(r, out->mechanism.model);
  DM_TRY(pb_keyframes_know(r, &t, out->mechanism.model));
  DM_TRY(pb_drives_keep(&t, out));
  DM_TRY(embed_quaternions(r, model, out));
  const char *const *equation;
  int ne;
  return r->draft && r->draft->text[0] ? DM_OK : pb_row_names(r, out, &ne, &equation);
}

dm_status pb_robot_text(pb_reader *r, const char *text, size_t size, pb_base base, pb_robot *out) {
  pb_tree t = {.r = r, .gravity = {0, 0, -9.81}};
  const char *slash = strrchr(r->file, '/');

  // other files are relative to its folder
  DM_TRY(read_robot_text(&t, r->file, slash ? slash + 1 : r->file, text, size, base, out));
  DM_TRY(add_inputs(&t, NULL, out));
  DM_TRY(pb_tree_compile(&t, &out->mechanism.tree, &out->mechanism.model));
  const pb_part_source from = {.r = r, .tree = &t, .m = out->mechanism.tree};
  DM_TRY(pb_parts_read(&from, &out->mechanism));
  know_names(r, out->mechanism.model);
  return embed_quaternions(r, NULL, out);
}
