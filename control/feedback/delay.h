// control/feedback/delay.h: gains for inputs that act one step late.
//
// The input decided at knot k acts in the following step; meanwhile the previous decision w acts.
// Its effect is predictable, and the law of the next knot is applied to the prediction:
//
//   dx_k+1 = A_k dx_k + B_k dw_k,    v_k = u_d,k+1 - K_k+1 dx_k+1
//
// This is the regulator of the state (x,w), with R on v and no weight on w.
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_DELAY_H
#define FB_FEEDBACK_DELAY_H

// Convert gains for undelayed inputs to gains on dx and dw, v = u_d - K dx - W dw.
//   A, B   of each step [N x nx x nx], [N x nx x nu]
//   K_end  the gain at the last knot [nu x nx]; NULL: 0, a decision there has no effect
//   K      in: at the knots [N x nu x nx]; out: K_k+1 A_k, the gains on dx
//   W      out: K_k+1 B_k [N x nu x nu], the gains on dw
// Does not allocate. Cost per knot: two products of a gain with A and with B.
void fb_delay_gains(int N, int nx, int nu, const double *A, const double *B, const double *K_end,
                    double *K, double *W);
#endif
