// optim/nlp/options.h: every option of every solver, once.
//
// oc_options has the values, OC_OPTIONS one row per option that users can set: its place in a
// problem file or on the command line, type, default, unit, range, the solvers that read it, and a
// sentence. The reader of `solver:` and `starts:`, the command line, its help and completion, and
// the tables in the documents are made from the rows. A new option is a member, its row, and the
// line of the solver that reads it.
//
// Callbacks are in oc_hooks. The program, the guess and multipliers are arguments of a solver.
#ifndef OC_NLP_OPTIONS_H
#define OC_NLP_OPTIONS_H
#include "lib/base/linkage.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

typedef enum oc_solver_kind {
  OC_SOLVER_AUTO,  // Newton's method if applicable; else the stage solver, then IPOPT if that finds
                   // no solution; IPOPT if `linear` or `ipopt` names something of IPOPT
  OC_SOLVER_IPOPT, // IPOPT alone
  OC_SOLVER_NEWTON, // Newton's method if applicable, without fallback
  OC_SOLVER_STAGE   // dmoc's own interior point method alone (optim/interior/interior.h)
} oc_solver_kind;

// The methods of a descent, the rows of oc_methods (optim/descent/methods.h).
typedef enum oc_method {
  OC_STEEPEST,
  OC_BARZILAI_BORWEIN,
  OC_CONJUGATE,
  OC_LBFGS,
  OC_QUASI,
  OC_PAPER,
  OC_DDP,
  OC_SHIFT,
  OC_TRUST,
  OC_NEWTON,
  OC_METHODS
} oc_method;

// The gains of a descent's projection (optim/descent/projection_operator.h).
typedef enum oc_projection {
  OC_REGULATOR, // closed loop: gains that stabilize the motion
  OC_OWN_GAINS, // closed loop: gains of the direction's own problem, as in DDP
  OC_OPEN_LOOP, // none: single shooting
  OC_GAPS       // none: multiple shooting, whose steps need not meet before the end
} oc_projection;

// The solver for the directions of a descent: a Riccati sweep, or one sparse system (optim/descent/descent_kkt.h).
typedef enum oc_kkt_solver { OC_RICCATI, OC_CHOLMOD } oc_kkt_solver;

// Number of starts of the stage solver (optim/interior/interior.h).
typedef enum oc_beginnings {
  OC_BEGIN_ALL,
  OC_BEGIN_FIRST, // once
  OC_BEGIN_OTHERS // the further starts only
} oc_beginnings;

// searches of `starts: auto`
enum { OC_SEARCHES_AUTO = 1024 };

// One of IPOPT's own options, checked by oc_ipopt_option_check (optim/nlp/ipopt_options.h).
typedef struct oc_ipopt_option {
  const char *name, *value; // "max_soc", "0"
} oc_ipopt_option;

typedef struct oc_options {
  oc_solver_kind method;
  double tol;         // scaled optimality, and unscaled violation
  int max_iter;       // total over all runs from all guesses; of Newton's method per grid
  double max_time;    // s, wall clock; INFINITY: none
  double pace;        // s, oc_task.pace; 0: chosen by the horizon
  const char *linear; // linear solver of IPOPT, a name of oc_ipopt_solvers; NULL: the first
  const oc_ipopt_option *ipopt; // [nipopt] IPOPT's own options; after dmoc's
  int nipopt;
  bool verbose;    // IPOPT prints its log on stderr
  bool only_guess; // if the guess fails, do not try another one, and do not leave a saddle

  struct {            // Newton's method for boundary value problems of second order
    double decrement; // it stops at this decrement relative to |J|
    double length;    // or at steps of this relative length
    int coarse;       // minimum number of steps of the coarsest grid; 0: only the given grid
  } newton;

  struct { // descent on motions
    oc_method method;
    int quasi; // number of initial quasi-Newton iterations
    oc_projection projection;
    oc_kkt_solver kkt; // how to solve for directions; OC_CHOLMOD if nothing is reduced
    long work;         // operations along the motion, at most (oc_work); 0: no limit
    double share;      // |slope| below this fraction of the cost is 0
    double slope;      // the same in units of the cost
    double goal;       // tolerance on each entry of the goal relative to its size
                       // (optim/descent/sizes.h), and on each limit relative to its range
  } descent;

  struct {       // searches from many guesses
    int count;   // searches on the coarse grid, at most; a run has 64
    int returns; // stop after the best was found this often, and unseen is at most 0.5
    int steps;   // of the coarse grid; 0: chosen by the task
    int seed;
    const int *turns; // [nturns] of goals on circles; NULL: -1, 0, 1
    int nturns;
    int threads;     // at most 16 are used
    double turn;     // rad; a motion that turns a joint further in a step is aliased
    double work;     // no search starts after this much work (OC_WORK_SECOND)
    bool only_lines; // only the first searches: the given guess, the lines to the goals
  } starts;

  struct {          // searches for the schedule of contacts (optim/contact_search.h)
    double epsilon; // the last room of pairs, relative to the robot's scales
    double
        stalled; // > 0: the polish of a similar task's solution may end without progress at this gradient
  } contact;

  struct {           // facts about a program, set by dmoc for each of its solves
    double rounding; // known rounding of the gradient; without progress below it, the program
                     // counts as solved
    double flat;     // curvature of a scaled program that inexact multipliers may cause; counts as
                     // zero for the inertia
    bool warm;       // the multipliers of the point are those of a nearby solution
    bool models;     // from there, quadratic models come before the barrier method
    double mu;       // > 0: a guess is searched: no inertia is measured; the first mu if warm
    oc_beginnings beginnings; // ignored by IPOPT
  } program;
} oc_options;

// Solvers, as bits.
enum {
  OC_BY_STAGE = 1,
  OC_BY_IPOPT = 2,
  OC_BY_NEWTON = 4,
  OC_BY_DESCENT = 8,
  OC_BY_STARTS = 16,
  OC_BY_BOTH = OC_BY_STAGE | OC_BY_IPOPT,
  OC_BY_PROGRAMS = OC_BY_BOTH | OC_BY_NEWTON,
  OC_BY_ALL = OC_BY_PROGRAMS | OC_BY_DESCENT | OC_BY_STARTS
};

// The rows: X(SECTION, key, member, TYPE, default, (fields that a problem file needs), fields ..).
//   SECTION   of a problem file: solver, starts, contact
//   TYPE      NUMBER double, INTEGER int, CHOICE int, index of a word, WORD const char *; NODE: read
//             by a function of its own
//   fields    of pb_key (problems/readers/format/key.h), then of oc_option
// clang-format off
#define OC_OPTIONS(X) OC_SOLVER_OPTIONS(X) OC_STARTS_OPTIONS(X) OC_CONTACT_OPTIONS(X)
#define OC_SOLVER_OPTIONS(X)                                                                       \
  X(solver, tol, tol, NUMBER, 1e-9,                                                                \
    (.absent = "1e-9", .range = "> 0", .also = "tolerance eps",                                    \
     .about = "Tolerance of optimality and feasibility, as in IPOPT"),                             \
    .flag = "--tol", .value = "NUMBER", .read_by = OC_BY_BOTH | OC_BY_STARTS, .example = "1e-4",   \
    .help = "tolerance of optimality and feasibility")                                             \
  X(solver, pace, pace, NUMBER, 0,                                                                 \
    (.unit = "s", .range = "> 0", .note = "0.15 of the horizon",                                   \
     .about = "Time constant of the stabilizing gains in descents, and in rollouts along a "       \
              "second-order solution"),                                                            \
    .read_by = OC_BY_ALL, .example = "0.2")                                                        \
  X(solver, max_iter, max_iter, INTEGER, 3000,                                                     \
    (.absent = "3000", .range = ">= 1", .also = "max_iterations maxiter iterations",               \
     .about = "Iterations of all restarts and guesses together, for each grid"),                   \
    .flag = "--max-iter", .value = "N", .read_by = OC_BY_ALL, .example = "2",                      \
    .help = "iterations of all restarts and guesses together")                                     \
  X(solver, max_time, max_time, NUMBER, INFINITY,                                                  \
    (.absent = "none", .unit = "s", .range = "> 0", .words = "none",                               \
     .about = "Wall-clock time of all searches of a command"),                                     \
    .flag = "--max-time", .value = "SECONDS", .read_by = OC_BY_ALL, .example = "1e-6",             \
    .help = "wall-clock time of all searches, or none")                                            \
  X(solver, method, method, CHOICE, OC_SOLVER_AUTO,                                                \
    (.absent = "auto", .words = "auto ipopt newton stage",                                         \
     .about = "`stage`: dmoc's own interior-point method; `ipopt`; `auto`: `stage`, then "         \
              "`ipopt` if `stage` fails or an option of IPOPT is given; `newton` only for "        \
              "second-order transcriptions"),                                                      \
    .flag = "--solver", .value = "NAME", .read_by = OC_BY_PROGRAMS, .example = "stage",            \
    .help = "stage (our own), ipopt, newton (of second order), or auto")                           \
  X(solver, linear, linear, WORD, "auto",                                                          \
    (.absent = "auto", .words = "auto ldl mumps",                                                  \
     .about = "Linear solver of IPOPT: `ldl` for long, narrow programs, or `mumps`; `auto` "       \
              "chooses, and tries the other one on failure"),                                      \
    .flag = "--linear", .value = "SOLVER", .read_by = OC_BY_IPOPT, .example = "mumps",             \
    .help = "linear solver of IPOPT")                                                              \
  X(solver, decrement, newton.decrement, NUMBER, 1e-12,                                            \
    (.absent = "1e-12", .range = "> 0",                                                            \
     .about = "Newton's method stops at this decrement, relative to the cost"),                    \
    .flag = "--decrement", .value = "NUMBER", .read_by = OC_BY_NEWTON, .example = "1e-2",          \
    .help = "Newton's method stops at this decrement, relative to the cost")                       \
  X(solver, kkt, descent.kkt, CHOICE, OC_RICCATI,                                                  \
    (.absent = "riccati", .words = "riccati cholmod",                                              \
     .about = "Solver for the directions of `descend`, and of descents in searches: a sweep over " \
              "the knots, or one sparse system"),                                                  \
    .flag = "--kkt", .value = "SOLVER", .read_by = OC_BY_DESCENT, .example = "cholmod",            \
    .help = "solver of the directions' problem: riccati, or cholmod, one sparse system")           \
  X(solver, quasi, descent.quasi, INTEGER, 0,                                                      \
    (.absent = "0", .range = "[0, 1e6]",                                                           \
     .about = "The number of first iterations of descents that use `quasi`"),                      \
    .flag = "--quasi", .value = "N", .read_by = OC_BY_DESCENT, .example = "3",                     \
    .help = "use quasi in the first N iterations")                                                 \
  X(solver, projection, descent.projection, CHOICE, OC_REGULATOR,                                  \
    (.absent = "regulator", .words = "regulator own open gaps",                                    \
     .about = "How descents project a direction: roll out with gains of a `regulator`, which "     \
              "stabilizes the motion (full steps to a goal: first with the direction's), with "    \
              "the direction's `own` gains, or without (`open`); `gaps`: move the knots, whose "   \
              "momenta agree only at the end (multiple shooting)"),                                \
    .flag = "--projection", .value = "KIND", .read_by = OC_BY_DESCENT, .example = "open",          \
    .help = "roll out with gains of a regulator, the direction's own, none (open); or with gaps")  \
  X(solver, slope, descent.slope, NUMBER, 0,                                                       \
    (.range = "> 0", .note = "1e-10 of the cost",                                                  \
     .about = "Descents end below this slope, in units of the cost"),                              \
    .flag = "--tol", .value = "SLOPE", .read_by = OC_BY_DESCENT, .example = "1",                   \
    .help = "end below this slope, in units of the cost (default 1e-10 of it)")                    \
  X(solver, ipopt, ipopt, NODE, NULL,                                                              \
    (.words = "options of IPOPT by name", .note = "none",                                          \
     .about = "IPOPT's own options by name"),                                                      \
    .read_by = OC_BY_IPOPT, .example = "{mu_strategy: adaptive}")
#define OC_STARTS_OPTIONS(X)                                                                       \
  X(starts, count, starts.count, INTEGER, OC_SEARCHES_AUTO,                                        \
    (.absent = "1024", .range = "[1, 1e6]", .also = "K N number searches",                         \
     .about = "Largest number of searches on a coarse grid"),                                      \
    .read_by = OC_BY_STARTS, .example = "2")                                                       \
  X(starts, returns, starts.returns, INTEGER, 3,                                                   \
    (.absent = "3", .range = ">= 1",                                                               \
     .about = "The search stops when this many runs found the best optimum and the next one "      \
              "is as likely known as new"),                                                        \
    .read_by = OC_BY_STARTS, .example = "1")                                                       \
  X(starts, steps, starts.steps, INTEGER, 0,                                                       \
    (.range = ">= 1", .note = "a quarter of the horizon's, between 50 and 150",                    \
     .about = "Steps of the coarse grid; more for joints that are too fast for them"),             \
    .read_by = OC_BY_STARTS, .example = "20")                                                      \
  X(starts, seed, starts.seed, INTEGER, 0,                                                         \
    (.absent = "0", .range = ">= 0",                                                               \
     .about = "Seed of the random guesses"),                                                       \
    .read_by = OC_BY_STARTS, .example = "7")                                                       \
  X(starts, turns, starts.turns, NODE, NULL,                                                       \
    (.words = "list of whole numbers", .note = "[-1, 0, 1]",                                       \
     .about = "Whole revolutions added to the goal of joints that allow it"),                      \
    .read_by = OC_BY_STARTS, .example = "[0]")
#define OC_CONTACT_OPTIONS(X)                                                                      \
  X(contact, epsilon, contact.epsilon, NUMBER, 1e-4,                                               \
    (.absent = "1e-4", .range = "[1e-8, 0.3]",                                                     \
     .about = "Product of a force and its gap, or of friction and sliding, in the robot's "        \
              "scales, at which a search reads off the schedule"),                                 \
    .read_by = OC_BY_BOTH, .example = "1e-2")
// clang-format on

typedef enum oc_option_type {
  OC_OPTION_NUMBER,
  OC_OPTION_INTEGER,
  OC_OPTION_CHOICE,
  OC_OPTION_WORD,
  OC_OPTION_NODE
} oc_option_type;

typedef struct oc_option {
  const char *path; // in a problem file, "solver.tol"
  oc_option_type type;
  size_t at;                                      // offset in oc_options
  const char *absent;                             // default as written in a file; NULL: see note
  const char *note, *unit, *range, *words, *also; // as of a key of a problem file
  // option of the command line, NULL: none; the name of its value, NULL: the option means true
  const char *flag, *value;
  const char *help;    // of the flag
  unsigned read_by;    // the solvers that read it
  const char *example; // a value, as in a file, that changes the motion they find; tests try it
  const char *about;   // its meaning in one sentence, for the documents
} oc_option;

// The rows of OC_OPTIONS [OC_OPTION_COUNT].
#define OC_COUNT_OPTION(...) +1
enum { OC_OPTION_COUNT = 0 OC_OPTIONS(OC_COUNT_OPTION) };
extern const oc_option oc_option_rows[];

// Every option at its default: change only the ones you need.
oc_options oc_options_default(void);

// The solvers that a method may use, and the names of solvers ("stage, ipopt"); returns text.
unsigned oc_solvers_of(oc_solver_kind method);
const char *oc_solvers_list(unsigned solvers, char *text, size_t size);

typedef struct oc_iterate { // one row of the convergence record
  int iteration;
  double objective, violation; // of the unscaled program
  double dual, mu;             // scaled dual infeasibility, barrier parameter
  double step, regularization; // primal step length; shift of the Hessian's diagonal
} oc_iterate;

struct oc_multistart;

// Functions of the caller; each may be NULL.
typedef struct oc_hooks {
  // Called once per iteration; returning false stops with DM_INTERRUPTED. For Newton's method,
  // `dual` is the decrement, and there is no violation; for a descent, the objective is the cost,
  // `dual` is minus the slope and the violation the largest relative error of goal and limits.
  bool (*watch)(void *user, const oc_iterate *it);
  // Also called many times within an iteration of the stage solver, so that a solve ends promptly;
  // returning true stops with DM_INTERRUPTED. Other solvers call it once per iteration; searches
  // from many guesses call it from any thread.
  bool (*stop)(void *user);
  // Called when Newton's method gives up, before another solver continues from the guess.
  void (*fall_back)(void *user, const char *why);
  // Called after runs of oc_multistart_run, by one thread at a time.
  void (*found)(void *user, const struct oc_multistart *so_far);
  void *user;
} oc_hooks;

// Report an iterate; returns whether to continue. hooks NULL: none.
static inline bool oc_hooks_continue(const oc_hooks *hooks, const oc_iterate *it) {
  if (!hooks) return true;
  if (hooks->watch && !hooks->watch(hooks->user, it)) return false;
  return !hooks->stop || !hooks->stop(hooks->user);
}

DM_END_C
#endif
