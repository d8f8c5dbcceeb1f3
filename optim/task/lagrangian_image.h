// optim/task/lagrangian_image.h: is an image of motions a motion? A Lagrangian is looked at in
// a place of no symmetry and at its image
//
//   q -> s q + shift        v -> s v        s = 1 or -1
//
// where L must be as it was, and its gradient s times as it was.
#ifndef OC_TASK_LAGRANGIAN_IMAGE_H
#define OC_TASK_LAGRANGIAN_IMAGE_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_image oc_image; // workspace for the Lagrangian of one task

// Returns DM_OK or DM_NO_MEMORY.
dm_status oc_image_new(oc_image **out, const oc_task *task);
void oc_image_free(oc_image *w); // accepts NULL

// Is L alike at the image, to rounding? False as well where it has no value there.
//   sign   1 or -1
//   shift  [n] NULL: none    m or rad
// Energies are compared by the changes that coordinates on their ways make (oc_task_way). Cost: two evaluations with gradients.
bool oc_image_is_alike(oc_image *w, double sign, const double *shift);

// The size of coordinate i: rad or m.
double oc_image_size(const oc_image *w, int i);

DM_END_C
#endif
