"""Applies each mutant of list.diff to a copy of the tree and checks that its tests find it.

A mutant is a plausible programming error in production code. The simulation finds a mutant if one of the seeds of
`make test` violates a rule. A test suite finds a mutant if a test fails. The exit status is 1 if a mutant survives,
cannot be applied or does not compile, or if a test fails in the tree without mutants.

Arguments: names of mutants. All mutants by default. A run writes a line of found.tsv for each mutant that it finds:
the lowest seed and the violated rule, or the suite and the first failed test.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "Tests" / "Mutants" / "list.diff"
RECORD = LIST.with_name("found.tsv")
WORK_FOLDER = ROOT / ".build" / "mutants"
TREE = WORK_FOLDER / "tree"
SIMULATION = "SimulationTests.everything"
# Timeout of one command. Only a mutant that never ends takes that long.
SECONDS_MAX = 600
FOUND = re.compile(r"make simulation SIMULATION_SEED=(\d+): (.*)")
FAILED = re.compile(r'Test "?(.*?)"? recorded an issue')
# The folder of a simulation. Its name differs in each run.
SIMULATION_FOLDER = re.compile(r"/\S*/onthemap-simulation-[^/]*/")


class Mutant(NamedTuple):
    name: str
    # The tests that find the mutant: the target, a dot and a name in it.
    tests: str
    path: Path
    old: str
    new: str


def mutants() -> list[Mutant]:
    """Returns the mutants of the list. Ends the program if an old text does not occur exactly once."""
    files: dict[str, list[Path]] = {}
    for path in (ROOT / "Sources").rglob("*.swift"):
        files.setdefault(path.name, []).append(path)
    found, errors = [], []
    for block in LIST.read_text().split("\n@ ")[1:]:
        head, *lines = block.split("\n")
        name, file, *tests = head.split()
        old = "\n".join(line[1:] for line in lines if line.startswith("-"))
        new = "\n".join(line[1:] for line in lines if line.startswith("+"))
        paths = files.get(file, [])
        count = paths[0].read_text().count(old) if len(paths) == 1 else 0
        if count != 1:
            errors.append(f"{name}: its old text occurs {count} times in {file}, of which there are {len(paths)}")
        else:
            found.append(Mutant(name, "".join(tests) or SIMULATION, paths[0].relative_to(ROOT), old, new))
    if errors:
        sys.exit("\n".join(errors))
    return found


def copy() -> None:
    """Makes the copy equal to the working tree. Writes only different files, so that the build is incremental."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "Package.swift", "Sources", "Tests"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    copied = {Path(name) for name in listed if name and (ROOT / name).is_file()}
    if (ROOT / "Package.resolved").exists():
        copied.add(Path("Package.resolved"))
    for path in copied:
        source, target = ROOT / path, TREE / path
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    for path in TREE.rglob("*"):
        if path.is_file() and path.relative_to(TREE) not in copied:
            path.unlink()


def swift(log: Path, target: str, *arguments: str) -> bool:
    """Builds or tests one target with a SwiftPM command in the copy, with its output in the log. Returns True on success."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "STRICT", "SIMULATION_SEED")}
    environment |= {"ONLY": target, "SIMULATION_STOPS": "1", "NO_COLOR": "1"}
    with log.open("ab") as output:
        process = subprocess.Popen(
            ["swift", *arguments, "--package-path", TREE, "--scratch-path", WORK_FOLDER / "build"],
            env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )
        try:
            return process.wait(SECONDS_MAX) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def run(name: str, tests: str) -> tuple[str, tuple[str, str] | None]:
    """Builds the copy and runs tests. Returns the result for the table, and the two last columns of found.tsv."""
    log = WORK_FOLDER / f"{name}.log"
    log.unlink(missing_ok=True)
    target, _, suite = tests.partition(".")
    if not swift(log, target, "build", "--build-tests"):
        return f"does not compile: see {log.relative_to(ROOT)}", None
    succeeded = swift(log, target, "test", "--skip-build", "--filter", f"{target}.*{suite}")
    text = log.read_text(errors="replace")
    if tests == SIMULATION:
        violations = [(int(seed), rule) for seed, rule in FOUND.findall(text)]
        if violations:
            seed, rule = min(violations)
            return f"seed {seed}: {rule}", (str(seed), SIMULATION_FOLDER.sub("", rule.split("; ")[0]))
    elif failed := FAILED.search(text):
        return f"{suite}: {failed[1]}", (suite, failed[1])
    return "no violation" if succeeded else f"no violation, but a failure: see {log.relative_to(ROOT)}", None


def write_record(record: dict[str, tuple[str, str]], every: list[Mutant]) -> None:
    """Replaces the lines of found mutants in found.tsv, and removes those of mutants that are not on the list."""
    rows = dict(line.split("\t", 1) for line in RECORD.read_text().splitlines()[1:])
    rows |= {name: "\t".join(found) for name, found in record.items()}
    lines = [f"{mutant.name}\t{rows[mutant.name]}\n" for mutant in every if mutant.name in rows]
    RECORD.write_text("mutant\tseed or suite\tcomplaint\n" + "".join(lines))


def main() -> None:
    every = mutants()
    unknown = set(sys.argv[1:]) - {mutant.name for mutant in every}
    if unknown:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}")
    selected = [mutant for mutant in every if not sys.argv[1:] or mutant.name in sys.argv[1:]]
    copy()
    began = time.monotonic()
    for tests in sorted({mutant.tests for mutant in selected}):
        start = time.monotonic()
        result, _ = run("none", tests)
        print(f"{'without mutants':<44} {time.monotonic() - start:>4.0f} s  {tests}: {result}", flush=True)
        if result != "no violation":
            sys.exit(1)
    survivors, record = [], {}
    for mutant in selected:
        start = time.monotonic()
        target = TREE / mutant.path
        text = target.read_text()
        target.write_text(text.replace(mutant.old, mutant.new))
        try:
            result, found = run(mutant.name, mutant.tests)
        finally:
            target.write_text(text)
        print(f"{mutant.name:<44} {time.monotonic() - start:>4.0f} s  {result}", flush=True)
        if found:
            record[mutant.name] = found
        else:
            survivors.append(mutant.name)
    minutes = (time.monotonic() - began) / 60
    print(f"{len(selected) - len(survivors)} of {len(selected)} mutants found in {minutes:.0f} minutes")
    write_record(record, every)
    if survivors:
        sys.exit(f"survivors: {', '.join(survivors)}")


if __name__ == "__main__":
    main()
