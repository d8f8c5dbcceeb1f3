// A force of one's own, the drag of the air -c |v| v, beside a load of the library, a rotor's thrust.
//
//   falls at 5.000 m/s, the square root of (m g - thrust) / c
#include <dmoc/dmoc.h>
#include <math.h>
#include <stdio.h>

// adds f to what stands there, and its derivatives where they are asked for; self: c in N s2/m2
static dm_status drag(const void *self, void *scratch, int order, const double *q, const double *v,
                      const double *u, dm_force_jet *out) {
  double c = *(const double *)self;
  (void)scratch;
  (void)q;
  (void)u;
  out->f[0] -= c * fabs(v[0]) * v[0];
  if (order == 2) out->f_v[0] -= 2 * c * fabs(v[0]);
  return DM_OK;
}

int main(void) {
  // 1 kg that slides along z, pushed up by 4.81 N
  dm_coordinate height = dm_coordinate_slide("height", 0, 0, 1);
  dm_body body = dm_body_default("body");
  body.mass = 1;
  dm_tree tree = {1, 1, 0, &body, &height, .gravity = {0, 0, -9.81}};
  dm_load thrust = {.name = "thrust", .kind = DM_WRENCH_BODY, .force = {0, 0, 4.81}};
  dm_model *m;
  dm_loads *loads;
  dm_trajectory *fall;
  dm_del *step;
  dm_del_info info;
  int failed;
  if (dm_model_new(&m, &tree, NULL) || dm_loads_new(&loads, m, 1, &thrust, NULL)) return 1;

  // both forces in the system, and ten seconds of its motion from rest
  dm_system s = dm_system_of(m);
  double c = 0.2;
  dm_system_add_force(&s, dm_loads_force(loads));
  dm_system_add_force(&s, (dm_force){.self = &c, .eval = drag});
  if (dm_trajectory_of(&fall, 1000, &s) || dm_del_new(&step, &s, NULL)) return 1;
  fall->h = 0.01;
  if (dm_trajectory_rollout(fall, step, &info, &failed)) return 1;
  printf("falls at %.3f m/s, the square root of (m g - thrust) / c\n", -fall->v[1000]);

  dm_del_free(step);
  dm_trajectory_free(fall);
  dm_loads_free(loads);
  dm_model_free(m);
}
