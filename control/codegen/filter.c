#include "control/codegen/filter.h"

#include "control/codegen/head.h"
#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "control/codegen/prediction.h"

#include <float.h>
#include <math.h>

// readings that are too far off
static const char gate_text[] =
    "\n"
    "// off, or nothing of it where it is beyond a bound: a glitch; what stays there is believed\n"
    "static controller_real gated(int *missed, controller_real off, controller_real bound) {\n"
    "  if (off <= bound && off >= -bound) *missed = 0;\n"
    "  else if (*missed < BELIEVED) {\n"
    "    ++*missed;\n"
    "    off = 0;\n"
    "  }\n"
    "  return off;\n"
    "}\n";

// where a line begins with -, it is of inputs in time, with +, of late ones; with T, of angles of
// which a turn more is no error; with G, of a gate; with R, of rates that are limited; with E, of an
// envelope, where e is of none: with W, of places alone, with P, of x'P x; with D, of disturbances, with
// d, of none; with B, of their bounds; with M, of a prediction by the model's step (U, V: of inputs in
// time, late; N: with disturbances)
#define FILTER_MARKS "-+REeWPTGDdBMUVN"
static const char begin_text[] = "\n"
                                 "void controller_begin(controller_filter *filter) {\n"
                                 "  int i;\n"
                                 "  for (i = 0; i < NZ; i++) filter->z[i] = 0;\n"
                                 "  filter->t = filter->since = 0;\n"
                                 "  filter->calls = 0;\n"
                                 "G  for (i = 0; i < NY; i++) filter->missed[i] = 0;\n"
                                 "}\n";

// the estimate of what acts beside inputs, within its bounds
static const char bound_text[] = "\n"
                                 "static void keep_bounds(controller_real *z) {\n"
                                 "  int j;\n"
                                 "  for (j = 0; j < ND; j++) {\n"
                                 "    if (z[NX + j] > d_max[j]) z[NX + j] = d_max[j];\n"
                                 "    if (z[NX + j] < -d_max[j]) z[NX + j] = -d_max[j];\n"
                                 "  }\n"
                                 "}\n";

static const char step_text[] =
    " {\n"
    "  const controller_real *y_d = y_d_state + row(k, y_d_state_rows) * NS;\n"
    "  const controller_real *c = u_d + row(k, u_d_rows) * CONTROLLER_NU, *forward = c;\n"
    "  const controller_real *Lk = L + row(k, L_rows) * NZ * NY;\n"
    "  const controller_real *Ak = A + row(k, A_rows) * NX * NX;\n"
    "  const controller_real *Bk = B + row(k, B_rows) * NX * CONTROLLER_NU;\n"
    "  controller_real *z = filter->z, next[NZ], y[NS], off[NY], sum, product;\n"
    "D  controller_real wanted[CONTROLLER_NU];\n"
    "M  controller_real acts[CONTROLLER_NU], x1[NX];\n"
    "M  const controller_real *x_d = y_d_state + row(k + 1, y_d_state_rows) * NS;\n"
    "  int i, j;\n"
    "G  const controller_real *bound = gate + row(k, gate_rows) * NY;\n"
    "  /* the measurement, beside what was expected */\n"
    "  for (j = 0; j < NY; j++) {\n"
    "    off[j] = 0;\n"
    "    if (!finite_number(encoder[j])) continue;\n"
    "    off[j] = encoder[j] - y_d[which[j]] - z[which[j]];\n"
    "  }\n"
    "T  unwind_readings(off);\n"
    "G  for (j = 0; j < NY; j++)\n"
    "G    if (finite_number(encoder[j])) off[j] = gated(&filter->missed[j], off[j], bound[j]);\n"
    "  for (i = 0; i < NZ; i++) {\n"
    "    sum = z[i];\n"
    "    for (j = 0; j < NY; j++) {\n"
    "      product = Lk[i * NY + j] * off[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  for (i = 0; i < NZ; i++) z[i] = next[i];\n"
    "B  keep_bounds(z);\n"
    "  for (i = 0; i < NX; i++) y[i] = y_d[i] + z[i];\n"
    "D  /* what acts beside the inputs is taken off them */\n"
    "D  for (j = 0; j < CONTROLLER_NU; j++) wanted[j] = c[j];\n"
    "D  for (j = 0; j < ND; j++) wanted[disturbed[j]] = c[disturbed[j]] - z[NX + j];\n"
    "D  forward = wanted;\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) y[NX + j] = now[j];\n"
    "  law(NS, G_state + row(k, G_state_rows) * CONTROLLER_NU * NS, y_d, forward, y, u);\n"
    "W  watch(guard, y_d, y, u);\n"
    "P  watch(guard, y_d, y, NX, P_state + row(k, P_state_rows) * (NX * (NX + 1) / 2), u);\n"
    "R  slew(last, (controller_real)k * STEP, 1, PLANNED, u);\n"
    "  /* to the next knot */\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    sum = 0;\n"
    "    for (j = 0; j < NX; j++) {\n"
    "      product = Ak[i * NX + j] * z[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "-      product = Bk[i * CONTROLLER_NU + j] * (u[j] - forward[j]);\n"
    "+      product = Bk[i * CONTROLLER_NU + j] * (now[j] - y_d[NX + j]);\n"
    "+      if (!finite_number(product)) continue;\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "U  for (j = 0; j < CONTROLLER_NU; j++) acts[j] = u[j];\n"
    "V  for (j = 0; j < CONTROLLER_NU; j++) acts[j] = now[j];\n"
    "N  for (j = 0; j < ND; j++) acts[disturbed[j]] = acts[disturbed[j]] + z[NX + j];\n"
    "M  for (i = 0; i < NX; i++) x1[i] = x_d[i] + next[i];\n"
    "M  predict(y, acts, Ak, x1);\n"
    "M  for (i = 0; i < NX; i++) next[i] = x1[i] - x_d[i];\n"
    "  for (i = 0; i < NX; i++) z[i] = next[i];\n"
    "E  return guard->lost;\n"
    "}\n";

// an estimate between knots
static const char advance_text[] =
    "\n"
    "/* z a share of a step on, from time t: of what a step from there changes, under u (0: the "
    "plan's) "
    "*/\n"
    "static void move_on(controller_real *z, controller_real t, controller_real share,\n"
    "                    const controller_real *u) {\n"
    "  controller_real next[NX], part, off, sum, product;\n"
    "  const int k = knot_at(t, &part);\n"
    "  const controller_real *A0 = A + row(k, A_rows) * NX * NX, *A1 = A + row(k + 1, A_rows) * NX "
    "* "
    "NX;\n"
    "  const controller_real *B0 = B + row(k, B_rows) * NX * CONTROLLER_NU;\n"
    "  const controller_real *B1 = B + row(k + 1, B_rows) * NX * CONTROLLER_NU;\n"
    "-  const controller_real *u0 = u_d + row(k, u_d_rows) * CONTROLLER_NU;\n"
    "-  const controller_real *u1 = u_d + row(k + 1, u_d_rows) * CONTROLLER_NU;\n"
    "+  const controller_real *u0 = y_d_state + row(k, y_d_state_rows) * NS + NX;\n"
    "+  const controller_real *u1 = y_d_state + row(k + 1, y_d_state_rows) * NS + NX;\n"
    "D  controller_real beside[CONTROLLER_NU], planned;\n"
    "  int i, j, at;\n"
    "D  for (j = 0; j < CONTROLLER_NU; j++) beside[j] = 0;\n"
    "D  for (j = 0; j < ND; j++) beside[disturbed[j]] = z[NX + j];\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    sum = 0;\n"
    "    for (j = 0; j < NX; j++) {\n"
    "      at = i * NX + j;\n"
    "      product = (A0[at] + part * (A1[at] - A0[at])) * z[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "d    for (j = 0; u && j < CONTROLLER_NU; j++) {\n"
    "D    for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "      at = i * CONTROLLER_NU + j;\n"
    "d      off = u[j] - (u0[j] + part * (u1[j] - u0[j]));\n"
    "D      planned = u0[j] + part * (u1[j] - u0[j]);\n"
    "D      off = (u ? u[j] : planned) - (planned - beside[j]);\n"
    "      product = (B0[at] + part * (B1[at] - B0[at])) * off;\n"
    "      if (finite_number(product)) sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  for (i = 0; i < NX; i++) z[i] = share < 1 ? z[i] + share * (next[i] - z[i]) : next[i];\n"
    "}\n"
    "\n"
    "/* z from one time to another, under what acted meanwhile */\n"
    "static void advance(const controller_filter *filter, controller_real *z, controller_real "
    "from,\n"
    "                    controller_real to) {\n"
    "  const controller_real *u;\n"
    "  int parts = 0;\n"
    "  while (to - from > ROUNDING * STEP && parts++ < MOST_PARTS) {\n"
    "    const int before = filter->calls && from < filter->since - ROUNDING * STEP;\n"
    "    controller_real end = before && filter->since < to ? filter->since : to;\n"
    "    controller_real share = (end - from) * RATE;\n"
    "    if (share > 1 - ROUNDING) {\n"
    "      share = 1;\n"
    "      end = from + STEP;\n"
    "    }\n"
    "    u = before ? filter->before : filter->u;\n"
    "    move_on(z, from, share, filter->calls > before ? u : 0);\n"
    "    from = end;\n"
    "  }\n"
    "}\n";

// the filter by time
static const char timed_text[] =
    " {\n"
    "  controller_real y[NS], y_d[NS], c[CONTROLLER_NU], v[CONTROLLER_NQ], z[NZ], off[NY], s, sum, "
    "product;\n"
    "D  controller_real wanted[CONTROLLER_NU];\n"
    "  const controller_real *from, *to, *Lk, *forward = c;\n"
    "  const int known = finite_number(t), dated = finite_number(age);\n"
    "  const controller_real at = dated && age > 0 ? t - age : t;\n"
    "  int i, j, k = knot_at(at, &s);\n"
    "G  const controller_real *bound = gate + row(knot_at(t, c), gate_rows) * NY;\n"
    "  /* the plan when that was read */\n"
    "  from = y_d_state + row(k, y_d_state_rows) * NS;\n"
    "  to = y_d_state + row(k + 1, y_d_state_rows) * NS;\n"
    "  cubic(s, from, v_d + row(k, v_d_rows) * CONTROLLER_NQ, to, v_d + row(k + 1, v_d_rows) * "
    "CONTROLLER_NQ,\n"
    "        y_d, v);\n"
    "  line(NX - CONTROLLER_NQ, s, from + CONTROLLER_NQ, to + CONTROLLER_NQ, y_d + "
    "CONTROLLER_NQ);\n"
    "  /* the estimate of then: what is no newer than the last reading changes nothing */\n"
    "  if (known && dated && (!filter->calls || at > filter->t)) {\n"
    "    if (filter->calls) advance(filter, filter->z, filter->t, at);\n"
    "    filter->t = at;\n"
    "    for (j = 0; j < NY; j++) {\n"
    "      off[j] = 0;\n"
    "      if (!finite_number(encoder[j])) continue;\n"
    "      off[j] = encoder[j] - y_d[which[j]] - filter->z[which[j]];\n"
    "    }\n"
    "T    unwind_readings(off);\n"
    "G    for (j = 0; j < NY; j++)\n"
    "G      if (finite_number(encoder[j])) off[j] = gated(&filter->missed[j], off[j], bound[j]);\n"
    "    Lk = L + row(knot_at(t, c), L_rows) * NZ * NY;\n"
    "    for (i = 0; i < NZ; i++) {\n"
    "      sum = filter->z[i];\n"
    "      for (j = 0; j < NY; j++) {\n"
    "        product = Lk[i * NY + j] * off[j];\n"
    "        sum = sum + product;\n"
    "      }\n"
    "      z[i] = sum;\n"
    "    }\n"
    "    for (i = 0; i < NZ; i++) filter->z[i] = z[i];\n"
    "B    keep_bounds(filter->z);\n"
    "  }\n"
    "  /* the estimate of now, and the law on it; of a time that is no number the plan's input */\n"
    "  for (i = 0; i < NZ; i++) z[i] = filter->z[i];\n"
    "  if (known) advance(filter, z, filter->t, t);\n"
    "  z[0] = z[0] + (t - t);\n"
    "  for (i = 0; i < NX; i++) y[i] = y_d[i] + z[i];\n"
    "  k = knot_at(t, &s);\n"
    "+  from = y_d_state + row(k, y_d_state_rows) * NS + NX;\n"
    "+  to = y_d_state + row(k + 1, y_d_state_rows) * NS + NX;\n"
    "+  line(CONTROLLER_NU, s, from, to, y_d + NX);\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) y[NX + j] = now[j];\n"
    "  line(CONTROLLER_NU, s, u_d + row(k, u_d_rows) * CONTROLLER_NU,\n"
    "       u_d + row(k + 1, u_d_rows) * CONTROLLER_NU, c);\n"
    "D  for (j = 0; j < CONTROLLER_NU; j++) wanted[j] = c[j];\n"
    "D  for (j = 0; j < ND; j++) wanted[disturbed[j]] = c[disturbed[j]] - z[NX + j];\n"
    "D  forward = wanted;\n"
    "  law(NS, G_state + row(k, G_state_rows) * CONTROLLER_NU * NS, y_d, forward, y, u);\n"
    "W  watch(guard, y_d, y, u);\n"
    "P  watch(guard, y_d, y, NX, P_state + row(k, P_state_rows) * (NX * (NX + 1) / 2), u);\n"
    "R  slew(last, t, since(last, t), PLANNED, u);\n"
    "e  if (!known) return;\n"
    "E  if (!known) return guard->lost;\n"
    "  /* what acts from now on, and what did before */\n"
    "  if (!filter->calls || t > filter->since) {\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) filter->before[j] = filter->u[j];\n"
    "    if (filter->calls < 2) filter->calls++;\n"
    "    filter->since = t;\n"
    "  }\n"
    "-  for (j = 0; j < CONTROLLER_NU; j++) filter->u[j] = u[j];\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) filter->u[j] = now[j];\n"
    "E  return guard->lost;\n"
    "}\n";

// |d| at most; any is the largest number there is
static void put_disturbance_bounds(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const double largest = c->set.single ? FLT_MAX : DBL_MAX;
  for (int j = 0; j < e->nd; j++) {
    fputs(j ? ", " : "static const controller_real d_max[ND] = {", f);
    fb_number_write(f, c->set.single, fmin(e->d_max[j], largest));
  }
  fputs("};\n", f);
}

void fb_filter_write_sizes(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  fprintf(f,
          "enum { NX = %d, NY = %d, NS = %d, ND = %d, NZ = NX + ND };\n"
          "static const int which[NY] = {",
          e->f->nx, e->ny, e->f->nx + e->f->late * e->f->nu, e->nd);
  for (int a = 0; a < e->ny; a++) fprintf(f, "%s%d", a ? ", " : "", e->which[a]);
  fputs("};\n", f);

  // the inputs beside which something acts
  for (int j = 0; j < e->nd; j++)
    fprintf(f, "%s%d", j ? ", " : "static const int disturbed[ND] = {", e->disturbed[j]);
  if (e->nd) fputs("};\n", f);
  if (fb_estimator_bounds(e)) put_disturbance_bounds(f, c);
}

void fb_filter_declare(FILE *f, const fb_codegen *c) {
  const int nx = fb_codegen_any(c)->f.nx, nz = c->estimator->nz; // (q,p), and with disturbances
  const bool gates = fb_estimator_gates(c->estimator);
  fprintf(f,
          "\n// The estimate: %d of q, then %d of p%s, in the units above; by time also when that "
          "is, and the last inputs.\n"
          "typedef struct controller_filter {\n  controller_real z[%d];\n"
          "  controller_real t, since, u[%d], before[%d];\n  int calls;\n",
          nx / 2, nx / 2, nz > nx ? ", then what acts beside inputs" : "", nz,
          fb_codegen_any(c)->f.nu, fb_codegen_any(c)->f.nu);
  if (gates) fprintf(f, "  int missed[%d];\n", c->estimator->ny);
  fputs(
      "} controller_filter;\n\n"
      "// A motion begins: nothing is known but its plan.\n"
      "void controller_begin(controller_filter *filter);\n\n"
      "// By time a reading is one of t - age: the estimate goes on to then, and from there to t, "
      "under what was given\n// or was under way. Calls may come at any times, one after the "
      "other; a reading no newer than the last one\n// changes nothing. A motion is called by k "
      "or by time.\n",
      f);
  if (gates)
    fprintf(f,
            "// A reading that is further from what the filter expects than %g standard deviations "
            "is left out, but\n// for the sixth in a row of the same encoder, and on until one is "
            "near again.\n",
            c->estimator->set.gate);
}

void fb_filter_write(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const bool map = e->predictor.step != NULL, late = e->f->late;
  const bool costs = c->law[FB_STATE]->nm; // an envelope of x'P x
  if (fb_estimator_gates(e)) fprintf(f, "\nenum { BELIEVED = %d };\n%s", FB_BELIEVED, gate_text);
  if (fb_estimator_bounds(e)) fputs(bound_text, f);
  if (map) fb_prediction_write(f, e->predictor.self, c->set.single);

  // the plan's input under way
  if (e->f->rate_limit) fprintf(f, "\n#define PLANNED %s\n", late ? "(y_d + NX)" : "c");
  const struct {
    char mark;
    bool meant;
  } marks[] = {{'-', !late},
               {'+', late},
               {'E', e->f->envelope},
               {'e', !e->f->envelope},
               {'W', e->f->envelope && !costs},
               {'P', e->f->envelope && costs},
               {'R', e->f->rate_limit},
               {'T', e->f->turns},
               {'G', fb_estimator_gates(e)},
               {'D', e->nd > 0},
               {'d', e->nd == 0},
               {'B', fb_estimator_bounds(e)},
               {'M', map},
               {'U', map && !late},
               {'V', map && late},
               {'N', map && e->nd > 0}};
  char meant[sizeof FILTER_MARKS] = "";
  for (size_t i = 0, count = 0; i < sizeof marks / sizeof *marks; i++)
    if (marks[i].meant) meant[count++] = marks[i].mark;

  // by k, then by time
  fb_lines_write(f, begin_text, FILTER_MARKS, meant);
  fputs("\n", f);
  fb_head_write(f, c, FB_ENCODERS, false);
  fb_lines_write(f, step_text, FILTER_MARKS, meant);
  fprintf(f, "\nenum { MOST_PARTS = %d };\n", FB_MOST_PARTS);
  fb_lines_write(f, advance_text, FILTER_MARKS, meant);
  fputs("\n", f);
  fb_head_write(f, c, FB_ENCODERS, true);
  fb_lines_write(f, timed_text, FILTER_MARKS, meant);
}
