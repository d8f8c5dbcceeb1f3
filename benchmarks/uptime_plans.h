// benchmarks/uptime_plans.h: control of a double pendulum with one motor by a table of plans.
//
// The table has swing-ups from states in which resets end. From a state x, a plan at knot k costs
//
//   (N - k) h + weight (x - x_k)'P_k (x - x_k)      P_k: cost-to-go of its gains
//
// The cheapest knots of the best plans are tried on the discrete map by receding-horizon control about each, and the
// controller follows the plan that is up first. It chooses again if it is not up when expected. If no plan comes up,
// the motor damps the joint until one does.
#ifndef BENCHMARKS_UPTIME_PLANS_H
#define BENCHMARKS_UPTIME_PLANS_H
#include "benchmarks/bench.h"

#include <stdbool.h>

typedef struct uptime_plans uptime_plans;

enum { UPTIME_EVERY = 5 };              // steps of 2 ms of the plant in a step of the plans
static const double UPTIME_STEP = 1e-2; // s

// Is the tip higher than 0.9 of the arm's length at q [2]?
bool uptime_is_up(const double *q);

// Plan from each of `count` states [4] (q1, q2, v1, v2), of a motor at the elbow or the shoulder. Stops the program
// without memory. Starts from which no swing-up is found are left out.
uptime_plans *uptime_plans_new(bool elbow, int count, const double *starts);
void uptime_plans_free(uptime_plans *w);
int uptime_plans_count(const uptime_plans *w);
double uptime_plans_time(const uptime_plans *w, int i); // of plan i [s]

// Processor time of the choices so far [s], each.
double uptime_plans_choice_time(const uptime_plans *w);

// Forget the plan that is followed.
void uptime_plans_reset(uptime_plans *w);
// The torque [N m] of the next step from a measured state x [4].
double uptime_plans_torque(uptime_plans *w, const double *x);
#endif
