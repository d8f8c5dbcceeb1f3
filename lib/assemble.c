#include "lib/assemble.h"

#include "lib/block.h"
#include "lib/saddle.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef struct work {
  dm_saddle *k;
  int room;  // of lapack
  double *D; // [nd x nc], column by column: the constraints' gradients
  double *b, *tau, *singular, *lapack, *q;
  int *pivot, *ilapack;
} work;

static void lay_out(work *w, dm_block *b, size_t n, size_t nc) {
  size_t most = n > nc ? n : nc;
  w->D = dm_take(b, n * nc, sizeof *w->D);
  w->b = dm_take(b, most, sizeof *w->b);
  w->tau = dm_take(b, most, sizeof *w->tau);
  w->singular = dm_take(b, most, sizeof *w->singular);
  w->q = dm_take(b, n, sizeof *w->q);
  w->pivot = dm_take(b, most, sizeof *w->pivot);
  w->lapack = dm_take(b, (size_t)w->room, sizeof *w->lapack);
  w->ilapack = dm_take(b, 12 * most + 64 * most, sizeof *w->ilapack);
}

static dm_status work_new(work **out, const dm_system *s, dm_message *msg) {
  int n = s->L.nq, nc = s->hol.nc, most = n > nc ? n : nc;
  work sizes = {.room = 64 * (most + 8) + 32 * most + most * most + 1200};
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block, (size_t)n, (size_t)nc);
  dm_status status = dm_block_new(&block);
  if (status != DM_OK) return dm_fail(msg, status, "out of memory");
  work *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block, (size_t)n, (size_t)nc);
  status = dm_saddle_new(&w->k, s);
  if (status != DM_OK) {
    dm_block_free(w);
    return dm_fail(msg, status, "out of memory");
  }
  *out = w;
  return DM_OK;
}

static void work_free(work *w) {
  dm_saddle_free(w->k);
  dm_block_free(w);
}

// h and the gradients by dynamic coordinates at q
static dm_status evaluate(work *w, const double *q) {
  dm_saddle *k = w->k;
  DM_TRY(dm_saddle_end(k, q));
  for (int c = 0; c < k->nc; c++)
    for (int i = 0; i < k->nd; i++) w->D[c * k->nd + i] = k->Dh1[c * k->n + k->dyn[i]];
  return DM_OK;
}

static const char *row_name(const dm_holonomic *hol, int c) {
  return hol->row_name ? hol->row_name(hol->self, c) : "?";
}

static dm_status check(work *w, const dm_system *s, const double *q, dm_message *msg) {
  int nd = w->k->nd, nc = w->k->nc, least = nd < nc ? nd : nc;
  dm_status status = evaluate(w, q);
  if (status != DM_OK) return dm_fail(msg, status, "constraints: %s", dm_status_text(status));
  memset(w->pivot, 0, (size_t)nc * sizeof *w->pivot);
  if (nd > 0)
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, nd, nc, w->D, nd, w->pivot, w->tau, w->lapack, w->room);
  int rank = 0;
  while (rank < least && fabs(w->D[rank * nd + rank]) > 1e-10 * fabs(w->D[0])) rank++;
  if (rank == nc) return DM_OK;
  int c = nd > 0 ? w->pivot[rank] - 1 : 0;
  bool off = fabs(w->k->h[c]) > 1e-8;
  return dm_fail(msg, DM_SINGULAR,
                 "constraint '%s' %s the others: %d of %d are independent at the start",
                 row_name(&s->hol, c), off ? "contradicts" : "repeats what follows from", rank, nc);
}

dm_status dm_assemble_check(const dm_system *s, const double *q, dm_message *msg) {
  work *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(work_new(&w, s, msg));
  dm_status status = check(w, s, q, msg);
  work_free(w);
  return status;
}

static double largest(const dm_saddle *k, int *worst) {
  double most = -1;
  for (int c = 0; c < k->nc; c++)
    if (fabs(k->h[c]) > most) most = fabs(k->h[c]), *worst = c;
  return most;
}

// the least dq with Dh dq = -h, into b
static void least_step(work *w) {
  const dm_saddle *k = w->k;
  int nd = k->nd, nc = k->nc, most = nd > nc ? nd : nc, rank;
  memset(w->b, 0, (size_t)most * sizeof *w->b);
  for (int c = 0; c < nc; c++) w->b[c] = -k->h[c];
  // the rows of Dh are D's columns: a row-major matrix [nc x nd]; LAPACK's columns are its
  // transpose
  for (int i = 0; i < nd; i++)
    for (int c = 0; c < nc; c++) w->D[i * nc + c] = k->Dh1[c * k->n + k->dyn[i]];
  LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, nc, nd, 1, w->D, nc, w->b, most, w->singular, 1e-12, &rank,
                      w->lapack, w->room, w->ilapack);
}

static dm_status project(work *w, const dm_system *s, const double *q, dm_message *msg) {
  enum { MAX_ITER = 100, HALVINGS = 20 };
  dm_saddle *k = w->k;
  int worst = 0;
  memcpy(w->q, q, (size_t)k->n * sizeof *q);
  dm_status status = evaluate(w, w->q);
  if (status != DM_OK) return dm_fail(msg, status, "constraints: %s", dm_status_text(status));
  double off = largest(k, &worst);
  for (int iter = 0; iter < MAX_ITER && off > 1e-14; iter++) {
    least_step(w);
    double before = off, t = 1;
    for (int i = 0; i < HALVINGS; i++, t /= 2) {
      for (int a = 0; a < k->nd; a++) w->q[k->dyn[a]] += (i == 0 ? t : -t) * w->b[a];
      status = evaluate(w, w->q);
      off = status == DM_OK ? largest(k, &worst) : INFINITY;
      if (off < before) break;
    }
    if (off < before) continue;
    for (int a = 0; a < k->nd; a++) w->q[k->dyn[a]] -= 2 * t * w->b[a];
    DM_TRY(evaluate(w, w->q));
    off = largest(k, &worst);
    break;
  }
  if (off <= 1e-12) return DM_OK;
  return dm_fail(msg, DM_INFEASIBLE, "constraint '%s' cannot be met near the start: off by %.3g",
                 row_name(&s->hol, worst), off);
}

dm_status dm_assemble_project(const dm_system *s, double *q, dm_message *msg) {
  work *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(work_new(&w, s, msg));
  dm_status status = project(w, s, q, msg);
  if (status == DM_OK) memcpy(q, w->q, (size_t)s->L.nq * sizeof *q);
  work_free(w);
  return status;
}

dm_status dm_assemble_velocity(const dm_system *s, const double *q, double *v, dm_message *msg) {
  work *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(work_new(&w, s, msg));
  dm_saddle *k = w->k;
  dm_status status = evaluate(w, q);
  if (status == DM_OK) {
    for (int c = 0; c < k->nc; c++) {
      k->h[c] = 0;
      for (int i = 0; i < k->n; i++) k->h[c] += k->Dh1[c * k->n + i] * v[i];
    }
    least_step(w);
    for (int a = 0; a < k->nd; a++) v[k->dyn[a]] += w->b[a];
  } else {
    dm_fail(msg, status, "constraints: %s", dm_status_text(status));
  }
  work_free(w);
  return status;
}
