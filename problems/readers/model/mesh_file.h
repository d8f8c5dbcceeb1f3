// problems/readers/model/mesh_file.h: the file of a mesh that a robot's URDF names.
#ifndef PB_MODEL_MESH_FILE_H
#define PB_MODEL_MESH_FILE_H
#include "problems/readers/format/mesh.h"
#include "problems/readers/format/xml.h"

// Find and read it, once for all links: a path from the URDF's folder, or package://NAME/REST as
// NAME/REST in that folder or one above it.
//   urdf  the URDF's name as the problem has it
//   name  of the mesh, as the URDF has it
// Returns DM_OK, DM_NO_MEMORY, or DM_IO with why.
dm_status pb_mesh_find(pb_reader *r, const char *urdf, const char *name, const pb_source **out,
                       dm_message *why);

// The mesh of a <mesh filename scale>, its corners scaled, of the URDF of that name; *name: the
// filename. Returns DM_OK; DM_IO with why where the file is not to be had; what xml.h and mesh.h
// return, with their message.
dm_status pb_mesh_element(pb_xml *x, const xmlNode *e, const char *urdf, const char **name,
                          pb_mesh *out, dm_message *why);
#endif
