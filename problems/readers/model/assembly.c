#include "problems/readers/model/assembly.h"

#include "lib/discrete/assembly.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// smaller changes are due to rounded input numbers and are not reported
static const double SILENT = 1e-6;

// report a failure of lib/discrete/assembly as an error in the file
static dm_status refuse_assembly(const pb_reader *r, const pb_node *node, const char *path,
                                 dm_status s, const dm_message *why) {
  if (s == DM_OK || s == DM_NO_MEMORY) return s;
  return pb_refuse_node(r, node, "%s: %s", path, why->text);
}

// warn how far each coordinate moved, if it is worth mentioning
static dm_status warn_moved(pb_reader *r, const pb_node *node, const char *path, const char *what,
                            const double *from, const double *to) {
  char text[300] = "";
  size_t used = 0;

  // ignore changes due to rounding
  double largest = 0;
  for (int i = 0; i < r->n; i++) largest = fmax(largest, fabs(to[i] - from[i]));
  if (largest <= SILENT) return DM_OK;

  // list only coordinates that moved by more than a thousandth of the largest change
  for (int i = 0; i < r->n && used < sizeof text - 90; i++)
    if (fabs(to[i] - from[i]) > 1e-3 * largest)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%.48s by %.3g", used ? ", " : "",
                               r->coord[i], to[i] - from[i]);
  return pb_warn(r, r->file, node->line, "%s.%s: moved onto the constraints: %s", path, what, text);
}

// whether coordinate i is the scalar part of a quaternion, which is 1 for the identity
static bool is_quaternion_scalar(const pb_reader *r, int i) {
  for (int k = 0; k < r->nball; k++)
    if (r->quaternion[k] == i) return true;
  return false;
}

// replace a zero quaternion by the identity, and angular velocities by quaternion rates
static dm_status read_turns(const pb_reader *r, const pb_node *node, const char *path,
                            pb_end *end) {
  double *q, *v;
  if (!r->nball) return DM_OK;

  // copies, because the input is borrowed
  PB_NEW(r->arena, q, r->n);
  PB_NEW(r->arena, v, r->n);
  memcpy(q, end->q, (size_t)r->n * sizeof *q);
  memcpy(v, end->v, (size_t)r->n * sizeof *v);
  for (int k = 0; k < r->nball; k++) {
    // quaternion of the joint and its rates
    double *x = q + r->quaternion[k], *y = v + r->quaternion[k];
    if (x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0) x[0] = 1;

    // an angular velocity needs a known orientation
    if (y[0] != PB_ANGULAR) continue;
    if (isnan(x[0] + x[1] + x[2] + x[3]))
      return pb_refuse_node(r, node,
                            "%s: found an angular velocity for '%.64s', whose turn is free, "
                            "expected its turn in q",
                            path, r->coord[r->quaternion[k]]);

    // v = q (0,W) / 2; on input W is in v
    const double W[3] = {y[1] / 2, y[2] / 2, y[3] / 2};
    y[0] = -(x[1] * W[0] + x[2] * W[1] + x[3] * W[2]);
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, l = (i + 2) % 3;
      y[1 + i] = x[0] * W[i] + x[1 + j] * W[l] - x[1 + l] * W[j];
    }
  }
  end->q = q;
  end->v = v;
  return DM_OK;
}

// minimize the potential energy over the free coordinates, or over all if none is free
static dm_status settle_free(const pb_reader *r, const pb_node *node, const char *path,
                             const dm_system *s, const bool *fixed, int free, double *q) {
  dm_message why = {""};
  for (int i = 0; i < r->n; i++)
    if (s->nk && s->kinematic[i] && !fixed[i])
      return pb_refuse_node(r, node,
                            "%s: 'assemble: energy' found '%.64s' free, expected a value: it is "
                            "kinematic",
                            path, r->coord[i]);

  // minimize V(q) over the free coordinates, starting at q
  const bool *kept = free ? fixed : NULL;
  dm_status status = dm_assembly_settle(s, kept, r->coord, q, &why);
  return refuse_assembly(r, node, path, status, &why);
}

// move q of an end onto the constraints, by the smallest change or to the minimum energy
static dm_status place_configuration(pb_reader *r, const pb_node *node, const char *path,
                                     const dm_system *s, const double *other, pb_end *end) {
  const bool energy = !strcmp(end->assemble, "energy");
  bool *fixed, kinematic = false;
  double *q;
  dm_message why = {""};
  PB_NEW(r->arena, fixed, r->n);
  PB_NEW(r->arena, q, r->n);

  // mark the given entries; fill q with them, and the others with near or other
  int free = 0;
  for (int i = 0; i < r->n; i++) {
    // near, else the other end, else 0 (for a quaternion: the identity)
    double near = other && isnan(end->near[i]) ? other[i] : end->near[i];
    fixed[i] = !isnan(end->q[i]);
    if (isnan(near)) near = is_quaternion_scalar(r, i);
    q[i] = fixed[i] ? end->q[i] : near;
    free += !fixed[i];
  }

  // `near: {ball: 0}` is the identity
  for (int k = 0; k < r->nball; k++) {
    double *x = q + r->quaternion[k];
    if (x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0) x[0] = 1;
  }

  for (int i = 0; s->nk && i < r->n; i++) kinematic |= s->kinematic[i] && !fixed[i];

  // minimum energy; or h(q) = 0 by the smallest change of the free coordinates (of all if none is
  // free)
  if (energy) {
    DM_TRY(settle_free(r, node, path, s, fixed, free, q));
  } else {
    if (!s->hol.nc || kinematic) return DM_OK; // free kinematic coordinates may satisfy h later
    dm_status status = dm_assembly_project_fixed(s, free ? fixed : NULL, q, &why);
    DM_TRY(refuse_assembly(r, node, path, status, &why));
    if (!free) DM_TRY(warn_moved(r, node, path, "q", end->q, q));
  }

  // Dh must have full rank, so that impulses are unique
  DM_TRY(refuse_assembly(r, node, path, dm_assembly_check(s, q, &why), &why));

  // coordinates without near stay free: feasibility was only checked
  for (int i = 0; i < r->n; i++)
    if (!energy && !fixed[i] && isnan(end->near[i])) q[i] = NAN;
  end->q = q;
  return DM_OK;
}

// refuse values so large that the energy would overflow; NAN: free
static dm_status check_size(const pb_reader *r, const pb_node *node, const char *path,
                            const char *key, const double *x) {
  static const double LARGEST = 1e100;
  const pb_node *given = pb_node_get(node, key), *of = given ? given : node;
  for (int i = 0; x && i < r->n; i++) {
    if (isnan(x[i]) || fabs(x[i]) <= LARGEST) continue;
    const pb_node *entry = given ? pb_schema_entry(r, given, i) : NULL;
    return pb_refuse_node(
        r, entry ? entry : of,
        "%s.%s: found %g for '%.64s', expected a value from %g to %g: energies of "
        "larger ones overflow",
        path, key, x[i], r->coord[i], -LARGEST, LARGEST);
  }
  return DM_OK;
}

dm_status pb_end_assemble(pb_reader *r, const pb_node *node, const char *path, const dm_system *s,
                          const double *other, pb_end *end) {
  DM_TRY(read_turns(r, node, path, end));
  if (node) DM_TRY(check_size(r, node, path, "q", end->q));
  if (node) DM_TRY(check_size(r, node, path, "v", end->v));
  if (node) DM_TRY(check_size(r, node, path, "a", end->a));
  if (!node || !strcmp(end->assemble, "none")) return DM_OK;
  DM_TRY(place_configuration(r, node, path, s, other, end));

  // project v of an end onto Dh(q) v = 0, if all of q and v are given
  double *v;
  dm_message why = {""};
  if (!s->hol.nc) return DM_OK;
  PB_NEW(r->arena, v, r->n);
  for (int i = 0; i < r->n; i++) {
    v[i] = end->v[i];
    if (isnan(v[i]) || isnan(end->q[i])) return DM_OK;
  }

  // the change with the least kinetic energy
  DM_TRY(refuse_assembly(r, node, path, dm_assembly_velocity(s, end->q, v, &why), &why));
  DM_TRY(warn_moved(r, node, path, "v", end->v, v));
  end->v = v;
  return DM_OK;
}
