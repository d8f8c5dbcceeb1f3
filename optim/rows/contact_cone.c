#include "optim/rows/contact_cone.h"

#include <math.h>

static int state_of(const oc_contacts *c, int k, int l) {
  return c->round ? c->state[k * c->laws->n + l] : -1;
}

void oc_contact_cone_evaluate(const oc_contacts *c, int k, int l, const double *z, double *out) {
  const dm_contact_law *law = &c->laws->law[l];
  const oc_contact_place *p = &c->place[l];
  const int state = state_of(c, k, l);
  if (!has_cone(law) || state == DM_LAW_OPEN) return;
  const double b = law->friction * z[p->c];
  double rest = b * b, length = -1;
  for (int d = 0; d < 4; d += 2) {
    const double U = c->unit[p->w[d]], t = z[p->t[d]], way = z[p->w[d]] / U;
    rest -= t * t;
    length += way * way;
    if (state != DM_LAW_SLIDES) continue;

    // its row has slide + (r' - r) - w
    out[p->w[d]] -= z[p->slide] - z[p->w[d]];
    out[p->w[d]] -= z[p->slide] * way;
    out[p->t[d]] = U * (t + b * way);
  }
  if (state == DM_LAW_STICKS) out[p->left] = rest / c->unit[p->left] - z[p->left];
  if (state == DM_LAW_SLIDES) out[p->slide] = c->size[p->slide] * length;
}

// the derivatives of a row and of its products, by places
typedef struct cone_slopes {
  double left_c, left_t[4];                   // left by c and t
  double w_slide[4], w_w[4];                  // w by slide, and by itself
  double t_c[4], t_t[4], t_w[4];              // the row of the product t w
  double slide_slide, slide_left, slide_w[4]; // that of slide left
} cone_slopes;

// those of a search
static cone_slopes find_pyramid_slopes(const dm_contact_law *law, const oc_contact_place *p,
                                       const double *z) {
  cone_slopes s = {.left_c = law->friction, .slide_slide = z[p->left], .slide_left = z[p->slide]};
  for (int d = 0; d < 4; d++) {
    s.left_t[d] = -1;
    s.w_slide[d] = 1;
    s.w_w[d] = -1;
    s.t_t[d] = z[p->w[d]];
    s.t_w[d] = z[p->t[d]];
  }
  return s;
}

static cone_slopes find_slopes(const oc_contacts *c, int k, int l, const double *z) {
  const dm_contact_law *law = &c->laws->law[l];
  const oc_contact_place *p = &c->place[l];
  const int state = state_of(c, k, l);
  if (!z) return (cone_slopes){.left_c = 0};
  cone_slopes s = find_pyramid_slopes(law, p, z);
  if (state != DM_LAW_STICKS && state != DM_LAW_SLIDES) return s;
  const double b = law->friction * z[p->c];
  if (state == DM_LAW_STICKS) {
    s.left_c = 2 * b * law->friction / c->unit[p->left];
    for (int d = 0; d < 4; d++) s.left_t[d] = d % 2 ? 0 : -2 * z[p->t[d]] / c->unit[p->left];
    return s;
  }
  for (int d = 0; d < 4; d += 2) {
    const double U = c->unit[p->w[d]], way = z[p->w[d]] / U;
    s.w_slide[d] = -way;
    s.w_w[d] = -z[p->slide] / U;
    s.t_c[d] = U * law->friction * way;
    s.t_t[d] = U;
    s.t_w[d] = b;
    s.slide_w[d] = 2 * c->size[p->slide] * way / U;
  }
  s.slide_slide = s.slide_left = 0;
  return s;
}

void oc_contact_cone_put(const oc_contacts *c, int k, int l, const double *z, int row, int at,
                         oc_triplets *s) {
  const oc_contact_place *p = &c->place[l];
  const cone_slopes slope = find_slopes(c, k, l, z);
  oc_put(s, row + p->left, at + p->c, slope.left_c);
  oc_put(s, row + p->left, at + p->left, -1);
  oc_put(s, row + p->slide, at + p->slide, slope.slide_slide);
  oc_put(s, row + p->slide, at + p->left, slope.slide_left);
  for (int d = 0; d < 4; d++) {
    oc_put(s, row + p->left, at + p->t[d], slope.left_t[d]);
    oc_put(s, row + p->w[d], at + p->slide, slope.w_slide[d]);
    oc_put(s, row + p->w[d], at + p->w[d], slope.w_w[d]);
    oc_put(s, row + p->t[d], at + p->t[d], slope.t_t[d]);
    oc_put(s, row + p->t[d], at + p->w[d], slope.t_w[d]);
    if (d % 2) continue;
    oc_put(s, row + p->t[d], at + p->c, slope.t_c[d]);
    oc_put(s, row + p->slide, at + p->w[d], slope.slide_w[d]);
  }
}

void oc_contact_cone_put_hessian(const oc_contacts *c, int k, int l, const double *lambda, int at,
                                 oc_triplets *s) {
  const dm_contact_law *law = &c->laws->law[l];
  const oc_contact_place *p = &c->place[l];
  const int state = state_of(c, k, l);
  const double left = lambda && state == DM_LAW_STICKS ? lambda[p->left] / c->unit[p->left] : 0;
  const bool products = lambda && !c->searched, slides = state == DM_LAW_SLIDES;
  oc_put(s, at + p->c, at + p->c, 2 * law->friction * law->friction * left);
  oc_put(s, at + p->left, at + p->slide, products && !slides ? lambda[p->slide] : 0);
  for (int d = 0; d < 4; d++) {
    const double U = c->unit[p->w[d]];
    const bool product = products && !(slides && d % 2 == 0);
    oc_put(s, at + p->w[d], at + p->t[d], product ? lambda[p->t[d]] : 0);
    if (d % 2) continue;
    const bool turns = lambda && slides;
    oc_put(s, at + p->t[d], at + p->t[d], -2 * left);
    oc_put(s, at + p->w[d], at + p->slide, turns ? -lambda[p->w[d]] / U : 0);
    oc_put(s, at + p->w[d], at + p->c, turns ? lambda[p->t[d]] * law->friction : 0);
    oc_put(s, at + p->w[d], at + p->w[d],
           turns ? 2 * lambda[p->slide] * c->size[p->slide] / (U * U) : 0);
  }
}

// -- the schedule

static void fix_at_zero(oc_transcription *t, int x) {
  t->x_min[x] = t->x_max[x] = 0;
}

void oc_contact_cone_fix(oc_transcription *t, int k, int l) {
  const oc_contacts *c = t->contact;
  const oc_contact_place *p = &c->place[l];
  const int z = oc_transcription_contact(t, k), row = oc_rows_at(t, OC_CONTACT_ROWS, k);
  const int state = c->state[k * c->laws->n + l];
  const bool open = state == DM_LAW_OPEN, slides = state == DM_LAW_SLIDES;
  if (!slides) fix_at_zero(t, z + p->slide);
  if (state != DM_LAW_STICKS) fix_at_zero(t, z + p->left);
  if (state != DM_LAW_STICKS) oc_row_free(t, row + p->left);
  if (slides) t->g_min[row + p->slide] = t->g_max[row + p->slide] = 0;
  for (int d = 0; d < 4; d++) {
    if (open || d % 2) fix_at_zero(t, z + p->t[d]);
    if (!slides || d % 2) fix_at_zero(t, z + p->w[d]);
    if (open || d % 2) oc_row_free(t, row + p->w[d]);
    if (d % 2) continue;
    if (!open) t->x_min[z + p->t[d]] = -INFINITY;
    if (!slides) continue;
    t->x_min[z + p->w[d]] = -INFINITY;
    t->g_min[row + p->t[d]] = t->g_max[row + p->t[d]] = 0;
  }
}

// the direction of sliding: against the impulses F, or if they are zero as the schedule says
static void find_way(const oc_contacts *c, int at, const double F[2], double unit, double way[2]) {
  const unsigned against = c->against[at];
  double size = hypot(F[0], F[1]);
  for (int d = 0; d < 2; d++)
    way[d] =
        size > 1e-9 * unit ? -F[d] : (against >> (2 * d + 1) & 1) - (double)(against >> 2 * d & 1);
  size = hypot(way[0], way[1]);
  if (!(size > 0)) way[0] = size = 1;
  for (int d = 0; d < 2; d++) way[d] /= size;
}

void oc_contact_cone_settle(const oc_transcription *t, double *x) {
  const oc_contacts *c = t->contact;
  for (int at = 0; c && c->round && at < c->knots * c->laws->n; at++) {
    const int k = at / c->laws->n, l = at % c->laws->n, state = c->state[at];
    const oc_contact_place *p = &c->place[l];
    if (!has_cone(&c->laws->law[l])) continue;
    double *z = x + oc_transcription_contact(t, k), F[2], way[2];
    for (int d = 0; d < 2; d++) F[d] = z[p->t[2 * d]] - z[p->t[2 * d + 1]];
    const double b = c->laws->law[l].friction * z[p->c], unit = c->unit[p->left];
    find_way(c, at, F, unit, way);
    for (int d = 0; d < 4; d++) {
      z[p->t[d]] = d % 2 ? 0 : F[d / 2];
      z[p->w[d]] = d % 2 || state != DM_LAW_SLIDES ? 0 : c->unit[p->w[d]] * way[d / 2];
    }
    const double rest = (b * b - F[0] * F[0] - F[1] * F[1]) / unit;
    z[p->left] = state == DM_LAW_STICKS ? fmax(0, rest) : 0;
  }
}
