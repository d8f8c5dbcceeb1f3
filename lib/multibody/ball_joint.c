#include "lib/multibody/ball_joint.h"

#include "lib/base/block.h"
#include "lib/multibody/quaternion.h"
#include "lib/multibody/tree_lagrangian.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- internal and external coordinates

int dm_ball_next(const dm_model *tree, int j) {
  while (j < tree->nj && tree->ball[j] != 1) j++;
  return j;
}

int dm_ball_outside(const dm_model *tree, int i) {
  // each ball joint before i adds one coordinate: four components for three joints
  int out = i;
  for (int j = dm_ball_next(tree, 0); j < tree->nj; j = dm_ball_next(tree, j + 1)) {
    int first = tree->coord[j];
    // after a ball joint: one more; inside it: the index of its first component
    if (i >= first + 3)
      out++;
    else if (i > first)
      out = out - (i - first);
  }
  return out;
}

bool dm_ball_owns(const dm_model *tree, int i) {
  for (int j = dm_ball_next(tree, 0); j < tree->nj; j = dm_ball_next(tree, j + 1))
    if (i >= tree->coord[j] && i < tree->coord[j] + 3) return true;
  return false;
}

void dm_ball_enter(const dm_model *tree, const double *q, const double *v, double *qt, double *vt) {
  for (int i = 0; i < tree->nq; i++) {
    // copy all values; those of ball joints are overwritten below
    qt[i] = q[dm_ball_outside(tree, i)];
    if (v) vt[i] = v[dm_ball_outside(tree, i)];
  }

  // ball joint: Rodrigues parameters, and the rates of the internal joints
  for (int j = dm_ball_next(tree, 0); j < tree->nj; j = dm_ball_next(tree, j + 1)) {
    int in = tree->coord[j], out = dm_ball_outside(tree, in);
    dm_chart c;
    // q and -q give the same rotation q/|q|
    dm_chart_rodrigues(q + out, qt + in);
    if (!v) continue;
    dm_chart_set(&c, q + out, v + out);
    dm_chart_rates(&c, vt + in);
  }
}

// scratch of the momentum map: q and v of the tree, then the scratch of the tree's own map
typedef struct momentum_scratch {
  double *q, *v; // [tree->nq]
  void *tree;
} momentum_scratch;

static void lay_out_momentum(momentum_scratch *w, dm_block *b, const dm_model *tree) {
  w->q = dm_block_alloc(b, (size_t)tree->nq, sizeof *w->q);
  w->v = dm_block_alloc(b, (size_t)tree->nq, sizeof *w->v);
  w->tree = dm_block_alloc(b, dm_tree_momentum_map(tree).scratch, 1);
}

static void eval_ball_momentum(const void *self, void *scratch, const double *q, const double *v,
                               double mu[6]) {
  momentum_scratch w;
  dm_block b = {.base = scratch};
  lay_out_momentum(&w, &b, self);
  dm_ball_enter(self, q, v, w.q, w.v);
  dm_tree_momentum(self, w.tree, w.q, w.v, mu);
}

dm_momentum_map dm_ball_momentum_map(const dm_model *tree) {
  momentum_scratch w;
  dm_block b = {0};
  lay_out_momentum(&w, &b, tree);
  return (dm_momentum_map){.self = tree, .scratch = b.used, .eval = eval_ball_momentum};
}

// -- the model

enum { PART = 256 }; // bytes of a name

static void lay_out_outside(void *self, dm_block *b) {
  dm_model *m = self;
  size_t nq = (size_t)m->nq, nu = (size_t)m->nu, nb = (size_t)m->nbody;

  // coordinates
  m->quaternion = dm_block_alloc(b, (size_t)m->nball, sizeof *m->quaternion);
  m->name = dm_block_alloc(b, nq, sizeof *m->name);
  m->kind = dm_block_alloc(b, nq, sizeof *m->kind);
  m->kinematic = dm_block_alloc(b, nq, sizeof *m->kinematic);
  m->length = dm_block_alloc(b, nq, sizeof *m->length);
  double **const numbers[] = {&m->damping, &m->armature, &m->inertia, &m->q_min,
                              &m->q_max,   &m->v_max,    &m->effort};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    *numbers[k] = dm_block_alloc(b, nq, sizeof(double));

  // inputs, bodies, and the text of all names
  m->input_name = dm_block_alloc(b, nu, sizeof *m->input_name);
  m->input_coord = dm_block_alloc(b, nu, sizeof *m->input_coord);
  m->input_gear = dm_block_alloc(b, nu, sizeof *m->input_gear);
  m->u_min = dm_block_alloc(b, nu, sizeof *m->u_min);
  m->u_max = dm_block_alloc(b, nu, sizeof *m->u_max);
  m->body_name = dm_block_alloc(b, nb, sizeof *m->body_name);
  m->text = dm_block_alloc(b, m->text_size, 1);
}

void dm_ball_name(const dm_model *tree, int j, char *text, size_t size) {
  const char *name = tree->name[tree->coord[j]];
  // a floating base has joints .rz, .rx, .ry: the ball joint has the name before the dot
  size_t length = strlen(name);
  bool ends = length > 3 && !strcmp(name + length - 3, ".rz");
  snprintf(text, size, "%.*s", (int)(ends ? length - 3 : length), name);
}

static const char *copy_outside_name(char **text, const char *name) {
  size_t size = strlen(name) + 1;
  char *at = memcpy(*text, name, size);
  *text += size;
  return at;
}

// add the four components of a quaternion; |W| = 2 |v|, so damping and inertia have a factor 4
static void add_quaternion(dm_model *m, int o, const dm_model *tree, int j, char **text) {
  int i = tree->coord[j];
  char name[PART], full[PART + 4];
  dm_ball_name(tree, j, name, sizeof name);
  for (int k = 0; k < 4; k++) {
    snprintf(full, sizeof full, "%s.q%c", name, "wxyz"[k]);
    m->name[o + k] = copy_outside_name(text, full);
    m->kind[o + k] = DM_QUATERNION;
    // power c |W|^2 = 4 c |v|^2
    m->damping[o + k] = 4 * tree->damping[i];
    m->inertia[o + k] =
        // the least of the three: a lower bound on the inertia about any axis
        4 * fmin(tree->inertia[i], fmin(tree->inertia[i + 1], tree->inertia[i + 2]));
    m->q_min[o + k] = -INFINITY;
    m->q_max[o + k] = m->v_max[o + k] = m->effort[o + k] = INFINITY;
  }
}

static dm_status copy_inputs(dm_model *m, const dm_model *tree, char **text, dm_message *msg) {
  for (int i = 0; i < m->nu; i++) {
    int c = tree->input_coord[i];
    m->input_name[i] = copy_outside_name(text, tree->input_name[i]);
    m->u_min[i] = tree->u_min[i];
    m->u_max[i] = tree->u_max[i];
    m->input_gear[i] = tree->input_gear[i];
    // inputs on a ball joint become load inputs with coordinate -1
    m->input_coord[i] = c < 0 || dm_ball_owns(tree, c) ? -1 : dm_ball_outside(tree, c);

    // load inputs must come last
    if (m->input_coord[i] < 0)
      m->nload++;
    else if (m->nload)
      return dm_fail(msg, DM_BAD_INPUT,
                     "input '%s' follows one on a ball joint, expected inputs on ball joints last",
                     m->input_name[i]);
  }
  return DM_OK;
}

// names must differ among coordinates and ball joints
static dm_status check_names(const dm_model *m, const dm_model *tree, dm_message *msg) {
  char name[PART];
  for (int i = 0; i < m->nq; i++)
    for (int k = 0; k < i; k++)
      if (!strcmp(m->name[i], m->name[k]))
        return dm_fail(msg, DM_BAD_INPUT, "two coordinates are named '%s'", m->name[i]);

  // a problem file can name a ball joint in the same way as a coordinate
  for (int j = dm_ball_next(tree, 0); j < tree->nj; j = dm_ball_next(tree, j + 1)) {
    dm_ball_name(tree, j, name, sizeof name);
    for (int i = 0; i < m->nq; i++)
      if (!strcmp(m->name[i], name))
        return dm_fail(msg, DM_BAD_INPUT, "coordinate '%s' has the name of a ball joint", name);
  }
  return DM_OK;
}

dm_status dm_ball_model(dm_model **out, const dm_model *tree, dm_message *msg) {
  dm_model sizes = {.nq = tree->nq + tree->nball,
                    .nu = tree->nu,
                    .nbody = tree->nbody,
                    .nball = tree->nball,
                    .gravity = tree->gravity};

  // bytes of the names: four quaternion names replace three names, each at most four letters longer
  sizes.text_size = 1;
  for (int i = 0; i < tree->nq; i++) sizes.text_size += 2 * (strlen(tree->name[i]) + 4);
  for (int i = 0; i < tree->nu; i++) sizes.text_size += strlen(tree->input_name[i]) + 1;
  for (int i = 0; i < tree->nbody; i++) sizes.text_size += strlen(tree->body_name[i]) + 1;
  dm_model *m = dm_block_make(&sizes, sizeof sizes, lay_out_outside);
  if (!m) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // copy the coordinates; each ball joint adds four
  char *at = m->text;
  int balls = 0;
  for (int i = 0; i < tree->nq; i++)
    if (!dm_ball_owns(tree, i)) {
      // copy coordinate i of the tree to external coordinate o
      const int o = dm_ball_outside(tree, i);
      m->name[o] = copy_outside_name(&at, tree->name[i]);
      m->kind[o] = tree->kind[i];
      m->length[o] = tree->length[i];
      m->kinematic[o] = tree->kinematic[i];
      m->damping[o] = tree->damping[i];
      m->armature[o] = tree->armature[i];
      m->inertia[o] = tree->inertia[i];
      m->q_min[o] = tree->q_min[i];
      m->q_max[o] = tree->q_max[i];
      m->v_max[o] = tree->v_max[i];
      m->effort[o] = tree->effort[i];
    }
  for (int j = dm_ball_next(tree, 0); j < tree->nj; j = dm_ball_next(tree, j + 1)) {
    int o = dm_ball_outside(tree, tree->coord[j]);
    m->quaternion[balls++] = o;
    add_quaternion(m, o, tree, j, &at);
  }

  for (int i = 0; i < m->nbody; i++) m->body_name[i] = copy_outside_name(&at, tree->body_name[i]);
  dm_status s = check_names(m, tree, msg);
  if (s == DM_OK) s = copy_inputs(m, tree, &at, msg);
  if (s != DM_OK)
    dm_model_free(m);
  else
    *out = m;
  return s;
}
