#!/usr/bin/env python3
"""Adds up what the test runners report.

Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: count-results.py STATUS:REPORT.xml:SUITE[,SUITE...]...

STATUS is a runner's exit status, REPORT.xml its xunit report and SUITE the
suites of which at least one test must have run. The last line printed is
"N passed, N failed, N skipped". A runner that wrote no report, that failed
without a failed test, or a suite of which nothing ran counts as one failure.
The exit status is 0 when nothing failed.
"""

import collections
import os
import sys
import xml.etree.ElementTree as ElementTree


def read_report(path):
    """Yields (suite, test name, outcome, reason) for each test."""
    for suite in ElementTree.parse(path).getroot():
        for case in suite.findall("testcase"):
            name = f"{case.get('classname')}/{case.get('name')}"
            skipped = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                yield suite.get("name"), name, "failed", ""
            elif skipped is not None:
                # lit says "User interrupt" of a unit test that skips itself.
                reason = skipped.get("message") or ""
                if reason in ("", "User interrupt"):
                    reason = "by the test itself"
                yield suite.get("name"), name, "skipped", reason
            else:
                yield suite.get("name"), name, "passed", ""


def count_runner(argument, totals, problems):
    """Adds one runner's report to `totals`."""
    status, path, suites = argument.split(":")
    try:
        results = list(read_report(path))
    except (OSError, ElementTree.ParseError) as error:
        problems.append(f"no report of a test runner: {error}")
        return
    failed = 0
    ran = collections.Counter()
    for suite, name, outcome, reason in results:
        totals[outcome] += 1
        if outcome == "skipped":
            print(f"skipped: {name} ({reason})")
            continue
        ran[suite] += 1
        if outcome == "failed":
            failed += 1
            print(f"failed: {name}")
    for suite in suites.split(","):
        if not ran[suite]:
            problems.append(f"{os.path.basename(path)}: no test of {suite} ran")
    if status != "0" and not failed:
        problems.append(
            f"{os.path.basename(path)}: the runner ended with status {status} "
            "and no failed test"
        )


def main(arguments):
    totals = collections.Counter()
    problems = []
    for argument in arguments:
        count_runner(argument, totals, problems)
    for problem in problems:
        print(f"failed: {problem}")
    failed = totals["failed"] + len(problems)
    print(f"{totals['passed']} passed, {failed} failed, {totals['skipped']} skipped")
    return 1 if failed or not totals["passed"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
