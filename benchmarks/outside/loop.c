// benchmarks/outside/loop.c: close the loop of a controller.c written by dmoc with MuJoCo, which
// integrates the robot by Runge-Kutta steps of at most 1 ms. Except for the controller, this
// program is independent of dmoc.
//
//   loop ROBOT TRAJECTORY LAW H KEY=VALUE...
//
// ROBOT is the URDF file (or a MuJoCo model), TRAJECTORY the plan's trajectory.csv, LAW state,
// velocity, positions or encoders, H the time between two calls, s. Keys:
//   samples  seed
//   q, v          half-widths of the uniform errors of the start, rad or m and rad/s or m/s
//   tol_q, tol_v  tolerances for every coordinate at the end
//   mass          half-width of the factor 1 + x on each body's mass, with unchanged moments
//   noise_q, noise_v, noise_u  standard deviations, of each measurement and of each input
//   wrist         factor of the noise of inputs after the third; default: 1
//   gravity       m/s2, downward; default: 9.81
// Prints `held N of M, worst X`, X the largest ratio of end error to tolerance. With `state` the
// controller receives p = M(q) v from measurements, with M of the planned robot; with `positions`
// two measurements and the force between them. Compile with controller.c and its folder's header;
// -DLATE if inputs are delayed by a step, -DFILTER if the controller has an estimator.
#include "controller.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NQ = CONTROLLER_NQ, NU = CONTROLLER_NU, LINE = 1 << 16 };

typedef struct options {
  double samples, seed, q, v, tol_q, tol_v, mass, noise_q, noise_v, noise_u, gravity;
  double wrist; // factor of noise_u for inputs after the third
} options;

typedef struct plan {
  char q_name[NQ][128], u_name[NU][128];
  double q0[NQ], v0[NQ], q1[NQ], v1[NQ]; // its beginning and end
} plan;

typedef struct loop {
  const char *law;
  double h;
  options set;
  plan plan;
  mjModel *nominal, *machine;
  mjData *model, *d; // of the planned robot; of the simulated one
  int dof[NQ], actuator[NU], u_dof[NU];
} loop;

static void die(const char *what, const char *of) {
  fprintf(stderr, "loop: %s %s\n", what, of);
  exit(2);
}

// reproducible random numbers: a counter through a mixing function
static double uniform(uint64_t *at) {
  uint64_t z = (*at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double spread(uint64_t *at) {
  return 2 * uniform(at) - 1;
}

static double normal(uint64_t *at) {
  double r = sqrt(-2 * log(uniform(at)));
  return r * cos(6.283185307179586 * uniform(at));
}

// the robot without shapes, with the same minimum masses as in dmoc
static mjModel *read_robot(const char *path) {
  static char text[1 << 20], error[1000];
  static mjVFS vfs;
  static const char least[] = "<mujoco><compiler boundmass='1e-12' boundinertia='1e-12'/></mujoco>";
  FILE *f = fopen(path, "rb");
  if (!f) die("cannot read", path);
  size_t size = fread(text, 1, sizeof text - sizeof least - 1, f);
  fclose(f);
  text[size] = 0;
  char *robot = strstr(text, "<robot");
  char *inside = robot ? strchr(robot, '>') : NULL;
  if (inside) {
    memmove(inside + sizeof least, inside + 1, strlen(inside + 1) + 1);
    memcpy(inside + 1, least, sizeof least - 1);
  }
  mj_defaultVFS(&vfs);
  mj_makeEmptyFileVFS(&vfs, "robot.xml", (int)strlen(text));
  memcpy(vfs.filedata[mj_findFileVFS(&vfs, "robot.xml")], text, strlen(text));
  mjModel *m = mj_loadXML("robot.xml", &vfs, error, sizeof error);
  if (!m) die("MuJoCo refuses the robot:", error);
  m->opt.integrator = mjINT_RK4;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  return m;
}

// the first and last row of the plan, by column names
static void read_plan(plan *p, const char *path) {
  static char head[LINE], line[LINE], last[LINE], first[LINE];
  FILE *f = fopen(path, "r");
  if (!f || !fgets(head, LINE, f)) die("cannot read", path);
  while (head[0] == '#' && fgets(head, LINE, f)) continue;
  while (fgets(line, LINE, f)) {
    if (!first[0]) strcpy(first, line);
    strcpy(last, line);
  }
  fclose(f);
  int nq = 0, nv = 0, nu = 0;
  char *h = head, *a = first, *b = last;
  for (char *name; (name = strsep(&h, ",\n")) && *name;) {
    double x0 = atof(strsep(&a, ",\n")), x1 = atof(strsep(&b, ",\n"));
    if (!strncmp(name, "q.", 2) && nq < NQ) {
      strncpy(p->q_name[nq], name + 2, sizeof p->q_name[nq] - 1);
      p->q0[nq] = x0, p->q1[nq++] = x1;
    }
    if (!strncmp(name, "v.", 2) && nv < NQ) p->v0[nv] = x0, p->v1[nv++] = x1;
    if (!strncmp(name, "u.", 2) && nu < NU)
      strncpy(p->u_name[nu++], name + 2, sizeof p->u_name[0] - 1);
  }
  if (nq != NQ || nv != NQ || nu != NU) die("other coordinates than the controller's in", path);
}

// coordinates are joints by name; inputs are actuators by name, else joints
static void find_names(loop *w) {
  for (int i = 0; i < NQ; i++) {
    int id = mj_name2id(w->nominal, mjOBJ_JOINT, w->plan.q_name[i]);
    if (id < 0) die("MuJoCo has no joint", w->plan.q_name[i]);
    w->dof[i] = w->nominal->jnt_dofadr[id];
  }
  for (int i = 0; i < NU; i++) {
    int joint = mj_name2id(w->nominal, mjOBJ_JOINT, w->plan.u_name[i]);
    w->actuator[i] = mj_name2id(w->nominal, mjOBJ_ACTUATOR, w->plan.u_name[i]);
    if (joint < 0 && w->actuator[i] < 0) die("MuJoCo has no input", w->plan.u_name[i]);
    w->u_dof[i] = joint < 0 ? -1 : w->nominal->jnt_dofadr[joint];
  }
}

// draw a robot with perturbed masses, and a perturbed start
static void draw_machine(loop *w, uint64_t *at) {
  mj_copyModel(w->machine, w->nominal);
  for (int b = 1; b < w->machine->nbody; b++)
    w->machine->body_mass[b] *= 1 + w->set.mass * spread(at);
  mj_setConst(w->machine, w->d);
  mj_resetData(w->machine, w->d);
  for (int i = 0; i < NQ; i++) {
    w->d->qpos[w->dof[i]] = w->plan.q0[i] + w->set.q * spread(at);
    w->d->qvel[w->dof[i]] = w->plan.v0[i] + w->set.v * spread(at);
  }
  mj_forward(w->machine, w->d);
}

// p = M(q) v of the planned robot
static void momentum(loop *w, const double *q, const double *v, double *p) {
  double M[NQ * NQ], speed[NQ], product[NQ];
  for (int i = 0; i < NQ; i++) {
    w->model->qpos[w->dof[i]] = q[i];
    speed[w->dof[i]] = v[i];
  }
  mj_forward(w->nominal, w->model);
  mj_fullM(w->nominal, M, w->model->qM);
  mju_mulMatVec(product, M, speed, NQ, NQ);
  for (int i = 0; i < NQ; i++) p[i] = product[w->dof[i]];
}

#ifdef LATE
#define NOW , under_way
#else
#define NOW
#define controller_first(u) (void)(u)
#endif
#ifndef FILTER
typedef int controller_filter;
#define controller_begin(filter)             (void)(filter)
#define controller_encoders(k, filter, q, u) die("controller.c has no", "encoders")
#endif

// inputs of a controller: current and previous measurements, the inputs in between and the current
// ones
typedef struct readings {
  double q[NQ], v[NQ], before[NQ], acted[NU], under_way[NU];
  controller_filter filter;
} readings;

// the controller's output u at knot k
static void ask(loop *w, int k, readings *r, double *u) {
  const double *under_way = r->under_way;
  double p[NQ];
  (void)under_way;
  if (!strcmp(w->law, "state")) {
    momentum(w, r->q, r->v, p);
    controller_state(k, r->q, p NOW, u);
  } else if (!strcmp(w->law, "velocity")) {
    controller_velocity(k, r->q, r->v NOW, u);
  } else if (!strcmp(w->law, "positions")) {
    controller_positions(k, r->q, r->before, r->acted NOW, u);
  } else {
    controller_encoders(k, &r->filter, r->q, u);
  }
}

// hold the input and its noise for one period
static void act(loop *w, const double *u, uint64_t *at) {
  int parts = (int)ceil(w->h / 1e-3 - 1e-9);
  mju_zero(w->d->qfrc_applied, NQ);
  for (int i = 0; i < NU; i++) {
    double force = u[i] + w->set.noise_u * (i < 3 ? 1 : w->set.wrist) * normal(at);
    if (w->actuator[i] >= 0)
      w->d->ctrl[w->actuator[i]] = force;
    else
      w->d->qfrc_applied[w->u_dof[i]] += force;
  }
  w->machine->opt.timestep = w->h / parts;
  for (int i = 0; i < parts; i++) mj_step(w->machine, w->d);
}

// measure positions and velocities, with noise
static void measure(const loop *w, readings *r, uint64_t *at) {
  memcpy(r->before, r->q, sizeof r->q);
  for (int i = 0; i < NQ; i++) {
    r->q[i] = w->d->qpos[w->dof[i]] + w->set.noise_q * normal(at);
    r->v[i] = w->d->qvel[w->dof[i]] + w->set.noise_v * normal(at);
  }
}

// the largest ratio of end error to tolerance
static double end_error(const loop *w) {
  double worst = 0;
  for (int i = 0; i < NQ; i++) {
    double q = fabs(w->d->qpos[w->dof[i]] - w->plan.q1[i]);
    double v = fabs(w->d->qvel[w->dof[i]] - w->plan.v1[i]);
    worst = fmax(worst, fmax(q / w->set.tol_q, v / w->set.tol_v));
    if (!isfinite(q + v)) return INFINITY;
  }
  return worst;
}

// one sample from start to end
static double run(loop *w, uint64_t *at) {
  readings r;
  double u[NU], acts[NU];
  memset(&r, 0, sizeof r);
  draw_machine(w, at);
  controller_begin(&r.filter);
  controller_first(r.under_way);
  for (int k = 0; k < CONTROLLER_STEPS; k++) {
    measure(w, &r, at);
    ask(w, k, &r, u);
#ifdef LATE
    memcpy(acts, r.under_way, sizeof acts);
    memcpy(r.under_way, u, sizeof u);
#else
    memcpy(acts, u, sizeof acts);
#endif
    act(w, acts, at);
    memcpy(r.acted, acts, sizeof acts);
  }
  return end_error(w);
}

static void read_options(options *set, int count, char **words) {
  static const char *const names[] = {"samples", "seed",    "q",       "v",
                                      "tol_q",   "tol_v",   "mass",    "noise_q",
                                      "noise_v", "noise_u", "gravity", "wrist"};
  double *value = &set->samples;
  for (int i = 0; i < count; i++) {
    char *is = strchr(words[i], '=');
    size_t at = 0;
    if (!is) die("expected KEY=VALUE, found", words[i]);
    *is = 0;
    while (at < sizeof names / sizeof *names && strcmp(names[at], words[i]) != 0) at++;
    if (at == sizeof names / sizeof *names) die("unknown key", words[i]);
    value[at] = atof(is + 1);
  }
}

int main(int argc, char **argv) {
  static loop w = {
      .set = {.samples = 100, .seed = 1, .tol_q = 0.1, .tol_v = 0.1, .gravity = 9.81, .wrist = 1}};
  if (argc < 5) die("usage: loop ROBOT TRAJECTORY LAW H KEY=VALUE...", "");
  w.law = argv[3], w.h = atof(argv[4]);
  if (strcmp(w.law, "state") && strcmp(w.law, "velocity") && strcmp(w.law, "positions") &&
      strcmp(w.law, "encoders"))
    die("unknown law", w.law);
  read_options(&w.set, argc - 5, argv + 5);
  w.nominal = read_robot(argv[1]);
  w.nominal->opt.gravity[2] = -w.set.gravity;
  w.machine = mj_copyModel(NULL, w.nominal);
  w.model = mj_makeData(w.nominal), w.d = mj_makeData(w.machine);
  if (w.nominal->nv != NQ) die("MuJoCo has other coordinates than the controller for", argv[1]);
  read_plan(&w.plan, argv[2]);
  find_names(&w);
  int held = 0;
  double worst = 0;
  for (int s = 0; s < (int)w.set.samples; s++) {
    uint64_t at = ((uint64_t)w.set.seed << 32) + (uint64_t)s * 0x632be59bd9b4e019u;
    double error = run(&w, &at);
    held += error <= 1;
    worst = fmax(worst, error);
  }
  printf("held %d of %d, worst %.3g\n", held, (int)w.set.samples, worst);
  return 0;
}
