// optim/task/lagrangian_image.h: does a transformation map motions to motions? The Lagrangian is evaluated at
// a point without symmetry and at its image
//
//   q -> s q + shift        v -> s v        s = 1 or -1
//
// where L must be equal and its gradient s times the original one.
#ifndef OC_TASK_LAGRANGIAN_IMAGE_H
#define OC_TASK_LAGRANGIAN_IMAGE_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_image oc_image; // workspace for the Lagrangian of one task

// Returns DM_OK or DM_NO_MEMORY.
dm_status oc_image_new(oc_image **out, const oc_task *task);
void oc_image_free(oc_image *w); // accepts NULL

// Is L equal at the image, up to rounding? Also false if it has no value there.
//   sign   1 or -1
//   shift  [n] NULL: none    m or rad
// Energies are compared relative to the changes over typical coordinate ranges (oc_task_way). Cost: two
// evaluations with gradients.
bool oc_image_is_alike(oc_image *w, double sign, const double *shift);

// The typical size of coordinate i, rad or m.
double oc_image_size(const oc_image *w, int i);

DM_END_C
#endif
