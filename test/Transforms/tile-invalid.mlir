// RUN: bwgemm-opt %s --verify-diagnostics --bwgemm-tile
// RUN: bwgemm-opt %s --verify-diagnostics --bwgemm-lower-naive

// expected-error @+1 {{unknown bwgemm.target; expects one of sm_80, }}
module attributes {bwgemm.target = "sm_1"} {
}
