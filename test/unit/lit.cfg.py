# lit configuration of the unit tests: every GoogleTest case counts by itself.

import os

import lit.formats

config.name = "bwgemm-unit"
config.test_source_root = os.path.join(config.bwgemm_build_root, "test", "unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest("bin", "Tests")

# The tests see neither the user's bwgemm settings nor a libcuda put in front
# of the system's.
for name in list(config.environment):
    if name.startswith("BWGEMM_") or name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
        del config.environment[name]

if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 600
