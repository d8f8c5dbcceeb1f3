#include "problems/readers/model/mjcf_drive.h"

#include "lib/base/names.h"
#include "problems/readers/model/mjcf_hold.h"

#include <math.h>
#include <string.h>

// -- couplings

static int find_mjcf_joint(int n, const pb_mjcf_joint *joint, const char *name) {
  for (int i = 0; i < n; i++)
    if (!strcmp(joint[i].name, name)) return i;
  return -1;
}

// the joint that an attribute names
static dm_status read_joint_name(const pb_mjcf *m, const xmlNode *e, const char *attribute, int n,
                                 const pb_mjcf_joint *joint, int *out) {
  const char *name, **known;
  char meant[96];
  DM_TRY(pb_xml_name(m->x, e, attribute, &name));
  *out = find_mjcf_joint(n, joint, name);
  if (*out >= 0) return DM_OK;
  PB_NEW(m->x->r->arena, known, n + 1);
  for (int i = 0; i < n; i++) known[i] = joint[i].name;
  return pb_refuse_xml(m->x, e, "<%s>: found %s=\"%.64s\", which no joint is%s",
                       (const char *)e->name, attribute, name,
                       pb_did_you_mean(known, n, name, meant));
}

static bool is_one_axis(const pb_mjcf_joint *j) {
  return j->kind == PB_MJCF_HINGE || j->kind == PB_MJCF_SLIDE;
}

// q1 - ref1 = c0 + c1 (q2 - ref2)
static dm_status couple_joints(const pb_mjcf *m, pb_tree *t, const xmlNode *e, int n,
                               const pb_mjcf_joint *joint) {
  double c[5] = {0, 1, 0, 0, 0};
  int a, b, given;
  DM_TRY(read_joint_name(m, e, "joint1", n, joint, &a));
  if (!xmlHasProp(e, (const xmlChar *)"joint2"))
    return pb_refuse_xml(
        m->x, e,
        "<equality>: found joint '%.64s' held still, expected model.lock: {%.64s: ..} "
        "of the problem",
        joint[a].name, joint[a].name);
  DM_TRY(read_joint_name(m, e, "joint2", n, joint, &b));
  DM_TRY(pb_xml_numbers(m->x, e, "polycoef", 5, c, &given));
  if (c[2] != 0 || c[3] != 0 || c[4] != 0 || c[1] == 0)
    return pb_refuse_xml(
        m->x, e,
        "<equality>: found '%.64s' coupled to '%.64s' by a curve, expected polycoef "
        "of two numbers, the second not 0",
        joint[a].name, joint[b].name);
  if (!is_one_axis(&joint[a]) || !is_one_axis(&joint[b]) || a == b)
    return pb_refuse_xml(m->x, e,
                         "<equality>: found '%.64s' and '%.64s', expected two hinges or slides",
                         joint[a].name, joint[b].name);

  // one copies one that moves by itself
  dm_coordinate *copy = &t->coord[joint[a].coord];
  if (copy->mimic >= 0)
    return pb_refuse_xml(m->x, e, "<equality>: found '%.64s' coupled twice, expected once",
                         joint[a].name);
  copy->mimic = joint[b].coord;
  copy->ratio = c[1];
  copy->shift = c[0] + joint[a].ref - c[1] * joint[b].ref;
  return pb_warn_xml(m->x, e, "joint '%.64s' follows '%.64s' exactly, where MuJoCo pulls it there",
                     joint[a].name, joint[b].name);
}

// copies of copies become those of what moves by itself
static dm_status follow_copies(const pb_mjcf *m, pb_tree *t, int n, const pb_mjcf_joint *joint) {
  for (int i = 0; i < n; i++) {
    dm_coordinate *c = joint[i].coord < t->ncoord ? &t->coord[joint[i].coord] : NULL;
    for (int steps = 0; c && c->mimic >= 0 && t->coord[c->mimic].mimic >= 0; steps++) {
      const dm_coordinate *above = &t->coord[c->mimic];
      if (steps > n || above->mimic == joint[i].coord)
        return pb_refuse(
            m->x->r, m->x->file, t->coord_at[joint[i].coord].line, 0,
            "joint '%.64s' follows itself by <equality>, expected one that moves freely", c->name);
      // q = ratio (r q_above + s) + shift
      c->shift += c->ratio * above->shift;
      c->ratio *= above->ratio;
      c->mimic = above->mimic;
    }
  }
  return DM_OK;
}

// room for all that may be held together
static dm_status make_room_for_held(const pb_mjcf *m, pb_tree *t) {
  int n = 1;
  for (xmlNode *s = NULL; (s = pb_mjcf_section(m, "equality", s));)
    n += (int)xmlChildElementCount(s);
  PB_NEW(t->r->arena, t->held, n);
  return DM_OK;
}

dm_status pb_mjcf_couple(const pb_mjcf *m, pb_tree *t, int n, const pb_mjcf_joint *joint) {
  DM_TRY(make_room_for_held(m, t));
  for (xmlNode *s = NULL; (s = pb_mjcf_section(m, "equality", s));)
    for (const xmlNode *e = pb_xml_next(s->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
      const char *active;
      DM_TRY(pb_xml_text(m->x, e, "active", &active));
      if (active && !strcmp(active, "false")) continue;
      const bool holds =
          !strcmp((const char *)e->name, "connect") || !strcmp((const char *)e->name, "weld");
      if (holds) DM_TRY(pb_mjcf_hold(m, t, e));
      if (holds) continue;
      if (strcmp((const char *)e->name, "joint") != 0)
        return pb_refuse_xml(m->x, e,
                             "<equality>: found <%.40s>, which is not read, expected "
                             "model.constraints of the problem in its place",
                             (const char *)e->name);
      DM_TRY(couple_joints(m, t, e, n, joint));
    }
  return follow_copies(m, t, n, joint);
}

// -- motors

// what an actuator does, by its element
static const struct actuator {
  const char *word;
  enum { MOTOR, GENERAL, SERVO, STRANGE, OUTSIDE } does;
} actuators[] = {{"motor", MOTOR},      {"general", GENERAL},   {"position", SERVO},
                 {"velocity", SERVO},   {"intvelocity", SERVO}, {"damper", STRANGE},
                 {"cylinder", STRANGE}, {"muscle", STRANGE},    {"adhesion", OUTSIDE}};

enum { ACTUATORS = sizeof actuators / sizeof *actuators };

typedef struct drive {
  const pb_mjcf *m;
  pb_tree *t;
  pb_mjcf_element at;
  const char *name;
  int n;
  const pb_mjcf_joint *joint;
} drive;

// the forces of an actuator: of a motor its gain times its range, of a servo what it is limited to
static dm_status read_force_range(const drive *w, bool servo, double gain, double range[2]) {
  double own[2] = {-INFINITY, INFINITY}, limit[2] = {-INFINITY, INFINITY};
  bool there, limited;
  DM_TRY(pb_mjcf_range(w->m, w->at, "ctrllimited", "ctrlrange", 1, own, &there));
  DM_TRY(pb_mjcf_range(w->m, w->at, "forcelimited", "forcerange", 1, limit, &limited));
  for (int i = 0; i < 2; i++) {
    const double f =
        servo || !there ? (i ? INFINITY : -INFINITY) : gain * own[gain < 0 ? 1 - i : i];
    range[i] = fmin(fmax(f, limit[0]), limit[1]);
  }
  return DM_OK;
}

// a range multiplied by a number, which may turn it round
static void scale_range(double range[2], double k) {
  const double low = k * range[0], high = k * range[1];
  range[0] = fmin(low, high);
  range[1] = fmax(low, high);
}

// the sum of the motors of a coordinate
static void add_motor(pb_tree *t, int coord, const double range[2]) {
  pb_motor *x = NULL;
  for (int i = 0; i < t->nmotor; i++)
    if (t->motor[i].coord == coord) x = &t->motor[i];
  if (!x) {
    x = &t->motor[t->nmotor++];
    *x = (pb_motor){.coord = coord};
  }
  x->low += range[0];
  x->high += range[1];
}

// the coordinate that the only number of a gear is for: of a ball axes x, y, z; of a free joint
// before these the directions of the world. -1: there is no such
static int find_geared(const drive *w, const pb_mjcf_joint *j, const double gear[6], double *k) {
  static const int turn[] = {1, 2, 0}; // of x, y, z among the turns about z, x, y
  const bool single = is_one_axis(j), free = j->kind == PB_MJCF_FREE;
  const int all = single ? 1 : free ? 6 : 3, slides = free ? 3 : 0;
  int at = -1;
  for (int i = 0; i < all; i++)
    if (gear[i] != 0) {
      if (at >= 0) return -1;
      at = i;
    }
  if (at < 0) return -1;
  *k = gear[at];
  if (single || at < slides) return j->coord + at;

  // a floating base by angles has no torque about an axis of the body
  if (!w->t->coord[j->coord + slides].ball) return -1;
  return j->coord + slides + turn[at - slides];
}

static dm_status skip_actuator(const drive *w, const char *why) {
  return pb_warn_xml(w->m->x, w->at.e, "actuator '%.64s' %s: it is no input", w->name, why);
}

// the <fixed> tendon of a name; NULL: there is none
static dm_status find_fixed(const pb_mjcf *m, const char *name, const xmlNode **out) {
  *out = NULL;
  for (xmlNode *s = NULL; (s = pb_mjcf_section(m, "tendon", s));)
    for (xmlNode *e = pb_xml_next(s->children, "fixed"); e; e = pb_xml_next(e->next, "fixed")) {
      const char *own;
      DM_TRY(pb_xml_text(m->x, e, "name", &own));
      if (own && !strcmp(own, name)) *out = e;
    }
  return DM_OK;
}

// the one coordinate that a fixed tendon pulls, with what copies it, and by how much; -1: there are
// several
static dm_status find_pulled(const drive *w, const char *tendon, int *coord, double *k) {
  const xmlNode *fixed;
  *coord = -1;
  *k = 0;
  DM_TRY(find_fixed(w->m, tendon, &fixed));
  if (!fixed) return DM_OK;
  int moved = -1;
  for (xmlNode *e = pb_xml_next(fixed->children, "joint"); e; e = pb_xml_next(e->next, "joint")) {
    double coef = 0;
    int j;
    DM_TRY(read_joint_name(w->m, e, "joint", w->n, w->joint, &j));
    DM_TRY(pb_xml_number(w->m->x, e, "coef", &coef, NULL));

    // a copy pulls what it follows
    const dm_coordinate *c = &w->t->coord[w->joint[j].coord];
    const int own = c->mimic >= 0 ? c->mimic : w->joint[j].coord;
    if (!is_one_axis(&w->joint[j]) || (moved >= 0 && own != moved)) return DM_OK;
    moved = own;
    *k += coef * c->ratio;
  }
  *coord = *k != 0 ? moved : -1;
  return DM_OK;
}

// the coordinate that an actuator acts on, and its gear there; -1, with a word said: it is none
static dm_status find_actuated(const drive *w, int *coord, double *k) {
  double gear[6] = {1, 0, 0, 0, 0, 0};
  const char *tendon;
  int n, j;
  const bool above = xmlHasProp(w->at.e, (const xmlChar *)"jointinparent");
  const char *attribute = above ? "jointinparent" : "joint";
  *coord = -1;
  DM_TRY(pb_mjcf_numbers(w->m, w->at, "gear", 6, gear, &n));
  DM_TRY(pb_xml_text(w->m->x, w->at.e, "tendon", &tendon));
  if (tendon) {
    DM_TRY(find_pulled(w, tendon, coord, k));
    *k *= gear[0];
    return *coord < 0 || *k == 0 ? skip_actuator(w, "pulls a tendon of several joints") : DM_OK;
  }
  if (!xmlHasProp(w->at.e, (const xmlChar *)attribute)) return skip_actuator(w, "acts on no joint");

  // a joint: one axis of it
  DM_TRY(read_joint_name(w->m, w->at.e, attribute, w->n, w->joint, &j));
  if (!above || is_one_axis(&w->joint[j])) *coord = find_geared(w, &w->joint[j], gear, k);
  return *coord < 0 ? skip_actuator(w, "has a gear that is not about one axis of its joint")
                    : DM_OK;
}

// the range of an actuator where it acts: force = gear (gain ctrl)
static dm_status put_motor(const drive *w, bool servo, double gain) {
  double range[2], k = 0;
  int coord;
  DM_TRY(find_actuated(w, &coord, &k));
  if (coord < 0) return DM_OK;
  if (servo)
    DM_TRY(
        pb_warn_xml(w->m->x, w->at.e,
                    "actuator '%.64s' is a servo: its gains are not read, its force on '%.64s' is "
                    "an input",
                    w->name, w->t->coord[coord].name));
  DM_TRY(read_force_range(w, servo, gain, range));
  scale_range(range, k);
  add_motor(w->t, coord, range);
  return DM_OK;
}

// of a general actuator: a gain that is fixed, and no bias, make a motor
static dm_status read_general(const drive *w) {
  static const char *const gains[] = {"fixed", "affine", "muscle", "user"}, *const biases[] = {
                                                                                "none", "affine",
                                                                                "muscle", "user"};
  int gain = 0, bias = 0, n;
  const char *dynamics;
  double k[10] = {1}, b[10] = {0};
  DM_TRY(pb_mjcf_word(w->m, w->at, "gaintype", gains, 4, &gain));
  DM_TRY(pb_mjcf_word(w->m, w->at, "biastype", biases, 4, &bias));
  DM_TRY(pb_mjcf_numbers(w->m, w->at, "gainprm", 10, k, &n));
  DM_TRY(pb_mjcf_numbers(w->m, w->at, "biasprm", 10, b, &n));
  DM_TRY(pb_mjcf_text(w->m, w->at, "dyntype", &dynamics));
  if (gain >= 2 || bias >= 2)
    return pb_refuse_xml(w->m->x, w->at.e,
                         "actuator '%.64s': found %s, which is not read, expected a motor", w->name,
                         gain >= 2 ? gains[gain] : biases[bias]);
  if (dynamics && strcmp(dynamics, "none") != 0)
    DM_TRY(pb_warn_xml(w->m->x, w->at.e,
                       "actuator '%.64s': its activation by dyntype %.40s is not read", w->name,
                       dynamics));

  // a class of servos makes a servo of it
  const bool of_servos = pb_mjcf_holder(w->m, w->at, "kp") || pb_mjcf_holder(w->m, w->at, "kv");
  return put_motor(w, gain || bias || of_servos, k[0]);
}

static dm_status read_actuator(const drive *w) {
  const char *word = (const char *)w->at.e->name, *list[ACTUATORS];
  for (int i = 0; i < ACTUATORS; i++) list[i] = actuators[i].word;
  const int i = dm_names_find(list, ACTUATORS, word);
  char meant[96];

  // by what its word says that it does
  if (i < 0)
    return pb_refuse_xml(w->m->x, w->at.e, "found the unknown actuator <%.40s>, expected <motor>%s",
                         word, pb_did_you_mean(list, ACTUATORS, word, meant));
  switch (actuators[i].does) {
  case MOTOR:
    return put_motor(w, false, 1);
  case GENERAL:
    return read_general(w);
  case SERVO:
    return put_motor(w, true, 1);
  case OUTSIDE:
    return skip_actuator(w, "acts on contacts");
  default:
    return pb_refuse_xml(
        w->m->x, w->at.e,
        "actuator '%.64s': found a <%s>, which is not read, expected a <motor>, or "
        "damping of the joint",
        w->name, word);
  }
}

// within what a joint takes, of all its motors
static void limit_motors(pb_tree *t, int n, const pb_mjcf_joint *joint) {
  for (int i = 0; i < t->nmotor; i++) {
    pb_motor *x = &t->motor[i];
    for (int j = 0; j < n; j++)
      if (joint[j].coord == x->coord && is_one_axis(&joint[j])) {
        x->low = fmax(x->low, joint[j].force[0]);
        x->high = fmin(x->high, joint[j].force[1]);
      }
    t->coord[x->coord].effort = fmax(fabs(x->low), fabs(x->high));
  }
}

dm_status pb_mjcf_drive(const pb_mjcf *m, pb_tree *t, int n, const pb_mjcf_joint *joint) {
  drive w = {.m = m, .t = t, .n = n, .joint = joint};
  PB_NEW(t->r->arena, t->motor, t->ncoord + 1);
  for (xmlNode *s = NULL; (s = pb_mjcf_section(m, "actuator", s));)
    for (const xmlNode *e = pb_xml_next(s->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
      const char *name;
      DM_TRY(pb_mjcf_at(m, e, m->outermost, &w.at));
      DM_TRY(pb_xml_text(m->x, e, "name", &name));
      if (!name) DM_TRY(pb_xml_text(m->x, e, "joint", &name));
      w.name = name ? name : (const char *)e->name;
      DM_TRY(read_actuator(&w));
    }
  limit_motors(t, n, joint);
  return DM_OK;
}
