#include "problems/readers/model/mjcf.h"

#include "lib/base/names.h"
#include "problems/readers/model/mjcf_drive.h"
#include "problems/readers/model/mjcf_geom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct mjcf {
  pb_mjcf m;
  pb_tree *t;
  pb_base base;
  int njoint;
  pb_mjcf_joint *joint; // [njoint] in the file's order
} mjcf;

// a body whose joints are being added
typedef struct chain {
  const xmlNode *e;
  const char *name;
  int parent;   // what the next body of the tree hangs on
  dm_pose next; // its frame there
  int open;     // the body that takes coordinates; -1: none
  dm_vec at;    // from the file's body to its frame, at rest
} chain;

static pb_place place_in(const mjcf *w, const xmlNode *e) {
  return (pb_place){.file = w->m.x->file, .line = pb_xml_line(e)};
}

static dm_pose move_by(dm_vec a) {
  dm_pose X = dm_identity;
  X.p = a;
  return X;
}

static bool is_same_point(dm_vec a, dm_vec b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// -- inertia

// its principal moments about turned axes, or all six in those of the body
static dm_status read_moments(const mjcf *w, pb_mjcf_element at, bool turned, const char *body,
                              double J[6]) {
  static const char *const name[] = {"diaginertia", "fullinertia"};
  double own[2][6];
  int n[2];
  for (int i = 0; i < 2; i++) DM_TRY(pb_mjcf_numbers(&w->m, at, name[i], i ? 6 : 3, own[i], &n[i]));

  // one of the forms, whole
  const int form = n[1] > 0;
  if (n[0] && n[1])
    return pb_refuse_xml(w->m.x, at.e, "body '%.64s': found both diaginertia and fullinertia",
                         body);
  if (form && turned)
    return pb_refuse_xml(
        w->m.x, at.e,
        "body '%.64s': found a turned frame beside fullinertia, which is in that of "
        "the body, expected one of them",
        body);
  if (n[form] && n[form] < (form ? 6 : 3))
    return pb_refuse_xml(w->m.x, at.e, "body '%.64s': found %d numbers in %s, expected %d", body,
                         n[form], name[form], form ? 6 : 3);
  memset(J, 0, 6 * sizeof *J);
  memcpy(J, own[form], (size_t)n[form] * sizeof *J);
  if (n[form]) return DM_OK;
  return pb_warn_xml(w->m.x, at.e,
                     "body '%.64s' has neither diaginertia nor fullinertia: a point mass", body);
}

static dm_status read_mjcf_inertial(const mjcf *w, const xmlNode *e, dm_body *body) {
  const pb_mjcf_element at = {e, -1};
  dm_pose X;
  double J[6];
  bool turned, there;
  DM_TRY(pb_mjcf_pose(&w->m, at, &X, &turned));
  DM_TRY(pb_xml_number(w->m.x, e, "mass", &body->mass, &there));
  if (!there || body->mass < 0)
    return pb_refuse_xml(w->m.x, e, "body '%.64s': found %s, expected a mass >= 0", body->name,
                         there ? "a negative mass" : "<inertial> without a mass");
  DM_TRY(read_moments(w, at, turned, body->name, J));

  // R J R' about the centre
  const double zero[3] = {0};
  const dm_vec centre = X.p;
  dm_inertia I = dm_inertia_about(0, zero, J);
  X.p = dm_v(0, 0, 0);
  I = dm_inertia_move(&I, &X);
  memcpy(body->centre, (double[]){centre.x, centre.y, centre.z}, sizeof body->centre);
  memcpy(body->inertia, (double[]){I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}, sizeof body->inertia);
  return pb_tree_check_inertia(w->t, body, place_in(w, e));
}

// the sum of its geoms, about their common centre
static dm_status weigh_geoms(const mjcf *w, const xmlNode *e, int class, dm_body *body) {
  dm_inertia sum = {0};
  for (const xmlNode *g = pb_xml_next(e->children, "geom"); g; g = pb_xml_next(g->next, "geom")) {
    pb_mjcf_geom geom;
    DM_TRY(pb_mjcf_geom_read(&w->m, g, class, &geom));
    DM_TRY(pb_mjcf_geom_weigh(&w->m, &geom, &sum));
  }
  if (!(sum.m > 0)) return DM_OK;
  const dm_vec centre = dm_mul(1 / sum.m, sum.c);
  dm_shift(&sum, dm_mul(-1, centre));
  body->mass = sum.m;
  memcpy(body->centre, (double[]){centre.x, centre.y, centre.z}, sizeof body->centre);
  memcpy(body->inertia, (double[]){sum.xx, sum.yy, sum.zz, sum.xy, sum.xz, sum.yz},
         sizeof body->inertia);
  return DM_OK;
}

// MuJoCo lifts what is lighter than boundmass and boundinertia: numbers below what anybody sees are
// for its sake, others change the robot
static dm_status check_lightest(const mjcf *w, const xmlNode *e, const dm_body *body) {
  static const double UNSEEN = 1e-6;
  double moment[3];
  const double *bound = w->m.lightest;
  if (!(bound[0] > UNSEEN) && !(bound[1] > UNSEEN)) return DM_OK;
  if (!pb_tree_moments(body, moment)) return DM_OK;
  const bool light = bound[0] > UNSEEN && body->mass < bound[0];
  if (!light && !(bound[1] > UNSEEN && moment[0] < bound[1])) return DM_OK;
  return pb_warn_xml(w->m.x, e, "body '%.64s': %s is not read: its %s stays %g", body->name,
                     light ? "boundmass" : "boundinertia",
                     light ? "mass" : "least moment of inertia", light ? body->mass : moment[0]);
}

static dm_status read_mass(const mjcf *w, const xmlNode *e, int class, dm_body *body) {
  xmlNode *inertial;
  DM_TRY(pb_xml_child(w->m.x, e, "inertial", &inertial));
  if (inertial && w->m.source != PB_MJCF_GEOMS)
    DM_TRY(read_mjcf_inertial(w, inertial, body));
  else if (w->m.source != PB_MJCF_INERTIAL)
    DM_TRY(weigh_geoms(w, e, class, body));
  return check_lightest(w, e, body);
}

// -- joints

static const char *const joint_words[] = {[PB_MJCF_HINGE] = "hinge",
                                          [PB_MJCF_SLIDE] = "slide",
                                          [PB_MJCF_BALL] = "ball",
                                          [PB_MJCF_FREE] = "free"};

// a new body of the tree, on which the next one hangs; it takes coordinates
static dm_status open_body(mjcf *w, chain *c, const char *name, const xmlNode *e) {
  dm_body *body;
  DM_TRY(pb_tree_body(w->t, name, place_in(w, e), &body));
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

// a body whose joint is at `at` in the file's body, turned or moved by -ref before it
static dm_status prepare_body(mjcf *w, chain *c, const pb_mjcf_joint *j, const xmlNode *e,
                              dm_vec at, dm_vec axis) {
  if (c->open >= 0 && j->ref == 0 && is_same_point(at, c->at)) return DM_OK;

  // from the frame of the last one to this joint's place, then back by ref
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

static dm_status warn_of_friction(const mjcf *w, pb_mjcf_element at, const pb_mjcf_joint *j) {
  double friction = 0;
  DM_TRY(pb_mjcf_number(&w->m, at, "frictionloss", &friction));
  if (friction == 0) return DM_OK;
  return pb_warn_xml(w->m.x, at.e, "joint '%.64s': its dry friction %g is not modelled", j->name,
                     friction);
}

// what every coordinate of a joint has, from its first on
static dm_status read_passive(mjcf *w, pb_mjcf_element at, const pb_mjcf_joint *j) {
  static const char *const name[] = {"damping", "armature", "stiffness"};
  double value[3] = {0}, rest = 0;
  const bool single = j->kind == PB_MJCF_HINGE || j->kind == PB_MJCF_SLIDE;
  for (int i = 0; i < 3; i++) {
    DM_TRY(pb_mjcf_number(&w->m, at, name[i], &value[i]));
    if (value[i] < 0)
      return pb_refuse_xml(w->m.x, at.e, "joint '%.64s': found %s %g, expected a number >= 0",
                           j->name, name[i], value[i]);
  }
  if (!single && value[1] > 0)
    return pb_refuse_xml(
        w->m.x, at.e,
        "joint '%.64s': found armature of a %s joint, expected armature=\"0\", or the "
        "rotor in the inertia of its body",
        j->name, joint_words[j->kind]);
  for (int c = j->coord; c < w->t->ncoord; c++) {
    w->t->coord[c].damping = value[0];
    w->t->coord[c].armature = value[1];
  }
  DM_TRY(warn_of_friction(w, at, j));
  if (value[2] == 0) return DM_OK;

  // a spring, at rest at springref
  if (!single)
    return pb_refuse_xml(
        w->m.x, at.e,
        "joint '%.64s': found stiffness of a %s joint, expected one of a hinge or a "
        "slide",
        j->name, j->kind == PB_MJCF_BALL ? "ball" : "free");
  DM_TRY(pb_mjcf_number(&w->m, at, "springref", &rest));
  if (j->kind == PB_MJCF_HINGE) rest *= w->m.angle;
  w->t->rest[w->t->nrest++] = (pb_rest){j->coord, value[2], rest};
  return DM_OK;
}

static dm_status read_mjcf_limits(mjcf *w, pb_mjcf_element at, pb_mjcf_joint *j) {
  const double unit = j->kind == PB_MJCF_SLIDE ? 1 : w->m.angle;
  double range[2];
  bool there;
  DM_TRY(pb_mjcf_range(&w->m, at, "actuatorfrclimited", "actuatorfrcrange", 1, j->force, &there));
  if (j->kind == PB_MJCF_FREE) return DM_OK;
  if (j->kind == PB_MJCF_BALL) {
    // its range begins at 0
    DM_TRY(pb_mjcf_range(&w->m, at, "limited", "range", unit, range, &there));
    return there ? pb_warn_xml(w->m.x, at.e, "joint '%.64s': the limit of a ball joint is not read",
                               j->name)
                 : DM_OK;
  }
  DM_TRY(pb_mjcf_range(&w->m, at, "limited", "range", unit, range, &there));
  if (!there) return DM_OK;
  w->t->coord[j->coord].q_min = range[0];
  w->t->coord[j->coord].q_max = range[1];
  return DM_OK;
}

// a hinge or a slide, which may stand between bodies
static dm_status add_single(mjcf *w, chain *c, pb_mjcf_element at, pb_mjcf_joint *j) {
  double pos[3] = {0}, axis[3] = {0, 0, 1};
  const bool slides = j->kind == PB_MJCF_SLIDE;
  dm_coordinate *coord;
  DM_TRY(pb_xml_vector(w->m.x, pb_mjcf_holder(&w->m, at, "pos"), "pos", pos));
  DM_TRY(pb_xml_vector(w->m.x, pb_mjcf_holder(&w->m, at, "axis"), "axis", axis));
  DM_TRY(pb_mjcf_number(&w->m, at, "ref", &j->ref));
  if (!slides) j->ref *= w->m.angle;

  // its axis is a direction; a slide is the same at any place
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const dm_vec unit =
      length > 0 ? dm_mul(1 / length, dm_v(axis[0], axis[1], axis[2])) : dm_v(0, 0, 0);
  const dm_vec own = dm_v(pos[0], pos[1], pos[2]);
  DM_TRY(prepare_body(w, c, j, at.e, slides ? c->at : own, unit));
  j->coord = w->t->ncoord;
  return pb_tree_coord(w->t, j->name, place_in(w, at.e), slides, axis, &coord);
}

static dm_status add_mjcf_ball(mjcf *w, chain *c, pb_mjcf_element at, pb_mjcf_joint *j) {
  double pos[3] = {0};
  DM_TRY(pb_xml_vector(w->m.x, pb_mjcf_holder(&w->m, at, "pos"), "pos", pos));
  DM_TRY(prepare_body(w, c, j, at.e, dm_v(pos[0], pos[1], pos[2]), dm_v(0, 0, 0)));
  j->coord = w->t->ncoord;
  return pb_tree_ball(w->t, j->name, place_in(w, at.e));
}

// its coordinates are the pose of the body in the world: where it stands in the file says nothing
static dm_status add_free(mjcf *w, chain *c, pb_mjcf_element at, pb_mjcf_joint *j) {
  if (c->parent >= 0 || c->open >= 0)
    return pb_refuse_xml(w->m.x, at.e,
                         "joint '%.64s': found a free joint %s, expected it alone in a body of "
                         "<worldbody>",
                         j->name, c->open >= 0 ? "behind another" : "below a body");
  c->next = dm_identity;
  DM_TRY(prepare_body(w, c, j, at.e, dm_v(0, 0, 0), dm_v(0, 0, 0)));
  j->coord = w->t->ncoord;
  return pb_tree_floating(w->t, j->name, place_in(w, at.e), w->base);
}

static dm_status (*const add_by_kind[])(mjcf *w, chain *c, pb_mjcf_element at,
                                        pb_mjcf_joint *j) = {[PB_MJCF_HINGE] = add_single,
                                                             [PB_MJCF_SLIDE] = add_single,
                                                             [PB_MJCF_BALL] = add_mjcf_ball,
                                                             [PB_MJCF_FREE] = add_free};

enum { KINDS = sizeof add_by_kind / sizeof *add_by_kind };

// its own name, which nobody else has, or one made of its body's
static dm_status name_mjcf_joint(mjcf *w, const chain *c, pb_mjcf_element at, int place,
                                 const char **name) {
  if (xmlHasProp(at.e, (const xmlChar *)"name")) {
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

// joint number `place` of its body
static dm_status add_mjcf_joint(mjcf *w, chain *c, const xmlNode *e, int class, int place) {
  const bool bare = !strcmp((const char *)e->name, "freejoint");
  pb_mjcf_joint *j = &w->joint[w->njoint];
  pb_mjcf_element at = {e, -1};
  int kind = bare ? PB_MJCF_FREE : PB_MJCF_HINGE;

  // <freejoint> has no defaults
  *j = (pb_mjcf_joint){.force = {-INFINITY, INFINITY}};
  if (!bare) DM_TRY(pb_mjcf_at(&w->m, e, class, &at));
  if (!bare) DM_TRY(pb_mjcf_word(&w->m, at, "type", joint_words, KINDS, &kind));
  DM_TRY(name_mjcf_joint(w, c, at, place, &j->name));
  j->kind = (pb_mjcf_kind)kind;
  w->njoint++;
  DM_TRY(add_by_kind[kind](w, c, at, j));
  DM_TRY(read_mjcf_limits(w, at, j));
  return read_passive(w, at, j);
}

// the joints of a body, then the body itself: the last of its chain, where that stands at its place
static dm_status add_chain(mjcf *w, chain *c, int class) {
  const xmlNode *e = c->e;
  int place = 0;
  for (const xmlNode *j = pb_xml_next(e->children, NULL); j; j = pb_xml_next(j->next, NULL)) {
    const char *word = (const char *)j->name;
    if (strcmp(word, "joint") != 0 && strcmp(word, "freejoint") != 0) continue;
    if (place && w->joint[w->njoint - 1].kind == PB_MJCF_FREE)
      return pb_refuse_xml(
          w->m.x, j, "body '%.64s': found a joint beside a free joint, expected none", c->name);
    DM_TRY(add_mjcf_joint(w, c, j, class, place++));
  }

  // the last of them carries the body itself, or the body is fixed to it
  if (c->open >= 0 && is_same_point(c->at, dm_v(0, 0, 0))) {
    w->t->body[c->open].name = c->name;
    return DM_OK;
  }
  if (c->open >= 0) c->next = move_by(dm_mul(-1, c->at));
  return open_body(w, c, c->name, e);
}

// -- bodies

static dm_status check_taken(const mjcf *w, const xmlNode *e, const char *name, const char *what) {
  if (strcmp(name, "world") && pb_tree_find_body(w->t, name) < 0) return DM_OK;
  return pb_refuse_xml(w->m.x, e, "found a second %s named '%.64s', expected every name once", what,
                       name);
}

// a frame without mass for each site that has a name; one that has a body's is not told from it
static dm_status add_sites(mjcf *w, const xmlNode *e, int class, int parent) {
  for (const xmlNode *s = pb_xml_next(e->children, "site"); s; s = pb_xml_next(s->next, "site")) {
    pb_mjcf_element at;
    const char *name;
    dm_body *body;
    dm_pose X;
    if (!xmlHasProp(s, (const xmlChar *)"name")) continue;
    DM_TRY(pb_xml_name(w->m.x, s, "name", &name));
    if (pb_tree_find_body(w->t, name) >= 0 || !strcmp(name, "world")) {
      DM_TRY(pb_warn_xml(w->m.x, s, "site '%.64s' is not read: a body has its name", name));
      continue;
    }

    // its frame, fixed to the body
    DM_TRY(pb_mjcf_at(&w->m, s, class, &at));
    DM_TRY(pb_mjcf_pose(&w->m, at, &X, NULL));
    DM_TRY(pb_tree_body(w->t, name, place_in(w, s), &body));
    body->parent = parent;
    body->offset = X;
  }
  return DM_OK;
}

// elements of a body that are not known
static dm_status check_children(const mjcf *w, const xmlNode *e) {
  static const char *const known[] = {"body", "joint",  "freejoint", "inertial",
                                      "geom", "camera", "light",     "site"};
  enum { N = sizeof known / sizeof *known };
  for (const xmlNode *c = pb_xml_next(e->children, NULL); c; c = pb_xml_next(c->next, NULL)) {
    char meant[96];
    const char *name = (const char *)c->name;
    if (dm_names_find(known, N, name) < 0)
      DM_TRY(pb_warn_xml(w->m.x, c, "<%.40s> in <%s> is not read%s", name, (const char *)e->name,
                         pb_did_you_mean(known, N, name, meant)));
  }
  return DM_OK;
}

// a body, and those that it carries
static dm_status add_mjcf_body(mjcf *w, const xmlNode *e, int around, int parent) {
  chain c = {.e = e, .parent = parent, .open = -1};
  const pb_mjcf_element at = {e, -1};
  const char *mocap;
  int class;
  DM_TRY(check_children(w, e));
  DM_TRY(pb_mjcf_class_of(&w->m, e, "childclass", around, &class));
  DM_TRY(pb_mjcf_body_name(&w->m, e, &c.name));
  DM_TRY(check_taken(w, e, c.name, "body"));
  DM_TRY(pb_xml_text(w->m.x, e, "mocap", &mocap));
  if (mocap && !strcmp(mocap, "true"))
    DM_TRY(pb_warn_xml(w->m.x, e, "body '%.64s' is moved by mocap: it stands still here", c.name));

  // its chain of joints ends in it
  DM_TRY(pb_mjcf_pose(&w->m, at, &c.next, NULL));
  DM_TRY(add_chain(w, &c, class));
  const int own = c.open;
  DM_TRY(read_mass(w, e, class, &w->t->body[own]));
  DM_TRY(add_sites(w, e, class, own));
  for (const xmlNode *b = pb_xml_next(e->children, "body"); b; b = pb_xml_next(b->next, "body"))
    DM_TRY(add_mjcf_body(w, b, class, own));
  return DM_OK;
}

static dm_status add_world(mjcf *w, const xmlNode *world) {
  int class;
  DM_TRY(check_children(w, world));
  DM_TRY(pb_mjcf_class_of(&w->m, world, "childclass", w->m.outermost, &class));
  DM_TRY(add_sites(w, world, class, -1));
  for (const xmlNode *b = pb_xml_next(world->children, "body"); b; b = pb_xml_next(b->next, "body"))
    DM_TRY(add_mjcf_body(w, b, class, -1));
  return DM_OK;
}

// tendons hold nothing here, unless they are springs or dampers
static dm_status check_tendons(const mjcf *w) {
  static const char *const forces[] = {"stiffness", "damping", "frictionloss", "armature", "range"};
  enum { N = sizeof forces / sizeof *forces };
  for (xmlNode *s = NULL; (s = pb_mjcf_section(&w->m, "tendon", s));)
    for (const xmlNode *e = pb_xml_next(s->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
      pb_mjcf_element at;
      DM_TRY(pb_mjcf_at(&w->m, e, w->m.outermost, &at));
      for (int i = 0; i < N; i++)
        if (pb_mjcf_holder(&w->m, at, forces[i]))
          return pb_refuse_xml(w->m.x, e,
                               "<tendon>: found %s of a <%s> tendon, which is not read, expected "
                               "model.springs, model.dampers or model.constraints of the problem",
                               forces[i], (const char *)e->name);
    }
  return DM_OK;
}

static int count_joint_elements(const xmlNode *top) {
  int n = 0;
  for (const xmlNode *e = pb_xml_next(top->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    const char *word = (const char *)e->name;
    n += !strcmp(word, "joint") + !strcmp(word, "freejoint") + count_joint_elements(e);
  }
  return n;
}

dm_status pb_mjcf_read(pb_tree *t, const pb_xml *x, const char *name, pb_base base) {
  mjcf w = {.t = t, .base = base == PB_FLOATING ? PB_FLOATING : PB_QUATERNION};
  const xmlNode *root = xmlDocGetRootElement(x->doc);
  DM_TRY(pb_mjcf_begin(&w.m, x, name));
  memcpy(t->gravity, w.m.gravity, sizeof t->gravity);

  // room for what joints have
  const int room = count_joint_elements(root) + 1;
  if (room > PB_MAX_PARTS) return pb_refuse_xml(x, root, "found more than %d joints", PB_MAX_PARTS);
  PB_NEW(t->r->arena, w.joint, room);
  PB_NEW(t->r->arena, t->rest, room);

  // bodies, then what is said of their joints
  for (xmlNode *e = NULL; (e = pb_mjcf_section(&w.m, "worldbody", e));) DM_TRY(add_world(&w, e));
  if (!t->nbody)
    return pb_refuse_xml(x, root, "found no <body> in <worldbody>, expected at least one");
  int floating = 0;
  for (int i = 0; i < w.njoint; i++) floating += w.joint[i].kind == PB_MJCF_FREE;
  if (base != PB_FIXED && !floating)
    return pb_refuse_xml(
        x, root,
        "found no free joint for a floating base, expected <freejoint/> in the body "
        "that floats");
  DM_TRY(check_tendons(&w));
  DM_TRY(pb_mjcf_couple(&w.m, t, w.njoint, w.joint));
  return pb_mjcf_drive(&w.m, t, w.njoint, w.joint);
}
