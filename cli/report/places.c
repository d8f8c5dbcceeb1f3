#include "cli/report/places.h"

void cli_put_vector(dm_vec a, double out[3]) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}

void cli_put_pose(const dm_pose *X, double out[CLI_POSE]) {
  cli_put_vector(X->x, out);
  cli_put_vector(X->y, out + 3);
  cli_put_vector(X->z, out + 6);
  cli_put_vector(X->p, out + 9);
}

void cli_set_vector(cli_json *o, int joint, const char *key, dm_vec a) {
  double x[3];
  cli_put_vector(a, x);
  cli_json_int(o, "joint", joint);
  cli_json_vector(o, key, x, 3);
}

cli_json *cli_make_point(int joint, dm_vec at) {
  cli_json *o = json_object_new_object();
  cli_set_vector(o, joint, "at", at);
  return o;
}
