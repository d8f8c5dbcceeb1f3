#include "control/codegen/momentum.h"

#include "control/codegen/lines.h"
#include "control/codegen/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- expressions

// the expressions under construction; a node is referred to by its number
typedef struct writer {
  fb_expression *node;
  int count, room;
  bool full; // out of memory: nothing more is added
} writer;

// a vector of expressions, and a motion or a momentum made of two
typedef struct triple {
  int x, y, z;
} triple;
typedef struct screw {
  triple w, v;
} screw;

// a new node, or the existing one with the same content
static int add_node(writer *o, fb_expression e) {
  e.slot = -1;
  for (int i = o->count - 1; i >= 0; i--) {
    const fb_expression *f = &o->node[i];
    if (f->op == e.op && f->a == e.a && f->b == e.b && f->value == e.value) return i;
  }

  // double the capacity
  if (o->count == o->room) {
    size_t room = o->room ? 2 * (size_t)o->room : 256;
    fb_expression *more = realloc(o->node, room * sizeof *more);
    o->full = o->full || !more;
    if (!more) return 0;
    o->node = more;
    o->room = (int)room;
  }
  o->node[o->count] = e;
  return o->count++;
}

// replace constants that equal 0, 1 or -1 up to the rounding of a file's angles
static int add_constant(writer *o, double x) {
  const double whole = nearbyint(x);
  if (fabs(whole) <= 1 && fabs(x - whole) < 1e-15) x = whole;
  return add_node(o, (fb_expression){.op = FB_CONSTANT, .value = x + 0.0});
}

static bool is_constant(const writer *o, int a, double x) {
  return !o->full && o->node[a].op == FB_CONSTANT && o->node[a].value == x;
}

// both are constants: compute their values
static bool are_constants(const writer *o, int a, int b) {
  return !o->full && o->node[a].op == FB_CONSTANT && o->node[b].op == FB_CONSTANT;
}

static int add_leaf(writer *o, fb_operation op, int a) {
  return add_node(o, (fb_expression){.op = op, .a = a});
}

static int negate(writer *o, int a) {
  if (o->full) return 0;
  if (o->node[a].op == FB_CONSTANT) return add_constant(o, -o->node[a].value);
  if (o->node[a].op == FB_NEGATIVE) return o->node[a].a;
  return add_leaf(o, FB_NEGATIVE, a);
}

// a + b, a - b and a b, simplified if possible
static int add_difference(writer *o, int a, int b);

static int add_sum(writer *o, int a, int b) {
  if (are_constants(o, a, b)) return add_constant(o, o->node[a].value + o->node[b].value);
  if (is_constant(o, a, 0)) return b;
  if (is_constant(o, b, 0)) return a;
  if (!o->full && o->node[b].op == FB_NEGATIVE) return add_difference(o, a, o->node[b].a);
  if (!o->full && o->node[a].op == FB_NEGATIVE) return add_difference(o, b, o->node[a].a);
  return add_node(o, (fb_expression){.op = FB_SUM, .a = a, .b = b});
}

static int add_difference(writer *o, int a, int b) {
  if (are_constants(o, a, b)) return add_constant(o, o->node[a].value - o->node[b].value);
  if (is_constant(o, a, 0)) return negate(o, b);
  if (is_constant(o, b, 0)) return a;
  if (!o->full && o->node[b].op == FB_NEGATIVE) return add_sum(o, a, o->node[b].a);
  return add_node(o, (fb_expression){.op = FB_DIFFERENCE, .a = a, .b = b});
}

static int add_product(writer *o, int a, int b) {
  if (are_constants(o, a, b)) return add_constant(o, o->node[a].value * o->node[b].value);
  if (is_constant(o, a, 0) || is_constant(o, b, 1)) return a;
  if (is_constant(o, b, 0) || is_constant(o, a, 1)) return b;
  if (is_constant(o, a, -1)) return negate(o, b);
  if (is_constant(o, b, -1)) return negate(o, a);
  return add_node(o, (fb_expression){.op = FB_PRODUCT, .a = a, .b = b});
}

// -- vectors of expressions

static triple make_triple(writer *o, dm_vec a) {
  return (triple){add_constant(o, a.x), add_constant(o, a.y), add_constant(o, a.z)};
}

static triple add_triples(writer *o, triple a, triple b) {
  return (triple){add_sum(o, a.x, b.x), add_sum(o, a.y, b.y), add_sum(o, a.z, b.z)};
}

static triple scale_triple(writer *o, int s, triple a) {
  return (triple){add_product(o, s, a.x), add_product(o, s, a.y), add_product(o, s, a.z)};
}

static int make_dot(writer *o, triple a, triple b) {
  int sum = add_sum(o, add_product(o, a.x, b.x), add_product(o, a.y, b.y));
  return add_sum(o, sum, add_product(o, a.z, b.z));
}

// a b - c d
static int make_minor(writer *o, int a, int b, int c, int d) {
  return add_difference(o, add_product(o, a, b), add_product(o, c, d));
}

static triple make_cross(writer *o, triple a, triple b) {
  return (triple){make_minor(o, a.y, b.z, a.z, b.y), make_minor(o, a.z, b.x, a.x, b.z),
                  make_minor(o, a.x, b.y, a.y, b.x)};
}

// -- joints

// a joint's frame in its parent's: E at q = 0, then a rotation by c, s about z; and its origin r
typedef struct frame {
  dm_pose E;
  int c, s; // cosine and sine; -1: prismatic
  triple r;
} frame;

// R' a: into the joint's frame
static triple turn_into(writer *o, const frame *X, triple a) {
  const dm_vec *E[] = {&X->E.x, &X->E.y, &X->E.z};
  int b[3];
  for (int i = 0; i < 3; i++) b[i] = make_dot(o, make_triple(o, *E[i]), a);
  if (X->c < 0) return (triple){b[0], b[1], b[2]};

  // (c b_x + s b_y, c b_y - s b_x, b_z)
  int x = add_sum(o, add_product(o, X->c, b[0]), add_product(o, X->s, b[1]));
  return (triple){x, make_minor(o, X->c, b[1], X->s, b[0]), b[2]};
}

// R a: out of the joint's frame
static triple turn_out(writer *o, const frame *X, triple a) {
  if (X->c >= 0) {
    // (c a_x - s a_y, s a_x + c a_y, a_z)
    int x = make_minor(o, X->c, a.x, X->s, a.y);
    a.y = add_sum(o, add_product(o, X->s, a.x), add_product(o, X->c, a.y));
    a.x = x;
  }
  triple sum = scale_triple(o, a.x, make_triple(o, X->E.x));
  sum = add_triples(o, sum, scale_triple(o, a.y, make_triple(o, X->E.y)));
  return add_triples(o, sum, scale_triple(o, a.z, make_triple(o, X->E.z)));
}

// ratio q + shift, a joint's position; its velocity has no shift
static int make_joint_value(writer *o, const dm_model *m, int j, fb_operation of) {
  int x = add_product(o, add_constant(o, m->ratio[j]), add_leaf(o, of, m->coord[j]));
  return of == FB_SPEED ? x : add_sum(o, x, add_constant(o, m->shift[j]));
}

static frame make_frame(writer *o, const dm_model *m, int j) {
  frame X = {.E = m->offset[j], .c = -1, .s = -1};
  int q = make_joint_value(o, m, j, FB_POSITION);

  // a prismatic joint moves along E_z; a revolute joint rotates about it
  X.r = make_triple(o, X.E.p);
  if (m->slides[j]) {
    X.r = add_triples(o, X.r, scale_triple(o, q, make_triple(o, X.E.z)));
    return X;
  }
  X.c = add_leaf(o, FB_COSINE, q);
  X.s = add_leaf(o, FB_SINE, q);
  return X;
}

// h = I V: I w + c x v, and m v + w x c
static screw make_momentum(writer *o, const dm_inertia *I, screw V) {
  triple c = make_triple(o, I->c);
  triple rows[] = {make_triple(o, dm_v(I->xx, I->xy, I->xz)),
                   make_triple(o, dm_v(I->xy, I->yy, I->yz)),
                   make_triple(o, dm_v(I->xz, I->yz, I->zz))};
  triple Iw = {make_dot(o, rows[0], V.w), make_dot(o, rows[1], V.w), make_dot(o, rows[2], V.w)};
  triple mv = scale_triple(o, add_constant(o, I->m), V.v);
  return (screw){add_triples(o, Iw, make_cross(o, c, V.v)),
                 add_triples(o, mv, make_cross(o, V.w, c))};
}

// root to tip: frames, motions, and momenta of single bodies
static void make_motions(writer *o, const dm_model *m, frame *X, screw *V, screw *h) {
  const int zero = add_constant(o, 0);
  const triple none = {zero, zero, zero};
  for (int j = 0; j < m->nj; j++) {
    // the parent's motion at the joint, in the joint's frame
    int p = m->parent[j];
    screw at = p < 0 ? (screw){none, none} : V[p];
    X[j] = make_frame(o, m, j);
    at.v = add_triples(o, at.v, make_cross(o, at.w, X[j].r));
    V[j] = (screw){turn_into(o, &X[j], at.w), turn_into(o, &X[j], at.v)};

    // plus the joint's own motion, along or about z
    int rate = make_joint_value(o, m, j, FB_SPEED);
    int *own = m->slides[j] ? &V[j].v.z : &V[j].w.z;
    *own = add_sum(o, *own, rate);
    h[j] = make_momentum(o, &m->body[j], V[j]);
  }
}

// y[i] += ratio S.h for joint j of coordinate i
static void add_joint_share(writer *o, const dm_model *m, int j, screw h, int *y) {
  const int along = m->slides[j] ? h.v.z : h.w.z;
  int *to = &y[m->coord[j]];
  *to = add_sum(o, *to, add_product(o, add_constant(o, m->ratio[j]), along));
}

// tip to root: momenta or forces of subtrees, and each joint's contribution to its coordinate's y
// [nq]
static void sum_subtrees(writer *o, const dm_model *m, const frame *X, screw *h, int *y) {
  for (int j = m->nj - 1; j >= 0; j--) {
    int parent = m->parent[j];
    add_joint_share(o, m, j, h[j], y);
    if (parent < 0) continue;

    // the force part is rotated, the moment also gets r x force
    screw up = {turn_out(o, &X[j], h[j].w), turn_out(o, &X[j], h[j].v)};
    up.w = add_triples(o, up.w, make_cross(o, X[j].r, up.v));
    h[parent].w = add_triples(o, h[parent].w, up.w);
    h[parent].v = add_triples(o, h[parent].v, up.v);
  }
}

// L_q [nq] from the momenta h of subtrees: for the kinetic energy ratio (V x S).h of each joint,
// since the joint moves its subtree relative to V; for gravity the force along S. h is overwritten.
static void make_slopes(writer *o, const dm_model *m, const frame *X, const screw *V, screw *h,
                        int *L_q) {
  for (int j = 0; j < m->nj; j++) {
    // (V x S).h: (w x z).h_w + (v x z).h_v for a revolute joint, (w x z).h_v for a prismatic one
    const triple a = m->slides[j] ? h[j].v : h[j].w;
    int turned = make_minor(o, V[j].w.y, a.x, V[j].w.x, a.y);
    if (!m->slides[j])
      turned = add_sum(o, turned, make_minor(o, V[j].v.y, h[j].v.x, V[j].v.x, h[j].v.y));
    int *to = &L_q[m->coord[j]];
    *to = add_sum(o, *to, add_product(o, add_constant(o, m->ratio[j]), turned));
  }

  // root to tip: the weight of each body, m g and c x g; its force first holds g itself
  for (int j = 0; j < m->nj; j++) {
    const int p = m->parent[j];
    h[j].v = turn_into(o, &X[j], p < 0 ? make_triple(o, m->gravity) : h[p].v);
  }
  for (int j = 0; j < m->nj; j++) {
    const triple g = h[j].v;
    h[j].w = make_cross(o, make_triple(o, m->body[j].c), g);
    h[j].v = scale_triple(o, add_constant(o, m->body[j].m), g);
  }
  sum_subtrees(o, m, X, h, L_q);
}

// p [nq] of the tree, then L_q [nq] if requested
static dm_status make_expressions(writer *o, const dm_model *m, bool slopes, int *p) {
  frame *X = calloc((size_t)m->nj + 1, sizeof *X);
  screw *V = calloc((size_t)m->nj + 1, sizeof *V), *h = calloc((size_t)m->nj + 1, sizeof *h);
  dm_status s = X && V && h ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < m->nq; i++)
    p[i] = add_product(o, add_constant(o, m->armature[i]), add_leaf(o, FB_SPEED, i));
  if (s == DM_OK) make_motions(o, m, X, V, h);
  if (s == DM_OK) sum_subtrees(o, m, X, h, p);
  for (int i = 0; s == DM_OK && slopes && i < m->nq; i++) p[m->nq + i] = add_constant(o, 0);
  if (s == DM_OK && slopes) make_slopes(o, m, X, V, h, p + m->nq);

  // for a prescribed coordinate, the state contains the velocity
  for (int i = 0; s == DM_OK && i < m->nq; i++)
    if (m->kinematic[i]) p[i] = add_leaf(o, FB_SPEED, i);
  free(X);
  free(V);
  free(h);
  return o->full ? DM_NO_MEMORY : s;
}

// -- slots for numbers

static bool needs_place(fb_operation op) {
  return op != FB_CONSTANT && op != FB_POSITION && op != FB_SPEED;
}

static bool has_second(fb_operation op) {
  return op == FB_SUM || op == FB_DIFFERENCE || op == FB_PRODUCT;
}

// last[i]: the last node that reads node i, -1 if none does, count if p does
static void find_last_uses(const fb_momentum *w, int *last) {
  for (int i = 0; i < w->count; i++) last[i] = -1;
  for (int i = 0; i < w->outputs; i++) last[w->p[i]] = w->count;
  for (int i = w->count - 1; i >= 0; i--) {
    // an unused node does not read anything
    const fb_expression *e = &w->node[i];
    if (last[i] < 0 || !needs_place(e->op)) continue;
    if (last[e->a] < i) last[e->a] = i;
    if (has_second(e->op) && last[e->b] < i) last[e->b] = i;
  }
}

// release a slot
static void free_place(const fb_momentum *w, const int *last, int i, int at, int *spare,
                       int *spares) {
  const fb_expression *e = &w->node[i];
  if (last[i] == at && e->slot >= 0) spare[(*spares)++] = e->slot;
}

// assign a slot to each node that is read, reusing a free one if possible
static dm_status assign_places(fb_momentum *w) {
  int *last = calloc(2 * (size_t)w->count + 2, sizeof *last);
  if (!last) return DM_NO_MEMORY;

  // free slots are listed from the end
  int *spare = last + w->count + 1, spares = 0;
  find_last_uses(w, last);
  for (int i = 0; i < w->count; i++) {
    fb_expression *e = &w->node[i];
    if (last[i] < 0 || !needs_place(e->op)) continue;

    // operands read here for the last time free their slots for the result
    free_place(w, last, e->a, i, spare, &spares);
    if (has_second(e->op) && e->b != e->a) free_place(w, last, e->b, i, spare, &spares);
    e->slot = spares ? spare[--spares] : w->slots++;

    // count the operations
    w->turns += e->op == FB_SINE || e->op == FB_COSINE;
    w->products += e->op == FB_PRODUCT;
    w->sums += e->op == FB_SUM || e->op == FB_DIFFERENCE || e->op == FB_NEGATIVE;
  }
  free(last);
  w->slot = calloc((size_t)w->slots + 1, sizeof *w->slot);
  return w->slot ? DM_OK : DM_NO_MEMORY;
}

// -- construction

void fb_momentum_free(fb_momentum *w) {
  if (!w) return;
  free(w->node);
  free(w->p);
  free(w->slot);
  free(w);
}

// refuse unsupported features of a tree
static dm_status check_tree(const dm_model *m, const dm_system *s, dm_message *msg) {
  if (m->nball)
    return dm_fail(msg, DM_UNAVAILABLE, "it has a ball joint, whose momenta are of quaternions");
  if (s->hol.nc)
    return dm_fail(msg, DM_UNAVAILABLE, "it has constraints, along which p is not M(q) v");
  if (s->physical || s->lag)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "it has a joint whose damping is over within a step, whose p is of more than "
                   "the robot's inertia");
  return DM_OK;
}

dm_status fb_momentum_check(const dm_model *m, const dm_system *s, dm_message *msg) {
  return check_tree(m, s, msg);
}

dm_status fb_momentum_new(fb_momentum **out, const dm_model *m, const dm_system *s, bool slopes,
                          dm_message *msg) {
  const int outputs = slopes ? 2 * m->nq : m->nq;
  assert(out && m && s && m->nq == s->L.nq);
  *out = NULL;
  DM_TRY(check_tree(m, s, msg));

  // the recursion on expressions, then the slots of their numbers
  writer o = {.node = NULL};
  fb_momentum *w = calloc(1, sizeof *w);
  if (w) w->p = calloc((size_t)outputs, sizeof *w->p);
  dm_status status = w && w->p ? make_expressions(&o, m, slopes, w->p) : DM_NO_MEMORY;
  if (status == DM_OK) {
    w->n = m->nq;
    w->outputs = outputs;
    w->count = o.count;
    w->node = o.node;
    status = assign_places(w);
  } else {
    free(o.node);
  }
  if (status == DM_OK) {
    *out = w;
    return DM_OK;
  }
  fb_momentum_free(w);
  return dm_fail(msg, status, "out of memory");
}

// the value of a node, after it is computed
static double get_number(const fb_momentum *w, bool single, int i, const double *q,
                         const double *v) {
  const fb_expression *e = &w->node[i];
  if (e->slot >= 0) return w->slot[e->slot];
  const double x = e->op == FB_CONSTANT ? e->value : (e->op == FB_POSITION ? q : v)[e->a];
  return fb_number_rounded(single, x);
}

static double compute_operation(fb_operation op, bool single, double a, double b) {
  switch (op) {
  case FB_SINE:
    return single ? (double)sinf((float)a) : sin(a);
  case FB_COSINE:
    return single ? (double)cosf((float)a) : cos(a);
  case FB_NEGATIVE:
    return -a;
  case FB_SUM:
    return a + b;
  case FB_DIFFERENCE:
    return a - b;
  default:
    return a * b;
  }
}

void fb_momentum_eval(const fb_momentum *w, bool single, const double *q, const double *v,
                      double *p) {
  for (int i = 0; i < w->count; i++) {
    const fb_expression *e = &w->node[i];
    if (e->slot < 0) continue;
    double a = get_number(w, single, e->a, q, v);
    double b = has_second(e->op) ? get_number(w, single, e->b, q, v) : 0;
    w->slot[e->slot] = fb_number_rounded(single, compute_operation(e->op, single, a, b));
  }
  for (int i = 0; i < w->outputs; i++) p[i] = get_number(w, single, w->p[i], q, v);
}

// -- the text

static void put_operand(FILE *f, const fb_momentum *w, bool single, int i) {
  const fb_expression *e = &w->node[i];
  if (e->slot >= 0)
    fprintf(f, "w[%d]", e->slot);
  else if (e->op == FB_CONSTANT)
    fb_number_write(f, single, e->value);
  else
    fprintf(f, "%c[%d]", e->op == FB_POSITION ? 'q' : 'v', e->a);
}

// w[..] = a op b;
static void put_operation(FILE *f, const fb_momentum *w, bool single, const fb_expression *e) {
  static const char *const before[] = {[FB_SINE] = "sin", [FB_COSINE] = "cos", [FB_NEGATIVE] = "-"};
  static const char between[] = {[FB_SUM] = '+', [FB_DIFFERENCE] = '-', [FB_PRODUCT] = '*'};
  const bool second = has_second(e->op), turn = e->op == FB_SINE || e->op == FB_COSINE;
  fprintf(f, "  w[%d] = ", e->slot);
  if (!second) fprintf(f, "%s%s", before[e->op], turn ? (single ? "f(" : "(") : "");
  put_operand(f, w, single, e->a);
  if (second) {
    fprintf(f, " %c ", between[e->op]);
    put_operand(f, w, single, e->b);
  }
  fputs(turn ? ");\n" : ";\n", f);
}

void fb_momentum_write(FILE *f, const fb_momentum *w, bool single, const char *prefix) {
  if (w->slots) fb_lines_print(f, prefix, "  controller_real w[%d];\n", w->slots);
  fputs("  (void)q;\n  (void)v;\n", f);
  for (int i = 0; i < w->count; i++)
    if (w->node[i].slot >= 0) put_operation(f, w, single, &w->node[i]);
  for (int i = 0; i < w->outputs; i++) {
    fprintf(f, "  p[%d] = ", i);
    put_operand(f, w, single, w->p[i]);
    fputs(";\n", f);
  }
}
