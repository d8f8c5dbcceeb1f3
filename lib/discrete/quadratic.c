#include "lib/discrete/quadratic.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

enum { PLACES = 4 };

typedef struct places {
  double *q, *v, *unit; // a place; multipliers that pick one constraint
  double *H, *H0;       // second derivatives of a constraint, here and in the first place
  double *M0, *K0;      // those of L in the first place
  dm_jet jet;
  void *L_scratch, *hol_scratch;
} places;

// second derivatives here and in the first place, of L and of each constraint
static void lay_out_places(places *w, dm_block *b, const dm_system *s) {
  size_t n = (size_t)s->L.nq, nc = (size_t)s->hol.nc;
  double **vectors[] = {&w->q, &w->v, &w->jet.L_q, &w->jet.L_v};
  double **squares[] = {&w->M0, &w->K0, &w->H, &w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
    *squares[i] = dm_block_alloc(b, n * n, sizeof(double));
  w->unit = dm_block_alloc(b, nc, sizeof(double));
  w->H0 = dm_block_alloc(b, nc * n * n, sizeof(double));
  w->L_scratch = dm_block_alloc(b, s->L.scratch, 1);
  w->hol_scratch = dm_block_alloc(b, s->hol.scratch, 1);
}

// whether b is a but for rounding; the first place is kept in a
static bool stays_constant(int place, int n, double *a, const double *b) {
  double size = 0, off = 0;

  // the first place is what others are compared with
  if (!place) memcpy(a, b, (size_t)n * sizeof *a);
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(a[i]));
    off = fmax(off, fabs(a[i] - b[i]));
  }
  return off <= 1e-11 * size;
}

// Constraint c in one place: is D2h_c what it was in the first?
static dm_status compare_constraint(places *w, const dm_system *s, int place, int c,
                                    dm_message *msg) {
  const int n = s->L.nq, nn = n * n, nc = s->hol.nc;
  memset(w->H, 0, (size_t)nn * sizeof(double));

  // D2h_c by the contraction with a unit multiplier
  memset(w->unit, 0, (size_t)nc * sizeof *w->unit);
  w->unit[c] = 1;
  DM_TRY(s->hol.contract(s->hol.self, w->hol_scratch, w->q, w->unit, w->H));

  if (stays_constant(place, nn, w->H0 + c * nn, w->H)) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT,
                 "energy-momentum: found constraint %s, which is not quadratic, expected "
                 "constraints such as distances of particles",
                 s->hol.row_name ? s->hol.row_name(s->hol.self, c) : "?");
}

// L_vv, L_qq and each D2h_c in a few places: all constant?
static dm_status compare_places(places *w, const dm_system *s, dm_message *msg) {
  const int n = s->L.nq, nn = n * n, nc = s->hol.nc;
  for (int place = 0; place < PLACES; place++) {
    // anywhere that no symmetry singles out
    for (int i = 0; i < n; i++) {
      w->q[i] = sin(1 + i + 17 * place);
      w->v[i] = cos(2 + 3 * i + 11 * place);
    }
    DM_TRY(s->L.eval(s->L.self, w->L_scratch, 2, w->q, w->v, &w->jet));

    // M, then K, then C_i
    if (!stays_constant(place, nn, w->M0, w->jet.L_vv))
      return dm_fail(msg, DM_BAD_INPUT,
                     "energy-momentum: found a mass matrix that changes with the configuration, "
                     "expected a constant one, such as that of particles");
    if (!stays_constant(place, nn, w->K0, w->jet.L_qq))
      return dm_fail(msg, DM_BAD_INPUT,
                     "energy-momentum: found a potential energy that is not quadratic, expected "
                     "weight and springs without a length of rest");
    for (int c = 0; c < nc; c++) DM_TRY(compare_constraint(w, s, place, c, msg));
  }
  return DM_OK;
}

dm_status dm_quadratic_check(const dm_system *s, dm_message *msg) {
  places w = {0};
  dm_block block = {0};

  // count, allocate, lay out
  lay_out_places(&w, &block, s);
  DM_TRY(dm_block_new(&block));
  lay_out_places(&w, &block, s);
  dm_status status = compare_places(&w, s, msg);
  dm_block_free(block.base);
  return status;
}
