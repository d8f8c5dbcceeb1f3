#include "lib/base/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 }; // compared letters of a name

int dm_names_find(const char *const *list, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (!strcmp(list[i], name)) return i;
  return -1;
}

static int smaller_of(int a, int b) {
  return a < b ? a : b;
}

static int letters_agree(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// optimal string alignment, row by row: d[i][j] is the distance of the first i letters of a and the
// first j of b
static int edit_distance(const char *a, int na, const char *b, int nb) {
  int d[3][LONGEST + 1];
  int *before = d[0], *above = d[1], *row = d[2];

  // empty prefix of a: insert every letter of b
  for (int j = 0; j <= nb; j++) above[j] = j;

  for (int i = 1; i <= na; i++) {
    // empty prefix of b: delete every letter of a
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int change = above[j - 1] + !letters_agree(a[i - 1], b[j - 1]);
      row[j] = smaller_of(change, 1 + smaller_of(above[j], row[j - 1]));
      if (i > 1 && j > 1 && letters_agree(a[i - 1], b[j - 2]) && letters_agree(a[i - 2], b[j - 1]))
        row[j] = smaller_of(row[j], before[j - 2] + 1);
    }

    // rotate three rows: an exchange of adjacent letters needs the row before the previous one
    int *spare = before;
    before = above;
    above = row;
    row = spare;
  }
  return above[nb];
}

const char *dm_names_nearest(const char *const *list, int n, const char *name) {
  const char *nearest = NULL;
  int best = LONGEST;
  int length = smaller_of((int)strnlen(name, LONGEST), LONGEST);
  for (int i = 0; i < n; i++) {
    int other = smaller_of((int)strnlen(list[i], LONGEST), LONGEST);
    int longer = length > other ? length : other;
    int d = edit_distance(name, length, list[i], other);
    bool begun = !strncmp(name, list[i], (size_t)smaller_of(length, other));

    // one letter or a third of them may differ, and one more if one word is a prefix of the other
    if (d < best && (d == 1 || 3 * d <= longer + 2 * begun) && d < longer) {
      best = d;
      nearest = list[i];
    }
  }
  return nearest;
}

const char *dm_names_join(const char *const *list, int n, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < n; i++) {
    // leave room for the dots
    bool last = i + 1 == n;
    size_t room = size - used;
    size_t need = strlen(list[i]) + (last ? 1 : sizeof ", ...");
    if (need > room) {
      snprintf(text + used, room, "...");
      break;
    }
    used += (size_t)snprintf(text + used, room, last ? "%s" : "%s, ", list[i]);
  }
  return text;
}

const char *dm_names_list(const char *const *list, int n, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, n == 1 ? "" : "one of ");
  dm_names_join(list, n, text + used, size - used);
  return text;
}
