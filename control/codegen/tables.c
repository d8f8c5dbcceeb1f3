#include "control/codegen/tables.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "control/codegen/prediction.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// bytes per number of the text
static long get_number_size(const fb_codegen *c) {
  return c->set.single ? 4 : 8;
}

int fb_tables_list(const fb_codegen *c, fb_table list[FB_MAX_TABLES]) {
  const fb_output_feedback *w = fb_codegen_any(c);
  const fb_estimator *e = c->estimator;
  size_t nu = (size_t)w->f.nu, nx = (size_t)w->f.nx, N = (size_t)w->f.N;
  int n = 0;

  // c, common to all forms; y_d and G of each; L, A, B of the filter
  list[n++] = (fb_table){"u_d", "", w->c, N, nu};
  for (int form = 0; form < FB_FORMS; form++) {
    w = c->law[form];
    if (!w) continue;
    list[n++] = (fb_table){"y_d_", fb_form_names[form], w->y_d, N + 1, (size_t)w->ny};
    list[n++] = (fb_table){"G_", fb_form_names[form], w->G, N, nu * (size_t)w->ny};
    const size_t packed = (size_t)w->nm * ((size_t)w->nm + 1) / 2;
    if (w->nm) list[n++] = (fb_table){"P_", fb_form_names[form], w->P, N, packed};
  }
  if (c->v_d && !fb_codegen_any(c)->near) list[n++] = (fb_table){"v_d", "", c->v_d, N + 1, nx / 2};
  if (!e) return n;
  list[n++] = (fb_table){"L", "", e->L, N, (size_t)(e->nz * e->ny)};
  list[n++] = (fb_table){"A", "", e->f->A, N, nx * nx};
  list[n++] = (fb_table){"B", "", e->f->B, N, nx * nu};
  if (fb_estimator_gates(e)) list[n++] = (fb_table){"gate", "", e->bound, N, (size_t)e->ny};
  return n;
}

// whether two rows print as the same text
static bool are_same(const fb_codegen *c, const double *a, const double *b, size_t cols) {
  for (size_t i = 0; i < cols; i++) {
    double x = fb_codegen_rounded(c, a[i]), y = fb_codegen_rounded(c, b[i]);
    if (memcmp(&x, &y, sizeof x) != 0) return false;
  }
  return true;
}

size_t fb_tables_rows(const fb_codegen *c, const fb_table *t) {
  // backwards from the end, until two rows differ
  size_t rows = t->knots;
  while (rows > 1 && are_same(c, t->x + (rows - 2) * t->cols, t->x + (rows - 1) * t->cols, t->cols))
    rows--;
  return rows;
}

void fb_tables_field(FILE *f, const fb_codegen *c, const char *name, const char *form) {
  fb_table list[FB_MAX_TABLES];
  const int count = fb_tables_list(c, list);
  for (int i = 0; i < count; i++) {
    const fb_table *t = &list[i];
    const size_t length = strlen(name);
    if (strncmp(t->name, name, length) || strcmp(t->name + length, form[0] ? "_" : "") ||
        strcmp(t->form, form))
      continue;
    fprintf(f, "    .%s = {%s%s, %zu, %zu},\n", name, t->name, t->form, fb_tables_rows(c, t),
            t->cols);
  }
}

long fb_tables_bytes(const fb_codegen *c) {
  const fb_tvlqr *f = &fb_codegen_any(c)->f;
  fb_table list[FB_MAX_TABLES];
  int count = fb_tables_list(c, list);

  // numbers: u_min, u_max, the first late input, the tables; and the filter's indices
  // in units of controller_real
  long n = (long)f->nu * (2 + f->late);
  long which = c->estimator ? 4 * (c->estimator->ny + c->estimator->nd) : 0;
  for (int i = 0; i < count; i++) n += (long)(fb_tables_rows(c, &list[i]) * list[i].cols);

  // constants of a prediction by step: 1/h, shares, damping, inputs, points of the rule
  if (c->estimator && c->estimator->predictor.step) {
    const fb_prediction *p = c->estimator->predictor.self;
    n += 3 + p->n + p->nu + 5L * p->rule.points;
    which += 4L * p->nu;
  }

  // bounds of disturbances
  if (c->estimator) n += c->estimator->nd;

  // which entries are angles modulo 2 pi
  for (int form = 0; form < FB_FORMS; form++) which += c->law[form] ? 4L * c->law[form]->ny : 0;

  // an envelope's bounds, its damping at most, and the coordinates of the speeds
  if (f->envelope) n += fb_codegen_any(c)->n + f->nu + (f->envelope->cost > 0);
  if (f->envelope) which += 4 * f->nu;
  if (f->rate_limit) n += f->nu;
  for (int form = 0; f->path && form < FB_FORMS; form++) n += c->law[form] ? f->nx : 0;

  // the integrated coordinates
  if (f->ni) which += 4L * f->ni;
  return n * get_number_size(c) + which;
}

int fb_tables_stack(const fb_codegen *c) {
  // bytes for a filter's own variables and nested calls; bytes for one more call
  enum { FILTER = 220, COST = 112 };
  const int size = (int)get_number_size(c);
  const int FRAMES = 384 + (fb_codegen_any(c)->nm ? COST : 0);
  int ny = 0;
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form] && c->law[form]->ny > ny) ny = c->law[form]->ny;
  // by time: y, y_d and u_d at that time; a filter's current and next estimate, v, off
  const fb_tvlqr *f = &fb_codegen_any(c)->f;
  int doubles = 2 * ny + f->nu + (c->law[FB_POSITIONS] ? f->nx / 2 : 0) +
                (c->momentum ? c->momentum->slots : 0);
  // with disturbances: the plan's input minus them, and the disturbance of each input
  const fb_estimator *e = c->estimator;
  if (e) doubles += f->nx + e->nz + f->nx / 2 + e->ny + (e->nd ? 2 * f->nu : 0);
  // a prediction: acts, x1; q1, r, D2; q, v, f, p of its residual; intermediate values
  const fb_prediction *p = e && e->predictor.step ? e->predictor.self : NULL;
  if (p) doubles += f->nu + f->nx + 8 * p->n + p->L->slots;
  if (e) return doubles * size + FRAMES + FILTER + (p ? FRAMES : 0);
  return doubles * size + FRAMES;
}

dm_status fb_tables_check(const fb_codegen *c, dm_message *msg) {
  const long bytes = fb_tables_bytes(c);
  // 2^30 bytes: a count that fits an int on any machine
  if (bytes > 1L << 30)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "controller.c would have tables of %ld bytes, expected at most 2^30: take fewer steps",
        bytes);

  // a number beyond FLT_MAX rounds to infinity
  fb_table list[FB_MAX_TABLES];
  int count = fb_tables_list(c, list);
  for (int t = 0; t < count; t++) {
    double max = 0;
    for (size_t i = 0; i < list[t].knots * list[t].cols; i++) max = fmax(max, fabs(list[t].x[i]));
    if (!isfinite(fb_codegen_rounded(c, max)))
      return dm_fail(msg, DM_NOT_FINITE, "a number of the law overflows %s precision",
                     c->set.single ? "single" : "double");
  }
  return DM_OK;
}

static void put_table(FILE *f, const fb_codegen *c, const fb_table *t, size_t rows) {
  // one knot's row after another
  fb_lines_print(f, c->set.prefix, "static const controller_real %s%s[%zu] = {", t->name, t->form,
                 rows * t->cols);
  for (size_t i = 0; i < rows * t->cols; i++) {
    // six numbers per line, each knot's row on its own lines; one stdio call per number
    char text[8 + FB_NUMBER];
    size_t used = i % t->cols == 0 || i % t->cols % 6 == 0 ? 5 : 1;
    memcpy(text, used == 5 ? "\n    " : " ", used);
    used += (size_t)fb_number_text(c->set.single, t->x[i], text + used);
    if (i + 1 < rows * t->cols) text[used++] = ',';
    fwrite(text, 1, used, f);
  }
  fputs("};\n", f);
}

// one side of the limits; without a limit the largest number
static void put_limit(FILE *f, const fb_codegen *c, const char *name, const double *limit,
                      double none) {
  int nu = fb_codegen_any(c)->f.nu;
  fb_lines_print(f, c->set.prefix, "static const controller_real %s[%d] = {", name, nu);
  for (int i = 0; i < nu; i++) {
    if (i) fputs(", ", f);
    // infinite limits have no constant in C89
    fb_number_write(f, c->set.single, limit && isfinite(limit[i]) ? limit[i] : none);
  }
  fputs("};\n", f);
}

void fb_tables_write(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const double largest = c->set.single ? FLT_MAX : DBL_MAX;
  fb_table list[FB_MAX_TABLES];
  int count = fb_tables_list(c, list);
  put_limit(f, c, "u_min", c->set.u_min, -largest);
  put_limit(f, c, "u_max", c->set.u_max, largest);
  if (s->late) put_table(f, c, &(fb_table){"first", "", s->u, 1, (size_t)s->nu}, 1);
  for (int i = 0; i < count; i++) put_table(f, c, &list[i], fb_tables_rows(c, &list[i]));
}
