// problems/readers/format/sha256.h: the digest of FIPS 180-4, to tell whether inputs have changed.
//
// None of the libraries that dmoc is built on (IPOPT, SuiteSparse, OpenBLAS, libxml2,
// libyaml, json-c) has one, nor the C library; a library of cryptography would be one more for a
// page of arithmetic that the standard's test vectors hold.
#ifndef PB_FORMAT_SHA256_H
#define PB_FORMAT_SHA256_H
#include <stddef.h>
#include <stdint.h>

// By what rounds are done: the processor is asked for its own instructions once a digest has become
// long, since under a hypervisor the answer takes as long as some kilobytes in plain C.
typedef enum pb_sha256_way { PB_SHA256_SHORT, PB_SHA256_PLAIN, PB_SHA256_HARDWARE } pb_sha256_way;

typedef struct pb_sha256 {
  uint32_t state[8], k[64]; // running digest, round constants
  uint64_t length;          // bytes so far
  unsigned char block[64];
  pb_sha256_way way; // short: in plain C so far
} pb_sha256;

// Begin a digest.
void pb_sha256_init(pb_sha256 *s);
// From here on go by the processor's instructions, where it has them; a long digest does so itself.
void pb_sha256_hasten(pb_sha256 *s);
// Add n bytes, in pieces of any size.
void pb_sha256_add(pb_sha256 *s, const void *bytes, size_t n);
// The digest of all that was added, in hexadecimal. s is spent.
void pb_sha256_text(pb_sha256 *s, char text[65]);
#endif
