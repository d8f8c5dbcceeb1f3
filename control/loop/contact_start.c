#include "control/loop/contact_start.h"

#include "lib/base/block.h"
#include "lib/discrete/assembly.h"

#include <math.h>
#include <string.h>

// A gap that counts as closed, or as violated, relative to the robot's length.
static const double CLOSED = 1e-6, VIOLATED = 1e-9;

// The constraints of a system, and chosen gaps as further ones.
typedef struct chosen_gaps {
  const dm_system *s;
  const dm_contact_laws *laws;
  int n, nr, chosen;
  size_t room; // bytes of scratch before r, Dr
  int *row;    // [laws] the chosen gaps
  bool *is;    // [laws]
  double *r;   // [nr]
  void *scratch;
} chosen_gaps;

static void lay_out_gaps(void *self, dm_block *b) {
  chosen_gaps *w = self;
  w->row = dm_block_alloc(b, (size_t)w->laws->n, sizeof *w->row);
  w->is = dm_block_alloc(b, (size_t)w->laws->n, sizeof *w->is);
  w->r = dm_block_alloc(b, (size_t)w->nr, sizeof *w->r);
  w->scratch = dm_block_alloc(b, w->laws->rows.scratch, 1);
}

static dm_status eval_chosen(const void *self, void *scratch, const double *q, double *h,
                             double *Dh) {
  const chosen_gaps *w = self;
  const dm_holonomic *hol = &w->s->hol, *rows = &w->laws->rows;
  double *r = (double *)(void *)((char *)scratch + w->room), *Dr = r + w->nr;
  if (hol->nc) DM_TRY(hol->eval(hol->self, scratch, q, h, Dh));
  DM_TRY(rows->eval(rows->self, scratch, q, r, Dh ? Dr : NULL));
  for (int i = 0; i < w->chosen; i++) {
    const size_t at = (size_t)(hol->nc + i), n = (size_t)w->n;
    h[at] = r[w->row[i]];
    if (Dh) memcpy(Dh + at * n, Dr + (size_t)w->row[i] * n, n * sizeof *Dh);
  }
  return DM_OK;
}

// Add the gaps that are at most `below` of the robot's length at q. Returns their number.
static int choose_gaps(chosen_gaps *w, const double *q, double below, dm_status *s) {
  const double extent = dm_system_length(w->s, q), length = extent > 0 ? extent : 1;
  int more = 0;
  *s = w->laws->rows.eval(w->laws->rows.self, w->scratch, q, w->r, NULL);
  for (int l = 0; *s == DM_OK && l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    if (law->gap < 0 || w->is[l]) continue;
    const double gap = w->r[law->gap] / (law->angle ? 1 : length);
    if (!(gap <= below)) continue;
    w->is[l] = true;
    w->row[w->chosen++] = law->gap;
    more++;
  }
  return more;
}

dm_status fb_contact_start(const dm_system *s, const double *from, double *q, double *v) {
  const dm_contact_laws *laws = s->contacts;
  const size_t most = s->hol.scratch > laws->rows.scratch ? s->hol.scratch : laws->rows.scratch;
  chosen_gaps sizes = {
      .s = s, .laws = laws, .n = s->L.nq, .nr = laws->rows.nc, .room = (most + 63) & ~(size_t)63};
  chosen_gaps *w = dm_block_make(&sizes, sizeof sizes, lay_out_gaps);
  if (!w) return DM_NO_MEMORY;

  // closed gaps stay closed; each round closes those that the last one violated
  dm_status status = DM_OK;
  dm_system held = *s;
  held.hol =
      (dm_holonomic){.self = w,
                     .eval = eval_chosen,
                     .scratch = w->room + (size_t)w->nr * (1 + (size_t)w->n) * sizeof(double)};
  if (from) choose_gaps(w, from, CLOSED, &status);
  while (status == DM_OK) {
    held.hol.nc = s->hol.nc + w->chosen;
    status = dm_assembly_project(&held, q, NULL);
    if (status != DM_OK || !choose_gaps(w, q, -VIOLATED, &status)) break;
  }
  if (status == DM_OK && v) status = dm_assembly_velocity(&held, q, v, NULL);
  dm_block_free(w);
  return status;
}
