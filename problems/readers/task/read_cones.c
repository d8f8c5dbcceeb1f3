#include "problems/readers/task/read_cones.h"

#include "lib/multibody/spatial.h"

#include <math.h>
#include <string.h>

enum { SIDES = 4 }; // of a cone: every combination of signs of both tangents

typedef struct cone_section {
  double coefficient;
  double normal[3];
} cone_section;

const pb_key pb_cone_keys[] = {
    PB_KEY(cone_section, coefficient, .type = PB_NUMBER, .also = "mu friction", .range = "> 0",
           .absent = PB_REQUIRED, .about = "Coulomb coefficient"),
    PB_KEY(cone_section, normal, .type = PB_VECTOR, .absent = "[0, 0, 1]",
           .about = "Direction in which the ground pushes, in the world"),
    {0}};

// a coefficient, or a section
static dm_status read_cone(const pb_reader *r, const char *path, const pb_node *node,
                           double *coefficient, dm_vec *normal) {
  cone_section s = {.normal = {0, 0, 1}};
  double n[3];
  if (node->kind == PB_MAPPING)
    DM_TRY(pb_schema_read(r, path, node, pb_cone_keys, &s));
  else
    DM_TRY(pb_schema_number(r, path, node, "> 0", &s.coefficient));
  DM_TRY(pb_schema_direction(r, path, node, s.normal, n));
  *coefficient = s.coefficient;
  *normal = dm_v(n[0], n[1], n[2]);
  return DM_OK;
}

// the directions of the rows of a constraint in the world; zero for rows of others. count: its rows
static dm_status find_directions(const pb_reader *r, const char *path, const pb_node *e,
                                 const dm_constraints *c, dm_vec *along, int *count) {
  *count = 0;
  for (int i = 0; i < dm_constraints_count(c); i++) {
    dm_row_push push;
    along[i] = dm_v(0, 0, 0);
    if (strcmp(dm_constraints_row_name(c, i), e->key) != 0) continue;
    if (!dm_constraints_push(c, i, &push) || push.joint >= 0)
      return pb_refuse_key(r, e, "%s: found '%.64s', expected a point, line or plane of the world",
                           path, e->key);
    along[i] = push.along;
    ++*count;
  }
  return DM_OK;
}

// append the sides of a cone that its rows can reach: coefficient f_n -+ f_1 -+ f_2 >= 0, with the force
// f = -sum lambda_i along_i on the point
static void put_cone(oc_cones *cones, double *C, const char **names, const char *name, int nc,
                     const dm_vec *along, double coefficient, dm_vec normal) {
  const dm_pose frame = dm_pose_along(normal, dm_v(0, 0, 0));
  bool has[2] = {false, false};
  for (int i = 0; i < nc; i++) {
    has[0] |= fabs(dm_dot(frame.x, along[i])) > 1e-12;
    has[1] |= fabs(dm_dot(frame.y, along[i])) > 1e-12;
  }
  for (int side = 0; side < SIDES; side++) {
    const double a = side & 1 ? -1 : 1, b = side & 2 ? -1 : 1;
    if ((!has[0] && a < 0) || (!has[1] && b < 0)) continue; // the same as another side
    double *row = C + cones->n * nc;
    for (int i = 0; i < nc; i++)
      row[i] = -coefficient * dm_dot(normal, along[i]) - a * dm_dot(frame.x, along[i]) -
               b * dm_dot(frame.y, along[i]);
    names[cones->n++] = name;
  }
}

dm_status pb_cones_read(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                        oc_task *task) {
  const char *path = "bounds.friction";
  const dm_constraints *c = robot->mechanism.constraints;
  const int nc = task->system.hol.nc;
  double *C;
  dm_vec *along;
  const char **names;
  if (!node) return DM_OK;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(r, node, "%s: expected a mapping by constraint", path);
  if (!c || dm_constraints_count(c) != nc)
    return pb_refuse_node(r, node, "%s: found no 'model.constraints' of bodies, expected some",
                          path);
  PB_NEW(r->arena, C, SIDES * node->n * nc);
  PB_NEW(r->arena, names, SIDES * node->n);
  PB_NEW(r->arena, along, nc);
  for (const pb_node *e = node->first; e; e = e->next) {
    double coefficient;
    dm_vec normal;
    int count;
    DM_TRY(read_cone(r, path, e, &coefficient, &normal));
    DM_TRY(find_directions(r, path, e, c, along, &count));
    if (!count)
      return pb_refuse_key(r, e, "%s: found '%.64s', expected a constraint of the model", path,
                           e->key);
    put_cone(&task->cones, C, names, e->key, nc, along, coefficient, normal);
  }
  task->cones.C = C;
  task->cones.name = names;
  return DM_OK;
}
