// control/feedback/dare.h: the steady solution of the Riccati recursion, for a constant stage.
//
//   P = Q + A'PA - A'PB (R + B'PB)^-1 B'PA,    K = (R + B'PB)^-1 B'PA
//
// Structured doubling: with G = B R^-1 B', H = Q, each round doubles the horizon,
//   W = I + GH;   A <- A W^-1 A,   G <- G + A W^-1 G A',   H <- H + A'H W^-1 A,
// and H tends to P quadratically as A tends to 0. Two stages of the recursion give K. If they
// change P because I + GH was ill-conditioned, Newton's method continues from there: P is the
// infinite-horizon cost of K, again by doubling.
//
// Source: docs/theory.md section 20; [chu-2004], [hewer-1971] in docs/sources.md.
#ifndef FB_FEEDBACK_DARE_H
#define FB_FEEDBACK_DARE_H
#include "lib/base/status.h"

DM_BEGIN_C

struct fb_lq;

// Find the stabilizing solution P [nx x nx] and its gain K [nu x nx] for A [nx x nx], B [nx x nu],
// Q [nx x nx] and R [nu x nu] symmetric, R positive definite; all row-major. size [nx], > 0, holds
// the sizes of states (control/feedback/state_size.h), which define small entries independently of
// units; NULL: all are 1. Returns DM_OK; DM_NOT_DEFINITE if R is not; DM_MAX_ITER if no stabilizing
// solution exists: a mode does not decay and no input steers it or no weight sees it
// (fb_dare_stuck); DM_NOT_FINITE for input that is not; DM_NO_MEMORY. P and K are unchanged on all
// but DM_OK. Allocates its own scratch. Cost: about 10 rounds of 10 products and factorizations of
// size nx.
dm_status fb_dare_solve(int nx, int nu, const double *A, const double *B, const double *Q,
                        const double *R, const double *size, double *P, double *K);

// The same for states that a weight sees: those with x'Q x = 0 along their free motion (the
// unobservable subspace of Q^1/2 and A) have no cost and no gain, and need not decay. With V
// [m x nx] an orthonormal basis of the others, P = V'P_m V and K = K_m V solve the equation for
// (VAV', VB, VQV', R).
dm_status fb_dare_solve_seen(int nx, int nu, const double *A, const double *B, const double *Q,
                             const double *R, const double *size, double *P, double *K);

// Find P [nx x nx] at the start of N stages that repeat (without Qf, S and bounds), the limit of the recursion over
// periods from P = 0. The stages are composed to one (A, G, H) for a period, with W = I + GQ_k,
//   H <- H + A'Q_k W^-1 A,   G <- B_k R_k^-1 B_k' + A_k W^-1 G A_k',   A <- A_k W^-1 A,
// and doubled as above. size as above. Returns DM_OK; DM_NOT_DEFINITE if an R is not; DM_MAX_ITER if H does not converge;
// DM_NO_MEMORY; P is unchanged on all but DM_OK. It may lose digits, which periods of the recursion restore. Allocates its
// own scratch. Cost: per stage that of a round.
dm_status fb_dare_period(const struct fb_lq *lq, const double *size, double *P);

// Find the spectral radius of A - BK [nx x nx], K [nu x nx] (NULL: of A); if W [nu x nu] is not
// NULL, for inputs that act a step late (control/feedback/delay.h), that of [A B; -K -W]. Returns
// DM_OK, DM_NO_MEMORY, or DM_STALLED if the eigenvalues were not found.
dm_status fb_dare_radius(int nx, int nu, const double *A, const double *B, const double *K,
                         const double *W, double *largest);

// Look for a mode of A that neither decays nor is steered by B: a left eigenvector w with w'A = z
// w', |z| >= 1, w'B = 0. *state is the first index whose entry is at least a tenth of the largest,
// searched from `first` on and then from 0; -1 if no such mode exists. size as above; inputs may
// have any unit. Q [nx x nx] not NULL: only among the states that this weight sees. Returns DM_OK, DM_NO_MEMORY, or DM_STALLED if the eigenvalues were not found.
dm_status fb_dare_stuck(int nx, int nu, const double *A, const double *B, const double *Q,
                        const double *size, int first, int *state);

DM_END_C
#endif
