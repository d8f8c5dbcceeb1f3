// The controller as C code from arrays alone: the generated text, and its reported size. Compilers
// check the text itself against a recorded run in tests/cli/export.sh.
#include "control/codegen/controller.h"
#include "control/codegen/emulation.h"
#include "control/codegen/lines.h"
#include "control/codegen/replay.h"
#include "control/codegen/tables.h"

#include "tests/support/balanced.h"

#include <math.h>
#include <string.h>

static const char *const coord[] = {"slider", "pole"}, *const input[] = {"motor"};
static const char *const q_unit[] = {"m", "rad"}, *const v_unit[] = {"m/s", "rad/s"};
static const char *const p_unit[] = {"N s", "N m s"}, *const u_unit[] = {"N"};
static const bool each[FB_FORMS] = {true, true, true};
static const double start[] = {0.2, 3.141592653589793 + 0.25, 0, 0};

static fb_codegen_settings named(void) {
  fb_codegen_settings set = fb_codegen_default();
  set.name = "a cart-pole";
  set.coord = coord;
  set.input = input;
  set.q_unit = q_unit;
  set.v_unit = v_unit;
  set.p_unit = p_unit;
  set.u_unit = u_unit;
  return set;
}

static fb_codegen *make(const balanced *z, const bool form[FB_FORMS],
                        const fb_codegen_settings *set) {
  fb_codegen *c = NULL;
  dm_message msg = {""};
  if (fb_codegen_new(&c, z->f, &z->s, form, NULL, set, &msg) != DM_OK) fail_msg("%s", msg.text);
  return c;
}

// text written by a writer; to be freed
static char *text_of(void (*write)(FILE *f, const fb_codegen *c), const fb_codegen *c) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  write(f, c);
  fclose(f);
  return text;
}

// a controller's two files with one call, and a stream that cannot be written
static void a_law_is_written_in_one_call(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_codegen_settings set = named();
  const bool velocity[FB_FORMS] = {[FB_VELOCITY] = true};
  fb_codegen *c = make(&z, velocity, &set);
  char *header = NULL, *source = NULL, *expected = text_of(fb_controller_source, c);
  size_t size[2];
  dm_message msg = {""};
  FILE *h = open_memstream(&header, &size[0]), *s = open_memstream(&source, &size[1]);
  assert_int_equal(fb_controller_write(h, s, z.f, &z.s, FB_VELOCITY, &set, &msg), DM_OK);
  fclose(h);
  fclose(s);
  assert_string_equal(source, expected);
  assert_non_null(strstr(header, "void controller_velocity("));

  FILE *full = fopen("/dev/full", "w");
  if (full) {
    assert_int_equal(fb_controller_write(full, full, z.f, &z.s, FB_STATE, NULL, &msg), DM_IO);
    assert_non_null(strstr(msg.text, "cannot be written"));
    fclose(full);
  }
  free(header);
  free(source);
  free(expected);
  fb_codegen_free(c);
  balanced_close(&z);
}

static void expect_in(const char *text, const char *part) {
  bool found = strstr(text, part) != NULL;
  if (!found) print_error("found no '%s'\n", part);
  assert_true(found);
}

static int count_of(const char *text, char what) {
  int n = 0;
  for (; *text; text++) n += *text == what;
  return n;
}

static void functions_are_declared_with_names_and_units(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_codegen_settings set = named();
  fb_codegen *c = make(&z, each, &set);
  char *text = text_of(fb_controller_header, c);
  expect_in(text, "// controller.h: feedback for a cart-pole, written by dmoc ");
  expect_in(text, "void controller_state(int k, const controller_real q[2], const controller_real "
                  "p[2], controller_real u[1]);");
  expect_in(text, "void controller_velocity(int k, const controller_real q[2], const "
                  "controller_real v[2], controller_real u[1]);");
  expect_in(text, "const controller_real before[2], const controller_real force[1]");
  expect_in(text, "void controller_velocity_at(controller_real t, controller_real age, const "
                  "controller_real q[2], const controller_real v[2], controller_real u[1]);");
  expect_in(text, "void controller_state_at(");
  expect_in(text, "void controller_velocity_hold(controller_real t, controller_real age, "
                  "controller_real hold, const controller_real q[2],");
  expect_in(text, "void controller_positions_at(controller_real t, controller_real age, const "
                  "controller_real q[2], const controller_real before[2],");
  expect_in(text, "//   p [2]: momentum L_v(q,v)\n//     [0] slider, N s\n//     [1] pole, N m s");
  expect_in(text, "//   u [1]: input\n//     [0] motor, N\n");
  assert_null(strstr(text, "SHA-256"));
  assert_null(strstr(text, "controller_encoders"));
  free(text);
  fb_codegen_free(c);
  balanced_close(&z);
}

// no byte of names and units ends a comment, continues it on the next line, or belongs to another
// language
static void words_of_comments_end_none(void **state) {
  (void)state;
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  fb_lines_word(f, "a/b*c\\d?e\n\xc3\xa9~ ");
  fputc('|', f);
  fb_lines_unit(f, "N m s/rad");
  fputc('|', f);
  fb_lines_unit(f, "m//s*/\\\n/*?\x7f");
  fclose(f);
  assert_string_equal(text, "a_b_c_d_e___~ |N m s/rad|m_/s_/__/___");
  free(text);
}

// only the controller itself is required
static void names_and_units_may_be_left_out(void **state) {
  (void)state;
  static const bool one[FB_FORMS] = {[FB_VELOCITY] = true};
  balanced z = balanced_open();
  fb_codegen_settings set = fb_codegen_default();
  fb_codegen *c = make(&z, one, &set);
  char *text = text_of(fb_controller_header, c), *trace = text_of(fb_replay_trace_header, c);
  expect_in(text, "//   v [2]: velocity\n//     [0] 0, SI\n//     [1] 1, SI\n");
  assert_null(strstr(text, "controller_state"));
  assert_string_equal(trace, "k,velocity.q.0,velocity.q.1,velocity.v.0,velocity.v.1,"
                             "velocity.u.0\n");
  free(trace);
  free(text);
  fb_codegen_free(c);
  balanced_close(&z);
}

// at equilibrium the controller is constant: equal rows are written once, and counted once
static void equal_rows_are_written_once(void **state) {
  (void)state;
  static const bool one[FB_FORMS] = {[FB_STATE] = true};
  balanced z = balanced_open();
  for (int k = 1; k < z.f->N; k++) memcpy(z.f->K + 4 * k, z.f->K, 4 * sizeof *z.f->K);
  fb_codegen_settings set = named();
  set.rests = true;
  fb_codegen *c = make(&z, one, &set);
  // limits, u_d, y_d, G, v_d; which entries are angles
  assert_int_equal(fb_tables_bytes(c), 8 * (2 + 1 + 4 + 4 + 2) + 16);
  char *text = text_of(fb_controller_header, c);
  expect_in(text, "The law is one and the same: it holds for all times.");
  free(text);

  // one different knot adds a row to its own table only
  c->law[FB_STATE]->G[4 * 20] += 1;
  assert_int_equal(fb_tables_bytes(c), 8 * (2 + 1 + 4 + 4 * 22 + 2) + 16);
  c->set.single = true;
  assert_int_equal(fb_tables_bytes(c), 4 * (2 + 1 + 4 + 4 * 22 + 2) + 16);
  fb_codegen_free(c);
  balanced_close(&z);
}

static void numbers_beyond_the_precision_are_refused(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_codegen_settings set = named();
  fb_codegen *c = make(&z, each, &set);
  dm_message msg = {""};
  c->law[FB_VELOCITY]->G[7] = -1e40;
  assert_int_equal(fb_tables_check(c, &msg), DM_OK);
  c->set.single = true;
  assert_int_equal(fb_tables_check(c, &msg), DM_NOT_FINITE);
  assert_string_equal(msg.text, "a number of the law overflows single precision");
  c->set.single = false;
  c->law[FB_VELOCITY]->G[7] = INFINITY;
  assert_int_equal(fb_tables_check(c, &msg), DM_NOT_FINITE);
  fb_codegen_free(c);
  balanced_close(&z);
}

// in double precision the text's arithmetic equals the library's, in single precision it is close
static void emulation_is_the_law_to_the_precision(void **state) {
  (void)state;
  balanced z = balanced_open();
  double u_min[] = {-6}, u_max[] = {4};
  fb_codegen_settings set = named();
  set.u_min = u_min;
  set.u_max = u_max;
  for (int single = 0; single < 2; single++) {
    fb_emulation *e = NULL;
    set.single = single;
    fb_codegen *c = make(&z, each, &set);
    assert_int_equal(fb_emulation_new(&e, c, &z.s, FB_STATE, start), DM_OK);
    assert_int_equal(e->steps, HOLD_STEPS);
    assert_int_equal(e->columns, (4 + 1) + (4 + 1) + (5 + 1));
    int cut = 0;
    for (int k = 0; k < e->steps; k++) {
      const double *row;
      assert_int_equal(fb_emulation_row(e, k, &row), DM_OK);
      for (int j = 0; single && j < e->columns; j++) assert_true(row[j] == (double)(float)row[j]);
      assert_true(row[4] >= u_min[0] && row[4] <= u_max[0]);
      cut += row[4] == u_min[0] || row[4] == u_max[0];
      if (!single) assert_true(row[4] == e->u[k]);
    }
    assert_true(cut > 0);
    if (single)
      assert_true(e->difference > 1e-8 && e->difference < 1e-2);
    else
      assert_true(e->difference == 0);
    fb_emulation_free(e);
    fb_codegen_free(c);
  }
  balanced_close(&z);
}

static void traces_have_a_cell_for_each_number(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_codegen_settings set = named();
  fb_codegen *c = make(&z, each, &set);
  char *head = text_of(fb_replay_trace_header, c), *program = text_of(fb_replay_source, c);
  assert_int_equal(count_of(head, ','), fb_replay_columns(c));
  expect_in(head, ",positions.before.q.pole,positions.before.u.motor,positions.u.motor\n");
  expect_in(program, "#define COLUMNS 16\n");
  expect_in(program, "controller_velocity(k, row + 5, row + 7, u);\n    compare(k, \"velocity\", "
                     "row + 9);");
  free(program);
  free(head);
  fb_codegen_free(c);
  balanced_close(&z);
}

// a plant that cannot be stepped leaves no record
static void loops_that_cannot_begin_are_refused(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_codegen_settings set = named();
  fb_codegen *c = make(&z, each, &set);
  fb_emulation *e = NULL;
  const double nowhere[] = {NAN, 0, 0, 0};
  assert_int_equal(fb_emulation_new(&e, c, &z.s, FB_STATE, nowhere), DM_NOT_FINITE);
  assert_null(e);
  fb_codegen_free(c);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_is_written_in_one_call),
      cmocka_unit_test(functions_are_declared_with_names_and_units),
      cmocka_unit_test(names_and_units_may_be_left_out),
      cmocka_unit_test(words_of_comments_end_none),
      cmocka_unit_test(equal_rows_are_written_once),
      cmocka_unit_test(numbers_beyond_the_precision_are_refused),
      cmocka_unit_test(emulation_is_the_law_to_the_precision),
      cmocka_unit_test(traces_have_a_cell_for_each_number),
      cmocka_unit_test(loops_that_cannot_begin_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
