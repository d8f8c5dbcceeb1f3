#include "problems/readers/model/mjcf_geom.h"

#include "lib/base/names.h"
#include "problems/readers/model/mesh_file.h"
#include "problems/readers/model/mesh_weight.h"
#include "problems/readers/model/solid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pb_mjcf_shape {
  const char *word;
  int sizes;                                       // required sizes, each above 0
  bool fromto;                                     // fromto may replace all but the first size
  double (*weigh)(const double s[3], double J[3]); // NULL: no mass, or a mesh
  double (*shell)(const double s[3], double J[3]); // NULL: not supported
};

static const struct pb_mjcf_shape shapes[] = {
    {"sphere", 1, false, pb_solid_sphere, pb_shell_sphere},
    {"capsule", 2, true, pb_solid_capsule, pb_shell_capsule},
    {"cylinder", 2, true, pb_solid_cylinder, pb_shell_cylinder},
    {"box", 3, true, pb_solid_box, pb_shell_box},
    {"ellipsoid", 3, true, pb_solid_ellipsoid, NULL},
    {"mesh", 0, false, NULL, NULL},
    {"plane", 0, false, NULL, NULL},
    {"hfield", 0, false, NULL, NULL},
    {"sdf", 0, false, NULL, NULL},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

// -- elements

dm_status pb_mjcf_geom_read(const pb_mjcf *m, const pb_xml_node *e, int around, pb_mjcf_geom *out) {
  const char *list[SHAPES];
  double group = 0, half;
  dm_pose ends;
  bool by_ends = false;
  int word = 0, n;
  for (int i = 0; i < SHAPES; i++) list[i] = shapes[i].word;

  // kind and pose
  *out = (pb_mjcf_geom){0};
  DM_TRY(pb_mjcf_at(m, e, around, &out->at));
  DM_TRY(pb_mjcf_word(m, out->at, "type", list, SHAPES, &word));
  DM_TRY(pb_mjcf_pose(m, out->at, &out->frame, NULL));
  DM_TRY(pb_mjcf_number(m, out->at, "group", &group));
  out->shape = &shapes[word];
  out->kind = out->shape->word;
  out->group = (int)fmin(fmax(group, -1), 99);

  // size
  DM_TRY(pb_mjcf_numbers(m, out->at, "size", 3, out->size, &n));
  const bool may = out->shape->fromto;
  if (may) DM_TRY(pb_mjcf_ends(m, out->at, &ends, &half, &by_ends));
  const int must = by_ends ? 1 : out->shape->sizes;
  for (int i = 0; i < must; i++)
    if (i >= n || !(out->size[i] > 0))
      return pb_refuse_xml(m->x, e, "<geom>: found a %s without %d size%s above 0", out->kind, must,
                           must > 1 ? "s" : "");
  if (!by_ends) return DM_OK;

  // for a box and an ellipsoid the first size is both lateral sizes
  out->frame = ends;
  out->size[1] = half;
  if (out->shape->sizes < 3) return DM_OK;
  out->size[2] = half;
  out->size[1] = out->size[0];
  return DM_OK;
}

// the element of <asset> with this word and name
static dm_status find_asset(const pb_mjcf *m, const char *word, const char *name,
                            pb_mjcf_element *out) {
  out->e = NULL;
  for (pb_xml_node *s = NULL; (s = pb_mjcf_section(m, "asset", s));)
    for (pb_xml_node *e = pb_xml_next(s->children, word); e; e = pb_xml_next(e->next, word)) {
      const char *own, *file;
      own = pb_xml_get(e, "name");
      file = pb_xml_get(e, "file");

      // without a name, a mesh has the name of its file without folder and extension
      const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
      const size_t length = base ? strcspn(base, ".") : 0;
      const bool same =
          own ? !strcmp(own, name) : base && strlen(name) == length && !strncmp(base, name, length);
      if (same) return pb_mjcf_at(m, e, m->outermost, out);
    }
  return DM_OK;
}

dm_status pb_mjcf_geom_colour(const pb_mjcf *m, const pb_mjcf_geom *g, double colour[4]) {
  const char *name;
  pb_mjcf_element at = g->at;
  double c[4];
  int n;
  DM_TRY(pb_mjcf_text(m, at, "material", &name));
  if (!pb_mjcf_holder(m, at, "rgba") && name) {
    DM_TRY(find_asset(m, "material", name, &at));
    if (!at.e) return DM_OK;
  }
  DM_TRY(pb_mjcf_numbers(m, at, "rgba", 4, c, &n));
  if (n == 4)
    for (int i = 0; i < 4; i++) colour[i] = fmin(fmax(c[i], 0), 1);
  return DM_OK;
}

// -- meshes

// all numbers of an attribute of any length
static dm_status read_inline_numbers(const pb_mjcf *m, const pb_xml_node *e, const char *name,
                                     int *n, double **list) {
  const char *text;
  *n = 0;
  *list = NULL;
  text = pb_xml_get(e, name);
  if (!text) return DM_OK;
  const int room = (int)(strlen(text) / 2) + 2;
  PB_NEW(m->x->r->arena, *list, room);
  return pb_xml_numbers(m->x, e, name, room, *list, n);
}

// vertices and faces written in the MJCF file
static dm_status read_inline_mesh(const pb_mjcf *m, const pb_xml_node *e, pb_mesh *out) {
  double *corner;
  int n, nx;
  DM_TRY(read_inline_numbers(m, e, "vertex", &nx, &out->x));
  DM_TRY(read_inline_numbers(m, e, "face", &n, &corner));
  out->n = nx / 3;
  out->nside = n / 3;
  if (nx < 9 || nx % 3 || n % 3)
    return pb_refuse_xml(m->x, e,
                         "<mesh>: found %d numbers of vertices and %d of faces, expected three of "
                         "each one, or a file",
                         nx, n);

  // face indices must refer to existing vertices
  PB_NEW(m->x->r->arena, out->side, out->nside + 1);
  for (int i = 0; i < n; i++) {
    if (!(corner[i] >= 0 && corner[i] < out->n))
      return pb_refuse_xml(m->x, e, "<mesh face>: found the vertex %g of %d", corner[i], out->n);
    out->side[i / 3][i % 3] = (int)corner[i];
  }
  return DM_OK;
}

static dm_status read_mesh_file(const pb_mjcf *m, const pb_xml_node *e, const char *file,
                                pb_mesh *out, dm_message *why) {
  const pb_mjcf_settings *s = pb_mjcf_settings_of(m, e);
  const pb_source *source;
  if (s->strippath && strrchr(file, '/')) file = strrchr(file, '/') + 1;
  const size_t folder = file[0] == '/' ? 0 : strlen(s->meshdir);
  char *path;
  PB_NEW(m->x->r->arena, path, folder + strlen(file) + 2);
  memcpy(path, s->meshdir, folder);
  if (folder && path[folder - 1] != '/') strcat(path, "/");
  strcat(path, file);
  DM_TRY(pb_mesh_find(m->x->r, s->name, path, &source, why));
  return pb_mesh_read(m->x->r, source->path, source->bytes, source->size, out);
}

// apply scale and the reference frame of the vertices
static dm_status place_vertices(const pb_mjcf *m, pb_mjcf_element at, pb_mesh *mesh) {
  double scale[] = {1, 1, 1}, p[3] = {0}, q[] = {1, 0, 0, 0};
  int n;
  DM_TRY(pb_mjcf_numbers(m, at, "scale", 3, scale, &n));
  DM_TRY(pb_mjcf_numbers(m, at, "refpos", 3, p, &n));
  DM_TRY(pb_mjcf_numbers(m, at, "refquat", 4, q, &n));
  const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= size > 0 ? size : 1;

  // a reflection reverses the orientation of faces
  const bool mirrored = scale[0] * scale[1] * scale[2] < 0;
  for (int i = 0; mirrored && mesh->side && i < mesh->nside; i++) {
    const int corner = mesh->side[i][1];
    mesh->side[i][1] = mesh->side[i][2];
    mesh->side[i][2] = corner;
  }
  for (int i = 0; mirrored && !mesh->side && i + 2 < mesh->n; i += 3) {
    double *a = mesh->x + 3 * (size_t)(i + 1), corner[3];
    memcpy(corner, a, sizeof corner);
    memcpy(a, a + 3, sizeof corner);
    memcpy(a + 3, corner, sizeof corner);
  }

  // x = scale R' (x - p)
  const dm_pose X = pb_mjcf_pose_turned(q, dm_v(p[0], p[1], p[2]));
  for (int i = 0; i < mesh->n; i++) {
    double *x = mesh->x + 3 * (size_t)i;
    const dm_vec a = dm_unrotate(&X, dm_sub(dm_v(x[0], x[1], x[2]), X.p));
    x[0] = scale[0] * a.x;
    x[1] = scale[1] * a.y;
    x[2] = scale[2] * a.z;
  }
  return DM_OK;
}

// the <mesh> named by a geom
static dm_status find_mesh(const pb_mjcf *m, const pb_mjcf_geom *g, pb_mjcf_element *out) {
  const char *name;
  DM_TRY(pb_mjcf_text(m, g->at, "mesh", &name));
  if (!name) return pb_refuse_xml(m->x, g->at.e, "<geom>: found a mesh without mesh=\"...\"");
  DM_TRY(find_asset(m, "mesh", name, out));
  if (out->e) return DM_OK;
  return pb_refuse_xml(m->x, g->at.e, "<geom>: found mesh=\"%.64s\", which no <asset> has", name);
}

dm_status pb_mjcf_geom_mesh(const pb_mjcf *m, const pb_mjcf_geom *g, pb_mesh *out,
                            dm_message *why) {
  const char *file, *builtin;
  pb_mjcf_element at;
  *out = (pb_mesh){0};
  DM_TRY(find_mesh(m, g, &at));
  builtin = pb_xml_get(at.e, "builtin");
  if (builtin && strcmp(builtin, "none") != 0)
    return pb_refuse_xml(m->x, at.e, "<mesh>: found builtin=\"%.40s\", expected vertices or a file",
                         builtin);

  // a file or inline numbers; points without faces mean their convex hull
  file = pb_xml_get(at.e, "file");
  if (file)
    DM_TRY(read_mesh_file(m, at.e, file, out, why));
  else
    DM_TRY(read_inline_mesh(m, at.e, out));
  DM_TRY(place_vertices(m, at, out));
  if (!out->side || out->nside > 0) return DM_OK;
  const dm_status s = pb_mesh_wrap(m->x->r->arena, out);
  if (s != DM_BAD_INPUT) return s;
  return pb_refuse_xml(m->x, at.e,
                       "<mesh>: found %d points in a plane, expected a hull with a volume", out->n);
}

// -- masses

static dm_status weigh_mesh(const pb_mjcf *m, const pb_mjcf_geom *g, bool shell, dm_inertia *out) {
  dm_message why = {""};
  pb_mesh mesh;
  pb_mjcf_element at;
  bool solid;
  int rule = pb_mjcf_settings_of(m, g->at.e)->exact ? PB_MESH_EXACT : PB_MESH_LEGACY;
  dm_status s = pb_mjcf_geom_mesh(m, g, &mesh, &why);
  if (s == DM_IO)
    return pb_refuse_xml(m->x, g->at.e,
                         "<geom>: its mesh cannot be weighed: %.160s; expected the file, or an "
                         "<inertial> of the body",
                         why.text);
  DM_TRY(s);

  // the rule for the mesh's volume
  DM_TRY(find_mesh(m, g, &at));
  DM_TRY(pb_mjcf_word(m, at, "inertia", pb_mesh_rule_words, PB_MESH_RULES, &rule));
  if (shell) rule = PB_MESH_SHELL;

  // mass and inertia
  s = pb_mesh_weigh(m->x->r->arena, &mesh, (pb_mesh_rule)rule, out, &solid);
  if (s == DM_BAD_INPUT)
    return pb_refuse_xml(m->x, g->at.e,
                         "<geom>: found a mesh without a volume inside its sides, expected an "
                         "<inertial> of the body, or inertia=\"shell\" or \"convex\" of the mesh");
  DM_TRY(s);
  if (solid || rule != PB_MESH_LEGACY) return DM_OK;
  return pb_warn_xml(m->x, g->at.e,
                     "<geom>: its mesh is not convex and closed: its mass is %.4g m3 times its "
                     "density, by MuJoCo's rule 'legacy', which differs from its volume",
                     out->m);
}

static dm_status weigh_shape(const pb_mjcf *m, const pb_mjcf_geom *g, bool shell, dm_inertia *out) {
  static const double centre[3];
  double J[6] = {0};
  if (shell && !g->shape->shell)
    return pb_refuse_xml(m->x, g->at.e,
                         "<geom>: found shellinertia of an %s, expected an <inertial> of the body",
                         g->kind);
  const double V = (shell ? g->shape->shell : g->shape->weigh)(g->size, J);
  for (int i = 0; i < 3; i++) J[i] *= V;
  *out = dm_inertia_about(V, centre, J);
  return DM_OK;
}

dm_status pb_mjcf_geom_weigh(const pb_mjcf *m, const pb_mjcf_geom *g, dm_inertia *sum) {
  double mass = NAN, density = 1000;
  dm_inertia I;
  DM_TRY(pb_mjcf_number(m, g->at, "mass", &mass));
  DM_TRY(pb_mjcf_number(m, g->at, "density", &density));
  const bool mesh = !strcmp(g->kind, "mesh"), known = mesh || g->shape->weigh;
  const pb_mjcf_settings *s = pb_mjcf_settings_of(m, g->at.e);
  if (g->group < s->group[0] || g->group > s->group[1]) return DM_OK;
  if (isnan(mass) ? density == 0 : mass == 0) return DM_OK;
  if (mass < 0 || density < 0)
    return pb_refuse_xml(m->x, g->at.e, "<geom>: found %s %g, expected a number >= 0",
                         mass < 0 ? "mass" : "density", mass < 0 ? mass : density);

  // a plane has no volume
  if (!known && strcmp(g->kind, "sdf") != 0) return DM_OK;
  const bool fits = !mesh && pb_mjcf_holder(m, g->at, "mesh");
  if (!known || fits)
    return pb_refuse_xml(m->x, g->at.e,
                         "<geom>: found %s, which is not weighed, expected an <inertial> of the "
                         "body",
                         fits ? "a shape that is fitted to a mesh" : "an sdf");
  static const char *const truth[] = {"false", "true"};
  int shell = 0;
  DM_TRY(pb_mjcf_word(m, g->at, "shellinertia", truth, 2, &shell));
  DM_TRY(mesh ? weigh_mesh(m, g, shell, &I) : weigh_shape(m, g, shell, &I));

  // mass takes precedence over density
  const double k = isnan(mass) ? density : mass / I.m;
  double *const part[] = {&I.m, &I.c.x, &I.c.y, &I.c.z, &I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] *= k;

  I = dm_inertia_move(&I, &g->frame);
  dm_inertia_add(sum, &I);
  return DM_OK;
}
