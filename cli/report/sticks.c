#include "cli/report/sticks.h"

#include "cli/report/places.h"
#include "lib/multibody/outline.h"

// whether a mass slides on a single joint: a cart
static bool is_cart(const dm_model *m, const dm_outline_mark *mark) {
  const int j = mark->joint;
  return mark->mass > 0 && j >= 0 && m->parent[j] < 0 && m->slides[j];
}

// a body's inertia about its center, for an equivalent ellipsoid
static void put_inertia(cli_json *list, int joint, const dm_inertia *body) {
  const dm_vec c = dm_mul(1 / body->m, body->c);
  dm_inertia I = *body;
  dm_shift(&I, dm_mul(-1, c));
  const double moments[] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  cli_json *o = cli_make_point(joint, c);
  json_object_array_add(list, o);
  cli_json_number(o, "mass", I.m);
  cli_json_vector(o, "moments", moments, 6);
}

dm_status cli_sticks_of(cli_json *o, const pb_robot *robot) {
  static const char *const word[] = {[DM_OUTLINE_LINK] = "link",
                                     [DM_OUTLINE_BOX] = "box",
                                     [DM_OUTLINE_ROD] = "rod",
                                     [DM_OUTLINE_SPRING] = "spring"};
  dm_outline *outline;
  DM_TRY(dm_outline_new(&outline, robot->mechanism.tree, robot->mechanism.constraints,
                        robot->mechanism.springs, robot->mechanism.contacts));
  cli_json *lines = json_object_new_array(), *marks = json_object_new_array();
  cli_json *inertias = json_object_new_array();
  json_object_object_add(o, "lines", lines);
  json_object_object_add(o, "marks", marks);
  json_object_object_add(o, "inertias", inertias);

  // lines between points of joints, then masses and axes, then inertias
  for (int i = 0; i < outline->nline; i++) {
    const dm_outline_line *l = &outline->line[i];
    cli_json *line = json_object_new_object();
    json_object_array_add(lines, line);
    cli_json_text(line, "kind", word[l->kind]);
    json_object_object_add(line, "from", cli_make_point(l->at.joint[0], l->at.end[0]));
    json_object_object_add(line, "to", cli_make_point(l->at.joint[1], l->at.end[1]));
  }
  for (int i = 0; i < outline->nmark; i++) {
    cli_json *mark = cli_make_point(outline->mark[i].joint, outline->mark[i].at);
    json_object_array_add(marks, mark);
    cli_json_number(mark, "mass", outline->mark[i].mass);
    cli_json_bool(mark, "slides", is_cart(robot->mechanism.tree, &outline->mark[i]));
  }
  for (int j = 0; j < robot->mechanism.tree->nj; j++)
    if (robot->mechanism.tree->body[j].m > 0)
      put_inertia(inertias, j, &robot->mechanism.tree->body[j]);
  dm_outline_free(outline);
  return DM_OK;
}
