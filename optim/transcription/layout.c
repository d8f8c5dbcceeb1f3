#include "optim/transcription/layout.h"

int oc_transcription_q(const oc_transcription *t, int k) {
  return k * (t->n + t->nu + t->nc);
}

int oc_transcription_u(const oc_transcription *t, int k) {
  return oc_transcription_q(t, k) + t->n;
}

int oc_transcription_lambda(const oc_transcription *t, int k) {
  return oc_transcription_q(t, k) + t->n + (k < t->N ? t->nu : 0);
}

int oc_transcription_constraint(const oc_transcription *t, int k) {
  return (t->N + 1) * t->n + k * t->nc;
}

int oc_transcription_constraint_rate(const oc_transcription *t, int end) {
  return oc_transcription_constraint(t, t->N + 1) + end * t->nc;
}

int oc_transcription_limits(const oc_transcription *t) {
  return oc_transcription_constraint_rate(t, 2);
}

int oc_transcription_rates(const oc_transcription *t) {
  return oc_transcription_limits(t) + t->N * t->nlim * (t->h < 0 ? 1 : 2);
}

int oc_transcription_velocity_row(const oc_transcription *t, int k) {
  int rates = (t->N - 1) * t->nrate * (t->h < 0 ? 1 : 2);
  return oc_transcription_rates(t) + rates + (k - 1) * (t->n + t->nc);
}

int oc_transcription_path_row(const oc_transcription *t, int k) {
  return oc_transcription_velocity_row(t, t->moving + 1) + k * t->task.npaths;
}

int oc_transcription_velocity(const oc_transcription *t, int k) {
  return t->v[1] + t->n + (k - 1) * (t->n + t->nc);
}

bool oc_transcription_has_speeds(const oc_transcription *t) {
  return t->moving > 0;
}

int oc_transcription_v(const oc_transcription *t, int end) {
  return t->v[end];
}

int oc_transcription_h(const oc_transcription *t) {
  return t->h;
}
