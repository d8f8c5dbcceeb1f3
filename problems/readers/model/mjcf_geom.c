#include "problems/readers/model/mjcf_geom.h"

#include "lib/base/names.h"
#include "problems/readers/model/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// -- solids: their volume, and their moments of inertia for a mass of 1

static double weigh_sphere(const double s[3], double J[3]) {
  for (int i = 0; i < 3; i++) J[i] = 0.4 * s[0] * s[0];
  return 4 * PI / 3 * s[0] * s[0] * s[0];
}

static double weigh_ellipsoid(const double s[3], double J[3]) {
  for (int i = 0; i < 3; i++) {
    const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
    J[i] = (a * a + b * b) / 5;
  }
  return 4 * PI / 3 * s[0] * s[1] * s[2];
}

static double weigh_box(const double s[3], double J[3]) {
  for (int i = 0; i < 3; i++) {
    const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
    J[i] = (a * a + b * b) / 3;
  }
  return 8 * s[0] * s[1] * s[2];
}

static double weigh_cylinder(const double s[3], double J[3]) {
  const double r = s[0], l = 2 * s[1];
  J[0] = J[1] = (3 * r * r + l * l) / 12;
  J[2] = r * r / 2;
  return PI * r * r * l;
}

// a cylinder, and half a sphere over each of its ends
static double weigh_capsule(const double s[3], double J[3]) {
  const double r = s[0], l = 2 * s[1], ends = 4 * r / (4 * r + 3 * l), middle = 1 - ends;
  J[0] = middle * (3 * r * r + l * l) / 12 + ends * (0.4 * r * r + l * (3 * r + 2 * l) / 8);
  J[2] = middle * r * r / 2 + ends * 0.4 * r * r;
  J[1] = J[0];
  return PI * r * r * (4 * r / 3 + l);
}

struct pb_mjcf_shape {
  const char *word;
  int sizes;   // that it must have, each above 0
  bool fromto; // or, but for the first or the last, these by its ends
  double (*weigh)(const double s[3], double J[3]);
};

static const struct pb_mjcf_shape shapes[] = {
    {"sphere", 1, false, weigh_sphere},
    {"capsule", 2, true, weigh_capsule},
    {"cylinder", 2, true, weigh_cylinder},
    {"box", 3, true, weigh_box},
    {"ellipsoid", 3, true, weigh_ellipsoid},
    {"mesh", 0, false, NULL},
    {"plane", 0, false, NULL},
    {"hfield", 0, false, NULL},
    {"sdf", 0, false, NULL},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

// -- elements

// both ends of its axis: its place, its turn, and half its length
static dm_status read_fromto(const pb_mjcf *m, pb_mjcf_geom *g, const xmlNode *holder,
                             const double ends[6]) {
  const dm_vec a = dm_v(ends[0], ends[1], ends[2]), b = dm_v(ends[3], ends[4], ends[5]);
  const dm_vec d = dm_sub(a, b);
  const double length = sqrt(dm_dot(d, d));
  if (!(length > 0))
    return pb_refuse_xml(m->x, holder, "<geom fromto>: found one point twice, expected two ends");
  g->frame = pb_mjcf_pose_along(dm_mul(1 / length, d), dm_mul(0.5, dm_add(a, b)));

  // of a box and an ellipsoid the first size is that of both sides
  g->size[1] = length / 2;
  if (g->shape->sizes < 3) return DM_OK;
  g->size[2] = g->size[1];
  g->size[1] = g->size[0];
  return DM_OK;
}

dm_status pb_mjcf_geom_read(const pb_mjcf *m, const xmlNode *e, int around, pb_mjcf_geom *out) {
  const char *list[SHAPES];
  double group = 0, ends[6];
  int word = 0, n, points;
  for (int i = 0; i < SHAPES; i++) list[i] = shapes[i].word;

  // what it is and where
  *out = (pb_mjcf_geom){0};
  DM_TRY(pb_mjcf_at(m, e, around, &out->at));
  DM_TRY(pb_mjcf_word(m, out->at, "type", list, SHAPES, &word));
  DM_TRY(pb_mjcf_pose(m, out->at, &out->frame, NULL));
  DM_TRY(pb_mjcf_number(m, out->at, "group", &group));
  out->shape = &shapes[word];
  out->kind = out->shape->word;
  out->group = (int)fmin(fmax(group, -1), 99);

  // how large
  DM_TRY(pb_mjcf_numbers(m, out->at, "size", 3, out->size, &n));
  DM_TRY(pb_mjcf_numbers(m, out->at, "fromto", 6, ends, &points));
  if (points && points < 6)
    return pb_refuse_xml(m->x, e, "<geom fromto>: found %d numbers, expected six", points);
  const bool by_ends = points && out->shape->fromto;
  const int must = by_ends ? 1 : out->shape->sizes;
  for (int i = 0; i < must; i++)
    if (i >= n || !(out->size[i] > 0))
      return pb_refuse_xml(m->x, e, "<geom>: found a %s without %d size%s above 0", out->kind, must,
                           must > 1 ? "s" : "");
  return by_ends ? read_fromto(m, out, pb_mjcf_holder(m, out->at, "fromto"), ends) : DM_OK;
}

// the <asset> of a word and a name
static dm_status find_asset(const pb_mjcf *m, const char *word, const char *name,
                            pb_mjcf_element *out) {
  out->e = NULL;
  for (xmlNode *s = NULL; (s = pb_mjcf_section(m, "asset", s));)
    for (xmlNode *e = pb_xml_next(s->children, word); e; e = pb_xml_next(e->next, word)) {
      const char *own, *file;
      DM_TRY(pb_xml_text(m->x, e, "name", &own));
      DM_TRY(pb_xml_text(m->x, e, "file", &file));

      // without a name it has that of its file, less the folder and the ending
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

// numbers of an attribute that may be long, as many as there are
static dm_status read_inline_numbers(const pb_mjcf *m, const xmlNode *e, const char *name, int *n,
                                     double **list) {
  const char *text;
  *n = 0;
  *list = NULL;
  DM_TRY(pb_xml_text(m->x, e, name, &text));
  if (!text) return DM_OK;
  const int room = (int)(strlen(text) / 2) + 2;
  PB_NEW(m->x->r->arena, *list, room);
  return pb_xml_numbers(m->x, e, name, room, *list, n);
}

// vertices and sides in the file itself
static dm_status read_inline_mesh(const pb_mjcf *m, const xmlNode *e, pb_mesh *out) {
  double *corner;
  int n, nx;
  DM_TRY(read_inline_numbers(m, e, "vertex", &nx, &out->x));
  DM_TRY(read_inline_numbers(m, e, "face", &n, &corner));
  out->n = nx / 3;
  out->nside = n / 3;
  if (nx < 9 || nx % 3 || n < 3 || n % 3)
    return pb_refuse_xml(m->x, e,
                         "<mesh>: found %d numbers of vertices and %d of faces, expected three of "
                         "each one, or a file",
                         nx, n);

  // corners are vertices that are there
  PB_NEW(m->x->r->arena, out->side, out->nside);
  for (int i = 0; i < n; i++) {
    if (!(corner[i] >= 0 && corner[i] < out->n))
      return pb_refuse_xml(m->x, e, "<mesh face>: found the vertex %g of %d", corner[i], out->n);
    out->side[i / 3][i % 3] = (int)corner[i];
  }
  return DM_OK;
}

static dm_status read_mesh_file(const pb_mjcf *m, const char *file, pb_mesh *out, dm_message *why) {
  const pb_source *source;
  const size_t folder = file[0] == '/' ? 0 : strlen(m->meshdir);
  char *path;
  PB_NEW(m->x->r->arena, path, folder + strlen(file) + 2);
  memcpy(path, m->meshdir, folder);
  if (folder && path[folder - 1] != '/') strcat(path, "/");
  strcat(path, file);
  DM_TRY(pb_mesh_find(m->x->r, m->name, path, &source, why));
  return pb_mesh_read(m->x->r, source->path, source->bytes, source->size, out);
}

// scale, and the frame that its vertices are given in
static dm_status place_vertices(const pb_mjcf *m, pb_mjcf_element at, pb_mesh *mesh) {
  double scale[] = {1, 1, 1}, p[3] = {0}, q[] = {1, 0, 0, 0};
  int n;
  DM_TRY(pb_mjcf_numbers(m, at, "scale", 3, scale, &n));
  DM_TRY(pb_mjcf_numbers(m, at, "refpos", 3, p, &n));
  DM_TRY(pb_mjcf_numbers(m, at, "refquat", 4, q, &n));
  const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= size > 0 ? size : 1;

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

dm_status pb_mjcf_geom_mesh(const pb_mjcf *m, const pb_mjcf_geom *g, pb_mesh *out,
                            dm_message *why) {
  const char *name, *file;
  pb_mjcf_element at;
  *out = (pb_mesh){0};
  DM_TRY(pb_mjcf_text(m, g->at, "mesh", &name));
  if (!name) return pb_refuse_xml(m->x, g->at.e, "<geom>: found a mesh without mesh=\"...\"");
  DM_TRY(find_asset(m, "mesh", name, &at));
  if (!at.e)
    return pb_refuse_xml(m->x, g->at.e, "<geom>: found mesh=\"%.64s\", which no <asset> has", name);

  // a file, or numbers beside it
  DM_TRY(pb_xml_text(m->x, at.e, "file", &file));
  if (file)
    DM_TRY(read_mesh_file(m, file, out, why));
  else
    DM_TRY(read_inline_mesh(m, at.e, out));
  return place_vertices(m, at, out);
}

// -- weights

static dm_vec corner_of(const pb_mesh *mesh, int side, int k) {
  const double *x = mesh->x + 3 * (size_t)(mesh->side ? mesh->side[side][k] : 3 * side + k);
  return dm_v(x[0], x[1], x[2]);
}

// the mean of a mesh's sides by their areas: what its tetrahedra share as a corner
static dm_vec find_mesh_middle(const pb_mesh *mesh, int sides) {
  dm_vec sum = dm_v(0, 0, 0);
  double area = 0;
  for (int i = 0; i < sides; i++) {
    const dm_vec a = corner_of(mesh, i, 0), b = corner_of(mesh, i, 1), c = corner_of(mesh, i, 2);
    const dm_vec normal = dm_cross(dm_sub(b, a), dm_sub(c, a));
    const double own = sqrt(dm_dot(normal, normal));
    sum = dm_add(sum, dm_mul(own / 3, dm_add(a, dm_add(b, c))));
    area += own;
  }
  return area > 0 ? dm_mul(1 / area, sum) : sum;
}

// the second moments of a tetrahedron with corners 0, a, b, c: V/20 (sum x x' + s s'), s their sum
static void add_tetrahedron(dm_inertia *I, double V, const dm_vec x[4]) {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  for (int i = 0; i < 4; i++) {
    xx += x[i].x * x[i].x;
    yy += x[i].y * x[i].y;
    zz += x[i].z * x[i].z;
    xy += x[i].x * x[i].y;
    xz += x[i].x * x[i].z;
    yz += x[i].y * x[i].z;
  }

  // volume, first moment, moments of inertia: tr(S) 1 - S
  const double k = V / 20;
  I->m += V;
  I->c = dm_add(I->c, dm_mul(V / 4, x[3]));
  I->xx += k * (yy + zz);
  I->yy += k * (xx + zz);
  I->zz += k * (xx + yy);
  I->xy -= k * xy;
  I->xz -= k * xz;
  I->yz -= k * yz;
}

// the solid within a mesh, of density 1, about the origin; total: the sum of its tetrahedra without
// their signs, infinite where the mesh is open
static dm_inertia enclose_volume(const pb_mesh *mesh, double *total) {
  const int sides = mesh->side ? mesh->nside : mesh->n / 3;
  const dm_vec o = find_mesh_middle(mesh, sides);
  dm_inertia I = {0};
  dm_vec open = dm_v(0, 0, 0);
  double area = 0;
  *total = 0;
  for (int i = 0; i < sides; i++) {
    const dm_vec a = dm_sub(corner_of(mesh, i, 0), o), b = dm_sub(corner_of(mesh, i, 1), o);
    const dm_vec c = dm_sub(corner_of(mesh, i, 2), o);
    const double V = dm_dot(a, dm_cross(b, c)) / 6;
    const dm_vec x[] = {a, b, c, dm_add(a, dm_add(b, c))};
    add_tetrahedron(&I, V, x);
    *total += fabs(V);

    // normals of a closed surface sum to nothing
    const dm_vec normal = dm_cross(dm_sub(b, a), dm_sub(c, a));
    open = dm_add(open, normal);
    area += sqrt(dm_dot(normal, normal));
  }
  if (dm_dot(open, open) > 1e-10 * area * area) *total = INFINITY;
  dm_shift(&I, o);
  return I;
}

// MuJoCo's versions differ in what a mesh that is not convex weighs: such is refused
static dm_status weigh_mesh(const pb_mjcf *m, const pb_mjcf_geom *g, dm_inertia *out) {
  dm_message why = {""};
  pb_mesh mesh;
  double total;
  const dm_status s = pb_mjcf_geom_mesh(m, g, &mesh, &why);
  if (s == DM_IO)
    return pb_refuse_xml(m->x, g->at.e,
                         "<geom>: its mesh cannot be weighed: %.160s; expected the file, or an "
                         "<inertial> of the body",
                         why.text);
  DM_TRY(s);
  *out = enclose_volume(&mesh, &total);

  // sides that are turned inside out make a hole; tetrahedra that overlap, a mesh of hollows
  if (out->m > 0 && total <= out->m * (1 + 1e-6)) return DM_OK;
  return pb_refuse_xml(m->x, g->at.e,
                       "<geom>: found a mesh that is not convex and closed, by whose sides nobody "
                       "knows what it weighs, expected an <inertial> of the body");
}

static dm_inertia weigh_shape(const pb_mjcf_geom *g) {
  static const double centre[3];
  double J[6] = {0};
  const double V = g->shape->weigh(g->size, J);
  for (int i = 0; i < 3; i++) J[i] *= V;
  return dm_inertia_about(V, centre, J);
}

static void scale_inertia(dm_inertia *I, double k) {
  double *const part[] = {&I->m,  &I->c.x, &I->c.y, &I->c.z, &I->xx,
                          &I->yy, &I->zz,  &I->xy,  &I->xz,  &I->yz};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] *= k;
}

dm_status pb_mjcf_geom_weigh(const pb_mjcf *m, const pb_mjcf_geom *g, dm_inertia *sum) {
  double mass = NAN, density = 1000;
  dm_inertia I;
  DM_TRY(pb_mjcf_number(m, g->at, "mass", &mass));
  DM_TRY(pb_mjcf_number(m, g->at, "density", &density));
  const bool mesh = !strcmp(g->kind, "mesh"), known = mesh || g->shape->weigh;
  if (g->group < m->group[0] || g->group > m->group[1]) return DM_OK;
  if (isnan(mass) ? density == 0 : mass == 0) return DM_OK;
  if (mass < 0 || density < 0)
    return pb_refuse_xml(m->x, g->at.e, "<geom>: found %s %g, expected a number >= 0",
                         mass < 0 ? "mass" : "density", mass < 0 ? mass : density);

  // a plane has no inside
  if (!known && strcmp(g->kind, "sdf") != 0) return DM_OK;
  const bool fits = !mesh && pb_mjcf_holder(m, g->at, "mesh");
  if (!known || fits)
    return pb_refuse_xml(m->x, g->at.e,
                         "<geom>: found %s, which is not weighed, expected an <inertial> of the "
                         "body",
                         fits ? "a shape that is fitted to a mesh" : "an sdf");
  if (mesh)
    DM_TRY(weigh_mesh(m, g, &I));
  else
    I = weigh_shape(g);

  // its mass before its density
  scale_inertia(&I, isnan(mass) ? density : mass / I.m);
  I = dm_inertia_move(&I, &g->frame);
  dm_inertia_add(sum, &I);
  return DM_OK;
}
