// problems/readers/format/yaml.h: read a YAML file with libyaml as a tree of nodes that know their
// line and column.
//
// Supports the part of YAML that a problem file needs: mappings, sequences and scalars. Anchors,
// aliases, tags, several documents in a file, keys that are not scalars, and duplicate keys are
// refused. The tree is built from libyaml's events, because libyaml's own tree (yaml_document_t)
// resolves aliases before they can be refused.
#ifndef PB_FORMAT_YAML_H
#define PB_FORMAT_YAML_H
#include "problems/readers/format/reader.h"

#include <stdbool.h>

typedef enum pb_kind { PB_SCALAR, PB_SEQUENCE, PB_MAPPING } pb_kind;

typedef struct pb_node {
  pb_kind kind;
  int line, column;             // counted from 1
  const char *text;             // of a scalar
  bool quoted;                  // in quotes or in a block
  int n;                        // number of entries of a sequence or mapping
  struct pb_node *first, *next; // first entry; next entry of the parent
  const char *key;              // key of a mapping entry
  int key_line, key_column;
  const char *flag; // the option of the command line that gives it; NULL: the file
} pb_node;

// Read text [size] of r->file into a tree in r->arena. Its root is a mapping.
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY with the message in r->msg.
dm_status pb_yaml_read(const pb_reader *r, const char *text, size_t size, const pb_node **root);

// The value of a key, or NULL; a NULL map has no keys.
const pb_node *pb_node_get(const pb_node *map, const char *key);

// Describe a node for "found ...": "'text'", "a list of 3", "a mapping", "nothing"; returns text.
const char *pb_node_describe(const pb_node *node, char text[64]);

// Refuse a node with "FILE:LINE:COLUMN: ", or "--flag: ", and the sentence.
#define pb_refuse_node(r, node, ...)                                                               \
  pb_refuse(r, (node)->flag ? (node)->flag : (r)->file, (node)->line, (node)->column, __VA_ARGS__)
#define pb_refuse_key(r, node, ...)                                                                \
  pb_refuse(r, (node)->flag ? (node)->flag : (r)->file, (node)->key_line, (node)->key_column,      \
            __VA_ARGS__)
#endif
