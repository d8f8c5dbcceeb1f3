// The on-board code in single precision: it reads rounded copies of the tables.
#include "control/onboard/onboard.h"
#include "lib/base/block.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

// the library's tables are of doubles; below the same words are of floats
typedef table double_table;
typedef tables double_tables;
#define table     single_table
#define tables    single_tables
#define memory    single_memory
#define real      float
#define TABLES    double_tables
#define ROUNDING  1e-4F
#define PRECISION fb_precision_single
#undef ZERO
#undef ONE
#include "control/onboard/types.inc"

// the arrays of a law, each with its count
#define EACH_TABLE(DO) DO(u_d) DO(y_d) DO(v_d) DO(G) DO(P) DO(L) DO(A) DO(B) DO(gate)
#define EACH_ARRAY(DO)                                                                             \
  DO(u_min, nu)                                                                                    \
  DO(u_max, nu)                                                                                    \
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

#include "control/onboard/library.inc"
