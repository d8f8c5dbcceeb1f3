#include "problems/readers/model/visuals.h"

#include "problems/readers/model/mesh_file.h"
#include "problems/readers/model/mjcf_expand.h"
#include "problems/readers/model/mjcf_geom.h"
#include "problems/readers/model/mjcf_mass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct looker {
  pb_xml x;
  dm_message why; // a reader's message about the last element
  const pb_source *urdf;
  const dm_model *m;
  const char *link;
  pb_visuals *out;
} looker;

// -- sizes

static bool read_round(looker *w, const pb_xml_node *e, pb_visual *v) {
  static const char *const name[] = {"radius", "length"};

  // n numbers of attributes, each above 0
  const int n = strcmp(v->kind, "sphere") ? 2 : 1;
  for (int i = 0; i < n; i++) {
    bool there = false;
    if (pb_xml_number(&w->x, e, name[i], &v->size[i], &there) != DM_OK) return false;
    if (!there || v->size[i] <= 0) {
      snprintf(w->why.text, sizeof w->why.text, "found a <%s> without a %s above 0", e->name,
               name[i]);
      return false;
    }
  }
  return true;
}

static bool read_cuboid(looker *w, const pb_xml_node *e, pb_visual *v) {
  if (pb_xml_vector(&w->x, e, "size", v->size) != DM_OK) return false;
  if (v->size[0] > 0 && v->size[1] > 0 && v->size[2] > 0) return true;
  snprintf(w->why.text, sizeof w->why.text, "found a <box> without a size above 0");
  return false;
}

// -- meshes

// copy the vertices of a mesh's triangles
static bool take_triangles(looker *w, const pb_mesh *mesh, pb_visual *v) {
  v->triangles = mesh->side ? mesh->nside : mesh->n / 3;
  double *x = pb_arena_alloc(w->x.r->arena, 9 * (size_t)v->triangles + 1, sizeof *x);
  if (!x) return false;
  for (int i = 0; i < 3 * v->triangles; i++) {
    const int corner = mesh->side ? mesh->side[i / 3][i % 3] : i;
    memcpy(x + 3 * (size_t)i, mesh->x + 3 * (size_t)corner, 3 * sizeof *x);
  }
  v->x = x;
  return v->triangles > 0;
}

static bool read_look_of_mesh(looker *w, const pb_xml_node *e, pb_visual *v) {
  const char *name;
  dm_message why = {""};
  pb_mesh mesh;
  const dm_status s = pb_mesh_element(&w->x, e, w->urdf->name, &name, &mesh, &why);

  // the reader has reported all errors except missing files
  if (s == DM_IO)
    snprintf(w->why.text, sizeof w->why.text, "its mesh '%.128s' cannot be read: %.120s", name,
             why.text);
  return s == DM_OK && take_triangles(w, &mesh, v);
}

// -- elements

static const struct look {
  const char *kind;
  bool (*read)(looker *w, const pb_xml_node *e, pb_visual *v);
} looks[] = {{"box", read_cuboid},
             {"cylinder", read_round},
             {"sphere", read_round},
             {"capsule", read_round},
             {"mesh", read_look_of_mesh}};

enum { LOOKS = sizeof looks / sizeof *looks };

// <color rgba> of a <material>
static bool read_rgba(const pb_xml_node *material, double colour[4]) {
  pb_xml_node *e = material ? pb_xml_next(material->children, "color") : NULL;
  const char *text = pb_xml_get(e, "rgba");
  double c[4];
  if (!text) return false;
  for (int i = 0; i < 4; i++) {
    char *end;
    c[i] = strtod(text, &end);
    if (end == text || !(c[i] >= 0 && c[i] <= 1)) return false;
    text = end;
  }
  memcpy(colour, c, sizeof c);
  return true;
}

// the color of the element's own <material>, or of the robot's material with that name
static void read_colour(looker *w, const pb_xml_node *element, double colour[4]) {
  pb_xml_node *own = pb_xml_next(element->children, "material");
  if (!own || read_rgba(own, colour)) return;
  const char *name = pb_xml_get(own, "name");
  if (!name) return;
  pb_xml_node *e = pb_xml_root(&w->x)->children;
  for (e = pb_xml_next(e, "material"); e; e = pb_xml_next(e->next, "material")) {
    const char *other = pb_xml_get(e, "name");
    if (other && !strcmp(name, other) && read_rgba(e, colour)) return;
  }
}

// read one <visual> or <collision>; returns false, with the reason in why, if it cannot be drawn
static bool read_look(looker *w, const pb_xml_node *element, int body, pb_visual *v) {
  double xyz[3], rpy[3];
  w->why.text[0] = 0;
  *v = (pb_visual){.joint = w->m->body_joint[body], .colour = {-1, -1, -1, -1}};
  if (pb_xml_origin(&w->x, element, xyz, rpy) != DM_OK) return false;
  const dm_pose own = dm_pose_rpy(rpy, xyz);
  v->frame = dm_compose(&w->m->body_pose[body], &own);
  read_colour(w, element, v->colour);

  // the first shape in <geometry>, looked up in the table above
  const pb_xml_node *geometry = pb_xml_next(element->children, "geometry");
  const pb_xml_node *e = geometry ? pb_xml_next(geometry->children, NULL) : NULL;
  for (int i = 0; e && i < LOOKS; i++)
    if (!strcmp(e->name, looks[i].kind)) {
      v->kind = looks[i].kind;
      return looks[i].read(w, e, v);
    }
  snprintf(w->why.text, sizeof w->why.text, "found a geometry of a kind that is not drawn");
  return false;
}

static dm_status add_missing(looker *w, const char *word) {
  char text[640];
  snprintf(text, sizeof text, "link '%.64s': a <%s> is not shown: %.400s", w->link, word,
           w->why.text);
  return pb_warnings_add(w->out->missing, NULL, text);
}

// read all elements with this word in a link; found: whether any can be drawn
static dm_status read_looks(looker *w, const pb_xml_node *link, int body, const char *word,
                            bool *found) {
  for (pb_xml_node *e = pb_xml_next(link->children, word); e; e = pb_xml_next(e->next, word)) {
    pb_visual *v = &w->out->list[w->out->n];
    if (!read_look(w, e, body, v)) {
      DM_TRY(add_missing(w, word));
      continue;
    }
    w->out->n++;
    *found = true;
  }
  return DM_OK;
}

static int count_children(const pb_xml_node *link) {
  int n = 0;
  for (pb_xml_node *e = pb_xml_next(link->children, NULL); e; e = pb_xml_next(e->next, NULL)) n++;
  return n;
}

static dm_status read_all_links(looker *w) {
  pb_xml_node *first = pb_xml_next(pb_xml_root(&w->x)->children, "link");
  int room = 0;
  for (pb_xml_node *e = first; e; e = pb_xml_next(e->next, "link")) room += count_children(e);
  PB_NEW(w->x.r->arena, w->out->list, room + 1);
  for (pb_xml_node *e = first; e; e = pb_xml_next(e->next, "link")) {
    bool found = false;
    if (pb_xml_name(&w->x, e, "name", &w->link) != DM_OK) continue;
    const int body = dm_model_body(w->m, w->link);
    if (body < 0) continue;
    DM_TRY(read_looks(w, e, body, "visual", &found));
    if (!found) DM_TRY(read_looks(w, e, body, "collision", &found));
  }
  return DM_OK;
}

// -- geoms of MuJoCo's XML

// triangles of an ellipsoid, as a sphere divided by circles of latitude
static bool take_ellipsoid(looker *w, const double half[3], pb_visual *v) {
  enum { CIRCLES = 12, STEPS = 24 };
  static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
  const double pi = acos(-1);
  double *x = pb_arena_alloc(w->x.r->arena, 18 * CIRCLES * STEPS, sizeof *x);
  if (!x) return false;
  v->kind = "mesh";
  v->x = x;
  v->triangles = 2 * CIRCLES * STEPS;

  // two triangles per patch, oriented outward
  for (int i = 0; i < 6 * CIRCLES * STEPS; i++, x += 3) {
    const int *c = corner[i % 6], patch = i / 6, circle = patch / STEPS;
    const double up = pi * (circle + c[0]) / CIRCLES;
    const double round = 2 * pi * (patch % STEPS + c[1]) / STEPS;
    x[0] = half[0] * sin(up) * cos(round);
    x[1] = half[1] * sin(up) * sin(round);
    x[2] = half[2] * cos(up);
  }
  return true;
}

// convert the shape of a geom to a visual
static bool take_shape(looker *w, const pb_mjcf *m, const pb_mjcf_geom *g, pb_visual *v) {
  const double *size = g->size;
  for (int i = 0; i < LOOKS; i++)
    if (!strcmp(g->kind, looks[i].kind)) v->kind = looks[i].kind;
  if (!strcmp(g->kind, "ellipsoid")) return take_ellipsoid(w, size, v);
  if (!v->kind) {
    snprintf(w->why.text, sizeof w->why.text, "found a %s, a kind that is not drawn", g->kind);
    return false;
  }

  // radius and full length, or full side lengths
  const bool box = !strcmp(v->kind, "box");
  for (int i = 0; i < 3; i++) v->size[i] = (box || i ? 2 : 1) * size[i];
  if (strcmp(v->kind, "mesh") != 0) return true;
  pb_mesh mesh;
  dm_message why = {""};
  const dm_status s = pb_mjcf_geom_mesh(m, g, &mesh, &why);
  if (s == DM_IO)
    snprintf(w->why.text, sizeof w->why.text, "its mesh cannot be read: %.300s", why.text);
  return s == DM_OK && take_triangles(w, &mesh, v);
}

// read the geoms of a body (-1: the world) that MuJoCo shows (groups 0 to 2), or the others; found:
// whether any can be drawn
static dm_status read_geoms(looker *w, const pb_mjcf *m, const pb_xml_node *e, int class, int body,
                            bool shown, bool *found) {
  for (pb_xml_node *g = pb_xml_next(e->children, "geom"); g; g = pb_xml_next(g->next, "geom")) {
    pb_visual *v = &w->out->list[w->out->n];
    pb_mjcf_geom geom;
    w->why.text[0] = 0;
    const bool read = pb_mjcf_geom_read(m, g, class, &geom) == DM_OK;
    if (read && (!strcmp(geom.kind, "plane") || (geom.group <= 2) != shown)) continue;

    // pose, color and shape
    *v = (pb_visual){.joint = body < 0 ? -1 : w->m->body_joint[body], .colour = {-1, -1, -1, -1}};
    if (read) v->frame = body < 0 ? geom.frame : dm_compose(&w->m->body_pose[body], &geom.frame);
    if (read && pb_mjcf_geom_colour(m, &geom, v->colour) == DM_OK && take_shape(w, m, &geom, v)) {
      w->out->n++;
      *found = true;
    } else if (shown) {
      DM_TRY(add_missing(w, "geom"));
    }
  }
  return DM_OK;
}

// read the visuals of a body and its descendants; of the world if e is <worldbody>
static dm_status read_body_looks(looker *w, pb_mjcf *m, const pb_xml_node *e, int around) {
  const bool world = !strcmp(e->name, "worldbody");
  bool found = false;
  int class;
  w->link = "world";
  DM_TRY(pb_mjcf_class_of(m, e, "childclass", around, &class));
  if (!world) DM_TRY(pb_mjcf_body_name(m, e, &w->link));
  if (!world) DM_TRY(pb_mjcf_align_body(m, e, class, w->link));
  const int body = world ? -1 : dm_model_body(w->m, w->link);
  if (world || body >= 0) {
    DM_TRY(read_geoms(w, m, e, class, body, true, &found));
    if (!found) DM_TRY(read_geoms(w, m, e, class, body, false, &found));
  }
  for (const pb_xml_node *b = pb_xml_next(e->children, "body"); b; b = pb_xml_next(b->next, "body"))
    DM_TRY(read_body_looks(w, m, b, class));
  return DM_OK;
}

static int count_geoms(const pb_xml_node *top) {
  int n = 0;
  for (const pb_xml_node *e = pb_xml_next(top->children, NULL); e; e = pb_xml_next(e->next, NULL))
    n += !strcmp(e->name, "geom") + count_geoms(e);
  return n;
}

static dm_status read_all_geoms(looker *w) {
  pb_mjcf m;
  DM_TRY(pb_mjcf_begin(&m, &w->x, w->urdf->name));
  PB_NEW(w->x.r->arena, w->out->list, count_geoms(pb_xml_root(&w->x)) + 1);
  for (pb_xml_node *e = NULL; (e = pb_mjcf_section(&m, "worldbody", e));)
    DM_TRY(read_body_looks(w, &m, e, m.outermost));
  return DM_OK;
}

// -- wheels and balls that roll

// The width of the largest cylinder or sphere of a wheel among the first n visuals; 0 if the wheel has no visual.
static double find_width(const pb_visuals *v, int n, int joint, double radius) {
  double width = 0;
  for (int i = 0; i < n; i++) {
    if (v->list[i].joint != joint) continue;
    width = fmax(width, 0.1 * radius);
    if (!strcmp(v->list[i].kind, "cylinder")) width = fmax(width, v->list[i].size[1]);
  }
  return width;
}

// Draw each rolling constraint: a disk of its radius if the body has no visuals, and a dark bar
// across it, or a band around a ball, which show how it turns.
static dm_status add_wheels(looker *w, const pb_robot *robot) {
  static const double DARK[4] = {0.2, 0.24, 0.3, 1}, PLAIN[4] = {-1, -1, -1, -1};
  const dm_roller *list;
  const int n =
      robot->mechanism.rolling ? dm_rolling_described(robot->mechanism.rolling, &list) : 0;
  const int read = w->out->n;
  pb_visual *all;
  if (!n) return DM_OK;
  PB_NEW(w->x.r->arena, all, read + 2 * n);
  if (read) memcpy(all, w->out->list, (size_t)read * sizeof *all);
  w->out->list = all;
  for (int i = 0; i < n; i++) {
    const dm_roller *x = &list[i];
    if (x->kind != DM_ROLLING_WHEEL) continue;
    const double r = x->radius;
    const dm_vec axle = dm_v(x->axis[0], x->axis[1], x->axis[2]);
    const bool ball = dm_dot(axle, axle) == 0;
    const dm_vec center = dm_v(x->point[0], x->point[1], x->point[2]);
    const dm_pose own = dm_pose_along(ball ? dm_v(0, 0, 1) : axle, center);
    const int joint = w->m->body_joint[x->body[0]];
    const dm_pose at = dm_compose(&w->m->body_pose[x->body[0]], &own);
    double width = find_width(w->out, read, joint, r);
    if (width == 0) {
      width = 0.2 * r;
      pb_visual disk = {.kind = ball ? "sphere" : "cylinder",
                        .joint = joint,
                        .frame = at,
                        .size = {r, ball ? 0 : width, 0}};
      memcpy(disk.colour, PLAIN, sizeof PLAIN);
      all[w->out->n++] = disk;
    }
    const double side[] = {1.8 * r, 0.15 * r, 1.05 * width}, band[] = {1.005 * r, 0.15 * r, 0};
    pb_visual mark = {.kind = ball ? "cylinder" : "box", .joint = joint, .frame = at, .rolls = r};
    memcpy(mark.size, ball ? band : side, sizeof side);
    memcpy(mark.colour, DARK, sizeof DARK);
    all[w->out->n++] = mark;
  }
  return DM_OK;
}

dm_status pb_visuals_read(pb_visuals *out, const pb_robot *robot, const char *problem) {
  pb_arena arena = {0};
  struct pb_warnings unused = {0};
  looker w = {.urdf = robot->file, .m = robot->mechanism.tree, .out = out};
  pb_reader r = {.arena = &arena,
                 .warnings = &unused,
                 .msg = &w.why,
                 .file = problem,
                 .known = robot->file}; // included files follow it
  *out = (pb_visuals){0};
  out->missing = pb_arena_alloc(&arena, 1, sizeof *out->missing);
  dm_status s = out->missing ? DM_OK : DM_NO_MEMORY;

  // parse the stored file again, by its format
  if (s == DM_OK && robot->file) {
    s = pb_xml_open(&w.x, &r, robot->file->path, robot->file->bytes, robot->file->size);
    if (s == DM_OK)
      s = strcmp(pb_xml_root(&w.x)->name, "mujoco") ? read_all_links(&w) : read_all_geoms(&w);
  }
  w.x.r = &r;
  if (s == DM_OK) s = add_wheels(&w, robot);
  pb_warnings_free(&unused);
  out->memory = arena.last;
  return s;
}

void pb_visuals_free(pb_visuals *v) {
  pb_arena arena = {v->memory};
  if (v->missing) pb_warnings_free(v->missing);
  pb_arena_free(&arena);
  *v = (pb_visuals){0};
}
