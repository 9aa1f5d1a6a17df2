// swift-tools-version: 6.2
import PackageDescription

// A warning fails the build in CI, and if STRICT is set. Elsewhere it stays a warning, because a newer compiler may
// warn about code that this compiler accepts.
let isStrict = ["CI", "STRICT"].contains { !(Context.environment[$0] ?? "").isEmpty }

// One set of rules for every target: language mode 6, and imports that say what they expose.
let strict: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

// Targets that are optimised in debug builds too. Their tests build a place index of 250,000 rows, run the simulation,
// the fuzz tests and the conformance suites thousands of times, and read all sources character by character.
let optimised: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let http: [Target.Dependency] = [
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "NIOCore", package: "swift-nio"),
]
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")

let package = Package(
  name: "onthemap",
  products: [
    .executable(name: "onthemap", targets: ["Commands"]),
    .executable(name: "bench", targets: ["Bench"]),
  ],
  // Exact versions. The packages give ranges for their own dependencies, so a new release of such a dependency may
  // change the program. deploy/packages.tsv therefore lists all packages with versions and licences. DependencyTests
  // compares the list with Package.resolved, and deploy/notices.sh prints the versions that were built.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
  ],
  targets: [
    // The numbers are layers. A target imports only lower layers. Tests/TidyTests/ImportLadderTests.swift checks that.
    .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CArgon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // System calls that Swift's Glibc module lacks.
    .systemLibrary(name: "CHost"),
    // Keeps an assertion of libzmq from ending the process.
    .target(name: "CEpollGuard"),
    // Restarts the program after a crash.
    .target(name: "CRestart"),
    // The OpenAPI documents of ingest and feed, embedded in the program.
    .target(name: "COpenAPI"),
    // The files of the web page, from Sources/WebPage, and of Leaflet, embedded in the program.
    .target(name: "CPage"),

    // 0: values, rules, limits, state machines. No I/O, no clock, no randomness of its own.
    .target(
      name: "Domain",
      dependencies: [
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ], swiftSettings: optimised),

    // 1: text to ranked places.
    .target(name: "Gazetteer", dependencies: ["Domain"], exclude: ["Data"], swiftSettings: optimised),
    // 2: the compiler of the file that the gazetteer reads.
    .target(name: "GazetteerBuild", dependencies: ["Domain", "Gazetteer"], swiftSettings: optimised),

    // 1: the protocols of a store, and group commit.
    .target(name: "Store", dependencies: ["Domain"], swiftSettings: strict),

    // 1: metrics, and their format for Prometheus.
    .target(name: "Telemetry", dependencies: [metrics], swiftSettings: strict),

    // 2: Messaging, SQLiteStore and PostgresStore. Each owns one kind of outside library.
    .target(
      name: "Messaging",
      dependencies: [
        "CEpollGuard", "CZeroMQ", "Domain", "Telemetry", logging, metrics,
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      swiftSettings: strict),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "CSQLite", "CSodium", "Domain", "Store", "Telemetry", logging, metrics,
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),

    .target(
      name: "PostgresStore",
      dependencies: [
        "CPostgreSQL", "Domain", "Store", "Telemetry", logging, metrics,
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: strict),

    // 2: mails.
    .target(
      name: "Mail", dependencies: ["CCurl", "Domain", "Telemetry", logging, metrics], swiftSettings: strict),

    // 1: HTTP requests. 2: remote geocoding, and sign-in with identity providers.
    .target(name: "HTTPClient", swiftSettings: strict),
    .target(name: "RemoteGeocoding", dependencies: ["HTTPClient", "Domain", logging], swiftSettings: strict),
    .target(name: "SignIn", dependencies: ["CSodium", "HTTPClient", "Domain"], swiftSettings: strict),

    .target(
      name: "Web",
      dependencies: http + [
        "COpenAPI", "CSodium", "CZlib", "Domain", "Telemetry", lifecycle, logging, metrics,
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOExtras", package: "swift-nio-extras"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strict),

    // 3: the services. Each can run in its own process. They communicate only as proto/ defines.
    .target(
      name: "Ingest",
      dependencies: http + [
        "CArgon2", "CPage", "CSodium", "Mail", "SignIn", "Messaging", "Domain", "Store", "Telemetry", "Web",
        lifecycle, logging, metrics,
      ], exclude: ["openapi.json"], swiftSettings: strict),
    .target(
      name: "Worker",
      dependencies: ["Gazetteer", "Messaging", "Domain", "RemoteGeocoding", "Telemetry", lifecycle, logging, metrics],
      swiftSettings: strict),
    .target(
      name: "Feed",
      dependencies: http + [
        "Messaging", "Domain", "Telemetry", "Web", lifecycle, logging, metrics,
        .product(name: "NIOPosix", package: "swift-nio"),
      ], exclude: ["openapi.json"], swiftSettings: strict),

    // 3: the load test of `onthemap load`.
    .target(
      name: "LoadTest",
      dependencies: [
        "Domain", "Gazetteer", "HTTPClient", "Messaging", logging,
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strict),
    // 3: the conformance tests of `onthemap conformance`, for programs of other authors.
    .target(name: "Conformance", dependencies: ["Messaging", "Domain", logging], swiftSettings: optimised),

    // 4: command line, configuration, wiring, signals. The name is not CommandLine, a type of the standard library.
    .executableTarget(
      name: "Commands",
      dependencies: [
        "CCurl", "CHost", "CRestart", "Conformance", "Feed", "Gazetteer", "GazetteerBuild", "HTTPClient", "LoadTest",
        "Mail", "SignIn", "Ingest", "Messaging", "Domain", "PostgresStore", "RemoteGeocoding", "SQLiteStore",
        "Telemetry", "Web", "Worker",
        lifecycle, logging, metrics,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], swiftSettings: strict),

    // The measurements of `make bench`.
    .systemLibrary(name: "CEpoll", path: "Tests/CEpoll"),
    .executableTarget(
      name: "Bench",
      dependencies: http + [
        "CEpoll", "CPostgreSQL", "Gazetteer", "Messaging", "Domain", "PostgresServer", "PostgresStore", "Store",
        logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "Tests/Bench", swiftSettings: strict),

    // Parsers of external bytes with the properties that must hold, for the tests and for `make fuzz`.
    .target(
      name: "FuzzTargets",
      dependencies: http + [
        "Ingest", "Domain", "SQLiteStore", "Store", "Web", logging, .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "Tests/FuzzTargets", exclude: ["Corpus"], swiftSettings: optimised),
    // Seeded random input, for the tests.
    .target(name: "Fuzzing", dependencies: ["Domain"], path: "Tests/Fuzzing", swiftSettings: optimised),
    // Stub servers of remote providers, for the tests.
    .target(name: "StubServers", dependencies: ["CSodium", "CZlib"], path: "Tests/StubServers", swiftSettings: strict),
    // Async versions of a store's calls, for the tests.
    .target(
      name: "StoreTesting", dependencies: ["Domain", "Store"], path: "Tests/StoreTesting", swiftSettings: strict),
    // PostgreSQL servers, for the tests.
    .target(name: "PostgresServer", path: "Tests/PostgresServer", swiftSettings: strict),
    .testTarget(name: "DomainTests", dependencies: ["Fuzzing", "Domain"], swiftSettings: strict),
    // Small gazetteers, built for the tests.
    .target(
      name: "GazetteerFixtures", dependencies: ["Gazetteer", "GazetteerBuild"], path: "Tests/GazetteerFixtures",
      swiftSettings: strict),
    .testTarget(
      name: "GazetteerTests", dependencies: ["Fuzzing", "Gazetteer", "GazetteerBuild", "GazetteerFixtures", "Domain"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "GazetteerBuildTests", dependencies: ["Gazetteer", "GazetteerBuild", "GazetteerFixtures", "Domain"],
      swiftSettings: strict),
    .testTarget(
      name: "MessagingTests",
      dependencies: ["Fuzzing", "Messaging", .product(name: "InMemoryLogging", package: "swift-log")],
      swiftSettings: strict),
    .testTarget(
      name: "ConformanceTests", dependencies: ["Conformance", "Messaging", "Domain", logging],
      swiftSettings: optimised),
    .testTarget(
      name: "SignInTests", dependencies: ["HTTPClient", "SignIn", "Domain", "StubServers"], swiftSettings: strict),
    .testTarget(
      name: "RemoteGeocodingTests",
      dependencies: [
        "Domain", "RemoteGeocoding", "StubServers", logging, .product(name: "InMemoryLogging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "Fuzzing", "SQLiteStore", "Store", "StoreTesting", .product(name: "InMemoryLogging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "PostgresStoreTests",
      dependencies: [
        "Domain", "PostgresServer", "PostgresStore", "SQLiteStore", "Store", "StoreTesting", logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "StoreConformanceTests",
      dependencies: [
        "Domain", "PostgresServer", "PostgresStore", "SQLiteStore", "Store", "StoreTesting", logging,
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: strict),
    .testTarget(
      name: "MailTests",
      dependencies: [
        "Domain", "Mail", "StubServers", logging, .product(name: "InMemoryLogging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(name: "HTTPClientTests", dependencies: ["HTTPClient", "StubServers"], swiftSettings: strict),
    .testTarget(name: "StoreTests", dependencies: ["Store"], swiftSettings: strict),
    .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", metrics], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "Fuzzing", "Domain", "PostgresStore", "SQLiteStore", "Store", "StoreTesting", logging,
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: optimised),
    .testTarget(
      name: "FeedTests",
      dependencies: http + [
        "Feed", "Messaging", "Domain", "StubServers", "Web", logging, metrics,
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "WebTests",
      dependencies: [
        "Domain", "StubServers", "Web", .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ],
      swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: optimised),
    .testTarget(
      name: "CommandsTests",
      dependencies: [
        "Commands", "Conformance", "Fuzzing", "Ingest", "LoadTest", "Mail", "Messaging", "Domain", "PostgresStore",
        "SQLiteStore", "Store", "StubServers", "Web", logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "InMemoryLogging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "LoadTestTests",
      dependencies: [
        "Domain", "LoadTest", "Messaging",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "WorkerTests", dependencies: ["Domain", "Messaging", "RemoteGeocoding", "StubServers", "Worker", logging],
      swiftSettings: strict),
    .testTarget(name: "DeployTests", swiftSettings: strict),
    .testTarget(
      name: "IngestTests",
      dependencies: http + [
        "CSodium", "FuzzTargets", "Fuzzing", "Mail", "SignIn", "Ingest", "Messaging", "Domain", "SQLiteStore",
        "StubServers", "Store", "Web", lifecycle, logging, metrics,
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "SystemTests", dependencies: ["CZeroMQ", "PostgresServer", "StubServers"], exclude: ["OpenAPI"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  // For `#embed`.
  cLanguageStandard: .c2x
)

// libFuzzer supplies the main function, so this target links only in a build with libFuzzer.
if Context.environment["FUZZER"] != nil {
  package.targets.append(
    .executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzzer", swiftSettings: strict))
}

// ONLY limits the package to one target and its dependencies. `make mutants` builds it many times.
if let only = Context.environment["ONLY"] {
  let all = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: [String: Target] = [:]
  var packages: Set<String> = []
  var open = [only]
  while let name = open.popLast() {
    guard needed[name] == nil, let target = all[name] else { continue }
    needed[name] = target
    for dependency in target.dependencies {
      switch dependency {
      case .productItem(_, let package?, _, _): packages.insert(package)
      case .byNameItem(let name, _), .targetItem(let name, _): open.append(name)
      default: break
      }
    }
  }
  package.products = []
  package.targets = package.targets.filter { needed[$0.name] != nil }
  package.dependencies.removeAll { dependency in
    if case .sourceControl(_, let location, _) = dependency.kind {
      !packages.contains { location.hasSuffix("/\($0)") }
    } else {
      true
    }
  }
}
