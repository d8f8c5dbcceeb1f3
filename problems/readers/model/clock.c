#include "problems/readers/model/clock.h"

#include "lib/base/names.h"
#include "problems/readers/model/bodies.h"

#include <math.h>
#include <string.h>

dm_status pb_clock_add(pb_tree *t, const pb_node *timed) {
  static const double along[] = {1, 0, 0};
  dm_body *body;
  dm_coordinate *coord;
  if (t->r->phase)
    return pb_refuse_node(
        t->r, timed,
        "model.forces[]: found the time 't' beside phases, of which each begins at "
        "another time, expected quantities of the state");
  if (pb_tree_find_coord(t, "clock") >= 0 || pb_tree_find_body(t, "clock") >= 0)
    return pb_refuse_node(
        t->r, timed,
        "model.forces[]: found the time 't' beside a 'clock' of the robot, which is "
        "the name of the coordinate that the time adds; try q.clock, or another name");
  const pb_place at = pb_place_of(t, timed);
  DM_TRY(pb_tree_body(t, "clock", at, &body));
  DM_TRY(pb_tree_coord(t, "clock", at, true, along, &coord));
  coord->armature = 1;
  t->r->clock = "clock";
  return DM_OK;
}

bool pb_clock_is(const pb_reader *r, int i) {
  return r->clock && !strcmp(r->coord[i], r->clock);
}

static dm_status set_clock(const pb_reader *r, const double **x, double value) {
  double *copy;
  if (!r->clock || !*x) return DM_OK;
  PB_NEW(r->arena, copy, r->n);
  memcpy(copy, *x, (size_t)r->n * sizeof *copy);
  copy[dm_names_find(r->coord, r->n, r->clock)] = value;
  *x = copy;
  return DM_OK;
}

// refuse another value of the clock in a list or mapping at a key
static dm_status check_value(const pb_reader *r, const char *path, const pb_node *section,
                             const char *key, const double *x, double value) {
  const pb_node *node = pb_node_get(section, key);
  const int i = r->clock ? dm_names_find(r->coord, r->n, r->clock) : -1;
  if (i < 0 || !node || node->kind == PB_SCALAR || x[i] == value) return DM_OK;
  const pb_node *entry = pb_schema_entry(r, node, i);
  if (node->kind == PB_MAPPING && !entry) return DM_OK;
  return pb_refuse_node(r, entry ? entry : node,
                        "%s.%s.clock: found %g, expected none, or %g: the time of model.forces "
                        "is 0 at the start",
                        path, key, x[i], value);
}

dm_status pb_clock_leave(const pb_reader *r, const char *path, const pb_node *section,
                         const char *key, const double *x) {
  return x ? check_value(r, path, section, key, x, 0) : DM_OK;
}

dm_status pb_clock_start(const pb_reader *r, const char *path, const pb_node *start,
                         const double **q, const double **v) {
  if (*q) DM_TRY(check_value(r, path, start, "q", *q, 0));
  if (*v) DM_TRY(check_value(r, path, start, "v", *v, 1));
  DM_TRY(set_clock(r, q, 0));
  return set_clock(r, v, 1);
}

dm_status pb_clock_free(const pb_reader *r, const double **q, const double **v) {
  DM_TRY(set_clock(r, q, NAN));
  return set_clock(r, v, NAN);
}

dm_status pb_clock_refuse(const pb_reader *r, const pb_node *node, const char *path) {
  if (!r->clock || !node) return DM_OK;
  return pb_refuse_node(
      r, node,
      "%s: found one beside model.forces of the time 't', expected forces that do "
      "not depend on time",
      path);
}
