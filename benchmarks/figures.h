// benchmarks/figures.h: the groups of figures, with one function per source file in benchmarks/.
#ifndef BENCHMARKS_FIGURES_H
#define BENCHMARKS_FIGURES_H
#include "benchmarks/bench.h"

void bench_mechanics(void);
void bench_formula(void);
void bench_marionette(void);
void bench_riccati(void);
void bench_receding(void);
void bench_programs(void);
void bench_descent(void);
void bench_second(void);
void bench_contact(void);
void bench_friction(void);
void bench_linear(void);
void bench_identification(void);
void bench_growth(void);
void bench_whip(void);
void bench_factorizations(void);
#endif
