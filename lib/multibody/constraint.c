#include "lib/multibody/constraint.h"

#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/vector_product.h"

#include <math.h>
#include <string.h>

typedef struct row {
  int constraint, number; // index among all rows, including removed ones
  dm_vector_product p;    // h = p - c
  double c;
  int length;   // coordinate whose square is subtracted; -1: none
  int coord[2]; // linear: q_0 - ratio q_1 - others - shift; -1: not linear
  double ratio, shift;
  dm_other_coordinates other;
} row;

struct dm_constraints {
  const dm_model *m;
  int n, nc, max_joints;    // constraints, rows, the largest number of joints of a row
  int all;                  // rows including the removed ones, which are stored last
  size_t joints, text_size; // of all rows; bytes of the names
  row *row;                 // [all]
  dm_moving_joint *by;      // joints of the rows
  const char **name;
  dm_constraint *described; // [n] the descriptions that were compiled
  char *text;
};

// -- compiling

static dm_vec to_vec(const double a[3]) {
  return dm_v(a[0], a[1], a[2]);
}

// -- rows of each kind: at most six, appended to the list

typedef struct row_list {
  const dm_model *m;
  int n;
  row row[6];
} row_list;

static row *add_row(row_list *r) {
  r->row[r->n] = (row){.length = -1, .coord = {-1, -1}};
  return &r->row[r->n++];
}

// A.B = 0
static void add_product(row_list *r, dm_body_vector A, dm_body_vector B) {
  add_row(r)->p = (dm_vector_product){.A = A, .B = B};
}

static dm_body_vector find_difference(const row_list *r, const dm_constraint *c) {
  return dm_body_vector_difference(r->m, c->body[0], c->point[0], c->body[1], c->point[1]);
}

// direction a in body 0 or 1 of the constraint
static dm_body_vector find_direction(const row_list *r, const dm_constraint *c, int body,
                                     dm_vec a) {
  return dm_body_vector_direction(r->m, c->body[body], a);
}

static const dm_vec unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// |x0 - x1|^2 = length^2, which avoids a square root; or = q_length^2
static void put_distance(row_list *r, const dm_constraint *c) {
  row *to = add_row(r);
  to->p = (dm_vector_product){.A = find_difference(r, c), .square = true};
  to->c = c->coord[0] < 0 ? c->length * c->length : 0;
  to->length = c->coord[0];
}

static void put_point(row_list *r, const dm_constraint *c) {
  // three products with the world's axes
  const dm_body_vector d = find_difference(r, c);
  for (int i = 0; i < 3; i++) add_product(r, dm_body_vector_direction(r->m, -1, unit[i]), d);
}

static void put_line(row_list *r, const dm_constraint *c) {
  // the difference has no component along x and y, the normals of the axis in body 1
  const dm_body_vector d = find_difference(r, c);
  const dm_pose frame = dm_pose_along(to_vec(c->axis), dm_v(0, 0, 0));
  add_product(r, find_direction(r, c, 1, frame.x), d);
  add_product(r, find_direction(r, c, 1, frame.y), d);
}

static void put_plane(row_list *r, const dm_constraint *c) {
  // a.(x0 - x1) = 0
  add_product(r, find_direction(r, c, 1, to_vec(c->axis)), find_difference(r, c));
}

static void put_equal(row_list *r, const dm_constraint *c) {
  // linear: q_0 - ratio q_1 - others - shift
  row *to = add_row(r);
  to->other = c->other;
  to->ratio = c->ratio;
  to->shift = c->shift;
  memcpy(to->coord, c->coord, sizeof to->coord);
}

// a point, and three pairs of perpendicular axes
static void put_pose(row_list *r, const dm_constraint *c) {
  put_point(r, c);
  for (int i = 0; i < 3; i++)
    // x.y', y.z', z.x' = 0: parallel axes; to first order these are all three rotations
    add_product(r, find_direction(r, c, 0, unit[i]), find_direction(r, c, 1, unit[(i + 1) % 3]));
}

static void put_pose_planar(row_list *r, const dm_constraint *c) {
  const dm_pose frame = dm_pose_along(to_vec(c->axis), dm_v(0, 0, 0));
  put_line(r, c);
  // x of one body stays normal to y of the other, which fixes the rotation about the axis
  add_product(r, find_direction(r, c, 0, frame.x), find_direction(r, c, 1, frame.y));
}

typedef struct kind_row {
  void (*put)(row_list *r, const dm_constraint *c);
  const char *must;
} kind_row;

#define LIST_KIND(NAME, name, word, must, may) [DM_##NAME] = {put_##name, must},
static const kind_row kinds[] = {DM_CONSTRAINT_KINDS(LIST_KIND)};
#undef LIST_KIND

// write the rows of a constraint; returns their number
static int list_rows(const dm_model *m, const dm_constraint *c, row *out) {
  row_list r = {.m = m};
  kinds[c->kind].put(&r, c);
  memcpy(out, r.row, (size_t)r.n * sizeof *out);
  return r.n;
}

// returns true if this kind of constraint requires a field
static bool needs_field(dm_constraint_kind kind, const char *field) {
  return strstr(kinds[kind].must, field) != NULL;
}

// the joints that change a row, none of a linear one, from root to tip; list NULL: count only
static int list_joints(const dm_model *m, const row *r, dm_moving_joint *list) {
  return r->coord[0] >= 0 ? 0 : dm_vector_product_joints(m, &r->p, list);
}

static dm_status check_constraint(const dm_model *m, const dm_constraint *c, dm_message *msg) {
  bool bodies = needs_field(c->kind, "bodies"), axis = needs_field(c->kind, "axis");
  double a = dm_dot(to_vec(c->axis), to_vec(c->axis)); // |axis|^2

  // bodies, coordinates, and the coordinate that gives a distance its length
  for (int i = 0; i < 2; i++) {
    if (bodies && (c->body[i] < -1 || c->body[i] >= m->nbody))
      return dm_fail(msg, DM_BAD_INPUT, "constraint '%s' refers to a body that does not exist",
                     c->name);
    if (!bodies && (c->coord[i] < 0 || c->coord[i] >= m->nq))
      return dm_fail(msg, DM_BAD_INPUT,
                     "constraint '%s' refers to a coordinate that does not exist", c->name);
  }
  for (int i = 0; i < c->other.n; i++)
    if (c->kind != DM_EQUAL || c->other.coord[i] < 0 || c->other.coord[i] >= m->nq)
      return dm_fail(msg, DM_BAD_INPUT,
                     "constraint '%s' refers to a coordinate that does not exist", c->name);
  if (c->kind == DM_DISTANCE && (c->coord[0] < -1 || c->coord[0] >= m->nq))
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s' refers to a coordinate that does not exist",
                   c->name);

  // the gradient of a squared length vanishes at zero; an axis must have length 1
  if (c->kind == DM_DISTANCE && c->coord[0] < 0 && !(c->length > 0))
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': length must be > 0, got %g", c->name,
                   c->length);
  if (axis && !(fabs(a - 1) < 1e-9))
    return dm_fail(msg, DM_BAD_INPUT, "constraint '%s': its axis must have length 1, got %g",
                   c->name, sqrt(a));
  return DM_OK;
}

static void lay_out_constraints(void *self, dm_block *b) {
  dm_constraints *c = self;
  c->row = dm_block_alloc(b, (size_t)c->all, sizeof *c->row);
  c->by = dm_block_alloc(b, c->joints, sizeof *c->by);
  c->name = dm_block_alloc(b, (size_t)c->n, sizeof *c->name);
  c->described = dm_block_alloc(b, (size_t)c->n, sizeof *c->described);
  c->text = dm_block_alloc(b, c->text_size, 1);
}

dm_status dm_constraints_new(dm_constraints **out, const dm_model *m, int n,
                             const dm_constraint *list, dm_message *msg) {
  dm_constraints sizes = {.m = m, .n = n};

  // count the rows and the joints that change them
  row rows[6]; // of one constraint
  for (int i = 0; i < n; i++) {
    DM_TRY(check_constraint(m, &list[i], msg));
    int k = list_rows(m, &list[i], rows);
    sizes.nc = sizes.all += k;
    sizes.text_size += strlen(list[i].name) + 1;
    for (int r = 0; r < k; r++) sizes.joints += (size_t)list_joints(m, &rows[r], NULL);
  }
  dm_constraints *c = dm_block_make(&sizes, sizeof sizes, lay_out_constraints);
  if (!c) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // rows of each constraint, with their joints from root to tip
  char *at = c->text;
  dm_moving_joint *by = c->by;
  row *to = c->row;
  for (int i = 0; i < n; i++) {
    size_t size = strlen(list[i].name) + 1;
    c->name[i] = memcpy(at, list[i].name, size);
    at += size;
    c->described[i] = list[i];
    c->described[i].name = c->name[i];
    int k = list_rows(m, &list[i], to);
    for (row *r = to; r < to + k; r++) {
      r->constraint = i;
      r->number = (int)(r - c->row);
      r->p.by = by;
      r->p.n = list_joints(m, r, by);
      by += r->p.n;
      if (r->p.n > c->max_joints) c->max_joints = r->p.n;
    }
    to += k;
  }
  *out = c;
  return DM_OK;
}

void dm_constraints_free(dm_constraints *c) {
  dm_block_free(c);
}

void dm_constraints_drop(dm_constraints *c, const bool *drop) {
  // move each remaining row before the removed rows
  int kept = 0;
  for (int i = 0; i < c->nc; i++) {
    if (drop[i]) continue;
    const row stays = c->row[i];
    memmove(c->row + kept + 1, c->row + kept, (size_t)(i - kept) * sizeof *c->row);
    c->row[kept++] = stays;
  }
  c->nc = kept;
}

bool dm_constraints_segment(const dm_constraints *c, int i, dm_segment *line) {
  const dm_vector_product *p = &c->row[i].p;
  if (c->row[i].coord[0] >= 0 || !p->square) return false;
  *line = dm_body_vector_segment(&p->A);
  return true;
}

bool dm_constraints_push(const dm_constraints *c, int i, dm_row_push *push) {
  const dm_vector_product *p = &c->row[i].p;
  const dm_body_vector *n = &p->A;

  // only products of a direction and a difference of points, as in put_point, put_line and
  // put_plane
  if (c->row[i].coord[0] >= 0 || p->square || n->point || !p->B.point) return false;
  const bool moves = n->joint[0] >= 0;
  push->line = dm_body_vector_segment(&p->B);
  push->joint = n->joint[0];
  push->along = moves ? dm_mul(n->sign[0], n->local[0]) : n->fixed;
  return true;
}

int dm_constraints_described(const dm_constraints *c, const dm_constraint **list) {
  *list = c->described;
  return c->n;
}

int dm_constraints_count(const dm_constraints *c) {
  return c->nc;
}

int dm_constraints_all(const dm_constraints *c) {
  return c->all;
}

int dm_constraints_number(const dm_constraints *c, int i) {
  return c->row[i].number;
}

double dm_constraints_force(const dm_constraints *c, int i, const double *q, double arm) {
  const row *r = &c->row[i];
  if (r->coord[0] >= 0) return c->m->kind[r->coord[0]] == DM_SLIDE ? 1 : 1 / arm;
  // the gradient of a squared distance d is 2 d times the gradient of d
  if (r->p.square) return 2 * fmax(r->length < 0 ? sqrt(r->c) : fabs(q[r->length]), 1e-9 * arm);
  return r->p.A.point || r->p.B.point ? 1 : 1 / arm; // distance along a direction; else a cosine
}

const char *dm_constraints_row_name(const dm_constraints *c, int i) {
  return c->name[c->row[i].constraint];
}

static const char *find_row_name(const void *self, int i) {
  return dm_constraints_row_name(self, i);
}

// -- evaluating

static dm_vector_products place_frames(const dm_constraints *c, void *scratch, const double *q) {
  dm_block b = {.base = scratch};
  dm_vector_products w;
  dm_vector_products_lay_out(&w, &b, c->m, c->max_joints);
  dm_tree_frames(c->m, q, w.X);
  return w;
}

// value of row r without the product A.B
static double find_rest_of_row(const row *r, const double *q) {
  if (r->coord[0] >= 0) {
    double h = q[r->coord[0]] - r->ratio * q[r->coord[1]] - r->shift;
    for (int i = 0; i < r->other.n; i++) h -= r->other.ratio[i] * q[r->other.coord[i]];
    return h;
  }
  return -r->c - (r->length >= 0 ? q[r->length] * q[r->length] : 0); // -c, or -q_length^2
}

dm_status dm_constraints_rows(const dm_constraints *c, void *scratch, const double *q, int m,
                              const int *which, double *h, double *Dh) {
  const dm_model *model = c->m;
  dm_vector_products w = place_frames(c, scratch, q);
  if (Dh) memset(Dh, 0, (size_t)m * (size_t)model->nq * sizeof *Dh);
  for (int k = 0; k < m; k++) {
    const row *r = &c->row[which ? which[k] : k]; // NULL: rows in their order
    double *D = Dh ? Dh + k * model->nq : NULL;
    h[k] = find_rest_of_row(r, q);

    // a linear relation
    if (r->coord[0] >= 0 && D) {
      D[r->coord[0]] += 1;
      D[r->coord[1]] -= r->ratio;
      for (int j = 0; j < r->other.n; j++) D[r->other.coord[j]] -= r->other.ratio[j];
    }

    // A.B with its gradient, or only the value
    if (r->coord[0] < 0 && D) {
      dm_vector_products_place(&w, &r->p, 1);
      h[k] += dm_vector_product_value(&w);
      dm_vector_products_add_gradient(&w, 1, D);
      if (r->length >= 0) D[r->length] -= 2 * q[r->length];
    }
    if (r->coord[0] < 0 && !D) h[k] += dm_vector_products_value(&w, &r->p);
    if (!isfinite(h[k])) return DM_NOT_FINITE;
  }
  return DM_OK;
}

// the position of coordinate j in a list of `count`; without it, count
static int find_column(const int *col, int count, int j) {
  int at = 0;
  while (at < count && col[at] != j) at++;
  return at;
}

int dm_constraints_columns(const dm_constraints *c, int i, int *col) {
  const row *r = &c->row[i];
  int count = 0;
  for (int k = 0; k < 2 && r->coord[0] >= 0; k++)
    if (k == 0 || r->ratio != 0) col[count++] = r->coord[k];
  for (int k = 0; k < r->other.n; k++) col[count++] = r->other.coord[k];
  for (int k = 0; k < r->p.n && r->coord[0] < 0; k++) {
    const int j = c->m->coord[r->p.by[k].joint], at = find_column(col, count, j);
    col[at] = j;
    count += at == count;
  }
  if (r->coord[0] < 0 && r->length >= 0) col[count++] = r->length;
  return count;
}

dm_status dm_constraints_entries(const dm_constraints *c, void *scratch, const double *q, int m,
                                 const int *which, const int *first, const int *column, double *h,
                                 double *entry) {
  const dm_model *model = c->m;
  dm_vector_products w = place_frames(c, scratch, q);
  for (int k = 0; k < m; k++) {
    const int i = which ? which[k] : k, count = first[i + 1] - first[i];
    const int *col = column + first[i];
    const row *r = &c->row[i];
    h[k] = find_rest_of_row(r, q);
    for (int j = 0; j < count; j++) entry[j] = 0;
    if (r->coord[0] >= 0) {
      entry[0] = 1;
      if (r->ratio != 0) entry[count - 1 - r->other.n] -= r->ratio;
      for (int j = 0; j < r->other.n; j++) entry[count - r->other.n + j] -= r->other.ratio[j];
    } else {
      // A.B by its joints
      dm_vector_products_place(&w, &r->p, 1);
      h[k] += dm_vector_product_value(&w);
      for (int l = 0; l < r->p.n; l++) {
        const int j = r->p.by[l].joint;
        entry[find_column(col, count, model->coord[j])] +=
            model->ratio[j] * dm_vector_product_by(&w, l);
      }
      if (r->length >= 0) entry[find_column(col, count, r->length)] -= 2 * q[r->length];
    }
    entry += count;
    if (!isfinite(h[k])) return DM_NOT_FINITE;
  }
  return DM_OK;
}

bool dm_constraints_translates(const dm_constraints *c, int i) {
  const row *r = &c->row[i];
  if (r->coord[0] >= 0) return r->ratio == 0 && r->other.n == 0;
  for (int k = 0; k < r->p.n; k++) {
    const int j = r->p.by[k].joint;
    if (!c->m->upright[j] || fabs(c->m->ratio[j]) > 1) return false;
  }
  return r->length < 0;
}

static dm_status eval_constraints(const void *self, void *scratch, const double *q, double *h,
                                  double *Dh) {
  const dm_constraints *c = self;
  return dm_constraints_rows(c, scratch, q, c->nc, NULL, h, Dh);
}

void dm_constraints_contract(const dm_constraints *c, void *scratch, const double *q, int m,
                             const int *which, const double *lambda, double *H) {
  dm_vector_products w = place_frames(c, scratch, q);
  for (int k = 0; k < m; k++) {
    const row *r = &c->row[which ? which[k] : k];
    if (r->coord[0] >= 0) continue; // linear: no second derivatives

    // lambda (A.B)_qq, and the second derivative of -q_length^2
    dm_vector_products_place(&w, &r->p, 2);
    dm_vector_products_add_hessian(&w, lambda[k], H);
    if (r->length >= 0) H[r->length * c->m->nq + r->length] -= 2 * lambda[k];
  }
}

static dm_status contract_constraints(const void *self, void *scratch, const double *q,
                                      const double *lambda, double *H) {
  const dm_constraints *c = self;
  dm_constraints_contract(c, scratch, q, c->nc, NULL, lambda, H);
  return DM_OK;
}

static dm_status eval_constraints_directional(const void *self, void *scratch, const double *q,
                                              const double *a, const double *lambda, double *J,
                                              double *T) {
  const dm_constraints *c = self;
  const dm_model *m = c->m;
  dm_vector_products w = place_frames(c, scratch, q);
  memset(J, 0, (size_t)c->nc * (size_t)m->nq * sizeof *J);
  for (int k = 0; k < c->nc; k++) {
    const row *r = &c->row[k];
    double *Jk = J + k * m->nq;
    if (r->coord[0] >= 0) continue; // linear: Dh does not change
    dm_vector_products_place(&w, &r->p, 2);
    dm_vector_products_place_directional(&w, a);

    // D2h a: the derivative of Dh along a, for the product and for -q_length^2
    dm_vector_products_add_gradient_directional(&w, 1, Jk);
    if (r->length >= 0) Jk[r->length] -= 2 * a[r->length];

    // derivative of lambda D2h along a
    if (T) dm_vector_products_add_hessian_directional(&w, lambda[k], T);
  }
  return DM_OK;
}

dm_holonomic dm_constraints_holonomic(const dm_constraints *c) {
  dm_block b = {0};
  dm_vector_products w;
  dm_vector_products_lay_out(&w, &b, c->m, c->max_joints);
  return (dm_holonomic){.nc = c->nc,
                        .self = c,
                        .scratch = (b.used + 63) & ~(size_t)63,
                        .eval = eval_constraints,
                        .contract = contract_constraints,
                        .directional = eval_constraints_directional,
                        .row_name = find_row_name};
}
