import CPostgreSQL

/// The warnings of a connection. libpq reports them on the thread that reads results.
final class NoticeLog {
  /// The first warning since the last `clear`. Nil if there was none.
  private(set) var warning: String?

  /// Registers the log as the receiver of a connection's notices. The log must live as long as the connection.
  func attach(to handle: OpaquePointer) {
    PQsetNoticeReceiver(
      handle,
      { context, result in
        guard let context, let result else { return }
        Unmanaged<NoticeLog>.fromOpaque(context).takeUnretainedValue().receive(result)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func clear() { warning = nil }

  private func receive(_ result: OpaquePointer) {
    // A cancelled wait for a standby has this severity, and no SQLSTATE of its own.
    guard warning == nil, let severity = otm_pg_severity(result), String(cString: severity) == "WARNING" else { return }
    // A server that runs out of transaction ids says so in every transaction, and commits it.
    let source = otm_pg_source_function(result).map { String(cString: $0) } ?? ""
    guard !["GetNewTransactionId", "GetNewMultiXactId"].contains(source) else { return }
    warning = otm_pg_message(result).map { String(cString: $0) } ?? "unknown"
  }
}
