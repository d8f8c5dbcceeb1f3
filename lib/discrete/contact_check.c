#include "lib/discrete/contact_check.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

static const double EDGE = 1e-6; // a smaller member of a pair is one of rounding

const char *const dm_contact_faults[DM_CONTACT_FAULTS] = {
    [DM_CONTACT_PASSED] = "is passed",
    [DM_CONTACT_PULLS] = "pulls",
    [DM_CONTACT_FAR] = "pushes without touching",
    [DM_CONTACT_BEYOND] = "has more friction than its bound",
    [DM_CONTACT_DRIVES] = "has friction that is not against the motion",
    [DM_CONTACT_SLIPS] = "slides with less friction than its bound"};

typedef struct checker {
  const dm_trajectory *x;
  const dm_contact_laws *laws;
  int n, nr;
  double impulse, length, slid; // scales, for lengths
  double *r, *Dr;               // at a knot [nr], [nr x n]
  double *change;               // r' - r of the step after it [nr]
  void *scratch;
  dm_contact_verdict *out;
} checker;

static void lay_out_checker(void *self, dm_block *b) {
  checker *w = self;
  const size_t n = (size_t)w->n, nr = (size_t)w->nr;
  w->r = dm_block_alloc(b, nr, sizeof(double));
  w->change = dm_block_alloc(b, nr, sizeof(double));
  w->Dr = dm_block_alloc(b, nr * n, sizeof(double));
  w->scratch = dm_block_alloc(b, w->laws->rows.scratch, 1);
}

// keep the largest fault
static void note(checker *w, int k, int l, dm_contact_fault fault, double size) {
  if (size <= w->out->worst) return;
  w->out->worst = isnan(size) ? INFINITY : size;
  w->out->fault = fault;
  w->out->law = l;
  w->out->knot = k;
}

// Is the first member of a pair not larger than the second? Equal ones, also after rounding, are noted.
static bool is_first_zero(checker *w, int k, int l, double first, double second) {
  if (!(first <= EDGE && second <= EDGE)) return first <= second;
  w->out->edges++;
  w->out->edge_law = l;
  w->out->edge_knot = k;
  return true;
}

// r at knot k, and its change in the step after it
static dm_status place(checker *w, int k) {
  const dm_holonomic *rows = &w->laws->rows;
  const double *q = w->x->q + k * w->n, *v = w->x->v + k * w->n;
  if (k < w->x->N) {
    DM_TRY(rows->eval(rows->self, w->scratch, q, w->r, NULL));
    DM_TRY(rows->eval(rows->self, w->scratch, q + w->n, w->change, NULL));
    for (int r = 0; r < w->nr; r++) w->change[r] -= w->r[r];
    return dm_contact_laws_slide(w->laws, w->scratch, q, q + w->n, w->change, NULL, NULL);
  }

  // one more step at the end's velocity
  DM_TRY(rows->eval(rows->self, w->scratch, q, w->r, w->Dr));
  for (int r = 0; r < w->nr; r++) {
    w->change[r] = 0;
    for (int i = 0; i < w->n; i++) w->change[r] += w->x->h * w->Dr[r * w->n + i] * v[i];
  }
  return DM_OK;
}

// law l at knot k; returns its entry
static unsigned char check_law(checker *w, int k, int l) {
  const dm_contact_law *law = &w->laws->law[l];
  const double *F = w->x->contact + k * w->nr;
  const double way = law->angle ? 1 : w->length, slid = w->slid * way / w->length;
  const double most = (law->force + law->excess) * w->x->h;
  const double unit = law->gap < 0 ? most : w->impulse * w->length / way;
  double friction = 0, sliding = 0, power = 0, bound = 0, at[3];
  bool open = false;
  for (int t = 0; t < law->tangents; t++) friction = hypot(friction, F[law->tangent[t]]);
  if (law->gap < 0) {
    dm_contact_law_bound(law, w->change[law->tangent[0]] / w->x->h, at);
    bound = at[0] * w->x->h * dm_contact_share(k, w->x->N);
  }
  if (law->gap >= 0) {
    const double gap = w->r[law->gap] + w->change[law->gap], c = F[law->gap];
    bound += law->friction * c;
    note(w, k, l, DM_CONTACT_PASSED, -fmin(gap, k > 0 ? gap : w->r[law->gap]) / way);
    note(w, k, l, DM_CONTACT_PULLS, -c / unit);
    note(w, k, l, DM_CONTACT_FAR, fmax(c, 0) / unit * fmax(gap, 0) / way);
    open = is_first_zero(w, k, l, c / unit, gap / way);
  }
  note(w, k, l, DM_CONTACT_BEYOND, (friction - bound) / unit);
  if (open) return DM_LAW_OPEN;

  // friction opposite to the motion, and at its bound if the contact slides
  for (int t = 0; t < law->tangents; t++) {
    sliding = hypot(sliding, w->change[law->tangent[t]]);
    power += F[law->tangent[t]] * w->change[law->tangent[t]];
  }
  note(w, k, l, DM_CONTACT_DRIVES, (friction * sliding + power) / (unit * slid));
  note(w, k, l, DM_CONTACT_SLIPS, fmax(bound - friction, 0) * sliding / (unit * slid));
  if (law->tangents && !is_first_zero(w, k, l, sliding / slid, (bound - friction) / unit))
    return dm_contact_sliding(law, F, w->change[law->tangent[0]]);
  return DM_LAW_STICKS;
}

dm_status dm_contact_check(const dm_trajectory *x, const dm_system *s, unsigned char *entry,
                           dm_contact_verdict *out) {
  const dm_contact_laws *laws = s->contacts;
  const double extent = dm_system_length(s, x->q), length = extent > 0 ? extent : 1;
  const double T = x->N * x->h, g = laws->gravity > 0 ? laws->gravity : length / (T * T);
  checker sizes = {.x = x,
                   .laws = laws,
                   .n = x->n,
                   .nr = x->nr,
                   .length = length,
                   .impulse = (laws->mass > 0 ? laws->mass : 1) * g * x->h,
                   .slid = x->h * sqrt(length * g),
                   .out = out};
  checker *w = dm_block_make(&sizes, sizeof sizes, lay_out_checker);
  *out = (dm_contact_verdict){.edge_law = -1, .edge_knot = -1};
  if (!w) return DM_NO_MEMORY;
  dm_status status = DM_OK;
  for (int k = 0; k <= x->N && status == DM_OK; k++) {
    unsigned char *at = entry + k * laws->n;
    status = place(w, k);
    for (int l = 0; l < laws->n && status == DM_OK; l++) {
      at[l] = check_law(w, k, l);
      out->changes += k > 0 && at[l] != at[l - laws->n];
    }
  }
  dm_block_free(w);
  return status;
}
