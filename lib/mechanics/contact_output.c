#include "lib/mechanics/contact_output.h"

#include "lib/mechanics/contact_laws.h"

#include <math.h>
#include <string.h>

// -- at a knot of a motion

dm_contact_knot dm_contact_knot_of(const double *impulse, int nr, int k, int N, double h) {
  const double *at = impulse + (size_t)k * (size_t)nr;
  return (dm_contact_knot){.impulse = at,
                           .next = k < N ? at + nr : NULL,
                           .time = h * dm_contact_share(k, N),
                           .next_time = h * dm_contact_share(k + 1, N),
                           .h = h};
}

static double find_term(const dm_output_term *t, const dm_contact_knot *at) {
  const double F = t->weight * at->impulse[t->input], force = F / at->time;
  if (t->kind == DM_TERM_CONTACT_IMPULSE) return F;
  if (t->kind == DM_TERM_CONTACT_FORCE) return force;
  return at->next ? (t->weight * at->next[t->input] / at->next_time - force) / at->h : NAN;
}

void dm_contact_outputs_now(const dm_output_map *m, const dm_contact_knot *at, double *y) {
  for (int i = 0; i < m->ny; i++) {
    if (!dm_output_map_is_contact(m, i)) continue;
    y[i] = 0;
    for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++)
      y[i] += find_term(t, at);
  }
}

// -- as a function of z

dm_contact_outputs dm_contact_outputs_of(const dm_output_map *y, int nr) {
  dm_contact_outputs w = {.y = y, .nr = nr};
  for (int i = 0; i < y->ny; i++) w.rates = w.rates || dm_output_map_is_contact_rate(y, i);
  return w;
}

// weight (z_plus - z_minus) / the product of z_time
typedef struct quotient {
  double weight;
  int plus, minus, times, time[2];
} quotient;

// the quotients of a term; returns their number
static int list_quotients(const dm_contact_outputs *w, const dm_output_term *t, quotient of[2]) {
  const int nr = w->nr, time = dm_contact_outputs_entries(w) - 1;
  of[0] = (quotient){.weight = t->weight, .plus = t->input, .minus = nr + t->input};
  if (t->kind == DM_TERM_CONTACT_IMPULSE) return 1;
  of[0].times = 1;
  of[0].time[0] = time;
  if (t->kind == DM_TERM_CONTACT_FORCE) return 1;
  of[0].weight = -t->weight;
  of[0].times = 2;
  of[0].time[1] = time - 1;
  of[1] = (quotient){.weight = t->weight,
                     .plus = 2 * nr + t->input,
                     .minus = 3 * nr + t->input,
                     .times = 2,
                     .time = {time - 2, time - 1}};
  return 2;
}

// weight over the product of times
static double find_slope(const quotient *f, const double *z) {
  double slope = f->weight;
  for (int i = 0; i < f->times; i++) slope /= z[f->time[i]];
  return slope;
}

static void add_slopes(const quotient *f, const double *z, double slope, double *by_z) {
  const double value = slope * (z[f->plus] - z[f->minus]);
  by_z[f->plus] += slope;
  by_z[f->minus] -= slope;
  for (int i = 0; i < f->times; i++) by_z[f->time[i]] -= value / z[f->time[i]];
}

static dm_status eval_contact(const void *self, void *scratch, const double *z, double *y,
                              double *y_z) {
  const dm_contact_outputs *w = self;
  const dm_output_map *m = w->y;
  const int nz = dm_contact_outputs_entries(w);
  (void)scratch;
  for (int i = 0; i < m->ny; i++) {
    if (!dm_output_map_is_contact(m, i)) continue;
    double *by_z = y_z ? y_z + i * nz : NULL;
    if (by_z) memset(by_z, 0, (size_t)nz * sizeof *by_z);
    y[i] = 0;
    for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++) {
      quotient of[2];
      const int n = list_quotients(w, t, of);
      for (int j = 0; j < n; j++) {
        const double slope = find_slope(&of[j], z);
        y[i] += slope * (z[of[j].plus] - z[of[j].minus]);
        if (by_z) add_slopes(&of[j], z, slope, by_z);
      }
    }
  }
  return DM_OK;
}

// by an impulse and a time, by two times, and by one twice
static void add_curvature(const quotient *f, const double *z, double slope, int nz, double *H) {
  const double value = slope * (z[f->plus] - z[f->minus]);
  for (int i = 0; i < f->times; i++) {
    const int t = f->time[i];
    H[t * nz + f->plus] -= slope / z[t];
    H[f->plus * nz + t] -= slope / z[t];
    H[t * nz + f->minus] += slope / z[t];
    H[f->minus * nz + t] += slope / z[t];
    for (int j = 0; j < f->times; j++)
      H[t * nz + f->time[j]] += (i == j ? 2 : 1) * value / (z[t] * z[f->time[j]]);
  }
}

static dm_status contract_contact(const void *self, void *scratch, const double *z,
                                  const double *lambda, double *H) {
  const dm_contact_outputs *w = self;
  const dm_output_map *m = w->y;
  const int nz = dm_contact_outputs_entries(w);
  (void)scratch;
  for (int i = 0; i < m->ny; i++) {
    if (lambda[i] == 0 || !dm_output_map_is_contact(m, i)) continue;
    for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++) {
      quotient of[2];
      const int n = list_quotients(w, t, of);
      for (int j = 0; j < n; j++)
        add_curvature(&of[j], z, lambda[i] * find_slope(&of[j], z), nz, H);
    }
  }
  return DM_OK;
}

static bool is_time(const quotient *f, int a) {
  for (int i = 0; i < f->times; i++)
    if (f->time[i] == a) return true;
  return false;
}

static bool has_entry(const quotient *f, int a) {
  return a == f->plus || a == f->minus || is_time(f, a);
}

// do both entries move one quotient of row i, with b < 0 for a alone; of two entries, is one a time?
static bool meets_contact(const dm_contact_outputs *w, int i, int a, int b) {
  const dm_output_map *m = w->y;
  if (!dm_output_map_is_contact(m, i)) return false;
  for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++) {
    quotient of[2];
    const int n = list_quotients(w, t, of);
    for (int j = 0; j < n; j++)
      if (has_entry(&of[j], a) &&
          (b < 0 || (has_entry(&of[j], b) && (is_time(&of[j], a) || is_time(&of[j], b)))))
        return true;
  }
  return false;
}

static bool moves_contact(const void *self, int i, int a) {
  return meets_contact(self, i, a, -1);
}

static bool couples_contact(const void *self, int i, int a, int b) {
  return meets_contact(self, i, a, b);
}

static const char *name_contact(const void *self, int row) {
  const dm_contact_outputs *w = self;
  return dm_output_map_name(w->y, row);
}

dm_function dm_contact_outputs_function(const dm_contact_outputs *self) {
  return (dm_function){.ny = self->y->ny,
                       .size = {[DM_U] = dm_contact_outputs_entries(self) - 1, [DM_STEP] = 1},
                       .self = self,
                       .eval = eval_contact,
                       .contract = contract_contact,
                       .moves = moves_contact,
                       .couples = couples_contact,
                       .row_name = name_contact};
}
