// problems/readers/model/machines.h: machines that differ from the model of a robot; the
// attachments of bodies stay in place.
#ifndef PB_MODEL_MACHINES_H
#define PB_MODEL_MACHINES_H
#include "control/loop/model_mismatch.h"
#include "control/loop/mujoco.h"
#include "lib/discrete/stiff_damping.h"
#include "lib/multibody/robot_contact_laws.h"
#include "problems/readers/model/plants.h"
#include "problems/readers/model/robot.h"

enum { PB_CONTACT_PARTS = 16 };

// One machine at a time that differs from a robot's model; belongs to one thread.
typedef struct pb_machine {
  const pb_robot *robot;
  dm_rule rule;
  double step;              // s, step of the problem's motion
  const dm_contacts *stops; // of joints, the same for every machine; NULL: none
  bool dry;                 // friction that is smooth in the model is dry in the machine
  long met;                 // steps of plants in which a stop was hit or pushed against
  fb_slip slip;             // of wheels in MuJoCo; its friction is 1 unless set afterwards
  pb_plant kind;
  const double *height; // of a walk: of the ground under each contact (fb_plant_feet); NULL: 0
  dm_robot changed;     // zero: the nominal robot
  dm_robot_contact_laws *laws; // of a machine with contacts; NULL: none
  dm_stiff_damping *fitted;
  dm_system system;
  fb_plant plant;
} pb_machine;

// Machines of a robot with a rule, for steps of length step [s]; w holds the last one. The robot
// must outlive them. A robot with contacts has only the plant PB_CONTINUOUS, which is that of
// fb_plant_contacts in PB_CONTACT_PARTS steps per step; likewise one with
// dry friction that plans know, with fb_plant_sticking.
// For plants of feet set w->height, for plants with mechanical stops w->stops afterwards (borrowed);
// MuJoCo has no stops. For machines whose smooth friction is dry set w->dry: they also have the sticking
// plant alone.
fb_perturbed_models pb_machines_of(pb_machine *w, const pb_robot *robot, const dm_rule *rule,
                                   double step, pb_plant kind);
void pb_machine_free(pb_machine *w); // free the content of w; a zeroed w is accepted

// Check that MuJoCo's plant, which is made from the robot's URDF alone, has all parts of a robot.
// Returns DM_OK, or DM_BAD_INPUT with a sentence that names a missing part.
dm_status pb_robot_require_mujoco(const pb_robot *robot, dm_message *msg);

// Make the position limits [nq] of a robot without ball joints mechanical stops, which are
// inelastic; a coordinate with two infinite limits has none. Returns DM_OK, DM_NO_MEMORY, or
// DM_UNAVAILABLE for a robot with ball joints.
dm_status pb_stops_new(dm_contacts **out, const pb_robot *robot, dm_bounds limits);
#endif
