#include "control/loop/mujoco.h"

#include "config.h"

#include <math.h>

// wheels and balls with axles anywhere on one plane of the world
static dm_status require_wheels(const dm_robot *r, const char *who, dm_message *msg) {
  const dm_roller *list;
  const int n = r->rolling ? dm_rolling_described(r->rolling, &list) : 0;
  for (int i = 0; i < n; i++) {
    const dm_roller *x = &list[i];
    const char *why = NULL;
    if (x->kind != DM_ROLLING_WHEEL) why = "is no wheel or ball, whose radius friction needs";
    if (x->body[1] >= 0) why = "rolls on a body that is not the world";
    for (int k = 0; k < 3 && !why; k++)
      if (fabs(x->normal[k] - list->normal[k]) > 1e-9) why = "has another normal than the first";
    if (why)
      return dm_fail(msg, DM_BAD_INPUT, "%s has wheels on one plane only: '%.64s' %s", who, x->name,
                     why);
  }
  return DM_OK;
}

dm_status fb_mujoco_require(const dm_robot *r, const char *who, dm_message *msg) {
  const dm_joint_forces *f = r->joint[DM_JOINT_FRICTION];
  DM_TRY(dm_robot_require(r, 1u << DM_PART_FRICTION | 1u << DM_PART_ROLLING, who, msg));
  DM_TRY(require_wheels(r, who, msg));
  for (int i = 0; i < dm_joint_forces_count(f); i++)
    if (dm_joint_force_law(dm_joint_forces_get(f, i)).excess > 0)
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s has no friction that falls with speed: '%.64s' has static above its force",
                     who, dm_joint_forces_get(f, i)->name);
  return DM_OK;
}

bool fb_mujoco_presses(const dm_robot *r) {
  static const double LEAST = 1e-3; // of gravity
  const dm_vec g = r->tree->gravity;
  const dm_roller *wheel;
  if (!r->rolling || !dm_rolling_described(r->rolling, &wheel)) return false;
  const double *up = wheel->normal;
  return dm_dot(g, dm_v(up[0], up[1], up[2])) < -LEAST * sqrt(dm_dot(g, g));
}

#ifdef HAVE_MUJOCO
#include "control/loop/wheels_text.h"
#include "lib/base/block.h"
#include "lib/base/loaded_library.h"
#include "lib/base/names.h"

#include <assert.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#define MUJOCO_SYMBOLS(X)                                                                          \
  X(mj_defaultVFS)                                                                                 \
  X(mj_deleteData)                                                                                 \
  X(mj_deleteModel)                                                                                \
  X(mj_deleteVFS)                                                                                  \
  X(mj_findFileVFS)                                                                                \
  X(mj_forward)                                                                                    \
  X(mj_loadXML)                                                                                    \
  X(mj_makeData)                                                                                   \
  X(mj_makeEmptyFileVFS)                                                                           \
  X(mj_name2id)                                                                                    \
  X(mj_objectVelocity)                                                                             \
  X(mj_resetData)                                                                                  \
  X(mj_setConst)                                                                                   \
  X(mj_solveM)                                                                                     \
  X(mj_step)                                                                                       \
  X(mj_id2name)                                                                                    \
  X(mju_eig3)                                                                                      \
  X(mju_copy3)                                                                                     \
  X(mju_user_warning)
DM_LOADED_LIBRARY(mujoco, MUJOCO_FILE, MUJOCO_SYMBOLS)

bool fb_has_mujoco(void) {
  return true;
}

static const double MAX_PARTS = 1e6; // per step

typedef struct engine {
  dm_continuous *mechanics;
  mjModel *m;
  mjData *d;
  const dm_model *model; // inputs and names
  int n;
  int *at, *joint; // [n] for coordinate i: index in qpos and in qvel; the joint
  double *offset;  // [n] forces against the positive direction
  double *q, *v;   // [n]
  double *column;  // [2(n+1)]

  // a robot on wheels; 0: without
  int nwheel, lift;    // wheels; index of the slide along the normal
  int *wheel, *ground; // [nwheel] geoms
  double *slid;        // [nwheel] length that each slid [m]
  double *last;        // [2n] state that the last step returned,
  bool runs;           // if there is one
  double weight;       // against the normal, beside gravity [N]
  fb_slip *slip;
} engine;

static void lay_out_engine(void *self, dm_block *b) {
  engine *w = self;
  w->at = dm_block_alloc(b, (size_t)w->n, sizeof *w->at);
  w->joint = dm_block_alloc(b, (size_t)w->n, sizeof *w->joint);
  w->offset = dm_block_alloc(b, (size_t)w->n, sizeof *w->offset);
  w->q = dm_block_alloc(b, (size_t)w->n, sizeof *w->q);
  w->v = dm_block_alloc(b, (size_t)w->n, sizeof *w->v);
  w->column = dm_block_alloc(b, 2 * (size_t)w->n + 2, sizeof *w->column);
  w->wheel = dm_block_alloc(b, (size_t)w->nwheel, sizeof *w->wheel);
  w->ground = dm_block_alloc(b, (size_t)w->nwheel, sizeof *w->ground);
  w->slid = dm_block_alloc(b, (size_t)w->nwheel, sizeof *w->slid);
  w->last = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->last);
}

static void free_engine(void *self) {
  engine *w = self;
  if (!w) return;
  if (w->d) mujoco.mj_deleteData(w->d);
  if (w->m) mujoco.mj_deleteModel(w->m);
  dm_continuous_free(w->mechanics);
  dm_block_free(w);
}

// blank out all elements of a kind: mesh files are not available, and shapes carry no mass
static void blank_elements(char *text, const char *open, const char *close) {
  // with spaces: the text keeps its length
  for (char *at = text; (at = strstr(at, open));) {
    char *end = strstr(at, close);
    if (!end) return;
    memset(at, ' ', (size_t)(end - at) + strlen(close));
  }
}

// MuJoCo rejects moments of zero, for example of a point or a thin rod: replace them by negligible
// ones
static const char compiler_text[] =
    "<mujoco><compiler boundmass='1e-12' boundinertia='1e-12'/></mujoco>";

// MuJoCo prints errors, also into a file, unless handlers are set; its counters are sufficient here
static void ignore_warning(const char *text) {
  (void)text;
}

// MuJoCo's model of a text, which is `more` after its first `before` bytes, and not a robot file's
// shapes
static dm_status load_text(engine *w, const char *name, const char *text, size_t size,
                           size_t before, const char *more) {
  const size_t added = strlen(more);
  char error[256];

  // it reads only from files, here from its virtual file system
  dm_block block = {0};
  dm_block_alloc(&block, 1, sizeof(mjVFS));
  DM_TRY(dm_block_new(&block));
  mjVFS *files = dm_block_alloc(&block, 1, sizeof *files);
  *mujoco.mju_user_warning = ignore_warning;
  mujoco.mj_defaultVFS(files);
  if (mujoco.mj_makeEmptyFileVFS(files, name, (int)(size + added) + 1) == 0) {
    char *copy = files->filedata[mujoco.mj_findFileVFS(files, name)];
    memcpy(copy, text, before);
    memcpy(copy + before, more, added);
    memcpy(copy + before + added, text + before, size - before);
    copy[size + added] = 0;
    blank_elements(copy, "<visual", "</visual>");
    blank_elements(copy, "<collision", "</collision>");
    w->m = mujoco.mj_loadXML(name, files, error, sizeof error);
  }
  mujoco.mj_deleteVFS(files);
  dm_block_free(files);
  return w->m ? DM_OK : DM_UNAVAILABLE;
}

// a robot file's text with a compiler element after <robot ..>
static dm_status load_robot(engine *w, const char *text, size_t size) {
  const char *robot = strstr(text, "<robot"), *rest = robot ? strchr(robot, '>') : NULL;
  return load_text(w, "robot.urdf", text, size, rest ? (size_t)(rest + 1 - text) : size,
                   compiler_text);
}

// map joints to coordinates: all of them, each prismatic or revolute
static dm_status match_joints(engine *w) {
  if (w->m->nv != w->n || w->m->nq != w->n) return DM_UNAVAILABLE;

  // by name; a joint with one degree of freedom has one address in qpos and qvel
  for (int i = 0; i < w->n; i++) {
    int id = mujoco.mj_name2id(w->m, mjOBJ_JOINT, w->model->name[i]);
    if (id < 0) return DM_UNAVAILABLE;
    w->joint[i] = id;
    w->at[i] = w->m->jnt_dofadr[id];
  }
  return DM_OK;
}

static void scale_numbers(double *x, int n, double by) {
  for (int i = 0; i < n; i++) x[i] *= by;
}

// the frame of body b in that of its joint
static dm_pose find_body_frame(const mjModel *m, int b, const dm_model *machine) {
  const char *name = mujoco.mj_id2name(m, mjOBJ_BODY, b);
  const int body = name ? dm_names_find(machine->body_name, machine->nbody, name) : -1;
  return body >= 0 ? machine->body_pose[body] : dm_identity;
}

// the inertia of link j of a machine in body b, whose frame is `at` in that of the joint, by its
// principal axes
static void put_inertia(mjModel *m, int b, dm_pose at, const dm_model *machine, int j) {
  const dm_pose out = dm_pose_relative(&at, &dm_identity);
  dm_inertia I = dm_inertia_move(&machine->body[j], &out);

  // about its center
  const dm_vec r = I.m > 0 ? dm_mul(1 / I.m, I.c) : dm_v(0, 0, 0);
  const double center[] = {r.x, r.y, r.z};
  dm_shift(&I, dm_mul(-1, r));
  const double moments[] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
  double axes[9];
  mujoco.mju_eig3(m->body_inertia + 3 * b, axes, m->body_iquat + 4 * b, moments);
  mujoco.mju_copy3(m->body_ipos + 3 * b, center);
  m->body_sameframe[b] = 0; // it would replace the frame of the inertia by the body's
  m->body_mass[b] = I.m;
}

// apply the masses, moments and lengths by which the machine differs from the file
static void change_links(engine *w, const dm_robot *machine, const dm_change *c) {
  mjModel *m = w->m;
  const dm_model *model = w->model;

  // each joint's body differs; the length moves its child bodies. Here one body has one joint
  for (int j = 0; j < model->nj; j++) {
    int b = m->jnt_bodyid[w->joint[model->coord[j]]];
    double length = c && c->length ? c->length[j] : 1;
    if (c && c->mass) m->body_mass[b] *= c->mass[j];
    if (c && c->inertia) scale_numbers(m->body_inertia + 3 * b, 3, c->inertia[j]);
    scale_numbers(m->body_ipos + 3 * b, 3, length);
    if (c && c->body) put_inertia(m, b, find_body_frame(m, b, machine->tree), machine->tree, j);
    for (int child = 1; child < m->nbody; child++)
      if (m->body_parentid[child] == b) scale_numbers(m->body_pos + 3 * child, 3, length);
  }
}

// apply the machine's damping and friction, and disable features that the model does not have
static void apply_joints(engine *w, const dm_robot *machine, const dm_change *c) {
  mjModel *m = w->m;
  const dm_model *model = w->model;

  // per joint: damping and armature
  for (int i = 0; i < w->n; i++) {
    m->dof_damping[w->at[i]] = model->damping[i] + (c && c->damping ? c->damping[i] : 0);
    m->dof_armature[w->at[i]] = machine->tree->armature[i];
  }

  // dry friction, also that of the text, is the machine's
  const dm_joint_forces *frictions = machine->joint[DM_JOINT_FRICTION];
  const int nfriction = dm_joint_forces_count(frictions);
  for (int i = 0; i < w->n; i++) m->dof_frictionloss[w->at[i]] = 0;
  for (int i = 0; i < nfriction; i++) {
    const dm_joint_force *x = dm_joint_forces_get(frictions, i);
    m->dof_frictionloss[w->at[x->coord]] += x->friction.force;
    m->dof_damping[w->at[x->coord]] += x->friction.viscous;
    w->offset[x->coord] += x->friction.offset;
  }

  // gravity, Runge-Kutta 4, and only the features of the engine that the model has
  m->opt.gravity[0] = model->gravity.x;
  m->opt.gravity[1] = model->gravity.y;
  m->opt.gravity[2] = model->gravity.z;
  m->opt.integrator = mjINT_RK4;
  m->opt.disableflags |= mjDSBL_LIMIT | mjDSBL_WARMSTART;
  if (!w->nwheel) m->opt.disableflags |= mjDSBL_CONTACT;
  if (!nfriction) m->opt.disableflags |= mjDSBL_FRICTIONLOSS;
}

// MuJoCo steps per step h: at most 1 ms each, and short compared with the decay by damping. The
// decay rates are the eigenvalues of C^1/2 M^-1 C^1/2, none of which exceeds their sum
static double count_parts(engine *w, double h) {
  const int nv = w->m->nv;
  double *unit = w->column, *solved = unit + nv, sum = 0;
  mujoco.mj_forward(w->m, w->d);

  // the sum is the trace of M^-1 C, one column of M^-1 at a time
  for (int i = 0; i < nv; i++) {
    memset(unit, 0, (size_t)nv * sizeof *unit);
    unit[i] = 1;
    mujoco.mj_solveM(w->m, w->d, solved, unit, 1);
    sum += w->m->dof_damping[i] * solved[i];
  }
  return ceil(h * fmax(1e3, sum));
}

// -- wheels

static const double SETTLE = 1e-3; // step while the robot settles on the ground [s]
enum { SETTLES = 60 };             // steps, several times as long as contacts take

// from the center of a wheel to the lowest point of its rim or sphere, -r (n - (n.a) a)/|n - (n.a) a|
static void find_lowest(const engine *w, int i, double rho[3]) {
  const mjModel *m = w->m;
  const int g = w->wheel[i];
  const double *n = m->jnt_axis + 3 * w->lift, *R = w->d->geom_xmat + 9 * g;
  double along = 0;
  for (int k = 0; m->geom_type[g] != mjGEOM_SPHERE && k < 3; k++) along += n[k] * R[3 * k + 2];
  const double by = m->geom_size[3 * g] / sqrt(1 - along * along);
  for (int k = 0; k < 3; k++) rho[k] = -by * (n[k] - along * R[3 * k + 2]);
}

// move each plane under its wheel as the robot is placed, and let its weight press the wheels on
// them while its own coordinates stay
static void stand(engine *w) {
  const mjModel *m = w->m;
  mjData *d = w->d;
  memset(w->slid, 0, (size_t)w->nwheel * sizeof *w->slid);
  w->slip->length = 0;
  w->slip->wheel = -1;

  mujoco.mj_forward(m, d);
  for (int i = 0; i < w->nwheel; i++) {
    double rho[3];
    find_lowest(w, i, rho);
    for (int k = 0; k < 3; k++)
      w->m->geom_pos[3 * w->ground[i] + k] = d->geom_xpos[3 * w->wheel[i] + k] + rho[k];
  }
  w->m->opt.timestep = SETTLE;
  for (int s = 0; s < SETTLES; s++) {
    const double height = d->qpos[w->lift], rate = d->qvel[w->lift];
    memset(d->qvel, 0, (size_t)m->nv * sizeof *d->qvel);
    for (int i = 0; i < w->n; i++) d->qpos[w->at[i]] = w->q[i];
    d->qpos[w->lift] = height;
    d->qvel[w->lift] = rate;
    mujoco.mj_step(m, d);
  }
}

// add how far wheels slid in a step of MuJoCo. Sliding contacts open and close within micrometers:
// a wheel touches if its lowest point is nearer to the plane than NEAR of its radius
static void add_slip(engine *w, double h) {
  static const double NEAR = 1e-3;
  const mjModel *m = w->m;
  const double *n = m->jnt_axis + 3 * w->lift;
  for (int i = 0; i < w->nwheel; i++) {
    double rho[3], rates[6]; // center to lowest point; angular, then linear velocity of the center
    find_lowest(w, i, rho);
    mujoco.mj_objectVelocity(m, w->d, mjOBJ_GEOM, w->wheel[i], rates, 0);
    const double *O = rates, v[3] = {rates[3] + O[1] * rho[2] - O[2] * rho[1],
                                     rates[4] + O[2] * rho[0] - O[0] * rho[2],
                                     rates[5] + O[0] * rho[1] - O[1] * rho[0]};
    double height = 0, up = 0, square = 0;
    for (int k = 0; k < 3; k++) {
      const double p = w->d->geom_xpos[3 * w->wheel[i] + k] + rho[k];
      height += n[k] * (p - m->geom_pos[3 * w->ground[i] + k]);
      up += n[k] * v[k];
      square += v[k] * v[k];
    }
    if (height > NEAR * m->geom_size[3 * w->wheel[i]]) continue;
    w->slid[i] += h * sqrt(fmax(0, square - up * up));
    if (w->slid[i] <= w->slip->length) continue;
    w->slip->length = w->slid[i];
    w->slip->wheel = i;
  }
}

// the tree of a robot on wheels
static dm_status load_wheels(engine *w, const dm_robot *machine, const dm_change *c) {
  const dm_model *m = machine->tree;
  const dm_roller *wheel;
  dm_rolling_described(machine->rolling, &wheel);
  const double friction = w->slip->friction * (1 + (c ? c->grip : 0));
  const size_t size = fb_wheels_text(NULL, 0, m, w->nwheel, wheel, friction);
  dm_block block = {0};
  dm_block_alloc(&block, size + 1, 1);
  DM_TRY(dm_block_new(&block));
  char *text = dm_block_alloc(&block, size + 1, 1), name[32];
  fb_wheels_text(text, size + 1, m, w->nwheel, wheel, friction);
  const dm_status s = load_text(w, "robot.xml", text, size, size, "");
  dm_block_free(text);
  DM_TRY(s);

  // inertias of links, of which massless ones move with others, and indices
  for (int j = 0; j < m->nj; j++) {
    snprintf(name, sizeof name, "joint %d", j);
    const int id = mujoco.mj_name2id(w->m, mjOBJ_JOINT, name);
    put_inertia(w->m, w->m->jnt_bodyid[id], dm_identity, m, j);
    w->joint[m->coord[j]] = id;
    w->at[m->coord[j]] = w->m->jnt_dofadr[id];
  }
  w->lift = mujoco.mj_name2id(w->m, mjOBJ_JOINT, "lift");
  const int carrier = w->m->jnt_bodyid[w->lift];
  w->m->body_mass[carrier] = 0;
  memset(w->m->body_inertia + 3 * carrier, 0, 3 * sizeof(double));
  for (int i = 0; i < w->nwheel; i++) {
    snprintf(name, sizeof name, "wheel %d", i);
    w->wheel[i] = mujoco.mj_name2id(w->m, mjOBJ_GEOM, name);
    snprintf(name, sizeof name, "ground %d", i);
    w->ground[i] = mujoco.mj_name2id(w->m, mjOBJ_GEOM, name);
    w->m->geom_sameframe[w->ground[i]] = 0; // stand() moves it
  }

  // a robot whose gravity does not press it on the ground weighs as much as if it did
  const double *up = wheel->normal, g = sqrt(dm_dot(m->gravity, m->gravity));
  const double off = dm_dot(m->gravity, dm_v(up[0], up[1], up[2]));
  double mass = 0;
  for (int j = 0; j < m->nj; j++) mass += m->body[j].m;
  w->weight = fb_mujoco_presses(machine) ? 0 : mass * (off + (g > 0 ? g : 9.81));
  return DM_OK;
}

// -- the plant

// Place the machine at the state x. A motion on wheels goes on from the position that the last step
// returned, with the slip of its momenta
static dm_status place_machine(engine *w, const double *x) {
  const size_t n = (size_t)w->n;
  mjData *d = w->d;
  if (w->runs && !memcmp(x, w->last, n * sizeof *x)) {
    if (!memcmp(x + n, w->last + n, n * sizeof *x)) return DM_OK;
    DM_TRY(dm_velocity_of(w->mechanics, x, x + n, w->v));
    for (int i = 0; i < w->n; i++) d->qvel[w->at[i]] = w->v[i];
    return DM_OK;
  }

  // (q,v) of the state; clear the data of the previous step
  memset(w->v, 0, n * sizeof *w->v);
  DM_TRY(dm_configuration_of(w->mechanics, x, w->q, w->v));
  mujoco.mj_resetData(w->m, d);
  for (int i = 0; i < w->n; i++) d->qpos[w->at[i]] = w->q[i];
  if (w->nwheel) {
    d->qfrc_applied[w->lift] = -w->weight;
    stand(w);
  }
  for (int i = 0; i < w->n; i++) {
    d->qpos[w->at[i]] = w->q[i];
    d->qvel[w->at[i]] = w->v[i];
  }
  return DM_OK;
}

// a plant's step h, see fb_plant
static dm_status step_engine(void *self, double *x, const double *u, double h) {
  engine *w = self;
  const int n = w->n;
  mjData *d = w->d;
  DM_TRY(place_machine(w, x));
  w->runs = false;

  // inputs as generalized forces
  for (int i = 0; i < n; i++) d->qfrc_applied[w->at[i]] = -w->offset[i];
  for (int i = 0; i < w->model->nu; i++)
    d->qfrc_applied[w->at[w->model->input_coord[i]]] += w->model->input_gear[i] * u[i];

  // MuJoCo's steps, all of the same length
  double steps = count_parts(w, h);
  if (!(steps <= MAX_PARTS)) return DM_NOT_FINITE;
  w->m->opt.timestep = h / steps;
  for (int k = 0; k < steps; k++) {
    mujoco.mj_step(w->m, d);
    if (w->nwheel) add_slip(w, h / steps);
  }

  // after a warning MuJoCo has reset the state: the step failed
  double sum = 0;
  for (int i = 0; i < mjNWARNING; i++) sum += d->warning[i].number > 0 ? NAN : 0;
  for (int i = 0; i < w->m->nv; i++) sum += d->qpos[i] + d->qvel[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;

  for (int i = 0; i < n; i++) w->v[i] = d->qvel[w->at[i]];
  for (int i = 0; i < n; i++) w->q[i] = d->qpos[w->at[i]];
  DM_TRY(dm_state_of(w->mechanics, w->q, w->v, x));
  memcpy(w->last, x, 2 * (size_t)n * sizeof *x);
  w->runs = w->nwheel > 0;
  return DM_OK;
}

static dm_status begin_engine(engine *w, const dm_system *s, const dm_robot *machine,
                              const dm_change *c, const char *text, size_t size) {
  DM_TRY(dm_continuous_new(&w->mechanics, s));
  if (w->nwheel) {
    DM_TRY(load_wheels(w, machine, c));
  } else {
    DM_TRY(load_robot(w, text, size));
    DM_TRY(match_joints(w));
    change_links(w, machine, c);
  }
  apply_joints(w, machine, c);

  // recompute the model's derived constants after the changes
  w->d = mujoco.mj_makeData(w->m);
  if (!w->d) return DM_NO_MEMORY;
  mujoco.mj_setConst(w->m, w->d);
  return DM_OK;
}

dm_status fb_plant_mujoco(fb_plant *out, const dm_system *s, const dm_robot *r,
                          const dm_robot *machine, const dm_change *c, const char *text,
                          size_t size, fb_slip *slip) {
  const dm_model *m = r->tree;
  const dm_roller *wheel;
  const int nwheel = machine->rolling ? dm_rolling_described(machine->rolling, &wheel) : 0;
  assert(out && (nwheel ? slip != NULL : text && text[size] == 0));
  if (fb_mujoco_require(machine, "MuJoCo's plant", NULL) != DM_OK) return DM_UNAVAILABLE;
  if (s->nk || m->nball || !m->direct || !mujoco_load()) return DM_UNAVAILABLE;
  engine sizes = {.n = m->nq, .model = m, .nwheel = nwheel, .slip = slip};
  engine *w = dm_block_make(&sizes, sizeof sizes, lay_out_engine);
  if (!w) return DM_NO_MEMORY;
  dm_status status = begin_engine(w, s, machine, c, text, size);
  if (status != DM_OK) {
    free_engine(w);
    return status;
  }
  *out = (fb_plant){.n = w->n, .nu = s->nu, .self = w, .step = step_engine, .free = free_engine};
  return DM_OK;
}
#else
bool fb_has_mujoco(void) {
  return false;
}

dm_status fb_plant_mujoco(fb_plant *out, const dm_system *s, const dm_robot *r,
                          const dm_robot *machine, const dm_change *c, const char *text,
                          size_t size, fb_slip *slip) {
  (void)out;
  (void)slip;
  (void)s;
  (void)r;
  (void)machine;
  (void)c;
  (void)text;
  (void)size;
  return DM_UNAVAILABLE;
}
#endif
