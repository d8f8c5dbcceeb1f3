#include "lib/contact/row_impulses.h"

#include "lib/base/block.h"

#include <limits.h>
#include <math.h>

static void lay_out_impulses(void *self, dm_block *b) {
  dm_row_impulses *w = self;
  const size_t n = (size_t)w->n, most = (size_t)w->most;
  const size_t set = (size_t)w->na + (size_t)w->most_set;
  w->member = dm_block_alloc(b, (size_t)w->most_set, sizeof *w->member);
  w->refused = dm_block_alloc(b, most, sizeof *w->refused);
  w->barred = dm_block_alloc(b, most, sizeof *w->barred);
  w->size = dm_block_alloc(b, most, sizeof *w->size);
  w->z = dm_block_alloc(b, set, sizeof *w->z);
  w->r = dm_block_alloc(b, n, sizeof *w->r);
  w->y = dm_block_alloc(b, most, sizeof *w->y);
  dm_sparse_rows_lay_out(&w->J, b, w->n, set, set * n);
  dm_sparse_rows_lay_out(&w->T, b, w->n, set, set * n);
}

dm_status dm_row_impulses_new(dm_row_impulses **out, int n, int na, int most) {
  // no more than n rows are independent; a guess may hold more
  const int guess = 2 * n + 64;
  dm_row_impulses sizes = {.n = n, .na = na, .most = most, .most_set = most < guess ? most : guess};
  dm_row_impulses *w = dm_block_make(&sizes, sizeof sizes, lay_out_impulses);
  if (!w) return DM_NO_MEMORY;
  if (dm_row_set_new(&w->set, n, na + w->most_set) != DM_OK) {
    dm_block_free(w);
    return DM_NO_MEMORY;
  }
  *out = w;
  return DM_OK;
}

void dm_row_impulses_free(dm_row_impulses *w) {
  if (w) dm_row_set_free(w->set);
  dm_block_free(w);
}

dm_status dm_row_impulses_measure(dm_row_impulses *w, const dm_row_problem *x) {
  double sum = 0;
  for (int i = 0; i < x->G->m; i++) {
    w->T.m = 0;
    DM_TRY(x->metric(x->self, 1, x->G, i, &w->T));

    // G_i W G_i, by a scattered row
    for (int e = 0; e < w->T.start[1]; e++) w->r[w->T.col[e]] = 0;
    for (int e = 0; e < w->T.start[1]; e++) w->r[w->T.col[e]] += w->T.value[e];
    const double square = dm_sparse_rows_inner(x->G, i, w->r);
    w->size[i] = sqrt(fmax(square, 0));
    sum += square;
  }
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// step 1: w->z over the equalities and the set, w->r, w->y
static dm_status solve_set(dm_row_impulses *w, const dm_row_problem *x) {
  const int na = x->A->m;
  w->J.m = w->T.m = 0;
  for (int i = 0; i < na; i++) dm_sparse_rows_append(&w->J, 1, x->A, i);
  for (int k = 0; k < w->k; k++) dm_sparse_rows_append(&w->J, 1, x->G, w->member[k]);
  for (int i = 0; i < w->J.m; i++) DM_TRY(x->metric(x->self, 1, &w->J, i, &w->T));
  DM_TRY(dm_row_set_factor(w->set, &w->J, &w->T, na, 1e-12));
  for (int i = 0; i < na; i++)
    if (w->set->dependent[i]) return DM_SINGULAR;

  for (int i = 0; i < na; i++) w->z[i] = x->c ? -x->c[i] : 0;
  for (int k = 0; k < w->k; k++) w->z[na + k] = -x->b[w->member[k]];
  dm_row_set_solve(w->set, w->z);
  memset(w->r, 0, (size_t)w->n * sizeof *w->r);
  for (int i = 0; i < w->J.m; i++) dm_sparse_rows_add_to(&w->T, i, w->z[i], w->r);

  double sum = 0;
  for (int i = 0; i < x->G->m; i++) {
    w->refused[i] = false;
    w->y[i] = x->b[i] + dm_sparse_rows_inner(x->G, i, w->r);
    sum += w->y[i];
  }
  for (int k = 0; k < w->k; k++) w->refused[w->member[k]] = w->set->dependent[na + k];
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// list the set of the rows `in`; more than independent ones are left out
static void list_set(dm_row_impulses *w, const dm_row_problem *x, bool *in) {
  w->k = 0;
  for (int i = 0; i < x->G->m; i++) {
    in[i] = in[i] && w->k < w->most_set;
    if (in[i]) w->member[w->k++] = i;
  }
}

// steps 2 and 3: exchange the rows of the wrong sign; returns their number
static int exchange_rows(dm_row_impulses *w, const dm_row_problem *x, bool *in) {
  int count = 0;
  for (int k = 0; k < w->k; k++) {
    const int i = w->member[k];
    if (!w->refused[i] && w->z[x->A->m + k] > 0) continue;
    count += !w->refused[i];
    in[i] = false;
  }
  for (int k = 0, i = 0; i < x->G->m; i++) {
    if (k < w->k && w->member[k] == i) {
      k++;
      continue;
    }
    if (!(w->y[i] < -x->tol * w->size[i])) continue;
    count++;
    in[i] = true;
  }
  return count;
}

// -- step 4

// the row outside the set with the most negative y relative to its norm; -1: none
static int find_most_violated(const dm_row_impulses *w, const dm_row_problem *x, const bool *in) {
  double worst = -x->tol;
  int best = -1;
  for (int i = 0; i < x->G->m; i++) {
    if (in[i] || w->barred[i] || !(w->y[i] < worst * w->size[i])) continue;
    worst = w->y[i] / w->size[i];
    best = i;
  }
  return best;
}

// Move lambda towards z until the first entry vanishes, and remove all that do; false: none does.
static bool drop_first_zeros(dm_row_impulses *w, const dm_row_problem *x, bool *in,
                             double *lambda) {
  double t = 1;
  bool any = false;
  for (int k = 0; k < w->k; k++) {
    const double from = lambda[w->member[k]], to = w->z[x->A->m + k];
    if (to > 0 || w->refused[w->member[k]]) continue;
    t = fmin(t, from > 0 ? from / (from - to) : 0);
    any = true;
  }
  for (int k = 0; k < w->k; k++) {
    const int i = w->member[k];
    const double from = lambda[i], to = w->z[x->A->m + k], now = from + t * (to - from);
    const bool leaves = w->refused[i] || (to <= 0 && !(now > 1e-15 * from));
    lambda[i] = leaves ? 0 : now;
    in[i] = !leaves;
  }
  return any;
}

// the impulses of the set that push
static void list_impulses(dm_row_impulses *w, const dm_row_problem *x, double *lambda) {
  memset(lambda, 0, (size_t)x->G->m * sizeof *lambda);
  for (int k = 0; k < w->k; k++)
    if (!w->refused[w->member[k]]) lambda[w->member[k]] = fmax(w->z[x->A->m + k], 0);
}

// solve for a set, and take rows out until lambda >= 0
static dm_status descend(dm_row_impulses *w, const dm_row_problem *x, bool *in, double *lambda) {
  do {
    list_set(w, x, in);
    DM_TRY(solve_set(w, x));
  } while (drop_first_zeros(w, x, in, lambda));
  return DM_OK;
}

// Add row i to a set of independent rows; if it depends on them, bar it.
static dm_status add_row(dm_row_impulses *w, const dm_row_problem *x, int i, bool *in,
                         double *lambda) {
  in[i] = true;
  list_set(w, x, in);
  DM_TRY(solve_set(w, x));
  in[i] = w->set->rank == w->set->m;
  DM_TRY(descend(w, x, in, lambda));

  // a row that did not stay approaches by rounding only, until the set is another one
  if (in[i]) memset(w->barred, 0, (size_t)x->G->m * sizeof *w->barred);
  w->barred[i] = !in[i];
  return DM_OK;
}

dm_status dm_row_impulses_solve(dm_row_impulses *w, const dm_row_problem *x, bool *in,
                                double *lambda) {
  enum { ATTEMPTS = 5 };
  int least = INT_MAX, left = ATTEMPTS;
  while (left > 0) {
    list_set(w, x, in);
    DM_TRY(solve_set(w, x));
    const int wrong = exchange_rows(w, x, in);
    if (wrong == 0) {
      list_impulses(w, x, lambda);
      return DM_OK;
    }
    left = wrong < least ? ATTEMPTS : left - 1;
    least = wrong < least ? wrong : least;
  }

  // add the most violated row, one at a time
  const int limit = 4 * x->G->m + 10;
  list_impulses(w, x, lambda);
  for (int i = 0; i < x->G->m; i++) in[i] = lambda[i] > 0;
  memset(w->barred, 0, (size_t)x->G->m * sizeof *w->barred);
  DM_TRY(descend(w, x, in, lambda));
  for (int added = 0; added < limit; added++) {
    const int i = find_most_violated(w, x, in);
    if (i < 0) return DM_OK;
    DM_TRY(add_row(w, x, i, in, lambda));
  }
  return find_most_violated(w, x, in) < 0 ? DM_OK : DM_MAX_ITER;
}
