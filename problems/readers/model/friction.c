#include "problems/readers/model/friction.h"

#include "problems/readers/model/tendon.h"

typedef struct friction_section {
  const char *joint;
  double force, smooth;
} friction_section;

#define FIELD(member, ...) PB_KEY(friction_section, member, __VA_ARGS__)
const pb_key pb_friction_keys[] = {
    FIELD(joint, .type = PB_TEXT, .absent = PB_REQUIRED,
          .about = "A dynamic coordinate; each at most once"),
    FIELD(force, .type = PB_NUMBER, .also = "coulomb torque", .unit = "N or N m", .range = ">= 0",
          .absent = PB_REQUIRED, .about = "Friction force F at high speed"),
    FIELD(smooth, .type = PB_NUMBER, .unit = "m/s or rad/s", .range = "> 0", .absent = PB_REQUIRED,
          .about = "Speed s over which the friction force builds up"),
    {0}};
#undef FIELD

#define PATH "model.friction[]"

static dm_status read_friction(const pb_reader *r, const pb_node *node, const dm_model *m,
                               dm_joint_friction *out) {
  friction_section s = {0};
  DM_TRY(pb_schema_read(r, PATH, node, pb_friction_keys, &s));
  *out = (dm_joint_friction){.name = s.joint, .force = s.force, .smooth = s.smooth};
  return pb_coordinate_read(r, PATH ".joint", pb_node_get(node, "joint"), m, &out->coord);
}

dm_status pb_friction_read(const pb_part_source *from, dm_robot *out) {
  const pb_reader *r = from->r;
  const pb_node *list = pb_node_get(from->model, "friction");
  dm_joint_friction *x;
  const char **name;
  dm_message why = {""};
  int n = 0;
  if (!list || !list->n) return DM_OK;

  // one per joint
  PB_NEW(r->arena, x, list->n);
  PB_NEW(r->arena, name, list->n);
  for (const pb_node *e = list->first; e; e = e->next) {
    DM_TRY(read_friction(r, e, from->m, x + n));
    DM_TRY(pb_schema_once(r, PATH, e, name, &n, x[n].name));
  }
  const dm_status s = dm_frictions_new(&out->frictions, from->m, n, x, &why);
  return s == DM_BAD_INPUT ? pb_refuse_node(r, list, "model.friction: %s", why.text) : s;
}
