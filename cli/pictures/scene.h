// cli/pictures/scene.h: motions in space: points of bodies, and the robot's outline, seen in a
// plane.
#ifndef CLI_PICTURES_SCENE_H
#define CLI_PICTURES_SCENE_H
#include "cli/pictures/sheet.h"
#include "lib/multibody/outline.h"

// A point of a body.
typedef struct cli_scene_point {
  int joint;  // that carries it; -1: the world
  dm_vec at;  // in its frame                                           [m]
  char *name; // of the body
} cli_scene_point;

// A robot that is placed at the knots of its motion.
typedef struct cli_scene {
  const cli_exhibit *of;
  dm_outline *outline;
  dm_pose *X;      // [nj] at the knot at hand
  double *q;       // [tree->nq] there
  double *outside; // [x->n] the same in the motion's own coordinates
  dm_vec *first;   // [npoint + 2 outline->nline] points, then ends of lines, at the first knot
  cli_scene_point *point; // [npoint] those that --points names; else where chains end
  int npoint;
} cli_scene;

// The scene of a folder. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after saying why: a body that
// is not there. To be freed in any case.
int cli_scene_open(cli_scene *w, const cli_exhibit *of, const cli_request *r);
void cli_scene_close(cli_scene *w);

// Place it at knot k; at a time t of the motion, s, between knots by cubics.
void cli_scene_place(cli_scene *w, int k);
void cli_scene_place_at(cli_scene *w, double t);

// The world's axes that a picture shows, to the right and up: those that --plane names; else the
// two along which the points of scenes [n] move the most, that of gravity among them where something happens along
// it. Where nothing moves along two axes, what is shown is as wide as can be.
void cli_scene_plane(cli_scene *w, int n, const cli_request *r, int plane[2]);

// What is shown of a vector.
double cli_scene_along(dm_vec a, int axis);

// A view of the world from far away, by two unit vectors; deep: it looks down on the ground from one
// side.
typedef struct cli_view {
  dm_vec right, up;
  bool deep;
  dm_vec rise;   // deep: the unit vector that points up in the world
  double ground; // deep: how far the lowest of all that moves is along it       [m]
} cli_view;

// The view of scenes [n]: flat by cli_scene_plane where --plane says so, or what they show is narrow
// along the third axis; else deep.
cli_view cli_scene_view(cli_scene *w, int n, const cli_request *r);
#endif
