// cli/exchange/body_frames.h: the bodies of a robot as frames, each relative to its parent.
#ifndef CLI_EXCHANGE_BODY_FRAMES_H
#define CLI_EXCHANGE_BODY_FRAMES_H
#include "problems/readers/model/robot.h"

typedef struct cli_body_frames {
  const pb_robot *robot;
  const dm_model *m; // its tree
  double *q;         // [tree->nq]
  dm_pose *X;        // [nj] of joints, in the world
  const char *root;  // a name for the world that no body has
  int *parent;       // [nbody] parent body, -1: the world
  int *first;        // [nj] first body on a joint, -1: none
} cli_body_frames;

// Make the frames of a robot, which must outlive them. Returns DM_OK or DM_NO_MEMORY; to be freed
// in any case.
dm_status cli_body_frames_new(cli_body_frames *w, const pb_robot *robot);
void cli_body_frames_free(cli_body_frames *w);

// Place the robot at external coordinates q [model->nq].
void cli_body_frames_place(cli_body_frames *w, const double *q);

// The name of a body's frame, -1: the world's.
const char *cli_body_frames_name(const cli_body_frames *w, int body);

// The pose of a body in its parent's frame.
dm_pose cli_body_frames_pose(const cli_body_frames *w, int body);

// The nearest body with a frame at or above a joint (-1: the world), and the pose P in that joint's
// frame expressed in the body's frame, for the current placement of the robot.
int cli_body_frames_carrier(const cli_body_frames *w, int joint, const dm_pose *P, dm_pose *out);
#endif
