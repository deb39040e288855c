//===- CublasLt.cpp - NVIDIA's library, to compare with ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions and numbers are those that the cuBLAS documentation
// (docs.nvidia.com/cuda/cublas, "Using the cuBLASLt API") gives; the same in
// versions 12 and 13.
//
// cuBLASLt's matrices are column-major. A row-major matrix is its own transpose
// in columns, so D = op(A) op(B) is computed as D^T = op(B)^T op(A)^T: our B is
// the library's A, and our N its m.
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/CublasLt.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace bwgemm::runtime {

namespace {

using Status = int;
using Handle = void *;
using Descriptor = void *;

/// cublasComputeType_t: CUBLAS_COMPUTE_32F, _32I and _32F_FAST_TF32.
constexpr int32_t compute32F = 68, compute32I = 72, computeTF32 = 77;
constexpr int32_t opN = 0, opT = 1;
/// cublasLtMatmulDescAttributes_t.
constexpr int descTransA = 3, descTransB = 4, descEpilogue = 7, descBias = 8;
/// cublasLtMatmulPreferenceAttributes_t.
constexpr int preferWorkspace = 1, preferAlignmentOfA = 5;
/// What a heuristic search is asked for: more than it ever returned.
constexpr int mostAlgorithms = 128;
/// Workspace that algorithms may use; the library asks for 32 MiB on Hopper.
constexpr size_t workspaceBytes = size_t(64) << 20;

struct Algorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};

/// cudaDataType; -1 if there is none.
int dataType(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::TF32:
    return 0;
  case ElementType::I8:
    return 3;
  case ElementType::I32:
    return 10;
  case ElementType::F16:
    return 2;
  case ElementType::BF16:
    return 14;
  case ElementType::E4M3:
    return 28;
  case ElementType::E5M2:
    return 29;
  default:
    return -1;
  }
}

/// cublasLtEpilogue_t. Its bias is that of a row of the column-major result,
/// which is a column of ours.
uint32_t epilogueCode(MatmulEpilogue epilogue) {
  switch (epilogue) {
  case MatmulEpilogue::None:
    return 1;
  case MatmulEpilogue::Bias:
    return 4;
  case MatmulEpilogue::BiasRelu:
    return 2 | 4;
  case MatmulEpilogue::BiasGelu:
    return 32 | 4;
  }
  return 1;
}

} // namespace

struct CublasLt::Library {
  const DriverApi *driver = nullptr;
  std::string path;
  void *file = nullptr;
  Handle handle = nullptr;
  DeviceBuffer workspace;

  size_t (*version)() = nullptr;
  const char *(*statusName)(Status) = nullptr;
  Status (*create)(Handle *) = nullptr;
  Status (*destroy)(Handle) = nullptr;
  Status (*descCreate)(Descriptor *, int compute, int scale) = nullptr;
  Status (*descDestroy)(Descriptor) = nullptr;
  Status (*descSet)(Descriptor, int attribute, const void *value,
                    size_t bytes) = nullptr;
  Status (*layoutCreate)(Descriptor *, int type, uint64_t rows,
                         uint64_t columns, int64_t ld) = nullptr;
  Status (*layoutDestroy)(Descriptor) = nullptr;
  Status (*preferenceCreate)(Descriptor *) = nullptr;
  Status (*preferenceDestroy)(Descriptor) = nullptr;
  Status (*preferenceSet)(Descriptor, int attribute, const void *value,
                          size_t bytes) = nullptr;
  Status (*heuristic)(Handle, Descriptor desc, Descriptor a, Descriptor b,
                      Descriptor c, Descriptor d, Descriptor preference,
                      int requested, HeuristicResult *results,
                      int *returned) = nullptr;
  Status (*matmul)(Handle, Descriptor desc, const void *alpha, const void *a,
                   Descriptor layoutA, const void *b, Descriptor layoutB,
                   const void *beta, const void *c, Descriptor layoutC, void *d,
                   Descriptor layoutD, const Algorithm *algorithm,
                   void *workspace, size_t bytes, CUstream stream) = nullptr;

  ~Library() {
    if (handle)
      (void)destroy(handle);
  }

  /// The name of the first function that is missing, or "".
  std::string findAll();
  std::string check(Status status, const char *what) const;
};

std::string CublasLt::Library::findAll() {
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(file, name));
    if (!function && missing.empty())
      missing = name;
  };
  find(version, "cublasLtGetVersion");
  find(statusName, "cublasLtGetStatusName");
  find(create, "cublasLtCreate");
  find(destroy, "cublasLtDestroy");
  find(descCreate, "cublasLtMatmulDescCreate");
  find(descDestroy, "cublasLtMatmulDescDestroy");
  find(descSet, "cublasLtMatmulDescSetAttribute");
  find(layoutCreate, "cublasLtMatrixLayoutCreate");
  find(layoutDestroy, "cublasLtMatrixLayoutDestroy");
  find(preferenceCreate, "cublasLtMatmulPreferenceCreate");
  find(preferenceDestroy, "cublasLtMatmulPreferenceDestroy");
  find(preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
  find(heuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(matmul, "cublasLtMatmul");
  return missing;
}

std::string CublasLt::Library::check(Status status, const char *what) const {
  if (status == 0)
    return "";
  const char *name = statusName(status);
  return std::string(what) + " failed: " + (name ? name : "unknown status") +
         " (" + std::to_string(status) + ")";
}

CublasLt::CublasLt() = default;
CublasLt::~CublasLt() = default;

/// The places to look at, in order.
static std::vector<std::string> places() {
  static constexpr const char *files[] = {"libcublasLt.so.13",
                                          "libcublasLt.so.12"};
  std::vector<std::string> result;
  auto folder = [&](const std::string &path) {
    for (const char *file : files)
      result.push_back(path + "/" + file);
  };
  if (const char *given = std::getenv("BWGEMM_CUBLASLT"); given && *given) {
    struct stat status = {};
    if (stat(given, &status) == 0 && S_ISDIR(status.st_mode))
      folder(given);
    else
      result.push_back(given);
    return result;
  }
  for (const char *file : files)
    result.push_back(file);
  if (const char *home = std::getenv("CUDA_HOME"); home && *home) {
    folder(std::string(home) + "/lib64");
    folder(std::string(home) + "/lib");
  }
  return result;
}

std::unique_ptr<CublasLt> CublasLt::open(const DriverApi &driver,
                                         std::string &error) {
  auto library = std::make_shared<Library>();
  library->driver = &driver;
  std::string looked;
  for (const std::string &place : places()) {
    library->file = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library->file) {
      library->path = place;
      break;
    }
    const char *reason = dlerror();
    looked += (looked.empty() ? "" : "; ") +
              std::string(reason ? reason : place.c_str());
  }
  if (!library->file) {
    error = "cuBLASLt cannot be opened (" + looked +
            "); set BWGEMM_CUBLASLT to libcublasLt.so.13 or .12, or to its "
            "folder (nvidia/cu13/lib in the site-packages of the PyPI package "
            "nvidia-cublas)";
    return nullptr;
  }
  if (std::string missing = library->findAll(); !missing.empty()) {
    error = library->path + ": has no " + missing +
            "; expected cuBLASLt 12 or later";
    return nullptr;
  }
  error = library->check(library->create(&library->handle), "cublasLtCreate");
  if (error.empty())
    error = library->workspace.create(driver, workspaceBytes);
  if (!error.empty()) {
    error = library->path + ": " + error;
    return nullptr;
  }
  std::unique_ptr<CublasLt> result(new CublasLt);
  result->library = std::move(library);
  return result;
}

std::string CublasLt::describe() const {
  // 130101 is 13.1.1.
  size_t version = library->version();
  return "cuBLASLt " + std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100) + " (" + library->path + ")";
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

struct CublasLt::Plan::State {
  std::shared_ptr<Library> library;
  Descriptor desc = nullptr, preference = nullptr;
  /// The library's A and B, and C which is D.
  Descriptor a = nullptr, b = nullptr, d = nullptr;
  std::vector<HeuristicResult> algorithms;
  float alpha = 1, beta = 0;
  /// The same for products of integers.
  int32_t alphaI = 1, betaI = 0;
  bool isInteger = false;
  bool hasBias = false;

  ~State() {
    for (Descriptor layout : {a, b, d})
      if (layout)
        (void)library->layoutDestroy(layout);
    if (desc)
      (void)library->descDestroy(desc);
    if (preference)
      (void)library->preferenceDestroy(preference);
  }

  std::string create(const MatmulProblem &problem, unsigned alignment);
  std::string search();
};

CublasLt::Plan::Plan() = default;
CublasLt::Plan::~Plan() = default;

size_t CublasLt::Plan::algorithms() const { return state->algorithms.size(); }

std::string CublasLt::Plan::State::create(const MatmulProblem &p,
                                          unsigned alignment) {
  Library &l = *library;
  beta = p.accumulate ? 1 : 0;
  betaI = p.accumulate ? 1 : 0;
  isInteger = p.operands == ElementType::I8;
  int32_t compute = isInteger                         ? compute32I
                    : p.operands == ElementType::TF32 ? computeTF32
                                                      : compute32F;
  int operand = dataType(p.operands), result = dataType(p.result);
  if (operand < 0 || result < 0)
    return "cuBLASLt has no product of " + std::string(name(p.operands)) +
           " with results of " + std::string(name(p.result));
  // A row-major matrix of r x c is a column-major one of c x r.
  auto layout = [&](Descriptor &made, int type, int64_t rows, int64_t columns,
                    int64_t ld) {
    return l.check(
        l.layoutCreate(&made, type, uint64_t(columns), uint64_t(rows), ld),
        "cublasLtMatrixLayoutCreate");
  };
  std::string error;
  auto then = [&](std::string next) {
    if (error.empty())
      error = std::move(next);
  };
  ElementType scale = isInteger ? ElementType::I32 : ElementType::F32;
  then(l.check(l.descCreate(&desc, compute, dataType(scale)),
               "cublasLtMatmulDescCreate"));
  if (!error.empty())
    return error;
  int32_t transA = p.transposedB ? opT : opN;
  int32_t transB = p.transposedA ? opT : opN;
  then(l.check(l.descSet(desc, descTransA, &transA, sizeof transA),
               "cublasLtMatmulDescSetAttribute"));
  then(l.check(l.descSet(desc, descTransB, &transB, sizeof transB),
               "cublasLtMatmulDescSetAttribute"));
  uint32_t epilogue = epilogueCode(p.epilogue);
  hasBias = p.epilogue != MatmulEpilogue::None;
  then(l.check(l.descSet(desc, descEpilogue, &epilogue, sizeof epilogue),
               "cublasLtMatmulDescSetAttribute"));
  then(p.transposedB ? layout(a, operand, p.n, p.k, p.ldB)
                     : layout(a, operand, p.k, p.n, p.ldB));
  then(p.transposedA ? layout(b, operand, p.k, p.m, p.ldA)
                     : layout(b, operand, p.m, p.k, p.ldA));
  then(layout(d, result, p.m, p.n, p.ldD));
  then(l.check(l.preferenceCreate(&preference),
               "cublasLtMatmulPreferenceCreate"));
  if (!error.empty())
    return error;
  uint64_t bytes = workspaceBytes;
  then(l.check(
      l.preferenceSet(preference, preferWorkspace, &bytes, sizeof bytes),
      "cublasLtMatmulPreferenceSetAttribute"));
  uint32_t aligned = alignment;
  for (int matrix = 0; matrix < 4; ++matrix)
    then(l.check(l.preferenceSet(preference, preferAlignmentOfA + matrix,
                                 &aligned, sizeof aligned),
                 "cublasLtMatmulPreferenceSetAttribute"));
  return error;
}

std::string CublasLt::Plan::State::search() {
  Library &l = *library;
  std::vector<HeuristicResult> found(mostAlgorithms);
  int count = 0;
  if (std::string error =
          l.check(l.heuristic(l.handle, desc, a, b, d, d, preference,
                              mostAlgorithms, found.data(), &count),
                  "cublasLtMatmulAlgoGetHeuristic");
      !error.empty())
    return error;
  for (int i = 0; i < count; ++i)
    if (found[size_t(i)].state == 0 &&
        found[size_t(i)].workspace <= workspaceBytes)
      algorithms.push_back(found[size_t(i)]);
  return algorithms.empty() ? "cuBLASLt has no algorithm for this product" : "";
}

std::unique_ptr<CublasLt::Plan> CublasLt::plan(const MatmulProblem &problem,
                                               unsigned alignment,
                                               std::string &error) const {
  std::unique_ptr<Plan> plan(new Plan);
  plan->state = std::make_unique<Plan::State>();
  plan->state->library = library;
  error = plan->state->create(problem, alignment);
  if (error.empty())
    error = plan->state->search();
  return error.empty() ? std::move(plan) : nullptr;
}

std::string CublasLt::Plan::enqueue(size_t algorithm, CUdeviceptr a,
                                    CUdeviceptr b, CUdeviceptr d,
                                    CUdeviceptr bias, CUstream stream) const {
  const State &s = *state;
  const Library &l = *s.library;
  auto pointer = [](CUdeviceptr address) {
    return reinterpret_cast<void *>(uintptr_t(address));
  };
  const HeuristicResult &choice = s.algorithms[algorithm];
  if (s.hasBias) {
    const void *address = pointer(bias);
    if (std::string error =
            l.check(l.descSet(s.desc, descBias, &address, sizeof address),
                    "cublasLtMatmulDescSetAttribute");
        !error.empty())
      return error;
  }
  const void *alpha = &s.alpha, *beta = &s.beta;
  if (s.isInteger) {
    alpha = &s.alphaI;
    beta = &s.betaI;
  }
  return l.check(l.matmul(l.handle, s.desc, alpha, pointer(b), s.a, pointer(a),
                          s.b, beta, pointer(d), s.d, pointer(d), s.d,
                          &choice.algorithm, pointer(l.workspace.address()),
                          choice.workspace, stream),
                 "cublasLtMatmul");
}

} // namespace bwgemm::runtime
