#include "control/codegen/tables.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "control/onboard/onboard.h"

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
  const size_t known = e ? (size_t)e->nx : 0;
  int n = 0;

  // c, common to all forms; y_d and G of each; L, A, B of the filter
  list[n++] = (fb_table){"u_d", "", w->c, N, nu};
  for (int form = 0; form < FB_FORMS; form++) {
    w = c->law[form];
    if (!w || fb_codegen_shares_law(c, form)) continue;
    const char *name = fb_codegen_law(form);
    list[n++] = (fb_table){"y_d_", name, w->y_d, N + 1, (size_t)w->ny};
    list[n++] = (fb_table){"G_", name, w->G, N, nu * (size_t)w->ny};
    const size_t packed = (size_t)w->nm * ((size_t)w->nm + 1) / 2;
    if (w->nm) list[n++] = (fb_table){"P_", name, w->P, N, packed};
    if (!w->f.sections) continue;
    list[n++] = (fb_table){"y_s_", name, w->slope, N + 1, (size_t)w->ny};
    list[n++] = (fb_table){"section_", name, w->section, N + 1, (size_t)w->ny};
  }
  w = fb_codegen_any(c);
  if (w->f.sections) list[n++] = (fb_table){"u_s", "", w->slope_u, N, nu};
  if (c->v_d && !w->near) list[n++] = (fb_table){"v_d", "", c->v_d, N + 1, nx / 2};
  w = fb_codegen_rubbed(c);
  if (w) list[n++] = (fb_table){"mass", "", w->mass, N, nu};
  if (w) list[n++] = (fb_table){"ahead", "", w->ahead, N, nu};
  if (!e) return n;
  list[n++] = (fb_table){"L", "", e->L, N, (size_t)(e->nz * e->ny)};
  list[n++] = (fb_table){"A", "", e->A, N, known * known};
  list[n++] = (fb_table){"B", "", e->B, N, known * nu};
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
    fprintf(f, "    .%s = {%s%s%s, %zu, %zu},\n", name, t->name, t->form, c->set.end,
            fb_tables_rows(c, t), t->cols);
  }
}

// -- the tree of computed momenta

// an array of its tables, of numbers or of indices
typedef struct fb_tree_array {
  const char *name;
  const double *x;
  const int *i;
  int count;
} fb_tree_array;
enum { FB_TREE_ARRAYS = 32 };

bool fb_tables_faced(const tree_tables *M) {
  bool any = false;
  for (int i = 0; i < M->loads; i++) any |= M->load_faced[i] != 0;
  return any;
}

// the arrays that are not empty; those of a step only if it has one. Returns their number.
static int list_tree(const tree_tables *M, fb_tree_array list[FB_TREE_ARRAYS]) {
  const int n = M->n, nj = M->joints, m = M->points > 0 ? n : 0, nu = M->drives;
  const int faced = fb_tables_faced(M) ? M->loads : 0;
  const fb_tree_array all[FB_TREE_ARRAYS] = {
      {"parent", NULL, M->parent, nj},
      {"coord", NULL, M->coord, nj},
      {"slides", NULL, M->slides, nj},
      {"ball", NULL, M->ball, M->balls ? nj : 0},
      {"turned", NULL, M->turned, M->balls},
      {"ratio", M->ratio, NULL, nj},
      {"shift", M->shift, NULL, nj},
      {"offset", M->offset, NULL, 12 * nj},
      {"body", M->body, NULL, 10 * nj},
      {"armature", M->armature, NULL, n},
      {"tie", NULL, M->tie, 2 * M->ties},
      {"tie_inertia", M->tie_inertia, NULL, M->ties},
      {"bond", NULL, M->bond, 2 * M->bonds},
      {"bond_stiffness", M->bond_stiffness, NULL, M->bonds},
      {"bond_damping", M->bond_damping, NULL, M->bonds},
      {"kinematic", NULL, M->kinematic, n},
      {"gravity", M->gravity, NULL, m ? 3 : 0},
      {"damping", M->damping, NULL, m},
      {"stiffness", M->stiffness, NULL, m},
      {"preload", M->preload, NULL, m},
      {"driven", NULL, M->driven, nu},
      {"impulse", M->impulse, NULL, nu},
      {"load_joint", NULL, M->load_joint, M->loads},
      {"load_input", NULL, M->load_input, M->loads},
      {"load_faced", NULL, M->load_faced, faced},
      {"load_point", M->load_point, NULL, 3 * faced},
      {"wrench", M->wrench, NULL, 6 * M->loads},
      {"friction_coord", NULL, M->friction_coord, M->frictions},
      {"friction", M->friction, NULL, 5 * M->frictions},
      {"force_share", M->force_share, NULL, m ? 2 : 0},
      {"rate", M->rate, NULL, m ? 1 : 0},
      {"point", M->point, NULL, 5 * M->points}};
  int count = 0;
  for (int i = 0; i < FB_TREE_ARRAYS; i++)
    if (all[i].count > 0) list[count++] = all[i];
  return count;
}

int fb_tables_tree_room(const fb_codegen *c, int way) {
  const tree_tables *M = fb_codegen_tree(c);
  const int own = way == FB_ENCODERS ? 8 : way == FB_POSITIONS ? 7 : 0;
  return own * M->n + FB_OF_JOINT * M->joints;
}

// the largest of all forms
static int find_tree_room(const fb_codegen *c) {
  int most = 0;
  if (!fb_codegen_tree(c)) return 0;
  for (int way = 0; way < FB_WAYS; way++) {
    const bool computes = way != FB_ENCODERS && c->law[way] && fb_codegen_computes_momentum(c, way);
    const bool predicts = way == FB_ENCODERS && fb_codegen_steps(c) && c->estimator;
    const int room = computes || predicts ? fb_tables_tree_room(c, way) : 0;
    if (room > most) most = room;
  }
  return most;
}

void fb_tables_write_tree(FILE *f, const fb_codegen *c) {
  const tree_tables *M = fb_codegen_tree(c);
  fb_tree_array list[FB_TREE_ARRAYS];
  const int count = list_tree(M, list);
  for (int a = 0; a < count; a++) {
    const fb_tree_array *t = &list[a];
    fb_lines_print(f, c->set.prefix,
                   t->x ? "static const controller_real tree_%s%s[%d] = {"
                        : "static const int tree_%s%s[%d] = {",
                   t->name, c->set.end, t->count);
    for (int i = 0; i < t->count; i++) {
      fputs(i == 0 ? "" : i % 6 ? ", " : ",\n    ", f);
      if (t->x)
        fb_number_write(f, c->set.single, t->x[i]);
      else
        fprintf(f, "%d", t->i[i]);
    }
    fputs("};\n", f);
  }

  // sizes, then arrays in the order of types.inc
  const struct {
    const char *name;
    int value;
  } sizes[] = {{"n", M->n},           {"balls", M->balls}, {"joints", M->joints},
               {"ties", M->ties},     {"bonds", M->bonds}, {"inputs", M->inputs},
               {"drives", M->drives}, {"loads", M->loads}, {"frictions", M->frictions},
               {"points", M->points}};
  fprintf(f, "\nstatic const tree_tables tree%s = {\n", c->set.end);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i].value) fprintf(f, "    .%s = %d,\n", sizes[i].name, sizes[i].value);
  for (int a = 0; a < count; a++)
    fprintf(f, "    .%s = tree_%s%s,\n", list[a].name, list[a].name, c->set.end);
  fputs("};\n", f);
}

// -- sizes

long fb_tables_bytes(const fb_codegen *c) {
  const fb_tvlqr *f = &fb_codegen_any(c)->f;
  fb_table list[FB_MAX_TABLES];
  int count = fb_tables_list(c, list);

  // numbers: u_min, u_max, the first late input, the tables; and the filter's indices
  // in units of controller_real
  long n = (long)f->nu * (2 + f->late);
  long which = c->estimator ? 4 * (c->estimator->ny + c->estimator->nd) : 0;
  for (int i = 0; i < count; i++) n += (long)(fb_tables_rows(c, &list[i]) * list[i].cols);

  // the tree of computed momenta
  fb_tree_array tree[FB_TREE_ARRAYS];
  const int arrays = fb_codegen_tree(c) ? list_tree(fb_codegen_tree(c), tree) : 0;
  for (int i = 0; i < arrays; i++) {
    n += tree[i].x ? tree[i].count : 0;
    which += tree[i].x ? 0 : 4L * tree[i].count;
  }

  // bounds of disturbances
  if (c->estimator) n += c->estimator->nd;

  // which entries are angles modulo 2 pi
  for (int form = 0; form < FB_FORMS; form++)
    which += c->law[form] && !fb_codegen_shares_law(c, form) ? 4L * c->law[form]->ny : 0;

  // an envelope's bounds, its damping at most, and the coordinates of the speeds
  if (f->envelope) n += fb_codegen_any(c)->n + f->nu + (f->envelope->cost > 0);
  if (f->envelope) which += 4 * f->nu;
  if (f->rate_limit) n += f->nu;
  if (fb_codegen_rubbed(c)) n += f->nu;
  if (fb_codegen_rubbed(c)) which += 4L * f->nu;
  if (fb_codegen_lined(c)) n += 2L * f->drives->n;
  if (fb_codegen_lined(c)) which += 4L * f->drives->n;
  const int paths = (f->path != NULL) + (f->sections > 0); // weights, travel
  for (int form = 0; form < FB_FORMS; form++) n += c->law[form] ? paths * f->nx : 0;

  // the integrated coordinates, the inputs whose motors have a lag
  which += 4L * (f->ni + f->nl);
  n += f->nl; // and their shares
  return n * get_number_size(c) + which;
}

int fb_tables_stack(const fb_codegen *c) {
  // bytes for a filter's own variables and nested calls; for one more call; for those of a tree, and of an orbit
  enum { FILTER = 220, COST = 112, TREE = 500, ORBIT = 160 };
  const int size = (int)get_number_size(c);
  const fb_output_feedback *w = fb_codegen_any(c);
  const int FRAMES = 384 + (w->nm ? COST : 0) + (w->f.sections ? ORBIT : 0);
  int ny = 0;
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form] && c->law[form]->ny > ny) ny = c->law[form]->ny;
  // by time: y, y_d and u_d at that time; a filter's current and next estimate, v, off
  const fb_tvlqr *f = &fb_codegen_any(c)->f;
  int doubles = 2 * ny + f->nu + (c->law[FB_POSITIONS] || c->law[FB_DIFFERENCE] ? f->nx / 2 : 0) +
                find_tree_room(c);
  // with disturbances: the plan's input minus them, and the disturbance of each input
  const fb_estimator *e = c->estimator;
  if (e) doubles += e->nx + e->nz + f->nx / 2 + e->ny + (e->nd ? 2 * f->nu : 0);
  // a prediction: its linear one; its calls
  const bool map = e && e->predictor.tree;
  if (map) doubles += f->nx;
  const int deeper = fb_codegen_tree(c) ? TREE : 0;
  if (e) return doubles * size + FRAMES + FILTER + deeper;
  return doubles * size + FRAMES + deeper;
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

void fb_tables_put(FILE *f, const fb_codegen *c, const fb_table *t) {
  const size_t rows = fb_tables_rows(c, t);
  // one knot's row after another
  fb_lines_print(f, c->set.prefix, "static const controller_real %s%s%s[%zu] = {", t->name, t->form,
                 c->set.end, rows * t->cols);
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
  fb_lines_print(f, c->set.prefix, "static const controller_real %s%s[%d] = {", name, c->set.end,
                 nu);
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
  if (s->late) fb_tables_put(f, c, &(fb_table){"first", "", s->u, 1, (size_t)s->nu});
  for (int i = 0; i < count; i++) fb_tables_put(f, c, &list[i]);
}
