#include "problems/readers/model/mesh_file.h"

#include <stdio.h>
#include <string.h>

// read NAME relative to the first `folder` letters of the URDF's name, once
static dm_status read_beside(pb_reader *r, const char *urdf, size_t folder, const char *name,
                             const pb_source **out, dm_message *why) {
  char *full;
  PB_NEW(r->arena, full, folder + strlen(name) + 1);
  memcpy(full, urdf, folder);
  memcpy(full + folder, name, strlen(name) + 1);
  return pb_file_once(r, full, out, why);
}

dm_status pb_mesh_find(pb_reader *r, const char *urdf, const char *name, const pb_source **out,
                       dm_message *why) {
  static const char package[] = "package://", file[] = "file://";
  const char *slash = strrchr(urdf, '/');
  size_t folder = slash ? (size_t)(slash - urdf) + 1 : 0;
  if (!strncmp(name, file, strlen(file))) name += strlen(file);
  if (name[0] == '/') folder = 0;
  if (strncmp(name, package, strlen(package)) != 0)
    return read_beside(r, urdf, folder, name, out, why);

  // search from the URDF's folder upward, beyond the problem's folder by ../
  char up[512] = "";
  name += strlen(package);
  for (int i = 0; i < 8; i++) {
    char at[512];
    if (snprintf(at, sizeof at, "%s%s", up, name) >= (int)sizeof at) break;
    const dm_status s = read_beside(r, urdf, folder, at, out, why);
    if (s != DM_IO) return s;
    memmove(up + 3, up, strlen(up) + 1);
    memcpy(up, "../", 3);
  }
  return DM_IO;
}

dm_status pb_mesh_element(pb_xml *x, const pb_xml_node *e, const char *urdf, const char **name,
                          pb_mesh *out, dm_message *why) {
  const pb_source *file;
  double scale[3] = {1, 1, 1};
  DM_TRY(pb_xml_name(x, e, "filename", name));
  DM_TRY(pb_xml_vector(x, e, "scale", scale));
  DM_TRY(pb_mesh_find(x->r, urdf, *name, &file, why));
  DM_TRY(pb_mesh_read(x->r, file->path, file->bytes, file->size, out));
  for (size_t i = 0; i < 3 * (size_t)out->n; i++) out->x[i] *= scale[i % 3];
  return DM_OK;
}
