#include "lib/mechanics/contact_output.h"

#include <string.h>

// w of a term, over h if it is a force
static double find_factor(const dm_output_term *t, double h) {
  return t->kind == DM_TERM_CONTACT_FORCE ? t->weight / h : t->weight;
}

void dm_contact_outputs_now(const dm_output_map *m, const double *F, double h, double *y) {
  for (int i = 0; i < m->ny; i++) {
    if (!dm_output_map_is_contact(m, i)) continue;
    y[i] = 0;
    for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++)
      y[i] += find_factor(t, h) * F[t->input];
  }
}

// -- as a function of z

// F of the row of a term
static double find_impulse(const dm_contact_outputs *w, const dm_output_term *t, const double *z) {
  return z[t->input] - z[w->nr + t->input];
}

static dm_status eval_contact(const void *self, void *scratch, const double *z, double *y,
                              double *y_z) {
  const dm_contact_outputs *w = self;
  const dm_output_map *m = w->y;
  const int nz = 2 * w->nr + 1, at_h = nz - 1;
  (void)scratch;
  for (int i = 0; i < m->ny; i++) {
    if (!dm_output_map_is_contact(m, i)) continue;
    double *by_z = y_z ? y_z + i * nz : NULL;
    if (by_z) memset(by_z, 0, (size_t)nz * sizeof *by_z);
    y[i] = 0;
    for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++) {
      const double factor = find_factor(t, z[at_h]), F = find_impulse(w, t, z);
      y[i] += factor * F;
      if (!by_z) continue;
      by_z[t->input] += factor;
      by_z[w->nr + t->input] -= factor;
      if (t->kind == DM_TERM_CONTACT_FORCE) by_z[at_h] -= factor * F / z[at_h];
    }
  }
  return DM_OK;
}

// (w F/h)'': by F and h, and by h twice
static dm_status contract_contact(const void *self, void *scratch, const double *z,
                                  const double *lambda, double *H) {
  const dm_contact_outputs *w = self;
  const dm_output_map *m = w->y;
  const int nz = 2 * w->nr + 1, at_h = nz - 1;
  const double h = z[at_h];
  (void)scratch;
  for (int i = 0; i < m->ny; i++) {
    if (lambda[i] == 0 || !dm_output_map_is_contact(m, i)) continue;
    for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++) {
      if (t->kind != DM_TERM_CONTACT_FORCE) continue;
      const double slope = lambda[i] * t->weight / (h * h);
      const int halves[] = {t->input, w->nr + t->input};
      for (int half = 0; half < 2; half++) {
        H[at_h * nz + halves[half]] += half ? slope : -slope;
        H[halves[half] * nz + at_h] += half ? slope : -slope;
      }
      H[at_h * nz + at_h] += 2 * slope * find_impulse(w, t, z) / h;
    }
  }
  return DM_OK;
}

static bool moves_contact(const void *self, int i, int a) {
  const dm_contact_outputs *w = self;
  const dm_output_map *m = w->y;
  if (!dm_output_map_is_contact(m, i)) return false;
  for (const dm_output_term *t = m->term + m->first[i]; t < m->term + m->first[i + 1]; t++)
    if (a == 2 * w->nr ? t->kind == DM_TERM_CONTACT_FORCE : a % w->nr == t->input) return true;
  return false;
}

static bool couples_contact(const void *self, int i, int a, int b) {
  const dm_contact_outputs *w = self;
  const int at_h = 2 * w->nr;
  return (a == at_h || b == at_h) && moves_contact(self, i, at_h) && moves_contact(self, i, a) &&
         moves_contact(self, i, b);
}

static const char *name_contact(const void *self, int row) {
  const dm_contact_outputs *w = self;
  return dm_output_map_name(w->y, row);
}

dm_function dm_contact_outputs_function(const dm_contact_outputs *self) {
  return (dm_function){.ny = self->y->ny,
                       .size = {[DM_U] = 2 * self->nr, [DM_STEP] = 1},
                       .self = self,
                       .eval = eval_contact,
                       .contract = contract_contact,
                       .moves = moves_contact,
                       .couples = couples_contact,
                       .row_name = name_contact};
}
