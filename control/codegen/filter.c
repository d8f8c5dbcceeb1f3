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
    "  controller_real taken = off;\n"
    "  if ((off <= bound) && (off >= -bound)) {\n"
    "    *missed = 0;\n"
    "  } else if (*missed < BELIEVED) {\n"
    "    *missed = *missed + 1;\n"
    "    taken = ZERO;\n"
    "  } else {\n"
    "    /* believed */\n"
    "  }\n"
    "  return taken;\n"
    "}\n";

// where a line begins with -, it is of inputs in time, with +, of late ones; with T, of angles of
// which a turn more is no error; with G, of a gate, with g, of none; with R, of rates that are limited; with E, of an
// envelope: with W, of places alone, with P, of x'P x; with D, of disturbances, with
// d, of none; with B, of their bounds; with M, of a prediction by the model's step (U, V: of inputs in
// time, late; N: with disturbances)
#define FILTER_MARKS "-+REWPTGgDdBMUVN"
static const char begin_text[] =
    "\n"
    "void controller_begin(controller_filter *filter) {\n"
    "  int i;\n"
    "  for (i = 0; i < NZ; i++) {\n"
    "    filter->z[i] = ZERO;\n"
    "  }\n"
    "  filter->t = ZERO;\n"
    "  filter->since = ZERO;\n"
    "  filter->calls = 0;\n"
    "G  for (i = 0; i < NY; i++) {\n"
    "G    filter->missed[i] = 0;\n"
    "G  }\n"
    "}\n"
    "\n"
    "// z <- next; an estimate that overflows is given up: nothing is known but the plan\n"
    "static void keep_estimate(int n, const controller_real *next, controller_real *z) {\n"
    "  controller_real sum = ZERO;\n"
    "  int i;\n"
    "  for (i = 0; i < n; i++) {\n"
    "    sum = sum + (next[i] - next[i]);\n"
    "  }\n"
    "  for (i = 0; i < n; i++) {\n"
    "    z[i] = (sum >= ZERO) ? next[i] : ZERO;\n"
    "  }\n"
    "}\n";

// the estimate of what acts beside inputs, within its bounds
static const char bound_text[] = "\n"
                                 "static void keep_bounds(controller_real *z) {\n"
                                 "  int j;\n"
                                 "  for (j = 0; j < ND; j++) {\n"
                                 "    if (z[NX + j] > d_max[j]) {\n"
                                 "      z[NX + j] = d_max[j];\n"
                                 "    }\n"
                                 "    if (z[NX + j] < -d_max[j]) {\n"
                                 "      z[NX + j] = -d_max[j];\n"
                                 "    }\n"
                                 "  }\n"
                                 "}\n";

static const char correct_text[] =
    "\n"
    "// z <- z + Lk off, off of what encoders read beside what was expected\n"
    "static void correct(controller_filter *filter, const controller_real *y_d,\n"
    "G                    const controller_real *bound,\n"
    "                    const controller_real *Lk, const controller_real *encoder) {\n"
    "  controller_real off[NY];\n"
    "  controller_real next[NZ];\n"
    "  int i;\n"
    "  int j;\n"
    "  for (j = 0; j < NY; j++) {\n"
    "    off[j] = ZERO;\n"
    "    if (finite_number(encoder[j])) {\n"
    "      off[j] = (encoder[j] - y_d[which[j]]) - filter->z[which[j]];\n"
    "    }\n"
    "  }\n"
    "T  unwind_readings(off);\n"
    "G  for (j = 0; j < NY; j++) {\n"
    "G    if (finite_number(encoder[j])) {\n"
    "G      off[j] = gated(&filter->missed[j], off[j], bound[j]);\n"
    "G    }\n"
    "G  }\n"
    "  for (i = 0; i < NZ; i++) {\n"
    "    controller_real sum = filter->z[i];\n"
    "    for (j = 0; j < NY; j++) {\n"
    "      controller_real product = Lk[(i * NY) + j] * off[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  keep_estimate(NZ, next, filter->z);\n"
    "B  keep_bounds(filter->z);\n"
    "}\n"
    "D\n"
    "D// the plan's inputs less what acts beside them\n"
    "Dstatic void take_off(const controller_real *c, const controller_real *z, controller_real "
    "*less) {\n"
    "D  int j;\n"
    "D  for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "D    less[j] = c[j];\n"
    "D  }\n"
    "D  for (j = 0; j < ND; j++) {\n"
    "D    less[disturbed[j]] = c[disturbed[j]] - z[NX + j];\n"
    "D  }\n"
    "D}\n";

static const char step_text[] =
    " {\n"
    "  const controller_real *y_d = &y_d_state[row(k, y_d_state_rows) * NS];\n"
    "  const controller_real *c = &u_d[row(k, u_d_rows) * CONTROLLER_NU];\n"
    "d  const controller_real *forward = c;\n"
    "  const controller_real *Ak = &A[row(k, A_rows) * NX * NX];\n"
    "  const controller_real *Bk = &B[row(k, B_rows) * NX * CONTROLLER_NU];\n"
    "  controller_real *z = filter->z;\n"
    "  controller_real next[NX];\n"
    "  controller_real y[NS];\n"
    "D  controller_real forward[CONTROLLER_NU];\n"
    "M  controller_real acts[CONTROLLER_NU];\n"
    "M  controller_real x1[NX];\n"
    "M  const controller_real *x_d = &y_d_state[row(row(k, CONTROLLER_STEPS) + 1, y_d_state_rows) "
    "* NS];\n"
    "  int i;\n"
    "  int j;\n"
    "g  correct(filter, y_d, &L[row(k, L_rows) * NZ * NY], encoder);\n"
    "G  correct(filter, y_d, &gate[row(k, gate_rows) * NY], &L[row(k, L_rows) * NZ * NY], "
    "encoder);\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    y[i] = y_d[i] + z[i];\n"
    "  }\n"
    "D  take_off(c, z, forward);\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "+    y[NX + j] = now[j];\n"
    "+  }\n"
    "  law(NS, &G_state[row(k, G_state_rows) * CONTROLLER_NU * NS], y_d, forward, y, u);\n"
    "W  watch(guard, y_d, y, u);\n"
    "P  watch(guard, y_d, y, NX, &P_state[row(k, P_state_rows) * P_COLS], u);\n"
    "R  slew(last, (controller_real)k * STEP, ONE, PLANNED, u);\n"
    "  /* to the next knot */\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    controller_real sum = ZERO;\n"
    "    for (j = 0; j < NX; j++) {\n"
    "      controller_real product = Ak[(i * NX) + j] * z[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "-      controller_real product = Bk[(i * CONTROLLER_NU) + j] * (u[j] - forward[j]);\n"
    "-      sum = sum + product;\n"
    "+      controller_real product = Bk[(i * CONTROLLER_NU) + j] * (now[j] - y_d[NX + j]);\n"
    "+      if (finite_number(product)) {\n"
    "+        sum = sum + product;\n"
    "+      }\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "M  for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "U    acts[j] = u[j];\n"
    "V    acts[j] = now[j];\n"
    "M  }\n"
    "N  for (j = 0; j < ND; j++) {\n"
    "N    acts[disturbed[j]] = acts[disturbed[j]] + z[NX + j];\n"
    "N  }\n"
    "M  for (i = 0; i < NX; i++) {\n"
    "M    x1[i] = x_d[i] + next[i];\n"
    "M  }\n"
    "M  predict(y, acts, Ak, x1);\n"
    "M  for (i = 0; i < NX; i++) {\n"
    "M    next[i] = x1[i] - x_d[i];\n"
    "M  }\n"
    "  keep_estimate(NX, next, z);\n"
    "E  return guard->lost;\n"
    "}\n";

// an estimate between knots
static const char advance_text[] =
    "\n"
    "// z a share of a step on, from time t: of what a step from there changes, under u where one "
    "acts,\n"
    "// else the plan's\n"
    "static void move_on(controller_real *z, controller_real t, controller_real share, _Bool "
    "acts,\n"
    "                    const controller_real *u) {\n"
    "  controller_real next[NX];\n"
    "  controller_real part;\n"
    "  const int k = knot_at(t, &part);\n"
    "  const controller_real *A0 = &A[row(k, A_rows) * NX * NX];\n"
    "  const controller_real *A1 = &A[row(k + 1, A_rows) * NX * NX];\n"
    "  const controller_real *B0 = &B[row(k, B_rows) * NX * CONTROLLER_NU];\n"
    "  const controller_real *B1 = &B[row(k + 1, B_rows) * NX * CONTROLLER_NU];\n"
    "-  const controller_real *u0 = &u_d[row(k, u_d_rows) * CONTROLLER_NU];\n"
    "-  const controller_real *u1 = &u_d[row(k + 1, u_d_rows) * CONTROLLER_NU];\n"
    "+  const controller_real *u0 = &y_d_state[(row(k, y_d_state_rows) * NS) + NX];\n"
    "+  const controller_real *u1 = &y_d_state[(row(k + 1, y_d_state_rows) * NS) + NX];\n"
    "D  controller_real beside[CONTROLLER_NU];\n"
    "  int i;\n"
    "  int j;\n"
    "D  for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "D    beside[j] = ZERO;\n"
    "D  }\n"
    "D  for (j = 0; j < ND; j++) {\n"
    "D    beside[disturbed[j]] = z[NX + j];\n"
    "D  }\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    controller_real sum = ZERO;\n"
    "    for (j = 0; j < NX; j++) {\n"
    "      const int at = (i * NX) + j;\n"
    "      controller_real product = (A0[at] + (part * (A1[at] - A0[at]))) * z[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "      const int at = (i * CONTROLLER_NU) + j;\n"
    "      controller_real planned = u0[j] + (part * (u1[j] - u0[j]));\n"
    "d      controller_real off = acts ? (u[j] - planned) : ZERO;\n"
    "D      controller_real off = (acts ? u[j] : planned) - (planned - beside[j]);\n"
    "      controller_real product = (B0[at] + (part * (B1[at] - B0[at]))) * off;\n"
    "      if (finite_number(product)) {\n"
    "        sum = sum + product;\n"
    "      }\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    next[i] = (share < ONE) ? (z[i] + (share * (next[i] - z[i]))) : next[i];\n"
    "  }\n"
    "  keep_estimate(NX, next, z);\n"
    "}\n"
    "\n"
    "// z from one time to another, by at most MOST_PARTS steps, under what acted meanwhile\n"
    "static void advance(const controller_filter *filter, controller_real *z, controller_real "
    "from,\n"
    "                    controller_real to) {\n"
    "  const controller_real least = ROUNDING * STEP;\n"
    "  controller_real at = from;\n"
    "  _Bool more = (to - at) > least;\n"
    "  int part;\n"
    "  for (part = 0; more && (part < MOST_PARTS); part++) {\n"
    "    const _Bool before = (filter->calls != 0) && (at < (filter->since - least));\n"
    "    controller_real end = (before && (filter->since < to)) ? filter->since : to;\n"
    "    controller_real share = (end - at) * RATE;\n"
    "    if (share > (ONE - ROUNDING)) {\n"
    "      share = ONE;\n"
    "      end = at + STEP;\n"
    "    }\n"
    "    move_on(z, at, share, filter->calls > (before ? 1 : 0), before ? filter->before : "
    "filter->u);\n"
    "    at = end;\n"
    "    more = (to - at) > least;\n"
    "  }\n"
    "}\n";

// the filter by time
static const char timed_text[] =
    " {\n"
    "  controller_real y[NS];\n"
    "  controller_real y_d[NS];\n"
    "  controller_real c[CONTROLLER_NU];\n"
    "  controller_real v[CONTROLLER_NQ];\n"
    "  controller_real z[NZ];\n"
    "  controller_real s;\n"
    "D  controller_real forward[CONTROLLER_NU];\n"
    "d  const controller_real *forward = c;\n"
    "  const _Bool known = finite_number(t);\n"
    "  const _Bool dated = finite_number(age);\n"
    "  const controller_real at = when(t, dated ? age : ZERO);\n"
    "  int i;\n"
    "  int j;\n"
    "  int k = knot_at(at, &s);\n"
    "  /* the plan when that was read */\n"
    "  const controller_real *from = &y_d_state[row(k, y_d_state_rows) * NS];\n"
    "  const controller_real *to = &y_d_state[row(k + 1, y_d_state_rows) * NS];\n"
    "  cubic(s, from, &v_d[row(k, v_d_rows) * CONTROLLER_NQ], to,\n"
    "        &v_d[row(k + 1, v_d_rows) * CONTROLLER_NQ], y_d, v);\n"
    "  line(NX - CONTROLLER_NQ, s, &from[CONTROLLER_NQ], &to[CONTROLLER_NQ], "
    "&y_d[CONTROLLER_NQ]);\n"
    "  k = knot_at(t, &s);\n"
    "  /* the estimate of then: what is no newer than the last reading changes nothing */\n"
    "  if (known && dated && ((filter->calls == 0) || (at > filter->t))) {\n"
    "    if (filter->calls != 0) {\n"
    "      advance(filter, filter->z, filter->t, at);\n"
    "    }\n"
    "    filter->t = at;\n"
    "g    correct(filter, y_d, &L[row(k, L_rows) * NZ * NY], encoder);\n"
    "G    correct(filter, y_d, &gate[row(k, gate_rows) * NY], &L[row(k, L_rows) * NZ * NY], "
    "encoder);\n"
    "  }\n"
    "  /* the estimate of now, and the law on it; of a time that is no number the plan's input */\n"
    "  for (i = 0; i < NZ; i++) {\n"
    "    z[i] = filter->z[i];\n"
    "  }\n"
    "  if (known) {\n"
    "    advance(filter, z, filter->t, t);\n"
    "  }\n"
    "  z[0] = z[0] + (t - t);\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    y[i] = y_d[i] + z[i];\n"
    "  }\n"
    "+  from = &y_d_state[(row(k, y_d_state_rows) * NS) + NX];\n"
    "+  to = &y_d_state[(row(k + 1, y_d_state_rows) * NS) + NX];\n"
    "+  line(CONTROLLER_NU, s, from, to, &y_d[NX]);\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "+    y[NX + j] = now[j];\n"
    "+  }\n"
    "  line(CONTROLLER_NU, s, &u_d[row(k, u_d_rows) * CONTROLLER_NU],\n"
    "       &u_d[row(k + 1, u_d_rows) * CONTROLLER_NU], c);\n"
    "D  take_off(c, z, forward);\n"
    "  law(NS, &G_state[row(k, G_state_rows) * CONTROLLER_NU * NS], y_d, forward, y, u);\n"
    "W  watch(guard, y_d, y, u);\n"
    "P  watch(guard, y_d, y, NX, &P_state[row(k, P_state_rows) * P_COLS], u);\n"
    "R  slew(last, t, since(last, t), PLANNED, u);\n"
    "  /* what acts from now on, and what did before */\n"
    "  if (known) {\n"
    "    if ((filter->calls == 0) || (t > filter->since)) {\n"
    "      for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "        filter->before[j] = filter->u[j];\n"
    "      }\n"
    "      if (filter->calls < 2) {\n"
    "        filter->calls = filter->calls + 1;\n"
    "      }\n"
    "      filter->since = t;\n"
    "    }\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "-      filter->u[j] = u[j];\n"
    "+      filter->u[j] = now[j];\n"
    "    }\n"
    "  }\n"
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
          "  controller_real t;\n  controller_real since;\n  controller_real u[%d];\n  "
          "controller_real before[%d];\n  int calls;\n",
          nx / 2, nx / 2, nz > nx ? ", then what acts beside inputs" : "", nz,
          fb_codegen_any(c)->f.nu, fb_codegen_any(c)->f.nu);
  if (gates) fprintf(f, "  int missed[%d];\n", c->estimator->ny);
  fprintf(
      f,
      "} controller_filter;\n\n"
      "// A motion begins: nothing is known but its plan.\n"
      "void controller_begin(controller_filter *filter);\n\n"
      "// By time a reading is one of t - age: the estimate goes on to then, and from there to t, "
      "under what was given\n// or was under way. Calls may come at any times, one after the "
      "other; a reading no newer than the last one\n// changes nothing, also where time goes "
      "back. To either it goes on by %d steps at most.\n// An estimate that overflows is given up: "
      "z "
      "= 0. A motion is called by k or by time.\n",
      FB_MOST_PARTS);
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
  if (e->f->rate_limit) fprintf(f, "\n#define PLANNED %s\n", late ? "(&y_d[NX])" : "c");
  if (costs) fputs("\nenum { P_COLS = (NX * (NX + 1)) / 2 };\n", f);
  const struct {
    char mark;
    bool meant;
  } marks[] = {{'-', !late},
               {'+', late},
               {'E', e->f->envelope},
               {'W', e->f->envelope && !costs},
               {'P', e->f->envelope && costs},
               {'R', e->f->rate_limit},
               {'T', e->f->turns},
               {'G', fb_estimator_gates(e)},
               {'g', !fb_estimator_gates(e)},
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
  fb_lines_write(f, correct_text, FILTER_MARKS, meant);
  fputs("\n", f);
  fb_head_write(f, c, FB_ENCODERS, false);
  fb_lines_write(f, step_text, FILTER_MARKS, meant);
  fprintf(f, "\nenum { MOST_PARTS = %d };\n", FB_MOST_PARTS);
  fb_lines_write(f, advance_text, FILTER_MARKS, meant);
  fputs("\n", f);
  fb_head_write(f, c, FB_ENCODERS, true);
  fb_lines_write(f, timed_text, FILTER_MARKS, meant);
}
