#include "problems/readers/model/mesh_weight.h"

#include "lib/multibody/hull.h"

#include <math.h>

const char *const pb_mesh_rule_words[PB_MESH_RULES] = {[PB_MESH_CONVEX] = "convex",
                                                       [PB_MESH_LEGACY] = "legacy",
                                                       [PB_MESH_EXACT] = "exact",
                                                       [PB_MESH_SHELL] = "shell"};

static int count_sides(const pb_mesh *mesh) {
  return mesh->side ? mesh->nside : mesh->n / 3;
}

static dm_vec corner_of(const pb_mesh *mesh, int side, int k) {
  const double *x = mesh->x + 3 * (size_t)(mesh->side ? mesh->side[side][k] : 3 * side + k);
  return dm_v(x[0], x[1], x[2]);
}

// the corners of a triangle relative to o; returns twice its area vector
static dm_vec find_side(const pb_mesh *mesh, int i, dm_vec o, dm_vec x[3]) {
  for (int k = 0; k < 3; k++) x[k] = dm_sub(corner_of(mesh, i, k), o);
  return dm_cross(dm_sub(x[1], x[0]), dm_sub(x[2], x[0]));
}

// Add the moments of a simplex of weight w with corners x [n] and corner sum s: the second moments
// are w / ((n+1)(n+2) / ..) (sum x x' + s s'), over 12 for a triangle, over 20 for a tetrahedron
// with a corner at 0.
static void add_simplex(dm_inertia *I, double w, int over, dm_vec first, const dm_vec x[3]) {
  const dm_vec s = dm_add(x[0], dm_add(x[1], x[2])), all[] = {x[0], x[1], x[2], s};
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  for (int i = 0; i < 4; i++) {
    xx += all[i].x * all[i].x;
    yy += all[i].y * all[i].y;
    zz += all[i].z * all[i].z;
    xy += all[i].x * all[i].y;
    xz += all[i].x * all[i].z;
    yz += all[i].y * all[i].z;
  }

  // mass, first moment, moments of inertia: tr(S) 1 - S
  const double k = w / over;
  I->m += w;
  I->c = dm_add(I->c, dm_mul(w, first));
  I->xx += k * (yy + zz);
  I->yy += k * (xx + zz);
  I->zz += k * (xx + yy);
  I->xy -= k * xy;
  I->xz -= k * xz;
  I->yz -= k * yz;
}

// the sum over the triangles, about o; total: without signs; open: the surface is not closed
static dm_inertia sum_sides(const pb_mesh *mesh, pb_mesh_rule rule, dm_vec o, double *total,
                            bool *open) {
  dm_inertia I = {0};
  dm_vec gap = dm_v(0, 0, 0);
  double area = 0;
  *total = 0;
  for (int i = 0; i < count_sides(mesh); i++) {
    dm_vec x[3];
    const dm_vec normal = find_side(mesh, i, o, x);
    const double own = sqrt(dm_dot(normal, normal)), V = dm_dot(x[0], normal) / 6;
    const dm_vec sum = dm_add(x[0], dm_add(x[1], x[2]));
    if (rule == PB_MESH_SHELL)
      add_simplex(&I, own / 2, 12, dm_mul(1. / 3, sum), x);
    else
      add_simplex(&I, rule == PB_MESH_LEGACY ? fabs(V) : V, 20, dm_mul(0.25, sum), x);
    *total += fabs(V);

    // the area vectors of a closed surface sum to zero
    gap = dm_add(gap, normal);
    area += own;
  }
  *open = dm_dot(gap, gap) > 1e-10 * area * area;
  return I;
}

dm_status pb_mesh_wrap(pb_arena *arena, pb_mesh *mesh) {
  PB_NEW(arena, mesh->side, 2 * (size_t)mesh->n + 1);
  return dm_hull_find(mesh->n, mesh->x, mesh->side, &mesh->nside);
}

dm_status pb_mesh_weigh(pb_arena *arena, const pb_mesh *mesh, pb_mesh_rule rule, dm_inertia *out,
                        bool *solid) {
  pb_mesh hull = *mesh;
  double total;
  bool open;
  if (rule == PB_MESH_CONVEX) DM_TRY(pb_mesh_wrap(arena, &hull));
  mesh = &hull;

  // the area-weighted mean of a mesh's triangles
  dm_vec sum = dm_v(0, 0, 0), x[3];
  double area = 0;
  for (int i = 0; i < count_sides(mesh); i++) {
    const dm_vec normal = find_side(mesh, i, dm_v(0, 0, 0), x);
    const double own = sqrt(dm_dot(normal, normal));
    sum = dm_add(sum, dm_mul(own / 3, dm_add(x[0], dm_add(x[1], x[2]))));
    area += own;
  }
  dm_vec o = area > 0 ? dm_mul(1 / area, sum) : sum;

  dm_inertia I = sum_sides(mesh, rule, o, &total, &open);
  *solid = !open && total <= I.m * (1 + 1e-6);
  if (rule == PB_MESH_LEGACY && I.m > 0) {
    o = dm_add(o, dm_mul(1 / I.m, I.c));
    I = sum_sides(mesh, rule, o, &total, &open);
    I.c = dm_v(0, 0, 0);

    // convex if the signs of the tetrahedra do not matter
    const dm_inertia exact = sum_sides(mesh, PB_MESH_EXACT, o, &total, &open);
    *solid = !open && total <= fabs(exact.m) * (1 + 1e-6);
  }
  if (!(I.m > 0)) return DM_BAD_INPUT;
  dm_shift(&I, o);
  *out = I;
  return DM_OK;
}
