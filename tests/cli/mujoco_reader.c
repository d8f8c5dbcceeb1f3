// MuJoCo reads mujoco.xml of result folders: its bodies stand where ours do at every keyframe, and from
// each it goes with the keyframe's inputs as the continuous plant does (plant.csv), but for those in
// whose file something is missing.
//
//   mujoco_reader DIR... [--places DIR...] [--contacts DIR...]
//
// From the start of those with contacts it comes in one run, without inputs, to where our motion ends.
#include "cli/commands/commands.h"
#include "cli/report/exhibit.h"
#include "cli/results/plant.h"
#include "lib/multibody/ball_joint.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

static int faults;

static void expect(bool holds, const char *dir, const char *what, int knot, double error) {
  if (holds) return;
  if (faults++ < 20) printf("not so: %s: %s at knot %d: %g\n", dir, what, knot, error);
}

typedef struct reader {
  const char *dir;
  bool moves;   // all that acts is in the file
  bool touches; // compare the end of the motion alone
  cli_exhibit *x;
  const pb_robot *robot;
  mjModel *m;
  mjData *d;
  double *tree;
  dm_pose *X;
  double step;          // of the file
  double place, motion; // the largest errors
  double stiffer;       // of motions whose constraints are four times as quick
  int compared;         // places
} reader;

// -- places

static double measure_frame(const mjData *d, int body, const dm_pose *X) {
  const double own[] = {X->x.x, X->y.x, X->z.x, X->x.y, X->y.y, X->z.y, X->x.z, X->y.z, X->z.z};
  const double at[] = {X->p.x, X->p.y, X->p.z};
  double error = 0;
  for (int i = 0; i < 9; i++) error = fmax(error, fabs(d->xmat[9 * body + i] - own[i]));
  for (int i = 0; i < 3; i++) error = fmax(error, fabs(d->xpos[3 * body + i] - at[i]));
  return error;
}

// every body that MuJoCo has by its name is where our link is at q; returns the largest distance
static double measure_places(reader *w, const double *q) {
  const dm_model *tree = w->robot->mechanism.tree;
  double error = 0;
  mj_kinematics(w->m, w->d);
  pb_robot_frames(w->robot, q, w->tree, w->X);
  for (int b = 0; b < tree->nbody; b++) {
    const int body = mj_name2id(w->m, mjOBJ_BODY, tree->body_name[b]);
    if (body <= 0 || tree->body_joint[b] < 0) continue;
    const dm_pose link = dm_compose(&w->X[tree->body_joint[b]], &tree->body_pose[b]);
    error = fmax(error, measure_frame(w->d, body, &link));
    w->compared++;
  }
  return error;
}

// -- motions

// the largest difference of a speed from ours; those of balls are seen in places
static double measure_speeds(const reader *w, const double *v) {
  const dm_model *tree = w->robot->mechanism.tree;
  double error = 0;
  for (int i = 0; i < tree->nq; i++) {
    const int id = mj_name2id(w->m, mjOBJ_JOINT, tree->name[i]);
    if (id < 0 && dm_ball_owns(tree, i)) continue;
    const double found = id < 0 ? INFINITY : w->d->qvel[w->m->jnt_dofadr[id]];
    error = fmax(error, fabs(found - v[dm_ball_outside(tree, i)]));
  }
  return error;
}

// whether MuJoCo keeps something of it by stiff forces
static bool is_soft(const reader *w) {
  return w->robot->mechanism.constraints || !w->robot->mechanism.tree->direct;
}

// three quarters of a step from a keyframe: four rows a step, of t q v u
static double step_on(reader *w, const cli_table *plant, int knot, double step) {
  enum { PARTS = 4, FEWEST = 30 };
  const dm_trajectory *x = w->x->call.run.x;
  const double *row = plant->x + (size_t)(PARTS * knot + 3) * (size_t)plant->cols;
  const int steps = (int)fmax(FEWEST, ceil(0.75 * x->h / step));
  w->m->opt.timestep = 0.75 * x->h / steps;
  for (int i = 0; i < steps; i++) mj_step(w->m, w->d);
  return fmax(measure_places(w, row + 1), measure_speeds(w, row + 1 + x->n));
}

// What is kept by stiff forces goes as the plant does the better the stiffer they are: of a quarter of
// their time less than a quarter of the error is left, or less than what is asked of all others.
static void compare_motion(reader *w, const cli_table *plant, int key, int knot) {
  static const double tolerance = 2e-6, rough = 5e-3;
  double error = step_on(w, plant, knot, w->step);
  w->motion = fmax(w->motion, error);
  expect(error < (is_soft(w) ? rough : tolerance), w->dir, "it goes as the continuous plant does",
         knot, error);
  if (!is_soft(w)) return;

  // again, in steps of a quarter and by forces as quick
  for (int i = 0; i < w->m->neq; i++) w->m->eq_solref[mjNREF * i] = w->step / 2;
  mj_resetDataKeyframe(w->m, w->d, key);
  error = step_on(w, plant, knot, w->step / 4);
  for (int i = 0; i < w->m->neq; i++) w->m->eq_solref[mjNREF * i] = 2 * w->step;
  w->stiffer = fmax(w->stiffer, error);
}

static void compare_keys(reader *w) {
  static const cli_result_file *const files[] = {&cli_file_plant, NULL};
  const dm_trajectory *x = w->x->call.run.x;
  if (cli_exhibit_read(w->x, files) != DM_OK) expect(false, w->dir, "its tables are read", 0, 0);
  const cli_table *plant = cli_exhibit_table(w->x, &cli_file_plant);
  const bool moves = w->moves && plant->x && plant->rows == 4 * x->N + 1;
  int stepped = 0;
  for (int k = 0; k <= x->N; k++) {
    char name[32];
    snprintf(name, sizeof name, "knot %d", k);
    const int key = mj_name2id(w->m, mjOBJ_KEY, name);
    if (key < 0) continue;
    mj_resetDataKeyframe(w->m, w->d, key);
    const double place = measure_places(w, x->q + (size_t)k * (size_t)x->n);
    w->place = fmax(w->place, place);
    expect(place < 1e-9, w->dir, "its bodies stand where ours do", k, place);
    expect(fabs(w->d->time - k * x->h) < 1e-12, w->dir, "a keyframe has its time", k, w->d->time);
    if (!moves || k == x->N) continue;
    compare_motion(w, plant, key, k);
    stepped++;
  }
  expect(w->stiffer <= fmax(w->motion / 4, 2e-6), w->dir,
         "stiffer constraints go more as the plant does", 0, w->stiffer);
  expect(w->compared > 0, w->dir, "there are bodies in keyframes", 0, 0);
  printf("%s: %d places within %.1e, %d steps within %.1e\n", w->dir, w->compared, w->place,
         stepped, w->motion);
}

// the whole motion, by contacts that are springs
static void compare_end(reader *w) {
  static const double tolerance = 2e-3;
  const dm_trajectory *x = w->x->call.run.x;
  const int key = mj_name2id(w->m, mjOBJ_KEY, "knot 0");
  expect(key >= 0, w->dir, "there is a keyframe of the start", 0, 0);
  if (key < 0) return;
  mj_resetDataKeyframe(w->m, w->d, key);
  while (w->d->time < x->N * x->h - w->step / 2) mj_step(w->m, w->d);
  const double error = measure_places(w, x->q + (size_t)x->N * (size_t)x->n);
  expect(error < tolerance, w->dir, "it ends where our motion ends", x->N, error);
  printf("%s: ends within %.1e\n", w->dir, error);
}

static int read_folder(const char *dir, bool moves, bool touches) {
  char path[4096], why[1000] = "";
  const cli_args args = {.command = &cli_command_convert,
                         .operand = dir,
                         .operands = {.n = 1, .word = {dir}},
                         .silent = true,
                         .quiet = true};
  cli_exhibits all = {0};
  int status = cli_exhibits_open(&all, &args, NULL);
  if (status != CLI_DONE) return cli_exhibits_close(&all, status);
  reader w = {.dir = dir,
              .moves = moves,
              .touches = touches,
              .x = all.at[0],
              .robot = &all.at[0]->call.run.p->robot};
  snprintf(path, sizeof path, "%s/mujoco.xml", dir);
  w.m = mj_loadXML(path, NULL, why, sizeof why);
  if (w.m) {
    w.d = mj_makeData(w.m);
    w.step = w.m->opt.timestep;
    w.tree = calloc((size_t)w.robot->mechanism.tree->nq + 1, sizeof *w.tree);
    w.X = calloc((size_t)w.robot->mechanism.tree->nj + 1, sizeof *w.X);
    if (w.touches)
      compare_end(&w);
    else
      compare_keys(&w);
    mj_deleteData(w.d);
    mj_deleteModel(w.m);
    free(w.tree);
    free(w.X);
  } else {
    printf("not so: MuJoCo reads %s: %s\n", path, why);
    faults++;
  }
  return cli_exhibits_close(&all, CLI_DONE);
}

int main(int n, char **word) {
  bool moves = true, touches = false;
  for (int i = 1; i < n; i++) {
    if (!strcmp(word[i], "--places"))
      moves = false;
    else if (!strcmp(word[i], "--contacts"))
      touches = true;
    else if (read_folder(word[i], moves, touches) != CLI_DONE)
      faults++;
  }
  return faults > 0;
}
