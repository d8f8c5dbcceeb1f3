// cli/report/places.h: points and poses as numbers for a page.
#ifndef CLI_REPORT_PLACES_H
#define CLI_REPORT_PLACES_H
#include "cli/console/json.h"
#include "lib/multibody/model.h"

enum { CLI_POSE = 12 }; // numbers per pose

void cli_put_vector(dm_vec a, double out[3]);
// The columns x, y, z of its rotation, then its position.
void cli_put_pose(const dm_pose *X, double out[CLI_POSE]);

// Set o.joint, and o.key to a vector in that joint's frame (-1: the world's).
void cli_set_vector(cli_json *o, int joint, const char *key, dm_vec a);

// {joint, at}: a point in the frame of a joint (-1: the world).
cli_json *cli_make_point(int joint, dm_vec at);
#endif
