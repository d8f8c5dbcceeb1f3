// The on-board code in single precision: it reads rounded copies of the tables.
#include "control/onboard/horizon_arrays.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

// the library's tables are of doubles; below the same words are of floats
typedef table double_table;
typedef tables double_tables;
typedef tree_tables double_tree;
typedef track_tables double_tracks;
typedef horizon_tables double_horizon_tables;
#define table          single_table
#define tables         single_tables
#define memory         single_memory
#define tree_tables    single_tree
#define track_tables   single_tracks
#define horizon_tables single_horizon_tables
#define horizon        single_horizon
#define TREE           double_tree
#define COSTS          double_horizon_tables
#define real           float
#define TABLES         double_tables
#define ROUNDING       1e-4F
#ifdef HAS_BALLS
#define PRECISION fb_precision_single_balls
#else
#define PRECISION fb_precision_single
#define BALLS     fb_precision_single_balls
#endif
#undef ZERO
#undef ONE
// clang-format off
#include "control/onboard/types.inc"
#include "control/onboard/horizon_types.inc"
// clang-format on

// the arrays of a law, each with its count
#define EACH_TABLE(DO)                                                                             \
  DO(u_d) DO(y_d) DO(v_d) DO(G) DO(P) DO(mass) DO(ahead) DO(L) DO(A) DO(B) DO(gate)
#define EACH_ARRAY(DO)                                                                             \
  DO(u_min, nu)                                                                                    \
  DO(u_max, nu)                                                                                    \
  DO(friction, rubs)                                                                               \
  DO(stall, lines)                                                                                 \
  DO(slope, lines)                                                                                 \
  DO(u_step, slews)                                                                                \
  DO(bound, bounds) DO(cost, nm > 0) DO(damping, brakes) DO(near, follows) DO(d_max, nd)

static tables sizes_of(const double_tables *T) {
  tables o = {.steps = T->steps,
              .nq = T->nq,
              .nu = T->nu,
              .ny = T->ny,
              .nf = T->nf,
              .late = T->late,
              .h = (float)T->h,
              .rate = (float)T->rate,
              .turns = T->turns,
              .rubs = T->rubs,
              .rubbing = T->rubbing,
              .lines = T->lines,
              .moved = T->moved,
              .speeds = T->speeds,
              .slews = T->slews,
              .bounds = T->bounds,
              .nm = T->nm,
              .brakes = T->brakes,
              .along = T->along,
              .ni = T->ni,
              .integral = T->integral,
              .follows = T->follows,
              .nx = T->nx,
              .nz = T->nz,
              .ne = T->ne,
              .nd = T->nd,
              .which = T->which,
              .disturbed = T->disturbed,
              .by_map = T->by_map,
              .continuous = T->continuous};
#define SIZE_OF(name) o.name = (table){.rows = T->name.rows, .cols = T->name.cols};
  EACH_TABLE(SIZE_OF)
  return o;
}

static void lay_out_tables(tables *T, dm_block *b) {
#define PLACE_TABLE(name)                                                                          \
  T->name.x = dm_block_alloc(b, (size_t)T->name.rows * (size_t)T->name.cols, sizeof(float));
#define PLACE_ARRAY(name, count) T->name = dm_block_alloc(b, (size_t)(T->count), sizeof(float));
  EACH_TABLE(PLACE_TABLE)
  EACH_ARRAY(PLACE_ARRAY)
}

// the nearest floats, none of them infinite
static void round_numbers(size_t n, const double *from, const float *to) {
  float *x = (float *)to;
  for (size_t i = 0; i < n; i++) x[i] = (float)fmin(fmax(from[i], -FLT_MAX), FLT_MAX);
}

static void fill_tables(const double_tables *from, tables *T) {
#define ROUND_TABLE(name)                                                                          \
  round_numbers((size_t)T->name.rows *(size_t)T->name.cols, from->name.x, T->name.x);
#define ROUND_ARRAY(name, count) round_numbers((size_t)(T->count), from->name, T->name);
  EACH_TABLE(ROUND_TABLE)
  EACH_ARRAY(ROUND_ARRAY)
}

// the arrays of a tree, each with its count
#define EACH_OF_TREE(DO)                                                                           \
  DO(ratio, from->joints)                                                                          \
  DO(shift, from->joints)                                                                          \
  DO(offset, 12 * from->joints)                                                                    \
  DO(body, 10 * from->joints)                                                                      \
  DO(armature, from->n)                                                                            \
  DO(tie_inertia, from->ties)                                                                      \
  DO(gravity, 3)                                                                                   \
  DO(damping, from->n)                                                                             \
  DO(stiffness, from->n)                                                                           \
  DO(preload, from->n)                                                                             \
  DO(impulse, from->drives)                                                                        \
  DO(wrench, 6 * from->loads)                                                                      \
  DO(friction, 5 * from->frictions) DO(force_share, 2) DO(rate, 1) DO(point, 5 * from->points)

static void lay_out_tree(const double_tree *from, tree_tables *M, dm_block *b) {
  if (!from) return;
#define PLACE_IN_TREE(name, count) M->name = dm_block_alloc(b, (size_t)(count), sizeof(float));
  EACH_OF_TREE(PLACE_IN_TREE)
}

static void fill_tree(const double_tree *from, tree_tables *M) {
  M->n = from->n;
  M->joints = from->joints;
  M->balls = from->balls;
  M->ball = from->ball;
  M->turned = from->turned;
  M->ties = from->ties;
  M->inputs = from->inputs;
  M->points = from->points;
  M->drives = from->drives;
  M->loads = from->loads;
  M->frictions = from->frictions;
  M->friction_coord = from->friction_coord;
  M->load_joint = from->load_joint;
  M->load_input = from->load_input;
  M->parent = from->parent;
  M->coord = from->coord;
  M->slides = from->slides;
  M->tie = from->tie;
  M->kinematic = from->kinematic;
  M->driven = from->driven;
#define ROUND_IN_TREE(name, count) round_numbers((size_t)(count), from->name, M->name);
  EACH_OF_TREE(ROUND_IN_TREE)
}

// the arrays of a horizon's cost, each with its count
#define EACH_OF_COST(DO)                                                                           \
  DO(R, nu)                                                                                        \
  DO(q_min, T->softs)                                                                              \
  DO(q_max, T->softs)                                                                              \
  DO(soft, T->softs)                                                                               \
  DO(v_max, T->speeds)                                                                             \
  DO(soft_v, T->speeds)                                                                            \
  DO(travel, (T->period > 0) * (T->nx / 2))                                                        \
  DO(track.local, 3 * T->track.parts)                                                              \
  DO(track.along, 3 * T->track.parts)                                                              \
  DO(track.of_q, T->track.rows *(T->nx / 2))                                                       \
  DO(track.shift, T->track.rows) DO(track.weight, T->track.rows)

static horizon_tables costs_of(const double_horizon_tables *T) {
  return (horizon_tables){.stages = T->stages,
                          .sweeps = T->sweeps,
                          .nx = T->nx,
                          .places = T->places,
                          .softs = T->softs,
                          .speeds = T->speeds,
                          .rests = T->rests,
                          .asks = T->asks,
                          .late = T->late,
                          .period = T->period,
                          .track = {.rows = T->track.rows,
                                    .parts = T->track.parts,
                                    .asks = T->track.asks,
                                    .row = T->track.row,
                                    .joint = T->track.joint,
                                    .point = T->track.point,
                                    .y = {.rows = T->track.y.rows, .cols = T->track.y.cols}},
                          .y = {.rows = T->y.rows, .cols = T->y.cols},
                          .u = {.rows = T->u.rows, .cols = T->u.cols},
                          .Q = {.rows = T->Q.rows, .cols = T->Q.cols},
                          .P = {.rows = T->P.rows, .cols = T->P.cols}};
}

static void lay_out_costs(int nu, horizon_tables *T, dm_block *b) {
#define PLACE_COST(name, count) T->name = dm_block_alloc(b, (size_t)(count), sizeof(float));
  EACH_OF_COST(PLACE_COST)
  PLACE_TABLE(Q)
  PLACE_TABLE(P)
  PLACE_TABLE(y)
  PLACE_TABLE(u)
  PLACE_TABLE(track.y)
}

static void fill_costs(int nu, const double_horizon_tables *from, horizon_tables *T) {
#define ROUND_COST(name, count) round_numbers((size_t)(count), from->name, T->name);
  EACH_OF_COST(ROUND_COST)
  ROUND_TABLE(Q)
  ROUND_TABLE(P)
  ROUND_TABLE(y)
  ROUND_TABLE(u)
  ROUND_TABLE(track.y)
}

#include "control/onboard/library.inc"
