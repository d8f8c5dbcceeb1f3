#include "problems/readers/model/contacts.h"

#include "problems/readers/model/part_list.h"
#include "problems/readers/model/tendon.h"

#include <string.h>

typedef struct contact_section {
  const char *name, *type, *coordinate;
  const pb_node *bodies, *points;
  double axis[3], length, restitution, friction;
} contact_section;

#define KIND_WORD(NAME, ROW, sign, word, must, may) " " word
#define FIELD(member, ...)                          PB_KEY(contact_section, member, __VA_ARGS__)
const pb_key pb_contact_keys[] = {
    FIELD(name, .type = PB_TEXT, .absent = PB_REQUIRED, .about = "Unique among contacts"),
    FIELD(type, .type = PB_WORD, .absent = PB_REQUIRED, .words = DM_CONTACT_KINDS(KIND_WORD),
          .about = "Kind of contact"),
    FIELD(bodies, .type = PB_NODE, .words = "[body, body]",
          .about = "Bodies a and b; either may be `world`"),
    FIELD(points, .type = PB_NODE, .unit = "m", .note = "the bodies' origins",
          .words = "[[x, y, z], [x, y, z]]",
          .about = "One point on a and one on b, each in its body frame"),
    FIELD(axis, .type = PB_VECTOR, .about = "Axis in the frame of b; dmoc normalizes it"),
    FIELD(coordinate, .type = PB_TEXT, .about = "Coordinate of `not-below` and `not-above`"),
    FIELD(length, .type = PB_NUMBER, .unit = "m or rad", .absent = "0",
          .about = "Distance, radius or coordinate value"),
    FIELD(restitution, .type = PB_NUMBER, .range = "[0, 1]", .absent = "1",
          .about = "Ratio of normal speeds after and before an impact; 1 conserves energy; used by "
                   "`gvi`, `gvi-linearized`, `collision`"),
    FIELD(friction, .type = PB_NUMBER, .range = ">= 0", .absent = "0",
          .about = "Coulomb coefficient, for `above`"),
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

static dm_status read_contact(const pb_reader *r, const pb_part_list *list, const pb_node *node,
                              const dm_model *m, void *part) {
  dm_contact *c = part;
  contact_section s = {0};
  pb_points x;
  const struct form *f = forms;

  // the entry must have the keys of its type and no others
  DM_TRY(pb_schema_read(r, PATH, node, list->keys, &s));
  while (strcmp(f->word, s.type) != 0) f++;
  DM_TRY(pb_schema_form(r, PATH, node, "type", f->word, f->must, f->may));

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
    return pb_schema_name(r, PATH ".coordinate", pb_node_get(node, "coordinate"), "coordinate",
                          m->name, m->nq, &c->coord);

  // otherwise between points of two bodies, above a plane with this normal
  DM_TRY(pb_points_read(r, PATH, s.bodies, s.points, false, m, &x));
  memcpy(c->body, x.body, sizeof c->body);
  memcpy(c->point, x.point, sizeof c->point);
  if (f->row != DM_PLANE) return DM_OK;
  return pb_schema_direction(r, PATH ".axis", pb_node_get(node, "axis"), s.axis, c->axis);
}

static const pb_part_list contact_list = {DM_PART_CONTACT,    "contacts",
                                          sizeof(dm_contact), offsetof(dm_contact, name),
                                          pb_contact_keys,    read_contact};

dm_status pb_contacts_read(const pb_part_source *from, dm_robot *out) {
  const dm_model *m = from->m;
  const pb_node *list = pb_node_get(from->model, "contacts");
  void *parts;
  if (!list || !list->n) return DM_OK;

  // an impact changes momenta, and kinematic coordinates have none
  for (int i = 0; i < m->nq; i++)
    if (m->kinematic[i])
      return pb_refuse_node(from->r, list,
                            "model.contacts: found some beside kinematic coordinates ('%.64s'), "
                            "expected none",
                            m->name[i]);
  DM_TRY(pb_part_list_new(from, &contact_list, 0, &parts));
  return pb_part_list_read(from, &contact_list, parts, 0, out);
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
