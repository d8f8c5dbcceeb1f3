#include "problems/readers/model/contacts.h"

#include "problems/readers/model/floor_contacts.h"
#include "problems/readers/model/part_list.h"
#include "problems/readers/model/shape_section.h"
#include "problems/readers/model/tendon.h"

#include <math.h>
#include <string.h>

typedef struct contact_section {
  const char *name, *type, *from, *coordinate;
  const pb_node *bodies, *points;
  pb_shape_section against;
  double axis[3], length, restitution, friction;
} contact_section;

#define KIND_WORD(NAME, ROW, sign, word, must, may) " " word
#define FIELD(member, ...)                          PB_KEY(contact_section, member, __VA_ARGS__)
const pb_key pb_contact_keys[] = {
    FIELD(name, .type = PB_TEXT, .note = "required, except with `from`",
          .about = "Unique among contacts"),
    FIELD(type, .type = PB_WORD, .note = "required, except with `from`",
          .words = DM_CONTACT_KINDS(KIND_WORD), .about = "Kind of contact"),
    FIELD(from, .type = PB_WORD, .words = "robot", .also = "floor ground",
          .about = "Instead: contacts of the robot file's colliding shapes with its planes and "
                   "obstacles"),
    FIELD(bodies, .type = PB_NODE, .words = "[body, body]",
          .about = "Bodies a and b; either may be `world`. With `from`: the bodies whose shapes "
                   "touch, by default all"),
    FIELD(points, .type = PB_NODE, .unit = "m", .note = "the bodies' origins",
          .words = "[[x, y, z], [x, y, z]]",
          .about = "One point on a and one on b, each in its body frame"),
    FIELD(axis, .type = PB_VECTOR, .about = "Axis in the frame of b; dmoc normalizes it"),
    FIELD(against, .type = PB_SECTION, .sub = pb_against_keys,
          .about = "Shape for `outside`, in the frame of b at its point"),
    FIELD(coordinate, .type = PB_TEXT, .about = "Coordinate of `not-below` and `not-above`"),
    FIELD(length, .type = PB_NUMBER, .unit = "m or rad", .absent = "0",
          .about = "Distance, radius or coordinate value"),
    FIELD(restitution, .type = PB_NUMBER, .range = "[0, 1]", .absent = "1",
          .about = "Ratio of normal speeds after and before an impact, for `gvi`, "
                   "`gvi-linearized`, `collision`"),
    FIELD(friction, .type = PB_NUMBER, .range = ">= 0", .absent = "0",
          .about = "Coulomb coefficient, for `above` and `outside`"),
    {0}};
#undef FIELD
#undef KIND_WORD

// required and optional keys of each type, besides its name
static const struct form {
  const char *word;
  dm_contact_kind kind;
  dm_constraint_kind row;
  const char *must, *may;
#define KIND_FORM(NAME, ROW, sign, word, must, may)                                                \
  {word, DM_##NAME, DM_##ROW, must, "name type " may},
} forms[] = {DM_CONTACT_KINDS(KIND_FORM)};
#undef KIND_FORM

#define PATH "model.contacts[]"

// the shape of a contact `outside`
static dm_status read_against(const pb_reader *r, const pb_node *node, const contact_section *s,
                              dm_contact *c) {
  pb_shape shape;
  const pb_node *entry = pb_node_get(node, "against");
  DM_TRY(pb_shape_read(r, PATH ".against", entry, &s->against, &shape));
  if (!(c->length >= 0))
    return pb_refuse_node(r, pb_node_get(node, "length"),
                          PATH ".length: found %g, expected a number >= 0", c->length);
  const dm_pose *f = &shape.frame;
  const double p[] = {f->p.x, f->p.y, f->p.z}, z[] = {f->z.x, f->z.y, f->z.z};
  const double x[] = {f->x.x, f->x.y, f->x.z};
  c->shape = shape.shape;
  for (int i = 0; i < 3; i++) c->point[1][i] += p[i];
  memcpy(c->axis, z, sizeof z);
  memcpy(c->along, x, sizeof x);
  return DM_OK;
}

// `from: robot` has a form of its own
static dm_status check_form(const pb_reader *r, const pb_node *node, const contact_section *s,
                            const struct form **f) {
  if (s->from)
    return pb_schema_form(r, PATH, node, "value of from", s->from, "from",
                          "bodies axis length restitution friction");
  for (int i = 0; i < 2; i++)
    if (!(i ? s->type : s->name))
      return pb_refuse_node(r, node, PATH ": found no '%s', expected one", i ? "type" : "name");
  *f = forms;
  while (strcmp((*f)->word, s->type) != 0) (*f)++;
  return pb_schema_form(r, PATH, node, "type", (*f)->word, (*f)->must, (*f)->may);
}

static dm_status read_contact(const pb_reader *r, const pb_part_list *list, const pb_node *node,
                              const dm_model *m, void *part) {
  dm_contact *c = part;
  contact_section s = {0};
  pb_points x;
  const struct form *f = forms;

  // the entry must have the keys of its type and no others; contacts `from: robot` come first
  DM_TRY(pb_schema_read(r, PATH, node, list->keys, &s));
  DM_TRY(check_form(r, node, &s, &f));
  if (s.from) return DM_OK;

  // properties of all contacts
  *c = (dm_contact){.name = s.name,
                    .kind = f->kind,
                    .body = {-1, -1},
                    .length = s.length,
                    .restitution = s.restitution,
                    .friction = s.friction};

  // a distance needs a length above 0; a stop acts on a coordinate
  const pb_node *by = pb_node_get(node, "length");
  if (f->row == DM_DISTANCE && !(s.length > 0))
    return pb_refuse_node(r, by, PATH ".length: found %g, expected a number > 0", s.length);
  if (f->row == DM_EQUAL)
    return pb_coordinate_read(r, PATH ".coordinate", pb_node_get(node, "coordinate"), m, &c->coord);

  // otherwise between points of two bodies, above a plane with this normal
  DM_TRY(pb_points_read(r, PATH, s.bodies, s.points, false, m, &x));
  memcpy(c->body, x.body, sizeof c->body);
  memcpy(c->point, x.point, sizeof c->point);
  if (c->kind == DM_OUTSIDE) return read_against(r, node, &s, c);
  if (f->row != DM_PLANE) return DM_OK;
  return pb_schema_direction(r, PATH ".axis", pb_node_get(node, "axis"), s.axis, c->axis);
}

static const pb_part_list contact_list = {DM_PART_CONTACT,    "contacts",
                                          sizeof(dm_contact), offsetof(dm_contact, name),
                                          pb_contact_keys,    read_contact};

// the contacts of the entry `from: robot`, if there is one
static dm_status read_robot_contacts(const pb_part_source *from, const pb_node *list, int *n,
                                     dm_contact **out) {
  const pb_node *entry = NULL;
  for (const pb_node *e = list->first; e; e = e->next) {
    if (!pb_node_get(e, "from")) continue;
    if (entry)
      return pb_refuse_key(from->r, pb_node_get(e, "from"),
                           PATH ": found a second 'from', expected one");
    entry = e;
  }
  if (!entry) return DM_OK;
  contact_section s = {0};
  const struct form *f;
  double axis[3];
  DM_TRY(pb_schema_read(from->r, PATH, entry, pb_contact_keys, &s));
  DM_TRY(check_form(from->r, entry, &s, &f));
  const pb_node *normal = pb_node_get(entry, "axis"), *length = pb_node_get(entry, "length");
  if (normal) DM_TRY(pb_schema_direction(from->r, PATH ".axis", normal, s.axis, axis));
  if (length && !normal)
    return pb_refuse_key(from->r, length, PATH ": found 'length', expected none without 'axis'");
  const pb_floor_section floor = {.node = entry,
                                  .bodies = s.bodies,
                                  .axis = normal ? axis : NULL,
                                  .length = s.length,
                                  .friction = pb_node_get(entry, "friction") ? s.friction : NAN,
                                  .restitution =
                                      pb_node_get(entry, "restitution") ? s.restitution : 0};
  return pb_floor_contacts(from, &floor, n, out);
}

// shapes of the world in the robot's file hold nothing up without contacts
static dm_status warn_of_floor(const pb_part_source *from) {
  const pb_tree *t = from->tree;
  if (!from->model || !t->touching[0] || !t->touching[1]) return DM_OK;
  return pb_warn(from->r, t->floor_at.file, t->floor_at.line,
                 "%s of the world touches bodies in this file, but dmoc reads no contacts from it; "
                 "model.contacts: [{from: robot}] adds them",
                 t->floor);
}

dm_status pb_contacts_read(const pb_part_source *from, dm_robot *out) {
  const dm_model *m = from->m;
  const pb_node *list = pb_node_get(from->model, "contacts");
  void *parts;
  int n = 0;
  dm_contact *robot = NULL;
  if (!list || !list->n) return warn_of_floor(from);

  // an impact changes momenta, and kinematic coordinates have none
  for (int i = 0; i < m->nq; i++)
    if (m->kinematic[i])
      return pb_refuse_node(from->r, list,
                            "model.contacts: found some beside kinematic coordinates ('%.64s'), "
                            "expected none",
                            m->name[i]);
  DM_TRY(read_robot_contacts(from, list, &n, &robot));
  DM_TRY(pb_part_list_new(from, &contact_list, n, &parts));
  if (n) memcpy(parts, robot, (size_t)n * sizeof *robot);
  return pb_part_list_read(from, &contact_list, parts, n, out);
}

dm_status pb_feet_read(pb_reader *r, const pb_node *verify, const dm_robot *robot,
                       const dm_contact **out, int *n) {
  const pb_node *list = pb_node_get(verify, "contacts");
  const pb_part_source from = {.r = r, .m = robot->tree, .model = verify};
  dm_robot none = {.tree = robot->tree, .model = robot->model, .embed = robot->embed};
  void *parts;
  if (!list) return DM_OK;
  if (list->kind != PB_SEQUENCE)
    return pb_refuse_node(r, list, "verify.contacts: expected a list, as model.contacts");
  for (const pb_node *e = list->first; e; e = e->next)
    if (pb_node_get(e, "from"))
      return pb_refuse_key(r, pb_node_get(e, "from"),
                           "verify.contacts[]: found 'from', expected the contact of each foot");
  DM_TRY(pb_part_list_new(&from, &contact_list, 0, &parts));
  DM_TRY(pb_part_list_read(&from, &contact_list, parts, 0, &none));
  dm_contacts_free(none.contacts);
  const dm_contact *c = parts;
  for (int i = 0; i < list->n; i++)
    if (c[i].kind != DM_ABOVE || c[i].body[0] < 0 || c[i].body[1] >= 0)
      return pb_refuse_node(r, list,
                            "verify.contacts[]: found '%.64s', expected a foot above a plane of "
                            "the world",
                            c[i].name);
  *out = c;
  *n = list->n;
  return DM_OK;
}

dm_status pb_contacts_check(const pb_reader *r, const pb_node *node, const char *path,
                            const dm_contacts *c, double length, const double *q) {
  if (!c) return DM_OK;
  dm_message why = {""};
  dm_unilateral u = dm_contacts_unilateral(c);
  dm_status s = dm_unilateral_check(&u, length, q, &why);
  if (s == DM_OK || s == DM_NO_MEMORY) return s;
  return pb_refuse_node(r, node, "%s: %s", path, why.text);
}
