// tests/control/codegen/test_tape_source.c: formulas as C99, compiled with all warnings as errors, have the bits of their
// tapes, at regular points and where values or derivatives do not exist.
#include "control/codegen/tape_source.h"
#include "lib/base/spline.h"
#include "problems/readers/format/expression.h"
#include "tests/support/skips.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 3 };
static const char *const names[NX] = {"q.a", "tool.x", "t"};
static char folder[] = "/tmp/dmoc-tape-XXXXXX";

// every function, operators, sums whose slopes cancel, a table, one variable alone, a factor that may be zero
static const char *const formulas[] = {
    "softplus(tool.x - 0.6, 0.01) + huber(t - 0.3, 0.05) + 0.1 tool.x^2 sin(q.a)",
    "sin(q.a) cos(t) + tan(tool.x)/q.a - asin(q.a/9) acos(tool.x/9) + atan(t)",
    "sinh(q.a) - cosh(tool.x) tanh(t) + exp(-q.a) log(tool.x) + sqrt(t)",
    "atan2(q.a, tool.x) hypot(t, q.a) + smoothabs(tool.x, 0.1) - smoothmax(q.a, t, 0.2)",
    "q.a^tool.x - 2^t + tool.x^-3 + (q.a - t)^5/(1 + t^2)",
    "norm(q.a, tool.x, t) - max(q.a, t) + min(tool.x, t) abs(q.a)",
    "lift(q.a) - 0.3 lift(tool.x t)",
    "tool.x",
    "q.a (tool.x + t) - q.a tool.x"};

static dm_status parse(pb_arena *arena, const char *text, dm_tape *f, const int **used) {
  static const double x[] = {-1, 0.2, 0.7, 2}, y[] = {0.3, -0.4, 1, 0.5};
  static double y_xx[4], pivot[4];
  static const char *const parameter[] = {"x"};
  static pb_definition lift = {.name = "lift", .count = 1, .parameter = parameter};
  dm_spline_fit_natural(4, x, y, 1, y_xx, pivot);
  lift.table = (dm_tape_table){.name = "lift", .n = 4, .x = x, .y = y, .y_xx = y_xx};
  const pb_definitions definitions = {1, &lift};
  pb_symbol list[NX];
  for (int i = 0; i < NX; i++) list[i] = (pb_symbol){.name = names[i], .at = i};
  const pb_language language = {
      .list = list, .n = NX, .functions = true, .definitions = &definitions};
  pb_expression e;
  dm_message why = {""};
  if (pb_expression_parse(arena, text, &language, &e, &why) != DM_OK) fail_msg("%s", why.text);
  return pb_expression_compile(arena, &e, f, used);
}

static void write_file(const char *name, const char *ending, const fb_tape_text *t,
                       void (*write)(FILE *f, const fb_tape_text *t)) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  write(f, t);
  assert_int_equal(fclose(f), 0);
}

// are the bits the same, or both no numbers?
static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

static void compare(const dm_tape *f, double (*value)(const double *),
                    double (*gradient)(const double *, double *), int row) {
  static const double numbers[] = {0.61, -1.3, 0.3, 0, -0.0, 2.5, 0.05, 1};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  double *room = calloc(dm_tape_room(f), sizeof *room);
  for (int k = 0; k < NUMBERS * NUMBERS * NUMBERS; k++) {
    const double x[NX] = {numbers[k % NUMBERS], numbers[k / NUMBERS % NUMBERS],
                          numbers[k / NUMBERS / NUMBERS]};
    double by[NX], own[NX];
    const double y = dm_tape_eval(f, x, room, by, NULL);
    bool same = is_same(value(x), y) && is_same(gradient(x, own), y);
    for (int i = 0; i < f->nx; i++) same = same && is_same(own[i], by[i]);
    if (!same) fail_msg("formula %d at %g %g %g", row, x[0], x[1], x[2]);
  }
  free(room);
}

static void formulas_as_c_have_the_bits_of_their_tapes(void **state) {
  (void)state;
  char command[600], path[200];
  if (system("command -v \"${CC:-cc}\" > /dev/null")) skip_test("no C compiler $CC or cc");
  assert_non_null(mkdtemp(folder));
  pb_arena arena = {0};
  dm_tape f[sizeof formulas / sizeof *formulas];
  const int n = sizeof formulas / sizeof *formulas;
  for (int i = 0; i < n; i++) {
    const int *used;
    const char *variable[NX];
    char name[16];
    assert_int_equal(parse(&arena, formulas[i], &f[i], &used), DM_OK);
    for (int a = 0; a < f[i].nx; a++) variable[a] = names[used[a]];
    snprintf(name, sizeof name, "formula_%d", i);
    const fb_tape_text t = {.name = name, .text = formulas[i], .f = &f[i], .variable = variable};
    write_file(name, "h", &t, fb_tape_header);
    write_file(name, "c", &t, fb_tape_source);
  }
  snprintf(command, sizeof command,
           "cd %s && \"${CC:-cc}\" -std=c99 -pedantic -Wall -Wextra -Wconversion -Wshadow -Werror "
           "-ffp-contract=off -O1 -fPIC -shared formula_*.c -o all.so -lm",
           folder);
  if (system(command)) fail_msg("%s", command);
  snprintf(path, sizeof path, "%s/all.so", folder);
  void *library = dlopen(path, RTLD_NOW);
  if (!library) fail_msg("%s", dlerror());
  for (int i = 0; i < n; i++) {
    double (*value)(const double *), (*gradient)(const double *, double *);
    char name[32];
    snprintf(name, sizeof name, "formula_%d", i);
    *(void **)&value = dlsym(library, name);
    snprintf(name, sizeof name, "formula_%d_gradient", i);
    *(void **)&gradient = dlsym(library, name);
    assert_true(value && gradient);
    compare(&f[i], value, gradient, i);
  }
  dlclose(library);
  pb_arena_free(&arena);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_as_c_have_the_bits_of_their_tapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
