/* Streams, events, callbacks and memory operations. */
#include "probe.h"

static int called, callbackStatus = 99, ofDefault = 99;
static void CUDA_CB onHost(void *data) { called += *(int *)data; }
static void CUDA_CB onStream(CUstream stream, CUresult status, void *data) {
  called += *(int *)data;
  callbackStatus = status;
  ofDefault = stream == 0;
}

int main(void) {
  CUstream s = NULL, t = NULL;
  CUevent e = NULL, f = NULL, quiet = NULL;
  unsigned flags = 9;
  int priority = 9, one = 1;
  float ms = 0;
  CUdevice where = 9;
  CUcontext owner = NULL;
  unsigned long long id = 0, id2 = 0;
  CUdeviceptr flag = 0;
  unsigned value = 0;
  unsigned long long wide = 0;
  start();
  R(cuStreamCreate(NULL, 0));
  R(cuStreamCreate(&s, 4));
  R(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  R(cuStreamCreateWithPriority(&t, CU_STREAM_DEFAULT, -100));
  R(cuStreamGetPriority(t, &priority));
  N(priority);
  R(cuStreamGetFlags(t, &flags));
  N(flags);
  R(cuStreamGetFlags(s, &flags));
  N(flags);
  R(cuStreamGetFlags(0, &flags));
  N(flags);
  R(cuStreamGetFlags(CU_STREAM_LEGACY, &flags));
  N(flags);
  R(cuStreamGetFlags(CU_STREAM_PER_THREAD, &flags));
  N(flags);
  R(cuStreamGetPriority(0, &priority));
  N(priority);
  R(cuStreamGetId(s, &id));
  R(cuStreamGetId(t, &id2));
  N(id != id2);
  R(cuStreamGetCtx(s, &owner));
  N(owner == context);
  R(cuStreamGetDevice(s, &where));
  N(where);
  R(cuStreamQuery(s));
  R(cuStreamQuery(0));
  R(cuStreamSynchronize(s));
  R(cuStreamDestroy(0));
  R(cuStreamWaitEvent(s, NULL, 0));
  R(cuLaunchHostFunc(s, onHost, &one));
  R(cuLaunchHostFunc(s, NULL, &one));
  R(cuStreamAddCallback(0, onStream, &one, 0));
  R(cuStreamAddCallback(0, onStream, &one, 1));
  R(cuCtxSynchronize());
  N(called);
  N(callbackStatus);
  N(ofDefault);
  R(cuStreamAttachMemAsync(s, 64, 0, CU_MEM_ATTACH_GLOBAL));

  R(cuEventCreate(NULL, 0));
  R(cuEventCreate(&e, 0x40));
  R(cuEventCreate(&e, CU_EVENT_INTERPROCESS));
  R(cuEventCreate(&e, CU_EVENT_DEFAULT));
  R(cuEventCreate(&f, CU_EVENT_BLOCKING_SYNC));
  R(cuEventCreate(&quiet, CU_EVENT_DISABLE_TIMING));
  R(cuEventQuery(e));
  R(cuEventSynchronize(e));
  R(cuEventElapsedTime(&ms, e, f));
  R(cuStreamWaitEvent(s, e, 0));
  R(cuEventRecord(e, s));
  R(cuEventElapsedTime(&ms, e, f));
  R(cuEventRecord(f, s));
  R(cuEventRecord(quiet, s));
  R(cuEventRecordWithFlags(f, s, 2));
  R(cuEventRecordWithFlags(f, s, CU_EVENT_RECORD_EXTERNAL));
  R(cuEventSynchronize(f));
  R(cuEventQuery(f));
  R(cuEventElapsedTime(&ms, e, f));
  N(ms >= 0 && ms < 1000);
  R(cuEventElapsedTime(NULL, e, f));
  R(cuEventElapsedTime(&ms, e, quiet));
  R(cuStreamWaitEvent(t, e, 0));
  R(cuStreamWaitEvent(t, e, 7));
  R(cuStreamWaitEvent(t, e, CU_EVENT_WAIT_EXTERNAL));

  OK(cuMemAlloc(&flag, 64));
  OK(cuMemsetD8(flag, 0, 64));
  R(cuStreamWriteValue32(s, flag, 5, 0));
  R(cuStreamWriteValue32(s, flag + 1, 5, 0));
  R(cuStreamWriteValue32(s, flag, 5, 9));
  R(cuStreamWriteValue64(s, flag + 8, 0x123456789abcdefull, 0));
  R(cuStreamWaitValue32(s, flag, 5, CU_STREAM_WAIT_VALUE_EQ));
  R(cuStreamWaitValue32(s, flag, 4, CU_STREAM_WAIT_VALUE_GEQ));
  R(cuStreamWaitValue32(s, flag, 1, CU_STREAM_WAIT_VALUE_AND));
  R(cuStreamWaitValue32(s, flag, 2, CU_STREAM_WAIT_VALUE_NOR));
  R(cuStreamWaitValue32(s, flag, 5, 17));
  R(cuStreamWaitValue64(s, flag + 8, 1, CU_STREAM_WAIT_VALUE_GEQ));
  R(cuStreamWaitValue64(s, flag + 4, 1, CU_STREAM_WAIT_VALUE_GEQ));
  R(cuStreamSynchronize(s));
  OK(cuMemcpyDtoH(&value, flag, 4));
  OK(cuMemcpyDtoH(&wide, flag + 8, 8));
  N(value);
  N(wide);

  /* A stream that waits for a value that comes later. */
  OK(cuEventCreate(&quiet, CU_EVENT_DISABLE_TIMING));
  R(cuStreamWaitValue32(s, flag, 100, CU_STREAM_WAIT_VALUE_GEQ));
  R(cuMemsetD32Async(flag + 16, 77, 1, s));
  R(cuEventRecord(quiet, s));
  R(cuStreamQuery(s));
  R(cuEventQuery(quiet));
  R(cuStreamWaitEvent(t, quiet, 0));
  R(cuMemcpyDtoDAsync(flag + 20, flag + 16, 4, t));
  R(cuStreamQuery(t));
  CUstream free_ = NULL;
  OK(cuStreamCreate(&free_, CU_STREAM_NON_BLOCKING));
  R(cuStreamWriteValue32(free_, flag, 100, 0));
  R(cuStreamSynchronize(t));
  R(cuEventQuery(quiet));
  OK(cuMemcpyDtoH(&value, flag + 20, 4));
  N(value);

  CUstreamBatchMemOpParams operations[2];
  memset(operations, 0, sizeof(operations));
  operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = flag;
  operations[0].writeValue.value = 9;
  operations[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operations[1].waitValue.address = flag;
  operations[1].waitValue.value = 9;
  operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  R(cuStreamBatchMemOp(s, 2, operations, 0));
  R(cuStreamBatchMemOp(s, 0, operations, 0));
  R(cuStreamSynchronize(s));

  R(cuEventDestroy(e));
  R(cuEventDestroy(NULL));
  R(cuStreamDestroy(s));
  CUstreamAttrValue attribute;
  memset(&attribute, 0, sizeof(attribute));
  R(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_PRIORITY, &attribute));
  N(attribute.priority);
  R(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                         &attribute));
  N(attribute.syncPolicy);
  attribute.syncPolicy = CU_SYNC_POLICY_YIELD;
  R(cuStreamSetAttribute(t, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                         &attribute));
  R(cuStreamCopyAttributes(free_, t));
  R(cuStreamGetAttribute(free_, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                         &attribute));
  N(attribute.syncPolicy);
  return 0;
}
