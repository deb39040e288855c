# lit configuration of the unit tests: every GoogleTest case counts by itself.

import os

import lit.formats


class BuiltUnitTests(lit.formats.GoogleTest):
    """The executables that this build made, whatever else lies beside them."""

    def __init__(self, list_file):
        super().__init__("bin", "Tests")
        with open(list_file) as names:
            self.built = set(names.read().split())

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        for test in super().getTestsInDirectory(
            suite, path_in_suite, lit_config, config
        ):
            if os.path.basename(test.file_path) in self.built:
                yield test


config.name = "bwgemm-unit"
config.test_source_root = os.path.join(config.bwgemm_build_root, "test", "unit")
config.test_exec_root = config.test_source_root
config.test_format = BuiltUnitTests(os.path.join(config.test_source_root, "tests.txt"))

# The tests see neither the user's bwgemm settings nor a libcuda put in front
# of the system's.
for name in list(config.environment):
    if name.startswith("BWGEMM_") or name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
        del config.environment[name]

if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 600
