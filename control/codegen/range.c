#include "control/codegen/range.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- the box

// the room of an input: between its limits, or as much as the plan uses
static double find_room(const fb_codegen *c, int i) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const fb_codegen_settings *set = &c->set;
  const double room = set->u_min && set->u_max ? set->u_max[i] - set->u_min[i] : INFINITY;
  double most = 0;
  for (int k = 0; k < w->f.N; k++) most = fmax(most, fabs(w->c[(size_t)k * (size_t)w->f.nu + i]));
  return isfinite(room) ? room : most;
}

// for entry i of a parameter
static double find_half_width(const fb_codegen *c, const fb_codegen_parameter *p, int i) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const int at = p->which ? p->which[i] : i;
  if (!strcmp(p->name, "p")) return c->off_p[at];
  if (!strcmp(p->name, "v")) return c->set.off_v[at];
  if (!strcmp(p->name, "force") || !strcmp(p->name, "now") || !strcmp(p->name, "motor"))
    return find_room(c, at);
  if (!strcmp(p->name, "integral")) return c->set.off_q[at] * w->f.h * w->f.N;
  return c->set.off_q[at]; // q, before
}

double fb_range_half_width(const fb_codegen *c, int form, int j) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  const int count = fb_codegen_entries(c, form, list);
  for (int i = 0; i < count; j -= list[i++].n)
    if (j < list[i].n) return find_half_width(c, &list[i], j);
  return 0;
}

// -- the range

static fb_range make_hull(fb_range a, double low, double high) {
  a.low = fmin(a.low, low);
  a.high = fmax(a.high, high);
  return a;
}

// How far the cubic of input i between two knots leaves the values there.
static double find_overshoot(const fb_output_feedback *w, int k, int next, int i) {
  const int nu = w->f.nu;
  const double d = w->c[next * nu + i] - w->c[k * nu + i];
  const double *slope = w->slope_u;
  return fmax(fabs(slope[k * nu + i] - d), fabs(d - slope[next * nu + i])) / 4;
}

// the law of step k: c -+ sum |G| r, and a bound on rounding
static fb_range find_step_range(const fb_codegen *c, const fb_output_feedback *w, int k, int i,
                                double beside) {
  const size_t nu = (size_t)w->f.nu, ny = (size_t)w->ny, last = (size_t)w->f.N - 1;
  const bool orbit = w->f.sections > 0;
  const size_t here = (size_t)k, next = here < last ? here + 1 : orbit ? 0 : last;
  const double *G = w->G + (here * nu + (size_t)i) * ny, *y_d = w->y_d + here * ny;
  const double c0 = w->c[here * nu + (size_t)i], c1 = w->c[next * nu + (size_t)i];

  // on an orbit gains between two knots, and a cubic through inputs that leaves their range by at most `over`
  const double *G1 = orbit ? w->G + (next * nu + (size_t)i) * ny : G;
  const double over = orbit ? find_overshoot(w, k, (int)next, i) : 0;

  // the size of all terms, for the bound on rounding
  double swing = beside + over, size = fabs(c0) + fabs(c1) + swing;
  for (size_t j = 0; j < ny; j++) {
    const double r = fb_range_half_width(c, (int)w->form, (int)j);
    const double gain = fmax(fabs(G[j]), fabs(G1[j]));
    swing += gain * r;
    size += gain * (r + fabs(y_d[j]) + fabs(y_d[ny + j]));
  }
  const double unit = c->set.single ? (double)FLT_EPSILON : DBL_EPSILON;
  swing += (4. * w->ny + 16) * unit * size;
  return (fb_range){.low = fmin(c0, c1) - swing, .high = fmax(c0, c1) + swing};
}

// the disturbance of input i, as the filter estimates it
static double find_beside(const fb_codegen *c, int i) {
  const fb_estimator *e = c->estimator;
  for (int j = 0; e && j < e->nd; j++)
    if (e->disturbed[j] == i) return fmin(e->d_max[j], find_room(c, i));
  return 0;
}

// the friction that input i compensates
static double find_friction(const fb_output_feedback *w, int i) {
  return w->compensates ? w->f.friction->force[i] : 0;
}

// the fallback of an envelope: 0, or -D v for any speed in the box
static fb_range add_fallback(const fb_codegen *c, const fb_output_feedback *w, int i, fb_range a) {
  const fb_envelope *e = w->f.envelope;
  if (!e) return a;
  const double D = e->damping[i];
  const size_t n = (size_t)w->n, j = D != 0 ? (size_t)e->along[i] : 0;
  double speed = 0;
  for (size_t k = 0; D != 0 && k <= (size_t)w->f.N; k++) {
    const double *v = w->exact ? c->v_d + k * n : w->y_d + k * (size_t)w->ny + n;
    speed = fmax(speed, fabs(v[j]) + c->set.off_v[j]);
  }
  return make_hull(a, -D * speed * (1 + 8 * FLT_EPSILON), D * speed * (1 + 8 * FLT_EPSILON));
}

// the ends of its torque-speed line at any speed in the box
static fb_range add_line(const fb_codegen *c, const fb_output_feedback *w, int i, fb_range a) {
  const dm_drive_limits *d = w->f.drives;
  if (!d || i >= d->n || !(d->slope[i] > 0)) return a;
  if (w->form != FB_VELOCITY && w->form != FB_DIFFERENCE) return a;
  const size_t n = (size_t)w->n, j = (size_t)d->coord[i];
  double speed = 0;
  for (size_t k = 0; k <= (size_t)w->f.N; k++) {
    const double *v = w->exact ? c->v_d + k * n : w->y_d + k * (size_t)w->ny + n;
    speed = fmax(speed, fabs(v[j]) + c->set.off_v[j]);
  }
  const double end = d->stall[i] - d->slope[i] * speed * (1 + 8 * FLT_EPSILON);
  if (a.high > d->stall[i] || a.low < -d->stall[i]) a.cut = true;
  return (fb_range){fmin(a.low, end), fmax(a.high, -end), a.cut};
}

fb_range fb_range_of_input(const fb_codegen *c, int way, int i) {
  const fb_output_feedback *w = c->law[way == FB_ENCODERS ? (int)FB_STATE : way];
  const fb_codegen_settings *set = &c->set;
  const double beside = (way == FB_ENCODERS ? find_beside(c, i) : 0) + find_friction(w, i);

  // over all steps, then the fallback; a rate limit gives values between two of these
  fb_range all = find_step_range(c, w, 0, i, beside);
  for (int k = 1; k < w->f.N; k++) {
    const fb_range at = find_step_range(c, w, k, i, beside);
    all = make_hull(all, at.low, at.high);
  }
  all = add_line(c, w, i, all);
  all = add_fallback(c, w, i, all);

  // limits
  const double least = set->u_min ? set->u_min[i] : -INFINITY;
  const double most = set->u_max ? set->u_max[i] : INFINITY;
  all.cut = all.low < least || all.high > most;
  all.low = fmin(fmax(all.low, least), most);
  all.high = fmin(fmax(all.high, least), most);
  return all;
}

// -- the comment

static void put_numbers(FILE *f, const fb_codegen *c, int form, const fb_codegen_parameter *p,
                        int from) {
  fprintf(f, "//   %-10s", p->name);
  for (int i = 0; i < p->n; i++) {
    if (i) fputs(", ", f);
    fb_number_put(f, c->set.single, fb_range_half_width(c, form, from + i));
  }
  fputs("\n", f);
}

void fb_range_tell(FILE *f, const fb_codegen *c) {
  if (!c->set.off_q) return;
  fputs("// Range of u, proved over the tables, as long as each entry of what the law takes is off "
        "y_d "
        "by no more than\n// (verify.spread, in the order and units of the entries below)\n//\n",
        f);

  // the half-widths of each kind of entry, printed once
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  char told[128] = " ";
  for (int form = 0; form < FB_FORMS; form++) {
    const int count = c->law[form] ? fb_codegen_entries(c, form, list) : 0;
    for (int i = 0, at = 0; i < count; at += list[i++].n) {
      char word[32];
      snprintf(word, sizeof word, " %s ", list[i].name);
      if (strstr(told, word)) continue;
      strncat(told, word, sizeof told - strlen(told) - 1);
      put_numbers(f, c, form, &list[i], at);
    }
  }

  // estimated input disturbances
  const fb_estimator *e = c->estimator;
  for (int j = 0; e && j < e->nd; j++) {
    fputs(j ? ", " : "//   d         ", f);
    fb_number_put(f, c->set.single, find_beside(c, e->disturbed[j]));
  }
  if (e && e->nd) fputs("\n", f);

  fputs("//\n// by steps and by time alike, within limits in any case:\n//\n", f);
  for (int way = 0; way < FB_WAYS; way++)
    for (int i = 0; fb_codegen_has(c, way) && i < fb_codegen_any(c)->f.nu; i++) {
      const fb_range r = fb_range_of_input(c, way, i);
      fb_lines_print(f, c->set.prefix, "//   controller_%s u[%d] ", fb_codegen_way(way), i);
      fb_number_put(f, c->set.single, r.low);
      fputs(" to ", f);
      fb_number_put(f, c->set.single, r.high);
      fputs(r.cut ? ", cut by limits\n" : "\n", f);
    }
  fputs("//\n", f);
}
