// problems/readers/format/xml_tree.h: the elements, text and comments of an XML document, as a tree
// in the arena of a reader. Strings and nodes are freed with the arena; copies share strings.
#ifndef PB_FORMAT_XML_TREE_H
#define PB_FORMAT_XML_TREE_H
#include "problems/readers/format/arena.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum pb_xml_kind {
  PB_XML_DOCUMENT, // the root and the comments beside it
  PB_XML_ELEMENT,
  PB_XML_TEXT,
  PB_XML_COMMENT,
  PB_XML_INSTRUCTION // <?name text?>
} pb_xml_kind;

typedef struct pb_xml_attribute {
  const char *name, *value; // as written, also with a prefix; in UTF-8, entities replaced
  struct pb_xml_attribute *next;
} pb_xml_attribute;

// One document may hold elements of several files.
typedef struct pb_xml_node {
  pb_xml_kind kind;
  const char *name; // of an element or an instruction
  const char *text; // of the others
  pb_xml_attribute *attributes;
  struct pb_xml_node *parent, *children, *last, *prev, *next;
  const char *file;
  int line;         // line on which its start tag ends
  const void *note; // data that a reader attaches to the element; NULL: none
} pb_xml_node;

// A new node without a parent. Returns NULL if out of memory.
pb_xml_node *pb_xml_new(pb_arena *arena, pb_xml_kind kind, const char *name, const char *text);

// Remove a node from its parent, if it has one.
void pb_xml_unlink(pb_xml_node *node);

// Move a node to the end of a parent's children, or before or behind another node.
void pb_xml_append(pb_xml_node *parent, pb_xml_node *node);
void pb_xml_put_before(pb_xml_node *other, pb_xml_node *node);
void pb_xml_put_behind(pb_xml_node *other, pb_xml_node *node);

// A copy of a node with its descendants, without a parent. Returns NULL if out of memory.
pb_xml_node *pb_xml_copy(pb_arena *arena, const pb_xml_node *node);

// The number of elements among the children.
int pb_xml_count(const pb_xml_node *parent);

// The value of an attribute; NULL: the element (or NULL) does not have it.
const char *pb_xml_get(const pb_xml_node *element, const char *name);
bool pb_xml_has(const pb_xml_node *element, const char *name);

// Set an attribute to a copy of a value. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_xml_set(pb_arena *arena, pb_xml_node *element, const char *name, const char *value);

// Remove an attribute, if it exists.
void pb_xml_unset(pb_xml_node *element, const char *name);

// Write a document. Errors are those of the file.
void pb_xml_write(FILE *f, const pb_xml_node *document);
#endif
