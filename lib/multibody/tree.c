#include "lib/multibody/tree.h"

#include "lib/base/block.h"
#include "lib/multibody/tree_check.h"
#include "lib/multibody/tree_lagrangian.h"

#include <math.h>
#include <string.h>

// returns true if c becomes a coordinate of the model: neither a mimic nor locked
static bool is_free(const dm_tree *t, int c) {
  return t->coord[c].mimic < 0 && !t->coord[c].locked;
}

static void lay_out_model(void *self, dm_block *b) {
  dm_model *m = self;
  size_t nj = (size_t)m->nj, nq = (size_t)m->nq, nu = (size_t)m->nu, nb = (size_t)m->nbody;

  // joints
  m->parent = dm_block_alloc(b, nj, sizeof *m->parent);
  m->run = dm_block_alloc(b, nj, sizeof *m->run);
  m->coord = dm_block_alloc(b, nj, sizeof *m->coord);
  m->ratio = dm_block_alloc(b, nj, sizeof *m->ratio);
  m->shift = dm_block_alloc(b, nj, sizeof *m->shift);
  m->slides = dm_block_alloc(b, nj, sizeof *m->slides);
  m->ball = dm_block_alloc(b, nj, sizeof *m->ball);
  m->inert = dm_block_alloc(b, nj, sizeof *m->inert);
  m->offset = dm_block_alloc(b, nj, sizeof *m->offset);
  m->bare = dm_block_alloc(b, nj, sizeof *m->bare);
  m->upright = dm_block_alloc(b, nj, sizeof *m->upright);
  m->rest = dm_block_alloc(b, nj, sizeof *m->rest);
  m->body = dm_block_alloc(b, nj, sizeof *m->body);

  // coordinates
  m->name = dm_block_alloc(b, nq, sizeof *m->name);
  m->kind = dm_block_alloc(b, nq, sizeof *m->kind);
  m->kinematic = dm_block_alloc(b, nq, sizeof *m->kinematic);
  m->length = dm_block_alloc(b, nq, sizeof *m->length);
  m->damping = dm_block_alloc(b, nq, sizeof *m->damping);
  m->armature = dm_block_alloc(b, nq, sizeof *m->armature);
  m->inertia = dm_block_alloc(b, nq, sizeof *m->inertia);
  m->q_min = dm_block_alloc(b, nq, sizeof *m->q_min);
  m->q_max = dm_block_alloc(b, nq, sizeof *m->q_max);
  m->v_max = dm_block_alloc(b, nq, sizeof *m->v_max);
  m->effort = dm_block_alloc(b, nq, sizeof *m->effort);

  m->tie = dm_block_alloc(b, (size_t)m->ntie, sizeof *m->tie);
  m->tie_inertia = dm_block_alloc(b, (size_t)m->ntie, sizeof *m->tie_inertia);

  // inputs, bodies, and the text of all names
  m->input_name = dm_block_alloc(b, nu, sizeof *m->input_name);
  m->input_coord = dm_block_alloc(b, nu, sizeof *m->input_coord);
  m->input_gear = dm_block_alloc(b, nu, sizeof *m->input_gear);
  m->u_min = dm_block_alloc(b, nu, sizeof *m->u_min);
  m->u_max = dm_block_alloc(b, nu, sizeof *m->u_max);
  m->body_name = dm_block_alloc(b, nb, sizeof *m->body_name);
  m->body_joint = dm_block_alloc(b, nb, sizeof *m->body_joint);
  m->body_pose = dm_block_alloc(b, nb, sizeof *m->body_pose);
  m->mask = dm_block_alloc(b, nq * nq, sizeof *m->mask);
  m->text = dm_block_alloc(b, m->text_size, 1);
}

static const char *copy_name(char **text, const char *name) {
  size_t size = strlen(name) + 1;
  char *at = memcpy(*text, name, size);
  *text += size;
  return at;
}

// the model's coordinate that coordinate c of the tree follows
static int find_coordinate(const dm_tree *t, int c) {
  if (t->coord[c].mimic >= 0) c = t->coord[c].mimic; // a mimic follows its master
  int i = 0;
  for (int d = 0; d < c; d++) i += is_free(t, d); // index among the free ones
  return i;
}

// a rotation whose z axis is a
static dm_pose make_frame(const double a[3]) {
  dm_vec z = dm_v(a[0], a[1], a[2]);
  if (z.z == 1) return dm_identity;

  // x is normal to z and to an axis of the frame that is not near z
  dm_vec e = fabs(z.x) <= fabs(z.y) ? dm_v(1, 0, 0) : dm_v(0, 1, 0);
  dm_vec x = dm_cross(e, z);
  x = dm_mul(1 / sqrt(dm_dot(x, x)), x);
  return (dm_pose){x, dm_cross(z, x), z, {0, 0, 0}};
}

static dm_pose invert_pose(const dm_pose *T) {
  dm_pose out = {dm_v(T->x.x, T->y.x, T->z.x),
                 dm_v(T->x.y, T->y.y, T->z.y),
                 dm_v(T->x.z, T->y.z, T->z.z),
                 {0, 0, 0}};
  out.p = dm_mul(-1, dm_unrotate(T, T->p)); // -R' p
  return out;
}

// displacement by a locked coordinate
static dm_pose find_motion(const dm_coordinate *x, double value) {
  const double along[3] = {value * x->axis[0], value * x->axis[1], value * x->axis[2]};
  if (x->slides) {
    dm_pose slide = dm_identity;
    slide.p = dm_v(along[0], along[1], along[2]);
    return slide;
  }

  // R(a,value) = A Rz(value) A', with A a frame whose z axis is a
  const double turn[3] = {0, 0, value};
  const double zero[3] = {0};
  dm_pose axis = make_frame(x->axis);
  dm_pose back = invert_pose(&axis);
  dm_pose about = dm_pose_rpy(turn, zero);
  about = dm_compose(&axis, &about);
  return dm_compose(&about, &back);
}

// position of joint j in a ball joint: 1 the first, 2 the second and third, 0 none
static char number_ball_turn(const dm_model *m, const dm_coordinate *x, int j) {
  if (x->ball) return 1;
  bool follows = (j > 0 && m->ball[j - 1] == 1) || (j > 1 && m->ball[j - 2] == 1);
  return follows ? 2 : 0;
}

// add joint j of coordinate c below joint `parent`; place: the current frame, in the parent's frame
static void add_joint(dm_model *m, const dm_tree *t, int c, int j, int parent, dm_pose *place) {
  const dm_coordinate *x = &t->coord[c];
  int q = find_coordinate(t, c);
  m->parent[j] = parent;
  // a run is a chain of joints j0, j0 + 1, etc., each the parent of the next
  m->run[j] = j > 0 && parent == j - 1 ? m->run[j - 1] : j;
  m->coord[j] = q;
  m->ratio[j] = x->mimic < 0 ? 1 : x->ratio;
  m->shift[j] = x->mimic < 0 ? 0 : x->shift;
  m->slides[j] = x->slides;
  m->ball[j] = number_ball_turn(m, x, j);
  m->nball += x->ball;

  // its frame has z along the axis; subsequent parts use the original axes
  dm_pose turn = make_frame(x->axis);
  m->offset[j] = dm_compose(place, &turn);
  *place = invert_pose(&turn);

  // the joint's velocity is ratio v: its damping power is ratio^2 c v^2
  m->damping[q] += m->ratio[j] * m->ratio[j] * x->damping;
  m->armature[q] += m->ratio[j] * m->ratio[j] * x->armature;
}

// append the elementary joints of body b
static void add_body(dm_model *m, const dm_tree *t, int b, int *nj) {
  const dm_body *x = &t->body[b];
  int joint = x->parent < 0 ? -1 : m->body_joint[x->parent]; // -1: the world
  dm_pose place = x->parent < 0 ? x->offset : dm_compose(&m->body_pose[x->parent], &x->offset);

  // a joint for each moving coordinate; a locked coordinate is a constant pose
  for (int c = x->first; c < x->first + x->ncoord; c++) {
    double value;
    if (dm_tree_locked(t, c, &value)) {
      dm_pose motion = find_motion(&t->coord[c], value);
      place = dm_compose(&place, &motion);
      continue;
    }
    int j = (*nj)++;
    add_joint(m, t, c, j, joint, &place);
    joint = j;
  }

  // lump the body's inertia into the joint that carries it
  m->body_joint[b] = joint;
  m->body_pose[b] = place;
  // moments about the body frame's origin, then in the joint's frame
  dm_inertia own = dm_inertia_about(x->mass, x->centre, x->inertia);
  own = dm_inertia_move(&own, &place);
  dm_inertia_add(joint < 0 ? &m->ground : &m->body[joint], &own);
}

// limits and names; limits of a mimic joint constrain its master
static void add_coordinates(dm_model *m, const dm_tree *t, char **text) {
  for (int i = 0; i < m->nq; i++) {
    m->q_min[i] = -INFINITY;
    m->q_max[i] = m->v_max[i] = m->effort[i] = INFINITY;
  }

  for (int c = 0; c < t->ncoord; c++) {
    const dm_coordinate *x = &t->coord[c];
    if (dm_tree_locked(t, c, NULL)) continue;

    // low <= r q + s <= high for each joint that follows q; a negative r swaps the two
    int i = find_coordinate(t, c);
    const bool copies = x->mimic >= 0;
    const double r = copies ? x->ratio : 1;
    const double s = copies ? x->shift : 0;
    const dm_range q = dm_range_before(x->limit, r, s);
    m->q_min[i] = fmax(m->q_min[i], q.low);
    m->q_max[i] = fmin(m->q_max[i], q.high);
    m->v_max[i] = fmin(m->v_max[i], x->v_max / fabs(r));

    // everything else belongs to the master itself
    if (x->mimic >= 0) continue;
    m->name[i] = copy_name(text, x->name);
    m->kind[i] = x->slides ? DM_SLIDE : DM_TURN;
    m->length[i] = x->slides;
    m->kinematic[i] = x->kinematic;
    m->effort[i] = x->effort;
  }
}

static void add_inputs(dm_model *m, const dm_tree *t, char **text) {
  for (int i = 0; i < t->ninput; i++) {
    const dm_input *x = &t->input[i];
    m->input_name[i] = copy_name(text, x->name);
    m->u_min[i] = x->u_min;
    m->u_max[i] = x->u_max;
    m->input_coord[i] = -1;
    m->nload += x->coord < 0;
    if (x->coord < 0) continue;

    // power u ratio v: a force u on a mimic is a force ratio u on its master
    const dm_coordinate *y = &t->coord[x->coord];
    m->input_coord[i] = find_coordinate(t, x->coord);
    m->input_gear[i] = y->mimic < 0 ? 1 : y->ratio;
  }
}

// the model's coordinate of entry i of a rotor, and its factor; -1: locked
static int find_turned(const dm_tree *t, const dm_rotor *x, int i, double *factor) {
  const int c = x->coord[i];
  *factor = x->factor[i] * (t->coord[c].mimic < 0 ? 1 : t->coord[c].ratio);
  return dm_tree_locked(t, c, NULL) ? -1 : find_coordinate(t, c);
}

// M += inertia f f': the diagonal as armature, the rest as ties. Returns the number of ties; m
// NULL: count only.
static int put_rotors(dm_model *m, const dm_tree *t) {
  int n = 0;
  for (int r = 0; r < t->nrotor; r++)
    for (int i = 0; i < t->rotor[r].ncoord; i++)
      for (int j = 0; j < t->rotor[r].ncoord; j++) {
        // entry (i,j) of the rotor's inertia; each pair a < b once
        double f, g;
        const int a = find_turned(t, &t->rotor[r], i, &f), b = find_turned(t, &t->rotor[r], j, &g);
        const double both = t->rotor[r].inertia * f * g;
        if (a < 0 || b < 0 || both == 0) continue;
        if (m && a == b) m->armature[a] += both;
        if (a >= b) continue;
        if (m) {
          m->tie[n][0] = a;
          m->tie[n][1] = b;
          m->tie_inertia[n] = both;
        }
        n++;
      }
  return n;
}

// joints without inertia, and the number of coordinates before the trailing inert ones
static void find_inert(dm_model *m) {
  // tip to root, so that descendants are done first
  for (int j = m->nj - 1; j >= 0; j--) {
    const dm_inertia *I = &m->body[j];
    // inert: no inertia of its own, of its coordinate, or of its descendants
    m->bare[j] = I->m == 0 && I->xx == 0 && I->yy == 0 && I->zz == 0;
    m->inert[j] = m->bare[j] && m->armature[m->coord[j]] == 0;
    for (int k = j + 1; k < m->nj; k++)
      if (m->parent[k] == j && !m->inert[k]) m->inert[j] = false;
    if (!m->inert[j] && m->coord[j] >= m->active) m->active = m->coord[j] + 1;
  }
}

// moments about the world's origin lose digits far away from it; the origin is the first joint that
// rotates or carries mass, after prismatic joints only
static void choose_origin(dm_model *m) {
  for (int j = 0; j < m->nj; j++) {
    m->origin = j; // while joints are massless and prismatic with a single child
    if (!m->slides[j] || m->body[j].m > 0 || j + 1 == m->nj || m->parent[j + 1] != j) return;
  }
}

static dm_status refuse_inertia(const dm_model *m, int i, bool negative, dm_message *msg) {
  int j = 0;
  while (m->coord[j] != i) j++;
  if (negative)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "coordinate '%s' moves a negative inertia: give the bodies it carries a positive "
        "definite one",
        m->name[i]);
  return dm_fail(msg, DM_BAD_INPUT,
                 "coordinate '%s' moves no inertia of its own: give the bodies it carries mass and "
                 "inertia%s",
                 m->name[i], m->ball[j] ? "" : ", or the coordinate armature");
}

// Factor M = C C' in place, C in the lower triangle. Prescribed coordinates need no inertia: their
// rows are rows of the unit matrix. Returns the first coordinate that moves no inertia, and whether
// its inertia is negative; -1 if all coordinates move inertia.
static int factor_inertia(const dm_model *m, double *M, double *size, bool *negative) {
  int n = m->nq;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (m->kinematic[i] || m->kinematic[j]) M[i * n + j] = i == j;

  // scale of the pivots: the diagonal of M; for a ball joint the sum over its three joints
  for (int i = 0; i < m->nq; i++) size[i] = M[i * (m->nq + 1)];
  // a single axis may move no inertia in a pose in which the whole ball joint does
  for (int j = 0; j < m->nj; j++) {
    double *s = size + m->coord[j];
    if (m->ball[j] == 1) s[0] = s[1] = s[2] = s[0] + s[1] + s[2];
  }

  for (int i = 0; i < n; i++) {
    // C_ii^2 = M_ii - sum C_ik^2: below 1e-12 of the scale it is only rounding
    double d = M[i * n + i];
    for (int k = 0; k < i; k++) d -= M[i * n + k] * M[i * n + k];
    if (!(d > 1e-12 * size[i])) {
      *negative = d < -1e-12 * fabs(size[i]);
      return i;
    }

    // C_ji = (M_ji - sum C_jk C_ik) / C_ii
    for (int j = i + 1; j < n; j++) {
      double s = M[j * n + i];
      for (int k = 0; k < i; k++) s -= M[j * n + k] * M[i * n + k];
      M[j * n + i] = s / sqrt(d);
    }
    M[i * n + i] = sqrt(d);
  }
  return -1;
}

// 1/(M^-1)_ii from the factor C: 1/x.x with C x = e_i
static double find_own_inertia(int n, const double *C, int i, double *x) {
  double sum = 0; // x.x with C x = e_i by forward substitution; x is 0 before i
  for (int j = i; j < n; j++) {
    double b = j == i;
    for (int k = i; k < j; k++) b -= C[j * n + k] * x[k];
    x[j] = b / C[j * n + j];
    sum += x[j] * x[j];
  }
  return 1 / sum;
}

// L of the tree at rest, to evaluate its mass matrix
typedef struct tree_scale {
  dm_lagrangian L;
  double *q, *v; // [nq] v zero
  dm_jet jet;
  void *scratch;
} tree_scale;

static void lay_out_scale(void *self, dm_block *b) {
  tree_scale *w = self;
  size_t n = (size_t)w->L.nq;
  double **vectors[] = {&w->q, &w->v, &w->jet.L_q, &w->jet.L_v};
  double **matrices[] = {&w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv};
  for (int i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  for (int i = 0; i < 3; i++) *matrices[i] = dm_block_alloc(b, n * n, sizeof(double));
  w->scratch = dm_block_alloc(b, w->L.scratch, 1);
}

double dm_model_extent(const dm_model *m) {
  double extent = 0;
  for (int j = 0; j < m->nj; j++) {
    double way = 0;
    const dm_inertia *I = &m->body[j];
    if (I->m > 0) way = sqrt(dm_dot(I->c, I->c)) / I->m;
    for (int i = j; i >= 0; i = m->parent[i]) way += sqrt(dm_dot(m->offset[i].p, m->offset[i].p));
    extent = fmax(extent, way);
  }
  return extent;
}

// Evaluate M at scattered configurations. Sets m->inertia to the least inertia of each coordinate
// there. weak: a coordinate with zero or negative inertia in all of them.
static dm_status weigh_coordinates(dm_model *m, int *weak, bool *negative) {
  int n = m->nq;
  tree_scale sizes = {.L = dm_tree_lagrangian(m)};
  tree_scale *w = dm_block_make(&sizes, sizeof sizes, lay_out_scale);
  if (!w) return DM_NO_MEMORY;

  dm_status status = DM_OK;
  *weak = -1;
  *negative = false;
  for (int i = 0; i < n; i++) m->inertia[i] = m->kinematic[i] ? 0 : INFINITY;

  for (int sample = 0; sample < 3; sample++) {
    // A generic configuration without symmetries that would make it singular: incommensurable angles of
    // about 0.3 to 1 rad, and lengths of the same factors times the robot's size. It depends on the
    // tree only, not on the order of siblings.
    const double extent = dm_model_extent(m), length = extent > 0 ? extent : 1;
    for (int j = m->nj - 1; j >= 0; j--) {
      const int i = m->coord[j];
      int above = 0;
      for (int p = m->parent[j]; p >= 0; p = m->parent[p]) above++;
      w->q[i] = (0.3 + 0.7 * sin(1.7 * above + 2.3 * sample)) * (m->length[i] ? length : 1);
    }

    status = w->L.eval(m, w->scratch, 2, w->q, w->v, &w->jet);
    if (status != DM_OK) break;

    // M = C C'; positive definite at one configuration is enough, as a step detects singular poses
    int bad = factor_inertia(m, w->jet.L_vv, w->jet.L_q, negative);
    if (*weak == -1) *weak = bad;
    if (bad >= 0) continue;
    *weak = -2; // not weak, whatever other configurations give

    // 1/(M^-1)_ii, the minimum over the configurations
    for (int i = 0; i < n; i++)
      m->inertia[i] = fmin(m->inertia[i], find_own_inertia(n, w->jet.L_vv, i, w->jet.L_v));
  }
  dm_block_free(w);
  return status;
}

// frames that only translate
static void find_upright(dm_model *m) {
  for (int j = 0; j < m->nj; j++) {
    int p = m->parent[j];
    // it and all its ancestors are prismatic: its axes do not rotate
    m->upright[j] = m->slides[j] && (p < 0 || m->upright[p]);
    if (!m->upright[j]) continue;
    dm_pose above = dm_identity;

    // axes relative to the world, position relative to the parent
    if (p >= 0) above = m->rest[p];
    above.p = dm_v(0, 0, 0);
    m->rest[j] = dm_compose(&above, &m->offset[j]);
  }
}

// count the joints and coordinates of a tree, and the bytes of its names
static dm_status count_parts(const dm_tree *tree, dm_model *sizes, dm_message *msg) {
  int used = 0;
  size_t text = 1;
  for (int b = 0; b < tree->nbody; b++) used += tree->body[b].ncoord;
  if (used != tree->ncoord)
    return dm_fail(msg, DM_BAD_INPUT, "%d coordinates are described, but bodies use %d",
                   tree->ncoord, used);

  // a locked coordinate has no joint, a mimic no coordinate
  *sizes = (dm_model){.nu = tree->ninput, .nbody = tree->nbody, .ntie = put_rotors(NULL, tree)};
  for (int c = 0; c < tree->ncoord; c++) {
    sizes->nj += !dm_tree_locked(tree, c, NULL);
    sizes->nq += is_free(tree, c);
    text += strlen(tree->coord[c].name) + 1;
  }
  for (int i = 0; i < tree->ninput; i++) text += strlen(tree->input[i].name) + 1;
  for (int b = 0; b < tree->nbody; b++) text += strlen(tree->body[b].name) + 1;
  sizes->text_size = text;
  return DM_OK;
}

// a tree with valid numbers as a model, for simulation or not
static dm_status compile_tree(dm_model **out, const dm_tree *tree, dm_message *msg) {
  dm_model sizes;
  DM_TRY(dm_tree_check(tree, msg));
  DM_TRY(count_parts(tree, &sizes, msg));

  // the model and its arrays in one block
  dm_model *m = dm_block_make(&sizes, sizeof sizes, lay_out_model);
  if (!m) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // joints in the order of bodies, parents first
  m->gravity = dm_v(tree->gravity[0], tree->gravity[1], tree->gravity[2]);
  char *at = m->text;
  int nj = 0;
  for (int b = 0; b < tree->nbody; b++) {
    add_body(m, tree, b, &nj);
    m->body_name[b] = copy_name(&at, tree->body[b].name);
  }

  // coordinates, inputs, and parts that recursions may skip
  add_coordinates(m, tree, &at);
  add_inputs(m, tree, &at);
  put_rotors(m, tree);

  // two coordinates are coupled if a joint of one is an ancestor of, a descendant of, or equal to a
  // joint of the other
  for (int i = 0; i < m->nj; i++)
    for (int j = i; j >= 0; j = m->parent[j]) {
      m->mask[m->coord[i] * m->nq + m->coord[j]] = 1;
      m->mask[m->coord[j] * m->nq + m->coord[i]] = 1;
    }
  for (int k = 0; k < m->ntie; k++) {
    m->mask[m->tie[k][0] * m->nq + m->tie[k][1]] = 1;
    m->mask[m->tie[k][1] * m->nq + m->tie[k][0]] = 1;
  }

  find_inert(m);
  choose_origin(m);
  find_upright(m);
  m->direct = true;
  // direct: joint j has coordinate j, so that no chain rule is needed
  for (int j = 0; j < m->nj; j++)
    m->direct = m->direct && m->coord[j] == j && m->ratio[j] == 1 && m->shift[j] == 0;
  *out = m;
  return DM_OK;
}

// a model for simulation has coordinates, and each moves inertia
static dm_status check_motion(dm_model *m, dm_message *msg) {
  if (m->nq < 1) return dm_fail(msg, DM_BAD_INPUT, "nothing in this model can move");

  // every coordinate must move inertia
  int weak;
  bool negative;
  DM_TRY(weigh_coordinates(m, &weak, &negative));
  return weak >= 0 ? refuse_inertia(m, weak, negative, msg) : DM_OK;
}

dm_status dm_model_draft(dm_model **out, const dm_tree *tree, dm_message *why, dm_message *msg) {
  dm_model *m;
  why->text[0] = 0;
  DM_TRY(compile_tree(&m, tree, msg));
  dm_status status = check_motion(m, why);
  if (status != DM_OK && status != DM_BAD_INPUT) {
    dm_model_free(m);
    return status;
  }
  *out = m;
  return DM_OK;
}

dm_status dm_model_new(dm_model **out, const dm_tree *tree, dm_message *msg) {
  dm_model *m;
  DM_TRY(compile_tree(&m, tree, msg));
  dm_status status = check_motion(m, msg);
  if (status == DM_OK)
    *out = m;
  else
    dm_model_free(m);
  return status;
}

// scale the mass, the position of the center, and the moments about it
static void change_inertia(dm_inertia *I, double mass, double inertia, double length) {
  // center r, moved to length r; a massless body keeps its zero center
  double m = mass * I->m, by = I->m > 0 ? 1 / I->m : 0;
  const double r[] = {by * I->c.x, by * I->c.y, by * I->c.z};
  const double centre[] = {length * r[0], length * r[1], length * r[2]};

  // moments about the center by the parallel axis theorem, times `inertia`
  double rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  const double about[] = {
      inertia * (I->xx - I->m * (rr - r[0] * r[0])), inertia * (I->yy - I->m * (rr - r[1] * r[1])),
      inertia * (I->zz - I->m * (rr - r[2] * r[2])), inertia * (I->xy + I->m * r[0] * r[1]),
      inertia * (I->xz + I->m * r[0] * r[2]),        inertia * (I->yz + I->m * r[1] * r[2])};
  *I = dm_inertia_about(m, centre, about);
}

// scale the mass, the first moment m c and the moments about the joint independently
static void change_parameters(dm_inertia *I, double mass, double inertia, double length) {
  I->m *= mass;
  I->c = dm_mul(mass * length, I->c);
  double *const moments[] = {&I->xx, &I->yy, &I->zz, &I->xy, &I->xz, &I->yz};
  for (int i = 0; i < 6; i++) *moments[i] *= inertia;
}

static bool are_above_zero(int n, const double *factor) {
  for (int i = 0; factor && i < n; i++)
    if (!(factor[i] > 0 && isfinite(factor[i]))) return false;
  return true;
}

// whether replaced inertias are finite, and zero where the model's are
static bool are_bodies(const dm_model *m, const dm_inertia *body) {
  for (int j = 0; body && j < m->nj; j++) {
    const dm_inertia *I = &body[j];
    const double sum = fabs(I->m) + fabs(I->c.x) + fabs(I->c.y) + fabs(I->c.z) + fabs(I->xx) +
                       fabs(I->yy) + fabs(I->zz) + fabs(I->xy) + fabs(I->xz) + fabs(I->yz);
    if (!isfinite(sum) || (m->bare[j] && sum > 0)) return false;
  }
  return true;
}

dm_status dm_model_changed(dm_model **out, const dm_model *m, const dm_change *c) {
  int nj = m->nj;
  if (!are_bodies(m, c->body) || !are_above_zero(nj, c->mass) || !are_above_zero(nj, c->inertia) ||
      // factors must be positive to keep inertias positive definite
      !are_above_zero(nj, c->length))
    return DM_BAD_INPUT;

  // a copy with its own arrays
  dm_model sizes = *m;
  sizes.text_size = 0;
  dm_block block = {0};
  dm_block_alloc(&block, 1, sizeof sizes);
  lay_out_model(&sizes, &block);
  size_t bytes = block.used;
  DM_TRY(dm_block_new(&block));
  dm_model *w = dm_block_alloc(&block, 1, sizeof *w);
  memcpy(w, m, bytes); // same layout, except for names
  w->text_size = 0;
  lay_out_model(w, &block);

  // inertia of each link, and joints and bodies attached to a link of changed length
  const bool moves_joints = c->length && !c->about_joint;
  for (int j = 0; j < nj; j++) {
    int p = w->parent[j];
    const double mass = c->mass ? c->mass[j] : 1;
    const double inertia = c->inertia ? c->inertia[j] : 1;
    const double length = c->length ? c->length[j] : 1;
    if (c->body) w->body[j] = c->body[j];
    (c->about_joint ? change_parameters : change_inertia)(&w->body[j], mass, inertia, length);
    if (moves_joints && p >= 0) w->offset[j].p = dm_mul(c->length[p], w->offset[j].p);
  }
  for (int b = 0; moves_joints && b < w->nbody; b++)
    // points on a scaled link: its children's frames and the bodies fixed to it
    if (w->body_joint[b] >= 0)
      w->body_pose[b].p = dm_mul(c->length[w->body_joint[b]], w->body_pose[b].p);
  for (int i = 0; c->damping && i < w->nq; i++) w->damping[i] += c->damping[i];
  for (int i = 0; c->armature && i < w->nq; i++) w->armature[i] += c->armature[i];

  // data that depends on lengths and inertias
  find_upright(w);
  int weak;
  bool negative;
  dm_status status = weigh_coordinates(w, &weak, &negative);
  if (status == DM_OK && weak >= 0 && negative) status = DM_BAD_INPUT;
  if (status != DM_OK) {
    dm_model_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}
