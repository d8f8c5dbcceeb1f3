// Each vector width that this processor has gives the same bits as any processor's.
#include "optim/interior/front_pattern.h"
#include "optim/interior/stage_front.h"
#include "tests/support/models.h"

enum {
  MOST = 136,               // rows of a front, and the distance of two: whole groups
  ROOM = MOST * (2 + MOST), // of lists of pivots
  WORDS = (MOST + 63) / 64, // of a row of a pattern
  DRAWS = 300,
};

// a front, what its elimination puts out, and a vector that is solved for
typedef struct front {
  double F[MOST * MOST], D[2 * MOST], L[MOST * MOST], x[MOST], sum[MOST];
  int order[MOST], id[MOST];
  unsigned short some[MOST], all[MOST + 1];
  oc_stage_front w;
  oc_front_factor out;
} front;

// what a front is like
typedef struct likeness {
  int begin, own, end;
  bool blocks;     // with blocks of zeros, a panel wide
  double first;    // the first pivot over what it would be; 0: none among its own rows
  double strength; // of the diagonal
} likeness;

static void draw(const oc_front_kernel *k, front *f, likeness a, uint64_t *seed) {
  // where nothing is written there is no number
  memset(f, 0, sizeof *f);
  for (int i = 0; i < MOST * MOST; i++) f->F[i] = f->L[i] = NAN;
  f->w = (oc_stage_front){f->F, MOST, a.begin, a.own, a.end, f->id, f->some};
  f->out = (oc_front_factor){f->order, f->D, f->L, 0, 0};
  k->clear(&f->w);

  // some rows are sparse
  for (int i = a.begin; i < a.end; i++)
    for (int j = i; j < a.end; j++) {
      const double x = models_random(seed);
      const bool alone = a.first == 0 && i == a.begin && j < a.own;
      const bool there = !alone && (a.blocks ? (i / 4 + j / 4) % 3 != 1 : i % 3 || j % 4 == 0);
      if (i == j) f->F[i * MOST + j] = (i == a.begin ? a.first : 1) * (a.strength + x);
      if (i != j && there) f->F[i * MOST + j] = x;
    }
  for (int i = 0; i < a.end - a.begin; i++) f->id[i] = i;
  for (int i = 1; i <= a.own - a.begin; i++) f->all[i] = (unsigned short)(i - 1);
  for (int i = a.begin; i < a.end; i++) f->x[i] = models_random(seed);
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

  // rows that are left, from the diagonal on; all that is solved for is a number
  for (int i = a->w.begin + a->out.pivots; i < a->w.end; i++)
    assert_memory_equal(a->F + i * MOST + i, b->F + i * MOST + i,
                        (size_t)(a->w.end - i) * sizeof(double));
  for (int i = 0; i < MOST; i++) assert_true(isfinite(a->x[i]));
}

// pivots that are searched for, some of which may wait; their order in last
static int search_both(const oc_front_kernel *k, likeness a, int room, int *last, uint64_t *seed) {
  static front plain, other;
  uint64_t same = *seed;
  draw(&oc_front_plain, &plain, a, seed);
  draw(k, &other, a, &same);
  oc_front_plain.search(&plain.w, room, plain.all, &plain.out);
  k->search(&other.w, room, other.all, &other.out);
  solve(&oc_front_plain, &plain);
  solve(k, &other);
  compare(&plain, &other);
  memcpy(last, plain.order, sizeof plain.order);
  return plain.out.pivots;
}

// the same ones in other numbers; were they taken?
static bool repeat_both(const oc_front_kernel *k, likeness a, const int *last, uint64_t *seed) {
  static front plain, other;
  static uint64_t bits[MOST * WORDS];
  static unsigned short meets[ROOM];
  const int own = a.own - a.begin, all = a.end - a.begin;
  oc_front_pattern p = {own, all, oc_front_pattern_words(all), bits};
  oc_front_pattern_clear(&p);
  for (int i = 0; i < own; i++)
    for (int j = i; j < all; j++) oc_front_pattern_put(&p, i, j);
  oc_front_pattern_fill(&p, last);
  oc_front_pattern_list(&p, last, meets);

  uint64_t same = *seed;
  draw(&oc_front_plain, &plain, a, seed);
  draw(k, &other, a, &same);
  const bool taken = oc_front_plain.repeat(&plain.w, last, meets, &plain.out);
  assert_int_equal(k->repeat(&other.w, last, meets, &other.out), taken);
  if (!taken) return false;
  solve(&oc_front_plain, &plain);
  solve(k, &other);
  compare(&plain, &other);
  return true;
}

static void check_kernel(const oc_front_kernel *k) {
  uint64_t seed = 7;
  int taken = 0, refused = 0, waiting = 0, last[MOST];
  for (int i = 0; i < DRAWS; i++) {
    likeness a = {.begin = i % 19, .blocks = i % 2, .first = 1, .strength = i % 3 ? 0 : 3};
    a.own = a.begin + 1 + i % 37;
    a.end = a.own + i % 5 * (i % 17);

    // where none may wait all are pivots, and can be repeated
    a.first = i % 4 ? 1 : 0;
    waiting += search_both(k, a, 3, last, &seed) < a.own - a.begin;
    a.first = 1;
    assert_int_equal(search_both(k, a, 0, last, &seed), a.own - a.begin);

    // strong ones, and a first one that is not
    a.strength = 30;
    a.first = i % 3 ? 1 : 1e-9;
    if (repeat_both(k, a, last, &seed))
      taken++;
    else
      refused++;
  }
  assert_true(taken > DRAWS / 2 && refused > DRAWS / 20 && waiting > DRAWS / 20);
}

static void each_width_gives_the_same_bits(void **state) {
  (void)state;
  check_kernel(&oc_front_plain);
#ifdef DM_X86_LANES
  if (__builtin_cpu_supports("avx2")) check_kernel(&oc_front_avx2);
  if (__builtin_cpu_supports("avx512f")) check_kernel(&oc_front_avx512);
#endif
}

// rows are zero from the diagonal on, to the end of its group, and nothing beside them is touched
static void a_front_is_cleared(void **state) {
  (void)state;
  static front f;
  for (int i = 0; i < MOST * MOST; i++) f.F[i] = 1;
  f.w = (oc_stage_front){f.F, MOST, 5, 20, 37, f.id, f.some};
  oc_stage_front_clear(&f.w);
  for (int i = 0; i < MOST; i++)
    for (int j = 0; j < MOST; j++) {
      const bool inside = i >= 5 && i < 37 && j >= i && j < 40;
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
