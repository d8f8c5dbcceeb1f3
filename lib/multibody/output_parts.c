#include "lib/multibody/output_parts.h"

#include "lib/multibody/signal.h"

// a direction of the world
static bool is_fixed(const dm_body_vector *A) {
  return A->joint[0] < 0 && A->joint[1] < 0 && !A->point;
}

static void write_vector(double weight, dm_vec x, double out[3]) {
  out[0] = weight * x.x;
  out[1] = weight * x.y;
  out[2] = weight * x.z;
}

// the parts of weight A.B; -1: both move
static int list_product(const dm_vector_product *p, double weight, dm_output_part *part,
                        double *shift) {
  const bool swapped = !is_fixed(&p->A);
  const dm_body_vector *A = swapped ? &p->B : &p->A, *B = swapped ? &p->A : &p->B;
  int count = 0;
  if (p->square || !is_fixed(A)) return -1;
  for (int t = 0; t < 2; t++) {
    if (B->joint[t] < 0) continue;
    if (part) {
      dm_output_part *to = &part[count];
      to->joint = B->joint[t];
      to->point = B->point;
      write_vector(1, B->local[t], to->local);
      write_vector(weight * B->sign[t], A->fixed, to->along);
    }
    count++;
  }
  *shift += weight * dm_dot(A->fixed, B->fixed);
  return count;
}

// the parts of weight s
static int list_signal(const dm_signals *s, int i, double weight, dm_output_part *part,
                       double *of_q, double *shift) {
  const dm_signal *r = &s->signal[i];
  int count = 0;
  if (r->phi) return -1;
  for (int k = r->first; k < r->first + r->count; k++) {
    const int more =
        list_product(&s->p[k], weight * s->weight[k], part ? part + count : NULL, shift);
    if (more < 0) return -1;
    count += more;
  }
  for (int j = 0; of_q && r->of_q >= 0 && j < s->m->nq; j++)
    of_q[j] += weight * s->of_q[r->of_q * s->m->nq + j];
  *shift += weight * r->shift;
  return count;
}

int dm_output_parts(const dm_outputs *w, const dm_model *m, int i, dm_output_part *part,
                    double *of_q, double *shift) {
  const dm_holonomic signals = dm_outputs_signals(w);
  const dm_output_map y = dm_outputs_map(w, &signals, m->nq);
  const dm_signals *s = signals.self;
  int count = 0;
  if (!y.first) return list_signal(s, i, 1, part, of_q, shift);
  for (int t = y.first[i]; t < y.first[i + 1]; t++) {
    const dm_output_term *term = &y.term[t];
    const int more =
        term->kind == DM_TERM_VALUE
            ? list_signal(s, term->signal[0], term->weight, part ? part + count : NULL, of_q, shift)
            : -1;
    if (more < 0) return -1;
    count += more;
  }
  return count;
}
