#include "cli/report/moving_robot.h"

#include "cli/report/base64.h"
#include "lib/multibody/outline.h"
#include "problems/readers/model/visuals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  POSE = 12,
  FEWEST = 240, // frames, so that a coarse grid moves smoothly
  MOST = 1200,  // and a fine one stays small
  RUNS = 8,     // closed loops shown
  RUN_FRAMES = 240,
  TRIANGLES = 60000 // of all meshes
};

typedef struct mover {
  const cli_exhibit *x;
  const pb_robot *robot;
  dm_pose *X;   // [nj]
  double *q;    // [model->nq] from outside
  double *tree; // [tree->nq]
} mover;

// -- poses

static void put_vector(dm_vec a, double *out) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}

static void put_pose(const dm_pose *X, double out[POSE]) {
  put_vector(X->x, out);
  put_vector(X->y, out + 3);
  put_vector(X->z, out + 6);
  put_vector(X->p, out + 9);
}

// the frames of all joints at w->q
static void place_joints(mover *w, double *out) {
  const dm_model *m = w->robot->tree;
  pb_robot_frames(w->robot, w->q, w->tree, w->X);
  for (int j = 0; j < m->nj; j++) put_pose(&w->X[j], out + POSE * j);
}

static double *make_poses(const mover *w, int frames) {
  return calloc((size_t)frames * (size_t)w->robot->tree->nj * POSE + 1, sizeof(double));
}

static dm_status put_poses(cli_json *o, const char *key, const mover *w, int frames,
                           double *poses) {
  const size_t n = (size_t)frames * (size_t)w->robot->tree->nj * POSE;
  const dm_status s = cli_base64_numbers(o, key, poses, n);
  free(poses);
  return s;
}

// the motion, and its last knot
static dm_status put_motion(cli_json *o, mover *w) {
  const dm_trajectory *x = w->x->job.x;
  const int nj = w->robot->tree->nj;
  const double end = cli_exhibit_end(w->x);
  int frames = x->N + 1;
  if (frames < FEWEST) frames = FEWEST;
  if (frames > MOST) frames = MOST;
  double *poses = make_poses(w, frames), *last = make_poses(w, 1);
  if (!poses || !last) {
    free(poses);
    free(last);
    return DM_NO_MEMORY;
  }

  // between knots, on cubics through places and velocities
  for (int f = 0; f < frames; f++) {
    for (int i = 0; i < x->n; i++) w->q[i] = cli_exhibit_place(w->x, end * f / (frames - 1), i);
    place_joints(w, poses + (size_t)f * (size_t)nj * POSE);
  }
  memcpy(last, poses + (size_t)(frames - 1) * (size_t)nj * POSE, (size_t)nj * POSE * sizeof *last);
  cli_json_int(o, "frames", frames);
  cli_json_number(o, "end", end);
  cli_json_int(o, "joints", nj);
  dm_status s = put_poses(o, "poses", w, frames, poses);
  const dm_status t = put_poses(o, "goal", w, 1, last);
  return s == DM_OK ? t : s;
}

// -- closed loops

// one run of the fan: its rows, thinned out
static dm_status put_run(cli_json *list, mover *w, const double *rows, int nrows, int cols) {
  const int n = w->x->job.x->n, nj = w->robot->tree->nj;
  const int frames = nrows < RUN_FRAMES ? nrows : RUN_FRAMES;
  double *poses = make_poses(w, frames);
  if (!poses || frames < 2) {
    free(poses);
    return frames < 2 ? DM_OK : DM_NO_MEMORY;
  }
  for (int f = 0; f < frames; f++) {
    const size_t row = (size_t)((long)f * (nrows - 1) / (frames - 1));
    memcpy(w->q, rows + row * (size_t)cols + 3, (size_t)n * sizeof *w->q);
    place_joints(w, poses + (size_t)f * (size_t)nj * POSE);
  }
  cli_json *run = json_object_new_object();
  json_object_array_add(list, run);
  cli_json_int(run, "frames", frames);
  cli_json_number(run, "end", rows[(size_t)(nrows - 1) * (size_t)cols + 2]);
  return put_poses(run, "poses", w, frames, poses);
}

// sample, k, t, q..: a run ends where the next sample begins
static dm_status put_runs(cli_json *o, mover *w, const cli_table *fan) {
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "samples", list);
  if (!fan || !fan->x || fan->cols != 3 + w->x->job.x->n) return DM_OK;
  int first = 0, runs = 0;
  for (int r = 1; r <= fan->rows && runs < RUNS; r++) {
    const double *row = fan->x + (size_t)r * (size_t)fan->cols;
    const double *begin = fan->x + (size_t)first * (size_t)fan->cols;
    if (r < fan->rows && row[0] == begin[0]) continue;
    DM_TRY(put_run(list, w, begin, r - first, fan->cols));
    first = r;
    runs++;
  }
  return DM_OK;
}

// -- looks

// Triangles with their corners on a grid that is the coarser the more there are too many: what then
// has no area is left out. Returns how many are left.
static int thin_triangles(double *x, int n, int most) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < 9 * (size_t)n; i++) {
    low[i % 3] = fmin(low[i % 3], x[i]);
    high[i % 3] = fmax(high[i % 3], x[i]);
  }
  const double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  for (double step = size / 256; n > most && step < size; step *= 1.5) {
    int left = 0;
    for (int i = 0; i < n; i++) {
      double *to = x + 9 * (size_t)left;
      for (int a = 0; a < 9; a++) to[a] = step * round(x[9 * (size_t)i + (size_t)a] / step);
      const bool flat = !memcmp(to, to + 3, 3 * sizeof *to) ||
                        !memcmp(to + 3, to + 6, 3 * sizeof *to) ||
                        !memcmp(to, to + 6, 3 * sizeof *to);
      left += !flat;
    }
    n = left;
  }
  return n;
}

static dm_status put_mesh(cli_json *meshes, const pb_visual *v, int most) {
  const size_t size = 9 * (size_t)v->triangles;
  double *x = malloc((size + 1) * sizeof *x);
  cli_json *mesh = json_object_new_object();
  json_object_array_add(meshes, mesh);
  if (!x) return DM_NO_MEMORY;
  memcpy(x, v->x, size * sizeof *x);
  const int n = thin_triangles(x, v->triangles, most);
  cli_json_int(mesh, "triangles", n);
  const dm_status s = cli_base64_numbers(mesh, "x", x, 9 * (size_t)n);
  free(x);
  return s;
}

static cli_json *add_part(cli_json *parts, const pb_visual *v) {
  double pose[POSE];
  cli_json *o = json_object_new_object();
  json_object_array_add(parts, o);
  put_pose(&v->frame, pose);
  cli_json_text(o, "kind", v->kind);
  cli_json_int(o, "joint", v->joint);
  cli_json_vector(o, "pose", pose, POSE);
  cli_json_vector(o, "size", v->size, 3);
  if (v->colour[0] >= 0) cli_json_vector(o, "colour", v->colour, 4);
  return o;
}

static dm_status put_looks(cli_json *o, const mover *w) {
  const pb_problem *p = w->x->job.p;
  pb_visuals looks;
  const char *source = cli_json_get_text(w->x->job.result, "problem");
  dm_status s = pb_visuals_read(&looks, w->robot, source ? source : p->path);
  cli_json *parts = json_object_new_array(), *meshes = json_object_new_array();
  json_object_object_add(o, "parts", parts);
  json_object_object_add(o, "meshes", meshes);

  // each mesh has its share of all triangles
  int all = 0, count = 0;
  for (int i = 0; s == DM_OK && i < looks.n; i++) all += looks.list[i].triangles;
  for (int i = 0; s == DM_OK && i < looks.n; i++) {
    const pb_visual *v = &looks.list[i];
    cli_json *part = add_part(parts, v);
    if (!v->triangles) continue;
    const double share = all > TRIANGLES ? (double)TRIANGLES / all : 1;
    cli_json_int(part, "mesh", count++);
    s = put_mesh(meshes, v, (int)(share * v->triangles) + 12);
  }
  if (s == DM_OK)
    cli_json_names(o, "missing", (const char *const *)looks.missing->text, looks.missing->n);
  pb_visuals_free(&looks);
  return s;
}

// -- sticks

static cli_json *make_point(int joint, dm_vec at) {
  double x[3];
  cli_json *o = json_object_new_object();
  put_vector(at, x);
  cli_json_int(o, "joint", joint);
  cli_json_vector(o, "at", x, 3);
  return o;
}

// a mass that slides by one joint alone: a cart
static bool is_cart(const dm_model *m, const dm_outline_mark *mark) {
  const int j = mark->joint;
  return mark->mass > 0 && j >= 0 && m->parent[j] < 0 && m->slides[j];
}

static dm_status put_sticks(cli_json *o, const mover *w) {
  static const char *const word[] = {[DM_OUTLINE_LINK] = "link",
                                     [DM_OUTLINE_BOX] = "box",
                                     [DM_OUTLINE_ROD] = "rod",
                                     [DM_OUTLINE_SPRING] = "spring"};
  dm_outline *outline;
  DM_TRY(dm_outline_new(&outline, w->robot->tree, w->robot->constraints, w->robot->springs));
  cli_json *lines = json_object_new_array(), *marks = json_object_new_array();
  json_object_object_add(o, "lines", lines);
  json_object_object_add(o, "marks", marks);
  for (int i = 0; i < outline->nline; i++) {
    const dm_outline_line *l = &outline->line[i];
    cli_json *line = json_object_new_object();
    json_object_array_add(lines, line);
    cli_json_text(line, "kind", word[l->kind]);
    json_object_object_add(line, "from", make_point(l->at.joint[0], l->at.end[0]));
    json_object_object_add(line, "to", make_point(l->at.joint[1], l->at.end[1]));
  }
  for (int i = 0; i < outline->nmark; i++) {
    cli_json *mark = make_point(outline->mark[i].joint, outline->mark[i].at);
    json_object_array_add(marks, mark);
    cli_json_number(mark, "mass", outline->mark[i].mass);
    cli_json_bool(mark, "slides", is_cart(w->robot->tree, &outline->mark[i]));
  }
  dm_outline_free(outline);
  return DM_OK;
}

// -- shapes that stay out of one another

static void put_shapes(cli_json *o, const mover *w) {
#define SHAPE_WORD(NAME, name, word, must, may) [DM_SHAPE_##NAME] = word,
  static const char *const words[] = {DM_SHAPE_KINDS(SHAPE_WORD)};
#undef SHAPE_WORD
  const pb_outputs *of = &w->robot->outputs;
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "shapes", list);
  for (int i = 0; i < of->nshapes; i++) {
    const pb_kept_shape *s = &of->shape[i];
    double pose[POSE];
    cli_json *shape = json_object_new_object();
    json_object_array_add(list, shape);
    put_pose(&s->frame, pose);
    cli_json_text(shape, "name", s->name);
    cli_json_text(shape, "kind", words[s->shape.kind]);
    cli_json_int(shape, "joint", s->joint);
    cli_json_vector(shape, "pose", pose, POSE);
    cli_json_number(shape, "radius", s->shape.radius);
    cli_json_vector(shape, "half", s->shape.half, 3);
  }
}

dm_status cli_moving_robot(cli_json *obj, const cli_exhibit *x, const cli_table *fan) {
  const pb_robot *robot = &x->job.p->robot;
  const dm_model *m = robot->tree;
  mover w = {.x = x, .robot = robot};
  double gravity[3];
  w.X = calloc((size_t)m->nj + 1, sizeof *w.X);
  w.q = calloc((size_t)robot->model->nq + 1, sizeof *w.q);
  w.tree = calloc((size_t)m->nq + 1, sizeof *w.tree);
  dm_status s = w.X && w.q && w.tree ? DM_OK : DM_NO_MEMORY;
  cli_json *o = cli_json_object(obj, "scene");
  put_vector(m->gravity, gravity);
  cli_json_vector(o, "gravity", gravity, 3);
  if (s == DM_OK) s = put_motion(o, &w);
  if (s == DM_OK) s = put_runs(o, &w, fan);
  if (s == DM_OK) s = put_looks(o, &w);
  if (s == DM_OK) s = put_sticks(o, &w);
  if (s == DM_OK) put_shapes(o, &w);
  free(w.X);
  free(w.q);
  free(w.tree);
  return s;
}
