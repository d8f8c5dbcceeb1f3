#include "optim/interior/stage_front.h"

// the kernel for the widest registers of this processor
static const oc_front_kernel *find_widest_kernel(void) {
#ifdef DM_X86_LANES
  if (__builtin_cpu_supports("avx512f")) return &oc_front_avx512;
  if (__builtin_cpu_supports("avx2")) return &oc_front_avx2;
#endif
  return &oc_front_plain;
}

void oc_stage_front_clear(const oc_stage_front *w) {
  find_widest_kernel()->clear(w);
}

bool oc_stage_front_repeat(const oc_stage_front *w, const int *last, const unsigned short *meets,
                           oc_front_factor *out) {
  return find_widest_kernel()->repeat(w, last, meets, out);
}

void oc_stage_front_search(const oc_stage_front *w, int room, unsigned short *all,
                           oc_front_factor *out) {
  find_widest_kernel()->search(w, room, all, out);
}

void oc_stage_front_forward(const oc_front_factor *f, int lead, int width, double *w) {
  find_widest_kernel()->forward(f, lead, width, w);
}

void oc_stage_front_backward(const oc_front_factor *f, int lead, int width, double *w,
                             double *sum) {
  find_widest_kernel()->backward(f, lead, width, w, sum);
}
