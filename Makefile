# make run        builds the release and runs all roles on this machine; ARGS="…" are arguments of `onthemap up`
# make test       all tests that a change must pass: style, protocol, unit, system and browser tests
# make check      the same without system, browser and protocol tests, and with fewer seeds of the simulation
# make system     the tests that start the built program
# make page       only the browser tests, with checks of durations
# make screenshots  every view of the page at three widths, in two themes and two languages, in .build/screenshots
# make speed      measures how fast the release's page loads and how smooth it stays; ARGS="--against COMMIT --check"
# make build      the debug program and its gazetteer
# make release    the release program, its gazetteer, and the third-party licences
# make gazetteer  only the gazetteer file, beside the debug program; with CONFIG=release, beside the release program
# make soak       runs the release at 1,000 posts/s, first undisturbed, then with kill -9; SOAK_RATE=… SOAK_SECONDS=…
# make faults     tests every fault on real processes: kill -9, disk, damage, network, clock, power; some need root;
#                 then kills and upgrades behind two gateways, and failovers of ingest and of PostgreSQL, with the
#                 release; FAULT_RUNS=… FAULT_SEED=…
# make failover   tests failovers of PostgreSQL by Patroni and etcd under load, with the release
# make fuzz       fuzzes every parser of external bytes, from new seeds and by coverage (libFuzzer), a minute each;
#                 FUZZ_SECONDS=… FUZZ_SEED=…
# make corpus     adds inputs of make fuzz with new coverage to the corpus
# make simulation  simulates all services with faults; SIMULATION_SEEDS=… number of runs, SIMULATION_SEED=… a single run
# make mutants    applies each mutant of the list, which its tests must detect; MUTANTS="…" selects mutants
# make bench      measures the release; YARDSTICKS=… names programs to compare, ARGS="…" are arguments of the bench
# make sanitize   the unit tests under the thread and the address sanitizer
# make proto      generates Swift from the .proto files, and adds new fields to the baseline
# make check-proto  fails if the generated Swift or the baseline differs from the .proto files
# make fmt        formats the hand-written Swift
# make lint       checks formats, and runs the linters of Swift, protobuf, Python, JavaScript, shell, Docker and Kubernetes
# make docs       all articles as one site, in .build/docs; a broken link is an error
# make lock       pins the tests' Python packages with hashes: from Tests/requirements.in to requirements.txt
# make setup      installs missing build requirements; setup-test, setup-bench and setup-failover install those of the
#                 tests, the bench and make failover
# make clean      removes all build products

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
# SwiftPM uses all cores and locks its build folder. Only the built tests run in parallel.
ifndef BESIDE
.NOTPARALLEL:
endif
.PHONY: run test test-rules test-links test-system test-page tests check system page screenshots speed soak faults failover fuzz corpus simulation mutants build release gazetteer bench sanitize proto \
	check-proto fmt lint docs lock clean setup setup-build setup-test setup-bench setup-failover

CONFIG ?= debug
ARGS ?=
# The release contains Swift's libraries, so it runs where no Swift is installed. It omits the run-time check for
# overlapping access to memory, which the debug build of the tests has. Both save 8 to 10 % of the CPU time of a post
# over HTTP. deploy/Dockerfile uses the same flags.
RELEASE_FLAGS := --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked
FLAGS_debug :=
FLAGS_release := $(RELEASE_FLAGS)
FUZZ_SECONDS ?= 60
SIMULATION_SEEDS ?= 20000
CORPUS := Tests/FuzzTargets/Corpus
export YARDSTICKS

# Folders are listed too, because they change when a file is removed.
SOURCES := Package.swift $(shell find Sources ! -path '*/Data' ! -path '*/Data/*' ! -path '*.docc*')
HAND_WRITTEN := Package.swift $(shell find Sources Tests -name '*.swift' ! -name '*.pb.swift' ! -path '*/Generated/*')
PLACES := $(sort $(wildcard Sources/Gazetteer/Data/*.tsv.xz))
SHELL_SCRIPTS := .ci/run $(shell find deploy Tests Sources -name '*.sh')
TOOLS := .venv/bin
MANIFESTS := $(filter-out %/kustomization.yaml,$(wildcard deploy/kubernetes/*.yaml))
PROTOS := $(shell find proto -name '*.proto')
GENERATED := Sources/Messaging/Generated
BASELINE := proto/baseline.binpb
DESCRIBE := $(TOOLS)/buf build proto --exclude-source-info -o
PLUGIN := .build/debug/protoc-gen-swift
# Protobuf types are internal to Messaging.
GENERATE := protoc --plugin=$(PLUGIN) -I proto $(PROTOS) \
	--swift_opt=UseAccessLevelOnImports=true --swift_opt=FileNaming=DropPath

# The licences are omitted, because only a package or an image needs them.
run: .build/release/onthemap .build/release/gazetteer.otm
	@exec .build/release/onthemap up $(ARGS)

# Limit the parallel tests of a process. Otherwise hundreds of tests queue for one thread per core, and a test that
# sleeps waits for all other tests. Tests with sockets, processes and browsers mostly wait, so the sets of tests run in
# parallel processes. `swift test` would allow only one process. Make starts the longest sets first, and prints the
# output of each set at its end.
TESTING := NO_COLOR=1 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 .build/debug/onthemapPackageTests.xctest \
	--testing-library swift-testing --parallel
BESIDE_EACH_OTHER := BESIDE=1 --no-print-directory --jobs=3 --keep-going --output-sync=target
BROWSER := .venv/bin/python -B -m pytest -q -p no:cacheprovider
# A set of tests prints thousands of lines, so a run that fails prints its failures again at its end.
RESULTS := .build/results
KEEP = 2>&1 | tee $(RESULTS)/$@.txt
FAILURES := echo "Failures:"; grep -hE -A 3 '✘|Fatal error|^(FAILED|ERROR) ' $(RESULTS)/*.txt | head -n 200
SOCKETS := ^(ConformanceTests|FeedTests|MessagingTests|RemoteGeocodingTests|WorkerTests|CommandsTests|DeployTests)\.

test: setup-test lint check-proto tests
	swift build --product bench
	@rm -rf $(RESULTS)
	@$(MAKE) $(BESIDE_EACH_OTHER) test-system test-page test-rules test-links || { $(FAILURES); exit 1; }

test-rules: | $(RESULTS)
	$(TESTING) --skip 'SystemTests|$(SOCKETS)' $(KEEP)

test-links: | $(RESULTS)
	$(TESTING) --filter '$(SOCKETS)' $(KEEP)

test-system: | $(RESULTS)
	$(TESTING) --filter SystemTests $(KEEP)

test-page: | $(RESULTS)
	$(BROWSER) -n 2 Tests/PageTests $(KEEP)

$(RESULTS):
	@mkdir -p $@

check: lint tests
	@rm -rf $(RESULTS)
	@SIMULATION_SEEDS=400 $(MAKE) $(BESIDE_EACH_OTHER) test-rules test-links || { $(FAILURES); exit 1; }

system: setup-test tests test-system

# The tests run alone on the machine, so they check the durations that people notice too.
page: setup-test build
	PAGE_TIMES=1 $(BROWSER) Tests/PageTests

screenshots: setup-test build
	.venv/bin/python -B Tests/PageTests/screenshots.py .build/screenshots

# Leave the machine idle meanwhile. ARGS="--check" fails if a limit is exceeded.
speed: setup-test .build/release/onthemap .build/release/gazetteer.otm
	.venv/bin/python -B Tests/PageTests/speed.py $(ARGS)

# The soak test runs the release, because the debug build cannot catch up at this rate after a role has been down.
soak: release tests
	SOAK=1 ONTHEMAP_BINARY="$(CURDIR)/.build/release/onthemap" swift test --skip-build --no-parallel --filter "SoakTests|AudienceTests|StoppedSubscriberTests"

# `make test` runs a quick part of these tests. They run in sequence, because they have deadlines. FAULT_SEED repeats
# the kills. The runs behind gateways and the failovers use the release, because the debug build cannot serve their
# rates. Each run has its own seed: FAULT_SEED=SEED FAULT_RUNS=1 repeats the run that printed the seed.
faults: setup-test release tests
	FAULTS=1 swift test --skip-build --no-parallel --filter FaultTests --skip "GatewayFaultTests|FailoverFaultTests"
	FAULTS=1 ONTHEMAP_BINARY="$(CURDIR)/.build/release/onthemap" swift test --skip-build --no-parallel --filter "GatewayFaultTests|FailoverFaultTests"

# Only this test has a real failover manager: Patroni with etcd. `make faults` promotes servers by itself, in many more
# runs.
failover: setup-failover release tests
	FAILOVER=1 ONTHEMAP_BINARY="$(CURDIR)/.build/release/onthemap" swift test --skip-build --no-parallel --filter PatroniTests

# A crash of FuzzTests prints a backtrace. The FUZZ_SEED that the run prints at its start repeats the crash. libFuzzer
# stores the input of a crash beside the corpus. Swift's backtracer is off, because libFuzzer must handle the signal.
fuzz: tests
	FUZZ_SECONDS=$(FUZZ_SECONDS) swift test --skip-build --filter FuzzTests
	FUZZER=1 swift build --scratch-path .build/fuzz --sanitize=fuzzer -Xswiftc -O --product Fuzzer
	for target in $(notdir $(wildcard $(CORPUS)/*)); do \
		mkdir -p .build/fuzz/corpus/$$target; \
		SWIFT_BACKTRACE=enable=no FUZZ_TARGET=$$target .build/fuzz/debug/Fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=5 -max_len=4096 \
			-artifact_prefix=.build/fuzz/found-$$target- .build/fuzz/corpus/$$target $(CORPUS)/$$target; \
	done

# Adds the inputs of `make fuzz` with coverage that no smaller input has.
corpus:
	for target in $(notdir $(wildcard $(CORPUS)/*)); do \
		FUZZ_TARGET=$$target .build/fuzz/debug/Fuzzer -merge=1 $(CORPUS)/$$target .build/fuzz/corpus/$$target; \
	done

# `make test` runs a part of the seeds.
simulation: tests
	SIMULATION_SEEDS=$(SIMULATION_SEEDS) swift test --skip-build --filter SimulationTests

# The script works on a copy, with the seeds of `make test`. Tests/Mutants/list.diff has the mutants.
mutants: setup-build
	python3 -B Tests/Mutants/run.py $(MUTANTS)

# Build only this product, because a build of everything would include a protobuf compiler in C++.
tests: .build/debug/gazetteer.otm
	swift build --product onthemapPackageTests

build: .build/debug/onthemap .build/debug/gazetteer.otm

release: .build/release/onthemap .build/release/gazetteer.otm .build/release/THIRD-PARTY-NOTICES.txt

gazetteer: .build/$(CONFIG)/gazetteer.otm

# Make compares the program with its sources, so that a second `make run` does not start SwiftPM. It touches the program
# only if SwiftPM had nothing to do, because SwiftPM would link a touched program again.
.build/debug/onthemap .build/release/onthemap: .build/%/onthemap: $(SOURCES) | setup-build
	swift build --configuration $* $(FLAGS_$*) --product onthemap
	@for file in $?; do if [[ $$file -nt $@ ]]; then touch $@; break; fi; done

# The program looks for its gazetteer in its own folder.
.build/debug/gazetteer.otm .build/release/gazetteer.otm: .build/%/gazetteer.otm: $(PLACES) \
		$(wildcard Sources/Gazetteer/*/*.swift Sources/GazetteerBuild/*/*.swift) | .build/%/onthemap
	xz -dc $(PLACES) | .build/$*/onthemap gazetteer build --output $@

# The third-party licences, for a package or an image of the program.
.build/release/THIRD-PARTY-NOTICES.txt: deploy/notices.sh deploy/packages.tsv $(wildcard deploy/licences/*) \
		| .build/release/onthemap
	deploy/notices.sh > $@

bench: setup-bench release
	swift build --configuration release $(RELEASE_FLAGS) --product bench
	.build/release/bench $(ARGS)

# The exit code decides, because a test with a race still prints "passed". The tests run in sequence, because the slow
# program would miss deadlines in parallel. The leak check is off. Swift stores pointers in other bits of a word, so the
# contents of static values look leaked.
sanitize: setup-build .build/debug/gazetteer.otm
	swift build --sanitize=thread --scratch-path .build/tsan --product onthemapPackageTests
	SIMULATION_SEEDS=400 TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt swift test --sanitize=thread \
		--scratch-path .build/tsan --skip-build --no-parallel --skip SystemTests
	swift build --sanitize=address --scratch-path .build/asan --product onthemapPackageTests
	SIMULATION_SEEDS=400 ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --scratch-path .build/asan --skip-build --no-parallel \
		--skip SystemTests

# The baseline has the published messages. New fields are added to the baseline only if no field number and no type has
# changed.
proto: setup-test $(PLUGIN)
	rm -rf $(GENERATED)
	mkdir -p $(GENERATED)
	$(GENERATE) --swift_out=$(GENERATED)
	$(TOOLS)/buf breaking proto --against $(BASELINE)
	$(DESCRIBE) $(BASELINE)

check-proto: setup-test $(PLUGIN)
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	$(GENERATE) --swift_out="$$fresh"; \
	diff -r "$$fresh" $(GENERATED) || { echo "$(GENERATED) does not come from proto/: run make proto" >&2; exit 1; }; \
	$(DESCRIBE) "$$fresh/baseline.binpb"; \
	cmp "$$fresh/baseline.binpb" $(BASELINE) || { echo "$(BASELINE) lacks a change of proto/: run make proto" >&2; exit 1; }

# The plugin has the version of the package's dependency, so that library and generated code match.
$(PLUGIN): Package.swift | setup-test
	swift build --product protoc-gen-swift
	@touch $@

fmt:
	@swift format format --in-place --parallel $(HAND_WRITTEN)

lint: setup-test
	@swift format lint --strict --parallel $(HAND_WRITTEN)
	@$(TOOLS)/buf lint proto
	@$(TOOLS)/buf breaking proto --against $(BASELINE)
	@$(TOOLS)/ruff check --quiet --no-cache
	@$(TOOLS)/oxlint --quiet --deny-warnings --config .oxlintrc.json Sources/WebPage deploy/examples
	@shellcheck $(SHELL_SCRIPTS)
	@$(TOOLS)/hadolint deploy/Dockerfile
	@$(TOOLS)/kubernetes-validate --strict --quiet $(MANIFESTS)

docs:
	@python3 -B deploy/docs.py .build/docs

lock:
	python3 -m venv --clear .build/uv
	.build/uv/bin/pip install --quiet --disable-pip-version-check uv==0.13.9
	.build/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--custom-compile-command "make lock" --output-file Tests/requirements.txt Tests/requirements.in

setup: setup-build

setup-build setup-test setup-bench setup-failover: setup-%:
	@deploy/setup.sh $*

clean:
	rm -rf .build .venv
