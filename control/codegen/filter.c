#include "control/codegen/filter.h"

#include "control/codegen/prediction.h"

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
// which a turn more is no error; with G, of a gate; with D, of disturbances; with B, of their bounds;
// with M, of a prediction by the model's step (U, V: of inputs in time, late; N: with disturbances)
static const char filter_text[] =
    "\n"
    "void controller_begin(controller_filter *filter) {\n"
    "  int i;\n"
    "  for (i = 0; i < NZ; i++) filter->z[i] = 0;\n"
    "G  for (i = 0; i < NY; i++) filter->missed[i] = 0;\n"
    "}\n"
    "\n"
    "void controller_encoders(int k, controller_filter *filter, const controller_real "
    "encoder[NY],\n"
    "-                         controller_real u[CONTROLLER_NU]) {\n"
    "+                         const controller_real now[CONTROLLER_NU], controller_real "
    "u[CONTROLLER_NU]) {\n"
    "  const controller_real *y_d = y_d_state + row(k, y_d_state_rows) * NS;\n"
    "  const controller_real *c = u_d + row(k, u_d_rows) * CONTROLLER_NU;\n"
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
    "B  for (j = 0; j < ND; j++) {\n"
    "B    if (z[NX + j] > d_max[j]) z[NX + j] = d_max[j];\n"
    "B    if (z[NX + j] < -d_max[j]) z[NX + j] = -d_max[j];\n"
    "B  }\n"
    "  for (i = 0; i < NX; i++) y[i] = y_d[i] + z[i];\n"
    "D  /* what acts beside the inputs is taken off them */\n"
    "D  for (j = 0; j < CONTROLLER_NU; j++) wanted[j] = c[j];\n"
    "D  for (j = 0; j < ND; j++) wanted[disturbed[j]] = c[disturbed[j]] - z[NX + j];\n"
    "D  c = wanted;\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) y[NX + j] = now[j];\n"
    "  law(NS, G_state + row(k, G_state_rows) * CONTROLLER_NU * NS, y_d, c, y, u);\n"
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
    "}\n";

void fb_filter_write(FILE *f, const fb_codegen *c) {
  const bool map = c->estimator->predictor.step != NULL;
  const struct {
    char mark;
    bool meant;
  } marks[] = {{'-', !c->estimator->f->late},        {'+', c->estimator->f->late},
               {'T', c->estimator->f->turns},        {'G', fb_estimator_gates(c->estimator)},
               {'D', c->estimator->nd > 0},          {'M', map},
               {'U', map && !c->estimator->f->late}, {'V', map && c->estimator->f->late},
               {'N', map && c->estimator->nd > 0},   {'B', fb_estimator_bounds(c->estimator)}};
  if (fb_estimator_gates(c->estimator))
    fprintf(f, "\nenum { BELIEVED = %d };\n%s", FB_BELIEVED, gate_text);

  if (map) fb_prediction_write(f, c->estimator->predictor.self, c->set.single);

  // of the lines those that are meant
  for (const char *line = filter_text, *end; *line; line = end) {
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
