// problems/readers/format/words.h: the elements and attributes of a kind of robot file, and what becomes
// of each. One table checks files and makes the tables of docs/robot-files.md.
//
//   a row         an element, "parent/element" where the parent tells two kinds apart
//   its words     attributes that share a fate; NULL: the element itself, with all that is in it
//
// An attribute that no row has is a slip: a warning names the nearest known one.
#ifndef PB_FORMAT_WORDS_H
#define PB_FORMAT_WORDS_H
#include "problems/readers/format/xml.h"

typedef enum pb_fate {
  PB_TAKEN,   // read
  PB_SILENT,  // not read, and says nothing about the motion
  PB_DROPPED, // not read, with a warning
  PB_REFUSED
} pb_fate;

typedef struct pb_word {
  const char *element;
  const char *words; // attributes, by blanks; NULL: the element
  pb_fate fate;
  const char *harmless; // values that are like none: words by '|', "0" for any zeros; NULL: none
  const char *note;     // PB_TAKEN, PB_SILENT: for the document, or NULL; PB_DROPPED: the warning
                        // goes on with it; PB_REFUSED: what is expected
} pb_word;

// A kind of robot file.
typedef struct pb_words {
  const char *format;  // "MJCF"
  const pb_word *row;  // ended by one without an element
  bool tells_elements; // warn of an element that no row has
} pb_words;

// Check an element (of which row says what it is, as its own name) and all within it, in the order of
// the document. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for what is refused.
dm_status pb_words_check(const pb_words *w, const pb_xml *x, const xmlNode *top);
#endif
