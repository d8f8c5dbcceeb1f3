// problems/readers/format/sha256.h: the digest of FIPS 180-4, to tell whether inputs have changed.
#ifndef PB_FORMAT_SHA256_H
#define PB_FORMAT_SHA256_H
#include <stddef.h>
#include <stdint.h>

typedef struct pb_sha256 {
  uint32_t state[8], k[64]; // running digest, round constants
  uint64_t length;          // bytes so far
  unsigned char block[64];
} pb_sha256;

void pb_sha256_init(pb_sha256 *s);
void pb_sha256_add(pb_sha256 *s, const void *bytes, size_t n);
// The digest of all that was added, in hexadecimal. s is spent.
void pb_sha256_text(pb_sha256 *s, char text[65]);
#endif
