// The fuzz program without libFuzzer: every file of the corpus, and so many changes of each.
//
//   replay CHANGES FILE...
#include "tests/fuzz/fuzz.h"

#include "tests/support/files.h"

enum { MOST = 1 << 16 };

// one byte, from those before it
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most) {
  (void)most;
  if (size > 0) bytes[bytes[0] * 257u % size] ^= (uint8_t)(1u << (size & 7));
  return size;
}

int main(int n, char **word) {
  if (n < 3 || LLVMFuzzerInitialize(&n, &word) != 0) return 2;
  static uint8_t bytes[MOST];
  const unsigned changes = (unsigned)atoi(word[1]);
  long tried = 0;

  // a file as it is, then changed from what it is, each by its own seed
  for (int i = 2; i < n; i++) {
    char *text = get_file(word[i]);
    size_t size = text ? strlen(text) : MOST;
    if (size >= MOST) fprintf(stderr, "%s: no file of less than %d bytes\n", word[i], MOST);
    for (unsigned k = 0; size < MOST && k <= changes; k++, tried++) {
      memcpy(bytes, text, size);
      size_t now =
          k ? LLVMFuzzerCustomMutator(bytes, size, MOST, k * 1000003u + (unsigned)i) : size;
      LLVMFuzzerTestOneInput(bytes, now);
    }
    free(text);
  }
  fprintf(stderr, "%ld inputs\n", tried);
  return tried ? 0 : 1;
}
