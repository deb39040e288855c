// What ptxas says reaches the user: errors with the PTX kept, warnings, and
// losses of performance.

// RUN: rm -rf %t && mkdir -p %t/bin %t/tmp
// RUN: printf '#!/bin/sh\necho "ptxas kernels.ptx, line 7; error   : no such thing"\nexit 255\n' > %t/bin/fails
// RUN: printf '#!/bin/sh\nfor a; do :; done\necho "cubin" > "$a"\necho "ptxas info    : (C7508) Potential Performance Loss: ignored"\necho "ptxas warning : Value of threads"\necho "ptxas info    : 0 bytes gmem"\necho "ptxas info    : Compiling entry function '"'store'"' for '"'sm_100a'"'"\necho "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads"\necho "ptxas info    : Used 40 registers, used 1 barriers"\n' > %t/bin/warns
// RUN: chmod +x %t/bin/fails %t/bin/warns
// RUN: not env TMPDIR=%t/tmp bwgemm-opt %s --bwgemm-serialize=ptxas=%t/bin/fails 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: cat %t/tmp/bwgemm-*/kernels.ptx | FileCheck %s --check-prefix=KEPT
// RUN: rm -rf %t/tmp && mkdir %t/tmp
// RUN: env TMPDIR=%t/tmp bwgemm-opt %s --bwgemm-serialize=ptxas=%t/bin/warns 2>&1 | FileCheck %s --check-prefix=WARNS
// RUN: ls %t/tmp | count 0

// FAILS: error: ptxas failed with status 255
// FAILS-NEXT: ptxas kernels.ptx, line 7; error   : no such thing
// FAILS-NEXT: the PTX is kept in [[FILE:.*/tmp/bwgemm-.*/kernels.ptx]]; to repeat: {{.*}}/bin/fails -arch=sm_100a -O3 [[FILE]]
// KEPT: .visible .entry store(

// WARNS-DAG: warning: ptxas info    : (C7508) Potential Performance Loss: ignored
// WARNS-DAG: warning: ptxas warning : Value of threads
// WARNS-DAG: warning: kernel 'store' spills registers: 8 bytes stored and 4 bytes loaded per thread
// WARNS-NOT: gmem
// WARNS: registers = 40 : i64, spill_bytes = 12 : i64, stack_bytes = 16 : i64
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88">] {
  llvm.func @store(%out: !llvm.ptr<1>, %value: f32) attributes {gpu.kernel, nvvm.kernel} {
    llvm.store %value, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}
