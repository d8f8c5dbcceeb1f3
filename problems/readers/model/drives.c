#include "problems/readers/model/drives.h"

#include "lib/base/block.h"
#include "problems/readers/model/bodies.h"
#include "problems/readers/model/robot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct drive_section {
  const char *joint, *side, *reaction;
  double gear, rotor, torque, stall, no_load_speed, supply, torque_constant, resistance, rate, lag;
  double stiffness, damping;
  const pb_node *axis;
} drive_section;

#define FIELD(member, ...) PB_KEY(drive_section, member, __VA_ARGS__)
const pb_key pb_drive_keys[] = {
    FIELD(joint, .type = PB_TEXT, .absent = PB_REQUIRED,
          .about = "Joint that the motor drives; each at most once"),
    FIELD(gear, .type = PB_NUMBER, .also = "ratio gear_ratio reduction mechanicalReduction",
          .unit = "1, or rad/m", .note = "the robot's, else 1",
          .about = "Rotation of the motor per unit of the joint, not 0"),
    FIELD(rotor, .type = PB_NUMBER, .also = "rotor_inertia armature inertia", .unit = "kg m2",
          .range = ">= 0", .note = "the robot's",
          .about = "Inertia of the rotor about its axis, instead of the file's armature"),
    FIELD(side, .type = PB_WORD, .absent = "motor", .words = "motor joint",
          .about = "Side of the gear on which `rotor` to `rate` are given"),
    FIELD(reaction, .type = PB_WORD, .absent = "false", .words = "false true",
          .about = "`true`: the rotor is a body on the joint's parent, which the links' inertias "
                   "leave out"),
    FIELD(axis, .type = PB_NODE, .words = "[x, y, z]", .note = "the joint's",
          .about = "Axis of the rotor in the joint's frame, with `reaction`"),
    FIELD(torque, .type = PB_NUMBER, .also = "effort peak peak_torque max_torque", .unit = "N m",
          .range = "> 0", .note = "the robot's effort",
          .about = "Largest torque of the motor; limits the input to gear times it"),
    FIELD(stall, .type = PB_NUMBER, .also = "stall_torque", .unit = "N m", .range = "> 0",
          .note = "`torque`", .about = "Torque of the torque-speed line at standstill"),
    FIELD(no_load_speed, .type = PB_NUMBER, .also = "no_load free_speed max_speed", .unit = "rad/s",
          .range = "> 0", .note = "none", .about = "Speed at which the line reaches zero torque"),
    FIELD(supply, .type = PB_NUMBER, .also = "voltage", .unit = "V", .range = "> 0",
          .about = "Instead of `stall` and `no_load_speed`: supply voltage, with the next two"),
    FIELD(torque_constant, .type = PB_NUMBER, .also = "kt", .unit = "N m/A", .range = "> 0",
          .about = "Torque per current, which is also the voltage per speed"),
    FIELD(resistance, .type = PB_NUMBER, .also = "R", .unit = "ohm", .range = "> 0",
          .about = "Resistance of the winding"),
    FIELD(rate, .type = PB_NUMBER, .also = "torque_rate slew", .unit = "N m/s", .range = "> 0",
          .note = "none",
          .about = "Largest rate of the torque: default of `bounds.rate`, and without lag and "
                   "`feedback.rate` of `feedback.rate_limit`"),
    FIELD(lag, .type = PB_NUMBER, .also = "time_constant tau delay", .unit = "s", .range = ">= 0",
          .note = "the robot's, else 0",
          .about = "Time constant of the torque: lag m' = u - m, with the command u"),
    FIELD(stiffness, .type = PB_NUMBER, .also = "spring series_stiffness", .unit = "N m/rad",
          .range = "> 0", .note = "rigid",
          .about = "Spring between gear and joint: adds the coordinate JOINT.motor, which has "
                   "the rotor and the input"),
    FIELD(damping, .type = PB_NUMBER, .unit = "N m s/rad", .range = ">= 0", .absent = "0",
          .about = "Damping beside this spring"),
    {0}};
#undef FIELD

#define PATH "model.drives[]"

// -- checks

// the torque-speed line on the motor's side, from either form; no_load_speed NAN: no line
static dm_status find_line(const pb_tree *t, const pb_node *node, drive_section *s) {
  const char *electric[] = {"supply", "torque_constant", "resistance"};
  int n = 0;
  const char *missing = NULL;
  for (int i = 0; i < 3; i++) {
    n += pb_node_get(node, electric[i]) != NULL;
    if (!pb_node_get(node, electric[i])) missing = electric[i];
  }
  if (n > 0 && missing)
    return pb_refuse_node(t->r, node,
                          PATH ": found no '%s' of '%.64s', expected supply, torque_constant and "
                               "resistance together: they give the torque-speed line",
                          missing, s->joint);
  if (n > 0 && (!isnan(s->stall) || !isnan(s->no_load_speed)))
    return pb_refuse_node(t->r, node,
                          PATH ": found supply beside %s, expected one of the two forms of the "
                               "torque-speed line",
                          isnan(s->stall) ? "no_load_speed" : "stall");
  if (n > 0) {
    s->stall = s->torque_constant * s->supply / s->resistance;
    s->no_load_speed = s->supply / s->torque_constant;
  }
  if (!isnan(s->stall) && isnan(s->no_load_speed))
    return pb_refuse_node(t->r, pb_node_get(node, "stall"),
                          PATH ".stall: found no no_load_speed beside it, expected the speed at "
                               "which the line reaches zero torque");
  if (isnan(s->no_load_speed)) return DM_OK;
  if (isnan(s->stall)) s->stall = s->torque;
  if (isnan(s->stall))
    return pb_refuse_node(t->r, pb_node_get(node, "no_load_speed"),
                          PATH ".no_load_speed: found neither stall nor torque beside it, expected "
                               "the torque of the line at standstill");
  return DM_OK;
}

// one drive per joint that has its own coordinate
static dm_status check_joint(const pb_tree *t, const pb_node *node, const drive_section *s, int c) {
  const pb_node *joint = pb_node_get(node, "joint");
  const dm_coordinate *x = &t->coord[c];
  if (x->mimic >= 0)
    return pb_refuse_node(t->r, joint,
                          PATH ".joint: found '%.64s', which follows '%.64s', expected that one",
                          s->joint, t->coord[x->mimic].name);
  if (pb_tree_in_ball(t, c))
    return pb_refuse_node(t->r, joint,
                          PATH ".joint: found '%.64s', a turn of a ball joint, expected a joint "
                               "that slides or turns about one axis",
                          s->joint);
  if (x->kinematic)
    return pb_refuse_node(t->r, joint,
                          PATH ".joint: found '%.64s', which is kinematic, expected one that "
                               "forces move",
                          s->joint);
  for (int i = 0; i < t->ndrive; i++)
    if (t->drive[i].joint == c)
      return pb_refuse_node(t->r, joint,
                            PATH ".joint: found a second drive of '%.64s', expected one", s->joint);
  return DM_OK;
}

static dm_status check_numbers(const pb_tree *t, const pb_node *node, const drive_section *s) {
  const pb_node *gear = pb_node_get(node, "gear");
  if (s->gear == 0)
    return pb_refuse_node(t->r, gear,
                          PATH ".gear: found 0, expected the motor's rotation per unit of the "
                               "joint, for example 100, or 1 without a gear");
  const bool reaction = !strcmp(s->reaction, "true");
  if (reaction && !(s->rotor > 0))
    return pb_refuse_node(t->r, pb_node_get(node, "reaction"),
                          PATH
                          ".reaction: found true without a rotor, expected rotor > 0 beside it");
  if (s->axis && !reaction)
    return pb_refuse_node(t->r, s->axis,
                          PATH ".axis: found one without reaction: true, expected none");
  if (s->damping > 0 && isnan(s->stiffness))
    return pb_refuse_node(t->r, pb_node_get(node, "damping"),
                          PATH
                          ".damping: found no stiffness beside it, expected the spring that it "
                          "damps; model.damping has that of the joint");
  return DM_OK;
}

// -- the parts that it adds

static dm_status join_name(const pb_tree *t, const char *name, const char *end, const char **out) {
  const size_t size = strlen(name) + strlen(end) + 1;
  char *text;
  PB_NEW(t->r->arena, text, size);
  snprintf(text, size, "%s%s", name, end);
  *out = text;
  return DM_OK;
}

static int find_body_of(const pb_tree *t, int c) {
  for (int b = 0; b < t->nbody; b++)
    if (t->body[b].first <= c && c < t->body[b].first + t->body[b].ncoord) return b;
  return -1;
}

// a body on the parent of joint c, with one coordinate about or along an axis in the joint's frame
static dm_status add_beside(pb_tree *t, const pb_node *node, int c, const char *name, bool slides,
                            const double axis[3], dm_body **body, dm_coordinate **coord) {
  const int b = find_body_of(t, c);
  DM_TRY(pb_body_name_check(t, node, name));
  if (pb_tree_find_coord(t, name) >= 0)
    return pb_refuse_node(t->r, node,
                          PATH ": found a joint named '%.64s', which the drive adds, expected "
                               "another name there",
                          name);
  DM_TRY(pb_tree_body(t, name, pb_place_of(t, node), body));
  (*body)->parent = t->body[b].parent;
  (*body)->offset = t->body[b].offset;
  return pb_tree_coord(t, name, pb_place_of(t, node), slides, axis, coord);
}

// The rotor as a body that follows coordinate `of`: it has inertia about its axis alone.
static dm_status add_rotor(pb_tree *t, const pb_node *node, const drive_section *s, int c, int of,
                           double gear, double rotor) {
  const int b = find_body_of(t, c);
  if (t->body[b].first != c)
    return pb_refuse_node(t->r, pb_node_get(node, "reaction"),
                          PATH ".reaction: found true for '%.64s', which is not the first joint of "
                               "body '%.64s', expected a body of its own for this joint",
                          s->joint, t->body[b].name);
  double axis[3];
  memcpy(axis, t->coord[c].axis, sizeof axis);
  if (s->axis) {
    double given[3];
    DM_TRY(pb_schema_list(t->r, PATH ".axis", s->axis, 3, given));
    DM_TRY(pb_schema_direction(t->r, PATH ".axis", s->axis, given, axis));
  }
  const char *name;
  dm_body *body;
  dm_coordinate *x;
  DM_TRY(join_name(t, s->joint, ".rotor", &name));
  DM_TRY(add_beside(t, node, c, name, false, axis, &body, &x));
  x->mimic = of;
  x->ratio = gear;
  const double I[6] = {axis[0] * axis[0], axis[1] * axis[1], axis[2] * axis[2],
                       axis[0] * axis[1], axis[0] * axis[2], axis[1] * axis[2]};
  for (int i = 0; i < 6; i++) body->inertia[i] = rotor * I[i];
  return DM_OK;
}

// the combination q_motor - q_joint
static dm_status make_tendon(const pb_tree *t, const char *name, int motor, int joint,
                             dm_tendon *out) {
  int *coord;
  double *factor;
  PB_NEW(t->r->arena, coord, 2);
  PB_NEW(t->r->arena, factor, 2);
  coord[0] = motor;
  coord[1] = joint;
  factor[0] = 1;
  factor[1] = -1;
  *out = (dm_tendon){.name = name, .ncoord = 2, .coord = coord, .factor = factor};
  return DM_OK;
}

// The coordinate of the motor behind a spring; it takes the joint's armature and motors.
static dm_status add_spring(pb_tree *t, const pb_node *node, const drive_section *s, int c,
                            int *motor) {
  const pb_place at = pb_place_of(t, node);
  const char *name, *spring, *damper;
  dm_body *body;
  dm_coordinate *x;
  DM_TRY(join_name(t, s->joint, ".motor", &name));
  DM_TRY(join_name(t, s->joint, ".spring", &spring));
  DM_TRY(join_name(t, s->joint, ".damper", &damper));
  DM_TRY(add_beside(t, node, c, name, t->coord[c].slides, t->coord[c].axis, &body, &x));
  *motor = t->ncoord - 1;
  x->armature = t->coord[c].armature;
  x->effort = t->coord[c].effort;
  t->coord[c].armature = 0;
  t->coord[c].effort = INFINITY;
  for (int i = 0; i < t->nmotor; i++)
    if (t->motor[i].coord == c) t->motor[i].coord = *motor;

  pb_file_spring between = {.at = at, .spring = {.law = dm_spring_law_linear(s->stiffness, 0)}};
  DM_TRY(make_tendon(t, spring, *motor, c, &between.spring.tendon));
  DM_TRY(pb_tree_spring(t, &between));
  if (!(s->damping > 0)) return DM_OK;
  pb_file_load damps = {.at = at,
                        .load = {.name = damper, .kind = DM_DAMPER, .damping = s->damping}};
  DM_TRY(make_tendon(t, damper, *motor, c, &damps.load.tendon));
  return pb_tree_load(t, &damps);
}

// rotors of the robot's file that this coordinate alone drives no longer count
static void drop_rotors(pb_tree *t, int c) {
  t->coord[c].armature = 0;
  for (int i = 0; i < t->nrotor; i++)
    if (t->rotor[i].ncoord == 1 && t->rotor[i].coord[0] == c) t->rotor[i].inertia = 0;
}

// the effort of the coordinate that the motor moves
static void limit_effort(pb_tree *t, int c, double effort) {
  t->coord[c].effort = effort;
  for (int i = 0; i < t->nmotor; i++)
    if (t->motor[i].coord == c) {
      t->motor[i].low = -effort;
      t->motor[i].high = effort;
    }
}

static dm_status add_drive(pb_tree *t, const pb_node *node, const pb_joint_list *joints) {
  drive_section s = {.gear = NAN,
                     .rotor = NAN,
                     .torque = NAN,
                     .stall = NAN,
                     .no_load_speed = NAN,
                     .rate = INFINITY,
                     .lag = NAN,
                     .stiffness = NAN};
  int c;
  DM_TRY(pb_schema_read(t->r, PATH, node, pb_drive_keys, &s));
  const pb_node *joint = pb_node_get(node, "joint");
  DM_TRY(pb_schema_name(t->r, PATH ".joint", joint, "joint", joints->name, joints->n, &c));
  c = joints->coord[c];
  for (int i = 0; i < t->ngear; i++)
    if (t->gear[i].coord == c) {
      if (isnan(s.gear)) s.gear = t->gear[i].ratio;
      if (isnan(s.lag)) s.lag = t->gear[i].lag;
    }
  if (isnan(s.gear)) s.gear = 1;
  DM_TRY(check_joint(t, node, &s, c));
  DM_TRY(check_numbers(t, node, &s));
  DM_TRY(find_line(t, node, &s));

  // torques times g, speeds by g, on the joint's side; g is 1 if they are given there
  const double g = strcmp(s.side, "joint") ? fabs(s.gear) : 1;
  const bool reaction = !strcmp(s.reaction, "true");
  if (!isnan(s.rotor)) drop_rotors(t, c);
  if (!isnan(s.rotor) && !reaction) t->coord[c].armature = g * g * s.rotor;
  pb_drive d = {.joint = c,
                .motor = c,
                .stall = isnan(s.no_load_speed) ? INFINITY : g * s.stall,
                .slope = isnan(s.no_load_speed) ? 0 : g * g * s.stall / s.no_load_speed,
                .rate = g * s.rate,
                .lag = isnan(s.lag) ? 0 : s.lag,
                .stiffness = isnan(s.stiffness) ? 0 : s.stiffness,
                .line = node->line};
  if (!isnan(s.stiffness)) DM_TRY(add_spring(t, node, &s, c, &d.motor));
  if (d.motor != c && !reaction && !(t->coord[d.motor].armature > 0))
    return pb_refuse_node(t->r, pb_node_get(node, "stiffness"),
                          PATH
                          ".stiffness: found no rotor of '%.64s', expected rotor > 0: the motor "
                          "behind the spring has its inertia",
                          s.joint);
  if (reaction)
    DM_TRY(add_rotor(t, node, &s, c, d.motor, s.gear, s.rotor * (g / s.gear) * (g / s.gear)));
  if (!isnan(s.torque)) limit_effort(t, d.motor, g * s.torque);
  return pb_tree_drive(t, pb_place_of(t, node), &d);
}

dm_status pb_drives_read(pb_tree *t, const pb_node *list) {
  pb_joint_list joints;
  if (!list) return DM_OK;
  DM_TRY(pb_tree_joints(t, &joints));
  for (const pb_node *e = list->first; e; e = e->next) DM_TRY(add_drive(t, e, &joints));
  return DM_OK;
}

dm_status pb_drives_check_input(const pb_tree *t, const pb_node *joint, int coord) {
  for (int i = 0; i < t->ndrive; i++)
    if (t->drive[i].joint == coord && t->drive[i].motor != coord)
      return pb_refuse_node(t->r, joint,
                            "inputs[].joint: found '%.64s', which its motor moves through a spring "
                            "(model.drives), expected '%.64s'",
                            t->coord[coord].name, t->coord[t->drive[i].motor].name);
  return DM_OK;
}

enum { NAME_ROOM = 128 };

// The arrays of the limits, in memory of the robot.
typedef struct limit_arrays {
  int nu, nq;
  int *coord;
  double *stall, *slope, *rate, *lag, *low, *high;
  const char **name;
  char (*text)[NAME_ROOM];
} limit_arrays;

static void lay_out_limits(void *self, dm_block *b) {
  limit_arrays *w = self;
  const size_t n = (size_t)w->nu;
  w->coord = dm_block_alloc(b, n, sizeof *w->coord);
  w->stall = dm_block_alloc(b, n, sizeof *w->stall);
  w->slope = dm_block_alloc(b, n, sizeof *w->slope);
  w->rate = dm_block_alloc(b, n, sizeof *w->rate);
  w->low = dm_block_alloc(b, n, sizeof *w->low);
  w->high = dm_block_alloc(b, n, sizeof *w->high);
  // also for kinematic coordinates, which have no lag
  w->lag = dm_block_alloc(b, n + (size_t)w->nq, sizeof *w->lag);
  w->name = dm_block_alloc(b, n, sizeof *w->name);
  w->text = dm_block_alloc(b, n, sizeof *w->text);
}

static dm_status find_limits(const pb_tree *t, const dm_model *m, void **memory,
                             dm_drive_limits *out) {
  limit_arrays sizes = {.nu = m->nu, .nq = m->nq};
  *out = (dm_drive_limits){0};
  if (!t->ndrive) return DM_OK;
  limit_arrays *w = dm_block_make(&sizes, sizeof sizes, lay_out_limits);
  if (!w) return DM_NO_MEMORY;
  *memory = w;
  int *coord = w->coord;
  double *stall = w->stall, *slope = w->slope, *rate = w->rate, *lag = w->lag;
  for (int i = 0; i < m->nu + m->nq; i++) lag[i] = 0;
  for (int i = 0; i < m->nu; i++) {
    coord[i] = m->input_coord[i] < 0 ? 0 : m->input_coord[i]; // of a load: without a line
    stall[i] = rate[i] = INFINITY;
    slope[i] = 0;
    w->low[i] = -INFINITY, w->high[i] = INFINITY;
    snprintf(w->text[i], NAME_ROOM, "%.90s's torque-speed line", m->input_name[i]);
    w->name[i] = w->text[i];
    for (const pb_drive *d = t->drive; d < t->drive + t->ndrive; d++) {
      if (strcmp(m->input_name[i], t->coord[d->motor].name) != 0) continue;
      stall[i] = d->stall;
      slope[i] = d->slope;
      rate[i] = d->rate;
      lag[i] = d->lag;
      w->low[i] = m->u_min[i], w->high[i] = m->u_max[i];
      out->n = m->nu;
    }
  }
  out->nq = m->nq;
  out->name = w->name;
  out->coord = coord;
  out->stall = stall;
  out->slope = slope;
  out->rate = rate;
  out->lag = lag;
  out->low = w->low;
  out->high = w->high;
  return DM_OK;
}

// the motor and its joint against each other: w^2 = k (1/J_motor + 1/J_joint)
static void find_fastest(const pb_tree *t, const dm_model *m, struct pb_robot *robot) {
  for (int i = 0; i < t->ndrive; i++) {
    const pb_drive *d = &t->drive[i];
    if (!(d->stiffness > 0)) continue;
    const int a = dm_model_coord(m, t->coord[d->motor].name);
    const int b = dm_model_coord(m, t->coord[d->joint].name);
    if (a < 0 || b < 0) continue;
    const double pace = sqrt(d->stiffness * (1 / m->inertia[a] + 1 / m->inertia[b]));
    if (!(pace > robot->spring_pace)) continue;
    robot->spring = m->name[b];
    robot->spring_pace = pace;
    robot->spring_line = d->line;
  }
}

dm_status pb_drives_keep(const pb_tree *t, struct pb_robot *robot) {
  DM_TRY(find_limits(t, robot->mechanism.model, &robot->drives_memory, &robot->drives));
  find_fastest(t, robot->mechanism.model, robot);
  return DM_OK;
}

dm_status pb_drives_check_step(const pb_reader *r, const pb_node *node,
                               const struct pb_robot *robot, double h) {
  if (!robot->spring || !(h * robot->spring_pace > 2)) return DM_OK;
  return pb_refuse_node(
      r, node,
      "found steps of %.3g s, but the series spring of '%.64s' (model.drives, line "
      "%d) oscillates in %.3g s, expected steps of at most %.3g s, or no stiffness "
      "if the joint may be rigid",
      h, robot->spring, robot->spring_line, 2 * acos(-1) / robot->spring_pace,
      2 / robot->spring_pace);
}

dm_status pb_drives_rates(const pb_reader *r, const dm_drive_limits *d, bool commands,
                          const double **rate) {
  double *list;
  bool any = false;
  PB_NEW(r->arena, list, r->nu + 1);
  for (int j = 0; j < r->nu; j++) {
    const bool own = j < d->n && !(commands && d->lag[j] > 0);
    any = any || (own && isfinite(d->rate[j]));
    list[j] = own ? d->rate[j] : INFINITY;
    if (*rate && !isnan((*rate)[j]) && !commands) list[j] = (*rate)[j];
  }
  if (any) *rate = list;
  return DM_OK;
}
