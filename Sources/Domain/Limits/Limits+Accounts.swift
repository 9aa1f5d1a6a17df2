/// Limits of accounts, sessions, logins and mails.
extension Limits {
  /// Lifetime of a session, in days, as in the original service.
  package static let sessionDays = 60
  /// Number of sessions of the account, and of all sessions, that the store checks for expiry with each new session. At
  /// most about a sixteenth of the stored sessions are therefore expired. The work does not grow with the number of
  /// sessions.
  package static let sessionsSweptPerBatch = 16
  /// Maximum number of sessions of one account in a list. Ending all sessions has no such limit.
  package static let sessionsShownMax = 1_000
  /// Memory of a new password hash, in KiB. No program computes a hash with more. Two passes over 19 MiB are OWASP's
  /// minimum.
  package static let passwordHashKiB = 19_456
  /// Smallest memory that argon2 can use, in KiB.
  package static let passwordHashKiBMin = 8
  /// Number of passes of a new password hash over its memory. No program computes a hash with more.
  package static let passwordHashPasses = 2
  /// Size of the salt of a password hash, in bytes.
  package static let passwordSaltBytes = 16
  /// Size of a password hash, in bytes.
  package static let passwordHashBytes = 32
  /// Maximum number of parallel password hashes. A machine with fewer cores, or with posts in progress, runs fewer.
  /// Each hash takes 19 MiB, and a core for 40 to 70 ms.
  package static let concurrentPasswordHashesMax = 8
  /// Time without an accepted or settled post, in milliseconds, after which hashes use all cores.
  package static let passwordQuietMs: Int64 = 200
  /// Interval over which the rate of posts is measured, in milliseconds. It is short enough to show a burst.
  package static let postFlowMs: Int64 = 1_000
  /// Rate from which posts count as heavy work, in posts per second. Below this rate, hashes leave one core to posts.
  package static let heavyPostsPerSecond = 200
  /// Divisor for hashes during heavy work. They then use a sixteenth of the machine's cores. On a two-core machine with
  /// two busy cores, the disk is slow, and posts wait for the disk. With an eighth, the posts' p99 latency more than
  /// doubled. A sixteenth leaves about three hashes per second on such a machine.
  package static let passwordHashCoresShare = 16
  /// Maximum number of requests that wait for their hash in one lane. Further requests get 503. The limit suffices for
  /// 200 logins per second during `passwordTurnWaitMs`. Each request takes about 500 bytes, besides its connection.
  package static let passwordHashesWaitingMax = 2_048
  /// Timeout of a request whose network gets no turn, in milliseconds. The request then gets 503.
  package static let passwordTurnWaitMs: Int64 = 10_000
  /// Timeout of a request whose network gets turns for its earlier requests, in milliseconds. The request then gets
  /// 503. A class of 300 behind one address takes 6 to 11 s on two idle cores, at 40 to 70 ms per hash.
  package static let passwordWaitMs: Int64 = 20_000
  /// Interval between two checks of deadlines while requests wait, in milliseconds.
  package static let passwordQueueTickMs: Int64 = 100
  /// Interval between two checks of deadlines while requests wait and posts flow, in milliseconds. It is short enough
  /// to detect a gap between posts.
  package static let passwordQueueFlowTickMs: Int64 = 20
  /// Time after a wrong password for which a network's requests wait in the lane for suspects, in milliseconds. A right
  /// password ends this time.
  package static let passwordSuspectMs: Int64 = 600_000
  /// Maximum number of networks remembered for a wrong password. Each takes about 60 bytes.
  package static let passwordSuspectsMax = 50_000
  /// Burst of new accounts with email address and password from one network. A class of 300 can sign up in one lesson,
  /// with some second attempts. Further requests get 429 with Retry-After.
  package static let signUpsOfNetworkMax = 400
  /// Interval between two new accounts after the burst, in milliseconds: 60 accounts per hour.
  package static let signUpIntervalMs: Int64 = 60_000
  /// Maximum number of networks whose new accounts are counted. Each takes about 100 bytes.
  package static let signUpNetworksMax = 50_000
  /// Time after the start of a low-priority hash at which a second copy starts at normal priority, in milliseconds. On
  /// two busy cores, the first copy would take 8 to 21 s.
  package static let passwordHashHedgeDelayMs: Int64 = 1_000
  /// Time for which no hash runs at low priority after a second copy has started, in milliseconds.
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
  package static let loginAttemptsOfNetworkFree = 50
  /// Number of wrong passwords for one account without a pause, from addresses where it has no session.
  package static let loginAttemptsOfAccountFree = 100
  /// First pause between login attempts, in milliseconds. Each further pause is twice as long.
  package static let loginPauseMs: Int64 = 1_000
  /// Longest pause between login attempts, in milliseconds (ASVS 5.0, 6.3.1).
  package static let loginPauseCapMs: Int64 = 900_000
  /// Longest pause between login attempts at an account from addresses where it has no session, in milliseconds. Any
  /// stranger can cause such a pause, so it is short.
  package static let loginPauseOfAccountCapMs: Int64 = 15_000
  /// Time after the last wrong password at which a count of wrong passwords expires, in milliseconds.
  package static let loginAttemptsExpiryMs: Int64 = 86_400_000
  /// Maximum number of stored counts of wrong passwords. Each takes about 150 bytes.
  package static let loginCountsMax = 50_000
  /// Age up to which a login counts as recent, in milliseconds. For an account without a password, a recent login
  /// replaces the confirmation by password.
  package static let loginRecentMs: Int64 = 600_000
  /// Maximum size of a user agent, in bytes. The store keeps the user agent with its session, for the list of sessions.
  package static let agentBytesMax = 200
  /// Length of a generated password, in bytes: 120 random bits. The operator passes the password on, and its owner
  /// types it once.
  package static let generatedPasswordBytes = 20
  /// Size of the buffer for one entry of this host's user database, in bytes, as glibc suggests.
  package static let userEntryBytesMax = 16_384
  /// Maximum size of the part of an email address before the @, in bytes (RFC 5321, section 4.5.3.1.1).
  package static let emailLocalPartBytesMax = 64
  /// Maximum size of a label of a host name, in bytes (RFC 1035, section 2.3.4).
  package static let hostLabelBytesMax = 63
  /// Number of posts that one transaction deletes when their account is deleted. They take about as long as a commit
  /// does.
  package static let accountPostsErasedPerBatch = 100

  /// Maximum size of a provider's name for a person, in bytes (OpenID Connect Core 1.0, section 2).
  package static let subjectBytesMax = 255
  /// Maximum number of identities of one account. A person uses a few providers.
  package static let identitiesOfAccountMax = 16
  /// Maximum number of logins that wait for a response of a provider. Further logins get 503. Each login waits at most
  /// a few seconds.
  package static let concurrentProviderLoginsMax = 32
  /// Time in which a person has to return from an identity provider, in milliseconds.
  package static let authorizationMs: Int64 = 600_000
  /// Maximum number of pending authorizations at identity providers. Each takes about 500 bytes. A further
  /// authorization evicts the oldest of the network that has the most.
  package static let authorizationsMax = 10_000
  /// Maximum number of pending authorizations of one network. A further authorization evicts the network's oldest.
  package static let authorizationsOfNetworkMax = 200
  /// Maximum size of the path to open after a login, in bytes.
  package static let returnPathBytesMax = 512

  /// Lifetime of a link that sets a new password, in milliseconds.
  package static let recoveryTokenMs: Int64 = 1_800_000
  /// Lifetime of a link that confirms an email address, in milliseconds.
  package static let confirmationTokenMs: Int64 = 86_400_000
  /// Length of a token, in bytes: 256 bits in base64url.
  package static let mailTokenBytes = 43
  /// Maximum number of valid tokens of an account for one purpose. A further token replaces the oldest.
  package static let mailTokensOfAccountMax = 5
  /// Number of expired tokens that the store removes with each new token. Expired tokens therefore never accumulate.
  package static let mailTokensSweptPerBatch = 16
  /// Burst of mails to one address, and of confirmation mails of one account. Its owner may mistype a link or look into
  /// the wrong mailbox.
  package static let mailsOfAddressMax = 3
  /// Interval after the burst between two mails to one address, or two confirmation mails of one account, in
  /// milliseconds: three mails per hour.
  package static let mailOfAddressIntervalMs: Int64 = 1_200_000
  /// Burst of mails on requests from one network. A class behind one address can ask in one lesson.
  package static let mailsOfNetworkMax = 60
  /// Interval between two mails on requests from one network after the burst, in milliseconds.
  package static let mailOfNetworkIntervalMs: Int64 = 60_000
  /// Maximum number of addresses, of accounts, and of networks whose mails are counted. Each takes about 100 bytes.
  package static let mailKeysMax = 50_000
  /// Maximum number of mails that wait or are being sent. Each takes about 3 KB. Requests for further mails get 503. A
  /// class of 300 can sign up at the same time.
  package static let mailsWaitingMax = 1_000
  /// Maximum number of parallel connections to the mail server. Many servers accept 10 to 20 of one client.
  package static let mailConnectionsMax = 4
  /// Timeout of the connection to the mail server, in milliseconds.
  package static let mailConnectMs = 10_000
  /// Timeout of the delivery of one mail to the mail server, in milliseconds.
  package static let mailSendMs = 20_000
  /// Maximum number of attempts to deliver a mail to the mail server.
  package static let mailAttemptsMax = 6
  /// Cap of the first pause before another attempt, in milliseconds. Each further cap is twice as long.
  package static let mailRetryMs: Int64 = 5_000
  /// Longest pause before another attempt, in milliseconds. Servers that defer unknown senders ask for minutes.
  package static let mailRetryCapMs: Int64 = 300_000
  /// Maximum size of the user or the password at the mail server, in bytes. Tokens of providers have a few hundred.
  package static let mailCredentialBytesMax = 1_024
  /// Maximum size of the operator's contact for users, in bytes.
  package static let operatorContactBytesMax = 254
  /// Maximum size of a mail's subject or of a name in its header, in bytes.
  package static let mailHeaderTextBytesMax = 400
}
