// optim/program/callbacks.h: the NLP callbacks of a transcription, the five functions of oc_nlp
// (optim/nlp/nlp.h) with which a solver evaluates it:
//
//   f       factor sum phi_k + costs on rates + w_time T + terminal cost
//   g       the rows of optim/program/transcribe.h, in the order of layout.h
//   J, W    their Jacobian, and the lower triangle of sigma f'' + sum lambda_i g_i''
//
// self is an oc_transcription, x its unknowns [nlp.n]. Each function returns DM_OK, the status of the
// Lagrangian, forces or constraints if these have no value, or DM_CUT_SHORT after t->deadline. None
// allocates. Rows and Jacobian are evaluated together and kept: both at one point cost one evaluation. Cost:
// linear in N, about n^2 per step in addition to the system's own derivatives.
#ifndef OC_PROGRAM_CALLBACKS_H
#define OC_PROGRAM_CALLBACKS_H
#include "optim/rows/layout.h"

dm_status oc_transcription_objective(void *self, const double *x, double *f);
dm_status oc_transcription_gradient(void *self, const double *x, double *grad);
dm_status oc_transcription_rows(void *self, const double *x, double *g);
dm_status oc_transcription_jacobian(void *self, const double *x, oc_triplets *s);
dm_status oc_transcription_hessian(void *self, const double *x, double sigma, const double *lambda,
                                   oc_triplets *s);
#endif
