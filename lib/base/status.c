#include "lib/base/status.h"

#include "lib/base/text.h"

#include <stdarg.h>
#include <stdio.h>

const char *dm_status_text(dm_status s) {
  switch (s) {
#define X(name, value, text)                                                                       \
  case name:                                                                                       \
    return text;
    DM_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

dm_status dm_fail(dm_message *msg, dm_status s, const char *format, ...) {
  if (msg) {
    va_list args;
    va_start(args, format);
    vsnprintf(msg->text, sizeof msg->text, format, args);
    va_end(args);
    dm_text_make_plain(msg->text, NULL, '?');
  }
  return s;
}
