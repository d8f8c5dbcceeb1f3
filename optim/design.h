// optim/design.h: the best numbers of a robot together with its motion: a length, a mass, a stiffness
// as unknowns of one program, which do not change along it.
//
// The robot is a family of systems (lib/mechanics/family.h), made of members at some values p_j of the
// parameters; they are coordinates that stand still (oc_task.constant), so that whoever solves a
// task solves this one, with exact first and second derivatives by them too:
//
//   minimize  J(q,u;p) + price.p + 1/2 weight (p - prefer)^2     low <= p <= high
//
// How much J* would change with a parameter is what its bound is worth: 0 between its bounds, the slope
// at one of them; of a parameter that is held (low = high is no range: hold it within a narrow one) that
// is what it costs to hold it.
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
  // [dm_family_members(np, degree)] tasks at dm_family_values, alike but for systems and outputs: of the
  // first one all else is taken. First order, no terms or path constraints of one's own.
  const oc_task *member;
} oc_design;

typedef struct oc_design_info {
  oc_solve_info solve;
  double value[DM_FAMILY_PARAMETERS]; // of the parameters
  double slope[DM_FAMILY_PARAMETERS]; // of J* by the bound that a parameter is at; 0: at none
} oc_design_info;

// The task of motion and parameters, [q, p] by coordinate, for who wants to look at it; its family.
// `d` is borrowed. Returns DM_OK, to be freed by oc_design_program_free; DM_NO_MEMORY; or DM_BAD_INPUT
// with a sentence in msg.
typedef struct oc_design_program oc_design_program;
dm_status oc_design_program_new(oc_design_program **out, const oc_design *d, dm_message *msg);
void oc_design_program_free(oc_design_program *w); // accepts NULL
const oc_task *oc_design_program_task(const oc_design_program *w);
const dm_family *oc_design_program_family(const oc_design_program *w);

// Solve it.
//   set     as oc_solve; its guess is a motion of the members
//   motion  out: of the robot with these values, [member's sizes], for dm_trajectory_free: a motion of
//           its own steps, to rounding where the family is exact
//   info    out
// Returns as oc_solve does; *motion NULL where that is negative.
dm_status oc_design_solve(const oc_design *d, const oc_solve_settings *set, dm_trajectory **motion,
                          oc_design_info *info, dm_message *msg);

DM_END_C
#endif
