// lib/base/linkage.h: C linkage for public headers included from C++.
//
// Every public header has DM_BEGIN_C after its last #include and DM_END_C before its end.
#ifndef DM_BASE_LINKAGE_H
#define DM_BASE_LINKAGE_H

#ifdef __cplusplus
#define DM_BEGIN_C extern "C" {
#define DM_END_C   }
#else
#define DM_BEGIN_C
#define DM_END_C
#endif
#endif
