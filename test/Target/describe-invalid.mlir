// RUN: bwgemm-opt %s --bwgemm-describe --verify-diagnostics

// expected-error@+1 {{expects bwgemm.description to hold a JSON object}}
module attributes {bwgemm.description = "[1, 2"} {
}
