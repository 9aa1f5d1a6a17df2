/// Of accounts, sessions and logins.
extension Limits {
  /// Sessions of accounts: as long as the original service's.
  package static let sessionDays = 60
  /// Sessions that a new one looks at twice, to take away those that have expired: so these are about a sixteenth of
  /// all at most, and the work is the same however many there are.
  package static let sessionsSweptAtOnce = 16
  /// Sessions of one account that are listed: all can be ended at once, however many there are.
  package static let sessionsShownMax = 1_000
  /// Password hashes computed at once: each takes 19 MiB and about 45 ms of a core.
  package static let passwordHashesAtOnceMax = 2
  /// Logins and sign-ups that wait for their hash; above it 503.
  package static let passwordHashesWaitingMax = 32
  /// A session's token: 256 bits in base64url.
  package static let sessionTokenBytes = 43
  /// Session tokens remembered between requests; each about 100 bytes.
  package static let sessionsCachedMax = 10_000
  /// Names of accounts kept in memory, for the posts that they publish.
  package static let namesCachedMax = sessionsCachedMax
  /// Posts that are deleted in one transaction when their account is: about as long as a commit takes anyway.
  package static let accountPostsErasedAtOnce = 100
}
