#include "cli/report/moving_robot.h"

#include "cli/report/base64.h"
#include "cli/report/forces.h"
#include "cli/report/looks.h"
#include "cli/report/places.h"
#include "cli/report/sticks.h"

#include <stdlib.h>
#include <string.h>

enum {
  FEWEST = 240, // frames, so that the motion on a coarse grid is smooth
  MOST = 1200,  // and on a fine grid remains small
  RUNS = 8,     // closed-loop runs shown
  RUN_FRAMES = 160
};

typedef struct mover {
  const cli_exhibit *x;
  const pb_robot *robot;
  dm_pose *X;   // [nj]
  double *q;    // [model->nq] external
  double *tree; // [tree->nq]
} mover;

// -- poses

// the frames of all joints at w->q
static void place_joints(mover *w, double *out) {
  const dm_model *m = w->robot->mechanism.tree;
  pb_robot_frames(w->robot, w->q, w->tree, w->X);
  for (int j = 0; j < m->nj; j++) cli_put_pose(&w->X[j], out + CLI_POSE * j);
}

static double *make_poses(const mover *w, int frames) {
  return calloc((size_t)frames * (size_t)w->robot->mechanism.tree->nj * CLI_POSE + 1,
                sizeof(double));
}

static dm_status put_poses(cli_json *o, const char *key, const mover *w, int frames,
                           double *poses) {
  const size_t n = (size_t)frames * (size_t)w->robot->mechanism.tree->nj * CLI_POSE;
  const dm_status s = cli_base64_numbers(o, key, poses, n);
  free(poses);
  return s;
}

// the frames of all joints at a time of the motion, by cubic interpolation of positions and
// velocities
static void place_at(mover *w, double t, double *out) {
  for (int i = 0; i < w->x->call.run.x->n; i++) w->q[i] = cli_exhibit_place(w->x, t, i);
  place_joints(w, out);
}

// the end of the motion, if it is a goal
static dm_status put_goal(cli_json *o, mover *w) {
  if (!cli_exhibit_has_goal(w->x)) return DM_OK;
  double *poses = make_poses(w, 1);
  if (!poses) return DM_NO_MEMORY;
  place_at(w, cli_exhibit_end(w->x), poses);
  return put_poses(o, "goal", w, 1, poses);
}

static dm_status put_motion(cli_json *o, mover *w) {
  const int nj = w->robot->mechanism.tree->nj;
  const double end = cli_exhibit_end(w->x);
  int frames = w->x->call.run.x->N + 1;
  if (frames < FEWEST) frames = FEWEST;
  if (frames > MOST) frames = MOST;
  double *poses = make_poses(w, frames);
  if (!poses) return DM_NO_MEMORY;

  // equally spaced, also between knots
  for (int f = 0; f < frames; f++)
    place_at(w, end * f / (frames - 1), poses + (size_t)f * (size_t)nj * CLI_POSE);
  cli_json_int(o, "frames", frames);
  cli_json_number(o, "end", end);
  cli_json_int(o, "joints", nj);
  return put_poses(o, "poses", w, frames, poses);
}

// -- closed loops

// one run of the fan, with fewer rows
static dm_status put_run(cli_json *list, mover *w, const double *rows, int nrows, int cols) {
  const int n = w->x->call.run.x->n, nj = w->robot->mechanism.tree->nj;
  const int frames = nrows < RUN_FRAMES ? nrows : RUN_FRAMES;
  double *poses = make_poses(w, frames);
  if (!poses || frames < 2) {
    free(poses);
    return frames < 2 ? DM_OK : DM_NO_MEMORY;
  }

  // equally spaced rows, including the first and the last
  for (int f = 0; f < frames; f++) {
    const size_t row = (size_t)((long)f * (nrows - 1) / (frames - 1));
    memcpy(w->q, rows + row * (size_t)cols + 3, (size_t)n * sizeof *w->q);
    place_joints(w, poses + (size_t)f * (size_t)nj * CLI_POSE);
  }
  cli_json *run = json_object_new_object();
  json_object_array_add(list, run);
  cli_json_int(run, "frames", frames);
  cli_json_number(run, "end", rows[(size_t)(nrows - 1) * (size_t)cols + 2]);
  return put_poses(run, "poses", w, frames, poses);
}

// sample, k, t, q..: a run ends where the sample number changes
static dm_status put_runs(cli_json *o, mover *w, const cli_table *fan) {
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "samples", list);
  if (!fan || !fan->x || fan->cols != 3 + w->x->call.run.x->n) return DM_OK;
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

// -- shapes that must stay apart

static void put_shapes(cli_json *o, const pb_robot *robot) {
#define SHAPE_WORD(NAME, name, word, must, may) [DM_SHAPE_##NAME] = word,
  static const char *const words[] = {DM_SHAPE_KINDS(SHAPE_WORD)};
#undef SHAPE_WORD
  const pb_outputs *of = &robot->outputs;
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "shapes", list);
  for (int i = 0; i < of->nshapes; i++) {
    const pb_kept_shape *s = &of->shape[i];
    double pose[CLI_POSE];
    cli_json *shape = json_object_new_object();
    json_object_array_add(list, shape);

    // in the frame of the joint that carries it
    cli_put_pose(&s->frame, pose);
    cli_json_text(shape, "name", s->name);
    cli_json_text(shape, "kind", words[s->shape.kind]);
    cli_json_int(shape, "joint", s->joint);
    cli_json_vector(shape, "pose", pose, CLI_POSE);
    cli_json_number(shape, "radius", s->shape.radius);
    cli_json_vector(shape, "half", s->shape.half, 3);
  }
}

dm_status cli_robot_outline(cli_json *obj, const pb_robot *robot) {
  DM_TRY(cli_sticks_of(obj, robot));
  put_shapes(obj, robot);
  return DM_OK;
}

// room for the frames of a robot's joints
static dm_status open_mover(mover *w, const cli_exhibit *x) {
  const pb_robot *robot = &x->call.run.p->robot;
  const dm_model *m = robot->mechanism.tree;
  *w = (mover){.x = x, .robot = robot};
  w->X = calloc((size_t)m->nj + 1, sizeof *w->X);
  w->q = calloc((size_t)robot->mechanism.model->nq + 1, sizeof *w->q);
  w->tree = calloc((size_t)m->nq + 1, sizeof *w->tree);
  return w->X && w->q && w->tree ? DM_OK : DM_NO_MEMORY;
}

static void close_mover(mover *w) {
  free(w->X);
  free(w->q);
  free(w->tree);
}

dm_status cli_robot_poses(cli_json *obj, const cli_exhibit *x, const double *t, int n) {
  mover w;
  dm_status s = open_mover(&w, x);
  const size_t nj = (size_t)w.robot->mechanism.tree->nj;
  double *poses = s == DM_OK ? make_poses(&w, n) : NULL;
  if (!poses) s = DM_NO_MEMORY;
  for (int i = 0; poses && i < n; i++) place_at(&w, t[i], poses + (size_t)i * nj * CLI_POSE);
  cli_json_int(obj, "joints", (int)nj);
  if (s == DM_OK) s = put_poses(obj, "poses", &w, n, poses);
  close_mover(&w);
  return s;
}

dm_status cli_moving_robot(cli_json *obj, const cli_exhibit *x, const cli_table *fan) {
  const pb_robot *robot = &x->call.run.p->robot;
  mover w;
  double gravity[3];

  // the motion and the runs, then everything attached to joints
  dm_status s = open_mover(&w, x);
  cli_json *o = cli_json_object(obj, "scene");
  cli_put_vector(robot->mechanism.tree->gravity, gravity);
  cli_json_vector(o, "gravity", gravity, 3);
  if (s == DM_OK) s = put_motion(o, &w);
  if (s == DM_OK) s = put_goal(o, &w);
  if (s == DM_OK) s = put_runs(o, &w, fan);
  if (s == DM_OK) s = cli_looks_of(o, x);
  if (s == DM_OK) s = cli_robot_outline(o, robot);
  if (s == DM_OK) s = cli_forces_of(o, x);
  close_mover(&w);
  return s;
}
