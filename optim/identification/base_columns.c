#include "optim/identification/base_columns.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "lib/multibody/tree_lagrangian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RANK = 1e-9; // rest of a dependent column, over its size: rounding is 1e-14
static const double ROUNDING = 1e-12; // of a column that is zero, over the largest
enum { SEED = 1, EXTRA = 4 };         // of random steps; steps beyond those that the columns need

// Rows of Y at random steps, and their orthogonalization.
typedef struct sample {
  int rows, all;
  double *Y; // [all x rows] a column after another; those of the base become orthonormal
  double *R; // [all x all] R[a * all + c]: the part of column c along the base's column number a
  double *size, *rest; // [all] of each column: its length, and that of its rest
  int *order;          // [all] of the base
} sample;

static bool reduces(const oc_fit_parameters *x, int c) {
  return c < 10 * x->links || x->list[x->coefficient[c].parameter].kind == OC_FIT_ARMATURE;
}

static bool keeps_all(const oc_fit_parameters *x) {
  for (int k = 0; k < x->count; k++)
    if (x->list[k].kind == OC_FIT_LENGTH || x->list[k].kind == OC_FIT_NUMBER) return true;
  return x->robot.tree->nball > 0 || x->links == 0;
}

// the rows of Y1 and Y2 at random positions and speeds of some rad/s, or some lengths of the robot per s
static dm_status fill_sample(sample *o, const oc_fit_parameters *x, oc_motion_residual *w,
                             double h) {
  const dm_model *m = x->robot.model;
  const int n = m->nq;
  const double length = fmax(dm_model_extent(m), 1e-3);
  double *q = calloc((size_t)(2 * n + m->nu) + 1, sizeof *q);
  if (!q) return DM_NO_MEMORY;
  dm_status s = DM_OK;
  for (int k = 0; s == DM_OK && k < o->rows / (2 * n); k++) {
    for (int i = 0; i < n; i++) {
      const double unit = m->length[i] ? length : 1;
      q[i] = 3 * unit * dm_random_uniform(SEED, k, (uint64_t)i);
      q[n + i] = q[i] + 3 * unit * h * dm_random_uniform(SEED, k, (uint64_t)(n + i));
    }
    oc_step_forms f;
    s = oc_motion_residual_step(w, 3, q, q + n, q + 2 * n, NULL, &f);
    for (int i = 0; s == DM_OK && i < n; i++)
      for (int c = 0; c < o->all; c++) {
        double *to = o->Y + (size_t)c * (size_t)o->rows + (size_t)(2 * n * k + i);
        to[0] = f.Y1[i * o->all + c];
        to[n] = f.Y2[i * o->all + c];
      }
  }
  free(q);
  return s;
}

// the unit of coefficient c, of a link (m, m c, I) or a rotor, over that of a mass: 1, L or L2
static double find_unit(const oc_fit_parameters *x, int c, double L) {
  static const int powers[] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 2};
  if (c < 10 * x->links) return pow(L, powers[c % 10]);
  return x->robot.tree->length[x->list[x->coefficient[c].parameter].index] ? 1 : L * L;
}

// Columns of rounding alone, beside that of the coefficient with the largest effect per mass, are zero.
static void clear_rounding(sample *o, const oc_fit_parameters *x) {
  const double length = fmax(dm_model_extent(x->robot.model), 1e-3);
  double largest = 0;
  for (int c = 0; c < o->all; c++)
    if (o->size[c] > 0) largest = fmax(largest, o->size[c] * find_unit(x, c, length));
  for (int c = 0; c < o->all; c++)
    if (o->size[c] > 0 && o->size[c] * find_unit(x, c, length) < ROUNDING * largest)
      o->size[c] = o->rest[c] = 0;
}

// take the columns with the largest rest, until all rests are rounding; the rests lose their parts along each
static int orthogonalize(sample *o, const oc_fit_parameters *x, int *place) {
  const int rows = o->rows, all = o->all;
  int count = 0;
  for (int c = 0; c < all; c++) {
    const double *y = dm_row(o->Y, c, rows);
    o->size[c] = o->rest[c] = reduces(x, c) ? sqrt(dm_inner(rows, y, y)) : 0;
    place[c] = -1;
  }
  clear_rounding(o, x);
  for (; count < all; count++) {
    int next = -1;
    for (int c = 0; c < all; c++)
      if (place[c] < 0 && o->rest[c] > RANK * o->size[c] &&
          (next < 0 || o->rest[c] * o->size[next] > o->rest[next] * o->size[c]))
        next = c;
    if (next < 0) break;
    double *base = dm_row(o->Y, next, rows);
    const double length = o->rest[next];
    place[next] = count;
    o->order[count] = next;
    o->R[count * all + next] = length;
    for (int r = 0; r < rows; r++) base[r] /= length;
    for (int c = 0; c < all; c++) {
      if (place[c] >= 0 || !(o->size[c] > 0)) continue;
      double *y = dm_row(o->Y, c, rows);
      const double along = dm_inner(rows, base, y);
      dm_add_to(rows, -along, base, y);
      o->R[count * all + c] = along;
      o->rest[c] = sqrt(dm_inner(rows, y, y));
    }
  }
  return count;
}

// T of the dependent columns: R t = their parts, backwards
static void fill_dependence(oc_base_columns *b, const sample *o, int taken) {
  const int all = o->all;
  for (int c = 0; c < all; c++) {
    if (b->place[c] >= 0) {
      b->T[b->place[c] * all + c] = 1;
      continue;
    }
    for (int a = taken - 1; a >= 0; a--) {
      double t = o->R[a * all + c];
      for (int d = a + 1; d < taken; d++)
        t -= o->R[a * all + o->order[d]] * b->T[b->place[o->order[d]] * all + c];
      b->T[b->place[o->order[a]] * all + c] = t / o->R[a * all + o->order[a]];
    }
  }
}

static void lay_out_base(void *self, dm_block *block) {
  oc_base_columns *b = self;
  const size_t all = (size_t)b->all;
  b->column = dm_block_alloc(block, all, sizeof *b->column);
  b->place = dm_block_alloc(block, all, sizeof *b->place);
  b->T = dm_block_alloc(block, (size_t)b->count * all, sizeof(double));
  b->half = dm_block_alloc(block, all + 1, sizeof(double));
}

static void lay_out_sample(void *self, dm_block *block) {
  sample *o = self;
  const size_t all = (size_t)o->all;
  o->Y = dm_block_alloc(block, all * (size_t)o->rows, sizeof(double));
  o->R = dm_block_alloc(block, all * all, sizeof(double));
  o->size = dm_block_alloc(block, all, sizeof(double));
  o->rest = dm_block_alloc(block, all, sizeof(double));
  o->order = dm_block_alloc(block, all, sizeof *o->order);
}

// the base: `taken` columns of the sample, and all that are not reduced
static oc_base_columns *make_base(const oc_fit_parameters *x, const sample *o, int taken) {
  const int all = x->coefficients;
  oc_base_columns sizes = {.all = all, .count = taken};
  for (int c = 0; c < all; c++) sizes.count += !o || !reduces(x, c);
  oc_base_columns *b = dm_block_make(&sizes, sizeof sizes, lay_out_base);
  if (!b) return NULL;
  for (int c = 0; c < all; c++) b->place[c] = !o || !reduces(x, c) ? 0 : -1;
  for (int a = 0; a < taken; a++) b->place[o->order[a]] = 0;
  for (int c = 0, count = 0; c < all; c++)
    if (b->place[c] >= 0) {
      b->column[count] = c;
      b->place[c] = count++;
    }
  return b;
}

dm_status oc_base_columns_new(oc_base_columns **out, const oc_fit_parameters *x,
                              oc_motion_residual *w, double h) {
  *out = NULL;
  const int all = x->coefficients, n = x->robot.model->nq;
  if (keeps_all(x)) {
    oc_base_columns *b = *out = make_base(x, NULL, 0);
    for (int c = 0; b && c < all; c++) b->T[c * all + c] = 1;
    return b ? DM_OK : DM_NO_MEMORY;
  }
  sample sizes = {.rows = 2 * n * (all / n + EXTRA), .all = all};
  sample *o = dm_block_make(&sizes, sizeof sizes, lay_out_sample);
  int *place = calloc((size_t)all, sizeof *place);
  dm_status s = o && place ? fill_sample(o, x, w, h) : DM_NO_MEMORY;
  if (s == DM_OK) {
    const int taken = orthogonalize(o, x, place);
    *out = make_base(x, o, taken);
    if (*out)
      fill_dependence(*out, o, taken);
    else
      s = DM_NO_MEMORY;
  }
  free(place);
  dm_block_free(o);
  return s;
}

void oc_base_columns_free(oc_base_columns *b) {
  dm_block_free(b);
}

void oc_base_columns_expand(const oc_base_columns *b, const double *S_base, const double *raw_base,
                            double *S, double *raw) {
  const int all = b->all, count = b->count, ld = all + 1, from = count + 1;
  memset(raw, 0, (size_t)all * sizeof *raw);
  for (int a = 0; a < count; a++)
    for (int c = 0; c < all; c++) raw[c] += raw_base[a] * b->T[a * all + c] * b->T[a * all + c];

  // T' (S_base T, right side), a row of S_base T at a time
  memset(S, 0, (size_t)ld * (size_t)ld * sizeof *S);
  for (int a = 0; a <= count; a++) {
    memset(b->half, 0, (size_t)ld * sizeof *b->half);
    for (int d = 0; d < count; d++)
      dm_add_to(all, S_base[a * from + d], dm_row(b->T, d, all), b->half);
    b->half[all] = S_base[a * from + count];
    for (int c = 0; a < count && c < all; c++)
      if (b->T[a * all + c] != 0) dm_add_to(ld, b->T[a * all + c], b->half, dm_row(S, c, ld));
    if (a == count) memcpy(dm_row(S, all, ld), b->half, (size_t)ld * sizeof *S);
  }
}
