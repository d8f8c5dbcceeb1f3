#include "problems/readers/format/key_row.h"

#include "problems/readers/format/schema.h"

#include <stdio.h>
#include <string.h>

const char *pb_key_row(const char *path, const pb_key *key, char text[PB_ROW_TEXT]) {
  char type[PB_TYPE_TEXT], partly[64] = "";
  const bool each = key->type == PB_EACH_COORD || key->type == PB_EACH_INPUT;
  const char *absent = key->note ? key->note : key->absent ? key->absent : each ? "0" : "–";

  // default inside a mapping, if it differs
  const char *rest = key->rest ? key->rest : "0";
  if (each && !key->note && strcmp(rest, absent) != 0)
    snprintf(partly, sizeof partly, ", in a mapping %s", rest);
  snprintf(text, PB_ROW_TEXT, "| `%s` | %s | %s | %s%s | %s |", path, pb_schema_type(key, type),
           key->unit ? key->unit : "–", absent, partly, key->about ? key->about : "–");
  return text;
}
