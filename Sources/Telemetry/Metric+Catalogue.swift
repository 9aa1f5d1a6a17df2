/// All metrics of all services, in the order of the table in Telemetry.docc. A test compares the table with a running
/// system. Base units: seconds, bytes.
extension Metric {
  /// Bounds up to half a minute, the longest `Prefer: wait`.
  private static let requestBounds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]
  private static let commitBounds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
  private static let rowBounds = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]
  /// Bounds from a lookup in memory to a remote provider's response.
  private static let lookupBounds = [
    0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5,
  ]

  // Every service.

  /// Readiness of the process: 0 or 1.
  package static let ready = Metric("onthemap_ready", .gauge, "1 while /readyz answers 200, else 0.")
  /// Constant 1, with the version as label.
  package static let buildInfo = Metric(
    "onthemap_build_info", .gauge, "Always 1; the label is the program's version.", labels: ["version"])
  /// Start time of the process, in seconds since 1970.
  package static let processStart = Metric(
    "process_start_time_seconds", .gauge, "Start time of the process, in seconds since 1970.")
  /// CPU time of the process, user and system, in seconds.
  package static let processCPU = Metric(
    "process_cpu_seconds_total", .counter, "CPU time of the process, user and system.")
  /// Resident memory of the process, in bytes.
  package static let processResident = Metric(
    "process_resident_memory_bytes", .gauge, "Resident memory of the process, shared pages included.")
  /// Virtual memory of the process, in bytes.
  package static let processVirtual = Metric("process_virtual_memory_bytes", .gauge, "Address space of the process.")
  /// Number of open files and sockets.
  package static let processDescriptors = Metric("process_open_fds", .gauge, "Open file descriptors.")
  /// Maximum number of open files and sockets.
  package static let processDescriptorsMax = Metric(
    "process_max_fds", .gauge, "Maximum number of open file descriptors.")
  /// Number of threads.
  package static let processThreads = Metric("process_threads", .gauge, "Threads of the process.")
  /// Number of requests by route template, method and status.
  package static let httpRequests = Metric(
    "onthemap_http_requests_total", .counter,
    "HTTP requests answered, by route template, method and status code.",
    labels: ["route", "method", "code"])
  /// Number of HTTP connections refused because of the limit for their address.
  package static let httpRefusedConnections = Metric(
    "onthemap_http_connections_refused_total", .counter,
    "HTTP connections refused because their address has reached its connection limit.")
  /// Number of HTTP connections closed because all clients together left too much unread.
  package static let httpUnreadClosed = Metric(
    "onthemap_http_connections_unread_total", .counter,
    "HTTP connections closed because clients left too many bytes of responses unread.")
  /// Duration of requests by route template and method, in seconds.
  package static let httpDuration = Metric(
    "onthemap_http_request_duration_seconds", .histogram,
    "Time from a request's head to its response, the wait of Prefer: wait included.",
    labels: ["route", "method"], bounds: requestBounds)
  /// Number of malformed frames by link.
  package static let linkMalformed = Metric(
    "onthemap_link_malformed_frames_total", .counter, "Malformed frames received, by link.", labels: ["link"])
  /// Number of reconnects by link, at the connecting end.
  package static let linkReconnects = Metric(
    "onthemap_link_reconnects_total", .counter,
    "Reconnects after ingest was silent for 6 s, by link: jobs once per lost session, changes every 6 s of silence.",
    labels: ["link"])
  /// Number of changes to another address by link and reason, at the connecting end.
  package static let linkAddressChanges = Metric(
    "onthemap_link_address_changes_total", .counter,
    "Changes to the next address: silent, unreachable, refused, not_leading, lower_generation, goodbye.",
    labels: ["link", "reason"])
  /// Number of messages of an earlier start of ingest by link, at the connecting end.
  package static let linkRefusedStarts = Metric(
    "onthemap_link_starts_refused_total", .counter,
    "Messages refused because they came from an earlier start of ingest than one that the client has seen, by link.",
    labels: ["link"])
  /// Number of failed handshakes by link and reason, at the listening end.
  package static let linkHandshakes = Metric(
    "onthemap_link_handshakes_failed_total", .counter,
    "Failed handshakes: key_not_listed, plaintext_peer, wrong_server_key; without keys unexpected_curve, not_zeromq.",
    labels: ["link", "reason"])

  // Ingest and gateways: passwords.

  /// Number of password hashes computed in the process.
  package static let passwordHashes = Metric(
    "onthemap_password_hashes_total", .counter, "Password hashes that this process computed.")
  /// Number of password hashes that ingest requested from gateways, by outcome.
  package static let passwordHashesDelegated = Metric(
    "onthemap_password_hashes_delegated_total", .counter,
    "Password hashes that ingest requested from gateways, by outcome: computed, not_computed (or late), gone.",
    labels: ["outcome"])

  // Ingest: mails.

  /// Number of mails by purpose and outcome. Each failed attempt that is retried counts too.
  package static let mails = Metric(
    "onthemap_mails_total", .counter,
    "Mails by purpose (recovery, confirmation) and outcome: sent, retried, failed, refused (full queue).",
    labels: ["purpose", "outcome"])

  // Ingest: the queue.

  /// Number of posts by state.
  package static let queuePosts = Metric(
    "onthemap_queue_posts", .gauge, "Posts by queue state. Dead posts are kept outside of the queue.",
    labels: ["state"])
  /// Maximum depth of the queue.
  package static let queueMax = Metric(
    "onthemap_queue_posts_max", .gauge, "Maximum number of queued posts. Ingest refuses further posts.")
  /// Age of the oldest queued post, in seconds.
  package static let queueOldest = Metric(
    "onthemap_queue_oldest_age_seconds", .gauge, "Age of the oldest queued post; 0 if the queue is empty.")
  /// Longest wait of a ready post, in seconds.
  package static let queueWait = Metric(
    "onthemap_queue_longest_wait_seconds", .gauge,
    "Longest wait of a ready post for a worker; 0 while paused.")
  /// Number of lookups in progress.
  package static let queueLookups = Metric("onthemap_queue_lookups", .gauge, "Lookups in progress.")
  /// Pause of the queue: 0 or 1.
  package static let queuePaused = Metric("onthemap_queue_paused", .gauge, "1 while the queue is paused, else 0.")
  /// Number of jobs that all workers together can accept now.
  package static let queueCredit = Metric(
    "onthemap_queue_credit", .gauge, "Jobs that workers can accept now, over all sessions.")
  /// Number of workers' sessions.
  package static let queueWorkers = Metric("onthemap_queue_workers", .gauge, "Connected workers (sessions).")
  /// Number of posts added to the queue, by source.
  package static let queueEnqueued = Metric(
    "onthemap_queue_enqueued_total", .counter, "Posts added to the queue, by source: http, zeromq, retry.",
    labels: ["source"])
  /// Number of posts that left the queue, by outcome.
  package static let queueCompleted = Metric(
    "onthemap_queue_completed_total", .counter,
    "Posts removed from the queue, by outcome: published, rejected, dead, deleted.", labels: ["outcome"])
  /// Number of jobs returned to the queue without a result: posts and lookups.
  package static let queueRedelivered = Metric(
    "onthemap_queue_redelivered_total", .counter,
    "Jobs returned to the queue without a result: released, undelivered or lost with a worker.")
  /// Number of failed attempts that are retried.
  package static let queueRetries = Metric(
    "onthemap_queue_retries_total", .counter, "Failed attempts that are retried, not-started ones included.")
  /// Number of leases lost with their worker and counted against posts.
  package static let queueLosses = Metric(
    "onthemap_queue_lease_losses_total", .counter,
    "Leases of posts lost with their worker. A post is dead after the third.")
  /// Number of results by disposition.
  package static let queueResults = Metric(
    "onthemap_queue_results_total", .counter,
    "Results acknowledged to workers, by disposition: committed, duplicate, stale, retry_later.",
    labels: ["disposition"])
  /// Number of batches accepted from producers.
  package static let submitBatches = Metric(
    "onthemap_submit_batches_total", .counter, "Batches accepted from producers.")
  /// Number of posts from producers, by receipt.
  package static let submitPosts = Metric(
    "onthemap_submit_posts_total", .counter,
    "Posts from producers, by outcome: accepted, replayed, or the refusal's code.", labels: ["code"])
  /// Number of failed producer requests by code.
  package static let submitErrors = Metric(
    "onthemap_submit_errors_total", .counter,
    "Failed producer requests, by code: busy, unauthorized, malformed, unsupported_version, out_of_range, not_leading.",
    labels: ["code"])
  /// Sequence number of the last change.
  package static let changesSeq = Metric(
    "onthemap_changes_seq", .gauge,
    "Sequence number of the last change. A feed's lag is the difference to onthemap_feed_seq.")
  /// Number of fetches from feeds.
  package static let changesFetches = Metric(
    "onthemap_changes_fetches_total", .counter, "Fetch requests from feeds.")

  // Ingest: the store.

  /// Duration of commits, in seconds.
  package static let storeCommit = Metric(
    "onthemap_store_commit_duration_seconds", .histogram,
    "Duration of commits, fdatasync included. One commit serves all concurrent writers.", bounds: commitBounds)
  /// Number of rows changed per commit.
  package static let storeRows = Metric(
    "onthemap_store_commit_rows", .histogram, "Rows changed per commit.", bounds: rowBounds)
  /// Number of commits with a sync of the write-ahead log.
  package static let storeSyncs = Metric(
    "onthemap_store_wal_syncs_total", .counter,
    "Commits that changed rows, each with one fdatasync of the WAL. Checkpoint syncs are not counted.")
  /// Number of repeated commits.
  package static let storeRepetitions = Metric(
    "onthemap_store_repetitions_total", .counter,
    "Repetitions of commits that PostgreSQL did not confirm: lost connections, timeouts, conflicts.")
  /// Number of failed writes by kind of error.
  package static let storeErrors = Metric(
    "onthemap_store_errors_total", .counter,
    "Failed writes by kind of error: full, ioerr, corrupt, other.",
    labels: ["code"])
  /// Number of long reads of the database, by outcome.
  package static let storeScans = Metric(
    "onthemap_store_scans_total", .counter,
    "Long reads by outcome: done, refused (503), ended (timeout or client disconnected).", labels: ["outcome"])
  /// Size of the write-ahead log, in bytes.
  package static let storeWAL = Metric(
    "onthemap_store_wal_bytes", .gauge, "Size of the WAL file. SQLite reuses it; it does not shrink.")
  /// Size of the database, in bytes.
  package static let storeBytes = Metric("onthemap_store_database_bytes", .gauge, "Size of the database file.")
  /// Free space on the data folder's file system, in bytes.
  package static let storeFree = Metric(
    "onthemap_store_free_bytes", .gauge, "Free space available to ingest on the data folder's file system.")
  /// Size of the data folder's file system, in bytes.
  package static let storeSize = Metric(
    "onthemap_store_filesystem_bytes", .gauge, "Size of the data folder's file system.")
  /// Standby: 0 or 1.
  package static let storeStandby = Metric(
    "onthemap_store_standby", .gauge, "1 while this ingest is a standby, which takes over when the leader ends.")
  /// Full disk: 0 or 1.
  package static let storeFull = Metric(
    "onthemap_store_disk_full", .gauge,
    "1 while the disk is full or nearly full. Writes that do not fit get 507.")
  /// Time of the latest successful backup, in seconds since 1970.
  package static let backupLastSuccess = Metric(
    "onthemap_backup_last_success_timestamp_seconds", .gauge,
    "Start of the latest successful backup, in seconds since 1970; 0 if there was none.")
  /// Duration of the latest successful backup, in seconds.
  package static let backupDuration = Metric(
    "onthemap_backup_last_duration_seconds", .gauge,
    "Duration of the latest successful backup since ingest's start; 0 if there was none.")
  /// Number of failed backups.
  package static let backupFailures = Metric(
    "onthemap_backup_failures_total", .counter, "Failed backups. The log has the reason.")

  // Worker.

  /// Duration of jobs by outcome, in seconds.
  package static let geocodeDuration = Metric(
    "onthemap_geocode_duration_seconds", .histogram,
    "Duration of a job in the worker, by outcome: located, not_found, failed, remote_needed.", labels: ["outcome"],
    bounds: lookupBounds)
  /// Number of sessions that ingest has opened.
  package static let workerSessions = Metric(
    "onthemap_worker_sessions_total", .counter, "Sessions that ingest has opened for this process's workers.")

  // Feed.

  /// Sequence number of the feed's list.
  package static let feedSeq = Metric("onthemap_feed_seq", .gauge, "Sequence number of the feed's list.")
  /// Time since ingest's last reply, in seconds.
  package static let feedLastReply = Metric(
    "onthemap_feed_ingest_reply_age_seconds", .gauge,
    "Time since the last reply from ingest, or since the start without any. Normally below 1 s.")
  /// Number of subscribers by transport.
  package static let feedSubscribers = Metric(
    "onthemap_feed_subscribers", .gauge,
    "Connected subscribers, by transport: zeromq, sse.",
    labels: ["kind"])
  /// Number of event streams closed because the client did not read.
  package static let feedStreamsDropped = Metric(
    "onthemap_feed_streams_dropped_total", .counter, "Event streams closed because the client did not read.")
  /// Number of event streams refused because of the limit.
  package static let feedStreamsRefused = Metric(
    "onthemap_feed_streams_refused_total", .counter, "Event streams refused because the limit was reached.")
  /// Number of snapshots that subscribers requested.
  package static let feedJoins = Metric(
    "onthemap_feed_joins_total", .counter,
    "Snapshots requested by subscribers, at start or after lost frames.")
  /// Number of joins dropped because the queue was full.
  package static let feedDropped = Metric(
    "onthemap_feed_joins_dropped_total", .counter, "Joins dropped because too many waited.")

  /// Number of queries that got a list or a delta.
  package static let feedQueries = Metric(
    "onthemap_feed_queries_total", .counter, "Queries answered with a list or a delta.")
  /// Number of refused queries: malformed, too many, or without a list.
  package static let feedQueriesRefused = Metric(
    "onthemap_feed_queries_refused_total", .counter,
    "Queries answered with an error: no list yet, malformed, or too many.")

  /// Metrics by name.
  package static let all: [String: Metric] = Dictionary(
    uniqueKeysWithValues: [
      ready, buildInfo, processStart, processCPU, processResident, processVirtual, processDescriptors,
      processDescriptorsMax, processThreads, httpRequests, httpRefusedConnections, httpUnreadClosed, httpDuration,
      linkMalformed, linkReconnects, linkAddressChanges, linkRefusedStarts, linkHandshakes, passwordHashes,
      passwordHashesDelegated, mails, queuePosts, queueMax, queueOldest, queueWait, queueLookups, queuePaused,
      queueCredit,
      queueWorkers, queueEnqueued, queueCompleted, queueRedelivered, queueRetries, queueLosses, queueResults,
      submitBatches, submitPosts, submitErrors, changesSeq, changesFetches, storeCommit, storeRows, storeSyncs,
      storeRepetitions, storeErrors, storeScans, storeWAL, storeBytes, storeFree, storeSize, storeStandby, storeFull,
      geocodeDuration,
      workerSessions,
      feedSeq, feedLastReply, feedSubscribers, feedStreamsDropped, feedStreamsRefused, feedJoins, feedDropped,
      feedQueries, feedQueriesRefused,
    ].map { ($0.name, $0) })
}
