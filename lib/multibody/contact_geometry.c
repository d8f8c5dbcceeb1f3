#include "lib/multibody/contact_geometry.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/multibody/chain_rule.h"

#include <math.h>

// A contact with friction or a shape has further rows after those of all gaps: positions of x0 along
// two tangents, or x and y of a shape, whose own row is z. A sphere with friction touches at a point
// that changes: three rows of the plane and three per tangent, at the points x0 + length e_k, give
// the axes e_k of body[0] along the normal and the tangents. If it turns about one axis of the plane,
// the first two with its turns are enough.
enum { POINT_ROWS = 2, SPHERE_ROWS = POINT_ROWS + 9, MOST_ROWS = SPHERE_ROWS + 1 };

struct dm_contacts {
  int n, framed; // contacts; those with further rows
  bool rough;    // has one friction?
  const dm_model *tree;
  dm_chain_rule map; // to quaternions of ball joints
  dm_constraints *row;
  double *sign, *shift, *scale, *restitution; // [n] g = sign h - shift
  double *friction;                           // [n]
  bool *angle;                                // [n] stop of a revolute joint
  int *frame;                                 // [n] first of its further rows; -1: none
  bool *planar;                               // [n] a sphere with constant turns
  double *turn;                               // [n x 2 x map.n] its turns, else 0
  dm_contact *list;                           // [n] the descriptions
  int *first, *column;                        // the coordinates of each gap, see dm_unilateral
  size_t columns;                             // their number
};

// the constraint row of a contact kind, and its sign
typedef struct contact_row {
  dm_constraint_kind row;
  int sign;
} contact_row;

#define LIST_ROW(NAME, ROW, sign, word, must, may) [DM_##NAME] = {DM_##ROW, sign},
static const contact_row contact_rows[] = {DM_CONTACT_KINDS(LIST_ROW)};
#undef LIST_ROW

static dm_status check_contact(const dm_contact *c, dm_message *msg) {
  const dm_constraint_kind kind = contact_rows[c->kind].row;

  // the gradient of a squared distance vanishes at zero
  bool distance = kind == DM_DISTANCE;
  if (!isfinite(c->length) || (distance && !(c->length > 0)))
    return dm_fail(msg, DM_BAD_INPUT, "contact '%s': length must be %s, got %g", c->name,
                   distance ? "> 0" : "finite", c->length);
  if (!(c->restitution >= 0 && c->restitution <= 1))
    return dm_fail(msg, DM_BAD_INPUT, "contact '%s': restitution must be within 0 and 1, got %g",
                   c->name, c->restitution);
  if (!(c->friction >= 0 && isfinite(c->friction)))
    return dm_fail(msg, DM_BAD_INPUT, "contact '%s': friction must be >= 0, got %g", c->name,
                   c->friction);

  // tangents exist only for a plane and a shape
  if (c->friction > 0 && (kind != DM_PLANE || c->length < 0))
    return dm_fail(msg, DM_BAD_INPUT,
                   "contact '%s': friction acts above a plane or outside of a shape, with a length "
                   ">= 0",
                   c->name);
  const bool shape = c->kind == DM_OUTSIDE;
  if (shape && !(c->length >= 0))
    return dm_fail(msg, DM_BAD_INPUT,
                   "contact '%s': length must be >= 0 outside of a shape, got %g", c->name,
                   c->length);
  const double *a = c->axis, *b = c->along;
  if (shape && !(fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) < 1e-9 &&
                 fabs(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] - 1) < 1e-9))
    return dm_fail(msg, DM_BAD_INPUT,
                   "contact '%s': the axis x of its shape must be a unit vector normal to z",
                   c->name);
  return DM_OK;
}

// the constraint row whose value, with sign and shift, is the gap of the contact
static dm_constraint make_gap_row(const dm_contact *c) {
  dm_constraint r = {.name = c->name, .length = c->length, .coord = {-1, -1}};
  for (int i = 0; i < 2; i++) {
    r.body[i] = c->body[i];
    for (int k = 0; k < 3; k++) r.point[i][k] = c->point[i][k];
  }
  for (int k = 0; k < 3; k++) r.axis[k] = c->axis[k];
  r.kind = contact_rows[c->kind].row;

  // a stop is a linear relation with ratio 0: q_coord = length
  if (r.kind == DM_EQUAL) {
    r.shift = c->length;
    r.coord[0] = r.coord[1] = c->coord;
  }
  return r;
}

dm_contact_gap dm_contact_gap_row(const dm_contact *c, dm_constraint *row) {
  const contact_row *kind = &contact_rows[c->kind];
  *row = make_gap_row(c);
  // the sign turns h into a gap; d(l^2) = 2 l dl: impulses and rates refer to the gap as a length
  return (dm_contact_gap){.sign = kind->sign,
                          .shift = kind->row == DM_PLANE ? c->length : 0,
                          .scale = kind->row == DM_DISTANCE ? 2 * c->length : 1};
}

// planes through x1 that contain the axis
void dm_contact_tangent_rows(const dm_contact *c, dm_constraint *r) {
  const double *a = c->axis;

  // s: the component normal to a of a frame axis e_k at least 45 degrees away from a; or the axis x
  int k = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
  const double e[3] = {k == 0, k == 1, k == 2};
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = c->kind == DM_OUTSIDE ? c->along[i] : e[i] - a[k] * a[i];
  double size = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);

  // first tangent s / |s|, second tangent a x s / |s|
  r[0] = r[1] = make_gap_row(c);
  for (int i = 0; i < 3; i++) r[0].axis[i] = s[i] / size;
  for (int i = 0; i < 3; i++) {
    // a x s, by cyclic indices
    int j = (i + 1) % 3, l = (i + 2) % 3;
    r[1].axis[i] = a[j] * r[0].axis[l] - a[l] * r[0].axis[j];
  }
}

// the number of further rows of a contact
static int count_frame_rows(const dm_contact *c) {
  if (!(c->friction > 0)) return c->kind == DM_OUTSIDE ? POINT_ROWS : 0;
  return c->length > 0 ? SPHERE_ROWS : POINT_ROWS;
}

static void make_frame_rows(const dm_contact *c, dm_constraint *r) {
  dm_contact_tangent_rows(c, r);
  if (count_frame_rows(c) == POINT_ROWS) return;

  // the plane, then either tangent, at the ends of the axes of body[0]
  const dm_constraint center[3] = {make_gap_row(c), r[0], r[1]};
  for (int i = 0; i < 9; i++) {
    r[POINT_ROWS + i] = center[i / 3];
    r[POINT_ROWS + i].point[0][i % 3] += c->length;
  }
}

static void lay_out_contacts(void *self, dm_block *b) {
  dm_contacts *c = self;
  dm_chain_rule_lay_out(&c->map, b, c->tree);
  double **arrays[] = {&c->sign, &c->shift, &c->scale, &c->restitution, &c->friction};
  for (int i = 0; i < 5; i++) *arrays[i] = dm_block_alloc(b, (size_t)c->n, sizeof(double));
  c->frame = dm_block_alloc(b, (size_t)c->n, sizeof *c->frame);
  c->angle = dm_block_alloc(b, (size_t)c->n, sizeof *c->angle);
  c->list = dm_block_alloc(b, (size_t)c->n, sizeof *c->list);
  c->planar = dm_block_alloc(b, (size_t)c->n, sizeof *c->planar);
  c->turn = dm_block_alloc(b, 2 * (size_t)c->n * (size_t)c->map.n, sizeof *c->turn);
  c->first = dm_block_alloc(b, (size_t)c->n + 1, sizeof *c->first);
  c->column = dm_block_alloc(b, c->columns, sizeof *c->column);
}

static dm_status find_turns(dm_contacts *c);

// one row per contact, then the further rows
static dm_status compile_rows(dm_constraints **out, const dm_model *m, int n,
                              const dm_contact *list, dm_message *msg) {
  dm_block rows = {0};
  int all = n;
  for (int i = 0; i < n; i++) {
    DM_TRY(check_contact(&list[i], msg));
    all += count_frame_rows(&list[i]);
  }
  dm_block_alloc(&rows, (size_t)all, sizeof(dm_constraint));
  if (dm_block_new(&rows) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_constraint *row = dm_block_alloc(&rows, (size_t)all, sizeof *row), *at = row + n;
  for (int i = 0; i < n; i++) {
    row[i] = make_gap_row(&list[i]);
    if (count_frame_rows(&list[i])) make_frame_rows(&list[i], at);
    at += count_frame_rows(&list[i]);
  }
  const dm_status status = dm_constraints_new(out, m, all, row, msg);
  dm_block_free(row);
  return status;
}

dm_status dm_contacts_new(dm_contacts **out, const dm_model *m, int n, const dm_contact *list,
                          dm_message *msg) {
  dm_contacts sizes = {.n = n, .tree = m};
  dm_constraints *compiled = NULL;
  DM_TRY(compile_rows(&compiled, m, n, list, msg));
  sizes.row = compiled;
  dm_block columns = {0};
  dm_block_alloc(&columns, (size_t)m->nj + 2, sizeof(int));
  if (dm_block_new(&columns) != DM_OK) {
    dm_constraints_free(compiled);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  int *column = dm_block_alloc(&columns, (size_t)m->nj + 2, sizeof *column);
  for (int i = 0; i < n; i++) sizes.columns += (size_t)dm_constraints_columns(compiled, i, column);
  dm_contacts *c = dm_block_make(&sizes, sizeof sizes, lay_out_contacts);
  if (!c) {
    dm_block_free(column);
    dm_constraints_free(compiled);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }

  // g = sign h - shift; h of a squared distance has the scale 2 length
  dm_chain_rule_set(&c->map, m);
  int frame = n;
  for (int i = 0; i < n; i++) {
    const dm_contact *x = &list[i];
    dm_constraint gap;
    const dm_contact_gap form = dm_contact_gap_row(x, &gap);
    const int count = dm_constraints_columns(compiled, i, column);
    memcpy(c->column + c->first[i], column, (size_t)count * sizeof *column);
    c->first[i + 1] = c->first[i] + count;
    c->list[i] = *x;
    c->list[i].name = NULL; // the caller owns the names
    c->sign[i] = form.sign;
    c->shift[i] = form.shift;
    c->scale[i] = form.scale;
    c->angle[i] = gap.kind == DM_EQUAL && m->kind[x->coord] != DM_SLIDE;
    c->restitution[i] = x->restitution;
    c->friction[i] = x->friction;
    c->frame[i] = count_frame_rows(x) ? frame : -1;
    c->framed += count_frame_rows(x) > 0;
    c->rough |= x->friction > 0;
    frame += count_frame_rows(x);
  }
  dm_block_free(column);
  if (find_turns(c) != DM_OK) {
    dm_contacts_free(c);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  *out = c;
  return DM_OK;
}

void dm_contacts_free(dm_contacts *c) {
  if (c) dm_constraints_free(c->row);
  dm_block_free(c);
}

int dm_contacts_list(const dm_contacts *c, const dm_contact **list) {
  *list = c->list;
  return c->n;
}

const dm_constraints *dm_contacts_rows(const dm_contacts *c) {
  return c->row;
}

int dm_contacts_sign(const dm_contacts *c, int i) {
  return c->sign[i] < 0 ? -1 : 1;
}

// -- rows in external coordinates

typedef struct contact_point {
  dm_chained at;            // with ball joints
  double *Dh, *H, *g;       // [MOST_ROWS n x nt], [nt x nt], [nt] internal derivatives
  double *h, *other, *rows; // [MOST_ROWS n] values, those at another point; [MOST_ROWS n x nq]
  int *which;               // [MOST_ROWS n]
  void *inner;
} contact_point;

static contact_point open_contact(const dm_contacts *c, dm_block *b) {
  const size_t most = (size_t)c->n + (MOST_ROWS - 1) * (size_t)c->framed, nt = (size_t)c->map.nt;
  contact_point r = {0};
  if (c->map.nball) {
    dm_chained_lay_out(&r.at, b, &c->map);
    r.Dh = dm_block_alloc(b, most * nt, sizeof(double));
    r.H = dm_block_alloc(b, nt * nt, sizeof(double));
    r.g = dm_block_alloc(b, nt, sizeof(double));
  }
  if (c->framed) {
    r.h = dm_block_alloc(b, most, sizeof(double));
    r.other = dm_block_alloc(b, most, sizeof(double));
    r.rows = dm_block_alloc(b, most * (size_t)c->map.n, sizeof(double));
    r.which = dm_block_alloc(b, most, sizeof *r.which);
  }
  r.inner = dm_block_alloc(b, dm_constraints_holonomic(c->row).scratch, 1);
  return r;
}

static contact_point place_contact(const dm_contacts *c, void *scratch) {
  dm_block b = {.base = scratch};
  return open_contact(c, &b);
}

// h [m] and, if Dh is not NULL, Dh [m x n] of rows at external q
static dm_status eval_rows(const dm_contacts *c, contact_point *r, const double *q, int m,
                           const int *which, double *h, double *Dh) {
  if (!c->map.nball) return dm_constraints_rows(c->row, r->inner, q, m, which, h, Dh);
  dm_chained_set(&c->map, &r->at, q, NULL);
  DM_TRY(dm_constraints_rows(c->row, r->inner, r->at.q, m, which, h, Dh ? r->Dh : NULL));

  // Dh turns_q
  if (!Dh) return DM_OK;
  memset(Dh, 0, (size_t)(m * c->map.n) * sizeof *Dh);
  dm_chain_right(&c->map, dm_chained_maps(&r->at).turns_q, m, r->Dh, Dh);
  return DM_OK;
}

// -- shapes

static bool is_outside(const dm_contacts *c, int i) {
  return c->list[i].kind == DM_OUTSIDE;
}

// a coordinate of a frame by the place of its row: z, x, y
static const int place_in_frame[3] = {2, 0, 1};

// D of shape i at rows h [3], with its derivatives by these rows: gradient g [3] unless NULL, Hessian
// H [3 x 3] unless NULL
static double eval_shape(const dm_contacts *c, int i, const double h[3], double *g, double *H) {
  double x[3], D_x[3], D_xx[9];
  for (int f = 0; f < 3; f++) x[place_in_frame[f]] = h[f];
  const int order = H ? 2 : g != NULL;
  const double D = dm_shape_distance(&c->list[i].shape, order, x, D_x, D_xx);
  for (int f = 0; g && f < 3; f++) g[f] = D_x[place_in_frame[f]];
  for (int f = 0; H && f < 9; f++) H[f] = D_xx[3 * place_in_frame[f / 3] + place_in_frame[f % 3]];
  return D;
}

// the further rows x and y of the shapes among contacts `which` [m] into r->which; their number
static int list_shape_rows(const dm_contacts *c, const contact_point *r, int m, const int *which) {
  int n = 0;
  for (int k = 0; k < m && c->framed; k++) {
    const int i = which ? which[k] : k;
    if (!is_outside(c, i)) continue;
    for (int j = 0; j < POINT_ROWS; j++) r->which[n++] = c->frame[i] + j;
  }
  return n;
}

// -- the interface

// The gap of a shape from its row z, in *g and G [n] (NULL: no gradient), and its rows x and y.
static void put_shape(const dm_contacts *c, int i, const double *h, const double *rows, double *g,
                      double *G) {
  const double x[3] = {*g, h[0], h[1]};
  double D_x[3];
  *g = eval_shape(c, i, x, G ? D_x : NULL, NULL);
  for (int j = 0; G && j < c->map.n; j++)
    G[j] = D_x[0] * G[j] + D_x[1] * rows[j] + D_x[2] * rows[c->map.n + j];
}

static dm_status eval_gap_rows(const void *self, void *scratch, const double *q, int m,
                               const int *which, double *g, double *G) {
  const dm_contacts *c = self;
  contact_point r = place_contact(c, scratch);
  const int more = list_shape_rows(c, &r, m, which);
  DM_TRY(eval_rows(c, &r, q, m, which, g, G));
  if (more) DM_TRY(eval_rows(c, &r, q, more, r.which, r.h, G ? r.rows : NULL));
  for (int k = 0, at = 0; k < m; k++) {
    int i = which ? which[k] : k;
    if (is_outside(c, i)) {
      put_shape(c, i, r.h + at, r.rows + at * c->map.n, &g[k], G ? G + k * c->map.n : NULL);
      at += POINT_ROWS;
    }
    g[k] = c->sign[i] * g[k] - c->shift[i];
    // the gradient of -h is -Dh
    for (int j = 0; G && c->sign[i] < 0 && j < c->map.n; j++) G[k * c->map.n + j] *= -1;
  }
  return DM_OK;
}

static dm_status eval_gap_entries(const void *self, void *scratch, const double *q, int m,
                                  const int *which, double *g, double *entry) {
  const dm_contacts *c = self;
  contact_point r = place_contact(c, scratch);
  const int more = list_shape_rows(c, &r, m, which);
  DM_TRY(dm_constraints_entries(c->row, r.inner, q, m, which, c->first, c->column, g, entry));
  if (more) DM_TRY(eval_rows(c, &r, q, more, r.which, r.h, r.rows));
  for (int k = 0, at = 0; k < m; k++) {
    const int i = which ? which[k] : k, count = c->first[i + 1] - c->first[i];
    if (is_outside(c, i)) {
      // the rows of a shape depend on the same coordinates
      const double x[3] = {g[k], r.h[at], r.h[at + 1]}, *rows = r.rows + at * c->map.n;
      double D_x[3];
      g[k] = eval_shape(c, i, x, D_x, NULL);
      for (int j = 0; j < count; j++) {
        const int column = c->column[c->first[i] + j];
        entry[j] = D_x[0] * entry[j] + D_x[1] * rows[column] + D_x[2] * rows[c->map.n + column];
      }
      at += POINT_ROWS;
    }
    g[k] = c->sign[i] * g[k] - c->shift[i];
    for (int j = 0; c->sign[i] < 0 && j < count; j++) entry[j] *= -1;
    entry += count;
  }
  return DM_OK;
}

// the distance that points which only translate leave free; the gap of a square is a difference of
// squares
static double find_reach(const void *self, int i, double g) {
  const dm_contacts *c = self;
  const double l = c->list[i].length;
  if (!dm_constraints_translates(c->row, i)) return 0;
  if (contact_rows[c->list[i].kind].row != DM_DISTANCE) return g;
  return c->sign[i] > 0 ? sqrt(fmax(g + l * l, 0)) - l : l - sqrt(fmax(l * l - g, 0));
}

static dm_status eval_gaps(const void *self, void *scratch, const double *q, double *g) {
  const dm_contacts *c = self;
  return eval_gap_rows(c, scratch, q, c->n, NULL, g, NULL);
}

// does contact i touch at a point of the body that changes?
static bool is_rolling(const dm_contacts *c, int i) {
  return count_frame_rows(&c->list[i]) == SPHERE_ROWS && !c->planar[i];
}

// do the tangents of contact i need the row of its gap as well?
static bool needs_normal(const dm_contacts *c, int i) {
  return is_rolling(c, i) || is_outside(c, i);
}

// The rows that the tangents of contacts `which` [m] need, into r->which: for a point above a plane
// its two, otherwise its gap first, then its own. Returns their number.
static int list_tangent_rows(const dm_contacts *c, const contact_point *r, int m,
                             const int *which) {
  int n = 0;
  for (int k = 0; k < m; k++) {
    const int i = which[k], count = is_rolling(c, i) ? SPHERE_ROWS : POINT_ROWS;
    if (needs_normal(c, i)) r->which[n++] = i;
    for (int j = 0; j < count; j++) r->which[n++] = c->frame[i] + j;
  }
  return n;
}

// the unit normal of contact i in the frame of its rows h: the axis of a plane, or the gradient of D
static void find_normal(const dm_contacts *c, int i, const double *h, double n[3]) {
  n[0] = 1;
  n[1] = n[2] = 0;
  if (is_outside(c, i)) eval_shape(c, i, h, n, NULL);
}

// two tangents normal to n, which the least turn takes from the frame's first axis to n turns with it
static void find_tangents(const double n[3], double t[2][3]) {
  const double share = 1 + n[0];
  const bool back = share < 1e-9; // half a turn about the second axis
  for (int j = 0; j < 2; j++) {
    const double a = n[1 + j];
    t[j][0] = back ? 0 : -a;
    t[j][1] = back ? j == 0 : (j == 0) - a * n[1] / share;
    t[j][2] = back ? -(j == 1) : (j == 1) - a * n[2] / share;
  }
}

// Tangents at contact i: x0 - length n in axes of body[0], the mean of this point at q and at the
// other configuration, is carried along:
//   tau_j = t_j.x0 - sum_k a_k (t_j.(x0 + length e_k) - t_j.x0),  a_k = n.e_k
// with t_j normal to the mean of both n; a point has no a.
//   h, other  [MOST_ROWS] values of its rows at q, and at the other configuration
//   D         [MOST_ROWS x n] gradients; NULL: no T
static void put_tangents(const dm_contacts *c, int i, const double *h, const double *other,
                         const double *D, double *tau, double *T) {
  const int n = c->map.n, tips = is_rolling(c, i) ? 3 : 0;
  const double length = c->list[i].length;
  double normal[2][3], mean[3], t[2][3], size = 0;
  find_normal(c, i, h, normal[0]);
  find_normal(c, i, other, normal[1]);
  for (int f = 0; f < 3; f++) mean[f] = (normal[0][f] + normal[1][f]) / 2;
  for (int f = 0; f < 3; f++) size += mean[f] * mean[f];
  for (int f = 0; f < 3; f++) mean[f] /= sqrt(size);
  find_tangents(mean, t);

  // the point of body[0], in its axes, of which e_k has the coordinates (h_tip - h) / length
  double a[3] = {0};
  for (int k = 0; k < tips; k++)
    for (int f = 0; f < 3; f++) {
      const int tip = 3 + 3 * f + k;
      a[k] +=
          (normal[0][f] * (h[tip] - h[f]) + normal[1][f] * (other[tip] - other[f])) / (2 * length);
    }
  memset(tau, 0, 2 * sizeof *tau);
  if (T) memset(T, 0, 2 * (size_t)n * sizeof *T);
  for (int j = 0; j < 2; j++)
    for (int f = 0; f < 3; f++) {
      double along = h[f];
      if (D) dm_add_to(n, t[j][f], D + f * n, T + j * n);
      for (int k = 0; k < tips; k++) {
        const int tip = 3 + 3 * f + k;
        along -= a[k] * (h[tip] - h[f]);
        if (D) dm_add_to(n, -t[j][f] * a[k], D + tip * n, T + j * n);
        if (D) dm_add_to(n, t[j][f] * a[k], D + f * n, T + j * n);
      }
      tau[j] += t[j][f] * along;
    }
}

static dm_status eval_tangents(const void *self, void *scratch, const double *q,
                               const double *other, int m, const int *which, double *tau,
                               double *T) {
  const dm_contacts *c = self;
  contact_point r = place_contact(c, scratch);
  const int rows = list_tangent_rows(c, &r, m, which), n = c->map.n;
  DM_TRY(eval_rows(c, &r, q, rows, r.which, r.h, T ? r.rows : NULL));
  if (rows == POINT_ROWS * m || !other)
    memcpy(r.other, r.h, (size_t)rows * sizeof *r.h);
  else
    DM_TRY(eval_rows(c, &r, other, rows, r.which, r.other, NULL));

  for (int k = 0, at = 0; k < m; k++) {
    const int i = which[k];
    double *to = tau + 2 * k, *rows_to = T ? T + 2 * k * n : NULL;
    if (needs_normal(c, i)) {
      put_tangents(c, i, r.h + at, r.other + at, T ? r.rows + at * n : NULL, to, rows_to);
      at += is_rolling(c, i) ? MOST_ROWS : 1 + POINT_ROWS;
      continue;
    }
    // a point, or a sphere that turns about one axis
    const double *turn = c->turn + 2 * i * n;
    for (int j = 0; j < 2; j++) to[j] = r.h[at + j] + dm_inner(n, turn + j * n, q);
    for (int j = 0; T && j < 2 * n; j++) rows_to[j] = r.rows[at * n + j] + turn[j];
    at += POINT_ROWS;
  }
  return DM_OK;
}

// the tangents of sphere i less those of its center, at a point: turn [2 x n]
static dm_status measure_turn(const dm_contacts *c, void *scratch, const double *q, int i,
                              double *turn) {
  double tau[2];
  contact_point r = place_contact(c, scratch);
  DM_TRY(eval_tangents(c, scratch, q, NULL, 1, &i, tau, turn));
  // the rows of the center are the second and the third
  dm_add_to(2 * c->map.n, -1, r.rows + c->map.n, turn);
  return DM_OK;
}

// A sphere turns about one axis of the plane if its tangents less those of its center are the same
// at scattered points.
static dm_status find_turns(dm_contacts *c) {
  enum { POINTS = 4 };
  const int n = c->map.n;
  dm_block b = {0};
  double *q = NULL;
  void *scratch = NULL;
  for (int pass = 0; pass < 2; pass++) {
    q = dm_block_alloc(&b, 3 * (size_t)n, sizeof *q);
    scratch = dm_block_alloc(&b, dm_contacts_unilateral(c).scratch, 1);
    if (pass == 0) DM_TRY(dm_block_new(&b));
  }
  double *at = q + n;
  for (int i = 0; i < c->n; i++) {
    if (!is_rolling(c, i) || is_outside(c, i)) continue;
    double *turn = c->turn + 2 * i * n, largest = 0;
    bool planar = true;
    for (int p = 0; p < POINTS && planar; p++) {
      for (int j = 0; j < n; j++) q[j] = 0.1 + 0.9 * fabs(sin(1 + 7 * j + 31 * p));
      planar = measure_turn(c, scratch, q, i, p ? at : turn) == DM_OK;
      for (int j = 0; p == 0 && j < 2 * n; j++) largest = fmax(largest, fabs(turn[j]));
      for (int j = 0; p > 0 && j < 2 * n; j++) planar &= fabs(at[j] - turn[j]) <= 1e-9 * largest;
    }
    for (int j = 0; j < 2 * n; j++)
      if (!planar || fabs(turn[j]) <= 1e-12 * largest) turn[j] = 0;
    c->planar[i] = planar;
  }
  dm_block_free(q);
  return DM_OK;
}

const double *dm_contacts_turn(const dm_contacts *c, int i) {
  return is_rolling(c, i) || (is_outside(c, i) && c->list[i].friction > 0)
             ? NULL
             : c->turn + 2 * i * c->map.n;
}

static dm_status contract_gaps(const void *self, void *scratch, const double *q, int m,
                               const int *which, const double *lambda, double *H) {
  const dm_contacts *c = self;
  contact_point r = place_contact(c, scratch);
  const int nt = c->map.nt;
  const bool ball = c->map.nball > 0;
  if (ball) {
    // sum of lambda Dht for the second derivatives of turns(q)
    dm_chained_set(&c->map, &r.at, q, NULL);
    memset(r.H, 0, (size_t)nt * (size_t)nt * sizeof *r.H);
    memset(r.g, 0, (size_t)nt * sizeof *r.g);
  }
  for (int k = 0; k < m; k++) {
    // D2g = sign D2h; of a shape D_x D2h + Dh'D_xx Dh
    const int i = which[k], rows = is_outside(c, i) ? 3 : 1;
    const int row[3] = {i, c->frame[i], c->frame[i] + 1};
    const double *at = ball ? r.at.q : q;
    double *to = ball ? r.H : H, *Dh = ball ? r.Dh : r.rows;
    double weight[3] = {c->sign[i]}, h[3], D_xx[9] = {0};
    if (ball || rows > 1) DM_TRY(dm_constraints_rows(c->row, r.inner, at, rows, row, h, Dh));
    if (rows > 1) eval_shape(c, i, h, weight, D_xx);
    for (int f = 0; f < rows; f++) weight[f] *= lambda[k];
    dm_constraints_contract(c->row, r.inner, at, rows, row, weight, to);
    for (int e = 0; e < 9 && rows > 1; e++)
      for (int j = 0; j < nt; j++)
        dm_add_to(nt, lambda[k] * D_xx[e] * Dh[e / 3 * nt + j], Dh + e % 3 * nt, to + j * nt);
    for (int f = 0; ball && f < rows; f++) dm_add_to(nt, weight[f], Dh + f * nt, r.g);
  }
  if (!ball) return DM_OK;

  // turns_q' (sum lambda D2ht) turns_q + (sum lambda Dht).turns_qq
  const dm_chain_maps J = dm_chained_maps(&r.at);
  dm_chain_both(&c->map, &r.at, J.turns_q, r.H, J.turns_q, H);
  dm_chain_add_hessian(&c->map, &r.at, r.g, NULL, H, NULL);
  return DM_OK;
}

static const char *find_contact_name(const void *self, int i) {
  return dm_constraints_row_name(((const dm_contacts *)self)->row, i);
}

dm_unilateral dm_contacts_unilateral(const dm_contacts *c) {
  // the first pass over the layout counts bytes
  dm_block b = {0};
  open_contact(c, &b);
  return (dm_unilateral){.ng = c->n,
                         .scale = c->scale,
                         .angle = c->angle,
                         .restitution = c->restitution,
                         .self = c,
                         .scratch = (b.used + 63) & ~(size_t)63,
                         .values = eval_gaps,
                         .rows = eval_gap_rows,
                         .contract = contract_gaps,
                         // in quaternions gaps depend on all coordinates
                         .first = c->map.nball ? NULL : c->first,
                         .column = c->column,
                         .entries = eval_gap_entries,
                         .reach = c->map.nball ? NULL : find_reach,
                         .name = find_contact_name,
                         .friction = c->rough ? c->friction : NULL,
                         .tangents = eval_tangents};
}
