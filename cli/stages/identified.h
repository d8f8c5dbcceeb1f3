// cli/stages/identified.h: the tables of `dmoc identify`.
//
//   parameters.csv     name, unit, value, deviation, robot, at_bound, seen
//   covariance.csv     the names of parameters, then their covariance, a row for each
//   combinations.csv   combination, unit, value, deviation: those that the logs determine
//   forces.csv         log, t, q.NAME, fitted.NAME, measured.NAME, predicted.NAME
//   residuals.csv      log, held_out, joint, and the figures of oc_fit_joint and oc_prediction
#ifndef CLI_STAGES_IDENTIFIED_H
#define CLI_STAGES_IDENTIFIED_H
#include "cli/console/json.h"
#include "cli/stages/fitted_values.h"

// The prediction of a log.
typedef struct cli_predicted {
  const char *log;
  bool held;           // not fitted
  int knots, pieces;   // measured; without gaps
  double start, step;  // s, of knot 0; between knots
  double *q, *lack;    // [knots x n] fitted positions; forces that the model lacks; NAN: none
  const double *y, *u; // [knots x n] measured positions; [knots x nu] mean inputs of steps
  oc_fit_joint *joint; // [n]
  double *free_run;    // [n] INFINITY: the run diverged
} cli_predicted;

// The force of the inputs on coordinate i around knot k > 0: the mean of the steps before and after.
double cli_predicted_force(const dm_model *m, const cli_predicted *p, int k, int i);

void cli_write_parameters(FILE *f, const oc_fit_parameters *p, const oc_fit_result *found,
                          const cli_fitted_values *v);
void cli_write_covariance(FILE *f, const oc_fit_parameters *p, const cli_fitted_values *v);
void cli_write_combinations(FILE *f, const oc_fit_parameters *p, const oc_fit_result *found);
// forces.csv: log, t, and of each joint the measured position, the fitted position, the force of the
// inputs, and the force that the model needs for the fitted motion.
void cli_write_forces(FILE *f, const dm_model *m, const cli_predicted *list, int n);
void cli_write_residuals(FILE *f, const dm_model *m, const cli_predicted *list, int n);

// "upper.yy + 0.04 lower.m" in text; returns text.
enum { CLI_COMBINATION = 512 };
const char *cli_combination_name(const oc_fit_parameters *p, const oc_combination *c,
                                 char text[CLI_COMBINATION]);

// The same figures as members of an object: parameters, combinations, logs.
void cli_put_parameters(cli_json *o, const oc_fit_parameters *p, const oc_fit_result *found,
                        const cli_fitted_values *v);
void cli_put_combinations(cli_json *o, const oc_fit_parameters *p, const oc_fit_result *found);
void cli_put_predicted(cli_json *o, const dm_model *m, const cli_predicted *list, int n);
#endif
