// tests/fuzz/fuzz.h: the calls of libFuzzer, which tests/fuzz/replay.c makes where it is not there.
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H
#include <stddef.h>
#include <stdint.h>

// Ours: once; on each input; and a change of an input [size] in place, which may grow to most.
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

// Its own: a change of bytes without sense of what they are.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
#endif
