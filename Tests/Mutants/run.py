"""Applies each mutant of list.diff to a copy of the tree and checks that the simulation finds it.

A mutant is a plausible programming error in production code. The simulation finds a mutant if one of the seeds of
`make test` violates a rule. The exit status is 1 if a mutant survives, cannot be applied or does not compile, or if a
seed violates a rule in the tree without mutants.

Arguments: names of mutants. All mutants by default. A run that finds all mutants writes found.tsv. The file has, for
each mutant, the lowest seed that finds the mutant, and the violation.
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
TARGET = "SimulationTests"
# Timeout of one command. Only a mutant that never ends takes that long.
SECONDS_MAX = 600
FOUND = re.compile(r"make simulation SIMULATION_SEED=(\d+): (.*)")
# The folder of a simulation. Its name differs in each run.
SIMULATION_FOLDER = re.compile(r"/\S*/onthemap-simulation-[^/]*/")


class Mutant(NamedTuple):
    name: str
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
        name, file = head.split()
        old = "\n".join(line[1:] for line in lines if line.startswith("-"))
        new = "\n".join(line[1:] for line in lines if line.startswith("+"))
        paths = files.get(file, [])
        count = paths[0].read_text().count(old) if len(paths) == 1 else 0
        if count != 1:
            errors.append(f"{name}: its old text occurs {count} times in {file}, of which there are {len(paths)}")
        else:
            found.append(Mutant(name, paths[0].relative_to(ROOT), old, new))
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


def swift(log: Path, *arguments: str) -> bool:
    """Runs a SwiftPM command in the copy, with its output in the log. Returns True on success."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "STRICT", "SIMULATION_SEED")}
    environment |= {"ONLY": TARGET, "SIMULATION_STOPS": "1"}
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


def run(name: str) -> tuple[str, tuple[int, str] | None]:
    """Builds the copy and runs the simulation. Returns the result for the table, and the lowest seed with a violation
    and its first violation."""
    log = WORK_FOLDER / f"{name}.log"
    log.unlink(missing_ok=True)
    if not swift(log, "build", "--build-tests"):
        return f"does not compile: see {log.relative_to(ROOT)}", None
    succeeded = swift(log, "test", "--skip-build", "--filter", f"{TARGET}/everything")
    violations = [(int(seed), text) for seed, text in FOUND.findall(log.read_text(errors="replace"))]
    if violations:
        seed, text = min(violations)
        return f"seed {seed}: {text}", (seed, SIMULATION_FOLDER.sub("", text.split("; ")[0]))
    return "no violation" if succeeded else f"no violation, but a failure: see {log.relative_to(ROOT)}", None


def main() -> None:
    every = mutants()
    unknown = set(sys.argv[1:]) - {mutant.name for mutant in every}
    if unknown:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}")
    selected = [mutant for mutant in every if not sys.argv[1:] or mutant.name in sys.argv[1:]]
    copy()
    began = time.monotonic()
    result, _ = run("none")
    print(f"{'without mutants':<44} {time.monotonic() - began:>4.0f} s  {result}", flush=True)
    if result != "no violation":
        sys.exit(1)
    survivors, record = [], []
    for mutant in selected:
        start = time.monotonic()
        target = TREE / mutant.path
        text = target.read_text()
        target.write_text(text.replace(mutant.old, mutant.new))
        try:
            result, found = run(mutant.name)
        finally:
            target.write_text(text)
        print(f"{mutant.name:<44} {time.monotonic() - start:>4.0f} s  {result}", flush=True)
        if found:
            record.append(f"{mutant.name}\t{found[0]}\t{found[1]}\n")
        else:
            survivors.append(mutant.name)
    minutes = (time.monotonic() - began) / 60
    print(f"{len(selected) - len(survivors)} of {len(selected)} mutants found in {minutes:.0f} minutes")
    if survivors:
        sys.exit(f"survivors: {', '.join(survivors)}")
    if selected == every:
        RECORD.write_text("mutant\tseed\tcomplaint\n" + "".join(record))


if __name__ == "__main__":
    main()
