// problems/readers/format/xml.h: an XML file through libxml2, and its attributes as text, numbers
// and vectors.
//
// No network, no external entities, no DOCTYPE at all: a robot file has no use for one, and every
// expansion attack begins there.
#ifndef PB_FORMAT_XML_H
#define PB_FORMAT_XML_H
#include "problems/readers/format/reader.h"

#include <libxml/tree.h>
#include <stdbool.h>

typedef struct pb_xml {
  pb_reader *r;
  const char *file;
  xmlDoc *doc; // to be freed by pb_xml_close
} pb_xml;

// Where an element stands, in its node's _private: elements of several files may be in one document.
typedef struct pb_xml_place {
  const char *file;
  int line;         // where its start tag ends
  const void *note; // what a reader keeps of the element; NULL: nothing
} pb_xml_place;

// Parse text [size] of a file. An XML declaration of another version than 1.x, or behind a comment, is
// not read. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_xml_open(pb_xml *x, pb_reader *r, const char *file, const char *text, size_t size);
void pb_xml_close(pb_xml *x);

// The line where an element's start tag ends (0: not known), and its file.
int pb_xml_line(const xmlNode *element);
const char *pb_xml_file(const pb_xml *x, const xmlNode *element);

// The next element of a name (NULL: any) from node on, among siblings; NULL where there is none.
xmlNode *pb_xml_next(xmlNode *node, const char *name);

// The one child of a name, or NULL; a second one is warned about and not read.
dm_status pb_xml_child(const pb_xml *x, const xmlNode *parent, const char *name, xmlNode **child);

// An attribute's text in the arena; *text is NULL where there is none, or no element.
dm_status pb_xml_text(const pb_xml *x, const xmlNode *element, const char *name, const char **text);

// The same, which must be there and not be empty.
dm_status pb_xml_name(const pb_xml *x, const xmlNode *element, const char *name, const char **text);

// An attribute of one finite number, or of three; value keeps what it had where there is none.
// there: out, or NULL.
dm_status pb_xml_number(const pb_xml *x, const xmlNode *element, const char *name, double *value,
                        bool *there);
dm_status pb_xml_vector(const pb_xml *x, const xmlNode *element, const char *name, double value[3]);

// An attribute of at least one finite number and at most so many; *n of them are written, 0 where
// there is none.
dm_status pb_xml_numbers(const pb_xml *x, const xmlNode *element, const char *name, int most,
                         double *value, int *n);

// A word of a list [nwords]: its place there; *word keeps what it had where there is none.
dm_status pb_xml_word(const pb_xml *x, const xmlNode *element, const char *name,
                      const char *const *words, int nwords, int *word);

// <origin xyz rpy> of an element [m, rad]; zeros where there is none.
dm_status pb_xml_origin(const pb_xml *x, const xmlNode *parent, double xyz[3], double rpy[3]);

#define pb_refuse_xml(x, element, ...)                                                             \
  pb_refuse((x)->r, pb_xml_file(x, element), pb_xml_line(element), 0, __VA_ARGS__)
#define pb_warn_xml(x, element, ...)                                                               \
  pb_warn((x)->r, pb_xml_file(x, element), pb_xml_line(element), __VA_ARGS__)
#endif
