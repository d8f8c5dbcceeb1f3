#include "problems/readers/model/mjcf.h"

#include "lib/base/names.h"
#include "problems/readers/model/mjcf_drive.h"
#include "problems/readers/model/mjcf_expand.h"
#include "problems/readers/model/mjcf_fluid.h"
#include "problems/readers/model/mjcf_hold.h"
#include "problems/readers/model/mjcf_key.h"
#include "problems/readers/model/mjcf_mass.h"
#include "problems/readers/model/mjcf_settle.h"
#include "problems/readers/model/mjcf_tendon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef pb_mjcf_parts mjcf;

// the chain of joints of one MJCF body while it is built
typedef struct chain {
  const pb_xml_node *e;
  const char *name;
  int parent;   // parent of the next body of the tree
  dm_pose next; // frame of the next body in its parent
  int open;     // the body that receives coordinates; -1: none
  dm_vec at;    // from the MJCF body to the frame reached, at rest
} chain;

static dm_pose move_by(dm_vec a) {
  dm_pose X = dm_identity;
  X.p = a;
  return X;
}

static bool is_same_point(dm_vec a, dm_vec b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// -- joints

static const char *const joint_words[] = {[PB_MJCF_HINGE] = "hinge",
                                          [PB_MJCF_SLIDE] = "slide",
                                          [PB_MJCF_BALL] = "ball",
                                          [PB_MJCF_FREE] = "free"};

// add a body of the tree, the parent of the next one, which receives coordinates
static dm_status open_body(mjcf *w, chain *c, const char *name, const pb_xml_node *e) {
  dm_body *body;
  DM_TRY(pb_tree_body(w->t, name, pb_mjcf_place(w, e), &body));
  body->parent = c->parent;
  body->offset = c->next;
  c->open = c->parent = w->t->nbody - 1;
  c->next = dm_identity;
  return DM_OK;
}

// "BODY/JOINT", a body without mass
static dm_status name_between(const mjcf *w, const chain *c, const char *joint, const char **out) {
  char *name;
  const size_t size = strlen(c->name) + strlen(joint) + 2;
  PB_NEW(w->t->r->arena, name, size);
  snprintf(name, size, "%s/%s", c->name, joint);
  *out = name;
  return DM_OK;
}

// open a body for a joint at `at` in the MJCF body, displaced by -ref
static dm_status prepare_body(mjcf *w, chain *c, const pb_mjcf_joint *j, const pb_xml_node *e,
                              dm_vec at, dm_vec axis) {
  if (c->open >= 0 && j->ref == 0 && is_same_point(at, c->at)) return DM_OK;

  // from the last frame to the joint, then back by ref
  const dm_pose step = move_by(c->open >= 0 ? dm_sub(at, c->at) : at);
  c->next = dm_compose(&c->next, &step);
  dm_pose back = move_by(dm_mul(-j->ref, axis));
  if (j->kind == PB_MJCF_HINGE) {
    const double s = sin(-j->ref / 2), q[] = {cos(j->ref / 2), s * axis.x, s * axis.y, s * axis.z};
    back = pb_mjcf_pose_turned(q, dm_v(0, 0, 0));
  }
  c->next = dm_compose(&c->next, &back);
  const char *name;
  DM_TRY(name_between(w, c, j->name, &name));
  DM_TRY(open_body(w, c, name, e));
  c->at = at;
  return DM_OK;
}

// dry friction, of a hinge or a slide
static dm_status add_friction(const mjcf *w, pb_mjcf_element at, const pb_mjcf_joint *j) {
  double friction = 0;
  DM_TRY(pb_mjcf_number(&w->m, at, "frictionloss", &friction));
  if (friction == 0 || !w->m.friction) return DM_OK;
  if (friction > 0 && pb_mjcf_is_single(j)) {
    const pb_place place = {pb_xml_file(w->m.x, at.e), pb_xml_line(at.e), 0};
    return pb_tree_friction(w->t, &(pb_file_friction){place, j->coord, friction});
  }
  return pb_warn_xml(w->m.x, at.e, "joint '%.64s': its dry friction %g is not read: %s", j->name,
                     friction, friction > 0 ? "it is no hinge or slide" : "it is below 0");
}

// springdamper: a time constant and a damping ratio, from which stiffness and damping follow with
// the inertia
static dm_status read_settling(const mjcf *w, pb_mjcf_element at, pb_mjcf_joint *j) {
  int n;
  DM_TRY(pb_mjcf_numbers(&w->m, at, "springdamper", 2, j->settle, &n));
  if (n == 0 || (j->settle[0] == 0 && j->settle[1] == 0)) return DM_OK;
  if (n == 2 && j->settle[0] > 0 && j->settle[1] > 0 && pb_mjcf_is_single(j)) return DM_OK;
  return pb_refuse_xml(w->m.x, at.e,
                       "joint '%.64s': found springdamper %g %g, expected two numbers above 0 of a "
                       "hinge or a slide",
                       j->name, j->settle[0], j->settle[1]);
}

// Euler angle rates are not angular velocities: damping and armature cannot be one number
static dm_status check_angles(const mjcf *w, pb_mjcf_element at, const pb_mjcf_joint *j,
                              double size) {
  if (j->kind != PB_MJCF_FREE || w->base == PB_QUATERNION || size == 0) return DM_OK;
  return pb_refuse_xml(w->m.x, at.e,
                       "joint '%.64s': found damping or armature of a free joint that turns by "
                       "angles, expected model.base: floating-quaternion, or none",
                       j->name);
}

static dm_status read_mjcf_limits(mjcf *w, pb_mjcf_element at, pb_mjcf_joint *j) {
  const double unit = j->kind == PB_MJCF_SLIDE ? 1 : pb_mjcf_settings_of(&w->m, at.e)->angle;
  double range[2];
  bool there;
  DM_TRY(pb_mjcf_range(&w->m, at, "actuatorfrclimited", "actuatorfrcrange", 1, j->force, &there));
  if (j->kind == PB_MJCF_FREE) return DM_OK;
  if (j->kind == PB_MJCF_BALL) {
    // a range that begins at 0
    DM_TRY(pb_mjcf_range(&w->m, at, "limited", "range", unit, range, &there));
    return there ? pb_warn_xml(w->m.x, at.e, "joint '%.64s': the limit of a ball joint is not read",
                               j->name)
                 : DM_OK;
  }
  DM_TRY(pb_mjcf_range(&w->m, at, "limited", "range", unit, range, &there));
  if (!there) return DM_OK;
  w->t->coord[j->coord].limit = (dm_range){range[0], range[1]};
  return DM_OK;
}

// add a hinge or a slide, with a body in between if needed
static dm_status add_single(mjcf *w, chain *c, pb_mjcf_element at, pb_mjcf_joint *j) {
  double pos[3] = {0}, axis[3] = {0, 0, 1};
  const bool slides = j->kind == PB_MJCF_SLIDE;
  dm_coordinate *coord;
  DM_TRY(pb_xml_vector(w->m.x, pb_mjcf_holder(&w->m, at, "pos"), "pos", pos));
  DM_TRY(pb_xml_vector(w->m.x, pb_mjcf_holder(&w->m, at, "axis"), "axis", axis));
  const dm_pose *frame = &pb_mjcf_note_of(at.e)->frame;
  const dm_vec along = dm_rotate(frame, dm_v(axis[0], axis[1], axis[2]));
  DM_TRY(pb_mjcf_number(&w->m, at, "ref", &j->ref));
  if (!slides) j->ref *= pb_mjcf_settings_of(&w->m, at.e)->angle;

  // normalize the axis; a slide does not depend on its position
  const double length = sqrt(dm_dot(along, along));
  const dm_vec unit = length > 0 ? dm_mul(1 / length, along) : along;
  const dm_vec own = dm_place(frame, dm_v(pos[0], pos[1], pos[2]));
  DM_TRY(prepare_body(w, c, j, at.e, slides ? c->at : own, unit));
  j->coord = w->t->ncoord;
  return pb_tree_coord(w->t, j->name, pb_mjcf_place(w, at.e), slides,
                       (const double[]){along.x, along.y, along.z}, &coord);
}

static dm_status add_mjcf_ball(mjcf *w, chain *c, pb_mjcf_element at, pb_mjcf_joint *j) {
  double pos[3] = {0};
  DM_TRY(pb_xml_vector(w->m.x, pb_mjcf_holder(&w->m, at, "pos"), "pos", pos));
  const dm_vec own = dm_place(&pb_mjcf_note_of(at.e)->frame, dm_v(pos[0], pos[1], pos[2]));
  DM_TRY(prepare_body(w, c, j, at.e, own, dm_v(0, 0, 0)));
  j->coord = w->t->ncoord;
  return pb_tree_ball(w->t, j->name, pb_mjcf_place(w, at.e));
}

// add a free joint: its coordinates are the pose in the world, and the pose in the file is ignored
static dm_status add_free(mjcf *w, chain *c, pb_mjcf_element at, pb_mjcf_joint *j) {
  if (c->parent >= 0 || c->open >= 0)
    return pb_refuse_xml(w->m.x, at.e,
                         "joint '%.64s': found a free joint %s, expected it alone in a body of "
                         "<worldbody>",
                         j->name, c->open >= 0 ? "behind another" : "below a body");
  j->start = c->next;
  c->next = dm_identity;
  DM_TRY(prepare_body(w, c, j, at.e, dm_v(0, 0, 0), dm_v(0, 0, 0)));
  j->coord = w->t->ncoord;
  return pb_tree_floating(w->t, j->name, pb_mjcf_place(w, at.e), w->base);
}

static dm_status (*const add_by_kind[])(mjcf *w, chain *c, pb_mjcf_element at,
                                        pb_mjcf_joint *j) = {[PB_MJCF_HINGE] = add_single,
                                                             [PB_MJCF_SLIDE] = add_single,
                                                             [PB_MJCF_BALL] = add_mjcf_ball,
                                                             [PB_MJCF_FREE] = add_free};

enum { KINDS = sizeof add_by_kind / sizeof *add_by_kind };

// its own name if unique, or one made from the body's
static dm_status name_mjcf_joint(mjcf *w, const chain *c, pb_mjcf_element at, int place,
                                 const char **name) {
  if (pb_xml_has(at.e, "name")) {
    DM_TRY(pb_xml_name(w->m.x, at.e, "name", name));
  } else {
    char *own;
    const size_t size = strlen(c->name) + 16;
    PB_NEW(w->t->r->arena, own, size);
    snprintf(own, size, place ? "%s_%d" : "%s", c->name, place + 1);
    *name = own;
  }
  for (int i = 0; i < w->njoint; i++)
    if (!strcmp(w->joint[i].name, *name))
      return pb_refuse_xml(w->m.x, at.e,
                           "found a second joint named '%.64s', expected every name once", *name);
  return DM_OK;
}

// add joint number `place` of its body
static dm_status add_mjcf_joint(mjcf *w, chain *c, const pb_xml_node *e, int class, int place) {
  const bool bare = !strcmp(e->name, "freejoint");
  pb_mjcf_joint *j = &w->joint[w->njoint];
  pb_mjcf_element at = {e, -1};
  int kind = bare ? PB_MJCF_FREE : PB_MJCF_HINGE;

  // <freejoint> has no defaults
  *j = (pb_mjcf_joint){.e = e, .force = {-INFINITY, INFINITY}};
  if (!bare) DM_TRY(pb_mjcf_at(&w->m, e, class, &at));
  if (!bare) DM_TRY(pb_mjcf_word(&w->m, at, "type", joint_words, KINDS, &kind));
  DM_TRY(name_mjcf_joint(w, c, at, place, &j->name));
  j->kind = (pb_mjcf_kind)kind;
  w->njoint++;
  DM_TRY(add_by_kind[kind](w, c, at, j));
  DM_TRY(read_mjcf_limits(w, at, j));

  // the properties that all coordinates of a joint share
  double damping = 0, armature = 0, stiffness = 0;
  char what[96];
  snprintf(what, sizeof what, "joint '%.64s'", j->name);
  DM_TRY(pb_mjcf_coefficient(w, at, what, "damping", &damping));
  DM_TRY(pb_mjcf_coefficient(w, at, what, "armature", &armature));
  DM_TRY(pb_mjcf_coefficient(w, at, what, "stiffness", &stiffness));
  if (!w->m.dampers) damping = 0;
  DM_TRY(check_angles(w, at, j, damping + armature));
  for (int i = j->coord; i < w->t->ncoord; i++) {
    w->t->coord[i].damping = damping;
    w->t->coord[i].armature = armature;
  }
  DM_TRY(add_friction(w, at, j));
  DM_TRY(read_settling(w, at, j));
  DM_TRY(pb_mjcf_number(&w->m, at, "springref", &j->rest));
  if (j->kind == PB_MJCF_HINGE) j->rest *= pb_mjcf_settings_of(&w->m, at.e)->angle;
  if (stiffness == 0 || !w->m.springs || j->settle[0] > 0) return DM_OK;

  // a spring with its rest position at springref
  if (pb_mjcf_is_single(j)) return pb_mjcf_joint_spring(w, j, stiffness);
  return pb_refuse_xml(w->m.x, at.e,
                       "joint '%.64s': found stiffness of a %s joint, expected one of a hinge or a "
                       "slide",
                       j->name, j->kind == PB_MJCF_BALL ? "ball" : "free");
}

// add the joints of a body, then the body itself, which is the last of the chain if the frames
// agree
static dm_status add_chain(mjcf *w, chain *c, int class) {
  const pb_xml_node *e = c->e;
  int place = 0;
  for (const pb_xml_node *j = pb_xml_next(e->children, NULL); j; j = pb_xml_next(j->next, NULL)) {
    const char *word = j->name;
    if (strcmp(word, "joint") != 0 && strcmp(word, "freejoint") != 0) continue;
    if (place && w->joint[w->njoint - 1].kind == PB_MJCF_FREE)
      return pb_refuse_xml(
          w->m.x, j, "body '%.64s': found a joint beside a free joint, expected none", c->name);
    DM_TRY(add_mjcf_joint(w, c, j, class, place++));
  }

  // the last joint carries the body, or the body is fixed to it
  if (c->open >= 0 && is_same_point(c->at, dm_v(0, 0, 0))) {
    w->t->body[c->open].name = c->name;
    return DM_OK;
  }
  if (c->open >= 0) c->next = move_by(dm_mul(-1, c->at));
  return open_body(w, c, c->name, e);
}

// -- bodies

static dm_status check_taken(const mjcf *w, const pb_xml_node *e, const char *name,
                             const char *what) {
  if (strcmp(name, "world") && pb_tree_find_body(w->t, name) < 0) return DM_OK;
  return pb_refuse_xml(w->m.x, e, "found a second %s named '%.64s', expected every name once", what,
                       name);
}

// the frame of a site: NAME, or NAME/site if a body has the name
static dm_status name_frame(const mjcf *w, const char *site, const char **out) {
  char *name;
  bool taken = !strcmp(site, "world");
  *out = site;
  for (pb_xml_node *e = NULL; !taken && (e = pb_mjcf_section(&w->m, "worldbody", e));)
    DM_TRY(pb_mjcf_has_name(&w->m, e, "body", site, &taken));
  if (!taken) return DM_OK;
  PB_NEW(w->t->r->arena, name, strlen(site) + sizeof "/site");
  sprintf(name, "%s/site", site);
  *out = name;
  return DM_OK;
}

// add a massless frame for each named site
static dm_status add_sites(mjcf *w, const pb_xml_node *e, int class, int parent) {
  for (const pb_xml_node *s = pb_xml_next(e->children, "site"); s;
       s = pb_xml_next(s->next, "site")) {
    pb_mjcf_element at;
    pb_mjcf_site *site = &w->site[w->nsite];
    const char *name;
    dm_body *body;
    dm_pose X;
    if (!pb_xml_has(s, "name")) continue;
    DM_TRY(pb_xml_name(w->m.x, s, "name", &site->name));
    for (int i = 0; i < w->nsite; i++)
      if (!strcmp(w->site[i].name, site->name))
        return pb_refuse_xml(
            w->m.x, s, "found a second site named '%.64s', expected every name once", site->name);
    DM_TRY(name_frame(w, site->name, &name));

    // its frame, fixed to the body
    DM_TRY(pb_mjcf_at(&w->m, s, class, &at));
    DM_TRY(pb_mjcf_site_pose(&w->m, at, &X));
    DM_TRY(pb_tree_body(w->t, name, pb_mjcf_place(w, s), &body));
    body->parent = parent;
    body->offset = X;
    site->body = w->t->nbody - 1;
    w->nsite++;
    w->rest[site->body] = parent < 0 ? X : dm_compose(&w->rest[parent], &X);
  }
  return DM_OK;
}

// keep a colliding shape of the world for a warning: a plane, or the first
static dm_status note_floor(mjcf *w, pb_mjcf_element at) {
  const char *type, *name;
  char *text;
  DM_TRY(pb_mjcf_text(&w->m, at, "type", &type));
  name = pb_xml_get(at.e, "name");
  const bool plane = type && !strcmp(type, "plane");
  if (w->t->floor && (!plane || w->t->floor_is_plane)) return DM_OK;
  w->t->floor_is_plane = plane;
  const size_t size = 96;
  PB_NEW(w->t->r->arena, text, size);
  const char *kind = plane ? "plane" : "shape";
  if (name)
    snprintf(text, size, "%s '%.64s'", kind, name);
  else
    snprintf(text, size, "a %s", kind);
  w->t->floor = text;
  w->t->floor_at = pb_mjcf_place(w, at.e);
  return DM_OK;
}

// count the shapes that collide in MuJoCo: of the world (0), of bodies (1)
static dm_status count_touching(mjcf *w, const pb_xml_node *e, int class, int of) {
  for (const pb_xml_node *g = pb_xml_next(e->children, "geom"); g;
       g = pb_xml_next(g->next, "geom")) {
    double type = 1, affinity = 1;
    pb_mjcf_element at;
    DM_TRY(pb_mjcf_at(&w->m, g, class, &at));
    DM_TRY(pb_mjcf_number(&w->m, at, "contype", &type));
    DM_TRY(pb_mjcf_number(&w->m, at, "conaffinity", &affinity));
    if (type == 0 && affinity == 0) continue;
    w->t->touching[of]++;
    if (of == 0) DM_TRY(note_floor(w, at));
  }
  return DM_OK;
}

// the share of its weight that is compensated (gravcomp)
static dm_status read_lift(mjcf *w, const pb_xml_node *e, int body) {
  double share = 0;
  DM_TRY(pb_xml_number(w->m.x, e, "gravcomp", &share, NULL));
  if (share == 0) return DM_OK;
  return pb_tree_lift(w->t, &(pb_file_lift){pb_mjcf_place(w, e), body, share});
}

// add a body and its descendants
static dm_status add_mjcf_body(mjcf *w, const pb_xml_node *e, int around, int parent) {
  chain c = {.e = e, .parent = parent, .open = -1};
  const pb_mjcf_element at = {e, -1};
  const char *mocap;
  pb_mjcf_weight weight;
  bool aligned;
  int class;
  DM_TRY(pb_mjcf_class_of(&w->m, e, "childclass", around, &class));
  DM_TRY(pb_mjcf_body_name(&w->m, e, &c.name));
  DM_TRY(check_taken(w, e, c.name, "body"));
  mocap = pb_xml_get(e, "mocap");
  if (mocap && !strcmp(mocap, "true"))
    DM_TRY(pb_warn_xml(w->m.x, e, "body '%.64s' is moved by mocap: it stands still here", c.name));

  // mass; an aligned body is moved to its inertial frame
  DM_TRY(pb_mjcf_pose(&w->m, at, &c.next, NULL));
  DM_TRY(pb_mjcf_weigh(&w->m, e, class, c.name, &weight));
  DM_TRY(pb_mjcf_aligned(&w->m, e, &aligned));
  if (aligned) DM_TRY(pb_mjcf_align(&w->m, e, &weight, &c.next));

  // the chain of joints ends in the body
  const dm_pose rest = parent < 0 ? c.next : dm_compose(&w->rest[parent], &c.next);
  DM_TRY(add_chain(w, &c, class));
  const int own = c.open;
  w->rest[own] = rest;
  DM_TRY(pb_mjcf_put_weight(w->t, pb_mjcf_place(w, e), &weight, &w->t->body[own]));
  DM_TRY(read_lift(w, e, own));
  DM_TRY(add_sites(w, e, class, own));
  DM_TRY(count_touching(w, e, class, 1));
  for (const pb_xml_node *b = pb_xml_next(e->children, "body"); b; b = pb_xml_next(b->next, "body"))
    DM_TRY(add_mjcf_body(w, b, class, own));
  return DM_OK;
}

static dm_status add_world(mjcf *w, const pb_xml_node *world) {
  int class;
  DM_TRY(pb_mjcf_class_of(&w->m, world, "childclass", w->m.outermost, &class));
  DM_TRY(add_sites(w, world, class, -1));
  DM_TRY(count_touching(w, world, class, 0));
  for (const pb_xml_node *b = pb_xml_next(world->children, "body"); b;
       b = pb_xml_next(b->next, "body"))
    DM_TRY(add_mjcf_body(w, b, class, -1));
  return DM_OK;
}

static int count_elements(const pb_xml_node *top, const char *word) {
  int n = 0;
  for (const pb_xml_node *e = pb_xml_next(top->children, NULL); e; e = pb_xml_next(e->next, NULL))
    n += !strcmp(e->name, word) + count_elements(e, word);
  return n;
}

// allocate lists for elements that refer to names
static dm_status open_parts(mjcf *w, const pb_xml_node *root) {
  const int joints = count_elements(root, "joint") + count_elements(root, "freejoint");
  if (joints >= PB_MAX_PARTS)
    return pb_refuse_xml(w->m.x, root, "found more than %d joints", PB_MAX_PARTS);
  PB_NEW(w->t->r->arena, w->joint, joints + 1);
  PB_NEW(w->t->r->arena, w->site, count_elements(root, "site") + 1);
  PB_NEW(w->t->r->arena, w->rest, PB_MAX_PARTS + 1);
  return DM_OK;
}

dm_status pb_mjcf_read(pb_tree *t, pb_xml *x, const char *name, pb_base base) {
  if (base == PB_PLANAR)
    return pb_refuse(t->r, t->file, 0, 0,
                     "found base: planar for MuJoCo's XML, expected slide and hinge joints of its "
                     "first body");
  mjcf w = {.t = t, .base = base == PB_FLOATING ? PB_FLOATING : PB_QUATERNION};
  const pb_xml_node *root = pb_xml_root(x);
  DM_TRY(pb_mjcf_begin(&w.m, x, name));
  DM_TRY(open_parts(&w, root));
  memcpy(t->gravity, w.m.gravity, sizeof t->gravity);

  // bodies, then the elements that refer to joints
  for (pb_xml_node *e = NULL; (e = pb_mjcf_section(&w.m, "worldbody", e));)
    DM_TRY(add_world(&w, e));
  pb_mjcf_scale_masses(t, w.m.own.total);
  if (!t->nbody)
    return pb_refuse_xml(x, root, "found no <body> in <worldbody>, expected at least one");
  int floating = 0;
  for (int i = 0; i < w.njoint; i++) floating += w.joint[i].kind == PB_MJCF_FREE;
  if (base != PB_FIXED && !floating)
    return pb_refuse_xml(
        x, root,
        "found no free joint for a floating base, expected <freejoint/> in the body "
        "that floats");
  DM_TRY(pb_mjcf_fluid(&w));
  DM_TRY(pb_mjcf_settle(&w));
  DM_TRY(pb_mjcf_tendons(&w));
  DM_TRY(pb_mjcf_hold(&w));
  DM_TRY(pb_mjcf_drive(&w));
  return pb_mjcf_keys(&w);
}
