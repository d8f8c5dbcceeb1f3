// A formula with its gradient and Hessian, as a tape and as C by hand.
#include "benchmarks/figures.h"
#include "lib/base/tape.h"
#include "problems/readers/format/expression.h"
#include "tests/support/models.h"

// a soft wall, a Huber cost and a torque about a joint
#define TEXT "softplus(x - 0.6, 0.01) + huber(y - 0.3, 0.05) + 0.1 x^2 sin(z)"

typedef struct formula {
  pb_arena arena;
  dm_tape f;
  double x[3], y, f_x[3], f_xx[9], *room;
} formula;

static void evaluate_tape(void *self) {
  formula *w = self;
  w->y = dm_tape_eval(&w->f, w->x, w->room, w->f_x, w->f_xx);
}

static void evaluate_by_hand(void *self) {
  formula *w = self;
  const double x = w->x[0], y = w->x[1] - 0.3, z = w->x[2], s = (x - 0.6) / 0.01;
  const double small = exp(-fabs(s)), slope = s > 0 ? 1 / (1 + small) : small / (1 + small);
  const double sine = sin(z), cosine = cos(z), a = fabs(y);
  w->y = 0.01 * ((s > 0 ? s : 0) + log1p(small)) + (a <= 0.05 ? y * y / 2 : 0.05 * (a - 0.025)) +
         0.1 * x * x * sine;
  w->f_x[0] = slope + 0.2 * x * sine;
  w->f_x[1] = a <= 0.05 ? y : copysign(0.05, y);
  w->f_x[2] = 0.1 * x * x * cosine;
  memset(w->f_xx, 0, sizeof w->f_xx);
  w->f_xx[0] = small / ((1 + small) * (1 + small) * 0.01) + 0.2 * sine;
  w->f_xx[4] = a <= 0.05;
  w->f_xx[2] = w->f_xx[6] = 0.2 * x * cosine;
  w->f_xx[8] = -0.1 * x * x * sine;
}

void bench_formula(void) {
  static const pb_symbol symbols[] = {{"x", 0, 0, NULL}, {"y", 1, 0, NULL}, {"z", 2, 0, NULL}};
  const pb_language language = {.list = symbols, .n = 3, .functions = true};
  formula w = {.x = {0.61, 0.32, 0.8}};
  pb_expression e;
  const int *used;
  dm_message msg = {""};
  if (!bench_wanted("formula")) return;
  bench_need(pb_expression_parse(&w.arena, TEXT, &language, &e, &msg), msg.text);
  bench_need(pb_expression_compile(&w.arena, &e, &w.f, &used), "a tape");
  w.room = malloc(dm_tape_room(&w.f) * sizeof *w.room);
  const double tape = bench_time_us(evaluate_tape, &w), y = w.y, curve = w.f_xx[0];
  const double by_hand = bench_time_us(evaluate_by_hand, &w);
  bench_need(fabs(w.y - y) < 1e-14 && fabs(w.f_xx[0] - curve) < 1e-10 ? DM_OK : DM_NOT_FINITE,
             "the same values");
  bench_print("formula.tape_us", tape, "us");
  bench_print("formula.by_hand_us", by_hand, "us");
  bench_print("formula.ratio", tape / by_hand, "1");
  free(w.room);
  pb_arena_free(&w.arena);
}
