/* Modules, libraries, kernels and their properties; looking up entry points. */
#include "probe.h"

static char errors[2000], infos[2000];

static void load(const char *what, const char *text) {
  CUmodule m = NULL;
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER,
                          CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {errors, (void *)sizeof(errors)};
  errors[0] = 0;
  CUresult result = cuModuleLoadDataEx(&m, text, 2, names, values);
  printf("load %s -> %s\n", what, nameOf(result));
  if (result != CUDA_SUCCESS)
    printf("  log is empty: %d\n", errors[0] == 0);
}

static void properties(const char *name) {
  CUfunction function = kernel(name);
  const char *text = NULL;
  OK(cuFuncGetName(&text, function));
  printf("kernel %s\n", text);
  for (int i = 0; i < 17; ++i) {
    int value = 0;
    /* Registers, code version and local memory are the compiler's choice. */
    if (i == CU_FUNC_ATTRIBUTE_NUM_REGS ||
        i == CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES ||
        i == CU_FUNC_ATTRIBUTE_PTX_VERSION)
      continue;
    CUresult result =
        cuFuncGetAttribute(&value, (CUfunction_attribute)i, function);
    if (result == CUDA_SUCCESS)
      printf("  attribute %d = %d\n", i, value);
    else
      printf("  attribute %d -> %s\n", i, nameOf(result));
  }
}

static void lookUp(const char *name, int version) {
  void *entry = NULL;
  CUdriverProcAddressQueryResult found = (CUdriverProcAddressQueryResult)9;
  CUresult result = cuGetProcAddress(name, &entry, version, 0, &found);
  printf("look up %s of %d -> %s, %d, %s\n", name, version, nameOf(result),
         (int)found, entry ? "found" : "null");
}

int main(void) {
  CUmodule m = NULL;
  CUfunction f = NULL;
  CUlibrary library = NULL;
  CUkernel k = NULL, kernels[16];
  CUdeviceptr address = 0;
  size_t bytes = 0, offset = 0;
  unsigned count = 0;
  int value = 0;
  start();
  printf("# loading\n");
  load("nothing", "");
  load("text", "no PTX at all");
  load("a new version", ".version 99.0\n.target sm_90\n.address_size 64\n");
  load("a new target", ".version 8.8\n.target sm_100\n.address_size "
                       "64\n.visible .entry k() { ret; }\n");
  load("an old target", ".version 7.0\n.target sm_70\n.address_size "
                        "64\n.visible .entry k() { ret; }\n");
  load("an unknown instruction",
       ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { "
       "frob.u32 %r1, 2; ret; }\n");
  load("an unresolved call",
       ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func "
       "g();\n.visible .entry k() { call g; ret; }\n");
  R(cuModuleLoadData(&m, NULL));
  R(cuModuleLoadData(NULL, code));
  R(cuModuleLoad(&m, "no-such-file.ptx"));
  R(cuModuleLoadData(&m, code));
  R(cuModuleGetFunction(&f, m, "absent"));
  R(cuModuleGetFunction(&f, m, NULL));
  R(cuModuleGetFunctionCount(&count, m));
  N(count);
  R(cuModuleGetGlobal(&address, &bytes, m, "counter"));
  N(bytes);
  OK(cuMemcpyDtoH(&value, address, 4));
  N(value);
  R(cuModuleGetGlobal(&address, &bytes, m, "table"));
  N(bytes);
  R(cuModuleGetGlobal(NULL, &bytes, m, "table"));
  R(cuModuleGetGlobal(NULL, NULL, m, "table"));
  R(cuModuleGetGlobal(&address, &bytes, m, "absent"));
  CUmoduleLoadingMode mode;
  R(cuModuleGetLoadingMode(&mode));
  R(cuModuleUnload(m));

  printf("# functions\n");
  properties("empty");
  properties("fixed");
  properties("most");
  properties("exactly");
  properties("pair");
  properties("any");
  f = kernel("mixed");
  for (size_t i = 0; i < 5; ++i) {
    CUresult result = cuFuncGetParamInfo(f, i, &offset, &bytes);
    printf("parameter %zu: %s", i, nameOf(result));
    if (result == CUDA_SUCCESS)
      printf(" at %zu, %zu bytes", offset, bytes);
    printf("\n");
  }
  R(cuFuncGetParamInfo(f, 0, NULL, &bytes));
  R(cuFuncGetModule(&m, f));
  N(m == module);
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       232448));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       232449));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                       50));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                       101));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, -1));
  R(cuFuncSetAttribute(kernel("pair"), CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                       4));
  R(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                       1));
  R(cuFuncSetAttribute(
      f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 1));
  R(cuFuncSetAttribute(
      f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 9));
  properties("mixed");
  R(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
  CUfunctionLoadingState state;
  R(cuFuncLoad(f));
  R(cuFuncIsLoaded(&state, f));
  N(state);
  R(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
  R(cuFuncGetAttribute(&value, (CUfunction_attribute)99, f));

  printf("# libraries\n");
  R(cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
  R(cuLibraryGetKernelCount(&count, library));
  N(count);
  R(cuLibraryEnumerateKernels(kernels, 16, library));
  R(cuLibraryGetKernel(&k, library, "bump"));
  R(cuLibraryGetKernel(&k, library, "absent"));
  const char *name = NULL;
  R(cuKernelGetName(&name, k));
  N(strcmp(name, "bump"));
  R(cuKernelGetFunction(&f, k));
  R(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k,
                         0));
  N(value);
  CUlibrary of = NULL;
  R(cuKernelGetLibrary(&of, k));
  N(of == library);
  R(cuKernelGetParamInfo(k, 0, &offset, &bytes));
  N(bytes);
  R(cuKernelGetParamInfo(k, 1, &offset, &bytes));
  R(cuLibraryGetModule(&m, library));
  R(cuLibraryGetGlobal(&address, &bytes, library, "counter"));
  N(bytes);
  R(cuLibraryGetManaged(&address, &bytes, library, "counter"));
  R(cuModuleUnload(m));
  R(cuLibraryUnload(library));

  printf("# linking\n");
  CUlinkState link = NULL;
  CUjit_option names[] = {
      CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {infos, (void *)sizeof(infos), errors,
                    (void *)sizeof(errors)};
  void *image = NULL;
  static const char caller[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
      ".visible .entry main_(.param .u64 to) {\n"
      "  .reg .b64 %a; .reg .b32 %v; .param .b32 in; .param .b32 out;\n"
      "  ld.param.u64 %a, [to]; mov.u32 %v, 21; st.param.b32 [in], %v;\n"
      "  call (out), twice, (in); ld.param.b32 %v, [out];\n"
      "  st.global.u32 [%a], %v; ret; }\n";
  static const char callee[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
      "  .reg .b32 %v; ld.param.b32 %v, [x]; add.u32 %v, %v, %v;\n"
      "  st.param.b32 [r], %v; ret; }\n";
  R(cuLinkCreate(4, names, values, &link));
  R(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof(caller),
                  "caller", 0, NULL, NULL));
  R(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)callee, sizeof(callee),
                  "callee", 0, NULL, NULL));
  R(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)"bad", 4, "bad", 0, NULL,
                  NULL));
  R(cuLinkComplete(link, &image, &bytes));
  R(cuLinkDestroy(link));
  R(cuLinkCreate(4, names, values, &link));
  R(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof(caller),
                  "caller", 0, NULL, NULL));
  R(cuLinkComplete(link, &image, &bytes));
  R(cuLinkDestroy(link));
  R(cuLinkCreate(4, names, values, &link));
  R(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof(caller),
                  "caller", 0, NULL, NULL));
  R(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)callee, sizeof(callee),
                  "callee", 0, NULL, NULL));
  R(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "no-such-file.ptx", 0, NULL, NULL));
  R(cuLinkComplete(link, &image, &bytes));
  N(bytes > 0);
  R(cuModuleLoadData(&m, image));
  R(cuModuleGetFunction(&f, m, "main_"));
  OK(cuMemAlloc(&address, 4));
  void *arguments[] = {&address};
  R(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL));
  OK(cuMemcpyDtoH(&value, address, 4));
  N(value);
  R(cuLinkDestroy(link));

  printf("# entry points\n");
  lookUp("cuInit", 12000);
  lookUp("cuInit", 1000);
  lookUp("cuMemAlloc", 12000);
  lookUp("cuMemAlloc", 2000);
  lookUp("cuNoSuchThing", 13000);
  lookUp("cuMemAlloc_v2", 13000);
  lookUp("cuTensorMapEncodeTiled", 11000);
  lookUp("cuTensorMapEncodeTiled", 12000);
  lookUp("cuGraphInstantiate", 10000);
  lookUp("cuGraphInstantiate", 12000);
  lookUp("cuGetProcAddress", 13000);
  lookUp("cuLaunchKernelEx", 11060);
  lookUp("", 13000);
  lookUp("cuInit", 99000);
  void *entry = NULL;
  R(cuGetProcAddress("cuNoSuchThing", &entry, 13000, 0, NULL));
  R(cuGetProcAddress("cuInit", &entry, 13000, 99, NULL));
  const void *table = NULL;
  CUuuid none;
  memset(&none, 0, sizeof(none));
  R(cuGetExportTable(&table, &none));
  return 0;
}
