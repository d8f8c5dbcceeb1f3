#include "problems/readers/model/collision.h"

#include "lib/multibody/capsule.h"
#include "problems/readers/model/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH "keep_out.collision"

// m: a replacement shape that exceeds a box or mesh by more raises a warning
static const double WIDE = 0.02;

typedef struct collision {
  pb_xml x;
  const pb_source *urdf;
  const dm_model *m;
  const char *link;
  bool moves;
  dm_pose frame; // of the element, in the link's frame
} collision;

static void store(dm_vec a, double x[3]) {
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}

void pb_shape_capsule(pb_shape *s) {
  const dm_vec a = dm_v(s->point[0], s->point[1], s->point[2]);
  const dm_vec axis = dm_sub(dm_v(s->end[0], s->end[1], s->end[2]), a);
  const double length = sqrt(dm_dot(axis, axis));
  s->shape.kind = DM_SHAPE_CAPSULE;
  s->frame = dm_pose_along(dm_mul(1 / length, axis), dm_add(a, dm_mul(0.5, axis)));
  s->shape.half[2] = length / 2;
  s->swept = true;
}

// a required number above 0
static dm_status read_size(collision *c, const pb_xml_node *e, const char *name, double *size) {
  bool there;
  *size = 0;
  DM_TRY(pb_xml_number(&c->x, e, name, size, &there));
  if (there && *size > 0) return DM_OK;
  return pb_refuse_xml(&c->x, e, "link '%.64s': found a <%s> of %s %g, expected a number > 0",
                       c->link, e->name, name, *size);
}

// -- geometries, in the frame of the element

static dm_status read_sphere(collision *c, const pb_xml_node *e, pb_shape *s) {
  s->shape.kind = DM_SHAPE_SPHERE;
  s->frame = c->frame;
  s->swept = true;
  store(c->frame.p, s->point);
  return read_size(c, e, "radius", &s->shape.radius);
}

// the ends of an axis of this length along z
static dm_status read_capsule(collision *c, const pb_xml_node *e, pb_shape *s) {
  double length;
  DM_TRY(read_size(c, e, "radius", &s->shape.radius));
  DM_TRY(read_size(c, e, "length", &length));
  store(dm_place(&c->frame, dm_v(0, 0, -length / 2)), s->point);
  store(dm_place(&c->frame, dm_v(0, 0, length / 2)), s->end);
  pb_shape_capsule(s);
  return DM_OK;
}

// a capsule exceeds a cylinder most at the poles of its half-spheres
static dm_status read_cylinder(collision *c, const pb_xml_node *e, pb_shape *s) {
  DM_TRY(read_capsule(c, e, s));
  s->excess = s->shape.radius;
  if (c->moves) return DM_OK;
  s->shape.kind = DM_SHAPE_CYLINDER;
  s->frame = c->frame;
  s->swept = false;
  s->excess = 0;
  return DM_OK;
}

// a small enclosing capsule or sphere of n points in the element's frame
static dm_status enclose(collision *c, const pb_xml_node *e, int n, double *x, pb_shape *s) {
  dm_capsule about;
  for (int i = 0; i < n; i++) {
    double *at = x + 3 * (size_t)i;
    store(dm_place(&c->frame, dm_v(at[0], at[1], at[2])), at);
  }
  const dm_status status = dm_capsule_about(n, x, &about);
  if (status == DM_BAD_INPUT)
    return pb_refuse_xml(&c->x, e, "link '%.64s': found a flat <%s>, expected one with a volume",
                         c->link, e->name);
  DM_TRY(status);

  // the ends of a capsule, or the center of a sphere twice
  s->excess = about.excess;
  s->shape.radius = about.radius;
  memcpy(s->point, about.end[0], sizeof s->point);
  memcpy(s->end, about.end[1], sizeof s->end);
  if (memcmp(s->point, s->end, sizeof s->point) != 0) {
    pb_shape_capsule(s);
  } else {
    s->shape.kind = DM_SHAPE_SPHERE;
    s->frame = dm_identity;
    s->frame.p = dm_v(s->point[0], s->point[1], s->point[2]);
    s->swept = true;
  }
  if (about.excess <= WIDE) return DM_OK;
  return pb_warn_xml(&c->x, e,
                     "link '%.64s': the %s about its <%s> stands out of it by up to %.2g m; where "
                     "that is too much give the link shapes in keep_out.shapes",
                     c->link, s->shape.kind == DM_SHAPE_SPHERE ? "sphere" : "capsule", e->name,
                     about.excess);
}

static dm_status read_box(collision *c, const pb_xml_node *e, pb_shape *s) {
  double size[3] = {0}, x[24];
  DM_TRY(pb_xml_vector(&c->x, e, "size", size));
  for (int i = 0; i < 3; i++)
    if (!(size[i] > 0))
      return pb_refuse_xml(&c->x, e,
                           "link '%.64s': found a <box> of size %g %g %g, expected sizes > 0",
                           c->link, size[0], size[1], size[2]);

  // a box on a fixed link is kept as a box: moving shapes avoid it
  if (!c->moves) {
    s->shape.kind = DM_SHAPE_BOX;
    s->frame = c->frame;
    for (int i = 0; i < 3; i++) s->shape.half[i] = size[i] / 2;
    return DM_OK;
  }
  for (int i = 0; i < 24; i++) x[i] = (i / 3 >> i % 3 & 1 ? 0.5 : -0.5) * size[i % 3];
  return enclose(c, e, 8, x, s);
}

// -- meshes

static dm_status read_mesh(collision *c, const pb_xml_node *e, pb_shape *s) {
  const char *name;
  dm_message why = {""};
  pb_mesh mesh;
  const dm_status status = pb_mesh_element(&c->x, e, c->urdf->name, &name, &mesh, &why);
  if (status == DM_IO)
    return pb_refuse_xml(&c->x, e, "link '%.64s': its mesh '%.128s' cannot be read: %.100s%s",
                         c->link, name, why.text,
                         strncmp(name, "package://", 10)
                             ? ""
                             : "; it was looked for in this file's folder and those above");
  DM_TRY(status);

  // "mesh NAME"
  const size_t size = strlen(name) + 6;
  char *about = pb_arena_alloc(c->x.r->arena, size, 1);
  if (!about) return DM_NO_MEMORY;
  snprintf(about, size, "mesh %s", name);
  s->about = about;
  return enclose(c, e, mesh.n, mesh.x, s);
}

// the geometries of a <collision>
static const struct geometry {
  const char *word;
  dm_status (*read)(collision *c, const pb_xml_node *e, pb_shape *s);
} geometries[] = {{"sphere", read_sphere},
                  {"capsule", read_capsule},
                  {"cylinder", read_cylinder},
                  {"box", read_box},
                  {"mesh", read_mesh}};

enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

// -- links

static dm_status read_geometry(collision *c, const pb_xml_node *element, pb_shape *s) {
  pb_xml_node *geometry;
  double xyz[3], rpy[3];
  DM_TRY(pb_xml_origin(&c->x, element, xyz, rpy));
  c->frame = dm_pose_rpy(rpy, xyz);
  DM_TRY(pb_xml_child(&c->x, element, "geometry", &geometry));

  // the first element, looked up in the table of kinds
  const pb_xml_node *e = geometry ? pb_xml_next(geometry->children, NULL) : NULL;
  for (int i = 0; e && i < GEOMETRIES; i++)
    if (!strcmp(e->name, geometries[i].word)) {
      s->about = geometries[i].word;
      return geometries[i].read(c, e, s);
    }
  return pb_refuse_xml(&c->x, e ? e : element,
                       "link '%.64s': found %s%.40s%s, expected a <geometry> with sphere, capsule, "
                       "cylinder, box or mesh",
                       c->link, e ? "<" : "", e ? e->name : "a <collision> of nothing",
                       e ? ">" : "");
}

static int count_collisions(const pb_xml_node *link) {
  int n = 0;
  for (pb_xml_node *e = pb_xml_next(link->children, "collision"); e;
       e = pb_xml_next(e->next, "collision"))
    n++;
  return n;
}

static dm_status read_link(collision *c, const pb_xml_node *link, int body, int *n,
                           pb_shape *shapes) {
  const int count = count_collisions(link);
  int i = 0;
  c->link = c->m->body_name[body];
  c->moves = c->m->body_joint[body] >= 0;
  for (pb_xml_node *e = pb_xml_next(link->children, "collision"); e;
       e = pb_xml_next(e->next, "collision"), i++, ++*n) {
    pb_shape *s = &shapes[*n];
    *s = (pb_shape){.body = body};

    // LINK, or LINK_1, LINK_2 .. for a link with several shapes; dots are reserved for output rows
    const char **out = &s->name;
    const size_t size = strlen(c->link) + 16;
    char *name = pb_arena_alloc(c->x.r->arena, size, 1);
    if (!name) return DM_NO_MEMORY;
    snprintf(name, size, count > 1 ? "%s_%d" : "%s", c->link, i + 1);
    for (char *at = strchr(name, '.'); at; at = strchr(at, '.')) *at = '_';
    *out = name;

    DM_TRY(read_geometry(c, e, s));
  }
  return DM_OK;
}

// all links of the file that are in the model, or only the wanted ones
static dm_status read_links(collision *c, const bool *wanted, int *n, pb_shape **shapes) {
  pb_xml_node *first = pb_xml_next(pb_xml_root(&c->x)->children, "link");
  int room = 0;
  for (pb_xml_node *e = first; e; e = pb_xml_next(e->next, "link")) room += count_collisions(e);
  PB_NEW(c->x.r->arena, *shapes, room + 1);
  for (pb_xml_node *e = first; e; e = pb_xml_next(e->next, "link")) {
    const char *name;
    DM_TRY(pb_xml_name(&c->x, e, "name", &name));
    const int body = dm_model_body(c->m, name);
    if (body >= 0 && wanted[body]) DM_TRY(read_link(c, e, body, n, *shapes));
  }
  return DM_OK;
}

// true: all links; a list: those links, which must exist
static dm_status read_wanted(const pb_reader *r, const pb_node *which, const dm_model *m,
                             bool *wanted) {
  char found[64];
  for (int i = 0; i < m->nbody; i++) wanted[i] = which->kind == PB_SCALAR;
  if (which->kind == PB_SCALAR && !strcmp(which->text, "true")) return DM_OK;
  if (which->kind != PB_SEQUENCE)
    return pb_refuse_node(r, which, PATH ": found %s, expected true, false or a list of links",
                          pb_node_describe(which, found));
  for (const pb_node *e = which->first; e; e = e->next) {
    int body;
    DM_TRY(pb_schema_name(r, PATH "[]", e, "link", m->body_name, m->nbody, &body));
    wanted[body] = true;
  }
  return DM_OK;
}

// a link named in the list must have a shape
static dm_status check_found(const pb_reader *r, const pb_node *which, int n,
                             const pb_shape *shapes, const dm_model *m) {
  for (const pb_node *e = which->first; e; e = e->next) {
    bool has = false;
    for (int i = 0; i < n; i++) has = has || !strcmp(m->body_name[shapes[i].body], e->text);
    if (!has)
      return pb_refuse_node(r, e, PATH "[]: found '%.64s', which has no <collision>", e->text);
  }
  return n ? DM_OK : pb_refuse_node(r, which, PATH ": found no <collision> in the robot's file");
}

dm_status pb_collision_read(pb_reader *r, const pb_node *which, const pb_source *urdf,
                            const dm_model *m, int *n, pb_shape **shapes) {
  collision c = {.urdf = urdf, .m = m};
  bool *wanted;
  *n = 0;
  *shapes = NULL;
  if (!which || (which->kind == PB_SCALAR && !strcmp(which->text, "false"))) return DM_OK;
  PB_NEW(r->arena, wanted, m->nbody);
  DM_TRY(read_wanted(r, which, m, wanted));
  if (!urdf) return pb_refuse_node(r, which, PATH ": found no model.robot, expected one");
  DM_TRY(pb_xml_open(&c.x, r, urdf->path, urdf->bytes, urdf->size));
  const char *root = pb_xml_root(&c.x)->name;
  const dm_status s = strcmp(root, "mujoco")
                          ? read_links(&c, wanted, n, shapes)
                          : pb_refuse_node(r, which,
                                           PATH ": found a robot in MuJoCo's XML, whose geoms are "
                                                "not taken, expected shapes in keep_out.shapes");
  return s == DM_OK ? check_found(r, which, *n, *shapes, m) : s;
}
