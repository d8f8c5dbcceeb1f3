// cli/exchange/body_frames.h: the bodies of a robot as frames, each in that of the one that carries
// it.
#ifndef CLI_EXCHANGE_BODY_FRAMES_H
#define CLI_EXCHANGE_BODY_FRAMES_H
#include "problems/readers/model/robot.h"

typedef struct cli_body_frames {
  const pb_robot *robot;
  const dm_model *m; // its tree
  double *q;         // [tree->nq]
  dm_pose *X;        // [nj] of joints, in the world
  const char *root;  // the world's name: one that no body has
  int *parent;       // [nbody] the body that carries it, -1: the world
  int *first;        // [nj] the first body that a joint carries, -1: none
} cli_body_frames;

// The frames of a robot, which must outlive them. Returns DM_OK or DM_NO_MEMORY; to be freed in any
// case.
dm_status cli_body_frames_new(cli_body_frames *w, const pb_robot *robot);
void cli_body_frames_free(cli_body_frames *w);

// Place the robot at q from outside [model->nq].
void cli_body_frames_place(cli_body_frames *w, const double *q);

// The name of a body's frame, -1: the world's.
const char *cli_body_frames_name(const cli_body_frames *w, int body);

// Where a body is, in the frame of the one that carries it.
dm_pose cli_body_frames_pose(const cli_body_frames *w, int body);

// The body next to a joint (-1: the world) that has a frame, and the pose P of that joint's frame as it
// is seen from there; whatever the joints between are, it is as the robot is placed.
int cli_body_frames_carrier(const cli_body_frames *w, int joint, const dm_pose *P, dm_pose *out);
#endif
