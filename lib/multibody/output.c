#include "lib/multibody/output.h"

#include "lib/base/block.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/vector_product.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PRODUCTS = 9 }; // of a row that is not linear in them

typedef struct output_row output_row;

// phi at s [count], with its derivatives to an order: phi_s [count], phi_ss [count x count]
typedef void phi_function(const output_row *r, int order, const double *s, double *y, double *y_s,
                          double *y_ss);

struct output_row {
  int output;        // that it belongs to
  int first, count;  // its products
  phi_function *phi; // NULL: their sum by weights
  int component;     // of phi
  dm_shape shape;    // of a clearance
  int of_q;          // where its weights of coordinates stand, -1: it has none
  double shift;
};

struct dm_outputs {
  const dm_model *m;
  int n, rows, products, max_joints;
  int linear;               // rows that are linear in coordinates
  size_t joints, text_size; // of all products; bytes of the names
  int *at;                  // [n+1] first rows
  dm_output_kind *kind;     // [n]
  bool *turns;              // [n] of sums: of angles alone
  bool *slides;             // [n] or of lengths alone
  output_row *row;          // [rows]
  dm_vector_product *p;     // [products]
  double *weight;           // [products]
  double *of_q;             // [linear x nq]
  dm_moving_joint *by;      // of the products
  unsigned char *mask;      // [rows x nq] which coordinates move a row
  const char **name;        // [rows]
  const char **whole;       // [n] names of outputs
  char *text;
};

// -- functions of products

// |d| of s = d.d
static void eval_length(const output_row *r, int order, const double *s, double *y, double *y_s,
                        double *y_ss) {
  (void)r;
  *y = sqrt(s[0]);
  if (order > 0) y_s[0] = 0.5 / *y;
  if (order > 1) y_ss[0] = -0.25 / (s[0] * *y);
}

// f = theta / sin theta by c = cos theta, with f_c and f_cc: (1 - c^2) f_c = c f - 1. The sine is
// given beside: 1 - c^2 would cancel near pi.
static void eval_sinc_inverse(double c, double sine, double f[3]) {
  const double x = 1 - c, s = sine * sine;
  if (x > 0.1) {
    f[0] = atan2(sine, c) / sine;
    f[1] = (c * f[0] - 1) / s;
    f[2] = (f[0] + 3 * c * f[1]) / s;
    return;
  }

  // sum a_k x^k, a_{k+1} = a_k (k+1)/(2k+3), where that would cancel
  enum { TERMS = 18 };
  double a[TERMS] = {1};
  f[0] = f[1] = f[2] = 0;
  for (int k = 0; k + 1 < TERMS; k++) a[k + 1] = a[k] * (k + 1) / (2 * k + 3);
  for (int k = TERMS - 1; k >= 0; k--) {
    f[0] = f[0] * x + a[k];
    if (k > 0) f[1] = f[1] * x - k * a[k];
    if (k > 1) f[2] = f[2] * x + k * (k - 1) * a[k];
  }
}

// Component i of the rotation vector at half a turn, theta a, where w is rounding: the axis from
// (R + R')/2 = c I + (1 - c) a a', by its longest column; of both signs that of w.
static double find_half_turn(int i, const double *s, const double twice[3], double theta,
                             double c) {
  int l = 0;
  for (int a = 1; a < 3; a++)
    if (s[4 * a] > s[4 * l]) l = a;
  double axis[3], square = 0, along = 0;
  for (int a = 0; a < 3; a++) {
    axis[a] = (s[3 * a + l] + s[3 * l + a]) / 2 - (a == l ? c : 0);
    square += axis[a] * axis[a];
    along += axis[a] * twice[a];
  }
  return (along < 0 ? -theta : theta) * axis[i] / sqrt(square);
}

// Component i of the rotation vector f(c) w of R = (s_ab) = s[3a + b], with w = vee(R - R')/2, of
// length sin theta, and c = (tr R - 1)/2; both are linear in R.
static void eval_rotation(const output_row *r, int order, const double *s, double *y, double *y_s,
                          double *y_ss) {
  const int i = r->component;
  static const double HALF_TURN = 1e-6; // of sin theta: there w has lost ten digits
  const double twice[] = {s[7] - s[5], s[2] - s[6], s[3] - s[1]}; // 2 w
  const double w = twice[i] / 2, c = (s[0] + s[4] + s[8] - 1) / 2;
  double f[3], square = 0;
  for (int a = 0; a < 3; a++) square += twice[a] * twice[a];
  const double sine = sqrt(square) / 2;
  eval_sinc_inverse(c, sine, f);
  *y = f[0] * w;

  // a value to be looked at, without derivatives
  if (c < 0 && sine < HALF_TURN) {
    *y = find_half_turn(i, s, twice, atan2(sine, c), c);
    f[0] = f[1] = f[2] = NAN;
  }

  // c_s = 1/2 on the diagonal, w_s = 1/2 and -1/2 beside it
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  double w_s[9] = {0}, c_s[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  w_s[3 * k + j] = 0.5;
  w_s[3 * j + k] = -0.5;
  for (int a = 0; order > 0 && a < 9; a++) y_s[a] = f[1] * c_s[a] * w + f[0] * w_s[a];
  for (int a = 0; order > 1 && a < 9; a++)
    for (int b = 0; b < 9; b++)
      y_ss[9 * a + b] = f[2] * c_s[a] * c_s[b] * w + f[1] * (c_s[a] * w_s[b] + w_s[a] * c_s[b]);
}

// of a point [3], or a segment [6], in the frame of the shape
static void eval_clearance(const output_row *r, int order, const double *s, double *y, double *y_s,
                           double *y_ss) {
  *y = r->count == 3 ? dm_shape_distance(&r->shape, order, s, y_s, y_ss)
                     : dm_shape_distance_segment(&r->shape, order, s, y_s, y_ss);
}

// -- the rows of each kind: counted while the arrays of `w` are NULL, else written

typedef struct output_list {
  dm_outputs *w;
  int output;
  int rows, products, linear;
  output_row counted; // in place of a row, while they are counted
} output_list;

static output_row *add_output_row(output_list *l) {
  output_row *r = l->w->row ? &l->w->row[l->rows] : &l->counted;
  *r = (output_row){.output = l->output, .first = l->products, .of_q = -1};
  l->rows++;
  return r;
}

// a product more of the row added last
static void add_weighted(output_list *l, double weight, dm_vector_product p) {
  dm_outputs *w = l->w;
  if (w->row) {
    w->row[l->rows - 1].count++;
    w->weight[l->products] = weight;
    p.by = w->by + w->joints;
    p.n = dm_vector_product_joints(w->m, &p, w->by + w->joints);
    w->p[l->products] = p;
    w->joints += (size_t)p.n;
  } else {
    const int n = dm_vector_product_joints(w->m, &p, NULL);
    w->joints += (size_t)n;
    if (n > w->max_joints) w->max_joints = n;
  }
  l->products++;
}

static const dm_vec unit_axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static dm_body_vector find_output_difference(const dm_model *m, const dm_output *o) {
  return dm_body_vector_difference(m, o->body[0], o->point[0], o->body[1], o->point[1]);
}

// axis[i] of the output, carried by its body
static dm_body_vector find_output_axis(const dm_model *m, const dm_output *o, int i) {
  const double *a = o->axis[i];
  return dm_body_vector_direction(m, o->body[i], dm_v(a[0], a[1], a[2]));
}

static void put_position(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  const dm_body_vector d = find_output_difference(m, o);
  for (int i = 0; i < 3; i++) {
    add_output_row(l);
    const dm_body_vector axis = dm_body_vector_direction(m, o->body[1], unit_axis[i]);
    add_weighted(l, 1, (dm_vector_product){.A = axis, .B = d});
  }
}

static void put_distance(output_list *l, const dm_output *o) {
  add_output_row(l)->phi = eval_length;
  add_weighted(l, 1, (dm_vector_product){.A = find_output_difference(l->w->m, o), .square = true});
}

static void put_height(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  add_output_row(l);
  add_weighted(
      l, 1, (dm_vector_product){.A = find_output_axis(m, o, 1), .B = find_output_difference(m, o)});
}

static void put_alignment(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  add_output_row(l);
  add_weighted(l, 1,
               (dm_vector_product){.A = find_output_axis(m, o, 0), .B = find_output_axis(m, o, 1)});
}

// R_ab = e_a of body 1 times e_b of body 0
static void put_rotation(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  for (int i = 0; i < 3; i++) {
    output_row *r = add_output_row(l);
    r->phi = eval_rotation;
    r->component = i;
    for (int ab = 0; ab < 9; ab++) {
      const dm_body_vector a = dm_body_vector_direction(m, o->body[1], unit_axis[ab / 3]);
      const dm_body_vector b = dm_body_vector_direction(m, o->body[0], unit_axis[ab % 3]);
      add_weighted(l, 1, (dm_vector_product){.A = a, .B = b});
    }
  }
}

static double find_moving_mass(const dm_model *m) {
  double mass = 0;
  for (int j = 0; j < m->nj; j++) mass += m->body[j].m;
  return mass;
}

// sum m_j x_j / sum m_j, x_j = c_j / m_j in the frame of joint j
static void put_center(output_list *l, const dm_output *o) {
  (void)o;
  const dm_model *m = l->w->m;
  const double mass = find_moving_mass(m);
  for (int i = 0; i < 3; i++) {
    add_output_row(l);
    const dm_body_vector axis = dm_body_vector_direction(m, -1, unit_axis[i]);
    for (int j = 0; j < m->nj; j++) {
      const dm_inertia *I = &m->body[j];
      if (I->m == 0) continue;
      const dm_body_vector x = {
          .joint = {j, -1}, .local = {dm_mul(1 / I->m, I->c)}, .sign = {1}, .point = true};
      add_weighted(l, I->m / mass, (dm_vector_product){.A = axis, .B = x});
    }
  }
}

static void put_sum(output_list *l, const dm_output *o) {
  dm_outputs *w = l->w;
  output_row *r = add_output_row(l);
  r->of_q = l->linear++;
  r->shift = o->shift;
  for (int i = 0; w->of_q && i < o->n; i++)
    w->of_q[r->of_q * w->m->nq + o->coord[i]] += o->weight[i];
}

// the coordinates of a point of body 0 in the frame of the shape: three products of the row added last
static void add_local(output_list *l, const dm_output *o, const double point[3]) {
  const dm_model *m = l->w->m;
  const dm_vec axis[] = {o->frame.x, o->frame.y, o->frame.z}, p = o->frame.p;
  const dm_body_vector d =
      dm_body_vector_difference(m, o->body[0], point, o->body[1], (double[]){p.x, p.y, p.z});
  for (int i = 0; i < 3; i++)
    add_weighted(
        l, 1, (dm_vector_product){.A = dm_body_vector_direction(m, o->body[1], axis[i]), .B = d});
}

// D - radius; a half-space is the nearest at one of both ends
static void put_clearance(output_list *l, const dm_output *o) {
  const bool by_ends = o->swept && o->shape.kind == DM_SHAPE_HALF_SPACE;
  for (int i = 0; i <= by_ends; i++) {
    output_row *r = add_output_row(l);
    r->phi = eval_clearance;
    r->shape = o->shape;
    r->shift = -o->radius;
    add_local(l, o, i == 0 ? o->point[0] : o->end);
    if (o->swept && !by_ends) add_local(l, o, o->end);
  }
}

// -- compiling

static const struct kind_row {
  void (*put)(output_list *l, const dm_output *o);
  const char *word, *must, *unit, *rows;
} kinds[] = {
#define LIST_KIND(NAME, name, word, must, may, unit, rows)                                         \
  [DM_OUTPUT_##NAME] = {put_##name, word, must, unit, rows},
    DM_OUTPUT_KINDS(LIST_KIND)
#undef LIST_KIND
};

// all outputs into w, or what they take
static output_list list_outputs(dm_outputs *w, int n, const dm_output *list) {
  output_list l = {.w = w};
  w->joints = 0;
  for (int i = 0; i < n; i++) {
    if (w->at) w->at[i] = l.rows;
    l.output = i;
    kinds[list[i].kind].put(&l, &list[i]);
  }
  if (w->at) w->at[n] = l.rows;
  return l;
}

static dm_status check_output(const dm_model *m, const dm_output *o, dm_message *msg) {
  const char *must = kinds[o->kind].must;

  // bodies, axes of length 1
  for (int i = 0; i < 2; i++) {
    if ((strstr(must, "bodies") || strstr(must, "between")) &&
        (o->body[i] < -1 || o->body[i] >= m->nbody))
      return dm_fail(msg, DM_BAD_INPUT, "output '%s' refers to a body that does not exist",
                     o->name);
    const bool has_axis = strstr(must, "axes") || (strstr(must, "axis") && i == 1);
    const double *a = o->axis[i], length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    if (has_axis && !(fabs(length - 1) < 1e-9))
      return dm_fail(msg, DM_BAD_INPUT, "output '%s': its axis must have length 1, got %g", o->name,
                     length);
  }

  // coordinates with finite weights, a mass
  for (int i = 0; o->kind == DM_OUTPUT_SUM && i < o->n; i++) {
    if (o->coord[i] < 0 || o->coord[i] >= m->nq)
      return dm_fail(msg, DM_BAD_INPUT, "output '%s' refers to a coordinate that does not exist",
                     o->name);
    if (!isfinite(o->weight[i]) || !isfinite(o->shift))
      return dm_fail(msg, DM_BAD_INPUT, "output '%s': weights and shift must be finite", o->name);
  }
  if (o->kind == DM_OUTPUT_CENTER && !(find_moving_mass(m) > 0))
    return dm_fail(msg, DM_BAD_INPUT, "output '%s': nothing that moves has mass", o->name);
  return DM_OK;
}

static void lay_out_outputs(void *self, dm_block *b) {
  dm_outputs *w = self;
  w->at = dm_block_alloc(b, (size_t)w->n + 1, sizeof *w->at);
  w->kind = dm_block_alloc(b, (size_t)w->n, sizeof *w->kind);
  w->turns = dm_block_alloc(b, (size_t)w->n, sizeof *w->turns);
  w->slides = dm_block_alloc(b, (size_t)w->n, sizeof *w->slides);
  w->row = dm_block_alloc(b, (size_t)w->rows, sizeof *w->row);
  w->p = dm_block_alloc(b, (size_t)w->products, sizeof *w->p);
  w->weight = dm_block_alloc(b, (size_t)w->products, sizeof *w->weight);
  w->of_q = dm_block_alloc(b, (size_t)w->linear * (size_t)w->m->nq, sizeof *w->of_q);
  w->by = dm_block_alloc(b, w->joints, sizeof *w->by);
  w->mask = dm_block_alloc(b, (size_t)w->rows * (size_t)w->m->nq, 1);
  w->name = dm_block_alloc(b, (size_t)w->rows, sizeof *w->name);
  w->whole = dm_block_alloc(b, (size_t)w->n, sizeof *w->whole);
  w->text = dm_block_alloc(b, w->text_size, 1);
}

// NAME with the ending of its row number i of so many: ".x .y .z", or ".1", ".2" of a kind that most
// often has one
static size_t write_row_name(const dm_output *o, int i, int rows, char *text, size_t size) {
  const char *ending = kinds[o->kind].rows;
  if (rows > 1 && !*ending) return (size_t)snprintf(text, size, "%s.%d", o->name, i + 1) + 1;
  for (; i > 0; i--) ending = strchr(ending, ' ') + 1;
  const int length = (int)strcspn(ending, " ");
  return (size_t)snprintf(text, size, "%s%.*s", o->name, length, ending) + 1;
}

// a row is moved by the coordinates of its products' joints, and by those that it is a sum of
static void set_moving(dm_outputs *w) {
  const int n = w->m->nq;
  for (int i = 0; i < w->rows; i++) {
    const output_row *r = &w->row[i];
    for (int k = r->first; k < r->first + r->count; k++)
      for (int j = 0; j < w->p[k].n; j++) w->mask[i * n + w->m->coord[w->p[k].by[j].joint]] = 1;
    for (int j = 0; r->of_q >= 0 && j < n; j++) w->mask[i * n + j] |= w->of_q[r->of_q * n + j] != 0;
  }
}

dm_status dm_outputs_new(dm_outputs **out, const dm_model *m, int n, const dm_output *list,
                         dm_message *msg) {
  *out = NULL;
  for (int i = 0; i < n; i++) DM_TRY(check_output(m, &list[i], msg));

  // how much there is
  dm_outputs sizes = {.m = m, .n = n};
  const output_list count = list_outputs(&sizes, n, list);
  sizes.rows = count.rows;
  sizes.products = count.products;
  sizes.linear = count.linear;
  for (int i = 0; i < n; i++) sizes.text_size += 4 * (strlen(list[i].name) + 3);
  dm_outputs *w = dm_block_make(&sizes, sizeof sizes, lay_out_outputs);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // the rows, and their names
  list_outputs(w, n, list);
  set_moving(w);
  char *text = w->text;
  for (int i = 0; i < n; i++) {
    w->kind[i] = list[i].kind;
    w->turns[i] = w->slides[i] = true;
    for (int c = 0; list[i].kind == DM_OUTPUT_SUM && c < list[i].n; c++) {
      w->turns[i] = w->turns[i] && m->kind[list[i].coord[c]] == DM_TURN;
      w->slides[i] = w->slides[i] && m->kind[list[i].coord[c]] == DM_SLIDE;
    }
    w->whole[i] = strcpy(text, list[i].name);
    text += strlen(text) + 1;
    for (int r = w->at[i]; r < w->at[i + 1]; r++) {
      w->name[r] = text;
      text += write_row_name(&list[i], r - w->at[i], w->at[i + 1] - w->at[i], text,
                             w->text_size - (size_t)(text - w->text));
    }
  }
  *out = w;
  return DM_OK;
}

void dm_outputs_free(dm_outputs *w) {
  dm_block_free(w);
}

int dm_outputs_row(const dm_outputs *w, int i) {
  return w->at[i];
}

const char *dm_outputs_name(const dm_outputs *w, int i) {
  return w->whole[i];
}

const char *dm_outputs_word(const dm_outputs *w, int i) {
  return kinds[w->kind[i]].word;
}

const char *dm_outputs_unit(const dm_outputs *w, int i) {
  const int o = w->row[i].output;
  switch (w->kind[o]) {
  case DM_OUTPUT_ALIGNMENT:
    return "1";
  case DM_OUTPUT_ROTATION:
    return "rad";
  case DM_OUTPUT_SUM:
    if (w->turns[o]) return "rad";
    return w->slides[o] ? "m" : "m or rad";
  default:
    return "m";
  }
}

bool dm_outputs_segment(const dm_outputs *w, int i, dm_segment *line) {
  const dm_output_kind kind = w->kind[w->row[i].output];
  const dm_vector_product *p = &w->p[w->row[i].first];
  if (kind != DM_OUTPUT_DISTANCE && kind != DM_OUTPUT_POSITION && kind != DM_OUTPUT_HEIGHT)
    return false;
  *line = dm_body_vector_segment(p->square ? &p->A : &p->B);
  return true;
}

// -- evaluating

// what a call works with, in the caller's scratch
typedef struct output_place {
  dm_vector_products at;
  double *gradient; // [MOST_PRODUCTS x nq] of the products of a row
} output_place;

static void lay_out_place(output_place *x, dm_block *b, const dm_outputs *w) {
  dm_vector_products_lay_out(&x->at, b, w->m, w->max_joints);
  x->gradient = dm_block_alloc(b, MOST_PRODUCTS * (size_t)w->m->nq, sizeof *x->gradient);
}

static output_place place_outputs(const dm_outputs *w, void *scratch, const double *q) {
  dm_block b = {.base = scratch};
  output_place x;
  lay_out_place(&x, &b, w);
  dm_tree_frames(w->m, q, x.at.X);
  return x;
}

// phi of a row with its derivatives by the products; returns those of first order
static const double *eval_phi(const dm_outputs *w, const output_place *x, const output_row *r,
                              int order, double *y, double y_s[MOST_PRODUCTS],
                              double y_ss[MOST_PRODUCTS * MOST_PRODUCTS]) {
  const dm_vector_product *p = w->p + r->first;

  // linear: the weights themselves
  if (!r->phi) {
    *y = 0;
    for (int i = 0; i < r->count; i++)
      *y += w->weight[r->first + i] * dm_vector_products_value(&x->at, &p[i]);
    return w->weight + r->first;
  }

  double s[MOST_PRODUCTS];
  for (int i = 0; i < r->count; i++) s[i] = dm_vector_products_value(&x->at, &p[i]);
  r->phi(r, order, s, y, y_s, y_ss);
  return y_s;
}

static dm_status eval_outputs(const void *self, void *scratch, const double *q, double *h,
                              double *Dh) {
  const dm_outputs *w = self;
  const int n = w->m->nq;
  output_place x = place_outputs(w, scratch, q);
  dm_status status = DM_OK;
  double slopes[MOST_PRODUCTS];
  if (Dh) memset(Dh, 0, (size_t)w->rows * (size_t)n * sizeof *Dh);

  for (int i = 0; i < w->rows; i++) {
    const output_row *r = &w->row[i];
    const double *phi = eval_phi(w, &x, r, Dh != NULL, &h[i], slopes, NULL);

    // what is linear in coordinates
    const double *of_q = r->of_q < 0 ? NULL : w->of_q + r->of_q * n;
    h[i] += r->shift;
    for (int j = 0; of_q && j < n; j++) h[i] += of_q[j] * q[j];
    for (int j = 0; of_q && Dh && j < n; j++) Dh[i * n + j] += of_q[j];
    if (!isfinite(h[i])) {
      h[i] = NAN;
      status = DM_NOT_FINITE;
    }

    // sum phi_s s_q; the other rows are as they should be where one has none
    bool finite = true;
    for (int k = 0; Dh && k < r->count; k++) {
      finite = finite && isfinite(phi[k]);
      if (!finite) break;
      dm_vector_products_place(&x.at, &w->p[r->first + k], 1);
      dm_vector_products_add_gradient(&x.at, phi[k], Dh + i * n);
    }
    for (int j = 0; !finite && j < n; j++) Dh[i * n + j] = NAN;
    if (!finite) status = DM_NOT_FINITE;
  }
  return status;
}

// lambda sum_ij phi_ij s_i,q s_j,q' of a row that is not linear, whose gradients are at hand
static void add_phi_curvature(const dm_outputs *w, const output_place *x, int count, double lambda,
                              const double *y_ss, double *H) {
  const int n = w->m->nq;
  const double *G = x->gradient;
  for (int k = 0; k < n; k++)
    for (int l = 0; l <= k; l++) {
      double h = 0;
      for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) h += y_ss[i * count + j] * G[i * n + k] * G[j * n + l];
      H[k * n + l] += lambda * h;
      if (l != k) H[l * n + k] += lambda * h;
    }
}

static dm_status contract_outputs(const void *self, void *scratch, const double *q,
                                  const double *lambda, double *H) {
  const dm_outputs *w = self;
  const int n = w->m->nq;
  output_place x = place_outputs(w, scratch, q);
  double y, slopes[MOST_PRODUCTS], curves[MOST_PRODUCTS * MOST_PRODUCTS];

  for (int i = 0; i < w->rows; i++) {
    const output_row *r = &w->row[i];
    if (lambda[i] == 0 || r->count == 0) continue;
    const double *phi = eval_phi(w, &x, r, 2, &y, slopes, curves);
    if (r->phi) memset(x.gradient, 0, (size_t)(r->count * n) * sizeof *x.gradient);

    // lambda phi_i s_i,qq, and the gradients for the rest
    for (int k = 0; k < r->count; k++) {
      if (!isfinite(phi[k])) return DM_NOT_FINITE;
      dm_vector_products_place(&x.at, &w->p[r->first + k], 2);
      dm_vector_products_add_hessian(&x.at, lambda[i] * phi[k], dm_vector_product_by_two, H);
      if (r->phi) dm_vector_products_add_gradient(&x.at, 1, x.gradient + k * n);
    }
    if (r->phi) add_phi_curvature(w, &x, r->count, lambda[i], curves, H);
  }
  return DM_OK;
}

static const char *find_output_name(const void *self, int row) {
  return ((const dm_outputs *)self)->name[row];
}

dm_holonomic dm_outputs_functions(const dm_outputs *w) {
  dm_block b = {0};
  output_place x;
  lay_out_place(&x, &b, w);
  return (dm_holonomic){.nc = w->rows,
                        .self = w,
                        .scratch = (b.used + 63) & ~(size_t)63,
                        .eval = eval_outputs,
                        .contract = contract_outputs,
                        .mask = w->mask,
                        .row_name = find_output_name};
}
