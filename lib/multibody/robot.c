#include "lib/multibody/robot.h"

#include "lib/base/names.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/tree_system.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- springs: an energy

static int count_springs(const dm_robot *r) {
  return r->springs ? dm_springs_count(r->springs) : 0;
}

static const char *name_spring(const dm_robot *r, int i) {
  return dm_springs_name(r->springs, i);
}

static dm_status compile_springs(dm_robot *r, int n, const void *list, dm_message *msg) {
  return dm_springs_new(&r->springs, r->tree, n, list, msg);
}

static void enter_springs(const dm_robot *r, dm_system *s) {
  if (r->springs) s->L = dm_springs_lagrangian(r->springs);
}

static void release_springs(dm_robot *r) {
  dm_springs_free(r->springs);
}

static void get_spring(const dm_robot *r, int i, void *part) {
  *(dm_spring *)part = dm_springs_get(r->springs, i);
}

static bool has_law(const void *part, const dm_spring_law *law) {
  return ((const dm_spring *)part)->law.eval == law->eval;
}

static bool is_power(const void *part) {
  const dm_spring_law law = dm_spring_law_power(0, 0);
  return has_law(part, &law);
}

static bool is_lennard_jones(const void *part) {
  const dm_spring_law law = dm_spring_law_lennard_jones(0, 0);
  return has_law(part, &law);
}

static bool has_stiffness(const void *part) {
  const dm_spring_law laws[] = {dm_spring_law_linear(0, 0), dm_spring_law_taut(0, 0),
                                dm_spring_law_pressed(0, 0)};
  return has_law(part, &laws[0]) || has_law(part, &laws[1]) || has_law(part, &laws[2]);
}

static const char *find_spring_section(const void *part) {
  return is_power(part) || is_lennard_jones(part) ? "potentials" : "springs";
}

static const dm_part_parameter spring_parameters[] = {
    {"springs", "stiffness", "N/m or N m/rad", offsetof(dm_spring, law.a), 0, INFINITY, false,
     has_stiffness},
    {"springs", "rest", "m or rad", offsetof(dm_spring, law.b), -INFINITY, INFINITY, true,
     has_stiffness},
    {"potentials", "coefficient", "J/m^exponent", offsetof(dm_spring, law.a), -INFINITY, INFINITY,
     false, is_power},
    {"potentials", "depth", "J", offsetof(dm_spring, law.a), -INFINITY, INFINITY, false,
     is_lennard_jones},
    {"potentials", "size", "m", offsetof(dm_spring, law.b), 0, INFINITY, false, is_lennard_jones},
    {0}};

// -- constraints

static int count_constraints(const dm_robot *r) {
  const dm_constraint *list;
  return r->constraints ? dm_constraints_described(r->constraints, &list) : 0;
}

static const char *name_constraint(const dm_robot *r, int i) {
  const dm_constraint *list;
  dm_constraints_described(r->constraints, &list);
  return list[i].name;
}

static dm_status compile_constraints(dm_robot *r, int n, const void *list, dm_message *msg) {
  return dm_constraints_new(&r->constraints, r->tree, n, list, msg);
}

static void enter_constraints(const dm_robot *r, dm_system *s) {
  if (r->constraints) s->hol = dm_constraints_holonomic(r->constraints);
}

static void release_constraints(dm_robot *r) {
  dm_constraints_free(r->constraints);
}

// -- rolling: nonholonomic constraints

static int count_rollings(const dm_robot *r) {
  const dm_roller *list;
  return r->rolling ? dm_rolling_described(r->rolling, &list) : 0;
}

static void get_rolling(const dm_robot *r, int i, void *part) {
  const dm_roller *list;
  dm_rolling_described(r->rolling, &list);
  *(dm_roller *)part = list[i];
}

static const char *name_rolling(const dm_robot *r, int i) {
  const dm_roller *list;
  dm_rolling_described(r->rolling, &list);
  return list[i].name;
}

static dm_status compile_rollings(dm_robot *r, int n, const void *list, dm_message *msg) {
  return dm_rolling_new(&r->rolling, r->tree, n, list, r->constraints, msg);
}

static void enter_rollings(const dm_robot *r, dm_system *s) {
  if (r->rolling) s->hol = dm_rolling_holonomic(r->rolling);
}

static void release_rollings(dm_robot *r) {
  dm_rolling_free(r->rolling);
}

static const char *find_rolling_section(const void *part) {
  (void)part;
  return "constraints";
}

static bool is_round(const void *part) {
  return ((const dm_roller *)part)->kind == DM_ROLLING_WHEEL;
}

static const dm_part_parameter rolling_parameters[] = {
    {"constraints", "radius", "m", offsetof(dm_roller, radius), DBL_MIN, INFINITY, false, is_round},
    {0}};

// -- loads: forces on bodies and along tendons

static int count_loads(const dm_robot *r) {
  return r->loads ? dm_loads_count(r->loads) : 0;
}

static const char *name_load(const dm_robot *r, int i) {
  return dm_loads_name(r->loads, i);
}

static dm_status compile_loads(dm_robot *r, int n, const void *list, dm_message *msg) {
  return dm_loads_new(&r->loads, r->tree, n, list, msg);
}

static void enter_loads(const dm_robot *r, dm_system *s) {
  if (r->loads) dm_system_add_force(s, dm_loads_force(r->loads));
}

static void release_loads(dm_robot *r) {
  dm_loads_free(r->loads);
}

static void get_load(const dm_robot *r, int i, void *part) {
  *(dm_load *)part = dm_loads_get(r->loads, i);
}

static const char *find_load_section(const void *part) {
  const dm_load *x = part;
  if (x->driven) return "inputs";
  return x->kind == DM_DAMPER ? "dampers" : "wrenches";
}

static const dm_part_parameter load_parameters[] = {{"dampers", "damping", "N s/m or N m s/rad",
                                                     offsetof(dm_load, damping), 0, INFINITY, false,
                                                     NULL},
                                                    {0}};

// -- forces in joints: functions and parameters of each kind

#define JOINT_PARAMETER(kind, member, key, unit, range, ...)                                       \
  {kind##_section,                                                                                 \
   key,                                                                                            \
   unit,                                                                                           \
   offsetof(dm_joint_force, kind.member),                                                          \
   sizeof(range) == sizeof("> 0")    ? DBL_MIN                                                     \
   : sizeof(range) == sizeof(">= 0") ? 0                                                           \
                                     : -INFINITY,                                                  \
   INFINITY,                                                                                       \
   false,                                                                                          \
   has_##kind##_##member},
#define JOINT_TERM(kind, member, ...)                                                              \
  static bool has_##kind##_##member(const void *part) {                                            \
    const double x = ((const dm_joint_force *)part)->kind.member;                                  \
    return x != 0 || !strcmp(#member, "force"); /* which a fit may find */                         \
  }
#define JOINT_FUNCTIONS(KIND, kind, section, ...)                                                  \
  DM_##KIND##_PARAMETERS(JOINT_TERM) static const char kind##_section[] = section;                 \
  static int count_##kind##s(const dm_robot *r) {                                                  \
    return dm_joint_forces_count(r->joint[DM_JOINT_##KIND]);                                       \
  }                                                                                                \
  static const char *name_##kind(const dm_robot *r, int i) {                                       \
    return dm_joint_forces_get(r->joint[DM_JOINT_##KIND], i)->name;                                \
  }                                                                                                \
  static dm_status compile_##kind##s(dm_robot *r, int n, const void *list, dm_message *msg) {      \
    return dm_joint_forces_new(&r->joint[DM_JOINT_##KIND], DM_JOINT_##KIND, r->tree, n, list,      \
                               msg);                                                               \
  }                                                                                                \
  static void enter_##kind##s(const dm_robot *r, dm_system *s) {                                   \
    const dm_joint_forces *c = r->joint[DM_JOINT_##KIND];                                          \
    if (dm_joint_forces_act(c)) dm_system_add_force(s, dm_joint_forces_force(c));                  \
  }                                                                                                \
  static void release_##kind##s(dm_robot *r) {                                                     \
    dm_joint_forces_free(r->joint[DM_JOINT_##KIND]);                                               \
  }                                                                                                \
  static void get_##kind(const dm_robot *r, int i, void *part) {                                   \
    *(dm_joint_force *)part = *dm_joint_forces_get(r->joint[DM_JOINT_##KIND], i);                  \
  }                                                                                                \
  static const char *find_##kind##_section(const void *part) {                                     \
    (void)part;                                                                                    \
    return kind##_section;                                                                         \
  }                                                                                                \
  static const dm_part_parameter kind##_parameters[] = {DM_##KIND##_PARAMETERS(JOINT_PARAMETER){0}};
DM_JOINT_FORCES(JOINT_FUNCTIONS)
#undef JOINT_FUNCTIONS
#undef JOINT_PARAMETER
#undef JOINT_TERM

// -- contacts, which do not enter the smooth system

static int count_contacts(const dm_robot *r) {
  const dm_contact *list;
  return r->contacts ? dm_contacts_list(r->contacts, &list) : 0;
}

static const char *name_contact(const dm_robot *r, int i) {
  return dm_contacts_unilateral(r->contacts).name(r->contacts, i);
}

static void get_contact(const dm_robot *r, int i, void *part) {
  const dm_contact *list;
  dm_contact *x = part;
  dm_contacts_list(r->contacts, &list);
  *x = list[i];
  x->name = name_contact(r, i);
}

static const char *find_contact_section(const void *part) {
  (void)part;
  return "contacts";
}

static const dm_part_parameter contact_parameters[] = {{0}}; // dm_change.ground, grip

static dm_status compile_contacts(dm_robot *r, int n, const void *list, dm_message *msg) {
  return dm_contacts_new(&r->contacts, r->tree, n, list, msg);
}

static void release_contacts(dm_robot *r) {
  dm_contacts_free(r->contacts);
}

// -- formulas: energies, and forces on coordinates

static int count_formulas(const dm_robot *r) {
  return dm_formulas_count(r->formulas);
}

static const char *name_formula(const dm_robot *r, int i) {
  return dm_formulas_get(r->formulas, i)->name;
}

static dm_status compile_formulas(dm_robot *r, int n, const void *list, dm_message *msg) {
  const dm_lagrangian L =
      r->springs ? dm_springs_lagrangian(r->springs) : dm_tree_lagrangian(r->tree);
  return dm_formulas_new(&r->formulas, r->tree, &L, n, list, msg);
}

static void enter_formulas(const dm_robot *r, dm_system *s) {
  if (dm_formulas_bend(r->formulas)) s->L = dm_formulas_lagrangian(r->formulas);
  if (dm_formulas_act(r->formulas)) dm_system_add_force(s, dm_formulas_force(r->formulas));
}

static void release_formulas(dm_robot *r) {
  dm_formulas_free(r->formulas);
}

static void get_formula(const dm_robot *r, int i, void *part) {
  *(dm_formula *)part = *dm_formulas_get(r->formulas, i);
}

static const char *find_formula_section(const void *part) {
  return ((const dm_formula *)part)->role == DM_FORMULA_FORCE ? "forces" : "potentials";
}

static const dm_part_parameter formula_parameters[] = {{0}}; // numbers in the text

// -- the table

#define PART(kind)                                                                                 \
  .word = #kind, .count = count_##kind##s, .name = name_##kind, .compile = compile_##kind##s,      \
  .release = release_##kind##s
#define CHANGES(kind, type)                                                                        \
  .size = sizeof(type), .get = get_##kind, .section = find_##kind##_section,                       \
  .parameters = kind##_parameters
#define JOINT_PART(KIND, kind, ...)                                                                \
  [DM_PART_##KIND] = {PART(kind), .enter = enter_##kind##s, CHANGES(kind, dm_joint_force)},

const dm_part_row dm_part_rows[] = {
    [DM_PART_SPRING] = {PART(spring), .enter = enter_springs, CHANGES(spring, dm_spring)},
    [DM_PART_CONSTRAINT] = {PART(constraint), .enter = enter_constraints},
    [DM_PART_ROLLING] = {PART(rolling), .enter = enter_rollings, CHANGES(rolling, dm_roller)},
    [DM_PART_LOAD] = {PART(load), .enter = enter_loads, CHANGES(load, dm_load)},
    DM_JOINT_FORCES(JOINT_PART)[DM_PART_CONTACT] = {PART(contact), CHANGES(contact, dm_contact)},
    [DM_PART_FORMULA] = {PART(formula), .enter = enter_formulas, CHANGES(formula, dm_formula)},
};
_Static_assert(sizeof dm_part_rows / sizeof *dm_part_rows == DM_PART_KINDS, "a row for each kind");

#undef PART
#undef CHANGES
#undef JOINT_PART

// -- parameters

double dm_part_value(const dm_part_parameter *p, const void *part) {
  return *(const double *)(const void *)((const unsigned char *)part + p->offset);
}

bool dm_part_has(const dm_part_parameter *p, const void *part) {
  const double x = dm_part_value(p, part);
  return (!p->has || p->has(part)) && x >= p->low && x <= p->high;
}

static bool is_in_section(const dm_part_row *row, const void *part, const char *section) {
  return !strcmp(row->section(part), section);
}

// the parts with the name or index `who` in a section: those from *first on
static int find_parts(const dm_robot *r, dm_part_kind kind, const char *section, const char *who,
                      int *first) {
  const dm_part_row *row = &dm_part_rows[kind];
  const bool number = who[0] && strspn(who, "0123456789") == strlen(who);
  const char *before = NULL;
  int count = 0, index = -1;
  for (int i = 0; i < row->count(r); i++) {
    dm_part x;
    row->get(r, i, &x);
    const char *name = row->name(r, i);
    if (!is_in_section(row, &x, section)) continue;
    if (!before || strcmp(before, name) != 0) index++;
    before = name;
    if (strcmp(name, who) != 0 && !(number && index == atoi(who))) continue;
    if (count++ == 0) *first = i;
  }
  return count;
}

// the named list of all parameters of a section, or of all sections, for messages
static const char *list_words(const char *section, char text[200]) {
  const char *words[32];
  int n = 0;
  for (const dm_part_row *row = dm_part_rows; row < dm_part_rows + DM_PART_KINDS; row++)
    for (const dm_part_parameter *p = row->parameters; p && p->section && n < 32; p++) {
      const char *word = section ? p->key : p->section;
      if (section && strcmp(p->section, section) != 0) continue;
      if (dm_names_find(words, n, word) < 0) words[n++] = word;
    }
  return dm_names_list(words, n, text, 200);
}

// the parameter of a section with this key that part i has; NULL: none
static const dm_part_parameter *find_key(const dm_robot *r, dm_part_kind kind, int i,
                                         const char *section, const char *key) {
  const dm_part_row *row = &dm_part_rows[kind];
  dm_part x;
  row->get(r, i, &x);
  for (const dm_part_parameter *p = row->parameters; p->section; p++)
    if (!strcmp(p->section, section) && !strcmp(p->key, key) && dm_part_has(p, &x)) return p;
  return NULL;
}

dm_status dm_robot_find(const dm_robot *r, const char *path, dm_part_at *out, dm_message *msg) {
  char text[256], known[200];
  const char *model = "model.";
  if (!strncmp(path, model, strlen(model))) path += strlen(model);
  snprintf(text, sizeof text, "%s", path);

  // SECTION . NAME . KEY; a name may contain dots
  char *who = strchr(text, '.'), *key = strrchr(text, '.');
  if (!who || key == who)
    return dm_fail(msg, DM_BAD_INPUT, "found '%.100s', expected SECTION.NAME.KEY", path);
  *who++ = *key++ = 0;

  // the kind that has the section, the parts, and the parameter
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_parameter *p = dm_part_rows[kind].parameters;
    while (p && p->section && strcmp(p->section, text) != 0) p++;
    if (!p || !p->section) continue;
    *out = (dm_part_at){.kind = (dm_part_kind)kind};
    out->count = find_parts(r, out->kind, text, who, &out->first);
    if (!out->count)
      return dm_fail(msg, DM_BAD_INPUT, "found no '%.64s' in model.%.20s, expected a name or index",
                     who, text);
    out->parameter = find_key(r, out->kind, out->first, text, key);
    if (out->parameter) return DM_OK;
    return dm_fail(msg, DM_BAD_INPUT, "found '%.64s' of '%.64s', expected %s", key, who,
                   list_words(text, known));
  }
  return dm_fail(msg, DM_BAD_INPUT, "found '%.64s', expected %s", text, list_words(NULL, known));
}

double dm_robot_parameter(const dm_robot *r, const dm_part_at *at) {
  dm_part x;
  dm_part_rows[at->kind].get(r, at->first, &x);
  return dm_part_value(at->parameter, &x);
}

// apply the errors of one kind to its descriptions
static dm_status change_parameters(dm_part_kind kind, const dm_change *c, unsigned char *list) {
  for (const dm_part_error *e = c->part; e < c->part + c->nparts; e++) {
    const dm_part_parameter *p = e->at.parameter;
    for (int i = 0; e->at.kind == kind && i < e->at.count; i++) {
      const size_t at = (size_t)(e->at.first + i) * dm_part_rows[kind].size + p->offset;
      double *x = (double *)(void *)(list + at);
      *x = e->replaces ? e->amount : p->added ? *x + e->amount : *x * e->amount;
      if (!(*x >= p->low && *x <= p->high)) return DM_BAD_INPUT;
    }
  }
  return DM_OK;
}

// -- the robot

dm_system dm_robot_inside(const dm_robot *r) {
  dm_system s = dm_system_of(r->tree);
  for (const dm_part_row *row = dm_part_rows; row < dm_part_rows + DM_PART_KINDS; row++)
    if (row->enter) row->enter(r, &s);
  return s;
}

dm_system dm_robot_system(const dm_robot *r) {
  return r->embed ? dm_quaternion_system_of(r->embed) : dm_robot_inside(r);
}

// the changed tree, with damping given in external coordinates
static dm_status change_tree(dm_model **out, const dm_model *m, const dm_change *c) {
  double *damping = calloc((size_t)m->nq, sizeof *damping);
  dm_change inside = *c;
  if (!damping) return DM_NO_MEMORY;

  // the three joints of a ball joint have the damping of its quaternion
  for (int i = 0; i < m->nq; i++) damping[i] = c->damping ? c->damping[dm_ball_outside(m, i)] : 0;
  inside.damping = damping;
  const dm_status s = dm_model_changed(out, m, &inside);
  free(damping);
  return s;
}

// Contacts of a machine: another height of the world's, other coefficients.
static void change_contacts(const dm_change *c, dm_contact *list, int n) {
  for (dm_contact *x = list; x < list + n; x++) {
    x->friction *= 1 + c->grip;
    const bool ground = x->body[1] < 0 && x->kind == DM_ABOVE;
    for (int i = 0; ground && i < 3; i++) x->point[1][i] += c->ground * x->axis[i];
  }
}

// Friction of a machine: dry elements act, and the additional friction -F atan(100 v), given in
// external coordinates, joins the list of n. Returns the new number.
static int change_frictions(const dm_model *m, const dm_change *c, dm_joint_force *list, int n) {
  for (int i = 0; i < n; i++) {
    dm_friction_values *p = &list[i].friction;
    p->force *= 1 + c->grip;
    p->rest *= 1 + c->grip;
    if (p->rest > 0) p->rest = fmax(p->rest, p->force); // whose errors may have been drawn apart
    if (c->dry && p->smooth > 0) {
      p->smooth = 0;
      list[i].planned = true;
    }
    if (p->smooth == 0 && !(c->sticks && list[i].planned)) list[i].friction.smooth = DM_DRY_SPEED;
  }
  for (int i = 0; c->friction && i < m->nq; i++) {
    const double force = acos(-1) / 2 * c->friction[dm_ball_outside(m, i)];
    if (force == 0) continue;
    list[n++] = (dm_joint_force){
        .name = m->name[i], .coord = i, .friction = {.force = force, .smooth = DM_DRY_SPEED}};
  }
  return n;
}

// compile the parts of a kind again, with their changes
static dm_status change_parts(dm_robot *out, const dm_robot *r, dm_part_kind kind,
                              const dm_change *c) {
  const dm_part_row *row = &dm_part_rows[kind];
  const size_t room = (size_t)row->count(r) + (size_t)r->tree->nq;
  int n = row->count(r);
  unsigned char *list = calloc(room + 1, row->size);
  if (!list) return DM_NO_MEMORY;
  for (int i = 0; i < n; i++) row->get(r, i, list + (size_t)i * row->size);
  dm_status s = change_parameters(kind, c, list);
  if (kind == DM_PART_FRICTION) n = change_frictions(r->tree, c, (void *)list, n);
  if (kind == DM_PART_CONTACT) change_contacts(c, (void *)list, n);
  if (s == DM_OK && n > 0) s = row->compile(out, n, list, NULL);
  free(list);
  return s;
}

dm_status dm_robot_embed(dm_robot *r) {
  r->model = r->tree;
  if (!r->tree->nball) return DM_OK;
  const dm_system inside = dm_robot_inside(r);
  r->model = NULL;
  DM_TRY(dm_ball_model(&r->model, r->tree, NULL));
  return dm_quaternion_system_new(&r->embed, r->tree, r->model, &inside);
}

dm_status dm_robot_changed(dm_robot *out, const dm_robot *r, const dm_change *c) {
  // 1. parts that stay, and another tree
  *out = (dm_robot){.constraints = r->constraints, .borrowed = 1u << DM_PART_CONSTRAINT};
  memcpy(out->at, r->at, sizeof out->at);
  if (c->length && r->constraints) return DM_BAD_INPUT;
  DM_TRY(change_tree(&out->tree, r->tree, c));

  // 2. parts that are compiled for it
  for (int kind = 0; kind < DM_PART_KINDS; kind++)
    if (dm_part_rows[kind].get) DM_TRY(change_parts(out, r, (dm_part_kind)kind, c));

  return dm_robot_embed(out);
}

dm_status dm_robot_require(const dm_robot *r, unsigned supported, const char *who,
                           dm_message *msg) {
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_row *row = &dm_part_rows[kind];
    if ((supported >> kind & 1) || row->count(r) == 0) continue;
    const char *at = r->at[kind];
    return dm_fail(msg, DM_BAD_INPUT, "%s has no %s: '%.64s'%s%s%s", who, row->word,
                   row->name(r, 0), at[0] ? " (" : "", at, at[0] ? ")" : "");
  }
  return DM_OK;
}

void dm_robot_free(dm_robot *r) {
  // free dependents first
  dm_quaternion_system_free(r->embed);
  for (int kind = 0; kind < DM_PART_KINDS; kind++)
    if (!(r->borrowed >> kind & 1)) dm_part_rows[kind].release(r);
  if (r->model != r->tree) dm_model_free(r->model);
  dm_model_free(r->tree);
  *r = (dm_robot){0};
}
