#include "problems/readers/model/mjcf_file.h"

#include "lib/base/names.h"
#include "problems/readers/model/tree_builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- notes

const pb_mjcf_note *pb_mjcf_note_of(const pb_xml_node *e) {
  static const pb_mjcf_note none = {.frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
  return e->note ? e->note : &none;
}

dm_status pb_mjcf_wrap(const pb_xml *x, pb_xml_node *e, const pb_mjcf_note *around) {
  pb_mjcf_note *note;
  const pb_mjcf_note *own = pb_mjcf_note_of(e);
  PB_NEW(x->r->arena, note, 1);
  *note = (pb_mjcf_note){.frame = dm_compose(&around->frame, &own->frame),
                         .childclass = own->childclass ? own->childclass : around->childclass,
                         .settings = own->settings ? own->settings : around->settings};
  e->note = note;
  return DM_OK;
}

const pb_mjcf_settings *pb_mjcf_settings_of(const pb_mjcf *m, const pb_xml_node *e) {
  for (; e && e->kind == PB_XML_ELEMENT; e = e->parent) {
    const pb_mjcf_settings *own = pb_mjcf_note_of(e)->settings;
    if (own) return own;
  }
  return &m->own;
}

// -- classes

dm_status pb_mjcf_class_of(const pb_mjcf *m, const pb_xml_node *e, const char *word, int around,
                           int *class) {
  const char *name;
  *class = around;
  name = pb_xml_get(e, word);
  if (!name) name = pb_mjcf_note_of(e)->childclass;
  if (!name) return DM_OK;

  // an attached file without classes
  *class = -1;
  if (!*name) return DM_OK;

  // search backward, so that the last class of this name wins
  for (*class = m->nclass - 1; *class >= 0; --*class)
    if (!strcmp(m->class[*class].name, name)) return DM_OK;
  const char **known;
  char meant[96];
  PB_NEW(m->x->r->arena, known, m->nclass + 1);
  for (int i = 0; i < m->nclass; i++) known[i] = m->class[i].name;
  return pb_refuse_xml(m->x, e, "<%s>: found %s=\"%.64s\", which no <default> is%s", e->name, word,
                       name, pb_did_you_mean(known, m->nclass, name, meant));
}

dm_status pb_mjcf_at(const pb_mjcf *m, const pb_xml_node *e, int around, pb_mjcf_element *out) {
  out->e = e;
  return pb_mjcf_class_of(m, e, "class", around, &out->class);
}

static dm_status add_class(pb_mjcf *m, pb_xml_node *e, int above) {
  const char *name;
  const bool attached = pb_mjcf_note_of(e)->settings != NULL;
  const bool outermost = e->parent == pb_xml_root(m->x) && !attached;
  name = pb_xml_get(e, "class");

  // the outermost class may have no name and may continue in a second section; the outermost class
  // of an attached file is a separate class
  if (!name && outermost) name = "main";
  if (!name)
    return pb_refuse_xml(m->x, e, "found a <default> without a class in another, expected class=");
  for (int i = 0; i < m->nclass && !outermost; i++)
    if (!strcmp(m->class[i].name, name))
      return pb_refuse_xml(m->x, e, "found a second class '%.64s', expected every name once", name);
  m->class[m->nclass++] = (pb_mjcf_class){name, e, above};
  return DM_OK;
}

// count the elements of this word within an element
static int count_within(const pb_xml_node *top, const char *word) {
  int n = 0;
  for (const pb_xml_node *e = pb_xml_next(top->children, NULL); e; e = pb_xml_next(e->next, NULL))
    n += !strcmp(e->name, word) + count_within(e, word);
  return n;
}

static dm_status add_classes_within(pb_mjcf *m, int above) {
  const pb_xml_node *top = m->class[above].element;
  for (pb_xml_node *e = pb_xml_next(top->children, "default"); e;
       e = pb_xml_next(e->next, "default")) {
    const int own = m->nclass;
    DM_TRY(add_class(m, e, above));
    DM_TRY(add_classes_within(m, own));
  }
  return DM_OK;
}

// all elements of <actuator> share their defaults; <tendon> and <equality> have one default each
static bool is_default_of(const pb_xml_node *d, const pb_xml_node *e) {
  static const char *const actuators[] = {"general",     "motor",  "position", "velocity",
                                          "intvelocity", "damper", "cylinder", "muscle"};
  const char *word = e->name, *own = d->name;
  const char *section = e->parent && e->parent->name ? e->parent->name : "";
  if (!strcmp(section, "tendon") || !strcmp(section, "equality")) return !strcmp(own, section);
  if (strcmp(section, "actuator") != 0) return !strcmp(own, word);
  return dm_names_find(actuators, sizeof actuators / sizeof *actuators, own) >= 0;
}

const pb_xml_node *pb_mjcf_holder(const pb_mjcf *m, pb_mjcf_element at, const char *name) {
  if (pb_xml_has(at.e, name)) return at.e;

  // within a class the last element with the attribute wins
  for (int c = at.class; c >= 0; c = m->class[c].above) {
    const pb_xml_node *last = NULL;
    for (const pb_xml_node *e = pb_xml_next(m->class[c].element->children, NULL); e;
         e = pb_xml_next(e->next, NULL))
      if (is_default_of(e, at.e) && pb_xml_has(e, name)) last = e;
    if (last) return last;
  }
  return NULL;
}

dm_status pb_mjcf_text(const pb_mjcf *m, pb_mjcf_element at, const char *name, const char **text) {
  *text = pb_xml_get(pb_mjcf_holder(m, at, name), name);
  return DM_OK;
}

dm_status pb_mjcf_number(const pb_mjcf *m, pb_mjcf_element at, const char *name, double *value) {
  return pb_xml_number(m->x, pb_mjcf_holder(m, at, name), name, value, NULL);
}

dm_status pb_mjcf_numbers(const pb_mjcf *m, pb_mjcf_element at, const char *name, int most,
                          double *value, int *n) {
  return pb_xml_numbers(m->x, pb_mjcf_holder(m, at, name), name, most, value, n);
}

dm_status pb_mjcf_word(const pb_mjcf *m, pb_mjcf_element at, const char *name,
                       const char *const *list, int n, int *word) {
  return pb_xml_word(m->x, pb_mjcf_holder(m, at, name), name, list, n, word);
}

// -- ranges

static const char *const truth[] = {"false", "true", "auto"};
enum { NO, YES, AUTO, TRUTHS };

dm_status pb_mjcf_range(const pb_mjcf *m, pb_mjcf_element at, const char *limited, const char *name,
                        double unit, double range[2], bool *there) {
  int word = AUTO, n;
  double own[2];
  *there = false;
  DM_TRY(pb_mjcf_word(m, at, limited, truth, TRUTHS, &word));
  DM_TRY(pb_mjcf_numbers(m, at, name, 2, own, &n));
  if (word == NO || (word == AUTO && (!pb_mjcf_settings_of(m, at.e)->autolimits || n == 0)))
    return DM_OK;

  // a limited element must have an interval
  const pb_xml_node *holder = n ? pb_mjcf_holder(m, at, name) : at.e;
  if (n == 2 && word == AUTO && own[0] == 0 && own[1] == 0) return DM_OK;
  const char *element = at.e->name;
  if (n == 0)
    return pb_refuse_xml(m->x, holder, "<%s>: found %s=\"true\" without a %s, expected one",
                         element, limited, name);
  if (n == 1)
    return pb_refuse_xml(m->x, holder, "<%s %s>: found one number, expected two, ascending",
                         element, name);
  if (!(own[0] < own[1]))
    return pb_refuse_xml(m->x, holder, "<%s %s>: found %g %g, expected two ascending numbers",
                         element, name, own[0], own[1]);
  for (int i = 0; i < 2; i++) range[i] = unit * own[i];
  *there = true;
  return DM_OK;
}

// -- frames

dm_pose pb_mjcf_pose_turned(const double q[4], dm_vec p) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  return (dm_pose){dm_v(w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)),
                   dm_v(2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)),
                   dm_v(2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z),
                   p};
}

void pb_mjcf_quaternion(const dm_pose *X, double q[4]) {
  const double R[3][3] = {
      {X->x.x, X->y.x, X->z.x}, {X->x.y, X->y.y, X->z.y}, {X->x.z, X->y.z, X->z.z}};

  // divide by the largest of the four components
  const double size[] = {1 + R[0][0] + R[1][1] + R[2][2], 1 + R[0][0] - R[1][1] - R[2][2],
                         1 - R[0][0] + R[1][1] - R[2][2], 1 - R[0][0] - R[1][1] + R[2][2]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (size[i] > size[k]) k = i;
  const double all[4][4] = {{size[0], R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]},
                            {R[2][1] - R[1][2], size[1], R[1][0] + R[0][1], R[0][2] + R[2][0]},
                            {R[0][2] - R[2][0], R[1][0] + R[0][1], size[2], R[2][1] + R[1][2]},
                            {R[1][0] - R[0][1], R[0][2] + R[2][0], R[2][1] + R[1][2], size[3]}};
  for (int i = 0; i < 4; i++) q[i] = all[k][i] / (2 * sqrt(size[k]));
}

// a rotation about a unit vector
static dm_pose turn_about(dm_vec a, double angle) {
  const double s = sin(angle / 2), q[] = {cos(angle / 2), s * a.x, s * a.y, s * a.z};
  return pb_mjcf_pose_turned(q, dm_v(0, 0, 0));
}

dm_pose pb_mjcf_pose_along(dm_vec z, dm_vec p) {
  const dm_vec axis = dm_cross(dm_v(0, 0, 1), z);
  const double s = sqrt(dm_dot(axis, axis));

  // if z is parallel or opposite to the z axis, any axis of the plane will do
  const dm_vec unit = s > 1e-10 ? dm_mul(1 / s, axis) : dm_v(1, 0, 0);
  dm_pose X = turn_about(unit, atan2(s, z.z));
  X.p = p;
  return X;
}

static bool make_unit(dm_vec *a) {
  const double length = sqrt(dm_dot(*a, *a));
  if (!(length > 0)) return false;
  *a = dm_mul(1 / length, *a);
  return true;
}

// the ways to write a rotation; false if no direction is given
static bool turn_by_quat(const pb_mjcf_settings *s, const double x[6], dm_pose *X) {
  (void)s;
  const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (!(size > 0)) return false;
  const double q[] = {x[0] / size, x[1] / size, x[2] / size, x[3] / size};
  *X = pb_mjcf_pose_turned(q, X->p);
  return true;
}

static bool turn_by_axisangle(const pb_mjcf_settings *s, const double x[6], dm_pose *X) {
  dm_vec a = dm_v(x[0], x[1], x[2]), p = X->p;
  if (!make_unit(&a)) return false;
  *X = turn_about(a, s->angle * x[3]);
  X->p = p;
  return true;
}

static bool turn_by_xyaxes(const pb_mjcf_settings *s, const double x[6], dm_pose *X) {
  (void)s;
  dm_vec a = dm_v(x[0], x[1], x[2]), b = dm_v(x[3], x[4], x[5]);
  if (!make_unit(&a)) return false;
  b = dm_sub(b, dm_mul(dm_dot(a, b), a));
  if (!make_unit(&b)) return false;
  *X = (dm_pose){a, b, dm_cross(a, b), X->p};
  return true;
}

static bool turn_by_zaxis(const pb_mjcf_settings *s, const double x[6], dm_pose *X) {
  (void)s;
  dm_vec z = dm_v(x[0], x[1], x[2]);
  if (!make_unit(&z)) return false;
  *X = pb_mjcf_pose_along(z, X->p);
  return true;
}

// lower-case letters rotate about body axes, capitals about fixed axes
dm_pose pb_mjcf_turn(const pb_mjcf_settings *s, const double angle[3]) {
  dm_pose R = dm_identity;
  for (int i = 0; i < 3; i++) {
    const char c = s->order[i];
    const dm_vec a = dm_v(c == 'x' || c == 'X', c == 'y' || c == 'Y', c == 'z' || c == 'Z');
    const dm_pose one = turn_about(a, s->angle * angle[i]);
    R = c >= 'a' ? dm_compose(&R, &one) : dm_compose(&one, &R);
  }
  return R;
}

static bool turn_by_euler(const pb_mjcf_settings *s, const double x[6], dm_pose *X) {
  const dm_vec p = X->p;
  *X = pb_mjcf_turn(s, x);
  X->p = p;
  return true;
}

static const struct turn {
  const char *word;
  int n;
  bool (*make)(const pb_mjcf_settings *s, const double x[6], dm_pose *X);
} turns[] = {{"quat", 4, turn_by_quat},
             {"axisangle", 4, turn_by_axisangle},
             {"xyaxes", 6, turn_by_xyaxes},
             {"zaxis", 3, turn_by_zaxis},
             {"euler", 3, turn_by_euler}};

enum { TURNS = sizeof turns / sizeof *turns };

// the rotation attribute in use: the element's own before its class's; -1: none
static dm_status find_turn_form(const pb_mjcf *m, pb_mjcf_element at, int *form) {
  int own = -1, of_class = -1;
  for (int i = 0; i < TURNS; i++) {
    const pb_xml_node *holder = pb_mjcf_holder(m, at, turns[i].word);
    int *place = holder == at.e ? &own : &of_class;
    if (!holder) continue;
    if (*place >= 0)
      return pb_refuse_xml(m->x, holder, "<%s>: found both %s and %s, expected one of them",
                           at.e->name, turns[*place].word, turns[i].word);
    *place = i;
  }
  *form = own >= 0 ? own : of_class;
  return DM_OK;
}

// the pose of the element without enclosing frames
static dm_status read_own_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, bool *turned) {
  double pos[3] = {0}, x[6];
  int form = -1, n;
  *out = dm_identity;
  DM_TRY(pb_xml_vector(m->x, pb_mjcf_holder(m, at, "pos"), "pos", pos));
  out->p = dm_v(pos[0], pos[1], pos[2]);
  DM_TRY(find_turn_form(m, at, &form));
  if (turned) *turned = form >= 0;
  if (form < 0) return DM_OK;

  // the full count of numbers, and a valid direction
  const struct turn *t = &turns[form];
  DM_TRY(pb_mjcf_numbers(m, at, t->word, t->n, x, &n));
  if (n == t->n && t->make(pb_mjcf_settings_of(m, at.e), x, out)) return DM_OK;
  return pb_refuse_xml(m->x, pb_mjcf_holder(m, at, t->word),
                       "<%s %s>: found %s, expected %d numbers that say a direction", at.e->name,
                       t->word, n < t->n ? "too few numbers" : "zeros", t->n);
}

dm_status pb_mjcf_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, bool *turned) {
  DM_TRY(read_own_pose(m, at, out, turned));
  *out = dm_compose(&pb_mjcf_note_of(at.e)->frame, out);
  return DM_OK;
}

dm_status pb_mjcf_ends(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, double *half,
                       bool *there) {
  double x[6];
  int n;
  *there = false;
  DM_TRY(pb_mjcf_numbers(m, at, "fromto", 6, x, &n));
  if (n == 0) return DM_OK;
  const pb_xml_node *holder = pb_mjcf_holder(m, at, "fromto");
  const char *word = at.e->name;
  if (n < 6)
    return pb_refuse_xml(m->x, holder, "<%s fromto>: found %d numbers, expected six", word, n);
  const dm_vec a = dm_v(x[0], x[1], x[2]), b = dm_v(x[3], x[4], x[5]), d = dm_sub(a, b);
  const double length = sqrt(dm_dot(d, d));
  if (!(length > 0))
    return pb_refuse_xml(m->x, holder, "<%s fromto>: found one point twice, expected two ends",
                         word);
  *out = pb_mjcf_pose_along(dm_mul(1 / length, d), dm_mul(0.5, dm_add(a, b)));
  *out = dm_compose(&pb_mjcf_note_of(at.e)->frame, out);
  *half = length / 2;
  *there = true;
  return DM_OK;
}

dm_status pb_mjcf_site_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out) {
  double half;
  bool there;
  DM_TRY(pb_mjcf_ends(m, at, out, &half, &there));
  return there ? DM_OK : pb_mjcf_pose(m, at, out, NULL);
}

// -- settings

static dm_status read_bool(const pb_xml *x, const pb_xml_node *e, const char *name, bool *value) {
  int word = *value;
  DM_TRY(pb_xml_word(x, e, name, truth, 2, &word));
  *value = word;
  return DM_OK;
}

// units of angles, and file names
static dm_status read_units(const pb_xml *x, const pb_xml_node *e, pb_mjcf_settings *s) {
  static const char *const units[] = {"degree", "radian"};
  int unit = s->angle == 1;
  const char *order, *folder, *of_assets;
  DM_TRY(pb_xml_word(x, e, "angle", units, 2, &unit));
  order = pb_xml_get(e, "eulerseq");
  s->angle = unit ? 1 : acos(-1) / 180;
  if (order && (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3))
    return pb_refuse_xml(x, e, "<compiler eulerseq>: found '%.40s', expected three of xyzXYZ",
                         order);
  if (order) s->order = order;
  folder = pb_xml_get(e, "meshdir");
  of_assets = pb_xml_get(e, "assetdir");
  if (folder || of_assets) s->meshdir = folder ? folder : of_assets;
  DM_TRY(read_bool(x, e, "strippath", &s->strippath));
  return read_bool(x, e, "autolimits", &s->autolimits);
}

// settings for masses and inertias
static dm_status read_weights(const pb_xml *x, const pb_xml_node *e, pb_mjcf_settings *s) {
  static const char *const sources[] = {"false", "auto", "true"};
  int source = (int)s->source, n;
  DM_TRY(pb_xml_word(x, e, "inertiafromgeom", sources, 3, &source));
  s->source = (pb_mjcf_source)source;
  DM_TRY(pb_xml_numbers(x, e, "inertiagrouprange", 2, s->group, &n));
  DM_TRY(pb_xml_number(x, e, "boundmass", &s->lightest[0], NULL));
  DM_TRY(pb_xml_number(x, e, "boundinertia", &s->lightest[1], NULL));
  DM_TRY(pb_xml_number(x, e, "settotalmass", &s->total, NULL));
  DM_TRY(read_bool(x, e, "balanceinertia", &s->balance));
  DM_TRY(read_bool(x, e, "exactmeshinertia", &s->exact));
  return read_bool(x, e, "alignfree", &s->align);
}

dm_status pb_mjcf_read_settings(const pb_xml *x, const char *name, pb_mjcf_settings *out) {
  *out = (pb_mjcf_settings){.name = name,
                            .angle = acos(-1) / 180,
                            .order = "xyz",
                            .autolimits = true,
                            .meshdir = "",
                            .source = PB_MJCF_EITHER,
                            .group = {0, 5},
                            .total = -1};

  // further <compiler> sections supply attributes that earlier ones lack
  pb_xml_node *e = pb_xml_next(pb_xml_root(x)->children, "compiler");
  for (; e; e = pb_xml_next(e->next, "compiler")) {
    DM_TRY(read_units(x, e, out));
    DM_TRY(read_weights(x, e, out));
  }
  return DM_OK;
}

// flags that switch gravity, springs, dampers, equalities and dry friction
static dm_status read_flags(pb_mjcf *m, const pb_xml_node *e, bool *falls) {
  static const char *const states[] = {"disable", "enable"};
  bool passive = true, constraints = true;
  const struct {
    const char *name;
    bool *value;
  } flags[] = {{"gravity", falls},
               {"passive", &passive},
               {"spring", &m->springs},
               {"damper", &m->dampers},
               {"constraint", &constraints},
               {"equality", &m->holds},
               {"frictionloss", &m->friction}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    int word = *flags[i].value;
    DM_TRY(pb_xml_word(m->x, e, flags[i].name, states, 2, &word));
    *flags[i].value = word;
  }
  m->springs = m->springs && passive;
  m->dampers = m->dampers && passive;
  m->holds = m->holds && constraints;
  m->friction = m->friction && constraints;
  return DM_OK;
}

static dm_status read_option_element(pb_mjcf *m, const pb_xml_node *e) {
  bool falls = true;
  int n = 0;
  double own[3];
  DM_TRY(pb_xml_numbers(m->x, e, "gravity", 3, own, &n));
  if (n && n < 3)
    return pb_refuse_xml(m->x, e, "<option gravity>: found %d numbers, expected three", n);
  if (n) memcpy(m->gravity, own, sizeof own);
  DM_TRY(pb_xml_number(m->x, e, "density", &m->density, NULL));
  DM_TRY(pb_xml_number(m->x, e, "viscosity", &m->viscosity, NULL));
  for (const pb_xml_node *f = pb_xml_next(e->children, "flag"); f; f = pb_xml_next(f->next, "flag"))
    DM_TRY(read_flags(m, f, &falls));
  if (!falls) memset(m->gravity, 0, sizeof m->gravity);
  return DM_OK;
}

pb_xml_node *pb_mjcf_section(const pb_mjcf *m, const char *word, const pb_xml_node *last) {
  return pb_xml_next(last ? last->next : pb_xml_root(m->x)->children, word);
}

dm_status pb_mjcf_has_name(const pb_mjcf *m, const pb_xml_node *top, const char *word,
                           const char *name, bool *found) {
  *found = false;
  for (const pb_xml_node *e = pb_xml_next(top->children, NULL); e && !*found;
       e = pb_xml_next(e->next, NULL)) {
    const char *own = NULL;
    if (!strcmp(e->name, word)) own = pb_xml_get(e, "name");
    *found = own && !strcmp(own, name);
    if (!*found) DM_TRY(pb_mjcf_has_name(m, e, word, name, found));
  }
  return DM_OK;
}

dm_status pb_mjcf_body_name(pb_mjcf *m, const pb_xml_node *body, const char **name) {
  char *own;
  if (pb_xml_has(body, "name")) return pb_xml_name(m->x, body, "name", name);
  PB_NEW(m->x->r->arena, own, 24);
  snprintf(own, 24, "body_%d", ++m->unnamed);
  *name = own;
  return DM_OK;
}

dm_status pb_mjcf_read_options(pb_mjcf *m) {
  for (pb_xml_node *e = NULL; (e = pb_mjcf_section(m, "option", e));)
    DM_TRY(read_option_element(m, e));

  // the classes of defaults
  const pb_xml_node *root = pb_xml_root(m->x);
  const int n = count_within(root, "default");
  if (n > PB_MAX_PARTS)
    return pb_refuse_xml(m->x, root, "found %d classes, expected at most %d", n, PB_MAX_PARTS);
  PB_NEW(m->x->r->arena, m->class, n + 1);
  for (pb_xml_node *e = pb_mjcf_section(m, "default", NULL); e;
       e = pb_mjcf_section(m, "default", e)) {
    const int own = m->nclass;
    const bool attached = pb_mjcf_note_of(e)->settings != NULL;
    DM_TRY(add_class(m, e, attached ? -1 : m->outermost));
    DM_TRY(add_classes_within(m, own));
    if (!attached) m->outermost = own;
  }
  return DM_OK;
}
