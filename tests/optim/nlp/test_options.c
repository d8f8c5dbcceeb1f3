// The table of options agrees with the struct, and IPOPT's own options reach IPOPT or are refused.
#include "tests/support/skips.h"
#include "tests/support/tasks.h"
#include <dlfcn.h>

#include "optim/nlp/ipopt.h"
#include "optim/nlp/ipopt_options.h"

// a default as text is the default of the struct
static void defaults_are_those_of_the_table(void **state) {
  (void)state;
  const oc_options options = oc_options_default();
  for (const oc_option *o = oc_option_rows; o < oc_option_rows + OC_OPTION_COUNT; o++) {
    const void *at = (const char *)&options + o->at;
    if (!o->absent) continue;
    if (o->type == OC_OPTION_NUMBER && strcmp(o->absent, "none"))
      assert_true(*(const double *)at == strtod(o->absent, NULL));
    else if (o->type == OC_OPTION_NUMBER)
      assert_true(isinf(*(const double *)at));
    else if (o->type == OC_OPTION_INTEGER)
      assert_int_equal(*(const int *)at, atoi(o->absent));
    else if (o->type == OC_OPTION_WORD)
      assert_string_equal(*(const char *const *)at, o->absent);
    else if (o->type == OC_OPTION_CHOICE)
      assert_true(*(const int *)at == 0 && !strncmp(o->words, o->absent, strlen(o->absent)));
  }
}

static void rows_are_complete_and_unique(void **state) {
  (void)state;
  for (int i = 0; i < OC_OPTION_COUNT; i++) {
    const oc_option *o = &oc_option_rows[i];
    assert_true(o->about && o->example && !o->flag == !o->help);
    const bool answers = o->words && !strcmp(o->words, "false true"); // its flag has no value
    assert_true(o->read_by && (o->absent || o->note) &&
                (o->flag && !answers) == (o->value != NULL));
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(o->path, oc_option_rows[j].path);
      // a command lists the options of its solvers: searches or a descent
      const unsigned both = o->read_by & oc_option_rows[j].read_by;
      if (o->flag && oc_option_rows[j].flag && both)
        assert_string_not_equal(o->flag, oc_option_rows[j].flag);
    }
  }
}

static void options_of_ipopt_are_checked_by_name_and_type(void **state) {
  (void)state;
  static const struct {
    oc_ipopt_option option;
    const char *says; // NULL: accepted
  } rows[] = {
      {{"mu_strategy", "adaptive"}, NULL},
      {{"max_soc", "0"}, NULL},
      {{"max_soc", "2e0"}, NULL},
      {{"kappa_d", "1"}, NULL},
      {{"linear_solver", "mumps"}, NULL},
      {{"obj_scaling_factor", "-2"}, NULL},
      {{"max_socs", "0"}, "did you mean 'max_soc'?"},
      {{"max_soc", "0.5"}, "found '0.5', expected an integer >= 0"},
      {{"max_soc", "-1"}, "expected an integer >= 0"},
      {{"max_soc", "1e10"}, "expected an integer >= 0"},
      {{"kappa_d", "much"}, "found 'much', expected a number >= 0"},
      {{"kappa_d", "nan"}, "expected a number >= 0"},
      {{"tau_min", "1"}, "expected a number in (0, 1)"},
      {{"obj_scaling_factor", "inf"}, "expected a number that is finite"},
      {{"mu_strategy", "bold"}, "found 'bold', expected one of monotone, adaptive"},
      {{"linear_solver", "ma57"}, NULL},
      {{"hsllib", "libhsl.so"}, NULL},
      {{"linear_solver", "pardiso"}, "expected mumps, or with hsllib ma27"},
      {{"tol", "1e-3"}, "use solver.tol"},
      {{"max_iter", "7"}, "use solver.max_iter"},
      {{"max_wall_time", "7"}, "use solver.max_time"},
      {{"bound_relax_factor", "0"}, "dmoc keeps bounds exact"},
      {{"fixed_variable_treatment", "make_parameter"}, "dmoc sets itself"},
      {{"option_file_name", "x"}, "dmoc sets itself"},
      {{"sb", "no"}, "dmoc sets itself"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dm_message why = {""};
    const dm_status s = oc_ipopt_option_check(&rows[i].option, &why);
    assert_int_equal(s, rows[i].says ? DM_BAD_INPUT : DM_OK);
    if (rows[i].says && !strstr(why.text, rows[i].says)) fail_msg("%s", why.text);
  }
}

// solve the cart-pole with n options of IPOPT
static oc_ipopt_info solve_with_all(const oc_ipopt_option *option, int n_options) {
  tasks_task task = tasks_cart_pole(60);
  oc_transcription *t;
  oc_options options = oc_options_default();
  oc_ipopt_info info;
  options.ipopt = option;
  options.nipopt = n_options;
  assert_int_equal(oc_transcription_new(&t, &task.t, NULL), DM_OK);
  const oc_nlp *p = oc_transcription_nlp(t);
  const size_t n = (size_t)p->n;
  double *x = calloc(3 * n + (size_t)p->m, sizeof *x);
  oc_point at = {.x = x, .z_l = x + n, .z_u = x + 2 * n, .lambda = x + 3 * n};
  tasks_line(t, &task, x);
  oc_ipopt_solve(p, &options, NULL, &at, NULL, 0, &info);
  free(x);
  oc_transcription_free(t);
  tasks_free(&task);
  return info;
}

// the same with one option; NULL: none
static oc_ipopt_info solve_with(const oc_ipopt_option *option) {
  return solve_with_all(option, option != NULL);
}

// a linear solver of the user's library solves with the same iterations and digits as the same solver of ours; a missing
// library, routine or solver is named
static void hsl_comes_from_the_library_of_the_user(void **state) {
  (void)state;
  if (!oc_ipopt_is_built()) skip_test(NO_IPOPT);
  const oc_ipopt_option ma27[] = {{"linear_solver", "ma27"}, {"hsllib", HSL_LIBRARY}};
  const struct {
    oc_ipopt_option option[2];
    int n;
    const char *says;
  } wrong[] = {
      {{{"linear_solver", "ma57"}}, 1, "linear_solver: found ma57 without hsllib"},
      {{{"hsllib", HSL_LIBRARY}}, 1, "hsllib: found a library that no solver uses"},
      {{{"linear_solver", "ma57"}, {"hsllib", HSL_LIBRARY}}, 2, "has no routine ma57bd"},
      {{{"linear_solver", "ma97"}, {"hsllib", "/no/lib.so"}},
       2,
       "hsllib: found '/no/lib.so', which cannot be loaded"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dm_message why = {""};
    const oc_options options = {.ipopt = wrong[i].option, .nipopt = wrong[i].n};
    assert_int_equal(oc_ipopt_options_check_hsl(&options, &why), DM_BAD_INPUT);
    if (!strstr(why.text, wrong[i].says)) fail_msg("%s", why.text);
    assert_int_equal(solve_with_all(wrong[i].option, wrong[i].n).status, DM_UNAVAILABLE);
  }

  // its calls are counted
  void *library = dlopen(HSL_LIBRARY, RTLD_NOW);
  assert_non_null(library);
  int *factorizations = dlsym(library, "hsl_factorizations");
  assert_non_null(factorizations);
  const oc_ipopt_info theirs = solve_with_all(ma27, 2);
  assert_int_equal(theirs.status, DM_OK);
  assert_string_equal(theirs.solver, "ma27");
  const int calls = *factorizations;
  assert_true(calls >= theirs.iterations);

  // ours afterwards does not use it
  const oc_ipopt_info ours = solve_with(NULL);
  assert_int_equal(*factorizations, calls);
  assert_int_equal(theirs.iterations, ours.iterations);
  assert_true(theirs.objective == ours.objective ||
              fabs(theirs.objective - ours.objective) < 1e-9 * ours.objective);
}

// another barrier strategy takes another number of iterations to the same optimum; an absurd limit of
// processor time ends the search; an option that IPOPT refuses does not start it
static void options_of_ipopt_take_effect(void **state) {
  (void)state;
  if (!oc_ipopt_is_built()) skip_test(NO_IPOPT);
  const oc_ipopt_info plain = solve_with(NULL);
  const oc_ipopt_info other = solve_with(&(oc_ipopt_option){"mu_strategy", "adaptive"});
  assert_true(plain.status == DM_OK && other.status == DM_OK);
  assert_int_not_equal(plain.iterations, other.iterations);
  assert_true(fabs(plain.objective - other.objective) < 1e-6 * plain.objective);
  assert_int_equal(solve_with(&(oc_ipopt_option){"max_cpu_time", "1e-6"}).status, DM_MAX_ITER);
  assert_int_equal(solve_with(&(oc_ipopt_option){"acceptable_iter", "none"}).status, DM_BAD_INPUT);
  assert_int_equal(solve_with(&(oc_ipopt_option){"linear_solver", "mumps"}).status, DM_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_those_of_the_table),
      cmocka_unit_test(rows_are_complete_and_unique),
      cmocka_unit_test(options_of_ipopt_are_checked_by_name_and_type),
      cmocka_unit_test(options_of_ipopt_take_effect),
      cmocka_unit_test(hsl_comes_from_the_library_of_the_user),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
