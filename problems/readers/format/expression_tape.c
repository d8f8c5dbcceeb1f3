#include "problems/readers/format/expression.h"

#include <math.h>

// the operation of the tape for one of the expression whose operands are `at`
static dm_tape_operation translate(const pb_operation *o, const int *at) {
  static const dm_tape_operator of[] = {
      [PB_NEGATE] = DM_TAPE_NEGATE,     [PB_ADD] = DM_TAPE_ADD,
      [PB_SUBTRACT] = DM_TAPE_SUBTRACT, [PB_MULTIPLY] = DM_TAPE_MULTIPLY,
      [PB_DIVIDE] = DM_TAPE_DIVIDE,     [PB_RAISE] = DM_TAPE_RAISE};
  dm_tape_operation to = {.place = o->place};
  if (o->kind == PB_IS_NUMBER) {
    to.kind = DM_TAPE_NUMBER;
    to.value = o->value;
  } else if (o->kind == PB_IS_VARIABLE) {
    to.kind = DM_TAPE_VARIABLE;
    to.at = o->at;
  } else if (o->kind == PB_LOOK_UP) {
    to.kind = DM_TAPE_CALL;
    to.table = o->table;
    to.a = to.b = at[o->a];
  } else {
    to.kind = DM_TAPE_CALL;
    to.at = o->kind == PB_CALL ? o->f : (int)of[o->kind];
    to.a = at[o->a];
    to.b = at[o->b];
  }
  return to;
}

// a call of numbers becomes their value, if it has one
static void fold_numbers(const dm_tape_operation *list, dm_tape_operation *o) {
  dm_tape_jet jet;
  if (o->kind != DM_TAPE_CALL || o->table) return;
  const dm_tape_operation *a = &list[o->a], *b = &list[o->b];
  if (a->kind != DM_TAPE_NUMBER || b->kind != DM_TAPE_NUMBER) return;
  dm_tape_function_at(o->at)->eval(a->value, b->value, 0, &jet);
  if (isfinite(jet.y))
    *o = (dm_tape_operation){.kind = DM_TAPE_NUMBER, .place = o->place, .value = jet.y};
}

// a square becomes a product, which is cheaper
static void multiply_square(const dm_tape_operation *list, dm_tape_operation *o) {
  if (o->kind != DM_TAPE_CALL || o->table || o->at != DM_TAPE_RAISE) return;
  if (list[o->b].kind != DM_TAPE_NUMBER || list[o->b].value != 2) return;
  o->at = DM_TAPE_MULTIPLY;
  o->b = o->a;
}

static bool is_same(const dm_tape_operation *a, const dm_tape_operation *b) {
  return a->kind == b->kind && a->at == b->at && a->a == b->a && a->b == b->b &&
         a->value == b->value && a->table == b->table;
}

// Drop the operations on which the last does not depend; variables come first, numbered by their occurrence, then numbers,
// then calls.
static void compact_tape(dm_tape *f, const dm_tape_operation *o, dm_tape_operation *out, int *to,
                         int *symbol) {
  // used: marked from the last to the first; then moved
  for (int i = 0; i < f->count; i++) to[i] = i == f->count - 1 ? 0 : -1;
  for (int i = f->count - 1; i >= 0; i--)
    if (to[i] == 0 && o[i].kind == DM_TAPE_CALL) to[o[i].a] = to[o[i].b] = 0;
  int kept = 0;
  static const dm_tape_kind order[] = {DM_TAPE_VARIABLE, DM_TAPE_NUMBER, DM_TAPE_CALL};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < f->count; i++) {
      const bool calls = order[k] == DM_TAPE_CALL;
      if (to[i] < 0 || o[i].kind != order[k]) continue;
      dm_tape_operation *own = &out[kept];
      *own = o[i];
      to[i] = kept++;
      if (calls) own->a = to[own->a];
      if (calls) own->b = to[own->b];
      if (own->kind != DM_TAPE_VARIABLE) continue;
      symbol[f->nx] = own->at;
      own->at = f->nx++;
    }
  f->count = kept;
}

dm_status pb_expression_compile(pb_arena *arena, const pb_expression *e, dm_tape *out,
                                const int **used) {
  dm_tape_operation *o, *list;
  int *at, *symbol, n = 0;
  PB_NEW(arena, o, e->count);
  PB_NEW(arena, list, e->count);
  PB_NEW(arena, at, e->count);
  PB_NEW(arena, symbol, e->count);

  // equal operations are one
  for (int i = 0; i < e->count; i++) {
    o[n] = translate(&e->operation[i], at);
    fold_numbers(o, &o[n]);
    multiply_square(o, &o[n]);
    at[i] = 0;
    while (at[i] < n && !is_same(&o[at[i]], &o[n])) at[i]++;
    n += at[i] == n;
  }
  *out = (dm_tape){.count = at[e->count - 1] + 1};
  compact_tape(out, o, list, at, symbol);
  *out = dm_tape_of(out->nx, out->count, list);
  *used = symbol;
  return DM_OK;
}
