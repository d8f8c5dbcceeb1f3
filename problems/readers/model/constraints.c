#include "problems/readers/model/constraints.h"

#include "lib/base/block.h"
#include "lib/base/names.h"
#include "lib/base/random.h"
#include "lib/discrete/assembly.h"
#include "lib/discrete/repeated_rows.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/tree_system.h"
#include "problems/readers/format/number.h"
#include "problems/readers/model/tendon.h"

#include <math.h>
#include <string.h>

#define KIND_WORD(NAME, name, word, must, may) " " word
#define FIELD(member, ...)                     PB_KEY(pb_constraint_section, member, __VA_ARGS__)
const pb_key pb_constraint_keys[] = {
    FIELD(name, .type = PB_TEXT, .absent = PB_REQUIRED, .about = "Unique among constraints"),
    FIELD(type, .type = PB_WORD, .absent = PB_REQUIRED,
          .words = DM_CONSTRAINT_KINDS(KIND_WORD) DM_ROLLING_KINDS(KIND_WORD),
          .about = "Equations of the constraint"),
    FIELD(bodies, .type = PB_NODE, .words = "[body, body]",
          .about = "Bodies a and b, for all types but `equal`, `rolling` and `knife-edge`; either "
                   "may be `world`"),
    FIELD(points, .type = PB_NODE, .unit = "m", .note = "the bodies' origins",
          .words = "[[x, y, z], [x, y, z]]",
          .about = "One point on a and one on b, each in its body frame"),
    FIELD(axis, .type = PB_VECTOR,
          .about = "Axis in the frame of b, for rolling types in that of the body; dmoc normalizes "
                   "it. For `rolling` it is the axle: without one, that of a joint with one "
                   "rotation, else the body is a ball"),
    FIELD(length, .type = PB_NODE, .unit = "m", .words = "number > 0, or a coordinate",
          .about =
              "Length of a `distance`; a translation coordinate gives a cable of variable length"),
    FIELD(coordinates, .type = PB_NODE, .words = "[coordinate, coordinate, ...]",
          .about = "The coordinates of `equal`, two to eight"),
    FIELD(ratio, .type = PB_NODE, .note = "1", .words = "number, or a list",
          .about = "Ratios in `equal`, of each coordinate behind the first"),
    FIELD(shift, .type = PB_NUMBER, .unit = "m or rad", .absent = "0",
          .about = "Offset in `equal`"),
    FIELD(body, .type = PB_NODE, .words = "body", .about = "Body that rolls or slides"),
    FIELD(ground, .type = PB_NODE, .note = "plane", .words = "plane, or a body",
          .about = "Body that it rolls on; `plane` is the world's"),
    FIELD(radius, .type = PB_NUMBER, .unit = "m", .range = "> 0", .about = "Radius of `rolling`"),
    FIELD(point, .type = PB_VECTOR, .unit = "m", .absent = "[0, 0, 0]",
          .about = "Center of the wheel or ball, or the point that does not slip, in the frame of "
                   "the body"),
    FIELD(normal, .type = PB_VECTOR, .absent = "[0, 0, 1]",
          .about = "Normal of the ground, in its frame"),
    FIELD(formula, .type = PB_NODE, .words = "expression",
          .about =
              "Expression of coordinates `q.NAME` and velocities `v.NAME` that is 0, linear in "
              "velocities"),
    {0}};
#undef FIELD
#undef KIND_WORD

// required and optional keys of each type, besides its name
static const struct form {
  const char *word;
  dm_constraint_kind kind;
  const char *must, *may;
#define KIND_FORM(NAME, name, word, must, may) {word, DM_##NAME, must, "name type " may},
} forms[] = {DM_CONSTRAINT_KINDS(KIND_FORM)};
#undef KIND_FORM

#define PATH "model.constraints[]"

bool pb_constraint_rolls(const pb_node *entry) {
#define ROLLING_WORD(NAME, name, word, must, may) word,
  static const char *const words[] = {DM_ROLLING_KINDS(ROLLING_WORD)};
#undef ROLLING_WORD
  const pb_node *type = pb_node_get(entry, "type");
  if (!type || type->kind != PB_SCALAR) return false;
  return dm_names_find(words, DM_ROLLING_KIND_COUNT, type->text) >= 0;
}

// a number, or the coordinate that is the length
static dm_status read_length(const pb_reader *r, const pb_node *node, const dm_model *m,
                             dm_constraint *c) {
  const char *path = PATH ".length";
  double x;
  if (!node) return DM_OK;

  // a number
  if (node->kind != PB_SCALAR || node->quoted || pb_number_parse(node->text, &x) != DM_BAD_INPUT)
    return pb_schema_number(r, path, node, "> 0", &c->length);

  // a coordinate, which must be a slide to be a length
  DM_TRY(pb_coordinate_read(r, path, node, m, c->coord));
  if (m->kind[c->coord[0]] == DM_SLIDE) return DM_OK;
  return pb_refuse_node(r, node, "%s: found '%.64s', which turns, expected one that slides", path,
                        node->text);
}

// the coordinates of `equal`, all different
static dm_status read_terms(const pb_reader *r, const pb_node *list, const dm_model *m,
                            int *coord) {
  const char *path = PATH ".coordinates";
  char found[64];
  if (list->kind != PB_SEQUENCE || list->n < 2 || list->n > 2 + DM_MOST_OTHERS)
    return pb_refuse_node(r, list, "%s: found %s, expected a list of 2 to %d names", path,
                          pb_node_describe(list, found), 2 + DM_MOST_OTHERS);
  int n = 0;
  for (const pb_node *e = list->first; e; e = e->next, n++) {
    DM_TRY(pb_coordinate_read(r, path, e, m, &coord[n]));
    for (int i = 0; i < n; i++)
      if (coord[i] == coord[n])
        return pb_refuse_node(r, e, "%s: found '%.64s' twice, expected each once", path, e->text);
  }
  return DM_OK;
}

// q_0 = ratio_1 q_1 + ratio_2 q_2 + .. + shift
static dm_status read_equal(const pb_reader *r, const pb_constraint_section *s, const dm_model *m,
                            dm_constraint *c) {
  const char *path = PATH ".ratio";
  int coord[2 + DM_MOST_OTHERS];
  double ratio[1 + DM_MOST_OTHERS];
  char found[64];
  DM_TRY(read_terms(r, s->coordinates, m, coord));
  const int n = s->coordinates->n - 1;
  const pb_node *given = s->ratio;
  for (int i = 0; i < n; i++) ratio[i] = 1;
  if (given && given->kind == PB_SEQUENCE) {
    if (given->n != n)
      return pb_refuse_node(
          r, given, "%s: found %s, expected %d numbers, of each coordinate behind the first", path,
          pb_node_describe(given, found), n);
    int i = 0;
    for (const pb_node *e = given->first; e; e = e->next)
      DM_TRY(pb_schema_number(r, path, e, NULL, &ratio[i++]));
  } else if (given) {
    if (n > 1)
      return pb_refuse_node(
          r, given,
          "%s: found a number, expected a list of %d, of each coordinate behind the first", path,
          n);
    DM_TRY(pb_schema_number(r, path, given, NULL, &ratio[0]));
  }
  memcpy(c->coord, coord, sizeof c->coord);
  c->ratio = ratio[0];
  c->other.n = n - 1;
  for (int i = 1; i < n; i++) {
    c->other.coord[i - 1] = coord[i + 1];
    c->other.ratio[i - 1] = ratio[i];
  }
  return DM_OK;
}

// read one entry of the list
static dm_status read_constraint(const pb_reader *r, const pb_node *node, const dm_model *m,
                                 dm_constraint *c) {
  pb_constraint_section s = {0};
  pb_points x;
  const struct form *f = forms;

  // the entry must have the keys of its type and no others
  DM_TRY(pb_schema_read(r, PATH, node, pb_constraint_keys, &s));
  while (strcmp(f->word, s.type) != 0) f++;
  DM_TRY(pb_schema_form(r, PATH, node, "type", f->word, f->must, f->may));

  // properties of all constraints
  *c = (dm_constraint){.name = s.name,
                       .kind = f->kind,
                       .body = {-1, -1},
                       .coord = {-1, -1},
                       .ratio = 1,
                       .shift = s.shift};

  // between coordinates, or between points of two bodies
  if (f->kind == DM_EQUAL) return read_equal(r, &s, m, c);
  DM_TRY(pb_points_read(r, PATH, s.bodies, s.points, false, m, &x));
  memcpy(c->body, x.body, sizeof c->body);
  memcpy(c->point, x.point, sizeof c->point);
  const pb_node *axis = pb_node_get(node, "axis");
  if (axis) DM_TRY(pb_schema_direction(r, PATH ".axis", axis, s.axis, c->axis));
  return read_length(r, s.length, m, c);
}

// -- constraints of the robot's file

// the pose of a body in the world, from the joint frames
static dm_pose find_body_frame(const dm_model *m, const dm_pose *X, int body) {
  if (body < 0) return dm_identity;
  const int j = m->body_joint[body];
  return j < 0 ? m->body_pose[body] : dm_compose(&X[j], &m->body_pose[body]);
}

// relative position of the two points of a constraint in one sample state
typedef struct sight {
  dm_vec apart;    // x0 - x1 in the world  [m]
  dm_pose body[2]; // in the world
} sight;

// the normal of the plane of relative motion of the points; false: the motion is not planar
static bool find_plane_normal(const sight *s, int n, dm_vec *normal) {
  dm_vec widest = dm_v(0, 0, 0);
  for (int i = 2; i < n; i++) {
    const dm_vec a = dm_sub(s[1].apart, s[0].apart), b = dm_sub(s[i].apart, s[0].apart);
    const dm_vec across = dm_cross(a, b);
    if (dm_dot(across, across) > dm_dot(widest, widest)) widest = across;
  }
  const double size = sqrt(dm_dot(widest, widest));
  if (!(size > 1e-9)) return false;

  // orient it along the nearest coordinate axis
  const double x[] = {widest.x, widest.y, widest.z};
  int most = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(x[i]) > fabs(x[most])) most = i;
  *normal = dm_mul((x[most] < 0 ? -1 : 1) / size, widest);
  return true;
}

// Whether the tree itself keeps a constraint in a plane: the points lie in it, and its normal is
// fixed in both bodies.
static bool is_kept_in_plane(const sight *s, int n, dm_vec normal, bool pose, double axis[3]) {
  const dm_vec own = dm_v(dm_dot(s[0].body[1].x, normal), dm_dot(s[0].body[1].y, normal),
                          dm_dot(s[0].body[1].z, normal));
  double off = 0;
  for (int i = 0; i < n; i++) {
    off = fmax(off, fabs(dm_dot(normal, s[i].apart)));
    for (int k = pose ? 0 : 1; k < 2; k++) {
      const dm_pose *X = &s[i].body[k];
      const dm_vec p = dm_place(X, own);
      const dm_vec d = dm_sub(dm_sub(p, X->p), normal);
      off = fmax(off, sqrt(dm_dot(d, d)));
    }
  }
  memcpy(axis, (double[]){own.x, own.y, own.z}, 3 * sizeof *axis);
  return off < 1e-9;
}

// remove rows that the tree satisfies anyway, because they would be redundant
static dm_status flatten_held(const pb_reader *r, const dm_model *m, dm_constraint *c) {
  enum { PLACES = 6 };
  sight s[PLACES];
  dm_vec normal;
  double *q, axis[3];
  dm_pose *X;
  PB_NEW(r->arena, q, m->nq + 1);
  PB_NEW(r->arena, X, m->nj + 1);
  for (int p = 0; p < PLACES; p++) {
    // the two bodies at a random configuration
    sight *out = &s[p];
    dm_vec x[2];
    for (int i = 0; i < m->nq; i++) q[i] = 0.6 + 0.5 * dm_random_uniform(11, p, (uint64_t)i);
    dm_tree_frames(m, q, X);
    for (int i = 0; i < 2; i++) {
      out->body[i] = find_body_frame(m, X, c->body[i]);
      x[i] = dm_place(&out->body[i], dm_v(c->point[i][0], c->point[i][1], c->point[i][2]));
    }
    out->apart = dm_sub(x[0], x[1]);
  }
  const bool pose = c->kind == DM_POSE;
  if (!find_plane_normal(s, PLACES, &normal)) return DM_OK;
  if (!is_kept_in_plane(s, PLACES, normal, pose, axis)) return DM_OK;
  c->kind = pose ? DM_POSE_PLANAR : DM_LINE;
  memcpy(c->axis, axis, sizeof c->axis);
  return DM_OK;
}

// remove rows that follow from the others along the whole motion, with a warning
static dm_status drop_repeated(pb_reader *r, const pb_node *list, const pb_tree *t,
                               const dm_model *m, dm_constraints *c) {
  const dm_constraint *described;
  const int n = dm_constraints_described(c, &described), nc = dm_constraints_count(c);
  dm_system s = dm_system_of(m);
  bool *drop;
  int count;
  PB_NEW(r->arena, drop, nc + 1);
  s.hol = dm_constraints_holonomic(c);
  DM_TRY(dm_repeated_rows(&s, drop, &count));

  // rows of each constraint
  for (int i = 0; count && i < n; i++) {
    const char *file;
    int line, rows = 0, dropped = 0;
    for (int k = 0; k < nc; k++) {
      if (strcmp(dm_constraints_row_name(c, k), described[i].name) != 0) continue;
      rows++;
      dropped += drop[k];
    }
    if (!dropped) continue;

    // the file and line of constraint i, which is in the robot's file or in the list
    const pb_node *e = list ? list->first : NULL;
    for (int k = t->nheld; e && (k < i || pb_constraint_rolls(e)); e = e->next)
      k += !pb_constraint_rolls(e);
    file = i < t->nheld ? t->held[i].at.file : r->file;
    line = i < t->nheld ? t->held[i].at.line : e->line;

    DM_TRY(
        pb_warn(r, file, line,
                "constraint '%.64s': %d of its %d equations %s from the others in every position, "
                "and %s left out; the other equations carry all the force",
                described[i].name, dropped, rows, dropped > 1 ? "follow" : "follows",
                dropped > 1 ? "are" : "is"));
  }
  dm_constraints_drop(c, drop);
  return DM_OK;
}

// a range would be an inequality
static dm_status refuse_range(const pb_reader *r, const pb_node *node) {
  static const char *const ranges[] = {"within", "min", "max", "low", "high", "range"};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    const pb_node *found = pb_node_get(node, ranges[i]);
    if (found)
      return pb_refuse_key(r, found,
                           PATH ": found '%s', but constraints of the model are equations, also in "
                                "simulations; an inequality of the robot is a contact "
                                "(model.contacts), that of a plan 'constraints: {NAME: {formula, "
                                "within}}'",
                           ranges[i]);
  }
  return DM_OK;
}

dm_status pb_constraints_read(const pb_part_source *from, dm_robot *out) {
  pb_reader *r = from->r;
  const pb_tree *t = from->tree;
  const dm_model *m = from->m;
  const pb_node *list = pb_node_get(from->model, "constraints");
  dm_constraint *c;
  const char **name;
  dm_message why = {""};
  const int all = t->nheld + (list ? list->n : 0);
  int n = 0;
  if (!all) return DM_OK;

  // constraints of the robot's file
  PB_NEW(r->arena, c, all);
  PB_NEW(r->arena, name, all);
  for (; n < t->nheld; n++) {
    c[n] = t->held[n].constraint;
    name[n] = c[n].name;
    DM_TRY(flatten_held(r, m, &c[n]));
  }

  // the entries one by one, then all as rows h(q)
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    DM_TRY(refuse_range(r, e));
    if (pb_constraint_rolls(e)) continue;
    DM_TRY(read_constraint(r, e, m, c + n));
    DM_TRY(pb_schema_once(r, PATH, e, name, &n, c[n].name));
  }

  if (!n) return DM_OK;
  dm_status s = dm_constraints_new(&out->constraints, m, n, c, &why);
  if (s == DM_BAD_INPUT) {
    // report the library's message at the constraint that it names
    for (int i = 0; i < t->nheld; i++) {
      const pb_file_held *x = &t->held[i];
      const char *at = strstr(why.text, x->constraint.name);
      if (at && at > why.text && at[-1] == '\'')
        return pb_refuse(r, x->at.file, x->at.line, 0, "%s", why.text);
    }
    return list ? pb_refuse_node(r, list, "model.constraints: %s", why.text)
                : pb_refuse(r, t->file, 0, 0, "constraints: %s", why.text);
  }
  DM_TRY(s);
  return drop_repeated(r, list, t, m, out->constraints);
}

dm_status pb_constraints_check(const pb_reader *r, const pb_node *node, const char *path,
                               const dm_system *system, const double *q) {
  static const double DIGITS = 1e-6; // relative to the row: precision of numbers in a file
  const dm_holonomic *hol = &system->hol;
  double *h, *size;
  int worst = 0;
  if (!hol->nc) return DM_OK;

  // h(q) and its scratch
  dm_block b = {0};
  PB_NEW(r->arena, h, hol->nc);
  PB_NEW(r->arena, size, hol->nc);
  dm_block_alloc(&b, 1, hol->scratch);
  DM_TRY(dm_block_new(&b));
  dm_status s = hol->eval(hol->self, dm_block_alloc(&b, 1, hol->scratch), q, h, NULL);
  dm_block_free(b.base);
  if (s == DM_NOT_FINITE)
    return pb_refuse_node(r, node, "%s: constraints: %s", path, dm_status_text(s));
  DM_TRY(s);

  // the worst row, or one that is NAN
  DM_TRY(dm_assembly_rows(system, q, size));
  for (int i = 0; i < hol->nc; i++)
    if (!(fabs(h[i]) / size[i] <= fabs(h[worst]) / size[worst])) worst = i;
  if (fabs(h[worst]) <= DIGITS * size[worst]) return DM_OK;
  return pb_refuse_node(r, node, "%s: it violates the constraint '%.64s' by %.3g m or rad", path,
                        hol->row_name(hol->self, worst), h[worst]);
}
