//===- Session.cpp - One launch on one device -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <cstring>

namespace bwgemm::ptxrun {

using namespace bwgemm::runtime;

namespace {

/// The bytes of one kernel parameter.
struct Parameter {
  std::array<unsigned char, sizeof(CUtensorMap)> bytes{};
  size_t size = 0;

  void set(const void *data, size_t count) {
    std::memcpy(bytes.data(), data, count);
    size = count;
  }
};

/// Turns arguments into parameter bytes; keeps what they point to.
class Packer {
public:
  Packer(const DriverApi &driver, Buffers &buffers)
      : driver(driver), buffers(buffers) {}

  std::string pack(const ArgumentSpec &argument, Parameter &parameter) {
    if (auto *scalar = std::get_if<ScalarSpec>(&argument)) {
      parameter.set(&scalar->bits, sizeInBytes(scalar->type));
      return std::string();
    }
    if (auto *buffer = std::get_if<BufferSpec>(&argument))
      return address(buffer->name, 0, parameter);
    if (auto *pointer = std::get_if<PointerSpec>(&argument))
      return address(pointer->buffer, pointer->offset, parameter);
    return tensorMap(std::get<TensorMapSpec>(argument), parameter);
  }

private:
  std::string address(const std::string &name, uint64_t offset,
                      Parameter &parameter) {
    std::string error;
    Buffer *buffer = buffers.find(name, error);
    if (!buffer)
      return error;
    if (offset > buffer->host.size())
      return "offset " + std::to_string(offset) + " is outside '" + name +
             "', which has " + std::to_string(buffer->host.size()) + " bytes";
    CUdeviceptr value = buffer->device.address() + offset;
    parameter.set(&value, sizeof(value));
    return std::string();
  }

  std::string tensorMap(const TensorMapSpec &spec, Parameter &parameter) {
    std::string error;
    Buffer *buffer = buffers.find(spec.buffer, error);
    if (!buffer)
      return error;
    ElementType type = buffer->spec.type;
    const std::vector<int64_t> &shape = buffer->spec.shape;

    // What is not given follows from the buffer, which is dense. Dimensions
    // alone name a window of it, with the buffer's strides.
    std::vector<uint64_t> dims = spec.dims, strides = spec.strides;
    std::vector<uint64_t> extents(shape.rbegin(), shape.rend());
    if (dims.empty())
      dims = extents;
    if (strides.empty()) {
      uint64_t stride = sizeInBytes(type);
      const auto &steps = extents.size() == dims.size() ? extents : dims;
      for (size_t i = 0; i + 1 < dims.size(); ++i)
        strides.push_back(stride *= steps[i]);
    }
    std::vector<uint32_t> elementStrides = spec.elementStrides;
    if (elementStrides.empty())
      elementStrides.assign(dims.size(), 1);
    if (spec.box.size() != dims.size() ||
        elementStrides.size() != dims.size() ||
        strides.size() + 1 != dims.size())
      return "a tensor map of rank " + std::to_string(dims.size()) +
             " needs as many box and element stride numbers and one stride "
             "less, got " +
             std::to_string(spec.box.size()) + ", " +
             std::to_string(elementStrides.size()) + " and " +
             std::to_string(strides.size());

    CUtensorMap map = {};
    int dataType = spec.dataType >= 0 ? spec.dataType : tensorMapType(type);
    CUdeviceptr base = buffer->device.address() + spec.offset;
    error = driver.check(
        driver.cuTensorMapEncodeTiled(
            &map, CUtensorMapDataType(dataType), unsigned(dims.size()),
            reinterpret_cast<void *>(base), dims.data(), strides.data(),
            spec.box.data(), elementStrides.data(),
            CUtensorMapInterleave(spec.interleave),
            CUtensorMapSwizzle(spec.swizzle), CUtensorMapL2promotion(spec.l2),
            spec.nanFill ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                         : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled");
    if (!error.empty())
      return error + " (box, dims and strides are innermost first)";
    if (!spec.inGlobalMemory) {
      parameter.set(&map, sizeof(map));
      return std::string();
    }
    DeviceBuffer &copy = maps.emplace_back();
    if (error = copy.create(driver, sizeof(map)); !error.empty())
      return error;
    CUdeviceptr value = copy.address();
    parameter.set(&value, sizeof(value));
    return copy.copyFrom(&map, sizeof(map));
  }

  const DriverApi &driver;
  Buffers &buffers;
  std::vector<DeviceBuffer> maps;
};

/// The two ends of the interval that is timed.
struct Timer {
  const DriverApi &driver;
  CUevent start = nullptr, end = nullptr;

  ~Timer() {
    if (start)
      (void)driver.cuEventDestroy(start);
    if (end)
      (void)driver.cuEventDestroy(end);
  }
};

} // namespace

/// Compares the arguments with what the kernel takes, where the driver can say
/// it: the driver itself reads as many bytes as it needs from wherever it is
/// told to.
static std::string checkParameters(const DriverApi &driver, CUfunction function,
                                   const std::vector<Parameter> &parameters) {
  if (!driver.cuFuncGetParamInfo)
    return std::string();
  size_t count = 0, offset = 0, bytes = 0;
  while (driver.cuFuncGetParamInfo(function, count, &offset, &bytes) ==
         CUDA_SUCCESS) {
    if (count < parameters.size() && parameters[count].size != bytes)
      return "argument " + std::to_string(count) + " has " +
             std::to_string(parameters[count].size) +
             " bytes, the kernel's parameter has " + std::to_string(bytes);
    ++count;
  }
  if (count == parameters.size())
    return std::string();
  return "the kernel takes " + std::to_string(count) +
         (count == 1 ? " parameter, " : " parameters, ") +
         std::to_string(parameters.size()) + " given with --arg";
}

/// Allows the dynamic shared memory and launches.
static CUresult launch(const DriverApi &driver, const Request &request,
                       CUfunction function, CUstream stream, void **values) {
  CUlaunchAttribute cluster = {};
  CUlaunchConfig config = {};
  config.gridDimX = request.grid[0];
  config.gridDimY = request.grid[1];
  config.gridDimZ = request.grid[2];
  config.blockDimX = request.block[0];
  config.blockDimY = request.block[1];
  config.blockDimZ = request.block[2];
  config.sharedMemBytes = request.sharedBytes;
  config.hStream = stream;
  if (request.cluster) {
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {(*request.cluster)[0], (*request.cluster)[1],
                                (*request.cluster)[2]};
    config.attrs = &cluster;
    config.numAttrs = 1;
    uint64_t size = uint64_t((*request.cluster)[0]) * (*request.cluster)[1] *
                    (*request.cluster)[2];
    if (size > 8)
      if (CUresult result = driver.cuFuncSetAttribute(
              function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
          result != CUDA_SUCCESS)
        return result;
  }
  int allowed = 0;
  CUresult result = driver.cuFuncGetAttribute(
      &allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
  if (result == CUDA_SUCCESS && request.sharedBytes > unsigned(allowed))
    result = driver.cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        int(request.sharedBytes));
  if (result != CUDA_SUCCESS)
    return result;
  return driver.cuLaunchKernelEx(&config, function, values, nullptr);
}

/// Everything after the driver is open; `outcome.error` or `.fault` on failure.
static void execute(const DriverApi &driver, const Request &request,
                    Buffers &buffers, Outcome &outcome) {
  PrimaryContext context;
  LoadedModule module;
  CUfunction function = nullptr;
  Stream stream;
  if (outcome.error = context.create(driver); !outcome.error.empty())
    return;
  if (outcome.error = module.create(driver, request.ptx.c_str());
      !outcome.error.empty()) {
    outcome.error = request.file + ": " + outcome.error;
    return;
  }
  if (outcome.error = module.find(request.entry.c_str(), function);
      !outcome.error.empty())
    return;
  if (outcome.error = buffers.upload(driver); !outcome.error.empty())
    return;
  if (outcome.error = stream.create(driver); !outcome.error.empty())
    return;

  Packer packer(driver, buffers);
  std::vector<Parameter> parameters(request.arguments.size());
  std::vector<void *> values;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (outcome.error = packer.pack(request.arguments[i], parameters[i]);
        !outcome.error.empty()) {
      outcome.error = "argument " + std::to_string(i) + ": " + outcome.error;
      return;
    }
    values.push_back(parameters[i].bytes.data());
  }
  if (outcome.error = checkParameters(driver, function, parameters);
      !outcome.error.empty())
    return;

  Timer timer{driver};
  auto step = [&](CUresult result, const char *what) {
    if (result == CUDA_SUCCESS)
      return true;
    (isLaunchFault(result) ? outcome.fault : outcome.error) =
        driver.check(result, what);
    return false;
  };
  if (!step(driver.cuEventCreate(&timer.start, CU_EVENT_DEFAULT),
            "cuEventCreate") ||
      !step(driver.cuEventCreate(&timer.end, CU_EVENT_DEFAULT),
            "cuEventCreate") ||
      !step(driver.cuEventRecord(timer.start, stream.get()), "cuEventRecord") ||
      !step(launch(driver, request, function, stream.get(), values.data()),
            "the launch"))
    return;
  outcome.launched = true;
  float milliseconds = 0;
  if (!step(driver.cuEventRecord(timer.end, stream.get()), "the kernel") ||
      !step(driver.cuStreamSynchronize(stream.get()), "the kernel") ||
      !step(driver.cuEventElapsedTime(&milliseconds, timer.start, timer.end),
            "cuEventElapsedTime"))
    return;
  outcome.milliseconds = double(milliseconds);
  for (std::unique_ptr<Buffer> &buffer : buffers.all())
    if (outcome.error = buffer->fetch(); !outcome.error.empty())
      return;
}

Outcome run(const Request &request, Buffers &buffers) {
  Outcome outcome;
  DriverChoice choice = request.device;
  choice.target = targetOfPtx(request.ptx);
  const DriverApi *driver = loadDriver(choice, outcome.error);
  if (!driver)
    return outcome;
  outcome.device = driver->describe();
  outcome.emulated = driver->emulated;
  execute(*driver, request, buffers, outcome);
  if (driver->emulatorHazardCount)
    outcome.hazards = driver->emulatorHazardCount();
  if (driver->emulatorReport && outcome.launched)
    outcome.report = driver->emulatorReport();
  return outcome;
}

} // namespace bwgemm::ptxrun
