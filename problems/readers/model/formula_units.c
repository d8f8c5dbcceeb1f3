#include "problems/readers/model/formula_units.h"

#include "lib/base/names.h"
#include "lib/base/tape_functions.h"
#include "problems/readers/model/formula_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// kg, m, s
enum { BASES = 3 };
typedef struct unit {
  bool known;
  double power[BASES];
} unit;

static const char *const words[] = {"1", "rad", "m", "m/s",    "rad/s",
                                    "N", "N m", "W", "kg m/s", "kg m2/s"};
static const double powers[][BASES] = {{0, 0, 0},  {0, 0, 0},  {0, 1, 0},  {0, 1, -1}, {0, 0, -1},
                                       {1, 1, -2}, {1, 2, -2}, {1, 2, -3}, {1, 1, -1}, {1, 2, -1}};

static unit find_unit(const char *word) {
  const int at = dm_names_find(words, sizeof words / sizeof *words, word);
  if (at < 0) return (unit){0};
  unit u = {.known = true};
  memcpy(u.power, powers[at], sizeof u.power);
  return u;
}

// "m", or "kg^2 m s^-1"
static const char *write_unit(const unit *u, char text[64]) {
  static const char *const base[BASES] = {"kg", "m", "s"};
  size_t used = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!memcmp(powers[i], u->power, sizeof u->power)) return words[i];
  text[0] = 0;
  for (int k = 0; k < BASES; k++) {
    if (u->power[k] == 0) continue;
    used += (size_t)snprintf(text + used, 64 - used, "%s%s", used ? " " : "", base[k]);
    if (u->power[k] != 1) used += (size_t)snprintf(text + used, 64 - used, "^%.3g", u->power[k]);
  }
  return text;
}

// of a symbol; impulses of constraints and times have any unit
static unit unit_of_symbol(const pb_reader *r, const pb_robot *robot, int at) {
  static const char *const of_coord[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"kg m/s", "kg m2/s"}};
  const dm_model *m = robot->mechanism.tree;
  const dm_output_variable x = pb_formula_variable(r, m, at);
  if (x.of == DM_OF_ROW) return find_unit(dm_outputs_unit(robot->outputs.rows, x.at));
  if (x.of == DM_OF_U && strcmp(pb_robot_unit(robot, x.at), "1") != 0)
    return find_unit(pb_robot_unit(robot, x.at));
  if (x.of > DM_OF_P) return (unit){0};
  const bool turns = m->kind[x.at] == DM_TURN;
  return turns || m->kind[x.at] == DM_SLIDE ? find_unit(of_coord[x.of][turns]) : (unit){0};
}

static bool is_same(const unit *a, const unit *b) {
  return !memcmp(a->power, b->power, sizeof a->power);
}

// the functions that take and give one unit, and those of numbers without a unit
static const char *const of_like[] = {"hypot", "smoothabs", "softplus", "huber",
                                      "max",   "min",       "atan2",    "abs"};
static const char *const of_numbers[] = {"sin",  "cos",  "tan",  "asin", "acos", "atan",
                                         "sinh", "cosh", "tanh", "exp",  "log"};

#define HAS(list, name) has_name(list, sizeof(list) / sizeof *(list), name)
static bool has_name(const char *const *list, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(list[i], name)) return true;
  return false;
}

static unit scale_unit(const unit *a, double factor) {
  unit u = *a;
  for (int k = 0; k < BASES; k++) u.power[k] *= factor;
  return u;
}

static unit multiply_units(const unit *a, const unit *b, double sign) {
  unit u = {.known = a->known && b->known};
  for (int k = 0; k < BASES; k++) u.power[k] = a->power[k] + sign * b->power[k];
  return u.known ? u : (unit){0};
}

// is operation i a number, perhaps with signs?
static bool find_number(const pb_operation *list, int i, double *x) {
  double sign = 1;
  for (; list[i].kind == PB_NEGATE; i = list[i].a) sign = -sign;
  *x = sign * list[i].value;
  return list[i].kind == PB_IS_NUMBER;
}

// The unit of an operation from those of its operands. Sets *fault to a word for the operation that does not fit: "adds", "sin".
static unit join_units(const pb_operation *o, const pb_operation *list, const unit *a,
                       const unit *b, const char **fault) {
  const bool unlike = a->known && b->known && !is_same(a, b);
  const unit none = {0}, one = find_unit("1");
  double power;
  const char *name = o->kind == PB_CALL ? dm_tape_function_at(o->f)->name : "";
  switch (o->kind) {
  case PB_NEGATE:
    return *a;
  case PB_ADD:
  case PB_SUBTRACT:
    if (unlike) *fault = "adds";
    return a->known ? *a : *b;
  case PB_MULTIPLY:
    return multiply_units(a, b, 1);
  case PB_DIVIDE:
    return multiply_units(a, b, -1);
  case PB_RAISE:
    if (!a->known || !find_number(list, o->b, &power)) return none;
    return scale_unit(a, power);
  case PB_CALL:
    if (!strcmp(name, "sqrt")) return a->known ? scale_unit(a, 0.5) : none;
    if (HAS(of_numbers, name) && a->known && !is_same(a, &one)) *fault = name;
    if (!HAS(of_like, name)) return none;
    if (unlike) *fault = name;
    if (!strcmp(name, "atan2") || !a->known) return none;
    return !strcmp(name, "huber") ? scale_unit(a, 2) : *a;
  case PB_IS_NUMBER:
  case PB_IS_VARIABLE:
  case PB_LOOK_UP:
    break;
  }
  return none;
}

static dm_status warn_of(pb_reader *r, const char *name, int line, const pb_operation *o,
                         const char *fault, const unit *a, const unit *b) {
  char text[2][64];
  const char *first = write_unit(a, text[0]);
  if (!strcmp(fault, "adds"))
    return pb_warn(r, r->file, line,
                   "the formula '%.64s' adds %s and %s at character %d; a factor, as 1*, has the "
                   "unit that fits",
                   name, first, write_unit(b, text[1]), o->place + 1);
  if (o->a != o->b)
    return pb_warn(r, r->file, line, "the formula '%.64s' has %s of %s and %s at character %d",
                   name, fault, first, write_unit(b, text[1]), o->place + 1);
  return pb_warn(r, r->file, line,
                 "the formula '%.64s' has %s of %s at character %d, expected a number or an angle",
                 name, fault, first, o->place + 1);
}

dm_status pb_formula_units_check(pb_reader *r, const pb_robot *robot, const pb_expression *e,
                                 const char *name, int line) {
  unit *of;
  PB_NEW(r->arena, of, e->count);
  for (int i = 0; i < e->count; i++) {
    const pb_operation *o = &e->operation[i];
    const char *fault = NULL;
    if (o->kind == PB_IS_VARIABLE)
      of[i] = unit_of_symbol(r, robot, o->at);
    else if (o->kind != PB_IS_NUMBER)
      of[i] = join_units(o, e->operation, &of[o->a], &of[o->b], &fault);
    if (fault) return warn_of(r, name, line, o, fault, &of[o->a], &of[o->b]);
  }
  return DM_OK;
}
