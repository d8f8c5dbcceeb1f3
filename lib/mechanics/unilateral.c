#include "lib/mechanics/unilateral.h"

#include "lib/base/block.h"

static const double TOUCH =
    1e-9; // rad, or of a length of the robot: smaller distances count as contact

static bool is_angle(const dm_unilateral *u, int i) {
  return u->angle && u->angle[i];
}

// The contact with the largest sign * g / scale at q, relative to its tolerance, and that distance
// in m or rad; -1: all are in contact.
static dm_status find_farthest(const dm_unilateral *u, double length, const double *q, double sign,
                               int *which, double *distance) {
  // the values of all contacts at q
  dm_block block = {0};
  dm_block_alloc(&block, u->scratch, 1);
  dm_block_alloc(&block, (size_t)u->ng, sizeof(double));
  if (dm_block_new(&block) != DM_OK) return DM_NO_MEMORY;
  void *scratch = dm_block_alloc(&block, u->scratch, 1);
  double *g = dm_block_alloc(&block, (size_t)u->ng, sizeof *g);
  dm_status status = u->values(u->self, scratch, q, g);

  const double unit = length > 0 ? length : 1;
  double most = TOUCH;
  *which = -1;
  for (int i = 0; status == DM_OK && i < u->ng; i++) {
    const double off = sign * g[i] / u->scale[i], share = is_angle(u, i) ? off : off / unit;
    if (!(share > most)) continue;
    most = share;
    *distance = off;
    *which = i;
  }
  dm_block_free(scratch);
  return status;
}

static const char *name_contact(const dm_unilateral *u, int i) {
  return u->name ? u->name(u->self, i) : "a contact";
}

dm_status dm_unilateral_check(const dm_unilateral *u, double length, const double *q,
                              dm_message *msg) {
  int deepest;
  double depth;
  dm_status status = find_farthest(u, length, q, -1, &deepest, &depth);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  if (deepest < 0) return DM_OK;
  return dm_fail(msg, DM_INFEASIBLE, "the start is inside an obstacle: '%s' is violated by %.3g %s",
                 name_contact(u, deepest), depth, is_angle(u, deepest) ? "rad" : "m");
}

dm_status dm_unilateral_check_closed(const dm_unilateral *u, double length, const double *q,
                                     dm_message *msg) {
  int farthest;
  double gap;
  dm_status status = find_farthest(u, length, q, 1, &farthest, &gap);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  if (farthest < 0) return DM_OK;
  return dm_fail(
      msg, DM_INFEASIBLE,
      "contact '%s' is open by %.3g %s; the method smooth expects all closed where a motion "
      "begins, gvi does not",
      name_contact(u, farthest), gap, is_angle(u, farthest) ? "rad" : "m");
}
