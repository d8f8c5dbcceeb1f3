// optim/links.h: what constraints add to a program at each knot.
//
// Knot k has multipliers lambda_k [nc], unknowns behind its inputs, and rows h(q_k) = 0; its row of
// motion loses Dh(q_k)' lambda_k. With mu the multipliers of that row and nu those of h, the
// Hessian gains -sum lambda_i D3h_i mu + sum nu_i D2h_i by q_k, and -D2h_i mu by lambda_i and q_k.
//
// Every function does nothing where there are no constraints. Source: docs/theory.md section 9.
#ifndef OC_LINKS_H
#define OC_LINKS_H
#include "optim/program.h"

// Evaluate h, Dh at q_k and Dh' lambda_k into t->hold, t->pull [.. x knots], and take the curvature
// D2h lambda_k off t->carry; then put the entries of the Jacobian.
dm_status oc_links_evaluate(oc_transcription *t, const double *x, int k);
void oc_links_put(const oc_transcription *t, oc_sink *s, int k);

// The Hessian's part by q_k into t->carry, that by (lambda_k,q_k) kept; then put the latter.
dm_status oc_links_contract(oc_transcription *t, const double *x, int k, const double *lambda);
void oc_links_put_hessian(const oc_transcription *t, oc_sink *s, int k);
#endif
