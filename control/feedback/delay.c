#include "control/feedback/delay.h"

#include "lib/base/dense.h"

#include <assert.h>
#include <string.h>

void fb_delay_gains(int N, int nx, int nu, const double *A, const double *B, const double *K_end,
                    double *K, double *W) {
  const size_t n = (size_t)nx, m = (size_t)nu;
  assert(A && B && K && W);
  for (size_t k = 0; k < (size_t)N; k++) {
    // v_k = u_d,k+1 - K_k+1 (A_k dx_k + B_k dw_k); K_k+1 is read before it is overwritten
    double *K_k = K + k * m * n, *W_k = W + k * m * m;
    const double *next = k + 1 < (size_t)N ? K_k + m * n : K_end;
    if (next) {
      dm_gemm(nu, nx, nx, 1, next, A + k * n * n, 0, K_k);
      dm_gemm(nu, nu, nx, 1, next, B + k * n * m, 0, W_k);
    } else {
      memset(K_k, 0, m * n * sizeof *K_k);
      memset(W_k, 0, m * m * sizeof *W_k);
    }
  }
}
