// tests/support/cart_pole.h: the robot file of a cart-pole, and problems with it, for tests of the
// readers.
#ifndef TESTS_SUPPORT_CART_POLE_H
#define TESTS_SUPPORT_CART_POLE_H
#include "tests/support/robots.h"

#define CART_POLE                                                                                  \
  ROBOT("<link name='rail'/>" LINK("cart", "1", ROUND) LINK("tip", "0.3", ROUND)                   \
            JOINT("slider", "prismatic", "rail", "cart",                                           \
                  "<limit lower='-2' upper='2' effort='20' velocity='50'/>")                       \
                JOINT("pole", "continuous", "cart", "tip",                                         \
                      "<axis xyz='0 1 0'/><dynamics damping='0.1'/>"))

// the first three lines of a problem; tests append others
#define HEAD                                                                                       \
  "model: {urdf: c.urdf}\n"                                                                        \
  "horizon: {steps: 4, time: 2}\n"                                                                 \
  "start: {q: 0, v: 0}\n"

static inline dm_status read_problem(const char *text, pb_problem **p, dm_message *msg) {
  put_file(folder, "c.urdf", CART_POLE);
  return pb_problem_read(p, put_file(folder, "p.yaml", text), msg);
}

// a valid problem
static inline pb_problem *get_problem(const char *text) {
  pb_problem *p;
  dm_message msg = {""};
  if (read_problem(text, &p, &msg) != DM_OK) fail_msg("%s", msg.text);
  return p;
}

// an invalid problem, and the error message after the folder's name
typedef struct refused {
  const char *text, *message;
} refused;

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static inline void expect_refused(const refused *row, size_t n) {
  int failed = 0;
  for (size_t i = 0; i < n; i++) {
    pb_problem *p;
    dm_message msg = {""};
    dm_status s = read_problem(row[i].text, &p, &msg);
    if (s != DM_BAD_INPUT || !strstr(msg.text, row[i].message) ||
        strncmp(msg.text, folder, strlen(folder)) != 0) {
      print_message("got    %d %s\nwanted %s\nfor\n%s\n", s, msg.text, row[i].message, row[i].text);
      failed++;
    }
    assert_null(p);
  }
  assert_int_equal(failed, 0);
}

static inline void expect_values(const double *x, const double *want, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!(x[i] == want[i] || (x[i] != x[i] && want[i] != want[i])))
      fail_msg("value %zu is %.17g, expected %.17g", i, x[i], want[i]);
}

#define EXPECT(x, ...)                                                                             \
  expect_values(x, (const double[]){__VA_ARGS__},                                                  \
                sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static inline int close_problems(void **state) {
  const char *name[] = {"c.urdf", "p.yaml", "x.csv"};
  char path[600];
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  return close_folder(state);
}
#endif
