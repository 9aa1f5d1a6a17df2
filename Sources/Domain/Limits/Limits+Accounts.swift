/// Limits of accounts, sessions and logins.
extension Limits {
  /// Lifetime of a session, in days: the same as in the original service.
  package static let sessionDays = 60
  /// Number of sessions that each new session checks, twice, to delete expired ones. Expired sessions are therefore at
  /// most about a sixteenth of all. The work is the same for any number of sessions.
  package static let sessionsSweptAtOnce = 16
  /// Maximum number of sessions of one account in a list. Ending all sessions has no such limit.
  package static let sessionsShownMax = 1_000
  /// Maximum number of parallel password hashes, on a machine with as many cores and no post in progress. Each takes 19
  /// MiB and a core for some hundredths of a second.
  package static let passwordHashesAtOnceMax = 8
  /// Time without an accepted or settled post, in milliseconds, after which hashes use all cores.
  package static let passwordQuietMs: Int64 = 200
  /// Interval over which the rate of posts is measured, in milliseconds: short enough to show a burst.
  package static let postFlowMs: Int64 = 1_000
  /// Rate, in posts per second, from which posts are heavy work. Below it, hashes leave one core to posts.
  package static let heavyPostsPerSecond = 200
  /// Divisor of the machine's cores that hashes may use beside heavy work: a sixteenth. With both cores of a two-core
  /// machine busy, its disk is slow, and posts wait for the disk. An eighth more than doubled their p99. A sixteenth
  /// leaves about three hashes per second there.
  package static let passwordHashCoresShare = 16
  /// Maximum number of requests that wait for their hash in one lane. Above it, requests get 503. The limit is 200
  /// logins per second for the 10 s of their deadline. Each takes about 500 bytes beside its connection.
  package static let passwordHashesWaitingMax = 2_048
  /// Timeout of a request whose network gets no turn, in milliseconds. The request then gets 503.
  package static let passwordTurnWaitMs: Int64 = 10_000
  /// Timeout of a request behind others of its network, if the network gets turns, in milliseconds. The request then
  /// gets 503. A class of 300 behind one address takes 6 to 11 s on two idle cores, at 40 to 70 ms per hash.
  package static let passwordWaitMs: Int64 = 20_000
  /// Interval between two checks of deadlines while requests wait, in milliseconds.
  package static let passwordQueueTickMs: Int64 = 100
  /// Interval between these checks while posts flow, in milliseconds: short enough to detect a gap between posts.
  package static let passwordQueueFlowTickMs: Int64 = 20
  /// Time after a wrong password for which a network's requests go behind all others, in milliseconds. A right password
  /// ends it.
  package static let passwordSuspectMs: Int64 = 600_000
  /// Maximum number of networks remembered for a wrong password. Each takes about 60 bytes.
  package static let passwordSuspectsMax = 50_000
  /// Burst of new accounts with e-mail address and password from one network. A class of 300 can sign up in one lesson,
  /// with some second attempts. Above it, requests get 429 with Retry-After.
  package static let signUpsOfNetworkMax = 400
  /// Interval between two new accounts after the burst, in milliseconds: 60 accounts per hour.
  package static let signUpIntervalMs: Int64 = 60_000
  /// Maximum number of networks whose new accounts are counted. Each takes about 100 bytes.
  package static let signUpNetworksMax = 50_000
  /// Time that a low-priority hash waits for a core, in milliseconds, before a second copy starts at normal priority.
  /// On two cores that are kept busy, the first would take 8 to 21 s.
  package static let passwordHashHedgeDelayMs: Int64 = 1_000
  /// Time after a second copy for which no hash runs at low priority, in milliseconds.
  package static let passwordHashBoostMs: Int64 = 60_000
  /// Length of a session's token, in bytes: 256 bits in base64url.
  package static let sessionTokenBytes = 43
  /// Maximum number of cached session tokens. Each takes about 100 bytes.
  package static let sessionsCachedMax = 10_000
  /// Maximum number of cached account names, which published posts need.
  package static let namesCachedMax = sessionsCachedMax
  /// Number of wrong passwords for one account from one address without a pause. A pause precedes each further attempt.
  package static let loginAttemptsFree = 5
  /// Number of wrong passwords from one address, at any account, without a pause. A school or a company may have one
  /// address.
  package static let loginAttemptsOfAddressFree = 50
  /// Number of wrong passwords for one account without a pause, from addresses where it has no session.
  package static let loginAttemptsOfAccountFree = 100
  /// First pause between login attempts, in milliseconds. Each further pause is twice as long.
  package static let loginPauseMs: Int64 = 1_000
  /// Longest pause between login attempts, in milliseconds (ASVS 5.0, 6.3.1).
  package static let loginPauseCapMs: Int64 = 900_000
  /// Longest pause of an account, in milliseconds. Any stranger can cause such a pause, so it is short.
  package static let loginPauseOfAccountCapMs: Int64 = 15_000
  /// Time after the last wrong password at which the count is forgotten, in milliseconds.
  package static let loginAttemptsExpiryMs: Int64 = 86_400_000
  /// Maximum number of stored counts of wrong passwords. Each takes about 150 bytes.
  package static let loginCountsMax = 50_000
  /// Age up to which a login counts as recent, in milliseconds. A recent login replaces the password of an account that
  /// has none.
  package static let loginRecentMs: Int64 = 600_000
  /// Maximum size of a user agent, in bytes. The store keeps it with its session, to show it there.
  package static let agentBytesMax = 200
  /// Length of a generated password, in bytes: 120 random bits. The operator passes it on, and its owner types it once.
  package static let generatedPasswordBytes = 20
  /// Size of the buffer for one entry of this machine's user database, in bytes: the size that glibc suggests.
  package static let userEntryBytesMax = 16_384
  /// Number of posts deleted in one transaction when their account is deleted. They take about as long as a commit
  /// does.
  package static let accountPostsErasedAtOnce = 100

  /// Maximum size of a provider's name for a person, in bytes (OpenID Connect Core 1.0, section 2).
  package static let subjectBytesMax = 255
  /// Maximum number of identities of one account. A person uses a few providers.
  package static let identitiesOfAccountMax = 16
  /// Maximum number of logins that wait for a provider. Above it, logins get 503. Each takes some seconds at most.
  package static let providerLoginsAtOnceMax = 32
  /// Time in which a person has to come back from a provider, in milliseconds.
  package static let loginFlowMs: Int64 = 600_000
  /// Maximum number of logins that have not come back from a provider. Each takes about 500 bytes. Above it, the
  /// network with the most loses its oldest.
  package static let loginFlowsMax = 10_000
  /// Maximum number of such logins from one network. Above it, the oldest are forgotten.
  package static let loginFlowsOfNetworkMax = 200
  /// Maximum size of the path to open after a login, in bytes.
  package static let returnPathBytesMax = 512
}
