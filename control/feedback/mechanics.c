#include "control/feedback/mechanics.h"

#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/spatial.h"
#include "lib/multibody/tree_lagrangian.h"

#include <assert.h>
#include <math.h>

struct fb_mechanics {
  tree_tables tree;
  int n, nj, nu, drives, loads, frictions, ties, bonds, points, balls;
  bool dampers; // act in the system
  int *joint;   // [joints of the robot's tree] the joint here; of a ball joint all three have one
  int *parent, *coord, *slides, *ball, *turned, *tie, *bond, *kinematic, *driven, *load_joint,
      *load_input, *load_faced, *friction_coord;
  double *ratio, *shift, *offset, *body, *armature, *tie_inertia, *gravity;
  double *bond_stiffness, *bond_damping, *damping, *stiffness, *preload, *impulse, *wrench,
      *friction, *force_share, *rate, *point, *load_point;
  double *room;
};

// -- support

// refuse a robot, with the name of its first part of a kind if it has one
static dm_status refuse_part(const dm_robot *r, dm_part_kind kind, const char *why,
                             dm_message *msg) {
  const dm_part_row *row = &dm_part_rows[kind];
  if (row->count(r) < 1) return dm_fail(msg, DM_UNAVAILABLE, "%s", why);
  return dm_fail(msg, DM_UNAVAILABLE, "%s (%s '%.64s')", why, row->word, row->name(r, 0));
}

// the coordinates s = factor.q of a tendon that is a combination of them; 0: a path
static int find_coords(const dm_tendons *c, int i, const int **coord, const double **factor) {
  int first;
  *factor = dm_tendons_factors(c, i);
  const int count = dm_tendons_coords(c, i, coord);
  return dm_tendons_pieces_of(c, i, &first) > 0 ? 0 : count;
}

// the coordinates of a linear spring along joints; 0: another spring
static int find_spring(const dm_springs *c, int i, const int **coord, const double **factor,
                       double *stiffness, double *rest) {
  if (!dm_springs_linear(c, i, stiffness, rest)) return 0;
  return find_coords(dm_springs_tendons(c), i, coord, factor);
}

// the coordinates of a damper along joints; 0: another load
static int find_damper(const dm_loads *c, int i, const int **coord, const double **factor) {
  const dm_load_place at = dm_loads_place(c, i);
  if (at.kind != DM_DAMPER || at.input >= 0) return 0;
  return find_coords(dm_loads_tendons(c), at.tendon, coord, factor);
}

// a force on a body, at a point of it
static bool is_wrench(dm_load_kind kind) {
  return kind == DM_WRENCH_BODY || kind == DM_WRENCH_MIXED;
}

// the forces at points of bodies; NULL: none
static int count_wrenches(const dm_loads *c) {
  int count = 0;
  for (int i = 0; c && i < dm_loads_count(c); i++) count += is_wrench(dm_loads_place(c, i).kind);
  return count;
}

// whether these forces of the robot act in the system
static bool has_forces(const dm_system *s, const void *forces) {
  for (int i = 0; forces && i < s->force.count; i++)
    if (s->force.row[i].self == forces) return true;
  return false;
}

// the system by the coordinates of the tree, if it has ball joints
static dm_system inside_of(const dm_robot *r, const dm_system *s) {
  dm_system own = *s;
  if (r->tree->nball) own = dm_robot_inside(r);
  own.rule = s->rule;
  return own;
}

// the system's forces are the robot's friction, dampers of joints, and loads at points of bodies
static dm_status check_forces(const dm_robot *r, const dm_system *s, dm_message *msg) {
  const dm_loads *loads = r->loads;
  const bool loaded = has_forces(s, loads), rubs = has_forces(s, r->joint[DM_JOINT_FRICTION]);
  if (dm_formulas_count(r->formulas))
    return dm_fail(msg, DM_UNAVAILABLE, "it has the formula '%.64s' (model.%s)",
                   dm_formulas_get(r->formulas, 0)->name,
                   dm_formulas_bend(r->formulas) ? "potentials" : "forces");
  if (s->force.count > loaded + rubs)
    return refuse_part(
        r, DM_PART_FORMULA,
        "it has forces beside those of its motors, its friction and those at points of "
        "bodies: of formulas, or of the caller",
        msg);
  for (int i = 0; loaded && i < dm_loads_count(loads); i++) {
    const int *coord;
    const double *factor;
    const dm_load_kind kind = dm_loads_place(loads, i).kind;
    if (is_wrench(kind) || find_damper(loads, i, &coord, &factor)) continue;
    return dm_fail(msg, DM_UNAVAILABLE,
                   kind == DM_DAMPER ? "it has a damper '%.64s' along a path"
                                     : "it has a wrench '%.64s' fixed in space (frame: world), "
                                       "expected frame: body or mixed",
                   dm_loads_name(loads, i));
  }
  return DM_OK;
}

// whether a ball joint owns one of these coordinates
static bool owns_any(const dm_model *m, int count, const int *coord) {
  for (int i = 0; i < count; i++)
    if (dm_ball_owns(m, coord[i])) return true;
  return false;
}

// refuse parts that act on the rotations of ball joints, and rules that leave the middle of a step
static dm_status check_balls(const dm_robot *r, const dm_system *s, dm_message *msg) {
  const dm_joint_forces *friction = r->joint[DM_JOINT_FRICTION];
  const int *coord;
  const double *factor;
  double stiffness, rest;
  if (s->rule.points != 1 || s->rule.at[0] != 0.5)
    return dm_fail(msg, DM_UNAVAILABLE, "it has a ball joint and another rule than the midpoint");
  for (int i = 0; r->springs && i < dm_springs_count(r->springs); i++)
    if (owns_any(r->tree, find_spring(r->springs, i, &coord, &factor, &stiffness, &rest), coord))
      return dm_fail(msg, DM_UNAVAILABLE, "it has a spring '%.64s' of a ball joint",
                     dm_springs_name(r->springs, i));
  for (int i = 0; r->loads && i < dm_loads_count(r->loads); i++)
    if (owns_any(r->tree, find_damper(r->loads, i, &coord, &factor), coord))
      return dm_fail(msg, DM_UNAVAILABLE, "it has a damper '%.64s' of a ball joint",
                     dm_loads_name(r->loads, i));
  for (int i = 0; i < dm_joint_forces_count(friction); i++)
    if (dm_ball_owns(r->tree, dm_joint_forces_get(friction, i)->coord))
      return dm_fail(msg, DM_UNAVAILABLE, "it has friction '%.64s' of a ball joint",
                     dm_joint_forces_get(friction, i)->name);
  return DM_OK;
}

// refuse unsupported parts of a step
static dm_status check_steps(const dm_robot *r, const dm_system *s, dm_message *msg) {
  const dm_springs *springs = r->springs;
  const dm_lagrangian L = springs ? dm_springs_lagrangian(springs) : dm_tree_lagrangian(r->tree);
  const int *coord;
  const double *factor;
  double stiffness, rest;
  if (s->nk) return dm_fail(msg, DM_UNAVAILABLE, "it has a prescribed coordinate");
  DM_TRY(check_forces(r, s, msg));
  if (s->L.eval != L.eval || s->L.self != L.self)
    return refuse_part(r, DM_PART_FORMULA, "it has a Lagrangian that is not a tree's", msg);
  for (int i = 0; springs && i < dm_springs_count(springs); i++)
    if (!find_spring(springs, i, &coord, &factor, &stiffness, &rest))
      return dm_fail(msg, DM_UNAVAILABLE,
                     "it has a spring '%.64s' that is not a linear one of joints",
                     dm_springs_name(springs, i));
  if (s->rule.inner) return dm_fail(msg, DM_UNAVAILABLE, "its rule has nodes within the step");
  return DM_OK;
}

dm_status fb_mechanics_check(const dm_robot *r, const dm_system *s, fb_mechanics_of what,
                             dm_message *msg) {
  if (r->tree->nball && what != FB_OF_HORIZON)
    return dm_fail(msg, DM_UNAVAILABLE, "it has a ball joint, whose momenta are of quaternions");
  const dm_system own = inside_of(r, s);
  if (own.hol.nc)
    return refuse_part(r, DM_PART_CONSTRAINT, "it has constraints, along which p is not M(q) v",
                       msg);
  if (dm_formulas_replace(r->formulas))
    return dm_fail(msg, DM_UNAVAILABLE, "its Lagrangian is a formula (model.lagrangian)");
  if (s->physical || s->lag)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "it has a joint whose damping decays within a step, whose p is of more than "
                   "the robot's inertia");
  if (what == FB_OF_VELOCITIES) return DM_OK;
  DM_TRY(check_steps(r, &own, msg));
  return r->tree->nball ? check_balls(r, s, msg) : DM_OK;
}

// -- tables

static void lay_out_mechanics(void *self, dm_block *b) {
  fb_mechanics *w = self;
  const size_t n = (size_t)w->n, nj = (size_t)w->nj, drives = (size_t)w->drives;
  const size_t loads = (size_t)w->loads, frictions = (size_t)w->frictions;
  const size_t bonds = (size_t)w->bonds, ties = (size_t)w->ties, points = (size_t)w->points;
  const size_t balls = (size_t)w->balls;
  int **const integers[] = {&w->joint,      &w->parent,        &w->coord,      &w->slides,
                            &w->ball,       &w->turned,        &w->tie,        &w->bond,
                            &w->kinematic,  &w->driven,        &w->load_joint, &w->load_input,
                            &w->load_faced, &w->friction_coord};
  const size_t each[] = {nj + 2 * balls, nj, nj,     nj,    nj,    balls, 2 * ties,
                         2 * bonds,      n,  drives, loads, loads, loads, frictions};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    *integers[i] = dm_block_alloc(b, each[i], sizeof(int));
  double **const reals[] = {&w->ratio,    &w->shift,       &w->offset,         &w->body,
                            &w->armature, &w->tie_inertia, &w->bond_stiffness, &w->bond_damping,
                            &w->gravity,  &w->damping,     &w->stiffness,      &w->preload,
                            &w->impulse,  &w->wrench,      &w->friction,       &w->force_share,
                            &w->rate,     &w->point,       &w->load_point,     &w->room};
  const size_t of[] = {nj,   nj,    12 * nj,    10 * nj,   n,
                       ties, bonds, bonds,      3,         n,
                       n,    n,     drives,     6 * loads, 5 * frictions,
                       2,    1,     5 * points, 3 * loads, 8 * (n + balls) + FB_OF_BALLS * nj};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    *reals[i] = dm_block_alloc(b, of[i], sizeof(double));
}

// replace numbers that equal 0, 1 or -1 up to the rounding of a file's angles
static double clean_number(double x) {
  const double whole = nearbyint(x);
  return fabs(whole) <= 1 && fabs(x - whole) < 1e-15 ? whole + 0.0 : x;
}

// joint j here, of the joint i of the tree; a ball joint has the frame of its last one, whose axes are those
// of the three in their order
static void copy_joint(fb_mechanics *w, const dm_model *m, int j, int i) {
  const bool turns = m->ball[i] == 1;
  const int last = turns ? i + 2 : i;
  dm_pose frame = m->offset[i];
  for (int k = i + 1; k <= last; k++) frame = dm_compose(&frame, &m->offset[k]);
  const dm_pose *E = &frame;
  const dm_inertia *I = &m->body[last];
  const dm_vec axes[] = {E->x, E->y, E->z, E->p};
  double *offset = w->offset + 12 * j, *body = w->body + 10 * j;
  w->parent[j] = m->parent[i] < 0 ? -1 : w->joint[m->parent[i]];
  for (int k = i; k <= last; k++) w->joint[k] = j;
  w->coord[j] = m->coord[i];
  w->slides[j] = m->slides[i];
  w->ratio[j] = m->ratio[i];
  w->shift[j] = m->shift[i];
  for (int k = 0; k < 4; k++) {
    offset[3 * k] = clean_number(axes[k].x);
    offset[3 * k + 1] = clean_number(axes[k].y);
    offset[3 * k + 2] = clean_number(axes[k].z);
  }
  const double of[] = {I->m, I->c.x, I->c.y, I->c.z, I->xx, I->xy, I->xz, I->yy, I->yz, I->zz};
  for (int k = 0; k < 10; k++) body[k] = of[k];
}

// forces at points of bodies, in a step of h: moments of those fixed to bodies are about the origins of their joints
static void copy_loads(fb_mechanics *w, const dm_loads *loads, double h) {
  for (int load = 0, i = 0; i < w->loads; load++) {
    const dm_load_place at = dm_loads_place(loads, load);
    if (!is_wrench(at.kind)) continue;
    const bool faced = at.kind == DM_WRENCH_MIXED;
    const dm_vec lever = faced ? dm_v(0, 0, 0) : dm_cross(at.point, at.force);
    const double of[] = {at.torque.x + lever.x,
                         at.torque.y + lever.y,
                         at.torque.z + lever.z,
                         at.force.x,
                         at.force.y,
                         at.force.z};
    for (int k = 0; k < 6; k++) w->wrench[6 * i + k] = h * clean_number(of[k]);
    w->load_faced[i] = faced;
    w->load_point[3 * i] = at.point.x;
    w->load_point[3 * i + 1] = at.point.y;
    w->load_point[3 * i + 2] = at.point.z;
    w->load_joint[i] = at.joint < 0 ? -1 : w->joint[at.joint];
    w->load_input[i] = at.input < 0 ? -1 : w->drives + at.input;
    i++;
  }
}

// friction of joints in a step of h; where it is dry, its offset alone. Its viscous part is damping.
static void copy_friction(fb_mechanics *w, const dm_joint_forces *c, double h) {
  for (int i = 0; i < w->frictions; i++) {
    const dm_joint_force *x = dm_joint_forces_get(c, i);
    const dm_friction_values *p = &x->friction;
    double *row = w->friction + 5 * i;
    const dm_contact_law law = dm_joint_force_law(x);
    const bool smooth = p->smooth > 0;
    w->friction_coord[i] = x->coord;
    w->damping[x->coord] += p->viscous;
    row[0] = smooth ? h * law.force : 0;
    row[1] = smooth ? h * law.excess : 0;
    row[2] = law.excess > 0 ? 1 / law.speed : 0;
    row[3] = smooth ? acos(-1) / (2 * p->smooth) : 0;
    row[4] = h * p->offset;
  }
}

// springs or dampers along s = factor.q: of each coordinate, and between two of them
static void add_bonds(fb_mechanics *w, int count, const int *coord, const double *factor,
                      double stiffness, double damping) {
  for (int i = 0; i < count; i++) {
    w->stiffness[coord[i]] += stiffness * factor[i] * factor[i];
    w->damping[coord[i]] += damping * factor[i] * factor[i];
    for (int j = 0; j < i; j++) {
      int k = 0;
      while (k < w->bonds && (w->bond[2 * k] != coord[j] || w->bond[2 * k + 1] != coord[i])) k++;
      w->bond[2 * k] = coord[j];
      w->bond[2 * k + 1] = coord[i];
      w->bond_stiffness[k] += stiffness * factor[i] * factor[j];
      w->bond_damping[k] += damping * factor[i] * factor[j];
      if (k == w->bonds) w->bonds++;
    }
  }
}

// pairs of coordinates along springs and dampers, at most
static int count_bonds(const dm_robot *r) {
  const int *coord;
  const double *factor;
  double stiffness, rest;
  int pairs = 0;
  for (int i = 0; r->springs && i < dm_springs_count(r->springs); i++) {
    const int count = find_spring(r->springs, i, &coord, &factor, &stiffness, &rest);
    pairs += count * (count - 1) / 2;
  }
  for (int i = 0; r->loads && i < dm_loads_count(r->loads); i++) {
    const int count = find_damper(r->loads, i, &coord, &factor);
    pairs += count * (count - 1) / 2;
  }
  return pairs;
}

static void copy_bonds(fb_mechanics *w, const dm_robot *r) {
  const int *coord = NULL;
  const double *factor = NULL;
  double stiffness, rest;
  w->bonds = 0;
  for (int i = 0; r->springs && i < dm_springs_count(r->springs); i++) {
    const int count = find_spring(r->springs, i, &coord, &factor, &stiffness, &rest);
    add_bonds(w, count, coord, factor, stiffness, 0);
    for (int k = 0; k < count; k++) w->preload[coord[k]] += stiffness * factor[k] * rest;
  }
  for (int i = 0; w->dampers && i < dm_loads_count(r->loads); i++) {
    const int count = find_damper(r->loads, i, &coord, &factor);
    if (count) add_bonds(w, count, coord, factor, 0, dm_loads_place(r->loads, i).damping);
  }
}

// forces of a step of h
static void copy_step(fb_mechanics *w, const dm_robot *robot, const dm_system *s, double h) {
  const dm_rule *r = &s->rule;
  for (int i = 0; s->damping && i < w->n; i++) w->damping[i] = s->damping[i];
  for (int j = 0; j < w->drives; j++) {
    w->driven[j] = s->input_coord[j];
    w->impulse[j] = h * (s->input_gear ? s->input_gear[j] : 1);
  }
  copy_bonds(w, robot);
  copy_loads(w, robot->loads, h);
  copy_friction(w, robot->joint[DM_JOINT_FRICTION], h);
  *w->rate = 1 / h;
  w->force_share[0] = r->left;
  w->force_share[1] = 1 - r->left;
  for (int k = 0; k < w->points; k++) {
    const double at = r->at[k], c = r->weight[k] * h;
    const double row[] = {1 - at, at, c * (1 - at), r->weight[k], c * at};
    for (int i = 0; i < 5; i++) w->point[5 * k + i] = row[i];
  }
}

static void copy_tree(fb_mechanics *w, const dm_model *m) {
  for (int i = 0, j = 0, balls = 0; i < m->nj; i += m->ball[i] == 1 ? 3 : 1, j++) {
    copy_joint(w, m, j, i);
    if (m->ball[i] != 1) continue;
    w->turned[balls] = m->coord[i];
    w->ball[j] = ++balls;
  }
  for (int i = 0; i < m->nq; i++) {
    w->armature[i] = m->armature[i];
    w->kinematic[i] = m->kinematic[i];
  }
  for (int k = 0; k < m->ntie; k++) {
    w->tie[2 * k] = m->tie[k][0];
    w->tie[2 * k + 1] = m->tie[k][1];
    w->tie_inertia[k] = m->tie_inertia[k];
  }
  w->gravity[0] = m->gravity.x, w->gravity[1] = m->gravity.y, w->gravity[2] = m->gravity.z;
}

dm_status fb_mechanics_new(fb_mechanics **out, const dm_robot *r, const dm_system *s, double h,
                           fb_mechanics_of what, dm_message *msg) {
  const dm_model *m = r->tree;
  assert(out && r->model->nq == s->L.nq);
  const dm_system own = inside_of(r, s);
  *out = NULL;
  DM_TRY(fb_mechanics_check(r, s, what, msg));
  const bool steps = what != FB_OF_VELOCITIES;
  fb_mechanics sizes = {.n = m->nq, .nj = m->nj - 2 * m->nball, .balls = m->nball, .ties = m->ntie};
  if (steps) sizes.nu = own.nu;
  if (steps) sizes.drives = own.nu - own.force.nu;
  const dm_joint_forces *friction = r->joint[DM_JOINT_FRICTION];
  if (steps) sizes.dampers = has_forces(&own, r->loads);
  if (sizes.dampers) sizes.loads = count_wrenches(r->loads);
  if (steps) sizes.bonds = count_bonds(r);
  if (steps && has_forces(&own, friction)) sizes.frictions = dm_joint_forces_count(friction);
  if (steps) sizes.points = own.rule.points;
  fb_mechanics *w = dm_block_make(&sizes, sizeof sizes, lay_out_mechanics);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  copy_tree(w, m);
  if (steps) copy_step(w, r, &own, h);
  w->tree = (tree_tables){.n = w->n,
                          .balls = w->balls,
                          .joints = w->nj,
                          .ties = w->ties,
                          .bonds = steps ? w->bonds : 0,
                          .inputs = w->nu,
                          .drives = w->drives,
                          .loads = w->loads,
                          .frictions = w->frictions,
                          .points = w->points,
                          .parent = w->parent,
                          .coord = w->coord,
                          .slides = w->slides,
                          .ball = w->ball,
                          .turned = w->turned,
                          .ratio = w->ratio,
                          .shift = w->shift,
                          .offset = w->offset,
                          .body = w->body,
                          .armature = w->armature,
                          .tie = w->tie,
                          .tie_inertia = w->tie_inertia,
                          .bond = w->bond,
                          .bond_stiffness = w->bond_stiffness,
                          .bond_damping = w->bond_damping,
                          .kinematic = w->kinematic,
                          .gravity = w->gravity,
                          .damping = w->damping,
                          .stiffness = w->stiffness,
                          .preload = w->preload,
                          .driven = w->driven,
                          .impulse = w->impulse,
                          .load_joint = w->load_joint,
                          .load_input = w->load_input,
                          .load_faced = w->load_faced,
                          .load_point = w->load_point,
                          .wrench = w->wrench,
                          .friction_coord = w->friction_coord,
                          .friction = w->friction,
                          .force_share = w->force_share,
                          .rate = w->rate,
                          .point = w->point};
  *out = w;
  return DM_OK;
}

void fb_mechanics_free(fb_mechanics *w) {
  dm_block_free(w);
}

const struct tree_tables *fb_mechanics_tables(const fb_mechanics *w) {
  return &w->tree;
}

// -- evaluation

void fb_mechanics_momentum(fb_mechanics *w, const double *q, const double *v, double *p) {
  fb_onboard_momenta(&w->tree, q, v, w->room, p);
}

void fb_mechanics_impulses(fb_mechanics *w, const double *q0, const double *q1, const double *u,
                           double *D1, double *D2) {
  fb_onboard_impulses(&w->tree, q0, q1, u, w->room, D1, D2);
}

void fb_mechanics_step(fb_mechanics *w, const double *x, const double *u, const double *A,
                       double *x1) {
  fb_onboard_map_step(&w->tree, x, u, A, w->room, x1);
}

static void predict_by_map(void *self, const double *x, const double *u, const double *A,
                           double *x1) {
  fb_mechanics_step(self, x, u, A, x1);
}

fb_predictor fb_mechanics_predictor(fb_mechanics *w) {
  return (fb_predictor){.self = w, .step = predict_by_map, .tree = &w->tree};
}
