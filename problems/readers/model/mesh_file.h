// problems/readers/model/mesh_file.h: find and read the mesh files named by a robot's URDF.
#ifndef PB_MODEL_MESH_FILE_H
#define PB_MODEL_MESH_FILE_H
#include "problems/readers/format/mesh.h"
#include "problems/readers/format/xml.h"

// Find and read a mesh file, once for all links: a path from the URDF's folder, or
// package://NAME/REST as NAME/REST in that folder or one above it.
//   urdf  the URDF's name in the problem
//   name  the mesh's name in the URDF
// Returns DM_OK, DM_NO_MEMORY, or DM_IO with the reason in why.
dm_status pb_mesh_find(pb_reader *r, const char *urdf, const char *name, const pb_source **out,
                       dm_message *why);

// The mesh of an element <mesh filename scale> in the URDF of this name, with scaled vertices;
// *name: the filename. Returns DM_OK, DM_IO with the reason in why if the file cannot be read, or
// the errors of xml.h and mesh.h with their messages.
dm_status pb_mesh_element(pb_xml *x, const pb_xml_node *e, const char *urdf, const char **name,
                          pb_mesh *out, dm_message *why);
#endif
