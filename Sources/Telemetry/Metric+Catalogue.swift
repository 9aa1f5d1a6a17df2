/// All metrics of all services, in the order of the table in Telemetry.docc, which a test holds against a running
/// system. Base units: seconds, bytes.
extension Metric {
  /// Up to half a minute, which is the longest `Prefer: wait`.
  private static let requestBounds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]
  private static let commitBounds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
  private static let rowBounds = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]
  /// From a look-up in memory to a remote provider's answer.
  private static let lookupBounds = [
    0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5,
  ]

  // Every service.

  /// Readiness of the process: 0 or 1.
  package static let ready = Metric("onthemap_ready", .gauge, "1 while /readyz answers 200, else 0.")
  /// 1, with the version.
  package static let buildInfo = Metric(
    "onthemap_build_info", .gauge, "Always 1; the label is the program's version.", labels: ["version"])
  /// Seconds since 1970.
  package static let processStart = Metric(
    "process_start_time_seconds", .gauge, "When the process started, in seconds since 1970.")
  /// User and system.
  package static let processCPU = Metric(
    "process_cpu_seconds_total", .counter, "CPU time of the process, user and system.")
  /// Bytes.
  package static let processResident = Metric(
    "process_resident_memory_bytes", .gauge, "Memory of the process that is in RAM, shared pages among it.")
  /// Bytes.
  package static let processVirtual = Metric("process_virtual_memory_bytes", .gauge, "Address space of the process.")
  /// Open files and sockets.
  package static let processDescriptors = Metric("process_open_fds", .gauge, "Open file descriptors.")
  /// The limit of those.
  package static let processDescriptorsMax = Metric("process_max_fds", .gauge, "How many may be open.")
  /// Threads.
  package static let processThreads = Metric("process_threads", .gauge, "Threads of the process.")
  /// By template, method and status.
  package static let httpRequests = Metric(
    "onthemap_http_requests_total", .counter,
    "Requests answered, by the route's template, not the path; what is no HTTP is not among them.",
    labels: ["route", "method", "code"])
  /// At one service.
  package static let httpRejectedConnections = Metric(
    "onthemap_http_connections_turned_away_total", .counter,
    "Connections of an address that had as many as one may have.")
  /// By template and method.
  package static let httpDuration = Metric(
    "onthemap_http_request_duration_seconds", .histogram,
    "From a request's head until its answer can be sent; with Prefer: wait that is the wait.",
    labels: ["route", "method"], bounds: requestBounds)
  /// By link.
  package static let linkMalformed = Metric(
    "onthemap_link_malformed_frames_total", .counter, "Messages that the link's protocol forbids.", labels: ["link"])
  /// By link, at the end that connects.
  package static let linkReconnects = Metric(
    "onthemap_link_reconnects_total", .counter,
    "Connections to ingest that were made anew after its silence; libzmq's own are not among them.", labels: ["link"])
  /// By link and reason, at the end that listens.
  package static let linkHandshakes = Metric(
    "onthemap_link_handshakes_failed_total", .counter,
    "Peers kept out: denied (key not on the list), no_keys, wrong_key; at a link without keys: keys, no_zeromq.",
    labels: ["link", "reason"])

  // Ingest: the queue.

  /// By state.
  package static let queueJobs = Metric(
    "onthemap_queue_jobs", .gauge, "Posts in the queue by state; dead ones are out of it, and kept.", labels: ["state"])
  /// The limit of the depth.
  package static let queueMax = Metric(
    "onthemap_queue_jobs_max", .gauge, "Posts accepted and not settled, at most; further ones are refused.")
  /// Seconds.
  package static let queueOldest = Metric(
    "onthemap_queue_oldest_age_seconds", .gauge, "Since the oldest post of the queue was accepted; 0 when it is empty.")
  /// Seconds.
  package static let queueWait = Metric(
    "onthemap_queue_longest_wait_seconds", .gauge,
    "How long the ready post has waited for a worker that has done so longest; 0 while paused.")
  /// Look-ups.
  package static let queueLookups = Metric("onthemap_queue_lookups", .gauge, "Look-ups that wait for their answer.")
  /// 0 or 1.
  package static let queuePaused = Metric("onthemap_queue_paused", .gauge, "1 while an operator has paused the queue.")
  /// Jobs.
  package static let queueCredit = Metric(
    "onthemap_queue_credit", .gauge, "Jobs that may be sent to workers at once, of all sessions.")
  /// Sessions.
  package static let queueWorkers = Metric("onthemap_queue_workers", .gauge, "Sessions of workers.")
  /// By where they came from.
  package static let queueEnqueued = Metric(
    "onthemap_queue_enqueued_total", .counter, "Posts that came into the queue: over http, zeromq, or by retry.",
    labels: ["source"])
  /// By how they ended.
  package static let queueCompleted = Metric(
    "onthemap_queue_completed_total", .counter, "Posts that left the queue: published, rejected, dead, deleted.",
    labels: ["outcome"])
  /// Posts and look-ups.
  package static let queueRedelivered = Metric(
    "onthemap_queue_redelivered_total", .counter,
    "Jobs taken back from a worker without an answer, to go out again: released, lost on the way or with a worker.")
  /// Failed tries.
  package static let queueRetries = Metric(
    "onthemap_queue_retries_total", .counter, "Tries that failed and are repeated, those not started among them.")
  /// Counted against posts.
  package static let queueLosses = Metric(
    "onthemap_queue_lease_losses_total", .counter, "Posts whose worker was lost; the third loss makes one dead.")
  /// By what ingest said.
  package static let queueResults = Metric(
    "onthemap_queue_results_total", .counter,
    "Results acknowledged to workers: committed, duplicate, stale, retry_later.", labels: ["disposition"])
  /// Whole requests.
  package static let submitBatches = Metric(
    "onthemap_submit_batches_total", .counter, "Batches of producers that were taken in.")
  /// By receipt.
  package static let submitPosts = Metric(
    "onthemap_submit_posts_total", .counter,
    "Posts of producers by what they were told: accepted, replayed, or the code of the refusal.", labels: ["code"])
  /// By error.
  package static let submitErrors = Metric(
    "onthemap_submit_errors_total", .counter,
    "Requests of producers that failed as a whole: busy, unauthorized, malformed, unsupported_version, out_of_range.",
    labels: ["code"])
  /// The last change.
  package static let changesSeq = Metric(
    "onthemap_changes_seq", .gauge, "The number of the last change; a feed lags by so much as it has less.")
  /// Fetches.
  package static let changesFetches = Metric(
    "onthemap_changes_fetches_total", .counter, "Requests of feeds for changes.")

  // Ingest: the store.

  /// Seconds.
  package static let storeCommit = Metric(
    "onthemap_store_commit_duration_seconds", .histogram,
    "From the beginning of a transaction until it is on disk; one serves all who came meanwhile.", bounds: commitBounds)
  /// Rows.
  package static let storeRows = Metric(
    "onthemap_store_commit_rows", .histogram, "Rows that a commit inserted, updated or deleted.", bounds: rowBounds)
  /// Calls.
  package static let storeSyncs = Metric(
    "onthemap_store_wal_syncs_total", .counter,
    "Commits that changed something: each is one fdatasync of the WAL; those of checkpoints are not counted.")
  /// By SQLite's code.
  package static let storeErrors = Metric(
    "onthemap_store_errors_total", .counter,
    "Writes that failed, by SQLite's result code: full, ioerr, corrupt, other.",
    labels: ["code"])
  /// Number of scans, by outcome.
  package static let storeScans = Metric(
    "onthemap_store_scans_total", .counter,
    "Long reads by outcome: done, refused (no room, 503), ended (out of time or client gone).", labels: ["outcome"])
  /// Bytes.
  package static let storeWAL = Metric(
    "onthemap_store_wal_bytes", .gauge, "Size of the WAL's file, which is used again and does not shrink.")
  /// Bytes.
  package static let storeBytes = Metric("onthemap_store_database_bytes", .gauge, "Size of the database's file.")
  /// Free space, in bytes.
  package static let storeFree = Metric(
    "onthemap_store_free_bytes", .gauge, "Bytes that ingest may still fill on the data folder's file system.")
  /// Size of the file system, in bytes.
  package static let storeSize = Metric(
    "onthemap_store_filesystem_bytes", .gauge, "Size of the data folder's file system.")
  /// Full disk: 0 or 1.
  package static let storeFull = Metric(
    "onthemap_store_disk_full", .gauge,
    "1 while the disk is full or nearly full: ingest refuses writes that do not fit with 507.")

  // Geocoder.

  /// Seconds, by outcome.
  package static let geocodeDuration = Metric(
    "onthemap_geocode_duration_seconds", .histogram,
    "How long a job took a worker: located, not_found, failed, remote_needed.", labels: ["outcome"],
    bounds: lookupBounds)
  /// Sessions.
  package static let geocodeJoins = Metric(
    "onthemap_geocode_joins_total", .counter, "Sessions that ingest has opened for the workers of this process.")

  // Feed.

  /// The list's.
  package static let feedSeq = Metric("onthemap_feed_seq", .gauge, "The number of the last change that the feed has.")
  /// Seconds.
  package static let feedLastReply = Metric(
    "onthemap_feed_heard_age_seconds", .gauge, "Since ingest last answered the feed; it does so each second.")
  /// By kind.
  package static let feedSubscribers = Metric(
    "onthemap_feed_subscribers", .gauge,
    "Connections of subscribers: over zeromq, and streams of events over HTTP, sse.",
    labels: ["kind"])
  /// Slow readers.
  package static let feedStreamsDropped = Metric(
    "onthemap_feed_streams_dropped_total", .counter, "Streams that were cut off because their client did not read.")
  /// No room.
  package static let feedStreamsRefused = Metric(
    "onthemap_feed_streams_refused_total", .counter, "Streams that were refused because too many were open.")
  /// Joins.
  package static let feedJoins = Metric(
    "onthemap_feed_joins_total", .counter,
    "Snapshots that subscribers asked for: when they come, and when they have lost frames by reading too slowly.")
  /// Joins that found no room.
  package static let feedDropped = Metric(
    "onthemap_feed_joins_dropped_total", .counter, "Joins that were dropped because too many waited.")

  /// Questions.
  package static let feedQueries = Metric(
    "onthemap_feed_queries_total", .counter, "Questions that the feed has answered with its list or what changed.")
  /// Questions that were not as they should be, or too many.
  package static let feedQueriesRefused = Metric(
    "onthemap_feed_queries_refused_total", .counter,
    "Questions that the feed has answered with an error: no list yet, malformed, or too many.")

  /// By their names.
  package static let all: [String: Metric] = Dictionary(
    uniqueKeysWithValues: [
      ready, buildInfo, processStart, processCPU, processResident, processVirtual, processDescriptors,
      processDescriptorsMax, processThreads, httpRequests, httpRejectedConnections, httpDuration, linkMalformed, linkReconnects,
      linkHandshakes,
      queueJobs,
      queueMax, queueOldest, queueWait, queueLookups, queuePaused, queueCredit, queueWorkers, queueEnqueued,
      queueCompleted,
      queueRedelivered, queueRetries, queueLosses, queueResults, submitBatches, submitPosts, submitErrors, changesSeq,
      changesFetches, storeCommit, storeRows, storeSyncs, storeErrors, storeScans, storeWAL, storeBytes, storeFree,
      storeSize, storeFull, geocodeDuration,
      geocodeJoins, feedSeq, feedLastReply, feedSubscribers, feedStreamsDropped,
      feedStreamsRefused, feedJoins, feedDropped, feedQueries, feedQueriesRefused,
    ].map { ($0.name, $0) })
}
