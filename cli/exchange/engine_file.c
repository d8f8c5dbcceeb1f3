#include "cli/exchange/engine_file.h"

#include "lib/base/decimal.h"
#include "lib/base/text.h"
#include "lib/multibody/ball_joint.h"

#include <stdio.h>
#include <string.h>

// -- text

void cli_engine_name(const cli_engine_file *w, const char *key, const char *name) {
  fprintf(w->f, " %s=\"", key);
  while (*name) {
    // replace characters that are not allowed in XML
    const int n = dm_text_plain(name);
    const char *word = n ? NULL : "_";
    if (*name == '&') word = "&amp;";
    if (*name == '<') word = "&lt;";
    if (*name == '"') word = "&quot;";
    if (word)
      fputs(word, w->f);
    else
      fwrite(name, 1, (size_t)n, w->f);
    name += n ? n : 1;
  }
  fputc('"', w->f);
}

void cli_engine_values(const cli_engine_file *w, const char *key, const double *x, int n) {
  char text[DM_DECIMAL];
  fprintf(w->f, " %s=\"", key);
  for (int i = 0; i < n; i++) {
    dm_decimal_put(x[i], text);
    fprintf(w->f, "%s%s", i ? " " : "", text);
  }
  fputc('"', w->f);
}

void cli_engine_point(const cli_engine_file *w, const char *key, dm_vec a) {
  cli_engine_values(w, key, (const double[]){a.x, a.y, a.z}, 3);
}

void cli_engine_pose(const cli_engine_file *w, const dm_pose *X) {
  double q[4];
  dm_pose_quaternion(X, q);
  cli_engine_point(w, "pos", X->p);
  cli_engine_values(w, "quat", q, 4);
}

void cli_engine_indent(const cli_engine_file *w, int depth) {
  fprintf(w->f, "%*s", 2 * depth, "");
}

// -- grouping joints into bodies

bool cli_engine_looks_at(const cli_engine_file *w, int joint) {
  for (int i = 0; i < w->looks.n; i++)
    if (w->looks.list[i].joint == joint) return true;
  return false;
}

static bool carries_shape(const cli_engine_file *w, int joint) {
  const pb_outputs *of = &w->robot->outputs;
  for (int i = 0; i < of->nshapes; i++)
    if (of->shape[i].joint == joint) return true;
  return false;
}

// the only child of a joint; -1: none or several
static int find_only_child(const dm_model *m, int joint) {
  int child = -1, n = 0;
  for (int j = joint + 1; j < m->nj; j++) {
    if (m->parent[j] != joint) continue;
    child = j;
    n++;
  }
  return n == 1 ? child : -1;
}

// the next joint in the same body; -1: it is the last
int cli_engine_next(const cli_engine_file *w, int joint) {
  const dm_model *m = w->m;
  const int child = find_only_child(m, joint);
  if (child >= 0 && m->ball[joint] && m->ball[child] == 2) return child;

  // joints belong to one body if nothing is between them: no inertia, geometry or attachment; a
  // ball joint must be the first of its body, or follow slides
  const bool seen = cli_engine_looks_at(w, joint) || carries_shape(w, joint) || w->held[joint];
  const bool parts = child < 0 || !m->bare[joint] || m->ball[joint] || seen;
  return parts || (m->ball[child] && !m->slides[joint]) ? -1 : child;
}

int cli_engine_last(const cli_engine_file *w, int joint) {
  for (int next; (next = cli_engine_next(w, joint)) >= 0;) joint = next;
  return joint;
}

// the frame of the first link on a joint, in the joint's frame; the joint's own frame if there is
// none
dm_pose cli_engine_link(const dm_model *m, int joint) {
  for (int b = 0; joint >= 0 && b < m->nbody; b++)
    if (m->body_joint[b] == joint) return m->body_pose[b];
  return dm_identity;
}

// the frame of a body in the frame of one of its joints, at q = 0
dm_pose cli_engine_frame(const cli_engine_file *w, int joint) {
  dm_pose C = dm_identity;
  for (int next = cli_engine_next(w, joint); next >= 0; next = cli_engine_next(w, joint)) {
    C = dm_compose(&C, &w->m->offset[next]);
    joint = next;
  }
  const dm_pose link = cli_engine_link(w->m, joint);
  return dm_compose(&C, &link);
}

// the axis of a joint in its body's frame
dm_vec cli_engine_axis(const cli_engine_file *w, int joint) {
  const dm_pose C = cli_engine_frame(w, joint);
  return dm_unrotate(&C, dm_v(0, 0, 1));
}

// whether a joint copies the coordinate of another joint
bool cli_engine_copies(const dm_model *m, int joint) {
  for (int j = 0; j < joint; j++)
    if (m->coord[j] == m->coord[joint]) return true;
  return false;
}

void cli_engine_joint_name(const dm_model *m, int j, char *text, size_t size) {
  if (m->ball[j])
    dm_ball_name(m, j, text, size);
  else if (cli_engine_copies(m, j))
    snprintf(text, size, "%s copy %d", m->name[m->coord[j]], j);
  else
    snprintf(text, size, "%s", m->name[m->coord[j]]);
}

// -- geometry

void cli_engine_geom(const cli_engine_file *w, const char *type, int joint, const dm_pose *X,
                     const double *size, int n, const double *colour, int depth) {
  cli_engine_indent(w, depth);
  fprintf(w->f, "<geom type=\"%s\"", type);
  const dm_pose link = cli_engine_link(w->m, joint), at = dm_pose_relative(&link, X);
  if (n) cli_engine_values(w, "size", size, n);
  cli_engine_pose(w, &at);
  if (colour && colour[0] >= 0) cli_engine_values(w, "rgba", colour, 4);
}
