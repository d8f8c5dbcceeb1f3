// An exported controller and the library give the same bits, for random calls: the text is compiled
// by each compiler of this computer, in both precisions. Calls are by time with ages and holds, and
// contain numbers that are not finite.
#include "control/codegen/controller.h"
#include "control/feedback/law_tables.h"
#include "control/feedback/mechanics.h"
#include "lib/base/block.h"
#include "tests/support/models.h"

#include "tests/support/skips.h"
#include <float.h>
#include <unistd.h>

enum { STEPS = 40, CALLS = 20000, N = 2, MOST = 2 * N + 1 };
static const double H = 0.02;

// a cart-pole with damping and springs at its joints swings under a force; gains along it
typedef struct scene {
  dm_model *m;
  dm_springs *springs;
  dm_system s;
  fb_mechanics *mechanics;
  fb_tvlqr *f;
} scene;

static scene open_scene(void) {
  static const double Q[] = {20, 10, 2, 1}, R[] = {0.2}, damping[] = {0.3, 0.1};
  static const double one[] = {1};
  static const int pole[] = {1};
  static const bool turns[] = {false, true};
  scene z = {.m = models_cart_pole()};
  const dm_spring spring = {{.name = "spring", .ncoord = 1, .coord = pole, .factor = one},
                            dm_spring_law_linear(3, 0.2)};
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  int failed;
  assert_int_equal(dm_springs_new(&z.springs, z.m, 1, &spring, NULL), DM_OK);
  z.s = dm_system_of(z.m);
  z.s.L = dm_springs_lagrangian(z.springs);
  z.s.damping = damping;
  assert_int_equal(dm_trajectory_of(&x, STEPS, &z.s), DM_OK);
  x->h = H, x->q[1] = 0.8;
  for (int k = 0; k < STEPS; k++) x->u[k] = 2 * sin(0.1 * k);
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  const fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  assert_int_equal(fb_tvlqr_new(&z.f, x, &z.s, &weights, &failed, NULL), DM_OK);
  assert_int_equal(fb_mechanics_new(&z.mechanics,
                                    &(dm_robot){.tree = z.m, .model = z.m, .springs = z.springs},
                                    &z.s, H, FB_OF_STEPS, NULL),
                   DM_OK);
  z.f->turns = turns;
  dm_del_free(del);
  dm_trajectory_free(x);
  return z;
}

static void close_scene(scene *z) {
  fb_mechanics_free(z->mechanics);
  fb_tvlqr_free(z->f);
  dm_springs_free(z->springs);
  dm_model_free(z->m);
}

// a call: its time, and what its function is given
typedef struct call {
  double t, age, hold, y[MOST];
} call;

// mostly near the motion, sometimes far, backwards, or not a number; all are floats
static call draw_call(int k, uint64_t *seed) {
  static const double odd[] = {NAN, INFINITY, -1e30, 0, -0.5};
  call c = {.t = (k % (STEPS + 3)) * H + 0.4 * H * models_random(seed),
            .age = H * models_random(seed),
            .hold = H * (1 + models_random(seed))};
  for (int i = 0; i < MOST; i++) c.y[i] = 3 * models_random(seed);
  double *at[] = {&c.t, &c.age, &c.hold, &c.y[0], &c.y[1], &c.y[2], &c.y[4]};
  if (k % 3 == 0) c.hold = H;
  if (k % 11 == 0) *at[k % 7] = odd[k % 5];
  if (k % 17 == 0) c.y[1] += 40;
  c.t = (float)c.t, c.age = (float)c.age, c.hold = (float)c.hold;
  for (int i = 0; i < MOST; i++) c.y[i] = (float)c.y[i];
  return c;
}

// -- the library

// u of a call, as control/codegen/emulation.c computes it, by time
static double answer(fb_onboard *o, fb_form form, bool exact, int k, const call *c) {
  const fb_call at = {.k = k, .timed = 1, .t = c->t, .age = c->age, .hold = c->hold};
  double y[MOST], v[N], u;
  memcpy(y, c->y, sizeof y);
  memcpy(v, c->y + N, sizeof v);
  if (form == FB_DIFFERENCE) o->by->differ(o, &at, c->y, v);
  if (form == FB_DIFFERENCE) memcpy(y + N, v, sizeof v);
  if (exact && form == FB_POSITIONS)
    o->by->past(o, &at, c->y, c->y + N, c->y + 2 * N, y + N);
  else if (exact)
    o->by->momentum(o, c->y, v, y + N);
  o->by->decide(o, &at, y, v, NULL, &u);
  return u;
}

// -- the text

static const char driver[] =
    "#include \"controller.h\"\n#include <stdio.h>\n"
    "int main(void) {\n  double c[3 + MOST];\n  controller_real y[MOST], u[1];\n  int i;\n"
    "%s"
    "  while (fread(c, sizeof c, 1, stdin) == 1) {\n    double wanted;\n"
    "    const controller_real t = (controller_real)c[0], age = (controller_real)c[1];\n"
    "    const controller_real hold = (controller_real)c[2];\n"
    "    for (i = 0; i < MOST; i++) y[i] = (controller_real)c[3 + i];\n    %s\n"
    "    wanted = (double)u[0];\n    fwrite(&wanted, sizeof wanted, 1, stdout);\n  }\n"
    "  return 0;\n}\n";
static const char *const calls[FB_FORMS] = {
    [FB_VELOCITY] = "controller_velocity_hold(t, age, hold, y, y + 2, u);",
    [FB_POSITIONS] = "controller_positions_hold(t, age, hold, y, y + 2, y + 4, u);",
    [FB_DIFFERENCE] = "controller_difference_hold(t, age, hold, &rates, y, u);"};

static void write_text(const char *folder, scene *z, fb_form form, bool single) {
  char path[300];
  dm_message msg = {""};
  fb_codegen_settings set = fb_codegen_default();
  FILE *f[3];
  static const char *const name[] = {"controller.h", "controller.c", "driver.c"};
  set.single = single;
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    f[i] = fopen(path, "w");
    assert_non_null(f[i]);
  }
  if (fb_controller_write(f[0], f[1], z->f, &z->s, form, &set, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  fprintf(f[2], driver,
          form == FB_DIFFERENCE ? "  controller_rates rates;\n  controller_forget(&rates);\n" : "",
          calls[form]);
  for (int i = 0; i < 3; i++) fclose(f[i]);
}

// the text's answers to the calls of FOLDER/calls; false: no such compiler
static bool run_text(const char *folder, const char *cc, double *u) {
  char line[900], path[300];
  snprintf(line, sizeof line,
           "command -v %s >/dev/null && cd %s && %s -std=c99 -O3 -DMOST=%d -Wall -Werror "
           "-ffp-contract=off controller.c driver.c -o driver && ./driver <calls >answers",
           cc, folder, cc, MOST);
  if (system(line) != 0) return false;
  snprintf(path, sizeof path, "%s/answers", folder);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  assert_int_equal(fread(u, sizeof *u, CALLS, f), CALLS);
  fclose(f);
  return true;
}

static void check_form(const char *folder, const char *cc, scene *z, fb_form form, bool exact,
                       bool single) {
  static double u[CALLS];
  static call list[CALLS];
  char path[300];
  uint64_t seed = 5;
  double limits[] = {-DBL_MAX, DBL_MAX};
  fb_output_feedback *w;
  for (int k = 0; k < CALLS; k++) list[k] = draw_call(k, &seed);
  snprintf(path, sizeof path, "%s/calls", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fwrite(list, sizeof *list, CALLS, f);
  fclose(f);

  // the text, then the library in its precision
  z->f->tree = exact ? fb_mechanics_tables(z->mechanics) : NULL;
  write_text(folder, z, form, single);
  if (!run_text(folder, cc, u)) fail_msg("%s does not compile the text", cc);
  assert_int_equal(fb_output_feedback_new(&w, z->f, &z->s, form, exact, NULL), DM_OK);
  tables T = fb_law_tables(w);
  T.u_min = limits;
  T.u_max = limits + 1;
  fb_onboard *o = (single ? &fb_precision_single : &fb_precision_double)->make(&T);
  assert_non_null(o);
  o->by->begin(o);
  int off = 0;
  for (int k = 0; k < CALLS; k++) {
    const double wanted = answer(o, form, exact, k, &list[k]);
    assert_true(isfinite(u[k]));
    off += fabs(u[k] - z->f->u[0]) > 1;
    if (memcmp(&u[k], &wanted, sizeof wanted) != 0)
      fail_msg("%s, %s, call %d: %.17g, not %.17g", cc, fb_form_names[form], k, u[k], wanted);
  }
  assert_true(off > CALLS / 2); // feedback acts
  dm_block_free(o);
  fb_output_feedback_free(w);
}

static void random_calls_have_the_same_bits(void **state) {
  (void)state;
  static const char *const compilers[] = {"gcc", "clang"};
  char folder[] = "/tmp/dmoc-text-XXXXXX", line[300];
  scene z = open_scene();
  int found = 0;
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < COUNT(compilers); i++) {
    snprintf(line, sizeof line, "command -v %s >/dev/null", compilers[i]);
    if (system(line) != 0) continue;
    found++;
    for (int single = 0; single < 2; single++) {
      check_form(folder, compilers[i], &z, FB_DIFFERENCE, false, single);
      check_form(folder, compilers[i], &z, FB_DIFFERENCE, true, single);
      check_form(folder, compilers[i], &z, FB_VELOCITY, true, single);
      check_form(folder, compilers[i], &z, FB_POSITIONS, true, single);
    }
  }
  snprintf(line, sizeof line, "rm -rf %s", folder);
  assert_int_equal(system(line), 0);
  close_scene(&z);
  if (!found) skip_test("no gcc and no clang");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_calls_have_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
