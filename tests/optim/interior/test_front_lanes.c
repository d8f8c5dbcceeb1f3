// Each vector width that this processor has gives the same bits as any processor's.
#include "optim/interior/front_pattern.h"
#include "optim/interior/stage_front.h"
#include "tests/support/models.h"

enum {
  MOST = 64,                         // rows of a front, and the distance of two
  ROOM = 2 * MOST + MOST * MOST / 2, // of lists of pivots
};

// a front, what its elimination puts out, and a vector that is solved for
typedef struct front {
  double F[MOST * MOST], D[2 * MOST], L[MOST * MOST], x[MOST], sum[MOST];
  int order[MOST], id[MOST];
  unsigned short some[MOST], all[MOST + 1];
  oc_stage_front w;
  oc_front_factor out;
} front;

// random rows, of which every third is sparse; the diagonal as strong as is said
static void draw(front *f, int begin, int own, int end, double strength, uint64_t *seed) {
  memset(f, 0, sizeof *f);
  for (int i = begin; i < end; i++)
    for (int j = i; j < end; j++) {
      const double x = models_random(seed);
      if (i == j || i % 3 || j % 4 == 0) f->F[i * MOST + j] = i == j ? strength + x : x;
    }
  for (int i = 0; i <= own - begin; i++) f->all[i] = (unsigned short)(i - (i > 0));
  for (int i = begin; i < end; i++) f->x[i] = models_random(seed);
  f->w = (oc_stage_front){f->F, MOST, begin, own, end, f->id, f->some};
  f->out = (oc_front_factor){f->order, f->D, f->L, 0, 0};
}

static void solve(const oc_front_kernel *k, front *f) {
  const int lead = oc_front_lead(&f->w), width = oc_front_width(&f->w);
  k->forward(&f->out, f->w.begin - lead, width, f->x + lead);
  k->backward(&f->out, f->w.begin - lead, width, f->x + lead, f->sum);
}

static void compare(const front *a, const front *b) {
  assert_int_equal(a->out.pivots, b->out.pivots);
  assert_int_equal(a->out.negative, b->out.negative);
  assert_memory_equal(a->order, b->order, sizeof a->order);
  assert_memory_equal(a->id, b->id, sizeof a->id);
  assert_memory_equal(a->D, b->D, sizeof a->D);
  assert_memory_equal(a->L, b->L, sizeof a->L);
  assert_memory_equal(a->x, b->x, sizeof a->x);
  // rows that are left, from the diagonal on
  for (int i = a->w.begin + a->out.pivots; i < a->w.end; i++)
    assert_memory_equal(a->F + i * MOST + i, b->F + i * MOST + i,
                        (size_t)(a->w.end - i) * sizeof(double));
}

static void check_kernel(const oc_front_kernel *k) {
  static front plain, other;
  static uint64_t bits[MOST];
  static unsigned short meets[ROOM];
  uint64_t seed = 7;
  for (int draws = 0; draws < 60; draws++) {
    const int begin = draws % 9, own = begin + 1 + draws % 23, end = own + draws % 17;

    // pivots that are searched for
    uint64_t same = seed;
    draw(&plain, begin, own, end, draws % 2, &seed);
    draw(&other, begin, own, end, draws % 2, &same);
    oc_front_plain.search(&plain.w, 0, plain.all, &plain.out);
    k->search(&other.w, 0, other.all, &other.out);
    solve(&oc_front_plain, &plain);
    solve(k, &other);
    compare(&plain, &other);

    // and repeated, strong ones and some that are not
    int last[MOST];
    memcpy(last, plain.order, sizeof last);
    oc_front_pattern p = {own - begin, end - begin, oc_front_pattern_words(end - begin), bits};
    oc_front_pattern_clear(&p);
    for (int i = 0; i < own - begin; i++)
      for (int j = i; j < end - begin; j++) oc_front_pattern_put(&p, i, j);
    oc_front_pattern_fill(&p, last);
    oc_front_pattern_list(&p, last, meets);
    same = seed;
    draw(&plain, begin, own, end, draws % 5 ? 30 : 1e-9, &seed);
    draw(&other, begin, own, end, draws % 5 ? 30 : 1e-9, &same);
    const bool taken = oc_front_plain.repeat(&plain.w, last, meets, &plain.out);
    assert_int_equal(k->repeat(&other.w, last, meets, &other.out), taken);
    if (!taken) continue;
    solve(&oc_front_plain, &plain);
    solve(k, &other);
    compare(&plain, &other);
  }
}

static void each_width_gives_the_same_bits(void **state) {
  (void)state;
  check_kernel(&oc_front_plain);
#ifdef DM_X86_LANES
  if (__builtin_cpu_supports("avx2")) check_kernel(&oc_front_avx2);
  if (__builtin_cpu_supports("avx512f")) check_kernel(&oc_front_avx512);
#endif
}

// rows are zero from the diagonal on, and nothing beside them is touched
static void a_front_is_cleared(void **state) {
  (void)state;
  static front f;
  uint64_t seed = 1;
  draw(&f, 5, 20, 37, 1, &seed);
  for (int i = 0; i < MOST * MOST; i++) f.F[i] = 1;
  oc_stage_front_clear(&f.w);
  for (int i = 0; i < MOST; i++)
    for (int j = 0; j < MOST; j++) {
      const bool inside = i >= 5 && i < 37 && j >= i && j < 37;
      const bool outside = i < 5 || i >= 37 || j >= 40 || j < i - 7;
      if (inside) assert_true(f.F[i * MOST + j] == 0);
      if (outside) assert_true(f.F[i * MOST + j] == 1);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_width_gives_the_same_bits),
      cmocka_unit_test(a_front_is_cleared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
