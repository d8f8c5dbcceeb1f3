#include "problems/readers/model/mjcf_file.h"

#include "lib/base/names.h"
#include "problems/readers/model/tree_builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- what is not read

// elements whose attributes are known, and these, by blanks: those that are read, then a bar, then
// those that say nothing about a motion
static const struct words {
  const char *element, *known;
} words[] = {
    {"compiler",
     "angle autolimits eulerseq coordinate meshdir assetdir inertiafromgeom inertiagrouprange "
     "boundmass boundinertia balanceinertia settotalmass | texturedir strippath fitaabb fusestatic "
     "discardvisual convexhull usethread saveinertial alignfree exactmeshinertia"},
    {"option",
     "gravity density viscosity | timestep apirate impratio wind magnetic o_margin o_solref "
     "o_solimp o_friction integrator collision cone jacobian solver iterations tolerance "
     "noslip_iterations noslip_tolerance mpr_iterations mpr_tolerance ls_iterations ls_tolerance "
     "ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints actuatorgroupdisable"},
    {"body", "name childclass pos quat axisangle xyaxes zaxis euler mocap gravcomp | user sleep"},
    {"inertial", "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia |"},
    {"freejoint", "name | group align"},
    {"joint",
     "name class type pos axis ref range limited damping stiffness springref springdamper armature "
     "frictionloss actuatorfrcrange actuatorfrclimited actuatorgravcomp | group margin solreflimit "
     "solimplimit solreffriction solimpfriction user joint joint1 joint2 polycoef active solref "
     "solimp "
     "coef"},
    {"geom",
     "name class type pos quat axisangle xyaxes zaxis euler size fromto mesh mass density rgba "
     "material group shellinertia | contype conaffinity condim priority friction solmix solref "
     "solimp margin gap hfield fitscale fluidshape fluidcoef user"},
};

// attributes that change a motion unless their numbers are all 0 or their word is that one
static const struct refused {
  const char *element, *attribute, *harmless, *advice;
} refused[] = {
    {"compiler", "coordinate", "local", "frames in their parents'"},
    {"compiler", "settotalmass", "-1", "bodies of the masses that they have"},
    {"option", "density", "", "no fluid: damping of joints, or model.dampers of the problem"},
    {"option", "viscosity", "", "no fluid: damping of joints, or model.dampers of the problem"},
    {"body", "gravcomp", "", "none: dmoc plans the torques that carry a weight"},
    {"joint", "springdamper", "", "stiffness and damping"},
    {"geom", "shellinertia", "false", "an <inertial> of the body"},
};

// elements that make others or push bodies, wherever they stand
static const struct {
  const char *word, *advice;
} strange[] = {
    {"include", "one file: MuJoCo's `compile`, or mj_saveLastXML, writes all of it into one"},
    {"frame", "its poses in its elements: MuJoCo's `compile`, or mj_saveLastXML, puts them there"},
    {"replicate", "the bodies: MuJoCo's `compile`, or mj_saveLastXML, writes them"},
    {"attach", "the bodies: MuJoCo's `compile`, or mj_saveLastXML, writes them"},
    {"composite", "rigid bodies with joints"},
    {"flexcomp", "rigid bodies with joints"},
    {"flex", "rigid bodies with joints"},
    {"plugin", "no forces that are another program's"},
};

enum {
  WORDS = sizeof words / sizeof *words,
  REFUSED = sizeof refused / sizeof *refused,
  STRANGE = sizeof strange / sizeof *strange,
  MOST_WORDS = 64
};

// words apart at their blanks, in the memory of text; returns how many
static int split_known(char *text, const char **list) {
  int n = 0;
  for (char *at = text; *at && n < MOST_WORDS;) {
    at += strspn(at, " |");
    list[n++] = at;
    at += strcspn(at, " ");
    if (*at) *at++ = 0;
  }
  return n;
}

// an attribute that nobody knows is a slip
static dm_status check_attributes(const pb_mjcf *m, const xmlNode *e, const char *known) {
  char text[640], meant[96];
  const char *list[MOST_WORDS];
  snprintf(text, sizeof text, "%s", known);
  const int n = split_known(text, list);
  for (const xmlAttr *a = e->properties; a; a = a->next)
    if (dm_names_find(list, n, (const char *)a->name) < 0)
      DM_TRY(pb_warn_xml(m->x, e, "<%s>: its attribute '%.40s' is not read%s",
                         (const char *)e->name, (const char *)a->name,
                         pb_did_you_mean(list, n, (const char *)a->name, meant)));
  return DM_OK;
}

static bool says_zero(const char *text) {
  return strspn(text, "+-0. \t\r\n") == strlen(text);
}

static dm_status check_refused(const pb_mjcf *m, const xmlNode *e) {
  for (int i = 0; i < REFUSED; i++) {
    const struct refused *f = &refused[i];
    const char *text;
    if (strcmp((const char *)e->name, f->element) != 0) continue;
    DM_TRY(pb_xml_text(m->x, e, f->attribute, &text));
    if (text && strcmp(text, f->harmless) != 0 && !says_zero(text))
      return pb_refuse_xml(m->x, e, "<%s>: found %s=\"%.40s\", which is not modelled, expected %s",
                           f->element, f->attribute, text, f->advice);
  }
  return DM_OK;
}

// an element and all within it, in the order of the document
static dm_status check_element(const pb_mjcf *m, const xmlNode *top) {
  const xmlNode *e = top;
  while (e) {
    const char *name = (const char *)e->name;
    for (int i = 0; i < STRANGE; i++)
      if (!strcmp(name, strange[i].word))
        return pb_refuse_xml(m->x, e, "found <%s>, which is not read, expected %s", name,
                             strange[i].advice);
    for (int i = 0; i < WORDS; i++)
      if (!strcmp(name, words[i].element)) DM_TRY(check_attributes(m, e, words[i].known));
    DM_TRY(check_refused(m, e));

    // down, along, or up until there is one beside
    const xmlNode *next = pb_xml_next(e->children, NULL);
    while (!next && e != top) {
      next = pb_xml_next(e->next, NULL);
      if (!next) e = e->parent;
    }
    e = next;
  }
  return DM_OK;
}

// the sections of <mujoco>: those that are read, those about other things, those about forces
static dm_status check_sections(const pb_mjcf *m, const xmlNode *root) {
  static const char *const known[] = {"compiler",  "option",   "default",   "worldbody", "asset",
                                      "actuator",  "equality", "tendon",    "contact",   "sensor",
                                      "keyframe",  "visual",   "statistic", "size",      "custom",
                                      "extension", "include",  "deformable"};
  enum { N = sizeof known / sizeof *known, READ = 8, HARMLESS = 15 };
  for (xmlNode *e = pb_xml_next(root->children, NULL); e; e = pb_xml_next(e->next, NULL)) {
    char meant[96];
    const char *name = (const char *)e->name;
    const int i = dm_names_find(known, N, name);

    // a slip, a body that bends, or a section that is looked through
    if (i < 0)
      DM_TRY(pb_warn_xml(m->x, e, "<%.40s> in <mujoco> is not read%s", name,
                         pb_did_you_mean(known, N, name, meant)));
    if (!strcmp(name, "deformable"))
      return pb_refuse_xml(m->x, e,
                           "found <deformable>, which is not read, expected rigid bodies with "
                           "joints");
    if (i >= 0 && (i < READ || i >= HARMLESS)) DM_TRY(check_element(m, e));
  }
  return DM_OK;
}

// -- classes

dm_status pb_mjcf_class_of(const pb_mjcf *m, const xmlNode *e, const char *word, int around,
                           int *class) {
  const char *name;
  *class = around;
  DM_TRY(pb_xml_text(m->x, e, word, &name));
  if (!name) return DM_OK;

  // the last of a name is the one that knows all
  for (*class = m->nclass - 1; *class >= 0; --*class)
    if (!strcmp(m->class[*class].name, name)) return DM_OK;
  const char **known;
  char meant[96];
  PB_NEW(m->x->r->arena, known, m->nclass + 1);
  for (int i = 0; i < m->nclass; i++) known[i] = m->class[i].name;
  return pb_refuse_xml(m->x, e, "<%s>: found %s=\"%.64s\", which no <default> is%s",
                       (const char *)e->name, word, name,
                       pb_did_you_mean(known, m->nclass, name, meant));
}

dm_status pb_mjcf_at(const pb_mjcf *m, const xmlNode *e, int around, pb_mjcf_element *out) {
  out->e = e;
  return pb_mjcf_class_of(m, e, "class", around, &out->class);
}

static dm_status add_class(pb_mjcf *m, xmlNode *e, int above) {
  const char *name;
  const bool outermost = e->parent == xmlDocGetRootElement(m->x->doc);
  DM_TRY(pb_xml_text(m->x, e, "class", &name));

  // the outermost may have no name, and go on in a second section
  if (!name && outermost) name = "main";
  if (!name)
    return pb_refuse_xml(m->x, e, "found a <default> without a class in another, expected class=");
  for (int i = 0; i < m->nclass && !outermost; i++)
    if (!strcmp(m->class[i].name, name))
      return pb_refuse_xml(m->x, e, "found a second class '%.64s', expected every name once", name);
  m->class[m->nclass++] = (pb_mjcf_class){name, e, above};
  return DM_OK;
}

// how many elements of a word there are within one
static int count_within(const xmlNode *top, const char *word) {
  int n = 0;
  for (const xmlNode *e = pb_xml_next(top->children, NULL); e; e = pb_xml_next(e->next, NULL))
    n += !strcmp((const char *)e->name, word) + count_within(e, word);
  return n;
}

static dm_status add_classes_within(pb_mjcf *m, int above) {
  const xmlNode *top = m->class[above].element;
  for (xmlNode *e = pb_xml_next(top->children, "default"); e; e = pb_xml_next(e->next, "default")) {
    const int own = m->nclass;
    DM_TRY(add_class(m, e, above));
    DM_TRY(add_classes_within(m, own));
  }
  return DM_OK;
}

static dm_status read_classes(pb_mjcf *m) {
  const xmlNode *root = xmlDocGetRootElement(m->x->doc);
  const int n = count_within(root, "default");
  if (n > PB_MAX_PARTS)
    return pb_refuse_xml(m->x, root, "found %d classes, expected at most %d", n, PB_MAX_PARTS);
  PB_NEW(m->x->r->arena, m->class, n + 1);
  for (xmlNode *e = pb_mjcf_section(m, "default", NULL); e; e = pb_mjcf_section(m, "default", e)) {
    const int own = m->nclass;
    DM_TRY(add_class(m, e, m->outermost));
    DM_TRY(add_classes_within(m, own));
    m->outermost = own;
  }
  return DM_OK;
}

// the elements of <actuator> share their defaults
static bool is_of_word(const xmlNode *e, const char *word, bool actuator) {
  static const char *const actuators[] = {"general",     "motor",  "position", "velocity",
                                          "intvelocity", "damper", "cylinder", "muscle"};
  if (!actuator) return !strcmp((const char *)e->name, word);
  return dm_names_find(actuators, sizeof actuators / sizeof *actuators, (const char *)e->name) >= 0;
}

const xmlNode *pb_mjcf_holder(const pb_mjcf *m, pb_mjcf_element at, const char *name) {
  const char *word = (const char *)at.e->name;
  const bool actuator = at.e->parent && !strcmp((const char *)at.e->parent->name, "actuator");
  if (xmlHasProp(at.e, (const xmlChar *)name)) return at.e;

  // in a class the last that says it holds
  for (int c = at.class; c >= 0; c = m->class[c].above) {
    const xmlNode *last = NULL;
    for (const xmlNode *e = pb_xml_next(m->class[c].element->children, NULL); e;
         e = pb_xml_next(e->next, NULL))
      if (is_of_word(e, word, actuator) && xmlHasProp(e, (const xmlChar *)name)) last = e;
    if (last) return last;
  }
  return NULL;
}

dm_status pb_mjcf_text(const pb_mjcf *m, pb_mjcf_element at, const char *name, const char **text) {
  return pb_xml_text(m->x, pb_mjcf_holder(m, at, name), name, text);
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
  if (word == NO || (word == AUTO && (!m->autolimits || n == 0))) return DM_OK;

  // what is limited has an interval
  const xmlNode *holder = n ? pb_mjcf_holder(m, at, name) : at.e;
  if (n == 2 && word == AUTO && own[0] == 0 && own[1] == 0) return DM_OK;
  const char *element = (const char *)at.e->name;
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

// a turn about a unit vector
static dm_pose turn_about(dm_vec a, double angle) {
  const double s = sin(angle / 2), q[] = {cos(angle / 2), s * a.x, s * a.y, s * a.z};
  return pb_mjcf_pose_turned(q, dm_v(0, 0, 0));
}

dm_pose pb_mjcf_pose_along(dm_vec z, dm_vec p) {
  const dm_vec axis = dm_cross(dm_v(0, 0, 1), z);
  const double s = sqrt(dm_dot(axis, axis));

  // where z itself is meant, or its opposite, any axis of the plane will do
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

// the forms of a turn: false where no direction is said
static bool turn_by_quat(const pb_mjcf *m, const double x[6], dm_pose *X) {
  (void)m;
  const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (!(size > 0)) return false;
  const double q[] = {x[0] / size, x[1] / size, x[2] / size, x[3] / size};
  *X = pb_mjcf_pose_turned(q, X->p);
  return true;
}

static bool turn_by_axisangle(const pb_mjcf *m, const double x[6], dm_pose *X) {
  dm_vec a = dm_v(x[0], x[1], x[2]), p = X->p;
  if (!make_unit(&a)) return false;
  *X = turn_about(a, m->angle * x[3]);
  X->p = p;
  return true;
}

static bool turn_by_xyaxes(const pb_mjcf *m, const double x[6], dm_pose *X) {
  (void)m;
  dm_vec a = dm_v(x[0], x[1], x[2]), b = dm_v(x[3], x[4], x[5]);
  if (!make_unit(&a)) return false;
  b = dm_sub(b, dm_mul(dm_dot(a, b), a));
  if (!make_unit(&b)) return false;
  *X = (dm_pose){a, b, dm_cross(a, b), X->p};
  return true;
}

static bool turn_by_zaxis(const pb_mjcf *m, const double x[6], dm_pose *X) {
  (void)m;
  dm_vec z = dm_v(x[0], x[1], x[2]);
  if (!make_unit(&z)) return false;
  *X = pb_mjcf_pose_along(z, X->p);
  return true;
}

// small letters turn about axes that have turned, capitals about those that stand
static bool turn_by_euler(const pb_mjcf *m, const double x[6], dm_pose *X) {
  dm_pose R = dm_identity;
  for (int i = 0; i < 3; i++) {
    const char c = m->order[i];
    const dm_vec a = dm_v(c == 'x' || c == 'X', c == 'y' || c == 'Y', c == 'z' || c == 'Z');
    const dm_pose one = turn_about(a, m->angle * x[i]);
    R = c >= 'a' ? dm_compose(&R, &one) : dm_compose(&one, &R);
  }
  R.p = X->p;
  *X = R;
  return true;
}

static const struct turn {
  const char *word;
  int n;
  bool (*make)(const pb_mjcf *m, const double x[6], dm_pose *X);
} turns[] = {{"quat", 4, turn_by_quat},
             {"axisangle", 4, turn_by_axisangle},
             {"xyaxes", 6, turn_by_xyaxes},
             {"zaxis", 3, turn_by_zaxis},
             {"euler", 3, turn_by_euler}};

enum { TURNS = sizeof turns / sizeof *turns };

// the form that is said, by the element itself before its classes; -1: none
static dm_status find_turn_form(const pb_mjcf *m, pb_mjcf_element at, int *form) {
  int own = -1, of_class = -1;
  for (int i = 0; i < TURNS; i++) {
    const xmlNode *holder = pb_mjcf_holder(m, at, turns[i].word);
    int *place = holder == at.e ? &own : &of_class;
    if (!holder) continue;
    if (*place >= 0)
      return pb_refuse_xml(m->x, holder, "<%s>: found both %s and %s, expected one of them",
                           (const char *)at.e->name, turns[*place].word, turns[i].word);
    *place = i;
  }
  *form = own >= 0 ? own : of_class;
  return DM_OK;
}

dm_status pb_mjcf_pose(const pb_mjcf *m, pb_mjcf_element at, dm_pose *out, bool *turned) {
  double pos[3] = {0}, x[6];
  int form = -1, n;
  *out = dm_identity;
  DM_TRY(pb_xml_vector(m->x, pb_mjcf_holder(m, at, "pos"), "pos", pos));
  out->p = dm_v(pos[0], pos[1], pos[2]);
  DM_TRY(find_turn_form(m, at, &form));
  if (turned) *turned = form >= 0;
  if (form < 0) return DM_OK;

  // so many numbers, and a direction in them
  const struct turn *t = &turns[form];
  DM_TRY(pb_mjcf_numbers(m, at, t->word, t->n, x, &n));
  if (n == t->n && t->make(m, x, out)) return DM_OK;
  return pb_refuse_xml(m->x, pb_mjcf_holder(m, at, t->word),
                       "<%s %s>: found %s, expected %d numbers that say a direction",
                       (const char *)at.e->name, t->word, n < t->n ? "too few numbers" : "zeros",
                       t->n);
}

// -- settings

// one section, or another after it, whose attributes hold where the first has none
static dm_status read_compiler(pb_mjcf *m, const xmlNode *e) {
  static const char *const units[] = {"degree", "radian"}, *const sources[] = {"false", "auto",
                                                                               "true"};
  int unit = m->angle == 1, limits = m->autolimits, source = (int)m->source, balance = NO, n;
  const char *order, *folder, *of_assets;

  // angles
  DM_TRY(pb_xml_word(m->x, e, "angle", units, 2, &unit));
  DM_TRY(pb_xml_word(m->x, e, "autolimits", truth, 2, &limits));
  DM_TRY(pb_xml_text(m->x, e, "eulerseq", &order));
  m->angle = unit ? 1 : acos(-1) / 180;
  m->autolimits = limits;
  if (order && (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3))
    return pb_refuse_xml(m->x, e, "<compiler eulerseq>: found '%.40s', expected three of xyzXYZ",
                         order);
  if (order) m->order = order;

  // folders of meshes, and what weighs
  DM_TRY(pb_xml_text(m->x, e, "meshdir", &folder));
  DM_TRY(pb_xml_text(m->x, e, "assetdir", &of_assets));
  if (folder || of_assets) m->meshdir = folder ? folder : of_assets;
  DM_TRY(pb_xml_word(m->x, e, "inertiafromgeom", sources, 3, &source));
  m->source = (pb_mjcf_source)source;
  DM_TRY(pb_xml_numbers(m->x, e, "inertiagrouprange", 2, m->group, &n));
  DM_TRY(pb_xml_number(m->x, e, "boundmass", &m->lightest[0], NULL));
  DM_TRY(pb_xml_number(m->x, e, "boundinertia", &m->lightest[1], NULL));
  DM_TRY(pb_xml_word(m->x, e, "balanceinertia", truth, 2, &balance));
  if (balance == YES)
    return pb_warn_xml(m->x, e,
                       "<compiler>: balanceinertia is not read: moments of inertia stay as they "
                       "are");
  return DM_OK;
}

static dm_status read_option_element(pb_mjcf *m, const xmlNode *e) {
  static const char *const states[] = {"disable", "enable"};
  int gravity = 1, passive = 1, n = 0;
  double own[3];
  DM_TRY(pb_xml_numbers(m->x, e, "gravity", 3, own, &n));
  if (n && n < 3)
    return pb_refuse_xml(m->x, e, "<option gravity>: found %d numbers, expected three", n);
  if (n) memcpy(m->gravity, own, sizeof own);

  // of its switches those of gravity, and of springs and damping
  for (const xmlNode *f = pb_xml_next(e->children, "flag"); f; f = pb_xml_next(f->next, "flag")) {
    DM_TRY(pb_xml_word(m->x, f, "gravity", states, 2, &gravity));
    DM_TRY(pb_xml_word(m->x, f, "passive", states, 2, &passive));
    if (!passive)
      return pb_refuse_xml(m->x, f,
                           "<flag>: found passive=\"disable\", expected joints without stiffness "
                           "and damping in its place");
  }
  if (!gravity) memset(m->gravity, 0, sizeof m->gravity);
  return DM_OK;
}

xmlNode *pb_mjcf_section(const pb_mjcf *m, const char *word, const xmlNode *last) {
  return pb_xml_next(last ? last->next : xmlDocGetRootElement(m->x->doc)->children, word);
}

dm_status pb_mjcf_body_name(pb_mjcf *m, const xmlNode *body, const char **name) {
  char *own;
  if (xmlHasProp(body, (const xmlChar *)"name")) return pb_xml_name(m->x, body, "name", name);
  PB_NEW(m->x->r->arena, own, 24);
  snprintf(own, 24, "body_%d", ++m->unnamed);
  *name = own;
  return DM_OK;
}

dm_status pb_mjcf_begin(pb_mjcf *m, const pb_xml *x, const char *name) {
  *m = (pb_mjcf){.x = x,
                 .name = name,
                 .angle = acos(-1) / 180,
                 .order = "xyz",
                 .autolimits = true,
                 .meshdir = "",
                 .source = PB_MJCF_EITHER,
                 .group = {0, 5},
                 .gravity = {0, 0, -9.81},
                 .outermost = -1};
  DM_TRY(check_sections(m, xmlDocGetRootElement(x->doc)));

  // units before what is in them
  for (xmlNode *e = NULL; (e = pb_mjcf_section(m, "compiler", e));) DM_TRY(read_compiler(m, e));
  for (xmlNode *e = NULL; (e = pb_mjcf_section(m, "option", e));) DM_TRY(read_option_element(m, e));
  return read_classes(m);
}
