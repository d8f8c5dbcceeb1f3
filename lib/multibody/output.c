#include "lib/multibody/output.h"

#include "lib/base/block.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/signal.h"
#include "lib/multibody/signal_law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dm_outputs {
  const dm_model *m;
  int n, rows, terms;      // numbers of outputs, rows and terms
  size_t text_size;        // bytes of the names
  bool rated;              // does any row have a rate?
  dm_signals signals;      // all signals
  dm_signals asked;        // the same, restricted to the signals of selected rows
  bool *wanted;            // [signals.n]
  int *at;                 // [n+1] first rows
  dm_output_kind *kind;    // [n]
  bool *turns;             // [n] sums, inputs: all coordinates are angles
  bool *slides;            // [n] all coordinates are lengths
  int *first;              // [rows+1] first terms
  int *output;             // [rows] the output that it belongs to
  dm_output_term *term;    // [terms]
  bool composed;           // is any row a formula?
  const dm_tape **formula; // [rows] NULL: a sum
  const char **unit;       // [n] of formulas
  const char **name;       // [rows]
  const char **whole;      // [n] names of outputs
  char *text;
};

// -- rows of each kind: only counted if the arrays of `w` are NULL

typedef struct output_list {
  dm_outputs *w;
  int output;
  int rows, terms;
} output_list;

// append a row without terms
static void add_output_row(output_list *l) {
  if (l->w->first) l->w->first[l->rows] = l->terms;
  if (l->w->output) l->w->output[l->rows] = l->output;
  l->rows++;
}

// append a term to the last row
static void add_output_term(output_list *l, dm_output_term t) {
  if (l->w->term) l->w->term[l->terms] = t;
  l->w->rated = l->w->rated || t.kind != DM_TERM_VALUE;
  l->terms++;
}

// append a signal that is a row by itself
static dm_signal *add_plain_row(output_list *l) {
  dm_signals *s = &l->w->signals;
  add_output_row(l);
  add_output_term(l, (dm_output_term){.kind = DM_TERM_VALUE, .signal = {s->n}, .weight = 1});
  return dm_signals_add(s);
}

static void add_weighted(output_list *l, double weight, dm_vector_product p) {
  dm_signals_add_product(&l->w->signals, weight, p);
}

static const dm_vec unit_axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static dm_body_vector find_output_difference(const dm_model *m, const dm_output *o) {
  return dm_body_vector_difference(m, o->body[0], o->point[0], o->body[1], o->point[1]);
}

// axis[i] of the output, fixed to its body
static dm_body_vector find_output_axis(const dm_model *m, const dm_output *o, int i) {
  const double *a = o->axis[i];
  return dm_body_vector_direction(m, o->body[i], dm_v(a[0], a[1], a[2]));
}

// x0 - x1 in the axes of body 1: three products, as three new signals or all appended to the last
// one
static void add_difference(output_list *l, const dm_output *o, bool alone) {
  const dm_model *m = l->w->m;
  const dm_body_vector d = find_output_difference(m, o);
  for (int i = 0; i < 3; i++) {
    const dm_body_vector axis = dm_body_vector_direction(m, o->body[1], unit_axis[i]);
    if (alone) dm_signals_add(&l->w->signals);
    add_weighted(l, 1, (dm_vector_product){.A = axis, .B = d});
  }
}

// three signals; returns the index of the first
static int add_position(output_list *l, const dm_output *o) {
  const int first = l->w->signals.n;
  add_difference(l, o, true);
  return first;
}

// count rows, each the value or the rate of one signal
static void put_each(output_list *l, dm_term_kind kind, int first, int count, double weight) {
  for (int i = 0; i < count; i++) {
    add_output_row(l);
    add_output_term(l, (dm_output_term){.kind = kind, .signal = {first + i}, .weight = weight});
  }
}

static void put_position(output_list *l, const dm_output *o) {
  put_each(l, DM_TERM_VALUE, add_position(l, o), 3, 1);
}

static void put_velocity(output_list *l, const dm_output *o) {
  put_each(l, DM_TERM_RATE, add_position(l, o), 3, 1);
}

static void put_speed(output_list *l, const dm_output *o) {
  const int first = add_position(l, o);
  add_output_row(l);
  add_output_term(l, (dm_output_term){.kind = DM_TERM_SPEED,
                                      .signal = {first, first + 1, first + 2},
                                      .weight = 1});
}

static void put_distance(output_list *l, const dm_output *o) {
  add_plain_row(l)->phi = dm_signal_length;
  add_difference(l, o, false);
}

static void put_height(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  add_plain_row(l);
  add_weighted(
      l, 1, (dm_vector_product){.A = find_output_axis(m, o, 1), .B = find_output_difference(m, o)});
}

static void put_alignment(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  add_plain_row(l);
  add_weighted(l, 1,
               (dm_vector_product){.A = find_output_axis(m, o, 0), .B = find_output_axis(m, o, 1)});
}

// R_ab = e_a of body 1 times e_b of body 0, appended as a product to the last signal
static void add_cosine(output_list *l, const dm_output *o, int ab) {
  const dm_model *m = l->w->m;
  const dm_body_vector a = dm_body_vector_direction(m, o->body[1], unit_axis[ab / 3]);
  const dm_body_vector b = dm_body_vector_direction(m, o->body[0], unit_axis[ab % 3]);
  add_weighted(l, 1, (dm_vector_product){.A = a, .B = b});
}

static void put_rotation(output_list *l, const dm_output *o) {
  for (int i = 0; i < 3; i++) {
    dm_signal *r = add_plain_row(l);
    r->phi = dm_signal_rotation;
    r->component = i;
    for (int ab = 0; ab < 9; ab++) add_cosine(l, o, ab);
  }
}

// omega = 1/2 sum_b r_b x r_b', r_b = (R_1b, R_2b, R_3b)
static void put_angular_velocity(output_list *l, const dm_output *o) {
  const int first = l->w->signals.n;
  for (int ab = 0; ab < 9; ab++) {
    dm_signals_add(&l->w->signals);
    add_cosine(l, o, ab);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    add_output_row(l);
    for (int b = 0; b < 3; b++)
      add_output_term(l, (dm_output_term){.kind = DM_TERM_SWEEP,
                                          .signal = {first + 3 * j + b, first + 3 * k + b},
                                          .weight = 0.5});
  }
}

static double find_moving_mass(const dm_model *m) {
  double mass = 0;
  for (int j = 0; j < m->nj; j++) mass += m->body[j].m;
  return mass;
}

// the center of mass c_j / m_j of joint j's body, relative to a point of the world
static dm_body_vector find_body_center(const dm_model *m, int j, const double from[3]) {
  const dm_inertia *I = &m->body[j];
  return (dm_body_vector){.joint = {j, -1},
                          .local = {dm_mul(1 / I->m, I->c)},
                          .sign = {1},
                          .point = true,
                          .fixed = dm_v(-from[0], -from[1], -from[2])};
}

// sum m_j x_j / mass relative to a point of the world: three signals; returns the index of the
// first
static int add_center(output_list *l, const double from[3], double mass) {
  const dm_model *m = l->w->m;
  const int first = l->w->signals.n;
  for (int i = 0; i < 3; i++) {
    dm_signals_add(&l->w->signals);
    const dm_body_vector axis = dm_body_vector_direction(m, -1, unit_axis[i]);
    for (int j = 0; j < m->nj; j++)
      if (m->body[j].m != 0)
        add_weighted(l, m->body[j].m / mass,
                     (dm_vector_product){.A = axis, .B = find_body_center(m, j, from)});
  }
  return first;
}

static void put_center(output_list *l, const dm_output *o) {
  put_each(l, DM_TERM_VALUE, add_center(l, o->point[1], find_moving_mass(l->w->m)), 3, 1);
}

// sum m_j x_j': linear in the masses, which are part of the signals, as parametrized families
// require
static void put_momentum(output_list *l, const dm_output *o) {
  put_each(l, DM_TERM_RATE, add_center(l, o->point[1], 1), 3, 1);
}

// component i of the center of mass of joint j's body, relative to a point of the world, with or
// without the mass as a factor
static void add_body_center(output_list *l, int j, int i, const double from[3], bool weighted) {
  const dm_model *m = l->w->m;
  const double mass = m->body[j].m;
  dm_signals_add(&l->w->signals);
  if (mass != 0)
    add_weighted(l, weighted ? mass : 1,
                 (dm_vector_product){.A = dm_body_vector_direction(m, -1, unit_axis[i]),
                                     .B = find_body_center(m, j, from)});
}

// component i of sum_b c_b e_b in the world, with e_b the axes of joint j
static void add_body_axis(output_list *l, int j, int i, const double c[3]) {
  const dm_model *m = l->w->m;
  dm_signals_add(&l->w->signals);
  for (int b = 0; b < 3; b++) {
    const dm_body_vector axis = {.joint = {j, -1}, .local = {unit_axis[b]}, .sign = {1}};
    if (c[b] != 0)
      add_weighted(
          l, c[b],
          (dm_vector_product){.A = dm_body_vector_direction(m, -1, unit_axis[i]), .B = axis});
  }
}

enum { OF_BODY = 24 }; // signals per body: c, m c, then e_a, g_a of each axis a

// Sum over bodies of c x (m c)' + sum_a e_a x g_a', with c relative to a point of the world. About
// the center of mass, C x (M C)' of the whole tree is subtracted. Masses and moments are part of
// the signals, as parametrized families require.
static void put_angular_momentum(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  const double *from = o->point[1];
  const int all = add_center(l, from, find_moving_mass(m));
  const int whole = add_center(l, from, 1), first = l->w->signals.n;
  for (int j = 0; j < m->nj; j++) {
    // Signals of a body: c and m c relative to a point of the world; its axes e_a, and g_a = sum_b S_ab
    // e_b.
    double S[3][3];

    // second moments of a body about its center of mass in its own axes: the integral of x_a x_b dm
    const dm_inertia *I = &l->w->m->body[j];
    const double trace = I->xx + I->yy + I->zz;
    const double c[] = {I->c.x, I->c.y, I->c.z};
    const double own[3][3] = {{I->xx, I->xy, I->xz}, {I->xy, I->yy, I->yz}, {I->xz, I->yz, I->zz}};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        S[a][b] = (a == b) * trace / 2 - own[a][b];
        if (I->m != 0) S[a][b] -= c[a] * c[b] / I->m;
      }

    for (int weighted = 0; weighted < 2; weighted++)
      for (int i = 0; i < 3; i++) add_body_center(l, j, i, from, weighted);
    for (int a = 0; a < 3; a++) {
      const double one[] = {a == 0, a == 1, a == 2};
      for (int i = 0; i < 3; i++) add_body_axis(l, j, i, one);
      for (int i = 0; i < 3; i++) add_body_axis(l, j, i, S[a]);
    }
  }

  for (int i = 0; i < 3; i++) {
    const int y = (i + 1) % 3, z = (i + 2) % 3;
    add_output_row(l);
    if (!o->about_point)
      add_output_term(
          l, (dm_output_term){.kind = DM_TERM_SWEEP, .signal = {all + y, whole + z}, .weight = -1});
    for (int j = 0; j < m->nj; j++)
      for (int pair = 0; pair < 4; pair++) {
        // c and m c; e_a and g_a
        const int a = first + OF_BODY * j + 6 * pair, b = a + 3;
        add_output_term(
            l, (dm_output_term){.kind = DM_TERM_SWEEP, .signal = {a + y, b + z}, .weight = 1});
      }
  }
}

// sum weight q_coord + shift, as a signal
static void add_sum(output_list *l, const dm_output *o) {
  dm_signals *s = &l->w->signals;
  dm_signals_add(s)->shift = o->shift;
  double *of_q = dm_signals_add_coordinates(s);
  for (int i = 0; of_q && i < o->n; i++) of_q[o->coord[i]] += o->weight[i];
}

static void put_sum(output_list *l, const dm_output *o) {
  put_each(l, DM_TERM_VALUE, l->w->signals.n, 1, 1);
  add_sum(l, o);
}

static void put_rate(output_list *l, const dm_output *o) {
  put_each(l, DM_TERM_RATE, l->w->signals.n, 1, 1);
  add_sum(l, o);
}

// one row: the weighted sum of all inputs
static void put_input(output_list *l, const dm_output *o) {
  add_output_row(l);
  for (int i = 0; i < o->n; i++)
    add_output_term(
        l, (dm_output_term){.kind = DM_TERM_INPUT, .weight = o->weight[i], .input = o->input[i]});
}

// each input with the signal gear q along which it acts
static void put_power(output_list *l, const dm_output *o) {
  const dm_model *m = l->w->m;
  dm_signals *s = &l->w->signals;
  add_output_row(l);
  for (int i = 0; i < o->n; i++) {
    const int input = o->input[i];
    add_output_term(l, (dm_output_term){DM_TERM_POWER, {s->n}, o->weight[i], input, 0});
    dm_signals_add(s);
    double *of_q = dm_signals_add_coordinates(s);
    if (of_q) of_q[m->input_coord[input]] = m->input_gear[input];
  }
}

bool dm_output_kind_is_normal(dm_output_kind kind) {
  return kind >= DM_OUTPUT_CONTACT_FORCE && kind <= DM_OUTPUT_CONTACT_FORCE_RATE;
}

// a force, an impulse or a rate, of normal forces or of friction
static int find_contact_measure(dm_output_kind kind) {
  return (int)(kind - DM_OUTPUT_CONTACT_FORCE) % 3;
}

// a row for the gaps, or for each tangent: the weighted sum of all contacts
static void put_contacts(output_list *l, const dm_output *o) {
  static const dm_term_kind term[] = {DM_TERM_CONTACT_FORCE, DM_TERM_CONTACT_IMPULSE,
                                      DM_TERM_CONTACT_RATE};
  for (int t = 0; t < (dm_output_kind_is_normal(o->kind) ? 1 : o->tangents); t++) {
    add_output_row(l);
    for (int i = 0; i < o->n; i++)
      add_output_term(l, (dm_output_term){.kind = term[find_contact_measure(o->kind)],
                                          .weight = o->weight[i],
                                          .input = o->row[i] + t});
  }
}

// the terms of an earlier row, as those of a slot of the last one
static void copy_terms(output_list *l, int row, int slot) {
  const dm_outputs *w = l->w;
  if (!w->first || row < 0 || row >= l->rows - 1) return; // refused later
  for (int t = w->first[row]; t < w->first[row + 1]; t++) {
    dm_output_term term = {.kind = DM_TERM_VALUE};
    if (w->term) term = w->term[t];
    term.slot = slot;
    add_output_term(l, term);
  }
}

// one row, with a slot per variable
static void put_formula(output_list *l, const dm_output *o) {
  static const dm_term_kind kind[] = {DM_TERM_VALUE, DM_TERM_RATE,   DM_TERM_MOMENTUM,
                                      DM_TERM_INPUT, DM_TERM_LAMBDA, DM_TERM_TIME};
  dm_signals *s = &l->w->signals;
  add_output_row(l);
  if (l->w->formula) l->w->formula[l->rows - 1] = o->formula;
  l->w->composed = true;
  for (int a = 0; a < o->formula->nx; a++) {
    const dm_output_variable *x = &o->variable[a];
    if (x->of == DM_OF_ROW) {
      copy_terms(l, x->at, a);
      continue;
    }
    const dm_output_term term = {
        .kind = kind[x->of], .signal = {s->n}, .weight = 1, .input = x->at, .slot = a};
    add_output_term(l, term);
    if (x->of > DM_OF_V) continue;
    dm_signals_add(s);
    double *of_q = dm_signals_add_coordinates(s);
    if (of_q) of_q[x->at] = 1;
  }
}

// a point of body 0 in the frame of the shape: three products appended to the last row
static void add_local(output_list *l, const dm_output *o, const double point[3]) {
  const dm_model *m = l->w->m;
  const dm_vec axis[] = {o->frame.x, o->frame.y, o->frame.z}, p = o->frame.p;
  const dm_body_vector d =
      dm_body_vector_difference(m, o->body[0], point, o->body[1], (double[]){p.x, p.y, p.z});
  for (int i = 0; i < 3; i++)
    add_weighted(
        l, 1, (dm_vector_product){.A = dm_body_vector_direction(m, o->body[1], axis[i]), .B = d});
}

// D - radius; a half-space has one row for each end of the segment
static void put_clearance(output_list *l, const dm_output *o) {
  const bool by_ends = o->swept && o->shape.kind == DM_SHAPE_HALF_SPACE;
  for (int i = 0; i <= by_ends; i++) {
    dm_signal *r = add_plain_row(l);
    r->phi = dm_signal_clearance;
    r->shape = o->shape;
    r->shift = -o->radius;
    add_local(l, o, i == 0 ? o->point[0] : o->end);
    if (o->swept && !by_ends) add_local(l, o, o->end);
  }
}

// -- compiling

typedef enum output_range { ANY, LENGTH, COSINE, ANGLE } output_range;

static const struct kind_row {
  void (*put)(output_list *l, const dm_output *o);
  const char *word, *must, *unit, *rows;
  output_range range;
} kinds[] = {
#define LIST_KIND(NAME, name, word, must, may, unit, rows, range, about, ...)                      \
  [DM_OUTPUT_##NAME] = {put_##name, word, must, unit, rows, range},
    DM_OUTPUT_KINDS(LIST_KIND)
#undef LIST_KIND
};

// write all outputs to w, or only count
static output_list list_outputs(dm_outputs *w, int n, const dm_output *list) {
  output_list l = {.w = w};
  dm_signals_begin(&w->signals);
  for (int i = 0; i < n; i++) {
    if (w->at) w->at[i] = l.rows;
    l.output = i;
    kinds[list[i].kind].put(&l, &list[i]);
  }
  if (w->at) w->at[n] = l.rows;
  if (w->first) w->first[l.rows] = l.terms;
  return l;
}

// inputs must exist and appear once; for power they must act on a joint with its own coordinate
static dm_status check_output_inputs(const dm_model *m, const dm_output *o, dm_message *msg) {
  for (int i = 0; i < o->n; i++) {
    const int input = o->input[i];
    if (input < 0 || input >= m->nu)
      return dm_fail(msg, DM_BAD_INPUT, "output '%s' refers to an input that does not exist",
                     o->name);
    if (!isfinite(o->weight[i]))
      return dm_fail(msg, DM_BAD_INPUT, "output '%s': weights must be finite", o->name);
    if (o->kind != DM_OUTPUT_POWER) continue;

    // u q' is the power of a force along one coordinate
    if (m->input_coord[input] < 0)
      return dm_fail(msg, DM_BAD_INPUT,
                     "output '%s': the input '%s' is on no joint, expected inputs at "
                     "joints, whose power is known by one coordinate",
                     o->name, m->input_name[input]);
    if (dm_ball_owns(m, m->input_coord[input]))
      return dm_fail(msg, DM_BAD_INPUT,
                     "output '%s': the input '%s' turns a ball joint, expected inputs at joints of "
                     "one coordinate",
                     o->name, m->input_name[input]);
  }
  return DM_OK;
}

// variables must exist; rows are checked when they are listed
static dm_status check_formula(const dm_model *m, const dm_output *o, dm_message *msg) {
  if (!o->formula || o->formula->nx < 1)
    return dm_fail(msg, DM_BAD_INPUT, "output '%s': its formula depends on nothing", o->name);
  for (int a = 0; a < o->formula->nx; a++) {
    const dm_output_variable *x = &o->variable[a];
    const int n = x->of == DM_OF_TIME ? 3 : x->of == DM_OF_U ? m->nu : m->nq;
    if (x->of == DM_OF_ROW || x->of == DM_OF_LAMBDA || (x->at >= 0 && x->at < n)) continue;
    return dm_fail(msg, DM_BAD_INPUT, "output '%s' refers to %s that does not exist", o->name,
                   x->of == DM_OF_U ? "an input" : "a coordinate");
  }
  return DM_OK;
}

static dm_status check_output(const dm_model *m, const dm_output *o, dm_message *msg) {
  const char *must = kinds[o->kind].must;
  if (o->kind == DM_OUTPUT_FORMULA) return check_formula(m, o, msg);

  // bodies exist, axes have length 1
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

  // coordinates with finite weights, contacts, inputs, nonzero mass
  for (int i = 0; strstr(must, "contacts") && i < o->n; i++)
    if (!o->row || o->row[i] < 0 || !isfinite(o->weight[i]))
      return dm_fail(msg, DM_BAD_INPUT, "output '%s' refers to a contact that does not exist",
                     o->name);
  if (strstr(must, "inputs")) DM_TRY(check_output_inputs(m, o, msg));
  for (int i = 0; strstr(must, "coordinates") && i < o->n; i++) {
    if (o->coord[i] < 0 || o->coord[i] >= m->nq)
      return dm_fail(msg, DM_BAD_INPUT, "output '%s' refers to a coordinate that does not exist",
                     o->name);
    if (!isfinite(o->weight[i]) || !isfinite(o->shift))
      return dm_fail(msg, DM_BAD_INPUT, "output '%s': weights and shift must be finite", o->name);
  }
  const bool of_all = o->kind == DM_OUTPUT_CENTER || o->kind == DM_OUTPUT_MOMENTUM ||
                      o->kind == DM_OUTPUT_ANGULAR_MOMENTUM;
  if (of_all && !(find_moving_mass(m) > 0))
    return dm_fail(msg, DM_BAD_INPUT, "output '%s': nothing that moves has mass", o->name);
  return DM_OK;
}

static void lay_out_outputs(void *self, dm_block *b) {
  dm_outputs *w = self;
  w->at = dm_block_alloc(b, (size_t)w->n + 1, sizeof *w->at);
  w->kind = dm_block_alloc(b, (size_t)w->n, sizeof *w->kind);
  w->turns = dm_block_alloc(b, (size_t)w->n, sizeof *w->turns);
  w->slides = dm_block_alloc(b, (size_t)w->n, sizeof *w->slides);
  w->first = dm_block_alloc(b, (size_t)w->rows + 1, sizeof *w->first);
  w->output = dm_block_alloc(b, (size_t)w->rows, sizeof *w->output);
  w->term = dm_block_alloc(b, (size_t)w->terms, sizeof *w->term);
  w->formula = dm_block_alloc(b, (size_t)w->rows, sizeof *w->formula);
  w->unit = dm_block_alloc(b, (size_t)w->n, sizeof *w->unit);
  dm_signals_lay_out(&w->signals, b);
  w->wanted = dm_block_alloc(b, (size_t)w->signals.n, sizeof *w->wanted);
  w->name = dm_block_alloc(b, (size_t)w->rows, sizeof *w->name);
  w->whole = dm_block_alloc(b, (size_t)w->n, sizeof *w->whole);
  w->text = dm_block_alloc(b, w->text_size, 1);
}

// NAME with the suffix of row i of `rows`: .x .y .z, or .1, .2 for a kind that usually has one row
static size_t write_row_name(const dm_output *o, int i, int rows, char *text, size_t size) {
  const char *ending = kinds[o->kind].rows;
  if (rows > 1 && !*ending) return (size_t)snprintf(text, size, "%s.%d", o->name, i + 1) + 1;
  for (; i > 0; i--) ending = strchr(ending, ' ') + 1;
  const int length = (int)strcspn(ending, " ");
  return (size_t)snprintf(text, size, "%s%.*s", o->name, length, ending) + 1;
}

// the rows that formulas use: of outputs before them, sums, and not of contacts
static dm_status check_sources(const dm_outputs *w, const dm_output *list, dm_message *msg) {
  for (int i = 0; i < w->n; i++)
    for (int a = 0; list[i].formula && a < list[i].formula->nx; a++) {
      const dm_output_variable *x = &list[i].variable[a];
      if (x->of != DM_OF_ROW) continue;
      if (x->at < 0 || x->at >= w->at[i] || w->formula[x->at])
        return dm_fail(msg, DM_BAD_INPUT,
                       "output '%s' refers to row %d, expected one of a sum before its own, %d",
                       list[i].name, x->at, w->at[i]);
      const int kind = (int)w->kind[w->output[x->at]];
      if (kind >= DM_OUTPUT_CONTACT_FORCE && kind <= DM_OUTPUT_FRICTION_FORCE_RATE)
        return dm_fail(msg, DM_BAD_INPUT,
                       "output '%s' refers to '%s', which is of contacts, expected a function of "
                       "positions, velocities and inputs",
                       list[i].name, w->name[x->at]);
    }
  return DM_OK;
}

dm_status dm_outputs_new(dm_outputs **out, const dm_model *m, int n, const dm_output *list,
                         dm_message *msg) {
  *out = NULL;
  for (int i = 0; i < n; i++) DM_TRY(check_output(m, &list[i], msg));

  // count rows, and then terms, of which a formula has those of other rows
  dm_outputs sizes = {.m = m, .n = n, .signals.m = m};
  sizes.rows = list_outputs(&sizes, n, list).rows;
  sizes.first = calloc((size_t)sizes.rows + 1, sizeof *sizes.first);
  if (!sizes.first) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  sizes.terms = list_outputs(&sizes, n, list).terms;
  free(sizes.first);
  sizes.first = NULL;
  for (int i = 0; i < n; i++) {
    sizes.text_size += 4 * (strlen(list[i].name) + 3);
    if (list[i].unit) sizes.text_size += strlen(list[i].unit) + 1;
  }
  dm_outputs *w = dm_block_make(&sizes, sizeof sizes, lay_out_outputs);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // rows and their names
  list_outputs(w, n, list);
  dm_signals_finish(&w->signals);
  w->asked = w->signals;
  char *text = w->text;
  for (int i = 0; i < n; i++) {
    w->kind[i] = list[i].kind;
    w->unit[i] = list[i].unit ? strcpy(text, list[i].unit) : "1";
    text += list[i].unit ? strlen(text) + 1 : 0;
    w->turns[i] = !list[i].row || list[i].angle;
    w->slides[i] = !list[i].row || !list[i].angle;
    for (int c = 0; !list[i].row && c < list[i].n; c++) {
      // coordinate of the sum, or the coordinate that the input acts on; -1 for a load
      const int coord = list[i].input ? m->input_coord[list[i].input[c]] : list[i].coord[c];
      w->turns[i] = w->turns[i] && coord >= 0 && m->kind[coord] == DM_TURN;
      w->slides[i] = w->slides[i] && coord >= 0 && m->kind[coord] == DM_SLIDE;
    }
    w->whole[i] = strcpy(text, list[i].name);
    text += strlen(text) + 1;
    for (int r = w->at[i]; r < w->at[i + 1]; r++) {
      w->name[r] = text;
      text += write_row_name(&list[i], r - w->at[i], w->at[i + 1] - w->at[i], text,
                             w->text_size - (size_t)(text - w->text));
    }
  }
  const dm_status s = check_sources(w, list, msg);
  if (s == DM_OK) *out = w;
  if (s != DM_OK) dm_outputs_free(w);
  return s;
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
  // units for angles only, lengths only, both
  static const char *const of_place[] = {"rad", "m", "m or rad"};
  static const char *const of_speed[] = {"rad/s", "m/s", "m/s or rad/s"};
  static const char *const of_force[] = {"N m", "N", "N or N m"};
  static const char *const of_contact[][3] = {
      {"N m", "N", "N or N m"}, {"N m s", "N s", "N s or N m s"}, {"N m/s", "N/s", "N/s or N m/s"}};
  const int o = w->output[i];
  const char *unit = w->kind[o] == DM_OUTPUT_FORMULA ? w->unit[o] : kinds[w->kind[o]].unit;
  int which = 2;
  if (*unit) return unit;
  if (w->slides[o]) which = 1;
  if (w->turns[o]) which = 0;
  if (w->kind[o] >= DM_OUTPUT_CONTACT_FORCE && w->kind[o] <= DM_OUTPUT_FRICTION_FORCE_RATE)
    return of_contact[find_contact_measure(w->kind[o])][which];
  if (w->kind[o] == DM_OUTPUT_INPUT) return of_force[which];
  return w->kind[o] == DM_OUTPUT_RATE ? of_speed[which] : of_place[which];
}

void dm_outputs_range(const dm_outputs *w, int i, double range[2]) {
  static const double a = 3.14159265358979323846;
  static const double of[][2] = {[ANY] = {-INFINITY, INFINITY},
                                 [LENGTH] = {0, INFINITY},
                                 [COSINE] = {-1, 1},
                                 [ANGLE] = {-a, a}};
  memcpy(range, of[kinds[w->kind[w->output[i]]].range], 2 * sizeof *range);
}

bool dm_outputs_segment(const dm_outputs *w, int i, dm_segment *line) {
  const dm_output_kind kind = w->kind[w->output[i]];
  if (kind != DM_OUTPUT_DISTANCE && kind != DM_OUTPUT_POSITION && kind != DM_OUTPUT_HEIGHT)
    return false;
  const dm_signal *s = &w->signals.signal[w->term[w->first[i]].signal[0]];
  *line = dm_body_vector_segment(&w->signals.p[s->first].B);
  return true;
}

dm_holonomic dm_outputs_signals(const dm_outputs *w) {
  return dm_signals_functions(&w->signals);
}

void dm_outputs_ask(dm_outputs *w, const bool *row) {
  memset(w->wanted, 0, (size_t)w->signals.n * sizeof *w->wanted);
  for (int i = 0; i < w->rows; i++)
    for (int t = w->first[i]; row[i] && t < w->first[i + 1]; t++)
      for (int k = 0; k < dm_output_term_signals(&w->term[t]); k++)
        w->wanted[w->term[t].signal[k]] = true;
  w->asked = dm_signals_part(&w->signals, w->wanted);
}

dm_holonomic dm_outputs_asked(const dm_outputs *w) {
  return dm_signals_functions(&w->asked);
}

dm_output_map dm_outputs_map(const dm_outputs *w, const dm_holonomic *signals, int n) {
  // if each row is one signal, no terms are needed
  const bool plain = !w->rated && !w->composed && signals->nc == w->rows;
  dm_output_map y =
      dm_output_map_new(*signals, n, w->rows, plain ? NULL : w->first, w->term, w->name);
  if (w->composed) dm_output_map_compose(&y, w->formula);
  return y;
}
