#include "problems/readers/model/payload.h"

#include "problems/readers/model/bodies.h"

#include <stdio.h>
#include <string.h>

typedef struct payload_section {
  const char *name, *body;
  pb_offset offset;
  double mass, centre[3];
  const pb_node *inertia;
} payload_section;

const pb_key pb_payload_keys[] = {
    PB_KEY(payload_section, body, .type = PB_TEXT, .absent = PB_REQUIRED,
           .about = "Body or link that carries the payload, also a tool frame on a fixed joint"),
    PB_KEY(payload_section, mass, .type = PB_NUMBER, .unit = "kg", .range = "> 0",
           .absent = PB_REQUIRED, .about = "Mass"),
    PB_KEY(payload_section, centre, .type = PB_VECTOR, .unit = "m", .absent = "[0, 0, 0]",
           .about = "Center of mass in the payload frame"),
    PB_KEY(payload_section, inertia, .type = PB_NODE, .unit = "kg m2", .absent = "0",
           .words = "[xx, yy, zz], or a section", .sub = pb_inertia_keys,
           .about = "Inertia about the center of mass, in the payload axes"),
    PB_KEY(payload_section, offset, .type = PB_SECTION, .sub = pb_offset_keys,
           .about = "Pose of the payload frame in the body frame"),
    PB_KEY(payload_section, name, .type = PB_TEXT, .note = "BODY.payload",
           .about = "Unique name; only one payload per body may use the default"),
    {0}};

// default name BODY.payload
static dm_status name_payload(const pb_tree *t, payload_section *s) {
  if (s->name) return DM_OK;
  size_t size = strlen(s->body) + sizeof ".payload";
  char *name = pb_arena_alloc(t->r->arena, size, 1);
  if (!name) return DM_NO_MEMORY;
  snprintf(name, size, "%s.payload", s->body);
  s->name = name;
  return DM_OK;
}

static dm_status add_payload(pb_tree *t, const pb_node *node) {
  const char *path = "model.payload";
  payload_section s = {0};
  dm_body *body;
  int carrier;

  // the body that carries it, and its name
  DM_TRY(pb_schema_read(t->r, path, node, pb_payload_keys, &s));
  DM_TRY(pb_body_find(t, "model.payload.body", pb_node_get(node, "body"), s.body,
                      "a body or link of the robot", false, &carrier));
  DM_TRY(name_payload(t, &s));
  const pb_node *name = pb_node_get(node, "name");
  DM_TRY(pb_body_name_check(t, name ? name : node, s.name));

  // a body without joints, so that its mass is lumped into its carrier
  DM_TRY(pb_tree_body(t, s.name, pb_place_of(t, node), &body));
  body->parent = carrier;
  body->offset = dm_pose_rpy(s.offset.rpy, s.offset.xyz);
  body->mass = s.mass;
  memcpy(body->centre, s.centre, sizeof s.centre);
  return pb_inertia_read(t, "model.payload.inertia", s.inertia, body);
}

dm_status pb_payload_read(pb_tree *t, const pb_node *node) {
  if (!node) return DM_OK;
  if (node->kind != PB_SEQUENCE) return add_payload(t, node);
  for (const pb_node *e = node->first; e; e = e->next) DM_TRY(add_payload(t, e));
  return DM_OK;
}
