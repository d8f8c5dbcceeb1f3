#include "lib/mechanics/symmetry_group.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORLD = 6, MOST = WORLD + DM_SYMMETRY_LINEAR * (DM_SYMMETRY_LINEAR + 1) };

// shares of its terms below which an equation holds, of the world by differences, and a value or a coefficient is zero
static const double HOLDS = 1e-11, WORLD_HOLDS = 1e-7, SAME = 1e-6;
static const double REACH = 0.3; // of the drawn states

typedef struct finder {
  dm_symmetry_group group;
  const dm_symmetry_model *of;
  int states, rows, columns; // drawn; equations of a state; candidates at most
  double *x, *g, *Dh;        // a state [(k+1) n], its gradient, constraints [nc x n]
  double *side, *side_terms; // [nc x 6]
  double *value,
      *value_of; // momenta of all candidates at all states [states x columns], of one [states]
  double *E, *T; // equations [states rows x columns], and the largest term of each entry
  double *row_size, *size; // of the equations of a state [rows], of columns [columns]
  double *kept;            // values of accepted symmetries, orthonormal [DM_SYMMETRIES x states]
  double *M;               // elimination [states rows x columns]
  double *c;               // a candidate [columns]
  int *pivot;              // [columns] row of the pivot, or -1
  double *arrays;          // of the group [DM_SYMMETRIES x (n + n^2)]
} finder;

static void lay_out_finder(void *self, dm_block *b) {
  finder *w = self;
  const size_t n = (size_t)w->of->n, k = (size_t)w->of->k, nc = (size_t)w->of->nc,
               states = (size_t)w->states, columns = (size_t)w->columns,
               all = states * (size_t)w->rows;
  w->x = dm_block_alloc(b, (k + 1) * n, sizeof *w->x);
  w->g = dm_block_alloc(b, (k + 1) * n, sizeof *w->g);
  w->Dh = dm_block_alloc(b, nc * n, sizeof *w->Dh);
  w->side = dm_block_alloc(b, nc * WORLD, sizeof *w->side);
  w->side_terms = dm_block_alloc(b, nc * WORLD, sizeof *w->side_terms);
  w->value = dm_block_alloc(b, states * columns, sizeof *w->value);
  w->value_of = dm_block_alloc(b, states, sizeof *w->value_of);
  w->E = dm_block_alloc(b, all * columns, sizeof *w->E);
  w->T = dm_block_alloc(b, all * columns, sizeof *w->T);
  w->row_size = dm_block_alloc(b, (size_t)w->rows, sizeof *w->row_size);
  w->size = dm_block_alloc(b, columns, sizeof *w->size);
  w->M = dm_block_alloc(b, all * columns, sizeof *w->M);
  w->kept = dm_block_alloc(b, DM_SYMMETRIES * states, sizeof *w->kept);
  w->c = dm_block_alloc(b, columns, sizeof *w->c);
  w->pivot = dm_block_alloc(b, columns, sizeof *w->pivot);
  w->arrays = dm_block_alloc(b, DM_SYMMETRIES * (n + n * n), sizeof *w->arrays);
}

static bool is_fixed(const finder *w, int i) {
  return w->of->fixed && w->of->fixed[i];
}

// The equations and values of the affine candidates: column n + i n + j is W_ij, which moves coordinate i by coordinate
// j. Values are momenta for k = 1; of higher order, where momenta depend on higher derivatives, random numbers.
static void add_affine(finder *w, int s, double *E, double *T, double *value) {
  const int n = w->of->n, k = w->of->k, columns = w->columns;
  for (int column = WORLD; column < columns; column++) {
    const int at = column - WORLD, i = at < n ? at : (at - n) / n, j = at < n ? -1 : (at - n) % n;
    const double moved = j < 0 ? 1 : w->x[j];
    for (int d = 0; d <= k; d++) {
      // q^(d)_i moves by q^(d)_j, or by 1 for d = 0
      const double term = w->g[d * n + i] * (j >= 0 ? w->x[d * n + j] : d == 0);
      E[column] += term;
      T[column] = fmax(T[column], fabs(term));
    }
    for (int c = 0; c < w->of->nc; c++) {
      E[(1 + c) * columns + column] = w->Dh[c * n + i] * moved;
      T[(1 + c) * columns + column] = dm_largest(n, w->Dh + c * n) * fabs(moved);
    }
    value[column] = k > 1 ? dm_random_uniform(13, s, (uint64_t)column) : w->g[n + i] * moved;
  }
}

// The same for the momentum map; terms are the largest of each kind, angular and linear.
static dm_status add_world(finder *w, double *E, double *T, double *value) {
  const int columns = w->columns;
  double rate[WORLD];
  DM_TRY(w->of->world(w->of->self, w->x, value, rate, w->side, w->side_terms));
  for (int i = 0; i < WORLD; i++) {
    const int kind = i / 3 * 3;
    E[i] = rate[i];
    T[i] = dm_largest(3, rate + kind) + dm_largest(3, value + kind);
    for (int c = 0; c < w->of->nc; c++) {
      E[(1 + c) * columns + i] = w->side[c * WORLD + i];
      T[(1 + c) * columns + i] = dm_largest(3, w->side_terms + c * WORLD + kind);
    }
  }
  return DM_OK;
}

// the equations of one random state
static dm_status add_state(finder *w, int s) {
  const dm_symmetry_model *of = w->of;
  const int n = of->n;
  const size_t columns = (size_t)w->columns, at = (size_t)(s * w->rows) * columns;
  for (int i = 0; i < (of->k + 1) * n; i++) {
    const double r = is_fixed(w, i % n) ? 0 : dm_random_uniform(11, s, (uint64_t)i);
    w->x[i] = i < n ? of->centre[i] + REACH * r : r;
  }
  if (of->restrict_state) DM_TRY(of->restrict_state(of->self, w->x, w->Dh));
  DM_TRY(of->gradient(of->self, w->x, w->g));
  double *value = w->value + (size_t)s * columns;
  if (of->world) DM_TRY(add_world(w, w->E + at, w->T + at, value));
  add_affine(w, s, w->E + at, w->T + at, value);
  return DM_OK;
}

// Accept the candidate w->c, unless its momentum is a combination of those of accepted ones.
static void accept_candidate(finder *w) {
  dm_symmetry_group *group = &w->group;
  const int n = w->of->n, columns = w->columns, states = w->states;
  if (group->count == DM_SYMMETRIES) return;
  double size = 0, left;
  for (int s = 0; s < states; s++) w->value_of[s] = dm_inner(columns, w->value + s * columns, w->c);
  size = sqrt(dm_inner(states, w->value_of, w->value_of));

  // beside the largest term of its sum, and the rest beside other values
  double term = 0;
  for (int s = 0; s < states; s++)
    for (int i = 0; i < columns; i++) term = fmax(term, fabs(w->value[s * columns + i] * w->c[i]));
  if (!(size > SAME * term)) return;
  for (int i = 0; i < group->count; i++) {
    const double *other = w->kept + i * states;
    dm_add_to(states, -dm_inner(states, other, w->value_of), other, w->value_of);
  }
  left = sqrt(dm_inner(states, w->value_of, w->value_of));
  if (!(left > SAME * size)) return;
  for (int s = 0; s < states; s++) w->kept[group->count * states + s] = w->value_of[s] / left;

  dm_symmetry *found = &group->of[group->count];
  double *arrays = w->arrays + (size_t)group->count * (size_t)(n + n * n);
  memcpy(found->world, w->c, sizeof found->world);
  memcpy(arrays, w->c + WORLD, (size_t)(columns - WORLD) * sizeof *arrays);
  found->w = arrays;
  found->W = arrays + n;
  group->count++;
}

// The equations in columns first .. first+count-1 without units, into M: each kind of equation relative to its largest
// term, then each column likewise. Columns of prescribed coordinates meet no equation.
static void scale_equations(finder *w, int first, int count) {
  const int n = w->of->n, columns = w->columns, all = w->states * w->rows;
  memset(w->row_size, 0, (size_t)w->rows * sizeof *w->row_size);
  memset(w->size, 0, (size_t)columns * sizeof *w->size);
  for (int r = 0; r < all; r++)
    w->row_size[r % w->rows] =
        fmax(w->row_size[r % w->rows], dm_largest(count, w->T + r * columns + first));
  for (int r = 0; r < all; r++)
    for (int j = first; j < first + count; j++)
      if (w->row_size[r % w->rows] > 0)
        w->size[j] = fmax(w->size[j], w->T[r * columns + j] / w->row_size[r % w->rows]);
  for (int r = 0; r < all; r++)
    for (int j = 0; j < count; j++) {
      const int column = first + j, at = column - WORLD;
      const double size = w->row_size[r % w->rows] * w->size[column];
      w->M[r * count + j] = size > 0 ? w->E[r * columns + column] / size : 0;
      if (at >= 0 && is_fixed(w, at < n ? at : (at - n) / n)) w->M[r * count + j] = r == at;
    }
}

// the next pivot among rows from `used` on; of pivots of similar size in the last column, so that simple candidates stay
// free and name their combinations
static bool find_pivot(const finder *w, double least, int used, int count, int *row, int *column) {
  const int rows = w->states * w->rows;
  double most = 0, best = 0;
  *row = *column = 0;
  for (int r = used; r < rows; r++)
    for (int j = 0; j < count; j++)
      if (w->pivot[j] < 0) most = fmax(most, fabs(w->M[r * count + j]));
  if (!(most > least)) return false;
  for (int j = count - 1; j >= 0 && best == 0; j--)
    for (int r = used; r < rows && w->pivot[j] < 0; r++) {
      const double entry = fabs(w->M[r * count + j]);
      if (!(entry >= most / 2 && entry > best)) continue;
      best = entry;
      *row = r;
      *column = j;
    }
  return true;
}

// one candidate per free column of the reduced equations
static void accept_null_space(finder *w, int first, int count) {
  const int columns = w->columns;
  for (int free = 0; free < count; free++) {
    if (w->pivot[free] >= 0) continue;
    memset(w->c, 0, (size_t)columns * sizeof *w->c);
    w->c[first + free] = w->size[first + free] > 0 ? 1 / w->size[first + free] : 1;
    for (int j = 0; j < count; j++) {
      if (w->pivot[j] < 0) continue;
      const double *row = w->M + w->pivot[j] * count, y = -row[free] / row[j];
      if (fabs(y) > SAME) w->c[first + j] = y / w->size[first + j];
    }
    const double size = w->c[first + free];
    for (int j = 0; j < columns; j++) w->c[j] /= size;
    accept_candidate(w);
  }
}

// The null space of the equations in columns first .. first+count-1, by elimination with complete pivoting.
static void find_null_space(finder *w, int first, int count) {
  const int rows = w->states * w->rows;
  scale_equations(w, first, count);
  for (int j = 0; j < count; j++) w->pivot[j] = -1;
  const double least = first < WORLD ? WORLD_HOLDS : HOLDS;
  for (int used = 0, at, column; used < rows && find_pivot(w, least, used, count, &at, &column);
       used++) {
    for (int j = 0; j < count; j++) {
      const double swap = w->M[at * count + j];
      w->M[at * count + j] = w->M[used * count + j];
      w->M[used * count + j] = swap;
    }
    w->pivot[column] = used;
    const double *row = w->M + used * count;
    for (int r = 0; r < rows; r++)
      if (r != used)
        dm_add_to(count, -w->M[r * count + column] / row[column], row, w->M + r * count);
  }
  accept_null_space(w, first, count);
}

dm_status dm_symmetry_group_new(dm_symmetry_group **out, const dm_symmetry_model *model) {
  assert(out && model && model->gradient && model->centre);
  const int n = model->n, linear = n <= DM_SYMMETRY_LINEAR ? n * n : 0;
  finder sizes = {.group.n = n, .of = model, .columns = WORLD + n + linear, .rows = 1 + model->nc};
  sizes.states = sizes.columns + 10;
  finder *w = dm_block_make(&sizes, sizeof sizes, lay_out_finder);
  if (!w) return DM_NO_MEMORY;
  for (int s = 0; s < w->states; s++) {
    const dm_status status = add_state(w, s);
    if (status != DM_OK) {
      dm_block_free(w);
      return status;
    }
  }
  // from the simplest candidates to the general ones
  if (model->world) find_null_space(w, 0, WORLD);
  find_null_space(w, WORLD, n);
  if (linear) find_null_space(w, WORLD, n + linear);
  *out = &w->group;
  return DM_OK;
}

void dm_symmetry_group_free(dm_symmetry_group *w) {
  dm_block_free(w);
}

double dm_symmetry_momentum(const dm_symmetry_group *w, int i, int k, const double *x,
                            const double *P) {
  const int n = w->n;
  const dm_symmetry *of = &w->of[i];
  double sum = dm_inner(n, of->w, P);
  for (int d = 0; d < k; d++)
    for (int j = 0; j < n; j++) sum += P[d * n + j] * dm_inner(n, of->W + j * n, x + d * n);
  return sum;
}

// append "+ c NAME" to text
static void add_term(char text[DM_SYMMETRY_NAME], double c, const char *by, const char *name) {
  if (c == 0) return;
  const size_t at = strlen(text);
  char factor[24] = "";
  if (fabs(fabs(c) - 1) > 1e-9) snprintf(factor, sizeof factor, "%.4g ", fabs(c));
  const char *sign = c < 0 ? "-" : "";
  if (at) sign = c < 0 ? " - " : " + ";
  const int length = snprintf(text + at, DM_SYMMETRY_NAME - at, "%s%s%s%s%s", sign, factor, by,
                              *by ? " " : "", name);
  if (at + (size_t)length >= DM_SYMMETRY_NAME)
    memcpy(text + DM_SYMMETRY_NAME - 4, "...", 4); // cut short
}

const char *dm_symmetry_name(const dm_symmetry_group *w, int i, const char *const *coord,
                             char text[DM_SYMMETRY_NAME]) {
  static const char *const world[] = {"moment.x",   "moment.y",   "moment.z",
                                      "momentum.x", "momentum.y", "momentum.z"};
  const dm_symmetry *of = &w->of[i];
  const int n = w->n;
  text[0] = 0;
  for (int j = 0; j < WORLD; j++) add_term(text, of->world[j], "", world[j]);
  for (int j = 0; j < n; j++) {
    char p[64];
    snprintf(p, sizeof p, "p.%s", coord ? coord[j] : "q");
    add_term(text, of->w[j], "", p);
    for (int c = 0; c < n; c++)
      add_term(text, n <= DM_SYMMETRY_LINEAR ? of->W[j * n + c] : 0, coord ? coord[c] : "q", p);
  }
  return text;
}
