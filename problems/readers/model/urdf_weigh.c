#include "problems/readers/model/urdf_weigh.h"

#include "problems/readers/model/mesh_file.h"
#include "problems/readers/model/mesh_weight.h"
#include "problems/readers/model/solid.h"

#include <math.h>
#include <string.h>

// the link whose mass is computed
typedef struct weighing {
  pb_xml *x;
  const char *file, *link;
} weighing;

// the dimensions of a shape as solids use them: radius and half length, or half lengths
static dm_status read_sizes(const weighing *w, const pb_xml_node *e, double s[3]) {
  bool there;
  double length = 0;
  if (!strcmp(e->name, "box")) {
    DM_TRY(pb_xml_vector(w->x, e, "size", s));
    for (int i = 0; i < 3; i++) s[i] /= 2;
  } else {
    DM_TRY(pb_xml_number(w->x, e, "radius", &s[0], &there));
    DM_TRY(pb_xml_number(w->x, e, "length", &length, &there));
    s[1] = there ? length / 2 : 1;
    s[2] = 1;
  }
  if (s[0] > 0 && s[1] > 0 && s[2] > 0) return DM_OK;
  return pb_refuse_xml(w->x, e, "link '%.64s': found a <%s> without sizes above 0", w->link,
                       e->name);
}

static dm_status weigh_mesh(const weighing *w, const pb_xml_node *e, dm_inertia *out) {
  const char *name;
  dm_message why = {""};
  pb_mesh mesh;
  bool solid;
  dm_status s = pb_mesh_element(w->x, e, w->file, &name, &mesh, &why);
  if (s == DM_IO)
    return pb_refuse_xml(w->x, e, "link '%.64s': its mesh '%.128s' cannot be read: %.100s", w->link,
                         name, why.text);
  DM_TRY(s);
  s = pb_mesh_weigh(w->x->r->arena, &mesh, PB_MESH_CONVEX, out, &solid);
  if (s != DM_BAD_INPUT) return s;
  return pb_refuse_xml(w->x, e,
                       "link '%.64s': found a flat mesh '%.128s', expected one with a volume",
                       w->link, name);
}

// mass and inertia of a shape with density 1, in the frame of its <collision>
static dm_status weigh_shape(const weighing *w, const pb_xml_node *e, dm_inertia *out) {
  static const struct {
    const char *word;
    double (*weigh)(const double s[3], double J[3]);
  } solids[] = {{"box", pb_solid_box},
                {"sphere", pb_solid_sphere},
                {"cylinder", pb_solid_cylinder},
                {"capsule", pb_solid_capsule}};
  static const double centre[3];
  double s[3] = {0}, J[6] = {0};
  if (!strcmp(e->name, "mesh")) return weigh_mesh(w, e, out);
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
    if (strcmp(e->name, solids[i].word) != 0) continue;
    DM_TRY(read_sizes(w, e, s));
    const double V = solids[i].weigh(s, J);
    for (int k = 0; k < 3; k++) J[k] *= V;
    *out = dm_inertia_about(V, centre, J);
    return DM_OK;
  }
  return pb_warn_xml(w->x, e, "link '%.64s': a <%.40s> is not weighed", w->link, e->name);
}

dm_status pb_urdf_weigh(pb_xml *x, const char *name, const pb_link *link, double density,
                        dm_body *body) {
  const weighing w = {x, name, link->name};
  dm_inertia sum = {0};
  for (pb_xml_node *c = pb_xml_next(link->element->children, "collision"); c;
       c = pb_xml_next(c->next, "collision")) {
    pb_xml_node *geometry = pb_xml_next(c->children, "geometry");
    pb_xml_node *e = geometry ? pb_xml_next(geometry->children, NULL) : NULL;
    double xyz[3], rpy[3];
    dm_inertia own = {0};
    if (!e) continue;
    DM_TRY(weigh_shape(&w, e, &own));
    DM_TRY(pb_xml_origin(x, c, xyz, rpy));
    const dm_pose frame = dm_pose_rpy(rpy, xyz);
    own = dm_inertia_move(&own, &frame);
    dm_inertia_add(&sum, &own);
  }
  if (!(sum.m > 0)) return DM_OK;

  // about the center of mass
  const dm_vec c = dm_mul(1 / sum.m, sum.c);
  dm_shift(&sum, dm_mul(-1, c));
  body->mass = density * sum.m;
  memcpy(body->centre, (double[]){c.x, c.y, c.z}, sizeof body->centre);
  memcpy(body->inertia, (double[]){sum.xx, sum.yy, sum.zz, sum.xy, sum.xz, sum.yz},
         sizeof body->inertia);
  for (int i = 0; i < 6; i++) body->inertia[i] *= density;
  return DM_OK;
}
