// cli/exchange/engine_file.h: a robot as bodies and joints of MuJoCo's, and the text of its XML file.
//
// A body of the file is all joints between two inertias, one after the other, with the frame of the
// link that the last of them carries. Nothing to see may stand between them; a ball begins a body, or
// stands on slides.
#ifndef CLI_EXCHANGE_ENGINE_FILE_H
#define CLI_EXCHANGE_ENGINE_FILE_H
#include "cli/report/exhibit.h"
#include "lib/multibody/outline.h"
#include "problems/readers/model/visuals.h"

typedef struct cli_engine_parts cli_engine_parts;

typedef struct cli_engine_file {
  FILE *f;
  const cli_args *args;
  const cli_exhibit *x;
  const pb_robot *robot;
  const dm_model *m; // its tree
  pb_visuals looks;
  dm_outline *outline;
  cli_engine_parts *parts; // cli/exchange/engine_parts.h
  bool *held;   // [nj] a part holds to what the joint carries, which is a body of its own then
  double thick; // m, of sticks
  int *order;   // [nj] the joints in the file's order; of a ball the first of its three
  int written;  // of these, so far
} cli_engine_file;

// A space and KEY="..": a name, numbers [n], a point, a place and its turn as pos and quat; spaces
// before an element.
void cli_engine_name(const cli_engine_file *w, const char *key, const char *name);
void cli_engine_values(const cli_engine_file *w, const char *key, const double *x, int n);
void cli_engine_point(const cli_engine_file *w, const char *key, dm_vec a);
void cli_engine_pose(const cli_engine_file *w, const dm_pose *X);
void cli_engine_indent(const cli_engine_file *w, int depth);

// Whether there is something to see on a joint.
bool cli_engine_looks_at(const cli_engine_file *w, int joint);

// The joint after a joint in its body, -1: it is the last there; the last.
int cli_engine_next(const cli_engine_file *w, int joint);
int cli_engine_last(const cli_engine_file *w, int joint);

// The frame of the first link that a joint carries, in that joint's; its own, where there is none.
dm_pose cli_engine_link(const dm_model *m, int joint);

// The frame of a body in that of one of its joints, at q = 0; the axis of that joint in the body's.
dm_pose cli_engine_frame(const cli_engine_file *w, int joint);
dm_vec cli_engine_axis(const cli_engine_file *w, int joint);

// Whether a joint follows a coordinate that another joint is.
bool cli_engine_copies(const dm_model *m, int joint);

// The name of a joint in the file; of a ball's first the ball's.
void cli_engine_joint_name(const dm_model *m, int joint, char *text, size_t size);
#endif
