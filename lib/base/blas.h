// lib/base/blas.h: the functions of BLAS and LAPACK that dmoc calls. These libraries are large, so
// they are loaded at the first call. A process that cannot load them ends, as if they were linked.
#ifndef DM_BASE_BLAS_H
#define DM_BASE_BLAS_H
#include "lib/base/loaded_library.h"

#include <cblas.h>
#include <lapacke.h>

#undef I // of complex.h

// clang-format off
#define DM_BLAS_SYMBOLS(X) \
  X(cblas_dasum) \
  X(cblas_dgemm) \
  X(cblas_dnrm2) \
  X(cblas_dscal) \
  X(cblas_dsymm) \
  X(cblas_dtrsm) \
  X(cblas_dtrsv) \
  X(cblas_idamax)
#define DM_LAPACK_SYMBOLS(X) \
  X(LAPACKE_dgeev) \
  X(LAPACKE_dgelqf_work) \
  X(LAPACKE_dgelsd) \
  X(LAPACKE_dgelsd_work) \
  X(LAPACKE_dgeqp3) \
  X(LAPACKE_dgeqp3_work) \
  X(LAPACKE_dgesdd_work) \
  X(LAPACKE_dgesvd_work) \
  X(LAPACKE_dgetrf_work) \
  X(LAPACKE_dorgqr_work) \
  X(LAPACKE_dpotrf) \
  X(LAPACKE_dpotrf_work) \
  X(LAPACKE_dpotri) \
  X(LAPACKE_dpotrs_work) \
  X(LAPACKE_dsyev) \
  X(LAPACKE_dsyev_work) \
  X(LAPACKE_dtrtrs_work)
// clang-format on

// pointers to them
typedef struct dm_blas {
  DM_BLAS_SYMBOLS(DM_LOADED_POINTER)
  DM_LAPACK_SYMBOLS(DM_LOADED_POINTER)
} dm_blas;

// Load the functions once. Thread-safe.
const dm_blas *dm_blas_functions(void);

// blas.c itself needs the names
#ifndef DM_BLAS_NAMES
#define LAPACKE_dgeev       dm_blas_functions()->LAPACKE_dgeev
#define LAPACKE_dgelqf_work dm_blas_functions()->LAPACKE_dgelqf_work
#define LAPACKE_dgelsd      dm_blas_functions()->LAPACKE_dgelsd
#define LAPACKE_dgelsd_work dm_blas_functions()->LAPACKE_dgelsd_work
#define LAPACKE_dgeqp3      dm_blas_functions()->LAPACKE_dgeqp3
#define LAPACKE_dgeqp3_work dm_blas_functions()->LAPACKE_dgeqp3_work
#define LAPACKE_dgesdd_work dm_blas_functions()->LAPACKE_dgesdd_work
#define LAPACKE_dgesvd_work dm_blas_functions()->LAPACKE_dgesvd_work
#define LAPACKE_dgetrf_work dm_blas_functions()->LAPACKE_dgetrf_work
#define LAPACKE_dorgqr_work dm_blas_functions()->LAPACKE_dorgqr_work
#define LAPACKE_dpotrf      dm_blas_functions()->LAPACKE_dpotrf
#define LAPACKE_dpotrf_work dm_blas_functions()->LAPACKE_dpotrf_work
#define LAPACKE_dpotri      dm_blas_functions()->LAPACKE_dpotri
#define LAPACKE_dpotrs_work dm_blas_functions()->LAPACKE_dpotrs_work
#define LAPACKE_dsyev       dm_blas_functions()->LAPACKE_dsyev
#define LAPACKE_dsyev_work  dm_blas_functions()->LAPACKE_dsyev_work
#define LAPACKE_dtrtrs_work dm_blas_functions()->LAPACKE_dtrtrs_work
#define cblas_dasum         dm_blas_functions()->cblas_dasum
#define cblas_dgemm         dm_blas_functions()->cblas_dgemm
#define cblas_dnrm2         dm_blas_functions()->cblas_dnrm2
#define cblas_dscal         dm_blas_functions()->cblas_dscal
#define cblas_dsymm         dm_blas_functions()->cblas_dsymm
#define cblas_dtrsm         dm_blas_functions()->cblas_dtrsm
#define cblas_dtrsv         dm_blas_functions()->cblas_dtrsv
#define cblas_idamax        dm_blas_functions()->cblas_idamax
#endif
#endif
