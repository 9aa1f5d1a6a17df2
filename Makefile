# make run        builds the release and starts everything on this machine; ARGS="…" goes to `onthemap up`
# make test       everything that a change must pass: style, protocol, unit, system and browser tests
# make check      the same without system tests, browser and protocol, and with fewer seeds of the simulation
# make system     the tests that start the built program
# make page       the tests of the page, in a browser
# make screenshots  every view of the page, phone and desktop, light and dark, in .build/screenshots
# make build      the program in its debug form, and its gazetteer
# make release    the program in its release form, its gazetteer, and the licences of what it contains
# make gazetteer  only the gazetteer file, beside the debug program; CONFIG=release beside the other
# make soak       the release at 1,000 posts/s, left alone and then with kill -9; SOAK_RATE=… SOAK_SECONDS=…
# make faults     every fault on real processes: kill -9, disk, damage, network, clock, power; root does more of them
# make fuzz       what reads bytes from outside, from new seeds and by coverage (libFuzzer), a minute for each reader;
#                 FUZZ_SECONDS=… FUZZ_SEED=…
# make corpus     keeps what make fuzz has found to reach more
# make simulation  the whole under simulated trouble; SIMULATION_SEEDS=… how many runs, SIMULATION_SEED=… only that one
# make mutants    one mistake after the other in production code, each to be found by the simulation; MUTANTS="…" only these
# make bench      measures the release; YARDSTICKS=… names what to measure beside it, ARGS="…" goes to the bench
# make sanitize   the unit tests under the thread and the address sanitizer
# make proto      Swift from the .proto files
# make check-proto  refuses generated Swift that does not come from these .proto files
# make fmt        formats what is written by hand
# make lint       checks formats, and runs the linters of each language: Swift, protobuf, Python, JavaScript, shell, Dockerfile
# make docs       all articles as one site, in .build/docs; a broken link is an error
# make lock       pins the tests' Python packages with their hashes: Tests/requirements.in to requirements.txt
# make setup      installs what is missing for a build; setup-test and setup-bench what is missing for those
# make clean      removes all that was made

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
# SwiftPM uses all cores, and locks its folder against a second one. Only tests that are built run beside each other.
ifndef BESIDE
.NOTPARALLEL:
endif
.PHONY: run test test-rules test-links test-system test-page tests check system page screenshots soak faults fuzz corpus simulation mutants build release gazetteer bench sanitize proto \
	check-proto fmt lint docs lock clean setup setup-build setup-test setup-bench

CONFIG ?= debug
ARGS ?=
# The release contains Swift's libraries, so it runs where no Swift is installed. It omits the run-time check for
# overlapping access to memory, which the tests' debug form makes. Both save 8 to 10 % of the CPU time of a post over
# HTTP. deploy/Dockerfile uses the same flags.
RELEASE_FLAGS := --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked
FLAGS_debug :=
FLAGS_release := $(RELEASE_FLAGS)
FUZZ_SECONDS ?= 60
SIMULATION_SEEDS ?= 20000
CORPUS := Tests/FuzzTargets/Corpus
export YARDSTICKS

# Folders are listed too: they change when a file goes.
SOURCES := Package.swift $(shell find Sources ! -path '*/Data' ! -path '*/Data/*' ! -path '*.docc*')
HAND_WRITTEN := Package.swift $(shell find Sources Tests -name '*.swift' ! -name '*.pb.swift' ! -path '*/Generated/*')
PLACES := $(sort $(wildcard Sources/Gazetteer/Data/*.tsv.xz))
SHELL_SCRIPTS := .ci/run $(shell find deploy Tests Sources -name '*.sh')
TOOLS := .venv/bin
PROTOS := $(shell find proto -name '*.proto')
GENERATED := Sources/Messaging/Generated
PLUGIN := .build/debug/protoc-gen-swift
# Internal to Messaging: nobody else sees a protobuf type.
GENERATE := protoc --plugin=$(PLUGIN) -I proto $(PROTOS) \
	--swift_opt=UseAccessLevelOnImports=true --swift_opt=FileNaming=DropPath

# Without the licences, which only a package or an image needs.
run: .build/release/onthemap .build/release/gazetteer.otm
	@exec .build/release/onthemap up $(ARGS)

# All at once, hundreds of tests queue for as many threads as there are cores, and whoever sleeps for a moment comes
# last again: a few at a time keep each one's time its own. Tests with sockets, processes and browsers mostly wait, so
# the sets run beside each other, each in a process of its own: `swift test` lets only one run. Make starts the longest
# ones first, and shows each set's output at its end, so that the verdict is what one reads.
TESTING := NO_COLOR=1 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 .build/debug/onthemapPackageTests.xctest \
	--testing-library swift-testing --parallel
BESIDE_EACH_OTHER := BESIDE=1 --no-print-directory --jobs=3 --keep-going --output-sync=target
BROWSER := .venv/bin/python -B -m pytest -q -p no:cacheprovider
SOCKETS := ^(ConformanceTests|FeedTests|MessagingTests|RemoteGeocodingTests|WorkerTests|CommandsTests|DeployTests)\.

test: setup-test lint check-proto tests
	swift build --product bench
	$(MAKE) $(BESIDE_EACH_OTHER) test-system test-page test-rules test-links

test-rules:
	$(TESTING) --skip 'SystemTests|$(SOCKETS)'

test-links:
	$(TESTING) --filter '$(SOCKETS)'

test-system:
	$(TESTING) --filter SystemTests

test-page:
	$(BROWSER) -n 2 Tests/PageTests

check: lint tests
	SIMULATION_SEEDS=400 $(MAKE) $(BESIDE_EACH_OTHER) test-rules test-links

system: setup-test tests test-system

# Alone on the machine, so that the durations that people feel are judged too.
page: setup-test build
	PAGE_TIMES=1 $(BROWSER) Tests/PageTests

screenshots: setup-test build
	.venv/bin/python -B Tests/PageTests/screenshots.py .build/screenshots

# The release: at this rate the debug form has nothing to spare for what is left lying while a role is gone.
soak: release tests
	SOAK=1 ONTHEMAP_BINARY="$(CURDIR)/.build/release/onthemap" swift test --skip-build --no-parallel --filter "SoakTests|AudienceTests|StoppedSubscriberTests"

# The quick part of them is in `make test`. One after the other: they have deadlines. FAULT_SEED repeats the kills.
faults: setup-test tests
	FAULTS=1 swift test --skip-build --no-parallel --filter FaultTests

# A round that ends the process is found by its backtrace, and comes again from the FUZZ_SEED that is told at the start;
# an input that does is left beside the corpus, for which libFuzzer must hear of it before Swift does.
fuzz: tests
	FUZZ_SECONDS=$(FUZZ_SECONDS) swift test --skip-build --filter FuzzTests
	FUZZER=1 swift build --scratch-path .build/fuzz --sanitize=fuzzer -Xswiftc -O --product Fuzzer
	for target in $(notdir $(wildcard $(CORPUS)/*)); do \
		mkdir -p .build/fuzz/corpus/$$target; \
		SWIFT_BACKTRACE=enable=no FUZZ_TARGET=$$target .build/fuzz/debug/Fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=5 -max_len=4096 \
			-artifact_prefix=.build/fuzz/found-$$target- .build/fuzz/corpus/$$target $(CORPUS)/$$target; \
	done

# Adds what `make fuzz` has found to reach more to the corpus, each for something that nothing smaller reaches.
corpus:
	for target in $(notdir $(wildcard $(CORPUS)/*)); do \
		FUZZ_TARGET=$$target .build/fuzz/debug/Fuzzer -merge=1 $(CORPUS)/$$target .build/fuzz/corpus/$$target; \
	done

# A part of the seeds runs in `make test`.
simulation: tests
	SIMULATION_SEEDS=$(SIMULATION_SEEDS) swift test --skip-build --filter SimulationTests

# In a copy, with the seeds of `make test`. Tests/Mutants/list.diff is the list.
mutants: setup-build
	python3 -B Tests/Mutants/run.py $(MUTANTS)

# By name: everything there is to build would include a protobuf compiler in C++.
tests: .build/debug/gazetteer.otm
	swift build --product onthemapPackageTests

build: .build/debug/onthemap .build/debug/gazetteer.otm

release: .build/release/onthemap .build/release/gazetteer.otm .build/release/THIRD-PARTY-NOTICES.txt

gazetteer: .build/$(CONFIG)/gazetteer.otm

# A file like any other to make, so that a second `make run` need not ask SwiftPM whether anything changed. Touched
# only where SwiftPM saw nothing to do, for it links again what somebody else touched.
.build/debug/onthemap .build/release/onthemap: .build/%/onthemap: $(SOURCES) | setup-build
	swift build --configuration $* $(FLAGS_$*) --product onthemap
	@for file in $?; do if [[ $$file -nt $@ ]]; then touch $@; break; fi; done

# The program looks for it beside itself.
.build/debug/gazetteer.otm .build/release/gazetteer.otm: .build/%/gazetteer.otm: $(PLACES) \
		$(wildcard Sources/Gazetteer/*/*.swift Sources/GazetteerBuild/*/*.swift) | .build/%/onthemap
	xz -dc $(PLACES) | .build/$*/onthemap gazetteer build --output $@

# The licences of what the program contains, for a package or an image that carries it.
.build/release/THIRD-PARTY-NOTICES.txt: deploy/notices.sh deploy/packages.tsv $(wildcard deploy/licences/*) \
		| .build/release/onthemap
	deploy/notices.sh > $@

bench: setup-bench release
	swift build --configuration release $(RELEASE_FLAGS) --product bench
	.build/release/bench $(ARGS)

# Judged by the exit code: a race prints "passed" all the same. One test after the other: so slow a program would miss
# the deadlines of those beside it. Leaks are not looked for: Swift hides pointers in other bits of a word, and what a
# static value holds looks lost.
sanitize: setup-build .build/debug/gazetteer.otm
	swift build --sanitize=thread --scratch-path .build/tsan --product onthemapPackageTests
	SIMULATION_SEEDS=400 TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt swift test --sanitize=thread \
		--scratch-path .build/tsan --skip-build --no-parallel --skip SystemTests
	swift build --sanitize=address --scratch-path .build/asan --product onthemapPackageTests
	SIMULATION_SEEDS=400 ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --scratch-path .build/asan --skip-build --no-parallel \
		--skip SystemTests

proto: setup-test $(PLUGIN)
	rm -rf $(GENERATED)
	mkdir -p $(GENERATED)
	$(GENERATE) --swift_out=$(GENERATED)

check-proto: setup-test $(PLUGIN)
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	$(GENERATE) --swift_out="$$fresh"; \
	diff -r "$$fresh" $(GENERATED) || { echo "$(GENERATED) does not come from proto/: run make proto" >&2; exit 1; }

# Of the version that the package depends on, so that library and generated code fit.
$(PLUGIN): Package.swift | setup-test
	swift build --product protoc-gen-swift
	@touch $@

fmt:
	@swift format format --in-place --parallel $(HAND_WRITTEN)

lint: setup-test
	@swift format lint --strict --parallel $(HAND_WRITTEN)
	@$(TOOLS)/buf lint proto
	@# Against the messages as others may have built on them: no number or type on the wire may change.
	@$(TOOLS)/buf breaking proto --against proto/baseline.binpb
	@$(TOOLS)/ruff check --quiet --no-cache
	@$(TOOLS)/oxlint --quiet --deny-warnings --config .oxlintrc.json Sources/WebPage deploy/examples
	@shellcheck $(SHELL_SCRIPTS)
	@$(TOOLS)/hadolint deploy/Dockerfile

docs:
	@python3 -B deploy/docs.py .build/docs

lock:
	python3 -m venv --clear .build/uv
	.build/uv/bin/pip install --quiet --disable-pip-version-check uv==0.13.9
	.build/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--custom-compile-command "make lock" --output-file Tests/requirements.txt Tests/requirements.in

setup: setup-build

setup-build setup-test setup-bench: setup-%:
	@deploy/setup.sh $*

clean:
	rm -rf .build .venv
