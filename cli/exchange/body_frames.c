#include "cli/exchange/body_frames.h"

#include <stdlib.h>
#include <string.h>

// the body that carries the content of a joint, excluding that joint: the first body of the nearest
// joint above that has one
static int find_above(const cli_body_frames *w, int joint) {
  int j = w->m->parent[joint];
  while (j >= 0 && w->first[j] < 0) j = w->m->parent[j];
  return j < 0 ? -1 : w->first[j];
}

dm_status cli_body_frames_new(cli_body_frames *w, const pb_robot *robot) {
  const dm_model *m = robot->mechanism.tree;

  // a name for the world that no body has, unless that body is the world
  static const char *const name[] = {"world", "map", "origin", "ground"};
  const size_t n = sizeof name / sizeof *name;
  size_t i = 0;
  while (i < n - 1 && dm_model_body(m, name[i]) >= 0) i++;
  *w = (cli_body_frames){.robot = robot, .m = m, .root = name[i]};

  w->q = calloc((size_t)m->nq + 1, sizeof *w->q);
  w->X = calloc((size_t)m->nj + 1, sizeof *w->X);
  w->parent = calloc((size_t)m->nbody + 1, sizeof *w->parent);
  w->first = calloc((size_t)m->nj + 1, sizeof *w->first);
  if (!w->q || !w->X || !w->parent || !w->first) return DM_NO_MEMORY;

  // bodies on the same joint are attached to the first of them
  for (int j = 0; j < m->nj; j++) w->first[j] = -1;
  for (int b = m->nbody - 1; b >= 0; b--)
    if (m->body_joint[b] >= 0) w->first[m->body_joint[b]] = b;
  for (int b = 0; b < m->nbody; b++) {
    const int j = m->body_joint[b];
    w->parent[b] = j < 0 ? -1 : w->first[j] == b ? find_above(w, j) : w->first[j];
  }
  return DM_OK;
}

void cli_body_frames_free(cli_body_frames *w) {
  free(w->q);
  free(w->X);
  free(w->parent);
  free(w->first);
}

void cli_body_frames_place(cli_body_frames *w, const double *q) {
  pb_robot_frames(w->robot, q, w->q, w->X);
}

const char *cli_body_frames_name(const cli_body_frames *w, int body) {
  return body < 0 ? w->root : w->m->body_name[body];
}

// in the world
static dm_pose find_joint_pose(const cli_body_frames *w, int joint) {
  return joint < 0 ? dm_identity : w->X[joint];
}

static dm_pose find_body_pose(const cli_body_frames *w, int body) {
  if (body < 0) return dm_identity;
  const dm_pose joint = find_joint_pose(w, w->m->body_joint[body]);
  return dm_compose(&joint, &w->m->body_pose[body]);
}

dm_pose cli_body_frames_pose(const cli_body_frames *w, int body) {
  const dm_pose above = find_body_pose(w, w->parent[body]), own = find_body_pose(w, body);
  return dm_pose_relative(&above, &own);
}

int cli_body_frames_carrier(const cli_body_frames *w, int joint, const dm_pose *P, dm_pose *out) {
  int body = -1;
  if (joint >= 0) body = w->first[joint] >= 0 ? w->first[joint] : find_above(w, joint);
  const dm_pose at = find_joint_pose(w, joint), carrier = find_body_pose(w, body);
  const dm_pose seen = dm_compose(&at, P);
  *out = dm_pose_relative(&carrier, &seen);
  return body;
}
