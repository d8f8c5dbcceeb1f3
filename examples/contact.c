// A ball that falls on a floor and bounces for half a minute without losing energy.
//
//   11 bounces, energy 1.000000 J
#include <dmoc/dmoc.h>
#include <stdio.h>

int main(void) {
  // 1 kg that slides along z, 1 m above the floor, where g = 1 m/s2
  dm_coordinate height = dm_coordinate_slide("height", 0, 0, 1);
  dm_body ball = dm_body_default("ball");
  ball.mass = 1;
  dm_tree tree = {1, 1, 0, &ball, &height, .gravity = {0, 0, -1}};
  dm_contact floor = {.kind = DM_ABOVE, .body = {0, -1}, .axis = {0, 0, 1}, .restitution = 1};
  floor.name = "floor";
  dm_model *m;
  dm_contacts *contacts;
  dm_contact_integrator *w;
  if (dm_model_new(&m, &tree, NULL) || dm_contacts_new(&contacts, m, 1, &floor, NULL)) return 1;

  dm_system s = dm_system_of(m);
  dm_unilateral g = dm_contacts_unilateral(contacts);
  if (dm_contact_integrator_new(&w, &s, &g, NULL, NULL)) return 1;

  // from rest, in steps of a tenth of a second
  double q = 1, p = 0, energy;
  int bounces = 0;
  for (int k = 0; k < 300; k++) {
    dm_contact_integrator_info info;
    if (dm_contact_integrator_step(w, &q, &p, NULL, 0.1, &q, &p, &info)) return 1;
    bounces += info.made;
  }
  dm_contact_integrator_energy(w, &q, &p, &energy);
  printf("%d bounces, energy %.6f J\n", bounces, energy);

  dm_contact_integrator_free(w);
  dm_contacts_free(contacts);
  dm_model_free(m);
}
