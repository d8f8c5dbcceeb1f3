// problems/readers/task/robustness.h: what `verify:` sets against the gains, and machines that
// differ from the model of a problem.
#ifndef PB_TASK_ROBUSTNESS_H
#define PB_TASK_ROBUSTNESS_H
#include "problems/readers/format/schema.h"
#include "problems/readers/task/problem.h"

typedef struct pb_errors {
  double mass, inertia, length, damping;
} pb_errors;

typedef struct pb_noise {
  const double *q, *v, *torque;
} pb_noise;

typedef struct pb_robustness_section {
  pb_errors errors;
  pb_noise noise;
  double limit, delay;
  const char *plants;
  const pb_node *sweep, *region;
} pb_robustness_section;

extern const pb_key pb_errors_keys[], pb_noise_keys[], pb_sweep_keys[], pb_region_keys[];

// Fill p->robust, arrays in the arena, after the rest of the section verify, which is node.
dm_status pb_robustness_read(const pb_reader *r, const pb_node *node,
                             const pb_robustness_section *s, pb_problem *p);

// How a machine moves.
typedef enum pb_plant { PB_DISCRETE, PB_CONTINUOUS, PB_MUJOCO, PB_PLANTS } pb_plant;
extern const char *const pb_plant_names[PB_PLANTS];

// One machine at a time that differs from a robot's model; belongs to one thread.
typedef struct pb_machine {
  const pb_robot *robot;
  dm_rule rule;
  double step; // s, of the problem's motion
  pb_plant kind;
  dm_model *tree, *model;
  dm_conservative *springs;
  dm_quaternion_system *embed;
  dm_stiff_damping *fitted;
  dm_system system;
  fb_plant plant;
} pb_machine;

// Machines of a problem's robot by its rule; w keeps the last one. p must outlive them.
fb_perturbed_models pb_machines_of(pb_machine *w, const pb_problem *p, pb_plant kind);
void pb_machine_free(pb_machine *w); // what w keeps; zeroed is accepted
#endif
