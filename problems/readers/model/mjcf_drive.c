#include "problems/readers/model/mjcf_drive.h"

#include "lib/base/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the kinds of actuators, by element
static const struct actuator {
  const char *word;
  enum { MOTOR, GENERAL, SERVO, OTHER } does;
} actuators[] = {{"motor", MOTOR},       {"general", GENERAL},   {"position", SERVO},
                 {"velocity", SERVO},    {"intvelocity", SERVO}, {"damper", OTHER},
                 {"cylinder", OTHER},    {"muscle", OTHER},      {"adhesion", OTHER},
                 {"orientation", OTHER}, {"pid", OTHER},         {"dcmotor", OTHER},
                 {"plugin", OTHER}};

enum { ACTUATORS = sizeof actuators / sizeof *actuators };

// state of the actuator being read
typedef struct drive {
  pb_mjcf_parts *w;
  pb_mjcf_element at;
  const char *name;
  bool servo;
  double gear[6], gain, lag;
} drive;

// the force range: gain times control range for a motor, the force limit for a servo
static dm_status read_force_range(const drive *k, double range[2]) {
  const pb_mjcf *m = &k->w->m;
  double own[2] = {-INFINITY, INFINITY}, limit[2] = {-INFINITY, INFINITY};
  bool there, limited;
  DM_TRY(pb_mjcf_range(m, k->at, "ctrllimited", "ctrlrange", 1, own, &there));
  DM_TRY(pb_mjcf_range(m, k->at, "forcelimited", "forcerange", 1, limit, &limited));
  for (int i = 0; i < 2; i++) {
    const double f =
        k->servo || !there ? (i ? INFINITY : -INFINITY) : k->gain * own[k->gain < 0 ? 1 - i : i];
    range[i] = fmin(fmax(f, limit[0]), limit[1]);
  }
  return DM_OK;
}

// multiply a range by a number, which may swap its ends
static void scale_range(double range[2], double k) {
  const double low = k * range[0], high = k * range[1];
  range[0] = fmin(low, high);
  range[1] = fmax(low, high);
}

static dm_status skip_actuator(const drive *k, const char *why) {
  return pb_warn_xml(k->w->m.x, k->at.e, "actuator '%.64s' %s: it is no input", k->name, why);
}

static dm_status warn_of_servo(const drive *k, const char *where) {
  if (!k->servo) return DM_OK;
  return pb_warn_xml(k->w->m.x, k->at.e,
                     "actuator '%.64s' is a servo: its gains are not read, its force on '%.64s' is "
                     "an input",
                     k->name, where);
}

// -- armature and damping of the motor

static dm_status read_own(const drive *k, double *armature, double *damping) {
  char what[96];
  snprintf(what, sizeof what, "actuator '%.64s'", k->name);
  *armature = *damping = 0;
  DM_TRY(pb_mjcf_coefficient(k->w, k->at, what, "armature", armature));
  DM_TRY(pb_mjcf_coefficient(k->w, k->at, what, "damping", damping));
  if (!k->w->m.dampers) *damping = 0;
  return DM_OK;
}

// add them times gear^2 to the parts that the actuator moves
static dm_status add_own(const drive *k, const dm_tendon *along, bool path) {
  double armature, damping;
  const double square = k->gear[0] * k->gear[0];
  const pb_place at = pb_mjcf_place(k->w, k->at.e);
  char *name;
  DM_TRY(read_own(k, &armature, &damping));

  // damper
  if (damping > 0) {
    pb_file_load x = {.at = at,
                      .load = {.kind = DM_DAMPER, .damping = square * damping, .tendon = *along}};
    PB_NEW(k->w->t->r->arena, name, strlen(k->name) + 16);
    snprintf(name, strlen(k->name) + 16, "%s/damping", k->name);
    x.load.name = name;
    DM_TRY(pb_tree_load(k->w->t, &x));
  }

  // rotor
  if (!(armature > 0)) return DM_OK;
  if (path)
    return pb_refuse_xml(k->w->m.x, k->at.e,
                         "actuator '%.64s': found armature on a path, which is not modelled, "
                         "expected a joint or a <fixed> tendon",
                         k->name);
  return pb_tree_rotor(
      k->w->t, at,
      &(dm_rotor){k->name, square * armature, along->ncoord, along->coord, along->factor});
}

// -- on joints

// the coordinate selected by the only nonzero gear entry: for a ball joint the axes x, y, z; for a
// free joint preceded by the world directions; -1: none
static int find_geared(const drive *k, const pb_mjcf_joint *j, double *gear) {
  static const int turn[] = {1, 2, 0}; // position of x, y, z among the rotations about z, x, y
  const bool single = pb_mjcf_is_single(j), free = j->kind == PB_MJCF_FREE;
  const int all = single ? 1 : free ? 6 : 3, slides = free ? 3 : 0;
  int at = -1;
  for (int i = 0; i < all; i++)
    if (k->gear[i] != 0) {
      if (at >= 0) return -1;
      at = i;
    }
  if (at < 0) return -1;
  *gear = k->gear[at];
  if (single || at < slides) return j->coord + at;

  // a floating base with Euler angles has no torque about a body axis
  if (!k->w->t->coord[j->coord + slides].ball) return -1;
  return j->coord + slides + turn[at - slides];
}

// add a range of forces on a coordinate
static dm_status put_motor(const drive *k, int coord, double gear) {
  double range[2];
  DM_TRY(warn_of_servo(k, k->w->t->coord[coord].name));
  DM_TRY(read_force_range(k, range));
  scale_range(range, gear);

  // add a motor to the sum of the motors of a coordinate
  pb_motor *x = NULL;
  for (int i = 0; i < k->w->t->nmotor; i++)
    if (k->w->t->motor[i].coord == coord) x = &k->w->t->motor[i];
  if (!x) {
    x = &k->w->t->motor[k->w->t->nmotor++];
    *x = (pb_motor){.coord = coord};
  }
  x->low += range[0];
  x->high += range[1];

  return DM_OK;
}

static dm_status drive_joint(const drive *k, const char *attribute) {
  int i, *coord;
  double gear = 0, *factor;
  DM_TRY(pb_mjcf_find_joint(k->w, k->at.e, attribute, &i));
  const pb_mjcf_joint *j = &k->w->joint[i];
  const bool above = !strcmp(attribute, "jointinparent") && !pb_mjcf_is_single(j);
  const int at = above ? -1 : find_geared(k, j, &gear);
  if (at < 0) return skip_actuator(k, "has a gear that is not about one axis of its joint");
  if (pb_mjcf_is_single(j)) {
    PB_NEW(k->w->t->r->arena, coord, 1);
    PB_NEW(k->w->t->r->arena, factor, 1);
    *coord = at;
    *factor = 1;
    DM_TRY(add_own(k, &(dm_tendon){.name = j->name, .ncoord = 1, .coord = coord, .factor = factor},
                   false));
    if (gear != 0)
      DM_TRY(pb_tree_gear(k->w->t, pb_mjcf_place(k->w, k->at.e),
                          &(pb_file_gear){.coord = at, .ratio = gear, .lag = k->lag}));
  }
  return put_motor(k, at, gear);
}

// -- along tendons, and at sites

// add a load driven by the actuator within a range
static dm_status put_load(const drive *k, dm_load load, const double range[2]) {
  pb_file_load x = {
      .at = pb_mjcf_place(k->w, k->at.e), .load = load, .low = range[0], .high = range[1]};
  x.load.driven = true;
  x.load.name = k->name;
  return pb_tree_load(k->w->t, &x);
}

// the only coordinate that a fixed tendon pulls, including mimic joints, and its gear; -1: several
static int find_pulled(const pb_tree *t, const dm_tendon *x, double *gear) {
  int moved = -1;
  *gear = 0;
  for (int i = 0; i < x->ncoord; i++) {
    // pulling a mimic joint pulls its master
    const dm_coordinate *c = &t->coord[x->coord[i]];
    const int own = c->mimic >= 0 ? c->mimic : x->coord[i];
    if (moved >= 0 && own != moved) return -1;
    moved = own;
    *gear += x->factor[i] * (c->mimic >= 0 ? c->ratio : 1);
  }
  return *gear != 0 ? moved : -1;
}

// dispatch on the target of the actuator
static dm_status put_actuator(drive *k) {
  const pb_xml_node *e = k->at.e;
  static const double one[6] = {1};
  int n;
  memcpy(k->gear, one, sizeof one);
  DM_TRY(pb_mjcf_numbers(&k->w->m, k->at, "gear", 6, k->gear, &n));
  if (pb_xml_has(e, "joint")) return drive_joint(k, "joint");
  if (pb_xml_has(e, "jointinparent")) return drive_joint(k, "jointinparent");
  if (pb_xml_has(e, "tendon")) {
    // f = force s_q for a combination, as a cable along its negative; the tension of a path is -force
    int i;
    double range[2], gear, *factor;
    DM_TRY(pb_mjcf_find_tendon(k->w, k->at.e, "tendon", &i));
    const pb_mjcf_tendon *x = &k->w->tendon[i];
    if (x->around) return skip_actuator(k, "pulls a path around a geom");
    if (k->gear[0] == 0) return skip_actuator(k, "has a gear of 0");
    DM_TRY(add_own(k, &x->along, !x->fixed));
    const int pulled = x->fixed ? find_pulled(k->w->t, &x->along, &gear) : -1;
    if (pulled >= 0) return put_motor(k, pulled, gear * k->gear[0]);
    DM_TRY(warn_of_servo(k, x->name));
    DM_TRY(read_force_range(k, range));
    dm_load load = {.kind = DM_CABLE, .tendon = x->along};
    scale_range(range, x->fixed ? k->gear[0] : -k->gear[0]);
    if (x->fixed) {
      PB_NEW(k->w->t->r->arena, factor, x->along.ncoord + 1);
      for (int c = 0; c < x->along.ncoord; c++) factor[c] = -x->along.factor[c];
      load.tendon.factor = factor;
    }
    return put_load(k, load, range);
  }
  if (pb_xml_has(e, "site")) {
    // a wrench on the body of a site
    dm_load load = {.kind = DM_WRENCH_BODY};
    double range[2], size = 0;
    DM_TRY(pb_mjcf_find_site(k->w, k->at.e, "site", &load.body));
    for (int i = 0; i < 6; i++) size += fabs(k->gear[i]);
    if (pb_xml_has(k->at.e, "refsite"))
      return skip_actuator(k, "acts on a site seen from another one");
    if (size == 0) return skip_actuator(k, "has a gear of 0");
    memcpy(load.force, k->gear, sizeof load.force);
    memcpy(load.torque, k->gear + 3, sizeof load.torque);
    DM_TRY(warn_of_servo(k, k->name));
    DM_TRY(read_force_range(k, range));
    return put_load(k, load, range);
  }
  return skip_actuator(k, "acts on no joint, tendon or site");
}

// The time constant of an activation that is a first-order filter. It is not in plans by itself: a
// drive takes it as its default, and a warning says so.
static dm_status read_lag(drive *k, const char *dynamics) {
  const pb_mjcf *m = &k->w->m;
  double p[10] = {1};
  int n;
  if (!dynamics || (strcmp(dynamics, "filter") != 0 && strcmp(dynamics, "filterexact") != 0))
    return DM_OK;
  DM_TRY(pb_mjcf_numbers(m, k->at, "dynprm", 10, p, &n));
  if (!(p[0] > 0))
    return pb_refuse_xml(m->x, k->at.e,
                         "actuator '%.64s': found dynprm %g, expected a time constant > 0", k->name,
                         p[0]);
  k->lag = p[0];
  return pb_warn_xml(
      m->x, k->at.e,
      "actuator '%.64s': its activation by dyntype %.40s is not read; a drive of its "
      "joint (model.drives) has its lag of %g s, and its gear",
      k->name, dynamics, p[0]);
}

static dm_status read_actuator(drive *k) {
  const char *word = k->at.e->name, *list[ACTUATORS];
  for (int i = 0; i < ACTUATORS; i++) list[i] = actuators[i].word;
  const int i = dm_names_find(list, ACTUATORS, word);
  char meant[96];

  // by the kind of the element
  k->servo = false;
  k->gain = 1;
  k->lag = 0;
  if (i < 0)
    return pb_refuse_xml(k->w->m.x, k->at.e,
                         "found the unknown actuator <%.40s>, expected <motor>%s", word,
                         pb_did_you_mean(list, ACTUATORS, word, meant));
  if (actuators[i].does == OTHER) return DM_OK;
  if (actuators[i].does == GENERAL) {
    // a general actuator with fixed gain and no bias is a motor
    static const char *const gains[] = {"fixed", "affine", "muscle", "dcmotor",
                                        "so3",   "pid",    "user"};
    static const char *const biases[] = {"none", "affine", "muscle", "dcmotor", "so3", "user"};
    const pb_mjcf *m = &k->w->m;
    int gain = 0, bias = 0, n;
    const char *dynamics;
    double p[10] = {1};
    DM_TRY(pb_mjcf_word(m, k->at, "gaintype", gains, 7, &gain));
    DM_TRY(pb_mjcf_word(m, k->at, "biastype", biases, 6, &bias));
    DM_TRY(pb_mjcf_numbers(m, k->at, "gainprm", 10, p, &n));
    DM_TRY(pb_mjcf_text(m, k->at, "dyntype", &dynamics));
    if (gain >= 2 || bias >= 2) return skip_actuator(k, "has a gain that dmoc does not know");
    DM_TRY(read_lag(k, dynamics));
    if (dynamics && strcmp(dynamics, "none") != 0 && !(k->lag > 0))
      DM_TRY(pb_warn_xml(m->x, k->at.e,
                         "actuator '%.64s': its activation by dyntype %.40s is not read", k->name,
                         dynamics));

    // a default class with servo attributes makes it a servo
    const bool of_servos = pb_mjcf_holder(m, k->at, "kp") || pb_mjcf_holder(m, k->at, "kv");
    k->servo = gain || bias || of_servos;
    k->gain = p[0];
    return put_actuator(k);
  }
  k->servo = actuators[i].does == SERVO;
  return put_actuator(k);
}

dm_status pb_mjcf_drive(pb_mjcf_parts *w) {
  drive k = {.w = w};
  int number = 0;
  PB_NEW(w->t->r->arena, w->t->motor, w->t->ncoord + 1);
  for (pb_xml_node *s = NULL; (s = pb_mjcf_section(&w->m, "actuator", s));)
    for (const pb_xml_node *e = pb_xml_next(s->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
      DM_TRY(pb_mjcf_at(&w->m, e, w->m.outermost, &k.at));
      DM_TRY(pb_mjcf_part_name(w, e, ++number, &k.name));
      DM_TRY(read_actuator(&k));
    }

  // limit the sum of the motors of a joint to the joint's force range
  pb_tree *t = w->t;
  for (int i = 0; i < t->nmotor; i++) {
    pb_motor *x = &t->motor[i];
    for (int j = 0; j < w->njoint; j++)
      if (w->joint[j].coord == x->coord && pb_mjcf_is_single(&w->joint[j])) {
        x->low = fmax(x->low, w->joint[j].force[0]);
        x->high = fmin(x->high, w->joint[j].force[1]);
      }
    t->coord[x->coord].effort = fmax(fabs(x->low), fabs(x->high));
  }

  return DM_OK;
}
