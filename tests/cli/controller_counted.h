// A number that counts what is done with it, in the place of controller_real, and how calls are made
// that take as much as may be: for the program that controller.py writes, in C++.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PRODUCTS, SUMS, COMPARISONS, DIVISIONS, KINDS };
static long done[KINDS];

struct counted {
  double x;
  counted() = default;
  counted(double a) : x(a) {}
  explicit operator int() const { return (int)x; }
};

#define OPERATION(op, kind, type)                                                                  \
  static inline type operator op(counted a, counted b) {                                           \
    done[kind]++;                                                                                  \
    return a.x op b.x;                                                                             \
  }
OPERATION(*, PRODUCTS, counted)
OPERATION(+, SUMS, counted)
OPERATION(-, SUMS, counted)
OPERATION(/, DIVISIONS, counted)
OPERATION(<, COMPARISONS, bool)
OPERATION(>, COMPARISONS, bool)
OPERATION(<=, COMPARISONS, bool)
OPERATION(>=, COMPARISONS, bool)

static inline counted operator-(counted a) {
  done[SUMS]++;
  return -a.x;
}

// the same numbers for every law, in [-1,1]
static double draw() {
  static uint64_t at = 1;
  uint64_t z = (at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 2 * ((double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0) - 1;
}

// the most that a call has taken, of runs whose calls come on time, or stay away for very long
template <class Begin, class Call>
static void measure_most(const char *name, Begin begin, Call call, counted *y, int count, int &k,
                         counted &t, counted &age, counted &hold, double step) {
  long most[KINDS] = {0};
  for (int run = 0; run < 60; run++) {
    const double scale = run % 3 == 0 ? 0.01 : run % 3 == 1 ? 4 : 1e4;
    begin();
    for (k = 0; k < 60; k++) {
      t = k * step * (run % 2 ? 1 : 200.3);
      hold = run % 5 == 0 ? step : run % 5 == 1 ? step / 3 : 90.7 * step;
      age = run % 4 < 2 ? step / 3 : 90.7 * step;
      for (int i = 0; i < count; i++) y[i] = scale * draw();
      memset(done, 0, sizeof done);
      call();
      for (int i = 0; i < KINDS; i++) most[i] = done[i] > most[i] ? done[i] : most[i];
    }
  }
  printf("%s %ld %ld %ld %ld\n", name, most[0], most[1], most[2], most[3]);
}
