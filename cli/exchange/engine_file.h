// cli/exchange/engine_file.h: a robot as bodies and joints of MuJoCo, and the text of its XML file.
//
// A body of the file contains all joints between two inertias, in order, and has the frame of the
// link on the last of them. There may be no geometry between them; a ball joint must be the first
// of its body, or follow slides.
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
  // [nj] a part attaches to the content of the joint, which must then be a separate body
  bool *held;
  double thick; // m, of sticks
  int *order;   // [nj] the joints in the file's order; of a ball the first of its three
  int written;  // number written so far
} cli_engine_file;

// Print a space and KEY="..": a name, numbers [n], a point, or a pose as pos and quat; print
// indentation before an element.
void cli_engine_name(const cli_engine_file *w, const char *key, const char *name);
void cli_engine_values(const cli_engine_file *w, const char *key, const double *x, int n);
void cli_engine_point(const cli_engine_file *w, const char *key, dm_vec a);
void cli_engine_pose(const cli_engine_file *w, const dm_pose *X);
void cli_engine_indent(const cli_engine_file *w, int depth);

// Whether a joint carries any geometry.
bool cli_engine_looks_at(const cli_engine_file *w, int joint);

// The next joint in the same body, -1: it is the last; the last joint of the body.
int cli_engine_next(const cli_engine_file *w, int joint);
int cli_engine_last(const cli_engine_file *w, int joint);

// The frame of the first link on a joint, in the joint's frame; the joint's own frame if there is
// none.
dm_pose cli_engine_link(const dm_model *m, int joint);

// The frame of a body in the frame of one of its joints, at q = 0; the axis of that joint in the
// body's frame.
dm_pose cli_engine_frame(const cli_engine_file *w, int joint);
dm_vec cli_engine_axis(const cli_engine_file *w, int joint);

// Whether a joint copies the coordinate of another joint.
bool cli_engine_copies(const dm_model *m, int joint);

// Begin a geom of sizes [n] at X in the frame of a joint (-1: the world); colour [4] may be NULL. The caller closes it.
void cli_engine_geom(const cli_engine_file *w, const char *type, int joint, const dm_pose *X,
                     const double *size, int n, const double *colour, int depth);

// The name of a joint in the file; for the first joint of a ball the ball's name.
void cli_engine_joint_name(const dm_model *m, int joint, char *text, size_t size);
#endif
