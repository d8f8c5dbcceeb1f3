// optim/transcription/callbacks.h: the five functions of oc_nlp that a transcription answers a
// solver with, self an oc_transcription. None allocates.
#ifndef OC_TRANSCRIPTION_CALLBACKS_H
#define OC_TRANSCRIPTION_CALLBACKS_H
#include "optim/transcription/layout.h"

dm_status oc_transcription_objective(void *self, const double *x, double *f);
dm_status oc_transcription_gradient(void *self, const double *x, double *grad);
dm_status oc_transcription_rows(void *self, const double *x, double *g);
dm_status oc_transcription_jacobian(void *self, const double *x, oc_triplets *s);
dm_status oc_transcription_hessian(void *self, const double *x, double sigma, const double *lambda,
                                   oc_triplets *s);
#endif
