// problems/readers/model/machines.h: machines that differ from the model of a robot: what lies on
// bodies stays where it was.
#ifndef PB_MODEL_MACHINES_H
#define PB_MODEL_MACHINES_H
#include "control/loop/model_mismatch.h"
#include "lib/discrete/stiff_damping.h"
#include "lib/multibody/contact_geometry.h"
#include "problems/readers/model/plants.h"
#include "problems/readers/model/robot.h"

// One machine at a time that differs from a robot's model; belongs to one thread.
typedef struct pb_machine {
  const pb_robot *robot;
  dm_rule rule;
  double step;              // s, of the problem's motion
  const dm_contacts *stops; // of joints, which are the same of every machine; NULL: none
  long met;                 // steps of plants in which a stop was met or pushed
  pb_plant kind;
  dm_robot changed; // zero: it is the robot itself
  dm_stiff_damping *fitted;
  dm_system system;
  fb_plant plant;
} pb_machine;

// Machines of a robot by a rule, for steps of length step [s]; w keeps the last one. The robot must
// outlive them. Set w->stops afterwards for plants with mechanical stops (borrowed); MuJoCo has none.
fb_perturbed_models pb_machines_of(pb_machine *w, const pb_robot *robot, const dm_rule *rule,
                                   double step, pb_plant kind);
void pb_machine_free(pb_machine *w); // what w keeps; zeroed is accepted

// Does MuJoCo's plant, which is made from the robot's URDF alone, have all parts of a robot? Returns DM_OK, or
// DM_BAD_INPUT with a sentence that names one that it has not.
dm_status pb_robot_require_mujoco(const pb_robot *robot, dm_message *msg);

// The limits of positions [nq] of a robot without ball joints as mechanical stops, which give nothing
// back; where both are infinite there is none. Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE for a
// robot with ball joints.
dm_status pb_stops_new(dm_contacts **out, const pb_robot *robot, const double *q_min,
                       const double *q_max);
#endif
