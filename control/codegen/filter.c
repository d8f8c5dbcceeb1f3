#include "control/codegen/filter.h"

#include <string.h>

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
// which a turn more is no error; with G, of a gate; with R, of rates that are limited, where r is of
// others
static const char filter_text[] =
    "\n"
    "void controller_begin(controller_filter *filter) {\n"
    "  int i;\n"
    "  for (i = 0; i < NX; i++) filter->z[i] = 0;\n"
    "  filter->t = filter->since = 0;\n"
    "  filter->calls = 0;\n"
    "G  for (i = 0; i < NY; i++) filter->missed[i] = 0;\n"
    "}\n"
    "\n"
    "rvoid controller_encoders(int k, controller_filter *filter, const controller_real "
    "encoder[NY],\n"
    "Rvoid controller_encoders(int k, controller_filter *filter, controller_output *last,\n"
    "R                         const controller_real encoder[NY],\n"
    "-                         controller_real u[CONTROLLER_NU]) {\n"
    "+                         const controller_real now[CONTROLLER_NU], controller_real "
    "u[CONTROLLER_NU]) {\n"
    "  const controller_real *y_d = y_d_state + row(k, y_d_state_rows) * NS;\n"
    "  const controller_real *c = u_d + row(k, u_d_rows) * CONTROLLER_NU;\n"
    "  const controller_real *Lk = L + row(k, L_rows) * NX * NY;\n"
    "  const controller_real *Ak = A + row(k, A_rows) * NX * NX;\n"
    "  const controller_real *Bk = B + row(k, B_rows) * NX * CONTROLLER_NU;\n"
    "  controller_real *z = filter->z, next[NX], y[NS], off[NY], sum, product;\n"
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
    "  for (i = 0; i < NX; i++) {\n"
    "    sum = z[i];\n"
    "    for (j = 0; j < NY; j++) {\n"
    "      product = Lk[i * NY + j] * off[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    z[i] = next[i];\n"
    "    y[i] = y_d[i] + z[i];\n"
    "  }\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) y[NX + j] = now[j];\n"
    "  law(NS, G_state + row(k, G_state_rows) * CONTROLLER_NU * NS, y_d, c, y, u);\n"
    "R  slew(last, (controller_real)k * STEP, 1, PLANNED, u);\n"
    "  /* to the next knot */\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    sum = 0;\n"
    "    for (j = 0; j < NX; j++) {\n"
    "      product = Ak[i * NX + j] * z[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "-      product = Bk[i * CONTROLLER_NU + j] * (u[j] - c[j]);\n"
    "+      product = Bk[i * CONTROLLER_NU + j] * (now[j] - y_d[NX + j]);\n"
    "+      if (!finite_number(product)) continue;\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  for (i = 0; i < NX; i++) z[i] = next[i];\n"
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
    "  int i, j, at;\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    sum = 0;\n"
    "    for (j = 0; j < NX; j++) {\n"
    "      at = i * NX + j;\n"
    "      product = (A0[at] + part * (A1[at] - A0[at])) * z[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    for (j = 0; u && j < CONTROLLER_NU; j++) {\n"
    "      at = i * CONTROLLER_NU + j;\n"
    "      off = u[j] - (u0[j] + part * (u1[j] - u0[j]));\n"
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
    "\n"
    "rvoid controller_encoders_at(controller_real t, controller_real age, controller_filter "
    "*filter,\n"
    "Rvoid controller_encoders_at(controller_real t, controller_real age, controller_filter "
    "*filter,\n"
    "R                            controller_output *last,\n"
    "                            const controller_real encoder[NY],\n"
    "+                            const controller_real now[CONTROLLER_NU],\n"
    "                            controller_real u[CONTROLLER_NU]) {\n"
    "  controller_real y[NS], y_d[NS], c[CONTROLLER_NU], v[CONTROLLER_NQ], z[NX], off[NY], s, sum, "
    "product;\n"
    "  const controller_real *from, *to, *Lk;\n"
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
    "    Lk = L + row(knot_at(t, c), L_rows) * NX * NY;\n"
    "    for (i = 0; i < NX; i++) {\n"
    "      sum = filter->z[i];\n"
    "      for (j = 0; j < NY; j++) {\n"
    "        product = Lk[i * NY + j] * off[j];\n"
    "        sum = sum + product;\n"
    "      }\n"
    "      z[i] = sum;\n"
    "    }\n"
    "    for (i = 0; i < NX; i++) filter->z[i] = z[i];\n"
    "  }\n"
    "  /* the estimate of now, and the law on it; of a time that is no number the plan's input */\n"
    "  for (i = 0; i < NX; i++) z[i] = filter->z[i];\n"
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
    "  law(NS, G_state + row(k, G_state_rows) * CONTROLLER_NU * NS, y_d, c, y, u);\n"
    "R  slew(last, t, since(last, t), PLANNED, u);\n"
    "  if (!known) return;\n"
    "  /* what acts from now on, and what did before */\n"
    "  if (!filter->calls || t > filter->since) {\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) filter->before[j] = filter->u[j];\n"
    "    if (filter->calls < 2) filter->calls++;\n"
    "    filter->since = t;\n"
    "  }\n"
    "-  for (j = 0; j < CONTROLLER_NU; j++) filter->u[j] = u[j];\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) filter->u[j] = now[j];\n"
    "}\n";

// of a text's lines those that are meant
static void put_marked_lines(FILE *f, const fb_codegen *c, const char *text) {
  const fb_estimator *e = c->estimator;
  const struct {
    char mark;
    bool meant;
  } marks[] = {{'-', !e->f->late},       {'+', e->f->late},  {'R', e->f->rate_limit},
               {'r', !e->f->rate_limit}, {'T', e->f->turns}, {'G', fb_estimator_gates(e)}};
  for (const char *line = text, *end; *line; line = end) {
    end = strchr(line, '\n') + 1;
    bool marked = false, meant = true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
      if (*line == marks[i].mark) {
        marked = true;
        meant = marks[i].meant;
      }
    if (meant) fwrite(line + marked, 1, (size_t)(end - line) - marked, f);
  }
}

void fb_filter_write(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  if (fb_estimator_gates(e)) fprintf(f, "\nenum { BELIEVED = %d };\n%s", FB_BELIEVED, gate_text);

  // the plan's input under way
  if (e->f->rate_limit) fprintf(f, "\n#define PLANNED %s\n", e->f->late ? "(y_d + NX)" : "c");
  put_marked_lines(f, c, filter_text);
  fprintf(f, "\nenum { MOST_PARTS = %d };\n", FB_MOST_PARTS);
  put_marked_lines(f, c, advance_text);
  put_marked_lines(f, c, timed_text);
}
