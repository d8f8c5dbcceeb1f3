#include "optim/rows/contact_cone.h"
#include "optim/rows/contact_rows.h"

#include <math.h>

static const double CREEPS = 0.1; // of the largest movement of contacts that should stick
static const double APART =
    1e-6; // of a gap's unit: a closed gap that stays wider could not be closed
static const double SMALL = 1e-6; // of an unknown, and of its price relative to the objective

static double in_units(const oc_contacts *c, const double *z, int i) {
  return z[i] / c->unit[i];
}

// the directions whose impulse is larger than the distance slid against it
static unsigned char find_directions(const oc_contacts *c, int l, const double *z) {
  const oc_contact_place *p = &c->place[l];
  const bool round = c->round && has_cone(&c->laws->law[l]);
  unsigned char bits = 0;
  for (int d = 0; d < 2 * c->laws->law[l].tangents; d++)
    if (in_units(c, z, p->t[d]) > (round ? 0 : in_units(c, z, p->w[d])))
      bits |= (unsigned char)(1 << d);
  return bits;
}

void oc_contact_rows_read(oc_transcription *t, const double *x) {
  oc_contacts *c = t->contact;
  for (int at = 0; c && at < c->knots * c->laws->n; at++) {
    const int k = at / c->laws->n, l = at % c->laws->n;
    const oc_contact_place *p = &c->place[l];
    const double *z = x + oc_transcription_contact(t, k);
    c->state[at] = DM_LAW_STICKS;
    if (p->slide >= 0 && in_units(c, z, p->left) <= in_units(c, z, p->slide))
      c->state[at] = DM_LAW_SLIDES;
    if (p->c >= 0 && in_units(c, z, p->c) <= in_units(c, z, p->gap)) c->state[at] = DM_LAW_OPEN;
    c->against[at] = find_directions(c, l, z);
  }
}

bool oc_contact_rows_take_given(oc_transcription *t) {
  oc_contacts *c = t->contact;
  if (!c->laws->schedule) return false;
  for (int at = 0; at < c->knots * c->laws->n; at++) {
    const int k = at / c->laws->n, l = at % c->laws->n;
    const unsigned char entry = dm_contact_schedule_at(c->laws, k, t->N)[l];
    c->state[at] = DM_LAW_STATE(entry);
    // friction of one that sticks may act in any direction
    const bool sticks = DM_LAW_STATE(entry) == DM_LAW_STICKS;
    c->against[at] = (unsigned char)(sticks ? 15 : DM_LAW_ACTS_IN(entry));
  }
  return true;
}

static void fix_at_zero(oc_transcription *t, int x) {
  t->x_min[x] = t->x_max[x] = 0;
}

// the tangents of law l at knot k
static void fix_tangents(oc_transcription *t, int k, int l) {
  const oc_contacts *c = t->contact;
  const oc_contact_place *p = &c->place[l];
  const int z = oc_transcription_contact(t, k), row = oc_rows_at(t, OC_CONTACT_ROWS, k);
  const int state = c->state[k * c->laws->n + l];
  const unsigned against = c->against[k * c->laws->n + l];
  if (has_cone(&c->laws->law[l])) {
    oc_contact_cone_fix(t, k, l);
    return;
  }
  if (state != DM_LAW_SLIDES) fix_at_zero(t, z + p->slide);
  if (state != DM_LAW_STICKS) fix_at_zero(t, z + p->left);
  if (state == DM_LAW_OPEN) oc_row_free(t, row + p->left);
  for (int d = 0; d < 2 * c->laws->law[l].tangents; d++) {
    const bool acts = against >> d & 1;
    if (state == DM_LAW_OPEN) {
      // no impulse; how far it slides is of no interest
      fix_at_zero(t, z + p->t[d]);
      fix_at_zero(t, z + p->w[d]);
      oc_row_free(t, row + p->w[d]);
    } else if (state == DM_LAW_STICKS) {
      // no distance, said once; and an impulse in one direction
      fix_at_zero(t, z + p->w[d]);
      if (d % 2) oc_row_free(t, row + p->w[d]);
      const unsigned both = against >> (d - d % 2) & 3;
      if (!acts && (both || d % 2)) fix_at_zero(t, z + p->t[d]);
    } else {
      fix_at_zero(t, z + (acts ? p->w[d] : p->t[d]));
    }
  }
}

// Free a row whose unknowns are all given, as in the last evaluation, if its value [of its size] is zero.
static void free_given_row(oc_transcription *t, int k, int row, int r, int own, double value,
                           double size) {
  const oc_contacts *c = t->contact;
  const int q = oc_transcription_q(t, k < t->N ? k + 1 : k);
  if (!oc_is_given(t, own) || fabs(value) > 1e-9 * size) return;
  for (int i = 0; i < t->n; i++) {
    if (!c->laws->rows.mask[r * t->n + i]) continue;
    if (!oc_is_given(t, q + i)) return;
    if (k == t->N && !oc_is_given(t, t->v[1] + i)) return;
  }
  oc_row_free(t, row);
}

void oc_contact_rows_fix(oc_transcription *t) {
  oc_contacts *c = t->contact;
  oc_contact_pairs_open(t, INFINITY);
  if (c) c->round = true;
  for (int k = 0; c && k <= t->N; k++)
    for (int l = 0; l < c->laws->n; l++) {
      const oc_contact_place *p = &c->place[l];
      const dm_contact_law *law = &c->laws->law[l];
      const int z = oc_transcription_contact(t, k), row = oc_rows_at(t, OC_CONTACT_ROWS, k);
      const bool open = c->state[k * c->laws->n + l] == DM_LAW_OPEN;
      if (p->c >= 0) {
        const double next =
            c->r[k * c->nr + law->gap] + oc_contact_change(t, t->x_min, k, law->gap);
        fix_at_zero(t, z + (open ? p->c : p->gap));
        free_given_row(t, k, row + p->gap, law->gap, z + p->gap, next, c->unit[p->gap]);
      }
      if (p->slide < 0) continue;
      fix_tangents(t, k, l);
      for (int d = 0; k == t->N && d < 2 * law->tangents; d++)
        if (oc_is_given(t, z + p->slide))
          free_given_row(t, k, row + p->w[d], law->tangent[d / 2], z + p->w[d],
                         oc_contact_change(t, t->x_min, k, law->tangent[d / 2]), c->unit[p->w[d]]);
    }
}

// Is unknown i of knot k, which may move, pressed against zero: would the objective fall by a share of its size if the
// unknown passed it by its unit?
static bool is_pressed(const oc_transcription *t, const oc_point *at, double objective, int k,
                       int i) {
  const oc_contacts *c = t->contact;
  const int x = oc_transcription_contact(t, k) + i;
  if (i < 0 || oc_is_given(t, x)) return false;
  return at->x[x] < SMALL * c->unit[i] && at->z_l[x] * c->unit[i] > SMALL * fabs(objective);
}

int oc_contact_rows_flip(oc_transcription *t, const oc_point *at, double objective) {
  oc_contacts *c = t->contact;
  int flips = 0;
  for (int i = 0; c && i < c->knots * c->laws->n; i++) {
    const int k = i / c->laws->n, l = i % c->laws->n;
    const oc_contact_place *p = &c->place[l];
    const unsigned char before = c->state[i];
    // a gap that closes or opens; a contact that begins or ends to slide
    if (before == DM_LAW_OPEN) {
      if (is_pressed(t, at, objective, k, p->gap)) c->state[i] = DM_LAW_STICKS;
    } else if (is_pressed(t, at, objective, k, p->c)) {
      c->state[i] = DM_LAW_OPEN;
    } else if (before == DM_LAW_STICKS) {
      if (is_pressed(t, at, objective, k, p->left)) c->state[i] = DM_LAW_SLIDES;
    } else if (is_pressed(t, at, objective, k, p->slide)) {
      c->state[i] = DM_LAW_STICKS;
    }
    flips += c->state[i] != before;
    // a sticking contact whose impulse changes its direction
    const bool signs = before == DM_LAW_STICKS && !has_cone(&c->laws->law[l]);
    const int directions = signs ? 2 * c->laws->law[l].tangents : 0;
    for (int d = 0; d < directions; d++)
      if (is_pressed(t, at, objective, k, p->t[d])) {
        c->against[i] ^= (unsigned char)(3 << (d - d % 2));
        flips++;
      }
  }
  if (flips) oc_contact_rows_fix(t);
  return flips;
}

// How far law l, which should stick along one tangent, moves at knot k, in its unit; 0 for another one.
static double find_creep(const oc_transcription *t, const double *x, int k, int l) {
  const oc_contacts *c = t->contact;
  const dm_contact_law *law = &c->laws->law[l];
  if (law->tangents != 1 || has_cone(law) || c->state[k * c->laws->n + l] != DM_LAW_STICKS)
    return 0;
  return oc_contact_change(t, x, k, law->tangent[0]) / c->unit[c->place[l].slide];
}

// Is law l open at a knot beside k?
static bool is_edge(const oc_contacts *c, int k, int l) {
  const unsigned char *state = c->state + k * c->laws->n + l;
  return (k > 0 && state[-c->laws->n] == DM_LAW_OPEN) ||
         (k + 1 < c->knots && state[c->laws->n] == DM_LAW_OPEN);
}

int oc_contact_rows_part(oc_transcription *t, const double *x) {
  oc_contacts *c = t->contact;
  const int laws = c->laws->n;
  double widest = APART;
  int at = -1;
  for (int i = 0; i < c->knots * laws; i++) {
    const int k = i / laws, l = i % laws, r = c->laws->law[l].gap;
    if (r < 0 || c->state[i] == DM_LAW_OPEN || !is_edge(c, k, l)) continue;
    const double gap = c->r[k * c->nr + r] + oc_contact_change(t, x, k, r);
    if (gap <= widest * c->unit[c->place[l].gap]) continue;
    widest = gap / c->unit[c->place[l].gap];
    at = i;
  }
  if (at < 0) return 0;
  c->state[at] = DM_LAW_OPEN;
  oc_contact_rows_fix(t);
  return 1;
}

int oc_contact_rows_release(oc_transcription *t, const double *x) {
  oc_contacts *c = t->contact;
  const int laws = c->laws->n;
  double most = 0;
  int released = 0;
  for (int i = 0; i < c->knots * laws; i++)
    most = fmax(most, fabs(find_creep(t, x, i / laws, i % laws)));
  for (int k = 0; k < c->knots && most > 0; k++) {
    const double *z = x + oc_transcription_contact(t, k);
    int least = -1, moving = 0;
    for (int l = 0; l < laws; l++) {
      if (!(fabs(find_creep(t, x, k, l)) > CREEPS * most)) continue;
      moving++;
      if (least < 0 || z[c->place[l].left] < z[c->place[least].left]) least = l;
    }
    if (moving < 2) continue; // one alone contradicts no other
    c->against[k * laws + least] = find_creep(t, x, k, least) < 0 ? 1 : 2;
    c->state[k * laws + least] = DM_LAW_SLIDES;
    released++;
  }
  if (released) oc_contact_rows_fix(t);
  return released;
}

static void loosen(oc_transcription *t, int x) {
  if (x >= 0 && !oc_is_given(t, x)) t->x_min[x] = -INFINITY;
}

// free the signs of law l at knot k; the directions of friction that sticks stay two unknowns
static void loosen_law(oc_transcription *t, int k, int l) {
  const oc_contacts *c = t->contact;
  const oc_contact_place *p = &c->place[l];
  const int z = oc_transcription_contact(t, k), directions = 2 * c->laws->law[l].tangents;
  const int own[] = {p->c, p->gap, p->slide, p->left};
  for (int i = 0; i < 4; i++) loosen(t, own[i] < 0 ? -1 : z + own[i]);
  for (int d = 0; d < directions && c->state[k * c->laws->n + l] == DM_LAW_SLIDES; d++) {
    loosen(t, z + p->t[d]);
    loosen(t, z + p->w[d]);
  }
}

void oc_contact_rows_loosen(oc_transcription *t) {
  const oc_contacts *c = t->contact;
  for (int i = c->laws->n; i < c->knots * c->laws->n; i++) {
    const int k = i / c->laws->n, l = i % c->laws->n, before = i - c->laws->n;
    const bool turns = !has_cone(&c->laws->law[l]) && c->against[i] != c->against[before];
    if (c->state[i] == c->state[before] && !turns) continue;
    for (int at = k - 1; at <= k + 1 && at < c->knots; at++) loosen_law(t, at, l);
  }
}
