// The fuzz program without libFuzzer: every file of the corpus, and so many changes of each.
//
//   replay CHANGES FILE...
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 };

// one byte, from those before it
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most) {
  (void)most;
  if (size > 0) bytes[bytes[0] * 257u % size] ^= (uint8_t)(1u << (size & 7));
  return size;
}

// the bytes of a file, at most so many; more of them: it is too large
static size_t read_input(const char *path, uint8_t bytes[MOST]) {
  FILE *f = fopen(path, "rb");
  if (!f) return 0;
  const size_t size = fread(bytes, 1, MOST, f);
  fclose(f);
  return size;
}

int main(int n, char **word) {
  if (n < 3 || LLVMFuzzerInitialize(&n, &word) != 0) return 2;
  static uint8_t bytes[MOST], changed[MOST];
  const unsigned changes = (unsigned)atoi(word[1]);
  long tried = 0;

  // a file as it is, then changed from what it is, each by its own seed
  for (int i = 2; i < n; i++) {
    const size_t size = read_input(word[i], bytes);
    if (size >= MOST) fprintf(stderr, "%s: no file of less than %d bytes\n", word[i], MOST);
    for (unsigned k = 0; size < MOST && k <= changes; k++, tried++) {
      memcpy(changed, bytes, size);
      const size_t now =
          k ? LLVMFuzzerCustomMutator(changed, size, MOST, k * 1000003u + (unsigned)i) : size;
      LLVMFuzzerTestOneInput(changed, now);
    }
  }
  fprintf(stderr, "%ld inputs\n", tried);
  return tried ? 0 : 1;
}
