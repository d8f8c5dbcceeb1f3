// tests/fuzz/kinds.h: what the bytes of an input are taken for: a row a kind.
//
//   fuzz_readers   one reader alone, on a file that is the bytes
//   fuzz_folders   a whole result folder, which the bytes say how to make
//   fuzz_writers   one writer alone, of a result whose names are the bytes (tests/fuzz/named_result.h); what
//                  it wrote is read by tests/fuzz/grammar.h
//
// Those of the whole program are in tests/fuzz/fuzz_program.c.
#ifndef TESTS_FUZZ_KINDS_H
#define TESTS_FUZZ_KINDS_H
#include "lib/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_kind {
  const char *name;
  void (*begin)(void); // once, in a folder with the result of full.yaml in `result`; or NULL
  void (*run)(const uint8_t *bytes, size_t size);
} fuzz_kind;

extern const fuzz_kind fuzz_readers[], fuzz_folders[],
    fuzz_writers[]; // ended by a row without a name

// Run the program on words apart by blanks, with --json: an exit status of 0 to 2, and one JSON object
// in the file `stdout`.
void fuzz_run(const char *words);

// End the process: why, and what it was about, on stderr.
void fuzz_fail(const char *why, const char *about) __attribute__((noreturn));

// A file in the folder that holds the bytes alone; the same few names again and again.
void fuzz_put(const char *name, const void *bytes, size_t size);

// What a reader returned is told as it should be: a failure in one line.
void fuzz_check_told(dm_status s, const dm_message *msg);
#endif
