// optim/transcription/input_rates.h: what limits and costs on the rate of inputs add to a program.
//
//   |u_{k+1} - u_k| <= rate_max h          s 1/2 w_rate ((u_{k+1} - u_k)/h)^2         k = 0..N-2
//
// and of a periodic motion the same of u_0 - u_{N-1}, with s the cost's factor (optim/transcription/cost.h). Where the final time is free a limit takes
// two rows, u_{k+1} - u_k -+ rate_max h.
//
// Inputs held over steps have a null direction: u_k = (-1)^k a adds h/2 (u_k-1 + u_k) = 0 to every
// inner row of motion, so that positions do not see it, while velocities at knots alternate by
// h a / 2M. Where neither an input nor its rate has a cost, nothing decides against it: least times
// ring as they like, and take many iterations to choose among motions that are as good. There a
// tie-break decides,
//
//   1/2 eps c h (u_{k+1} - u_k)^2 / u_max^2         c the cost of a second, or 1 where all is free
//
// Ringing to the limits all the way costs 2 eps of the time, whatever N is; what is smooth costs
// O(h^2), a switch from limit to limit 2 eps h. It is no part of the objective that is reported. A
// task of given time in which a state has a cost has none: its scale is not known.
//
// Source: docs/theory.md section 6.
#ifndef OC_TRANSCRIPTION_INPUT_RATES_H
#define OC_TRANSCRIPTION_INPUT_RATES_H
#include "optim/transcription/layout.h"

// The weights of the tie-break among a task's forces, tie [system.nu], zero where something decides.
void oc_input_rates_ties(const oc_task *task, double *tie);

// Set the weights of the tie-break, t->tie [nf], zero where something decides; and the bounds of the
// rows of rates in t->g_min, t->g_max.
void oc_input_rates_weigh(oc_transcription *t);
void oc_input_rates_bound(oc_transcription *t);

// Write the rows' values at x [nlp.n] to their place in g [nlp.m]; put their Jacobian's entries,
// which do not depend on x.
void oc_input_rates_evaluate(const oc_transcription *t, const double *x, double *g);
void oc_input_rates_put(const oc_transcription *t, oc_triplets *s);

// The cost on rates, and the tie-break, over the whole motion with steps h [s]; the gradient of both
// is added to grad [nlp.n].
double oc_input_rates_cost(const oc_transcription *t, const double *x, double h);
double oc_input_rates_tie(const oc_transcription *t, const double *x, double h);
void oc_input_rates_gradient(const oc_transcription *t, const double *x, double h, double *grad);

// Does force j have a cost on its rate or a tie-break, and so an entry with the next step?
bool oc_input_rates_has(const oc_transcription *t, int j);

// The Hessian of both times sigma at step k: by its own forces into t->rate_uu, by them and the
// next step's into t->rate_pair, by them and the step h into t->rate_uh, all [nf]. Returns the
// step's share of what h has with itself. No allocation in any of these.
double oc_input_rates_hessian(oc_transcription *t, const double *x, int k, double h, double sigma);
#endif
