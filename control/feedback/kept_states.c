#include "control/feedback/kept_states.h"

#include "control/feedback/dare.h"
#include "control/feedback/delay.h"
#include "control/feedback/motor.h"
#include "lib/base/block.h"

#include <math.h>
#include <string.h>

void fb_kept_states_count(fb_kept_states *w, const double *integral, const double *lag) {
  w->ni = w->nl = 0;
  w->lag = lag;
  for (int i = 0; integral && i < w->nx / 2; i++) w->ni += integral[i] > 0;
  for (int j = 0; lag && j < w->nu; j++) w->nl += lag[j] > 0;
}

void fb_kept_states_fill(const fb_kept_states *w, const double *integral) {
  for (int i = 0, z = 0; z < w->ni; i++)
    if (integral[i] > 0) w->integral[z++] = i;
  for (int j = 0, m = 0; m < w->nl; j++) {
    if (!(w->lag[j] > 0)) continue;
    w->lagging[m] = j;
    w->share[m++] = fb_motor_share(w->lag[j], w->h);
  }
}

void fb_kept_states_extend(const fb_kept_states *w, const double *A_x, const double *B_x, double *A,
                           double *B) {
  const size_t nx = (size_t)w->nx, nu = (size_t)w->nu, ni = (size_t)w->ni;
  const size_t na = nx + ni + (size_t)w->nl;
  if (A == A_x) return; // without kept states it is the schedule's own
  memset(A, 0, na * na * sizeof *A);
  memset(B, 0, na * nu * sizeof *B);
  for (size_t i = 0; i < nx; i++) memcpy(A + i * na, A_x + i * nx, nx * sizeof *A);
  memcpy(B, B_x, nx * nu * sizeof *B);

  // integrals
  for (size_t i = 0; i < ni; i++) {
    A[(nx + i) * na + (size_t)w->integral[i]] = w->h;
    A[(nx + i) * na + nx + i] = 1;
  }

  // motors: column j of B_x is that of their mean torque
  for (size_t l = 0; l < (size_t)w->nl; l++) {
    const size_t j = (size_t)w->lagging[l], at = nx + ni + l;
    const double held = fb_motor_mean(1, 0, w->lag[j], w->h);
    for (size_t i = 0; i < nx; i++) {
      A[i * na + at] = held * B_x[i * nu + j];
      B[i * nu + j] *= 1 - held;
    }
    A[at * na + at] = 1 - w->share[l];
    B[at * nu + j] = w->share[l];
  }
}

void fb_kept_states_split(const fb_kept_states *w, size_t rows, const double *all, double *x,
                          double *kept) {
  const size_t nx = (size_t)w->nx, more = (size_t)(w->ni + w->nl);
  for (size_t i = 0; all != x && i < rows; i++) {
    memcpy(x + i * nx, all + i * (nx + more), nx * sizeof *x);
    if (kept) memcpy(kept + i * more, all + i * (nx + more) + nx, more * sizeof *kept);
  }
}

void fb_kept_states_delay(const fb_kept_states *w, int N, const double *A, const double *B,
                          const double *K_end, const double *Ki_end, double *K, double *Ki,
                          double *W) {
  fb_delay_gains(N, w->nx, w->nu, A, B, K_end, K, W);
  const size_t nu = (size_t)w->nu, nl = (size_t)w->nl, len = nu * nl;
  for (size_t k = 0; k < (size_t)N; k++) {
    // dx_k+1 has B (held m + (1 - held) dw), and m_k+1 = (1 - share) m + share dw
    const double *next = k + 1 < (size_t)N ? Ki + (k + 1) * len : Ki_end;
    for (size_t il = 0; il < len; il++) {
      const size_t l = il % nl, j = (size_t)w->lagging[l];
      double *on_input = W + (k * nu + il / nl) * nu + j;
      const double held = fb_motor_mean(1, 0, w->lag[j], w->h), of_torque = next ? next[il] : 0;
      Ki[k * len + il] = held * *on_input + (1 - w->share[l]) * of_torque;
      *on_input = (1 - held) * *on_input + w->share[l] * of_torque;
    }
  }
}

void fb_kept_states_size(const fb_kept_states *w, const double *B_x, double time, const double *x,
                         double *size) {
  for (int i = 0; i < w->ni; i++) size[i] = x[w->integral[i]] * time;
  for (int l = 0; l < w->nl; l++) {
    double sum = 0;
    for (int i = 0; i < w->nx; i++)
      sum = hypot(sum, B_x[i * w->nu + w->lagging[l]] / x[i] * time / w->h);
    size[w->ni + l] = sum > 0 ? 1 / sum : 1;
  }
}

// -- the loop

typedef struct loop {
  int na, nu;
  double *A, *B, *K; // [na x na], [na x nu], [nu x na]
} loop;

static void lay_out_loop(void *self, dm_block *b) {
  loop *w = self;
  const size_t na = (size_t)w->na, nu = (size_t)w->nu;
  w->A = dm_block_alloc(b, na * na, sizeof *w->A);
  w->B = dm_block_alloc(b, na * nu, sizeof *w->B);
  w->K = dm_block_alloc(b, na * nu, sizeof *w->K);
}

dm_status fb_kept_states_radius(const fb_kept_states *w, const double *A_x, const double *B_x,
                                const double *K, const double *Ki, const double *W,
                                double *radius) {
  const size_t nx = (size_t)w->nx, kept = (size_t)(w->ni + w->nl), na = nx + kept;
  loop sizes = {.na = (int)na, .nu = w->nu};
  loop *all = dm_block_make(&sizes, sizeof sizes, lay_out_loop);
  if (!all) return DM_NO_MEMORY;
  fb_kept_states_extend(w, A_x, B_x, all->A, all->B);
  for (size_t i = 0; i < (size_t)w->nu; i++) {
    memcpy(all->K + i * na, K + i * nx, nx * sizeof *K);
    if (kept) memcpy(all->K + i * na + nx, Ki + i * kept, kept * sizeof *K);
  }
  const dm_status s = fb_dare_radius(all->na, w->nu, all->A, all->B, all->K, W, radius);
  dm_block_free(all);
  return s;
}
