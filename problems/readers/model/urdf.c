#include "problems/readers/model/urdf.h"

#include "lib/base/names.h"
#include "problems/readers/model/linkage.h"
#include "problems/readers/model/urdf_rotors.h"
#include "problems/readers/model/urdf_weigh.h"

#include <math.h>
#include <string.h>

typedef struct urdf {
  pb_xml x;
  pb_linkage g;
  pb_tree *t;
  const char *name; // of the file
} urdf;

static pb_place place_of(const urdf *u, const pb_xml_node *e) {
  return (pb_place){.file = pb_xml_file(&u->x, e), .line = pb_xml_line(e)};
}

// <inertia> in its own frame, rotated to the link's axes
static dm_status read_inertia(urdf *u, const pb_xml_node *inertial, const double rpy[3],
                              dm_body *body) {
  static const char *const name[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const double zero[3];
  pb_xml_node *e;
  double own[6] = {0};
  bool there, any = false;
  DM_TRY(pb_xml_child(&u->x, inertial, "inertia", &e));

  // six numbers in the axes of <inertial>'s origin
  for (int i = 0; e && i < 6; i++) {
    DM_TRY(pb_xml_number(&u->x, e, name[i], &own[i], &there));
    if (!there)
      DM_TRY(pb_warn_xml(&u->x, e, "link '%.64s': its inertia has no %s, taken as 0", body->name,
                         name[i]));
    any = any || own[i] != 0;
  }

  // R J R'
  dm_pose turn = dm_pose_rpy(rpy, zero);
  dm_inertia I = dm_inertia_about(0, zero, own);
  I = dm_inertia_move(&I, &turn);
  const double turned[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  memcpy(body->inertia, turned, sizeof turned);

  // a link without mass and inertia is a frame; no warning
  if (!e && body->mass > 0)
    return pb_warn_xml(&u->x, inertial, "link '%.64s' has no <inertia>: a point mass", body->name);
  return any ? pb_tree_check_inertia(u->t, body, place_of(u, e)) : DM_OK;
}

// mass and center of mass of a link, then its inertia; none without <inertial>
static dm_status read_inertial(urdf *u, const pb_link *link, dm_body *body) {
  pb_xml_node *e, *mass;
  double rpy[3];
  bool there;
  DM_TRY(pb_xml_child(&u->x, link->element, "inertial", &e));
  if (!e && u->t->density > 0) return pb_urdf_weigh(&u->x, u->name, link, u->t->density, body);
  u->t->unweighed += !e && pb_xml_next(link->element->children, "collision");
  if (!e) return DM_OK;

  // the center of mass, and the axes of the inertia
  DM_TRY(pb_xml_origin(&u->x, e, body->centre, rpy));

  // an inertia requires a mass
  DM_TRY(pb_xml_child(&u->x, e, "mass", &mass));
  DM_TRY(pb_xml_number(&u->x, mass, "value", &body->mass, &there));
  if (!there)
    return pb_refuse_xml(&u->x, e,
                         "link '%.64s': found <inertial> without a mass, expected "
                         "<mass value=\"...\"/>",
                         link->name);
  if (body->mass < 0)
    return pb_refuse_xml(&u->x, mass, "link '%.64s': found mass %g, expected a number >= 0",
                         link->name, body->mass);

  // J about the center of mass
  return read_inertia(u, e, rpy, body);
}

// position limits of a joint
static dm_status read_stops(urdf *u, const pb_joint *j, const pb_xml_node *limit,
                            dm_coordinate *c) {
  double lower = 0, upper = 0;
  bool has_lower = false, has_upper = false;
  DM_TRY(pb_xml_number(&u->x, limit, "lower", &lower, &has_lower));
  DM_TRY(pb_xml_number(&u->x, limit, "upper", &upper, &has_upper));

  // a continuous joint has no limits
  const pb_xml_node *at = limit ? limit : j->element;
  if (!strcmp(j->type, "continuous")) {
    // only warn about limits that are given
    if (!has_lower && !has_upper) return DM_OK;
    return pb_warn_xml(&u->x, at, "joint '%.64s' is continuous: its lower and upper are not read",
                       j->name);
  }
  if (!has_lower && !has_upper)
    return pb_warn_xml(&u->x, at, "joint '%.64s' has no %s: it moves freely", j->name,
                       limit ? "lower and upper limits" : "<limit>");
  if (lower >= upper)
    return pb_warn_xml(&u->x, at, "joint '%.64s' has lower %g >= upper %g: it moves freely",
                       j->name, lower, upper);

  // if one limit is missing, it has the format's default
  if (!has_lower || !has_upper)
    DM_TRY(pb_warn_xml(&u->x, at, "joint '%.64s' has no %s limit, taken as 0", j->name,
                       has_lower ? "upper" : "lower"));
  c->limit = (dm_range){lower, upper};
  return DM_OK;
}

// <limit>: position, speed and effort
static dm_status read_limit(urdf *u, const pb_joint *j, dm_coordinate *c) {
  pb_xml_node *limit;
  double velocity = INFINITY, effort = INFINITY;

  // infinite by default
  DM_TRY(pb_xml_child(&u->x, j->element, "limit", &limit));
  DM_TRY(read_stops(u, j, limit, c));
  DM_TRY(pb_xml_number(&u->x, limit, "velocity", &velocity, NULL));
  DM_TRY(pb_xml_number(&u->x, limit, "effort", &effort, NULL));
  // exporters write zero for a missing limit
  if (velocity <= 0)
    DM_TRY(pb_warn_xml(&u->x, limit, "joint '%.64s' has velocity limit %g, taken as none", j->name,
                       velocity));
  if (effort < 0)
    DM_TRY(pb_warn_xml(&u->x, limit, "joint '%.64s' has effort limit %g, taken as none", j->name,
                       effort));
  c->v_max = velocity > 0 ? velocity : INFINITY;
  c->effort = effort > 0 ? effort : INFINITY;
  return DM_OK;
}

// dry friction, of a joint of one coordinate
static dm_status add_friction(urdf *u, const pb_joint *j, pb_xml_node *e, int first,
                              double friction) {
  const pb_place at = {pb_xml_file(&u->x, e), pb_xml_line(e), 0};
  if (friction == 0) return DM_OK;
  if (friction > 0 && first + 1 == u->t->ncoord)
    return pb_tree_friction(u->t, &(pb_file_friction){at, first, friction});
  return pb_warn_xml(&u->x, e, "joint '%.64s': its dry friction %g is not read: %s", j->name,
                     friction, friction > 0 ? "it has several coordinates" : "it is below 0");
}

// <dynamics>, for all coordinates of the joint, from first on
static dm_status read_dynamics(urdf *u, const pb_joint *j, int first) {
  pb_xml_node *e;
  double damping = 0, friction = 0;
  DM_TRY(pb_xml_child(&u->x, j->element, "dynamics", &e));
  DM_TRY(pb_xml_number(&u->x, e, "damping", &damping, NULL));
  DM_TRY(pb_xml_number(&u->x, e, "friction", &friction, NULL));

  // damping must not add energy
  if (damping < 0)
    return pb_refuse_xml(&u->x, e, "joint '%.64s': found damping %g, expected a number >= 0",
                         j->name, damping);
  DM_TRY(add_friction(u, j, e, first, friction));
  // the format has one damping per joint: apply it to all independent coordinates
  for (int c = first; c < u->t->ncoord; c++)
    if (u->t->coord[c].mimic < 0) u->t->coord[c].damping = damping;
  return DM_OK;
}

// limits of a joint with several coordinates are ambiguous and ignored
static dm_status warn_of_limit(urdf *u, const pb_joint *j) {
  pb_xml_node *limit;
  DM_TRY(pb_xml_child(&u->x, j->element, "limit", &limit));
  if (!limit) return DM_OK;
  return pb_warn_xml(&u->x, limit, "joint '%.64s' is %s: its <limit> is not read", j->name,
                     j->type);
}

// NAME with a suffix
static dm_status name_part(urdf *u, const pb_joint *j, const char *end, const char **out) {
  char *name;
  const size_t length = strlen(j->name);
  PB_NEW(u->x.r->arena, name, length + strlen(end) + 1);
  memcpy(name, j->name, length);
  strcpy(name + length, end);
  *out = name;
  return DM_OK;
}

// x and y in the plane normal to the axis, then the rotation about the axis
static dm_status add_planar(urdf *u, pb_joint *j, const pb_xml_node *element,
                            const double axis[3]) {
  (void)element;
  DM_TRY(warn_of_limit(u, j));

  // the normal z, and x, y in the plane
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  dm_vec z = dm_mul(1 / length, dm_v(axis[0], axis[1], axis[2]));
  // x: project the frame axis that follows the one nearest to the normal
  dm_vec e = dm_v(1, 0, 0);
  if (fabs(z.y) > 0.6) e = dm_v(0, 0, 1);
  if (fabs(z.x) > 0.6) e = dm_v(0, 1, 0);
  dm_vec x = dm_sub(e, dm_mul(dm_dot(e, z), z));
  dm_vec y = dm_cross(z, x);

  // NAME.x, NAME.y, NAME.rz
  const double along[3][3] = {{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}};
  static const char *const end[] = {".x", ".y", ".rz"};
  for (int i = 0; i < 3; i++) {
    const char *name;
    dm_coordinate *c;
    DM_TRY(name_part(u, j, end[i], &name));
    DM_TRY(pb_tree_coord(u->t, name, place_of(u, j->element), i < 2, along[i], &c));
  }
  return DM_OK;
}

static dm_status add_fixed(urdf *u, pb_joint *j, const pb_xml_node *e, const double axis[3]) {
  (void)u;
  (void)e;
  (void)axis;
  j->coord = -1;
  return DM_OK;
}

// a rotation or a translation with limits
static dm_status add_single(urdf *u, pb_joint *j, const pb_xml_node *e, const double axis[3]) {
  const bool slides = !strcmp(j->type, "prismatic");
  dm_coordinate *c;
  DM_TRY(pb_tree_coord(u->t, j->name, place_of(u, e ? e : j->element), slides, axis, &c));
  u->t->coord_at[j->coord] = place_of(u, j->element);
  return read_limit(u, j, c);
}

static dm_status add_floating(urdf *u, pb_joint *j, const pb_xml_node *e, const double axis[3]) {
  (void)e;
  (void)axis;
  DM_TRY(warn_of_limit(u, j));
  return pb_tree_floating(u->t, j->name, place_of(u, j->element), PB_FLOATING);
}

static dm_status add_ball(urdf *u, pb_joint *j, const pb_xml_node *e, const double axis[3]) {
  (void)e;
  (void)axis;
  DM_TRY(warn_of_limit(u, j));
  return pb_tree_ball(u->t, j->name, place_of(u, j->element));
}

// a rotation about x, then one about the rotated y
static dm_status add_universal(urdf *u, pb_joint *j, const pb_xml_node *e, const double axis[3]) {
  static const char *const end[] = {".rx", ".ry"};
  (void)e;
  (void)axis;
  DM_TRY(warn_of_limit(u, j));
  for (int i = 0; i < 2; i++) {
    const char *name;
    dm_coordinate *c;
    DM_TRY(name_part(u, j, end[i], &name));
    DM_TRY(pb_tree_coord(u->t, name, place_of(u, j->element), false, (double[]){i == 0, i == 1, 0},
                         &c));
  }
  return DM_OK;
}

// a rotation, and a translation along its axis that copies it by the thread pitch
static dm_status add_screw(urdf *u, pb_joint *j, const pb_xml_node *e, const double axis[3]) {
  pb_xml_node *pitch;
  const char *name;
  double length = 0;
  dm_coordinate *c;
  DM_TRY(pb_xml_child(&u->x, j->element, "screw_thread_pitch", &pitch));
  DM_TRY(pb_xml_number(&u->x, pitch, "value", &length, NULL));
  if (length == 0)
    return pb_refuse_xml(&u->x, pitch ? pitch : j->element,
                         "joint '%.64s': found no pitch, expected <drake:screw_thread_pitch "
                         "value=\"...\"/> in m per revolution",
                         j->name);
  DM_TRY(pb_tree_coord(u->t, j->name, place_of(u, e ? e : j->element), false, axis, &c));
  DM_TRY(read_limit(u, j, c));
  DM_TRY(name_part(u, j, ".slide", &name));
  DM_TRY(pb_tree_coord(u->t, name, place_of(u, j->element), true, axis, &c));
  c->mimic = j->coord;
  c->ratio = length / (2 * acos(-1));
  return DM_OK;
}

// joint types of the format, and Drake's extensions
static const struct joint_type {
  const char *word;
  bool directed; // the axis must not be zero
  dm_status (*add)(urdf *u, pb_joint *j, const pb_xml_node *e, const double axis[3]);
} joint_types[] = {{"fixed", false, add_fixed},         {"revolute", true, add_single},
                   {"continuous", true, add_single},    {"prismatic", true, add_single},
                   {"floating", false, add_floating},   {"planar", true, add_planar},
                   {"ball", false, add_ball},           {"spherical", false, add_ball},
                   {"universal", false, add_universal}, {"screw", true, add_screw}};

enum { JOINT_TYPES = sizeof joint_types / sizeof *joint_types };

// add the body of a link, with the joint above it
static dm_status add_link(urdf *u, int i, pb_base base) {
  pb_link *link = &u->g.link[i];
  double xyz[3], rpy[3];
  dm_body *body;

  // the body, with its mass
  DM_TRY(pb_tree_body(u->t, link->name, place_of(u, link->element), &body));
  link->body = u->t->nbody - 1;
  DM_TRY(read_inertial(u, link, body));

  // the root is fixed to the world or floats
  if (link->up < 0)
    return base == PB_FIXED ? DM_OK
                            : pb_tree_floating(u->t, "base", place_of(u, link->element), base);

  // other links: the parent body precedes its children
  pb_joint *j = &u->g.joint[link->up];
  DM_TRY(pb_xml_origin(&u->x, j->element, xyz, rpy));
  body->parent = u->g.link[j->parent].body;
  body->offset = dm_pose_rpy(rpy, xyz);

  // append the coordinates of a joint to its child body
  const char *list[JOINT_TYPES];
  for (int k = 0; k < JOINT_TYPES; k++) list[k] = joint_types[k].word;
  const int type = dm_names_find(list, JOINT_TYPES, j->type), first = u->t->ncoord;
  char meant[96], known[128];
  if (type < 0)
    return pb_refuse_xml(&u->x, j->element,
                         "joint '%.64s': found the unknown type '%.40s', expected %s%s", j->name,
                         j->type, dm_names_list(list, JOINT_TYPES, known, sizeof known),
                         pb_did_you_mean(list, JOINT_TYPES, j->type, meant));

  // the axis defaults to x
  pb_xml_node *e;
  double axis[3] = {1, 0, 0};
  DM_TRY(pb_xml_child(&u->x, j->element, "axis", &e));
  DM_TRY(pb_xml_vector(&u->x, e, "xyz", axis));
  if (joint_types[type].directed && axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
    return pb_refuse_xml(&u->x, e, "joint '%.64s': found the axis 0 0 0, expected a direction",
                         j->name);

  // its coordinates, from first on
  j->coord = first;
  DM_TRY(joint_types[type].add(u, j, e, axis));
  return j->coord < 0 ? DM_OK : read_dynamics(u, j, first);
}

// depth-first traversal of the links
static dm_status add_links(urdf *u, pb_base base) {
  const pb_linkage *g = &u->g;
  int at = g->root;
  while (at >= 0) {
    DM_TRY(add_link(u, at, base));

    // the first child, or the next sibling of the nearest ancestor that has one
    int next = g->link[at].first;
    while (next < 0 && g->link[at].up >= 0) {
      const pb_joint *up = &g->joint[g->link[at].up];
      next = up->next;
      at = up->parent;
    }
    at = next < 0 ? -1 : g->joint[next].child;
  }
  return DM_OK;
}

// <mimic> of joint i: index of the joint it copies, or -1, with ratio and shift
static dm_status read_mimic(urdf *u, int i, int *master, double *ratio, double *shift) {
  const pb_joint *j = &u->g.joint[i];
  pb_xml_node *e;
  const char *name;
  char meant[96];
  *master = -1;
  *ratio = 1;
  *shift = 0;

  // q = multiplier q_master + offset
  DM_TRY(pb_xml_child(&u->x, j->element, "mimic", &e));
  if (!e) return DM_OK;
  DM_TRY(pb_xml_name(&u->x, e, "joint", &name));
  DM_TRY(pb_xml_number(&u->x, e, "multiplier", ratio, NULL));
  DM_TRY(pb_xml_number(&u->x, e, "offset", shift, NULL));

  // the joint that it copies must exist
  *master = dm_names_find(u->g.joint_name, u->g.njoint, name);
  if (*master < 0)
    return pb_refuse_xml(&u->x, e, "joint '%.64s' mimics '%.64s', which does not exist%s", j->name,
                         name, pb_did_you_mean(u->g.joint_name, u->g.njoint, name, meant));
  return DM_OK;
}

static bool is_single(const pb_joint *j) {
  return !strcmp(j->type, "revolute") || !strcmp(j->type, "continuous") ||
         !strcmp(j->type, "prismatic");
}

// the limits of a mimic joint also bound its master, unless no range would remain
static dm_status check_copy(urdf *u, const pb_joint *j, dm_coordinate *c) {
  const dm_coordinate *m = &u->t->coord[c->mimic];

  // drop the limits of a mimic joint if they leave the master no range
  const dm_range left = dm_range_both(m->limit, dm_range_before(c->limit, c->ratio, c->shift));
  if (left.low < left.high) return DM_OK;
  c->limit = dm_range_none();
  return pb_warn_xml(
      &u->x, j->element,
      "joint '%.64s': its limits contradict those of '%.64s', which it mimics: they are not read",
      j->name, m->name);
}

// resolve a chain of mimic joints to the independent coordinate
static dm_status resolve_mimic(urdf *u, int i) {
  pb_joint *j = &u->g.joint[i];
  double ratio, shift, r, s;
  int master, above;

  // its own master
  if (!is_single(j)) return DM_OK; // fixed joints copy nothing
  DM_TRY(read_mimic(u, i, &master, &ratio, &shift));
  if (master < 0) return DM_OK;

  // follow the chain; more steps than joints mean a cycle
  for (int steps = 0;; steps++) {
    const pb_joint *m = &u->g.joint[master];
    if (!is_single(m))
      return pb_refuse_xml(&u->x, j->element,
                           "joint '%.64s' mimics '%.64s', which is %s, expected a joint with one "
                           "coordinate",
                           j->name, m->name, m->type);
    if (master == i || steps > u->g.njoint)
      return pb_refuse_xml(&u->x, j->element, "joint '%.64s' mimics itself", j->name);
    DM_TRY(read_mimic(u, master, &above, &r, &s));
    if (above < 0) break;
    // q = ratio (r q_above + s) + shift
    shift += ratio * s;
    ratio *= r;
    master = above;
  }

  // the independent coordinate at the end of the chain
  dm_coordinate *c = &u->t->coord[j->coord];
  c->mimic = u->g.joint[master].coord;
  c->ratio = ratio;
  c->shift = shift;
  if (ratio == 0)
    return pb_refuse_xml(&u->x, j->element,
                         "joint '%.64s': found multiplier 0, expected another number (or a fixed "
                         "joint)",
                         j->name);
  return check_copy(u, j, c);
}

dm_status pb_urdf_read(pb_tree *t, pb_xml *x, const char *name, pb_base base) {
  urdf u = {.x = *x, .t = t, .name = name};

  // links and joints, then bodies, then mimic joints, whose masters may come later
  DM_TRY(pb_linkage_read(&u.x, &u.g));
  DM_TRY(add_links(&u, base));
  for (int i = 0; i < u.g.njoint; i++) DM_TRY(resolve_mimic(&u, i));
  return pb_urdf_rotors(&u.x, &u.g, t);
}
