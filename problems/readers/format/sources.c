#include "problems/readers/format/sources.h"

#include "problems/readers/format/sha256.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

void pb_copy_name(const char *name, char copy[PB_COPY_NAME]) {
  // hidden names and names that lead to another folder are not kept
  bool own = name[0] && name[0] != '.' && strlen(name) <= LONGEST;
  for (const char *at = name; *at; at++) own = own && is_plain(*at);
  if (own) {
    snprintf(copy, PB_COPY_NAME, "%s", name);
    return;
  }

  // a digest to distinguish it, then the end of its name for readability
  char digest[65];
  pb_sha256 sha;
  pb_sha256_init(&sha);
  pb_sha256_add(&sha, name, strlen(name));
  pb_sha256_text(&sha, digest);
  const char *slash = strrchr(name, '/');
  const char *last = slash ? slash + 1 : name;
  size_t length = strlen(last);
  int used = snprintf(copy, PB_COPY_NAME, "%.12s@", digest);
  if (length > LONGEST) last += length - LONGEST;
  snprintf(copy + used, PB_COPY_NAME - (size_t)used, "%s", last);
  for (char *at = copy + used; *at; at++)
    if (!is_plain(*at)) *at = '_';
}
