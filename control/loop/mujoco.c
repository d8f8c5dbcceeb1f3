#include "control/loop/mujoco.h"

#include "config.h"

dm_status fb_mujoco_require(const dm_robot *r, const char *who, dm_message *msg) {
  const dm_joint_forces *f = r->joint[DM_JOINT_FRICTION];
  DM_TRY(dm_robot_require(r, 1u << DM_PART_FRICTION, who, msg));
  for (int i = 0; i < dm_joint_forces_count(f); i++)
    if (dm_joint_force_law(dm_joint_forces_get(f, i)).excess > 0)
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s has no friction that falls with speed: '%.64s' has static above its force",
                     who, dm_joint_forces_get(f, i)->name);
  return DM_OK;
}

#ifdef HAVE_MUJOCO
#include "lib/base/block.h"
#include "lib/base/loaded_library.h"
#include "lib/base/names.h"

#include <assert.h>
#include <math.h>
#include <mujoco/mujoco.h>
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
  double *column;  // [2n]
} engine;

static void lay_out_engine(void *self, dm_block *b) {
  engine *w = self;
  w->at = dm_block_alloc(b, (size_t)w->n, sizeof *w->at);
  w->joint = dm_block_alloc(b, (size_t)w->n, sizeof *w->joint);
  w->offset = dm_block_alloc(b, (size_t)w->n, sizeof *w->offset);
  w->q = dm_block_alloc(b, (size_t)w->n, sizeof *w->q);
  w->v = dm_block_alloc(b, (size_t)w->n, sizeof *w->v);
  w->column = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->column);
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

// MuJoCo's model of a robot file's text
static dm_status load_robot(engine *w, const char *text, size_t size) {
  char error[256];

  // it reads only from files, here from its virtual file system
  dm_block block = {0};
  dm_block_alloc(&block, 1, sizeof(mjVFS));
  DM_TRY(dm_block_new(&block));
  mjVFS *files = dm_block_alloc(&block, 1, sizeof *files);
  *mujoco.mju_user_warning = ignore_warning;
  mujoco.mj_defaultVFS(files);

  // the text with a compiler element after <robot ..>, and without shapes
  const char *robot = strstr(text, "<robot"), *rest = robot ? strchr(robot, '>') : NULL;
  size_t before = rest ? (size_t)(rest + 1 - text) : size, more = strlen(compiler_text);
  if (mujoco.mj_makeEmptyFileVFS(files, "robot.urdf", (int)(size + more) + 1) == 0) {
    char *copy = files->filedata[mujoco.mj_findFileVFS(files, "robot.urdf")];
    memcpy(copy, text, before);
    memcpy(copy + before, compiler_text, more);
    memcpy(copy + before + more, text + before, size - before);
    copy[size + more] = 0;
    blank_elements(copy, "<visual", "</visual>");
    blank_elements(copy, "<collision", "</collision>");
    w->m = mujoco.mj_loadXML("robot.urdf", files, error, sizeof error);
  }
  mujoco.mj_deleteVFS(files);
  dm_block_free(files);
  return w->m ? DM_OK : DM_UNAVAILABLE;
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

// the inertia of link j of a machine in body b, by its principal axes
static void put_inertia(mjModel *m, int b, const dm_model *machine, int j) {
  const char *name = mujoco.mj_id2name(m, mjOBJ_BODY, b);
  const int body = name ? dm_names_find(machine->body_name, machine->nbody, name) : -1;
  const dm_pose at = body >= 0 ? machine->body_pose[body] : dm_identity;
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
  m->body_mass[b] = I.m;
}

// apply the machine's masses, moments, lengths and damping, and disable features that the model
// does not have
static void apply_change(engine *w, const dm_robot *machine, const dm_change *c) {
  mjModel *m = w->m;
  const dm_model *model = w->model;

  // each joint's body differs; the length moves its child bodies. Here one body has one joint
  for (int j = 0; j < model->nj; j++) {
    int b = m->jnt_bodyid[w->joint[model->coord[j]]];
    double length = c && c->length ? c->length[j] : 1;
    if (c && c->mass) m->body_mass[b] *= c->mass[j];
    if (c && c->inertia) scale_numbers(m->body_inertia + 3 * b, 3, c->inertia[j]);
    scale_numbers(m->body_ipos + 3 * b, 3, length);
    if (c && c->body) put_inertia(m, b, machine->tree, j);
    for (int child = 1; child < m->nbody; child++)
      if (m->body_parentid[child] == b) scale_numbers(m->body_pos + 3 * child, 3, length);
  }

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
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_WARMSTART;
  if (!nfriction) m->opt.disableflags |= mjDSBL_FRICTIONLOSS;
}

// MuJoCo steps per step h: at most 1 ms each, and short compared with the decay by damping. The
// decay rates are the eigenvalues of C^1/2 M^-1 C^1/2, none of which exceeds their sum
static double count_parts(engine *w, double h) {
  double *unit = w->column, *solved = unit + w->n, sum = 0;
  mujoco.mj_forward(w->m, w->d);

  // the sum is the trace of M^-1 C, one column of M^-1 at a time
  for (int i = 0; i < w->n; i++) {
    memset(unit, 0, (size_t)w->n * sizeof *unit);
    unit[i] = 1;
    mujoco.mj_solveM(w->m, w->d, solved, unit, 1);
    sum += w->m->dof_damping[i] * solved[i];
  }
  return ceil(h * fmax(1e3, sum));
}

// a plant's step h, see fb_plant
static dm_status step_engine(void *self, double *x, const double *u, double h) {
  engine *w = self;
  int n = w->n;
  mjData *d = w->d;

  // (q,v) of the state, and inputs as generalized forces; clear the data of the previous step
  memset(w->v, 0, (size_t)n * sizeof *w->v);
  DM_TRY(dm_configuration_of(w->mechanics, x, w->q, w->v));
  mujoco.mj_resetData(w->m, d);
  for (int i = 0; i < n; i++) {
    d->qpos[w->at[i]] = w->q[i];
    d->qvel[w->at[i]] = w->v[i];
  }
  for (int i = 0; i < w->model->nu; i++)
    d->qfrc_applied[w->at[w->model->input_coord[i]]] += w->model->input_gear[i] * u[i];

  for (int i = 0; i < n; i++) d->qfrc_applied[w->at[i]] -= w->offset[i];

  // MuJoCo's steps, all of the same length
  double steps = count_parts(w, h);
  if (!(steps <= MAX_PARTS)) return DM_NOT_FINITE;
  w->m->opt.timestep = h / steps;
  for (int k = 0; k < steps; k++) mujoco.mj_step(w->m, d);

  // after a warning MuJoCo has reset the state: the step failed
  double sum = 0;
  for (int i = 0; i < mjNWARNING; i++) sum += d->warning[i].number > 0 ? NAN : 0;
  for (int i = 0; i < n; i++) sum += d->qpos[i] + d->qvel[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;

  for (int i = 0; i < n; i++) w->v[i] = d->qvel[w->at[i]];
  for (int i = 0; i < n; i++) w->q[i] = d->qpos[w->at[i]];
  return dm_state_of(w->mechanics, w->q, w->v, x);
}

static dm_status begin_engine(engine *w, const dm_system *s, const dm_robot *machine,
                              const dm_change *c, const char *text, size_t size) {
  DM_TRY(dm_continuous_new(&w->mechanics, s));
  DM_TRY(load_robot(w, text, size));
  DM_TRY(match_joints(w));
  apply_change(w, machine, c);

  // recompute the model's derived constants after the changes
  w->d = mujoco.mj_makeData(w->m);
  if (!w->d) return DM_NO_MEMORY;
  mujoco.mj_setConst(w->m, w->d);
  return DM_OK;
}

dm_status fb_plant_mujoco(fb_plant *out, const dm_system *s, const dm_robot *r,
                          const dm_robot *machine, const dm_change *c, const char *text,
                          size_t size) {
  const dm_model *m = r->tree;
  assert(out && text && text[size] == 0);
  if (fb_mujoco_require(machine, "MuJoCo's plant", NULL) != DM_OK) return DM_UNAVAILABLE;
  if (s->nk || m->nball || !m->direct || !mujoco_load()) return DM_UNAVAILABLE;
  engine sizes = {.n = m->nq, .model = m};
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
                          size_t size) {
  (void)out;
  (void)s;
  (void)r;
  (void)machine;
  (void)c;
  (void)text;
  (void)size;
  return DM_UNAVAILABLE;
}
#endif
