// optim/design.h: optimize parameters of a robot together with its motion: a length, a mass or a stiffness as
// an unknown of one program, constant along the motion.
//
// The robot is a family of systems (lib/mechanics/family.h), interpolated from members at given values p_j of
// the parameters. The parameters are constant coordinates (oc_task.constant), so that any solver of tasks
// also solves this one, with exact first and second derivatives by the parameters:
//
//   minimize  J(q,u;p) + price.p + 1/2 weight (p - prefer)^2     low <= p <= high
//
// The sensitivity of J* to a parameter is the multiplier of its bound: 0 between its bounds, the slope at one
// of them. low = high is not allowed; to hold a parameter, give it a narrow range, and the multiplier is the
// cost of holding it.
//
// Source: docs/theory.md section 28.
#ifndef OC_DESIGN_H
#define OC_DESIGN_H
#include "lib/mechanics/family.h"
#include "optim/solve.h"

DM_BEGIN_C

typedef struct oc_parameter {
  const char *name;
  double low, high; // low < high
  double guess;
  double price;          // J per unit
  double weight, prefer; // 1/2 weight (p - prefer)^2
} oc_parameter;

typedef struct oc_design {
  int np;
  const oc_parameter *parameter; // [np]
  int degree;                    // of the family
  // [dm_family_members(np, degree)] tasks at dm_family_values, equal except for systems and outputs: all
  // other data come from the first one. First order, without user-defined terms or path constraints.
  const oc_task *member;
} oc_design;

typedef struct oc_design_info {
  oc_solve_info solve;
  double value[DM_FAMILY_PARAMETERS]; // of the parameters
  // of J* by the active bound of a parameter; 0: no bound is active
  double slope[DM_FAMILY_PARAMETERS];
} oc_design_info;

// The task of motion and parameters, with coordinates [q, p], for inspection; and its family. `d` is
// borrowed. Returns DM_OK, to be freed by oc_design_program_free; DM_NO_MEMORY; or DM_BAD_INPUT with a
// sentence in msg.
typedef struct oc_design_program oc_design_program;
dm_status oc_design_program_new(oc_design_program **out, const oc_design *d, dm_message *msg);
void oc_design_program_free(oc_design_program *w); // accepts NULL
const oc_task *oc_design_program_task(const oc_design_program *w);
const dm_family *oc_design_program_family(const oc_design_program *w);

// Solve a design problem.
//   set     as in oc_solve; its guess is a motion of the members
//   motion  out: of the robot with these values, [member's sizes], for dm_trajectory_free: it satisfies the
//           robot's own steps, up to rounding if the family is exact
//   info    out
// Returns the status of oc_solve; *motion is NULL if it is negative.
dm_status oc_design_solve(const oc_design *d, const oc_setup *set, dm_trajectory **motion,
                          oc_design_info *info, dm_message *msg);

DM_END_C
#endif
