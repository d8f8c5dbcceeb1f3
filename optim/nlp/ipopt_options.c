#include "optim/nlp/ipopt_options.h"

#include "lib/base/decimal.h"
#include "lib/base/names.h"
#include "optim/nlp/hsl.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// an option, and its range as text or its words; NULL: any finite number, or any text
typedef struct row {
  const char *name;
  oc_ipopt_type type;
  const char *allowed;
} row;

// the options of IPOPT 3.11
static const row rows[] = {
    {"linear_solver", OC_IPOPT_WORD, "mumps ma27 ma57 ma77 ma86 ma97"},
    {"hsllib", OC_IPOPT_WORD, NULL},
    {"print_level", OC_IPOPT_INTEGER, "[0, 12]"},
    {"print_timing_statistics", OC_IPOPT_WORD, "no yes"},
    {"replace_bounds", OC_IPOPT_WORD, "no yes"},
    {"print_info_string", OC_IPOPT_WORD, "no yes"},
    {"inf_pr_output", OC_IPOPT_WORD, "internal original"},
    {"print_frequency_iter", OC_IPOPT_INTEGER, ">= 1"},
    {"print_frequency_time", OC_IPOPT_NUMBER, ">= 0"},
    {"s_max", OC_IPOPT_NUMBER, "> 0"},
    {"max_cpu_time", OC_IPOPT_NUMBER, "> 0"},
    {"dual_inf_tol", OC_IPOPT_NUMBER, "> 0"},
    {"constr_viol_tol", OC_IPOPT_NUMBER, "> 0"},
    {"compl_inf_tol", OC_IPOPT_NUMBER, "> 0"},
    {"acceptable_tol", OC_IPOPT_NUMBER, "> 0"},
    {"acceptable_iter", OC_IPOPT_INTEGER, ">= 0"},
    {"acceptable_dual_inf_tol", OC_IPOPT_NUMBER, "> 0"},
    {"acceptable_constr_viol_tol", OC_IPOPT_NUMBER, "> 0"},
    {"acceptable_compl_inf_tol", OC_IPOPT_NUMBER, "> 0"},
    {"acceptable_obj_change_tol", OC_IPOPT_NUMBER, ">= 0"},
    {"diverging_iterates_tol", OC_IPOPT_NUMBER, "> 0"},
    {"mu_target", OC_IPOPT_NUMBER, ">= 0"},
    {"nlp_scaling_method", OC_IPOPT_WORD, "none user-scaling gradient-based equilibration-based"},
    {"obj_scaling_factor", OC_IPOPT_NUMBER, NULL},
    {"nlp_scaling_max_gradient", OC_IPOPT_NUMBER, "> 0"},
    {"nlp_scaling_obj_target_gradient", OC_IPOPT_NUMBER, ">= 0"},
    {"nlp_scaling_constr_target_gradient", OC_IPOPT_NUMBER, ">= 0"},
    {"nlp_scaling_min_value", OC_IPOPT_NUMBER, ">= 0"},
    {"nlp_lower_bound_inf", OC_IPOPT_NUMBER, NULL},
    {"nlp_upper_bound_inf", OC_IPOPT_NUMBER, NULL},
    {"dependency_detector", OC_IPOPT_WORD, "none mumps wsmp ma28"},
    {"dependency_detection_with_rhs", OC_IPOPT_WORD, "no yes"},
    {"num_linear_variables", OC_IPOPT_INTEGER, ">= 0"},
    {"kappa_d", OC_IPOPT_NUMBER, ">= 0"},
    {"honor_original_bounds", OC_IPOPT_WORD, "no yes"},
    {"check_derivatives_for_naninf", OC_IPOPT_WORD, "no yes"},
    {"jac_c_constant", OC_IPOPT_WORD, "no yes"},
    {"jac_d_constant", OC_IPOPT_WORD, "no yes"},
    {"hessian_constant", OC_IPOPT_WORD, "no yes"},
    {"bound_push", OC_IPOPT_NUMBER, "> 0"},
    {"bound_frac", OC_IPOPT_NUMBER, "(0, 0.5]"},
    {"slack_bound_push", OC_IPOPT_NUMBER, "> 0"},
    {"slack_bound_frac", OC_IPOPT_NUMBER, "(0, 0.5]"},
    {"constr_mult_init_max", OC_IPOPT_NUMBER, ">= 0"},
    {"bound_mult_init_val", OC_IPOPT_NUMBER, "> 0"},
    {"bound_mult_init_method", OC_IPOPT_WORD, "constant mu-based"},
    {"least_square_init_primal", OC_IPOPT_WORD, "no yes"},
    {"least_square_init_duals", OC_IPOPT_WORD, "no yes"},
    {"mu_max_fact", OC_IPOPT_NUMBER, "> 0"},
    {"mu_max", OC_IPOPT_NUMBER, "> 0"},
    {"mu_min", OC_IPOPT_NUMBER, "> 0"},
    {"adaptive_mu_globalization", OC_IPOPT_WORD, "kkt-error obj-constr-filter never-monotone-mode"},
    {"adaptive_mu_kkterror_red_iters", OC_IPOPT_INTEGER, ">= 0"},
    {"adaptive_mu_kkterror_red_fact", OC_IPOPT_NUMBER, "(0, 1)"},
    {"filter_margin_fact", OC_IPOPT_NUMBER, "(0, 1)"},
    {"filter_max_margin", OC_IPOPT_NUMBER, "> 0"},
    {"adaptive_mu_monotone_init_factor", OC_IPOPT_NUMBER, "> 0"},
    {"adaptive_mu_kkt_norm_type", OC_IPOPT_WORD, "1-norm 2-norm-squared max-norm 2-norm"},
    {"mu_strategy", OC_IPOPT_WORD, "monotone adaptive"},
    {"mu_oracle", OC_IPOPT_WORD, "probing loqo quality-function"},
    {"fixed_mu_oracle", OC_IPOPT_WORD, "probing loqo quality-function average_compl"},
    {"mu_init", OC_IPOPT_NUMBER, "> 0"},
    {"barrier_tol_factor", OC_IPOPT_NUMBER, "> 0"},
    {"mu_linear_decrease_factor", OC_IPOPT_NUMBER, "(0, 1)"},
    {"mu_superlinear_decrease_power", OC_IPOPT_NUMBER, "(1, 2)"},
    {"tau_min", OC_IPOPT_NUMBER, "(0, 1)"},
    {"sigma_max", OC_IPOPT_NUMBER, "> 0"},
    {"sigma_min", OC_IPOPT_NUMBER, ">= 0"},
    {"quality_function_norm_type", OC_IPOPT_WORD, "1-norm 2-norm-squared max-norm 2-norm"},
    {"quality_function_centrality", OC_IPOPT_WORD,
     "none log reciprocal cubed-reciprocal none cubic"},
    {"quality_function_max_section_steps", OC_IPOPT_INTEGER, ">= 0"},
    {"quality_function_section_sigma_tol", OC_IPOPT_NUMBER, "[0, 1)"},
    {"quality_function_section_qf_tol", OC_IPOPT_NUMBER, "[0, 1)"},
    {"line_search_method", OC_IPOPT_WORD, "filter cg-penalty penalty"},
    {"alpha_red_factor", OC_IPOPT_NUMBER, "(0, 1)"},
    {"accept_every_trial_step", OC_IPOPT_WORD, "no yes"},
    {"accept_after_max_steps", OC_IPOPT_INTEGER, ">= -1"},
    {"alpha_for_y", OC_IPOPT_WORD,
     "primal bound-mult min max full min-dual-infeas safer-min-dual-infeas primal-and-full "
     "dual-and-full acceptor"},
    {"alpha_for_y_tol", OC_IPOPT_NUMBER, ">= 0"},
    {"tiny_step_tol", OC_IPOPT_NUMBER, ">= 0"},
    {"tiny_step_y_tol", OC_IPOPT_NUMBER, ">= 0"},
    {"watchdog_shortened_iter_trigger", OC_IPOPT_INTEGER, ">= 0"},
    {"watchdog_trial_iter_max", OC_IPOPT_INTEGER, ">= 1"},
    {"theta_max_fact", OC_IPOPT_NUMBER, "> 0"},
    {"theta_min_fact", OC_IPOPT_NUMBER, "> 0"},
    {"eta_phi", OC_IPOPT_NUMBER, "(0, 0.5)"},
    {"delta", OC_IPOPT_NUMBER, "> 0"},
    {"s_phi", OC_IPOPT_NUMBER, "> 1"},
    {"s_theta", OC_IPOPT_NUMBER, "> 1"},
    {"gamma_phi", OC_IPOPT_NUMBER, "(0, 1)"},
    {"gamma_theta", OC_IPOPT_NUMBER, "(0, 1)"},
    {"alpha_min_frac", OC_IPOPT_NUMBER, "(0, 1)"},
    {"max_soc", OC_IPOPT_INTEGER, ">= 0"},
    {"kappa_soc", OC_IPOPT_NUMBER, "> 0"},
    {"obj_max_inc", OC_IPOPT_NUMBER, "> 1"},
    {"max_filter_resets", OC_IPOPT_INTEGER, ">= 0"},
    {"filter_reset_trigger", OC_IPOPT_INTEGER, ">= 1"},
    {"corrector_type", OC_IPOPT_WORD, "none affine primal-dual"},
    {"skip_corr_if_neg_curv", OC_IPOPT_WORD, "no yes"},
    {"skip_corr_in_monotone_mode", OC_IPOPT_WORD, "no yes"},
    {"corrector_compl_avrg_red_fact", OC_IPOPT_NUMBER, "> 0"},
    {"nu_init", OC_IPOPT_NUMBER, "> 0"},
    {"nu_inc", OC_IPOPT_NUMBER, "> 0"},
    {"rho", OC_IPOPT_NUMBER, "(0, 1)"},
    {"kappa_sigma", OC_IPOPT_NUMBER, "> 0"},
    {"recalc_y", OC_IPOPT_WORD, "no yes"},
    {"recalc_y_feas_tol", OC_IPOPT_NUMBER, "> 0"},
    {"slack_move", OC_IPOPT_NUMBER, ">= 0"},
    {"warm_start_init_point", OC_IPOPT_WORD, "no yes"},
    {"warm_start_same_structure", OC_IPOPT_WORD, "no yes"},
    {"warm_start_bound_push", OC_IPOPT_NUMBER, "> 0"},
    {"warm_start_bound_frac", OC_IPOPT_NUMBER, "(0, 0.5]"},
    {"warm_start_slack_bound_push", OC_IPOPT_NUMBER, "> 0"},
    {"warm_start_slack_bound_frac", OC_IPOPT_NUMBER, "(0, 0.5]"},
    {"warm_start_mult_bound_push", OC_IPOPT_NUMBER, "> 0"},
    {"warm_start_mult_init_max", OC_IPOPT_NUMBER, NULL},
    {"warm_start_entire_iterate", OC_IPOPT_WORD, "no yes"},
    {"linear_system_scaling", OC_IPOPT_WORD, "none mc19 slack-based"},
    {"linear_scaling_on_demand", OC_IPOPT_WORD, "no yes"},
    {"mehrotra_algorithm", OC_IPOPT_WORD, "no yes"},
    {"fast_step_computation", OC_IPOPT_WORD, "no yes"},
    {"min_refinement_steps", OC_IPOPT_INTEGER, ">= 0"},
    {"max_refinement_steps", OC_IPOPT_INTEGER, ">= 0"},
    {"residual_ratio_max", OC_IPOPT_NUMBER, "> 0"},
    {"residual_ratio_singular", OC_IPOPT_NUMBER, "> 0"},
    {"residual_improvement_factor", OC_IPOPT_NUMBER, "> 0"},
    {"neg_curv_test_tol", OC_IPOPT_NUMBER, "> 0"},
    {"max_hessian_perturbation", OC_IPOPT_NUMBER, "> 0"},
    {"min_hessian_perturbation", OC_IPOPT_NUMBER, ">= 0"},
    {"perturb_inc_fact_first", OC_IPOPT_NUMBER, "> 1"},
    {"perturb_inc_fact", OC_IPOPT_NUMBER, "> 1"},
    {"perturb_dec_fact", OC_IPOPT_NUMBER, "(0, 1)"},
    {"first_hessian_perturbation", OC_IPOPT_NUMBER, "> 0"},
    {"jacobian_regularization_value", OC_IPOPT_NUMBER, ">= 0"},
    {"jacobian_regularization_exponent", OC_IPOPT_NUMBER, ">= 0"},
    {"perturb_always_cd", OC_IPOPT_WORD, "no yes"},
    {"expect_infeasible_problem", OC_IPOPT_WORD, "no yes"},
    {"expect_infeasible_problem_ctol", OC_IPOPT_NUMBER, ">= 0"},
    {"expect_infeasible_problem_ytol", OC_IPOPT_NUMBER, "> 0"},
    {"start_with_resto", OC_IPOPT_WORD, "no yes"},
    {"soft_resto_pderror_reduction_factor", OC_IPOPT_NUMBER, ">= 0"},
    {"max_soft_resto_iters", OC_IPOPT_INTEGER, ">= 0"},
    {"required_infeasibility_reduction", OC_IPOPT_NUMBER, "[0, 1)"},
    {"max_resto_iter", OC_IPOPT_INTEGER, ">= 0"},
    {"resto_penalty_parameter", OC_IPOPT_NUMBER, "> 0"},
    {"resto_proximity_weight", OC_IPOPT_NUMBER, ">= 0"},
    {"bound_mult_reset_threshold", OC_IPOPT_NUMBER, ">= 0"},
    {"constr_mult_reset_threshold", OC_IPOPT_NUMBER, ">= 0"},
    {"resto_failure_feasibility_threshold", OC_IPOPT_NUMBER, ">= 0"},
    {"derivative_test", OC_IPOPT_WORD, "none first-order second-order only-second-order"},
    {"derivative_test_first_index", OC_IPOPT_INTEGER, ">= -2"},
    {"derivative_test_perturbation", OC_IPOPT_NUMBER, "> 0"},
    {"derivative_test_tol", OC_IPOPT_NUMBER, "> 0"},
    {"derivative_test_print_all", OC_IPOPT_WORD, "no yes"},
    {"jacobian_approximation", OC_IPOPT_WORD, "exact finite-difference-values"},
    {"findiff_perturbation", OC_IPOPT_NUMBER, "> 0"},
    {"point_perturbation_radius", OC_IPOPT_NUMBER, ">= 0"},
    {"limited_memory_aug_solver", OC_IPOPT_WORD, "sherman-morrison extended"},
    {"limited_memory_max_history", OC_IPOPT_INTEGER, ">= 0"},
    {"limited_memory_update_type", OC_IPOPT_WORD, "bfgs sr1"},
    {"limited_memory_initialization", OC_IPOPT_WORD, "scalar1 scalar2 scalar3 scalar4 constant"},
    {"limited_memory_init_val", OC_IPOPT_NUMBER, "> 0"},
    {"limited_memory_init_val_max", OC_IPOPT_NUMBER, "> 0"},
    {"limited_memory_init_val_min", OC_IPOPT_NUMBER, "> 0"},
    {"limited_memory_max_skipping", OC_IPOPT_INTEGER, ">= 1"},
    {"hessian_approximation", OC_IPOPT_WORD, "exact limited-memory"},
    {"hessian_approximation_space", OC_IPOPT_WORD, "nonlinear-variables all-variables"},
    {"ma27_pivtol", OC_IPOPT_NUMBER, "(0, 1)"},
    {"ma27_pivtolmax", OC_IPOPT_NUMBER, "(0, 1)"},
    {"ma57_pivtol", OC_IPOPT_NUMBER, "(0, 1)"},
    {"ma57_pivtolmax", OC_IPOPT_NUMBER, "(0, 1)"},
    {"ma57_pre_alloc", OC_IPOPT_NUMBER, ">= 1"},
    {"ma57_pivot_order", OC_IPOPT_INTEGER, "[0, 5]"},
    {"ma57_automatic_scaling", OC_IPOPT_WORD, "no yes"},
    {"ma77_u", OC_IPOPT_NUMBER, ">= 0"},
    {"ma77_umax", OC_IPOPT_NUMBER, ">= 0"},
    {"ma77_order", OC_IPOPT_WORD, "amd metis"},
    {"ma86_u", OC_IPOPT_NUMBER, ">= 0"},
    {"ma86_umax", OC_IPOPT_NUMBER, ">= 0"},
    {"ma86_order", OC_IPOPT_WORD, "auto amd metis"},
    {"ma86_scaling", OC_IPOPT_WORD, "none mc64 mc77"},
    {"ma97_u", OC_IPOPT_NUMBER, ">= 0"},
    {"ma97_umax", OC_IPOPT_NUMBER, ">= 0"},
    {"ma97_order", OC_IPOPT_WORD, "auto best amd metis matched-auto matched-metis matched-amd"},
    {"ma97_scaling", OC_IPOPT_WORD, "none mc30 mc64 mc77 dynamic"},
    {"mumps_pivtol", OC_IPOPT_NUMBER, "[0, 1]"},
    {"mumps_pivtolmax", OC_IPOPT_NUMBER, "[0, 1]"},
    {"mumps_mem_percent", OC_IPOPT_INTEGER, ">= 0"},
    {"mumps_permuting_scaling", OC_IPOPT_INTEGER, "[0, 7]"},
    {"mumps_pivot_order", OC_IPOPT_INTEGER, "[0, 7]"},
    {"mumps_scaling", OC_IPOPT_INTEGER, "[-2, 77]"},
    {"mumps_dep_tol", OC_IPOPT_NUMBER, NULL},
    {"warm_start_target_mu", OC_IPOPT_NUMBER, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows, WORDS = 16 };

// options that dmoc sets, and the reason or the key to use
static const char *const owned[][2] = {
    {"tol", "use solver.tol"},
    {"max_iter", "use solver.max_iter"},
    {"max_wall_time", "use solver.max_time"},
    {"bound_relax_factor", "dmoc keeps bounds exact"},
    {"fixed_variable_treatment", "dmoc needs the multipliers of fixed variables"},
    {"option_file_name", "dmoc reads no option file: put its options here"},
    {"sb", "dmoc prints no banner"},
    {"output_file", "use --verbose"},
    {"file_print_level", "use print_level with --verbose"},
    {"print_options_documentation", "see the manual of IPOPT"},
    {"print_user_options", "see the manual of IPOPT"},
    {"skip_finalize_solution_call", "dmoc needs the solution"},
};

static const row *find_row(const char *name) {
  for (const row *r = rows; r < rows + ROWS; r++)
    if (!strcmp(r->name, name)) return r;
  return NULL;
}

static bool is_in_range(const char *range, double x) {
  char *at;
  if (!range) return true;
  if (range[0] == '>') {
    const bool closed = range[1] == '=';
    const double low = dm_decimal_read(range + 1 + closed, &at);
    return x > low || (closed && x == low);
  }
  // [low, high], (low, high], [low, high), (low, high)
  const double low = dm_decimal_read(range + 1, &at), high = dm_decimal_read(at + 1, &at);
  return (x > low || (range[0] == '[' && x == low)) && (x < high || (*at == ']' && x == high));
}

dm_status oc_ipopt_option_check(const oc_ipopt_option *option, dm_message *msg) {
  const row *r = find_row(option->name);
  if (!r) {
    // names that dmoc sets, and unknown names
    const char *known[ROWS];
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
      if (!strcmp(owned[i][0], option->name))
        return dm_fail(msg, DM_BAD_INPUT, "found an option that dmoc sets itself; %s", owned[i][1]);
    for (int i = 0; i < ROWS; i++) known[i] = rows[i].name;
    const char *near = dm_names_nearest(known, ROWS, option->name);
    return dm_fail(msg, DM_BAD_INPUT, "found no such option of IPOPT%s%s%s",
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }

  if (r->type == OC_IPOPT_WORD) {
    // a word: one of a list
    char words[400], list[300], *rest = NULL;
    const char *known[WORDS];
    int n = 0;
    if (!r->allowed) return DM_OK;
    snprintf(words, sizeof words, "%s", r->allowed);
    for (char *w = strtok_r(words, " ", &rest); w && n < WORDS; w = strtok_r(NULL, " ", &rest))
      known[n++] = w;
    if (dm_names_find(known, n, option->value) >= 0) return DM_OK;
    if (!strcmp(r->name, "linear_solver"))
      return dm_fail(
          msg, DM_BAD_INPUT,
          "found '%.40s', expected mumps, or with hsllib ma27, ma57, ma77, ma86 or ma97; "
          "solver.linear also has ldl",
          option->value);
    return dm_fail(msg, DM_BAD_INPUT, "found '%.40s', expected %s", option->value,
                   dm_names_list(known, n, list, sizeof list));
  }

  // a number: finite and within its range
  char *end;
  const double x = dm_decimal_read(option->value, &end);
  const bool whole = r->type == OC_IPOPT_INTEGER;
  const bool number = end != option->value && !*end && isfinite(x);
  if (number && is_in_range(r->allowed, x) &&
      (!whole || (x == floor(x) && x <= INT_MAX && x >= INT_MIN)))
    return DM_OK;
  const bool between = r->allowed && strchr("[(", r->allowed[0]) != NULL;
  return dm_fail(msg, DM_BAD_INPUT, "found '%.40s', expected %s%s%s", option->value,
                 whole ? "an integer" : "a number", between ? " in " : " ",
                 r->allowed ? r->allowed : "that is finite");
}

dm_status oc_ipopt_options_check_hsl(const oc_options *options, dm_message *msg) {
  const char *solver = oc_ipopt_option_find(options, "linear_solver");
  const char *library = oc_ipopt_option_find(options, "hsllib");
  const bool asked = solver && oc_hsl_has(solver);
  if (asked && !library)
    return dm_fail(msg, DM_BAD_INPUT,
                   "linear_solver: found %s without hsllib, expected the path of your library with "
                   "it, as in {linear_solver: %s, hsllib: /usr/local/lib/libhsl.so}",
                   solver, solver);
  if (library && !asked)
    return dm_fail(msg, DM_BAD_INPUT,
                   "hsllib: found a library that no solver uses, expected linear_solver: ma27, "
                   "ma57, ma77, ma86 or ma97 beside it");
  return asked ? oc_hsl_check(library, solver, msg) : DM_OK;
}

oc_ipopt_type oc_ipopt_option_type(const oc_ipopt_option *option) {
  return find_row(option->name)->type;
}

double oc_ipopt_option_number(const oc_ipopt_option *option) {
  char *end;
  return dm_decimal_read(option->value, &end);
}

const char *oc_ipopt_option_find(const oc_options *options, const char *name) {
  for (int i = 0; i < options->nipopt; i++)
    if (!strcmp(options->ipopt[i].name, name)) return options->ipopt[i].value;
  return NULL;
}
