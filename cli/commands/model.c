// info and eval: a model as read, and its mechanics at a state.
#include "cli/commands/commands.h"
#include "cli/commands/model_inputs.h"
#include "cli/commands/output_values.h"
#include "cli/console/answer.h"
#include "cli/console/json.h"
#include "cli/console/log.h"
#include "lib/base/block.h"
#include "lib/mechanics/continuous.h"
#include "lib/multibody/ball_joint.h"
#include "problems/readers/format/number.h"
#include "problems/readers/task/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// read a robot, or with `why` a draft, which may be unable to move
static int read_model(const cli_args *args, pb_robot *robot, dm_message *why) {
  dm_message msg = {0};
  struct pb_warnings warnings = {0};
  dm_status s = pb_model_draft(robot, args->operand, args->floating, &warnings, why, &msg);
  cli_note_warnings(args, &warnings);
  pb_warnings_free(&warnings);
  return s == DM_OK ? CLI_DONE : cli_fail_status(args, s, &msg);
}

// --- info ---

// the first joint that follows coordinate i of the tree
static int find_joint(const dm_model *m, int i) {
  int j = 0;
  while (m->coord[j] != i) j++;
  return j;
}

// the first joint of an external coordinate i; for a quaternion the first rotation of its ball
// joint
static int find_joint_outside(const pb_robot *robot, int i) {
  const dm_model *m = robot->mechanism.tree;
  // external and internal coordinates have the same order: find the last that begins at or before i
  int c = 0;
  for (int k = 0; k < m->nq && dm_ball_outside(m, k) <= i; k++)
    if (!dm_ball_owns(m, k) || m->ball[find_joint(m, k)] == 1) c = k;
  return find_joint(m, c);
}

// the name of a joint, from its coordinate or its ball joint, in text
static const char *name_joint(const dm_model *m, int j, char text[128]) {
  int c = m->coord[j];
  if (!dm_ball_owns(m, c)) return m->name[c];
  while (m->ball[j] != 1) j--;
  dm_ball_name(m, j, text, 128);
  return text;
}

static const char *name_parent(const dm_model *m, int j, char text[128]) {
  return m->parent[j] < 0 ? NULL : name_joint(m, m->parent[j], text);
}

// the mass rigidly attached to a joint; for a ball joint it is on the last rotation
static double find_joint_mass(const dm_model *m, int j) {
  // of the rotations j, j + 1, j + 2 the last carries the body
  return m->body[m->ball[j] == 1 ? j + 2 : j].m;
}

static cli_json *describe_coordinate(const pb_robot *robot, int i) {
  const dm_model *m = robot->mechanism.tree, *o = robot->mechanism.model;
  cli_json *json = json_object_new_object();
  char text[128];

  // the first joint, by external name
  int j = find_joint_outside(robot, i), joints = 0;
  double mass = 0;
  cli_json_text(json, "name", o->name[i]);
  cli_json_text(json, "moves", m->slides[j] ? "slides" : "turns");
  cli_json_bool(json, "quaternion", o->kind[i] == DM_QUATERNION);
  cli_json_text(json, "parent", name_parent(m, j, text));

  // limits, damping and armature
  cli_json_number(json, "q_min", o->q_min[i]);
  cli_json_number(json, "q_max", o->q_max[i]);
  cli_json_number(json, "v_max", o->v_max[i]);
  cli_json_number(json, "effort", o->effort[i]);
  cli_json_number(json, "damping", m->damping[m->coord[j]]);
  cli_json_number(json, "armature", m->armature[m->coord[j]]);
  cli_json_bool(json, "kinematic", o->kinematic[i]);

  // sums over all joints that follow the coordinate
  for (int k = 0; k < m->nj; k++) {
    if (m->coord[k] != m->coord[j]) continue;
    mass += find_joint_mass(m, k);
    joints++;
  }
  cli_json_number(json, "mass", mass);
  cli_json_int(json, "joints", joints);
  return json;
}

static void print_limit(double min, double max) {
  if (isfinite(min) || isfinite(max))
    printf(" %9.4g .. %-9.4g", min, max);
  else
    printf(" %22s", "");
}

// the limit of a speed or an effort
static void print_most(double most) {
  if (isfinite(most))
    printf(" %9.4g", most);
  else
    printf(" %9s", "none");
}

static void print_coordinate(const pb_robot *robot, int i) {
  const dm_model *m = robot->mechanism.tree, *o = robot->mechanism.model;
  char text[128];
  int j = find_joint_outside(robot, i);
  const char *parent = name_parent(m, j, text);

  // the first joint
  if (!parent) parent = "the world";
  printf("%-24s %-9s %-24s", o->name[i], m->slides[j] ? "slides on" : "turns on", parent);

  // the properties of a quaternion are printed with its first coordinate
  if (o->kind[i] == DM_QUATERNION && i > 0 && find_joint_outside(robot, i - 1) == j) {
    printf("\n");
    return;
  }

  // numbers of the coordinate
  printf(" %9.4g", find_joint_mass(m, j));
  print_limit(o->q_min[i], o->q_max[i]);
  print_most(o->v_max[i]);
  print_most(o->effort[i]);
  printf(" %9.4g%s\n", m->damping[m->coord[j]],
         o->kind[i] == DM_QUATERNION ? "  a unit quaternion" : "");
}

// all coordinates by external names, in external order
static void print_coordinates(const pb_robot *robot) {
  const dm_model *m = robot->mechanism.tree;
  if (m->nq)
    printf("%-24s %-9s %-24s %9s %22s %9s %9s %9s\n", "coordinate", "", "", "mass kg",
           "range rad or m", "speed", "effort", "damping");
  for (int i = 0; i < robot->mechanism.model->nq; i++) print_coordinate(robot, i);

  // joints without their own coordinate
  for (int j = 0; j < m->nj; j++)
    // a ratio, a shift, or an earlier joint with the same coordinate
    if (m->ratio[j] != 1 || m->shift[j] != 0 || find_joint(m, m->coord[j]) != j)
      printf("joint %d follows %s: %g q + %g, carries %.4g kg\n", j, m->name[m->coord[j]],
             m->ratio[j], m->shift[j], m->body[j].m);
}

// the body moved directly by a joint, to which a body is fixed: the first with the same joint
static int find_carrier(const dm_model *m, int b) {
  int c = 0;
  while (m->body_joint[c] != m->body_joint[b]) c++;
  return c;
}

// the attachment of a body: on a joint (by its coordinate's name), or fixed to another body or the
// world
static cli_json *describe_link(const dm_model *m, int b) {
  cli_json *o = json_object_new_object();
  char text[128];
  int j = m->body_joint[b], carrier = find_carrier(m, b);
  cli_json_text(o, "name", m->body_name[b]);
  cli_json_text(o, "joint", j < 0 ? NULL : name_joint(m, j, text));
  cli_json_text(o, "fixed_to", carrier == b || j < 0 ? NULL : m->body_name[carrier]);
  return o;
}

static void print_links(const dm_model *m) {
  for (int b = 0; b < m->nbody; b++) {
    char text[128];
    int j = m->body_joint[b], carrier = find_carrier(m, b);
    // on a joint, fixed to a body that is on a joint, or fixed to the world
    if (j < 0)
      printf("link %s fixed to the world\n", m->body_name[b]);
    else if (carrier == b)
      printf("link %s on %s\n", m->body_name[b], name_joint(m, j, text));
    else
      printf("link %s fixed to %s\n", m->body_name[b], m->body_name[carrier]);
  }
}

static double sum_masses(const dm_model *m) {
  double mass = m->ground.m; // including bodies fixed to the world
  for (int j = 0; j < m->nj; j++) mass += m->body[j].m;
  return mass;
}

// the name of the constraint that begins at row i, and its number of rows; NULL: row i continues
// one
static const char *find_constraint_at(const dm_constraints *c, int i, int nc, int *rows) {
  const char *name = dm_constraints_row_name(c, i);
  // rows of one constraint share a name pointer
  if (i > 0 && name == dm_constraints_row_name(c, i - 1)) return NULL;
  for (*rows = 1; i + *rows < nc && name == dm_constraints_row_name(c, i + *rows);) ++*rows;
  return name;
}

static cli_json *describe_constraints(const dm_robot *robot) {
  const dm_constraints *c = robot->constraints;
  cli_json *list = json_object_new_array();
  int nc = c ? dm_constraints_holonomic(c).nc : 0, rows;
  // one entry per constraint, for all its rows
  for (int i = 0; i < nc; i++) {
    const char *name = find_constraint_at(c, i, nc, &rows);
    if (!name) continue;
    cli_json *o = json_object_new_object();
    cli_json_text(o, "name", name);
    cli_json_int(o, "rows", rows);
    json_object_array_add(list, o);
  }
  return list;
}

static void print_constraints(const dm_robot *robot) {
  const dm_constraints *c = robot->constraints;
  int nc = c ? dm_constraints_holonomic(c).nc : 0, rows;
  for (int i = 0; i < nc; i++) {
    const char *name = find_constraint_at(c, i, nc, &rows);
    if (name) printf("constraint %s, %d row%s\n", name, rows, rows == 1 ? "" : "s");
  }
}

#define WORD(NAME, ROW, sign, word, must, may) [DM_##NAME] = word,
// "above, foot and world, length 0", or with the coordinate
static const char *name_contact(const dm_robot *r, const dm_contact *c, char text[200]) {
  static const char *const contact_words[] = {DM_CONTACT_KINDS(WORD)};
  const bool turns = c->kind == DM_NOT_BELOW || c->kind == DM_NOT_ABOVE;
  const char *a = c->body[0] < 0 ? "world" : r->tree->body_name[c->body[0]];
  const char *b = c->body[1] < 0 ? "world" : r->tree->body_name[c->body[1]];
  snprintf(text, 200, "%s, %.80s%s%.80s, length %g", contact_words[c->kind],
           turns ? r->tree->name[c->coord] : a, turns ? "" : " and ", turns ? "" : b, c->length);
  return text;
}

static cli_json *describe_contacts(const dm_robot *robot) {
  const dm_contact *c = NULL;
  char text[200];
  cli_json *list = json_object_new_array();
  const int n = robot->contacts ? dm_contacts_list(robot->contacts, &c) : 0;
  for (int i = 0; i < n; i++) {
    cli_json *o = json_object_new_object();
    cli_json_text(o, "name", dm_part_rows[DM_PART_CONTACT].name(robot, i));
    cli_json_number(o, "restitution", c[i].restitution);
    cli_json_number(o, "friction", c[i].friction);
    cli_json_text(o, "what", name_contact(robot, &c[i], text));
    json_object_array_add(list, o);
  }
  return list;
}

static void print_contacts(const dm_robot *robot) {
  const dm_contact *c = NULL;
  char text[200];
  const int n = robot->contacts ? dm_contacts_list(robot->contacts, &c) : 0;
  for (int i = 0; i < n; i++)
    printf("contact %s, restitution %g, friction %g: %s\n",
           dm_part_rows[DM_PART_CONTACT].name(robot, i), c[i].restitution, c[i].friction,
           name_contact(robot, &c[i], text));
}

// the number of springs from i on with the same name; 0: i continues a group
static int count_springs_at(const dm_springs *c, int i) {
  const char *name = dm_springs_name(c, i);
  int n = 1;
  if (i > 0 && !strcmp(name, dm_springs_name(c, i - 1))) return 0;
  while (i + n < dm_springs_count(c) && !strcmp(name, dm_springs_name(c, i + n))) n++;
  return n;
}

static cli_json *describe_springs(const dm_robot *robot) {
  const dm_springs *c = robot->springs;
  // one entry for all pairs of a potential
  cli_json *list = json_object_new_array();
  for (int i = 0; c && i < dm_springs_count(c); i++) {
    if (!count_springs_at(c, i)) continue;
    cli_json *o = json_object_new_object();
    cli_json_text(o, "name", dm_springs_name(c, i));
    cli_json_int(o, "pairs", count_springs_at(c, i));
    json_object_array_add(list, o);
  }
  return list;
}

static void print_springs(const dm_robot *robot) {
  const dm_springs *c = robot->springs;
  for (int i = 0; c && i < dm_springs_count(c); i++) {
    int n = count_springs_at(c, i);
    if (n == 1) printf("spring %s\n", dm_springs_name(c, i));
    if (n > 1) printf("springs %s, %d pairs\n", dm_springs_name(c, i), n);
  }
}

#define SHAPE_WORD(NAME, name, word, must, may) word,
static const char *const shape_words[] = {DM_SHAPE_KINDS(SHAPE_WORD)};
#undef SHAPE_WORD

static cli_json *describe_collisions(const pb_outputs *o) {
  cli_json *list = json_object_new_array();
  for (int i = o->nlisted; i < o->nshapes; i++) {
    const pb_kept_shape *s = &o->shape[i];
    cli_json *each = json_object_new_object();
    cli_json_text(each, "name", s->name);
    cli_json_text(each, "about", s->about);
    cli_json_text(each, "type", shape_words[s->shape.kind]);
    cli_json_number(each, "radius", s->shape.radius);
    const bool capsule = s->shape.kind == DM_SHAPE_CAPSULE;
    cli_json_number(each, "length", capsule ? 2 * s->shape.half[2] : 0);
    cli_json_number(each, "excess", s->excess);
    json_object_array_add(list, each);
  }
  return list;
}

static void print_collisions(const pb_outputs *o) {
  for (int i = o->nlisted; i < o->nshapes; i++) {
    const pb_kept_shape *s = &o->shape[i];
    printf("shape %s: ", s->name);
    if (s->shape.kind == DM_SHAPE_SPHERE || s->shape.kind == DM_SHAPE_CAPSULE)
      printf("%s, radius %.4g m, ", shape_words[s->shape.kind], s->shape.radius);
    if (s->shape.kind == DM_SHAPE_CAPSULE) printf("axis %.4g m, ", 2 * s->shape.half[2]);
    if (s->excess > 0)
      printf("up to %.2g m beyond its %s\n", s->excess, s->about);
    else
      printf("its %s as it is\n", s->about);
  }
}

static void print_frictions(const dm_robot *robot) {
  for (int i = 0; i < dm_part_rows[DM_PART_FRICTION].count(robot); i++) {
    const dm_joint_force *x = dm_joint_forces_get(robot->joint[DM_JOINT_FRICTION], i);
    const dm_friction_values *p = &x->friction;
    const bool slides = robot->tree->kind[x->coord] == DM_SLIDE;
    const char *N = slides ? "N" : "N m", *v = slides ? "m/s" : "rad/s";
    const char *dry = x->planned ? ", dry: in plans"
                                 : ", dry: not in plans, only in the robots that verify simulates";
    printf("friction %s, %g %s", x->name, p->force, N);
    if (p->rest > p->force) printf(", %g %s at rest until %g %s", p->rest, N, p->stribeck, v);
    if (p->viscous > 0) printf(", viscous %g %s per %s", p->viscous, N, v);
    if (p->offset != 0) printf(", offset %g %s", p->offset, N);
    if (p->smooth > 0) printf(", smooth over %g %s", p->smooth, v);
    puts(dm_joint_force_is_dry(x) ? dry : "");
  }
}

// -- parts by kind; NULL: their names as JSON, with their parameters as text

static const struct shown {
  cli_json *(*describe)(const dm_robot *robot);
  void (*print)(const dm_robot *robot);
} shown[DM_PART_KINDS] = {
    [DM_PART_SPRING] = {describe_springs, print_springs},
    [DM_PART_CONSTRAINT] = {describe_constraints, print_constraints},
    [DM_PART_FRICTION] = {NULL, print_frictions},
    [DM_PART_CONTACT] = {describe_contacts, print_contacts},
};

// has part i the name of the one before it, as another component of one force?
static bool is_continued(const dm_robot *robot, const dm_part_row *row, int i) {
  return i > 0 && !strcmp(row->name(robot, i), row->name(robot, i - 1));
}

static cli_json *describe_parts(const dm_robot *robot, dm_part_kind kind) {
  const dm_part_row *row = &dm_part_rows[kind];
  if (shown[kind].describe) return shown[kind].describe(robot);
  cli_json *list = json_object_new_array();
  for (int i = 0; i < row->count(robot); i++)
    if (!is_continued(robot, row, i))
      json_object_array_add(list, json_object_new_string(row->name(robot, i)));
  return list;
}

static void print_parts(const dm_robot *robot, dm_part_kind kind) {
  const dm_part_row *row = &dm_part_rows[kind];
  if (shown[kind].print) {
    shown[kind].print(robot);
    return;
  }
  for (int i = 0; i < row->count(robot); i++) {
    dm_part part;
    if (is_continued(robot, row, i)) continue;
    printf("%s %s", row->word, row->name(robot, i));
    if (row->get) row->get(robot, i, &part);
    for (const dm_part_parameter *p = row->parameters; p && p->section; p++)
      if (!strcmp(row->section(&part), p->section) && dm_part_has(p, &part))
        printf(", %s %g %s", p->key, dm_part_value(p, &part), p->unit);
    printf("\n");
  }
}

static void answer_info(const pb_robot *robot, const char *why) {
  const dm_model *m = robot->mechanism.tree;
  cli_json *o = json_object_new_object();
  cli_json *list = json_object_new_array();
  double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z};

  // the whole robot
  cli_json_int(o, "coordinates", robot->mechanism.model->nq);
  cli_json_int(o, "joints", m->nj);
  cli_json_int(o, "bodies", m->nbody);
  cli_json_number(o, "mass", sum_masses(m));
  cli_json_vector(o, "gravity", g, 3);
  cli_json_text(o, "cannot_move", why[0] ? why : NULL);

  // coordinates and bodies
  for (int i = 0; i < robot->mechanism.model->nq; i++)
    json_object_array_add(list, describe_coordinate(robot, i));
  json_object_object_add(o, "coordinate", list);
  list = json_object_new_array();
  for (int b = 0; b < m->nbody; b++) json_object_array_add(list, describe_link(m, b));
  json_object_object_add(o, "link", list);

  // inputs
  cli_json_names(o, "state", robot->mechanism.model->name, robot->mechanism.model->nq);
  list = json_object_new_array();
  for (int i = 0; i < m->nu; i++) json_object_array_add(list, cli_describe_input(robot, i));
  json_object_object_add(o, "input", list);
  cli_json_names(o, "passive", robot->passive, robot->npassive);

  // parts that act between bodies
  cli_json_names(o, "body", m->body_name, m->nbody);
  for (int kind = 0; kind < DM_PART_KINDS; kind++)
    json_object_object_add(o, dm_part_rows[kind].word, describe_parts(&robot->mechanism, kind));
  json_object_object_add(o, "collision", describe_collisions(&robot->outputs));
  cli_json *touching = json_object_new_object();
  json_object_object_add(touching, "world", json_object_new_int(robot->touching[0]));
  json_object_object_add(touching, "bodies", json_object_new_int(robot->touching[1]));
  json_object_object_add(o, "touching", touching);
  json_object_object_add(o, "output", cli_output_values_describe(robot));
  cli_answer_set(o);
  json_object_put(o);
}

static void print_info(const pb_robot *robot, const char *path, const char *why) {
  const dm_model *m = robot->mechanism.tree;

  // the whole robot, then coordinates and bodies
  const int nq = robot->mechanism.model->nq;
  printf("%s: %d coordinate%s, %d joint%s, %d bod%s, %.6g kg, gravity %g %g %g m/s2\n", path, nq,
         nq == 1 ? "" : "s", m->nj, m->nj == 1 ? "" : "s", m->nbody, m->nbody == 1 ? "y" : "ies",
         sum_masses(m), m->gravity.x, m->gravity.y, m->gravity.z);
  if (why[0]) printf("cannot be simulated: %s\n", why);
  print_coordinates(robot);
  print_links(m);

  // inputs, and kinematic coordinates
  for (int i = 0; i < m->nu; i++) cli_print_input(robot, i);
  for (int i = 0; i < robot->npassive; i++)
    printf("passive %s, no effort limit\n", robot->passive[i]);
  for (int i = 0; i < m->nq; i++)
    if (m->kinematic[i]) printf("kinematic %s\n", m->name[i]);
  for (int kind = 0; kind < DM_PART_KINDS; kind++) print_parts(&robot->mechanism, kind);
  print_collisions(&robot->outputs);
  if (robot->touching[0] + robot->touching[1] > 0 && !robot->mechanism.contacts)
    printf("not read: contacts of %d shape%s of bodies and %d of the world; model.contacts of a "
           "problem has contacts, and [{from: robot}] those with planes of the world\n",
           robot->touching[1], robot->touching[1] == 1 ? "" : "s", robot->touching[0]);
  cli_output_values_print(robot);
}

static int show_model(const cli_args *args) {
  pb_robot robot;
  dm_message why;
  int status = read_model(args, &robot, &why);
  if (status != CLI_DONE) return status;

  // a draft also shows a robot that cannot move
  if (args->json)
    answer_info(&robot, why.text);
  else
    print_info(&robot, args->operand, why.text);
  pb_robot_free(&robot);
  return CLI_DONE;
}

const cli_command cli_command_info = {
    .name = "info",
    .what = "joints, limits and masses of a model, as read",
    .usage = "MODEL [--floating]",
    .run = show_model,
};

// --- eval ---

// parse n comma-separated numbers, or one for all; in brackets, as in files, exactly n
static int read_numbers(const cli_args *args, const char *option, const char *text, double *x,
                        int n) {
  if (!text) return cli_fail(args, CLI_INPUT, "eval needs %s LIST", option);
  const size_t length = strlen(text);
  const bool list = length > 1 && text[0] == '[' && text[length - 1] == ']';
  const char *end = text + length - list;

  // each word up to the next comma or the end
  int count = 0;
  for (const char *at = text + list;; at++) {
    char word[64];
    size_t len = strcspn(at, ",");
    if (len > (size_t)(end - at)) len = (size_t)(end - at);
    double value;
    snprintf(word, sizeof word, "%.*s", (int)len, at);
    if (len >= sizeof word || pb_number_parse(word, &value) != DM_OK)
      return cli_fail(args, CLI_INPUT, "%s: expected a number, found '%.40s'", option, word);
    if (count < n) x[count] = value;
    count++;
    at += len;
    if (at == end) break;
  }

  // one number each, or one for all
  if (count != n && (list || count != 1))
    return cli_fail(args, CLI_INPUT, "%s: found %d number%s, expected %d%s", option, count,
                    count == 1 ? "" : "s", n, list ? "" : " (or one for all)");
  for (int i = count; i < n; i++) x[i] = x[0];
  return CLI_DONE;
}

static void print_matrix(const char *name, const double *x, int rows, int cols) {
  printf("%s\n", name);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) printf(" %17.10g", x[i * cols + j]);
    printf("\n");
  }
}

// the results at one state, in the order of printing
typedef struct figure {
  const char *name;
  const double *x;
  int rows, cols; // rows 0: a number; cols 0: a vector
} figure;

static void print_figures(const cli_args *args, const dm_model *m, const figure *f, int n) {
  // names first, which define the order
  cli_json *o = json_object_new_object();
  cli_json_names(o, "names", m->name, m->nq);
  if (!args->json) printf("names\n");
  for (int i = 0; !args->json && i < m->nq; i++) printf(" %s", m->name[i]);
  if (!args->json) printf("\n");

  // a matrix, a vector or a number, as text or as JSON
  for (; n > 0; n--, f++) {
    int rows = f->cols ? f->rows : 1;
    int cols = f->cols;
    if (!cols) cols = f->rows ? f->rows : 1;
    if (!args->json)
      print_matrix(f->name, f->x, rows, cols);
    else if (f->cols)
      cli_json_matrix(o, f->name, f->x, f->rows, f->cols);
    else if (f->rows)
      cli_json_vector(o, f->name, f->x, f->rows);
    else
      cli_json_number(o, f->name, *f->x);
  }
  if (args->json) cli_answer_set(o);
  json_object_put(o);
}

// normalize quaternions, whose digits may be rounded; four zeros are the identity
static int check_turns(const cli_args *args, const dm_model *m, double *q) {
  for (int k = 0; m->quaternion && k < m->nball; k++) {
    double *x = q + m->quaternion[k];
    double length = hypot(hypot(x[0], x[1]), hypot(x[2], x[3]));

    // 0,0,0,0 is the identity; a length within 1e-3 of 1 is normalized
    if (length == 0) x[0] = length = 1;
    if (!(fabs(length - 1) < 1e-3))
      return cli_fail(args, CLI_INPUT, "--q: found a quaternion '%s ..' of length %g, expected 1",
                      m->name[m->quaternion[k]], length);
    for (int i = 0; i < 4; i++) x[i] /= length;
  }
  return CLI_DONE;
}

// all results at the state of --q, --v and --a; memory [7n + 3n^2]
static int evaluate_at(const cli_args *args, const dm_model *m, dm_continuous *w, void *scratch,
                       double *memory) {
  const int n = m->nq;
  int status;
  double kinetic, potential;
  double *q = memory, *v = q + n, *a = v + n, *p = a + n, *tau = p + n;
  double *L_q = tau + n, *L_v = L_q + n, *L_qq = L_v + n, *L_qv = L_qq + n * n,
         *L_vv = L_qv + n * n;

  // the state, with normalized quaternions
  status = read_numbers(args, "--q", args->q, q, n);
  if (status == CLI_DONE) status = check_turns(args, m, q);
  if (status == CLI_DONE) status = read_numbers(args, "--v", args->v, v, n);
  if (status == CLI_DONE) status = read_numbers(args, "--a", args->a ? args->a : "0", a, n);
  if (status != CLI_DONE) return status;

  // derivatives of L up to second order; p = L_v; tau = d/dt L_v - L_q; kinetic and potential
  // energy
  dm_jet jet = {.L_q = L_q, .L_v = L_v, .L_qq = L_qq, .L_qv = L_qv, .L_vv = L_vv};
  const dm_lagrangian *L = &w->s.L;
  dm_status s = L->eval(L->self, scratch, 2, q, v, &jet);
  if (s == DM_OK) s = dm_momentum_of(w, q, v, p);
  if (s == DM_OK) s = dm_inverse_dynamics(w, q, v, a, tau);
  if (s == DM_OK) s = dm_energies(w, q, v, &kinetic, &potential);
  if (s != DM_OK) return cli_fail_status(args, s, NULL);

  // M is L_vv
  const figure f[] = {{"M", L_vv, n, n},
                      {"p", p, n, 0},
                      {"L_q", L_q, n, 0},
                      {"L_qq", L_qq, n, n},
                      {"L_qv", L_qv, n, n},
                      {"L_vv", L_vv, n, n},
                      {"inverse_dynamics", tau, n, 0},
                      {"kinetic_energy", &kinetic, 0, 0},
                      {"potential_energy", &potential, 0, 0}};
  print_figures(args, m, f, (int)(sizeof f / sizeof f[0]));
  return CLI_DONE;
}

// the outputs named by --output at the state of --q and, if given, --v and --u
static int evaluate_outputs(const cli_args *args, const pb_robot *robot) {
  const dm_model *m = robot->mechanism.model;
  const size_t n = (size_t)m->nq, nu = (size_t)m->nu;
  double *q = calloc(2 * n + nu + 1, sizeof *q);
  if (!q) return cli_fail(args, CLI_FAULT, "out of memory");
  double *v = q + n, *u = v + n;
  int status = read_numbers(args, "--q", args->q, q, m->nq);
  if (status == CLI_DONE) status = check_turns(args, m, q);
  if (status == CLI_DONE && args->v) status = read_numbers(args, "--v", args->v, v, m->nq);
  if (status == CLI_DONE && args->u) status = read_numbers(args, "--u", args->u, u, m->nu);
  if (status == CLI_DONE)
    status = cli_output_values_show(args, robot, q, args->v ? v : NULL, args->u ? u : NULL);
  free(q);
  return status;
}

static int evaluate_model(const cli_args *args) {
  pb_robot robot;
  dm_message why;

  // outputs are defined even if the robot cannot move
  int status = read_model(args, &robot, args->output ? &why : NULL);
  if (status != CLI_DONE) return status;
  if (args->output) {
    status = evaluate_outputs(args, &robot);
    pb_robot_free(&robot);
    return status;
  }
  if (args->hessian || args->u) {
    pb_robot_free(&robot);
    return cli_fail(args, CLI_INPUT, "%s is of --output: found the one without the other",
                    args->hessian ? "--hessian" : "--u");
  }
  const dm_model *m = robot.mechanism.model;

  // q, v, a, p, tau, L_q, L_v [n]; L_qq, L_qv, L_vv [n x n]
  dm_system s = dm_robot_system(&robot.mechanism);
  dm_continuous *w = NULL;
  size_t n = (size_t)m->nq;
  double *memory = calloc(7 * n + 3 * n * n, sizeof *memory);
  dm_block b = {0};
  dm_block_alloc(&b, 1, s.L.scratch);
  dm_status made = memory ? dm_block_new(&b) : DM_NO_MEMORY;
  if (made == DM_OK) made = dm_continuous_new(&w, &s);

  if (made == DM_OK)
    status = evaluate_at(args, m, w, b.base, memory);
  else
    status = cli_fail(args, CLI_FAULT, "%s", dm_status_text(made));
  dm_continuous_free(w);
  dm_block_free(b.base);
  free(memory);
  pb_robot_free(&robot);
  return status;
}

const cli_command cli_command_eval = {
    .name = "eval",
    .what = "mass matrix, momentum, derivatives of L, inverse dynamics at a state; or outputs",
    .usage =
        "MODEL --q LIST --v LIST [--a LIST] [--u LIST] [--output NAME] [--hessian] [--floating]",
    .run = evaluate_model,
};
