// optim/nlp/ipopt.c: see ipopt.h.
//
// IPOPT calls our callbacks through an adapter that checks every number: a value that is not finite
// is refused (the line search then shortens the step). Each point at which derivatives were
// evaluated is a candidate for the best point, which is returned if IPOPT ends without a solution
// or without a point.
#include "optim/nlp/ipopt.h"

#include "config.h"
#include "lib/base/block.h"
#include "lib/base/loaded_library.h"
#include "lib/base/names.h"
#include "optim/nlp/best_point.h"
#include "optim/nlp/hsl.h"
#include "optim/nlp/ipopt_options.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const solvers[] = {"auto", "ldl", "mumps", NULL};

const char *const *oc_ipopt_solvers(void) {
  return solvers;
}

bool oc_ipopt_is_built(void) {
#ifdef HAVE_IPOPT
  return true;
#else
  return false;
#endif
}

#ifdef HAVE_IPOPT
#include "optim/nlp/ldl.h"
#include "optim/nlp/linear_solver.h"
#include "optim/nlp/optimality.h"

#include <IpStdCInterface.h>
#include <IpoptConfig.h>
// 3.11 to 3.13 take a linear solver of ours in place of MA27
#ifdef HAVE_LSL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <HSLLoader.h>
#pragma GCC diagnostic pop
#define TAKES_MA27(X) X(LSL_setMA27) X(LSL_loadHSL)
#else
#define TAKES_MA27(X)
#endif

#define IPOPT_SYMBOLS(X)                                                                           \
  X(CreateIpoptProblem)                                                                            \
  X(FreeIpoptProblem)                                                                              \
  X(AddIpoptStrOption)                                                                             \
  X(AddIpoptNumOption)                                                                             \
  X(AddIpoptIntOption)                                                                             \
  X(OpenIpoptOutputFile)                                                                           \
  X(SetIntermediateCallback)                                                                       \
  X(IpoptSolve)                                                                                    \
  TAKES_MA27(X)
DM_LOADED_LIBRARY(ipopt, IPOPT_FILE, IPOPT_SYMBOLS)

// type names changed in IPOPT 3.14
#if IPOPT_VERSION_MAJOR > 3 || (IPOPT_VERSION_MAJOR == 3 && IPOPT_VERSION_MINOR >= 14)
typedef ipindex oc_index;
typedef ipnumber oc_number;
typedef bool oc_bool;
#else
typedef Index oc_index;
typedef Number oc_number;
typedef Bool oc_bool;
#endif
_Static_assert(sizeof(oc_number) == sizeof(double), "IPOPT must work in double precision");
_Static_assert(sizeof(oc_index) == sizeof(int), "IPOPT must count in int");

// try ldl after MUMPS if it costs at most this factor more
static const double WORTH = 10;

typedef struct adapter {
  const oc_nlp *nlp;
  const oc_options *set;
  const oc_hooks *hooks;
  oc_ipopt_info *info;
  oc_iterate *record;
  int room;
  double start;                   // start time
  dm_status stop;                 // reason if we stopped the search, or DM_OK
  dm_status failed;               // last failure of an evaluation
  double f, violation;            // at the point of the last callback, NAN: not evaluated there
  double error;                   // last dual infeasibility, or mu
  double f_best, v_best;          // of x_best; v_best INFINITY: none
  double *x_best;                 // [n]
  double *x, *lambda, *z_l, *z_u; // IPOPT's own copy of the point
  double *g;                      // [m]
} adapter;

static bool all_finite(int n, const double *a) {
  // a sum of products with zero is zero unless a number is not finite
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 0 * a[i];
  return sum == 0;
}

// -- callbacks: each starts with enter_callback and ends with leave_callback

static double enter_callback(adapter *a, bool new_x) {
  if (new_x) a->f = a->violation = NAN; // f and violation belong to another point
  return oc_clock();
}

static oc_bool leave_callback(adapter *a, double since, dm_status s, int n, const double *out) {
  // refuse numbers that are not finite: the line search then shortens its step
  if (s >= 0 && out && !all_finite(n, out)) s = DM_NOT_FINITE;
  if (s < 0) a->failed = s;
  a->info->derivatives_s += oc_clock() - since;
  return s >= 0;
}

static oc_bool on_f(oc_index n, oc_number *x, oc_bool new_x, oc_number *f, UserDataPtr user) {
  (void)n;
  adapter *a = user;
  double since = enter_callback(a, new_x);
  dm_status s = a->nlp->f(a->nlp->self, x, f);
  a->f = s >= 0 ? *f : NAN; // for keep_candidate
  return leave_callback(a, since, s, 1, f);
}

static oc_bool on_grad(oc_index n, oc_number *x, oc_bool new_x, oc_number *grad, UserDataPtr user) {
  adapter *a = user;
  double since = enter_callback(a, new_x);
  return leave_callback(a, since, a->nlp->grad(a->nlp->self, x, grad), n, grad);
}

static oc_bool on_g(oc_index n, oc_number *x, oc_bool new_x, oc_index m, oc_number *g,
                    UserDataPtr user) {
  (void)n;
  adapter *a = user;
  double since = enter_callback(a, new_x);
  dm_status s = a->nlp->g(a->nlp->self, x, g);
  a->violation = s >= 0 && all_finite(m, g) ? oc_row_violation(a->nlp, g) : NAN;
  return leave_callback(a, since, s, m, g);
}

// IPOPT's own copy of the point
static oc_point own_point(const adapter *a) {
  return (oc_point){.x = a->x, .lambda = a->lambda, .z_l = a->z_l, .z_u = a->z_u};
}

// derivatives are evaluated at accepted iterates: a candidate
static void keep_candidate(adapter *a, const double *x) {
  // f and violation must both belong to this point
  if (!isfinite(a->f) || !isfinite(a->violation)) return;
  if (!oc_is_better_point(a->f, a->violation, a->f_best, a->v_best)) return;
  memcpy(a->x_best, x, (size_t)a->nlp->n * sizeof *x);
  a->f_best = a->f;
  a->v_best = a->violation;
}

static oc_bool on_jac(oc_index n, oc_number *x, oc_bool new_x, oc_index m, oc_index nnz,
                      oc_index *row, oc_index *col, oc_number *val, UserDataPtr user) {
  (void)n;
  (void)m;
  adapter *a = user;
  double since = enter_callback(a, val && new_x);
  // pattern first (val NULL), then values at each point
  oc_triplets s = {.row = row, .col = col, .val = val};
  dm_status status = a->nlp->jac(a->nlp->self, x, &s);
  oc_bool good = leave_callback(a, since, status, nnz, val);
  if (good && val) keep_candidate(a, x);
  return good;
}

static oc_bool on_hess(oc_index n, oc_number *x, oc_bool new_x, oc_number sigma, oc_index m,
                       oc_number *lambda, oc_bool new_lambda, oc_index nnz, oc_index *row,
                       oc_index *col, oc_number *val, UserDataPtr user) {
  (void)n;
  (void)m;
  (void)new_lambda;
  adapter *a = user;
  double since = enter_callback(a, val && new_x);
  oc_triplets s = {.row = row, .col = col, .val = val};
  return leave_callback(a, since, a->nlp->hess(a->nlp->self, x, sigma, lambda, &s), nnz, val);
}

static oc_bool on_iterate(oc_index mode, oc_index k, oc_number f, oc_number violation,
                          oc_number dual, oc_number mu, oc_number d_norm, oc_number regularization,
                          oc_number alpha_dual, oc_number alpha, oc_index trials,
                          UserDataPtr user) {
  (void)mode;
  (void)d_norm;
  (void)alpha_dual;
  (void)trials;
  adapter *a = user;
  // IPOPT reports its scaled program; use our values at the same point
  if (isfinite(a->violation)) violation = a->violation;
  oc_iterate it = {k, f, violation, dual, mu, alpha, regularization};

  // record the iterate and its remaining optimality error (dual infeasibility, or the barrier);
  // stop if the caller or the clock requires it
  a->error = fmax(dual, mu);
  if (a->record && a->info->rows < a->room) a->record[a->info->rows++] = it;
  a->info->iterations = k;
  if (oc_clock() - a->start > a->set->max_time) a->stop = DM_MAX_ITER;
  if (!oc_hooks_continue(a->hooks, &it)) a->stop = DM_INTERRUPTED;
  return a->stop == DM_OK;
}

// -- options

static bool set_str(IpoptProblem p, const char *name, const char *value) {
  return ipopt.AddIpoptStrOption(p, (char *)name, (char *)value);
}

// linear: a solver of IPOPT; ldl: ours in place of ma27; max_iter: remaining iterations
static bool set_options(IpoptProblem p, const oc_options *set, int max_iter, const char *linear) {
  const bool ldl = !strcmp(linear, "ldl");
  const struct {
    const char *name, *value;
  } words[] = {
      {"sb", "yes"}, // no banner
      {"option_file_name", ""},
      {"linear_solver", ldl ? "ma27" : linear},
      {"linear_system_scaling", "none"},
      {"warm_start_init_point", set->program.warm ? "yes" : "no"},
  };
  const struct {
    const char *name;
    double value;
  } numbers[] = {
      {"tol", set->tol},
      {"constr_viol_tol", set->tol},
      {"acceptable_tol", fmax(1e-6, set->program.rounding)},
      {"acceptable_constr_viol_tol", 1e-6},
      {"bound_relax_factor", 0}, // keep bounds exact
      // warm: start 1e-9 off the bounds instead of 1e-2 for a cold start
      {"warm_start_bound_push", 1e-9},
      {"warm_start_bound_frac", 1e-9},
      {"warm_start_slack_bound_push", 1e-9},
      {"warm_start_slack_bound_frac", 1e-9},
      {"warm_start_mult_bound_push", 1e-9},
      {"mu_init", set->program.warm ? 1e-8 : 0.1}, // initial barrier parameter
  };
  const struct {
    const char *name;
    int value;
  } counts[] = {{"print_level", 0},
                {"max_iter", max_iter},
                // consecutive iterations within acceptable_tol: no further progress is possible
                // below rounding
                {"acceptable_iter", set->program.rounding > set->tol ? 6 : 15}};

  // set the options; false if this IPOPT does not know one
  bool ok = true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    ok = set_str(p, words[i].name, words[i].value) && ok;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ok = ipopt.AddIpoptNumOption(p, (char *)numbers[i].name, numbers[i].value) && ok;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    ok = ipopt.AddIpoptIntOption(p, (char *)counts[i].name, counts[i].value) && ok;

  // ldl uses the interface of ma27 and recommends the memory that it needs: do not add to it
  if (ldl) {
    ok = ipopt.AddIpoptNumOption(p, (char *)"ma27_liw_init_factor", 1) && ok;
    ok = ipopt.AddIpoptNumOption(p, (char *)"ma27_la_init_factor", 1) && ok;
  }
  return ok;
}

// IPOPT's own options by name, which replace those above; print_level is that of the log, and the linear
// solver and its library were chosen before
static bool set_own_options(IpoptProblem p, const oc_options *set) {
  bool ok = true;
  for (int i = 0; i < set->nipopt; i++) {
    const oc_ipopt_option *o = &set->ipopt[i];
    const char *const placed[] = {"print_level", "linear_solver", "hsllib"};
    if (dm_names_find(placed, 3, o->name) >= 0) continue;
    const oc_ipopt_type type = oc_ipopt_option_type(o);
    if (type == OC_IPOPT_WORD)
      ok = set_str(p, o->name, o->value) && ok;
    else if (type == OC_IPOPT_INTEGER)
      ok = ipopt.AddIpoptIntOption(p, (char *)o->name, (int)oc_ipopt_option_number(o)) && ok;
    else
      ok = ipopt.AddIpoptNumOption(p, (char *)o->name, oc_ipopt_option_number(o)) && ok;
  }
  return ok;
}

// the log on stderr, if the caller wants it
static bool open_log(IpoptProblem p, const oc_options *set) {
  enum { LEVEL = 5 }; // IPOPT's default: one line per iteration
  const char *level = oc_ipopt_option_find(set, "print_level");
  if (!set->verbose) return true;
  return ipopt.OpenIpoptOutputFile(p, (char *)"stderr", level ? atoi(level) : LEVEL);
}

// -- outcomes

static const struct outcome {
  enum ApplicationReturnStatus code;
  dm_status status;
  const char *name;
} outcomes[] = {
    {Solve_Succeeded, DM_OK, "Solve_Succeeded"},
    {Solved_To_Acceptable_Level, DM_STALLED, "Solved_To_Acceptable_Level"},
    {Infeasible_Problem_Detected, DM_INFEASIBLE, "Infeasible_Problem_Detected"},
    {Search_Direction_Becomes_Too_Small, DM_STALLED, "Search_Direction_Becomes_Too_Small"},
    {Diverging_Iterates, DM_STALLED, "Diverging_Iterates"},
    {User_Requested_Stop, DM_INTERRUPTED, "User_Requested_Stop"},
    {Feasible_Point_Found, DM_OK, "Feasible_Point_Found"},
    {Maximum_Iterations_Exceeded, DM_MAX_ITER, "Maximum_Iterations_Exceeded"},
    {Restoration_Failed, DM_STALLED, "Restoration_Failed"},
    {Error_In_Step_Computation, DM_STALLED, "Error_In_Step_Computation"},
    {Maximum_CpuTime_Exceeded, DM_MAX_ITER, "Maximum_CpuTime_Exceeded"},
    {Not_Enough_Degrees_Of_Freedom, DM_INFEASIBLE, "Not_Enough_Degrees_Of_Freedom"},
    {Invalid_Problem_Definition, DM_BAD_INPUT, "Invalid_Problem_Definition"},
    {Invalid_Option, DM_FAULT, "Invalid_Option"},
    {Invalid_Number_Detected, DM_NOT_FINITE, "Invalid_Number_Detected"},
    {Insufficient_Memory, DM_NO_MEMORY, "Insufficient_Memory"},
};

static dm_status outcome_of(const adapter *a, enum ApplicationReturnStatus code) {
  oc_ipopt_info *info = a->info;
  dm_status s = DM_FAULT;
  // by the table, or by number
  snprintf(info->detail, sizeof info->detail, "IPOPT status %d", (int)code);
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
    if (outcomes[i].code != code) continue;
    s = outcomes[i].status;
    snprintf(info->detail, sizeof info->detail, "%s", outcomes[i].name);
  }

  // we requested the stop, and know the reason
  if (code == User_Requested_Stop) {
    s = a->stop;
    if (s == DM_MAX_ITER) snprintf(info->detail, sizeof info->detail, "Maximum_Time_Exceeded");
  }
  return s;
}

// returns true if IPOPT's last point, without further progress, is optimal to six digits
static bool is_acceptable(const adapter *a) {
  const oc_point at = own_point(a);
  oc_optimality o;
  return oc_optimality_measure(a->nlp, &at, &o) == DM_OK && oc_optimality_accept(&o, a->set->tol);
}

// copy the better of IPOPT's last point and the best candidate to a->x, with its figures
static bool choose_point(adapter *a, dm_status s) {
  const oc_nlp *nlp = a->nlp;
  size_t size = (size_t)nlp->n * sizeof(double);

  // IPOPT's last point, if it can be evaluated
  double f = NAN, v = NAN;
  bool good = nlp->f(nlp->self, a->x, &f) >= 0 && nlp->g(nlp->self, a->x, a->g) >= 0 &&
              isfinite(f) && all_finite(nlp->m, a->g);
  if (good) v = oc_row_violation(nlp, a->g);

  // the best candidate, if the last point is not available or worse; but a solved point is kept
  bool done = s == DM_OK || s == DM_ACCEPTABLE;
  if (!done && a->v_best < INFINITY && (!good || oc_is_better_point(a->f_best, a->v_best, f, v))) {
    memcpy(a->x, a->x_best, size);
    good = nlp->f(nlp->self, a->x, &f) >= 0 && nlp->g(nlp->self, a->x, a->g) >= 0;
    v = oc_row_violation(nlp, a->g);
  }
  if (!good) return false;

  a->info->objective = f;
  // variables may violate their bounds as well
  a->info->max_violation = fmax(v, oc_bound_violation(nlp, a->x));
  return true;
}

// lock for the shared state of IPOPT and MUMPS, which must not run in two threads
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

// Give IPOPT the user's library: since 3.14 by an option, before by its loader. The caller holds the lock.
static bool load_hsl(IpoptProblem p, const char *library) {
#ifdef HAVE_LSL
  (void)p;
  char why[256];
  return ipopt.LSL_loadHSL(library, why, sizeof why) == 0;
#else
  return set_str(p, "hsllib", library);
#endif
}

// make ldl IPOPT's solver MA27, where IPOPT takes it
static bool install_ldl(void) {
#ifdef HAVE_LSL
  pthread_mutex_lock(&shared);
  ipopt.LSL_setMA27(oc_ldl_order, oc_ldl_factor, oc_ldl_solve, oc_ldl_default);
  pthread_mutex_unlock(&shared);
  return true;
#else
  return false;
#endif
}

// one run from `from`; the result is in a->x, a->lambda, a->z_l, a->z_u
static dm_status run_ipopt(adapter *a, const oc_point *from, const char *linear) {
  const oc_nlp *nlp = a->nlp;

  // start at the point without a candidate
  oc_point at = own_point(a);
  oc_point_copy(nlp, from, &at);
  // no iterations yet
  a->info->rows = a->info->iterations = 0;
  a->info->solver = linear;
  a->stop = a->failed = DM_OK;
  a->v_best = a->f_best = a->error = INFINITY;

  // IPOPT's own run
  IpoptProblem p = ipopt.CreateIpoptProblem(
      nlp->n, (double *)nlp->x_min, (double *)nlp->x_max, nlp->m, (double *)nlp->g_min,
      (double *)nlp->g_max, nlp->jac_nnz, nlp->hess_nnz, 0, on_f, on_g, on_grad, on_jac, on_hess);
  if (!p) return DM_BAD_INPUT;
  dm_status s = DM_FAULT;
  if ((!oc_hsl_has(linear) || load_hsl(p, oc_ipopt_option_find(a->set, "hsllib"))) &&
      set_options(p, a->set, a->set->max_iter - a->info->spent, linear) &&
      set_own_options(p, a->set) && open_log(p, a->set) &&
      ipopt.SetIntermediateCallback(p, on_iterate))
    s = outcome_of(a, ipopt.IpoptSolve(p, a->x, NULL, NULL, a->lambda, a->z_l, a->z_u, a));
  ipopt.FreeIpoptProblem(p);
  a->info->spent += a->info->iterations;
  // a failed evaluation is more specific than IPOPT's status
  if (s == DM_NOT_FINITE && a->failed < 0) s = a->failed;

  // a stalled run may be optimal to six digits, or to rounding
  if (s == DM_STALLED && is_acceptable(a)) s = DM_ACCEPTABLE;
  if (!choose_point(a, s)) return s < 0 ? s : DM_NOT_FINITE;
  // mu and dual infeasibility are below the rounding of the gradient
  if ((s == DM_STALLED || s == DM_ACCEPTABLE) && a->error <= a->set->program.rounding) s = DM_OK;

  // check solved and infeasible outcomes by the unscaled violation; IPOPT's tolerance refers to
  // scaled rows, with a factor 2 for its slack
  if (s == DM_OK && a->info->max_violation > 2 * a->set->tol) s = DM_STALLED;
  if (s == DM_INFEASIBLE && a->info->max_violation <= OC_FEASIBLE) s = DM_STALLED;
  return s;
}

// the same; with solvers other than ldl it waits for runs of other threads
static dm_status run_solver(adapter *a, const oc_point *from, const char *linear) {
  if (!strcmp(linear, "ldl")) return run_ipopt(a, from, linear);
  pthread_mutex_lock(&shared);
  const dm_status s = run_ipopt(a, from, linear);
  pthread_mutex_unlock(&shared);
  return s;
}

// The first linear solver, and the one to try after a failure; NULL: none.
typedef struct plan {
  const char *first, *other;
} plan;

static plan plan_solvers(const oc_nlp *nlp, const char *name) {
  oc_linear_solver_work work;
  // by name, or the only one
  if (oc_hsl_has(name)) return (plan){name, NULL};
  if (!install_ldl() || strcmp(name, "mumps") == 0) return (plan){"mumps", NULL};
  if (strcmp(name, "ldl") == 0) return (plan){"ldl", NULL};

  // auto: the one that the cost model predicts to be faster, then the other; MUMPS is cheap enough to be tried always
  if (oc_linear_solver_measure(nlp, &work) != DM_OK) return (plan){"mumps", "ldl"};
  const oc_linear_solver_cost cost = oc_linear_solver_estimate(&work);
  if (cost.ldl <= cost.mumps) return (plan){"ldl", "mumps"};
  return (plan){"mumps", cost.ldl <= WORTH * cost.mumps ? "ldl" : NULL};
}

static bool is_own_solver(const char *name) {
  for (int i = 0; solvers[i]; i++)
    if (strcmp(solvers[i], name) == 0) return true;
  return false;
}

static void lay_out_adapter(void *self, dm_block *b) {
  adapter *a = self;
  size_t n = (size_t)a->nlp->n, m = (size_t)a->nlp->m;
  double **of_x[] = {&a->x_best, &a->x, &a->z_l, &a->z_u};
  for (int i = 0; i < 4; i++) *of_x[i] = dm_block_alloc(b, n, sizeof(double));
  a->lambda = dm_block_alloc(b, m, sizeof(double));
  a->g = dm_block_alloc(b, m, sizeof(double));
}

dm_status oc_ipopt_solve(const oc_nlp *nlp, const oc_options *set, const oc_hooks *hooks,
                         oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info) {
  assert(nlp && set && point && info && room >= 0);
  *info = (oc_ipopt_info){.worst_row = -1, .objective = NAN, .max_violation = NAN, .solver = ""};

  // invalid arguments
  const char *named = oc_ipopt_option_find(set, "linear_solver");
  const char *name = set->linear ? set->linear : solvers[0];
  if (named) name = named;
  const bool known = is_own_solver(name) || (named && oc_hsl_has(named));
  if (!known || !(set->tol > 0)) return info->status = DM_BAD_INPUT;
  for (int i = 0; i < set->nipopt; i++)
    if (oc_ipopt_option_check(&set->ipopt[i], NULL) != DM_OK) return info->status = DM_BAD_INPUT;
  if (!ipopt_load()) return info->status = DM_UNAVAILABLE;
  if (strcmp(name, "ldl") == 0 && !install_ldl()) return info->status = DM_UNAVAILABLE;
  if (oc_ipopt_options_check_hsl(set, NULL) != DM_OK) return info->status = DM_UNAVAILABLE;

  adapter count = {
      .nlp = nlp, .set = set, .hooks = hooks, .info = info, .record = record, .room = room};
  adapter *a = dm_block_make(&count, sizeof count, lay_out_adapter);
  if (!a) return info->status = DM_NO_MEMORY;
  a->start = oc_clock();

  // the first linear solver
  plan p = plan_solvers(nlp, name);
  dm_status s = run_solver(a, point, p.first);
  // after a failure or an infeasible result, try the other linear solver
  bool doubtful = s == DM_INFEASIBLE || s == DM_STALLED || s == DM_FAULT;
  if (p.other && doubtful && info->spent < set->max_iter) s = run_solver(a, point, p.other);

  // return the result unless it is not finite
  if (isfinite(info->max_violation)) {
    info->worst_row = oc_worst_row(nlp, a->x, a->g);
    const oc_point at = own_point(a);
    if (s >= 0 || (s == DM_NOT_FINITE && a->v_best < INFINITY)) oc_point_copy(nlp, &at, point);
  }

  info->total_s = oc_clock() - a->start;
  dm_block_free(a);
  return info->status = s;
}
#else
dm_status oc_ipopt_solve(const oc_nlp *nlp, const oc_options *set, const oc_hooks *hooks,
                         oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info) {
  (void)nlp;
  (void)set;
  (void)hooks;
  (void)point;
  (void)record;
  (void)room;
  *info = (oc_ipopt_info){.status = DM_UNAVAILABLE, .worst_row = -1, .solver = ""};
  return DM_UNAVAILABLE;
}
#endif
