/// Of accounts, sessions and logins.
extension Limits {
  /// Sessions of accounts: as long as the original service's.
  package static let sessionDays = 60
  /// Sessions that a new one looks at twice, to take away those that have expired: so these are about a sixteenth of
  /// all at most, and the work is the same however many there are.
  package static let sessionsSweptAtOnce = 16
  /// Sessions of one account that are listed: all can be ended at once, however many there are.
  package static let sessionsShownMax = 1_000
  /// Password hashes computed at once, on a machine with as many cores and no post under way: each takes 19 MiB and a
  /// core for some hundredths of a second.
  package static let passwordHashesAtOnceMax = 8
  /// Time without a post that comes or is settled, after which hashes use all cores.
  package static let passwordQuietMs: Int64 = 200
  /// Interval over which the rate of posts is measured, in milliseconds: a burst shows within it.
  package static let postFlowMs: Int64 = 1_000
  /// Posts a second from which they are heavy work. Below it hashes leave posts one core.
  package static let heavyPostsPerSecond = 200
  /// Beside heavy work, hashes use a sixteenth of the machine's cores. A machine of two cores that are both busy is
  /// slow with its disk, on which posts wait: with an eighth their p99 is more than doubled. About three hashes a
  /// second remain there.
  package static let passwordHashCoresShare = 16
  /// Requests that wait for their hash in one lane; above it 503. 200 logins a second for the 10 s of their deadline;
  /// each takes about 500 bytes beside its connection.
  package static let passwordHashesWaitingMax = 2_048
  /// Deadline of a request whose network has no turn; then 503.
  package static let passwordTurnWaitMs: Int64 = 10_000
  /// Deadline of a request behind others of its network, which has turns; then 503. A class of 300 behind one address
  /// takes 6 to 11 s on two idle cores, at 40 to 70 ms a hash.
  package static let passwordWaitMs: Int64 = 20_000
  /// Time between two looks at deadlines while requests wait.
  package static let passwordQueueTickMs: Int64 = 100
  /// The same while posts flow, to see a gap between them.
  package static let passwordQueueFlowTickMs: Int64 = 20
  /// Requests of a network go behind those of others for this time after a wrong password, if no right one follows.
  package static let passwordSuspectMs: Int64 = 600_000
  /// Networks remembered for that; each about 60 bytes.
  package static let passwordSuspectsMax = 50_000
  /// New accounts from one network at once, with an e-mail address and a password: a class of 300 that signs up in one
  /// lesson, and some who try twice. Above it 429 with Retry-After.
  package static let signUpsOfNetworkMax = 400
  /// From then on one for each such time: 60 an hour.
  package static let signUpIntervalMs: Int64 = 60_000
  /// Networks whose new accounts are counted; each about 100 bytes.
  package static let signUpNetworksMax = 50_000
  /// A hash that stands back behind all others is begun a second time beside them when it has not got its core within
  /// this time: on two cores that others keep busy it would take 8 to 21 s.
  package static let passwordHashHedgeDelayMs: Int64 = 1_000
  /// Then none stands back for so long.
  package static let passwordHashBoostMs: Int64 = 60_000
  /// A session's token: 256 bits in base64url.
  package static let sessionTokenBytes = 43
  /// Session tokens remembered between requests; each about 100 bytes.
  package static let sessionsCachedMax = 10_000
  /// Names of accounts kept in memory, for the posts that they publish.
  package static let namesCachedMax = sessionsCachedMax
  /// Wrong passwords for one account from one address that cost nothing but their hash; each further one comes after a
  /// pause.
  package static let loginAttemptsFree = 5
  /// The same from one address, at any account: a school or a company may have one address.
  package static let loginAttemptsOfAddressFree = 50
  /// The same for one account, from addresses that it is not logged in from.
  package static let loginAttemptsOfAccountFree = 100
  /// The first pause; each is twice as long as the one before.
  package static let loginPauseMs: Int64 = 1_000
  /// The longest pause. (ASVS 5.0, 6.3.1.)
  package static let loginPauseCapMs: Int64 = 900_000
  /// The longest pause of an account, which anybody can bring about.
  package static let loginPauseOfAccountCapMs: Int64 = 15_000
  /// Wrong tries are forgotten so long after the last one.
  package static let loginAttemptsExpiryMs: Int64 = 86_400_000
  /// Counts of wrong tries that are remembered; each about 150 bytes.
  package static let loginCountsMax = 50_000
  /// A login counts as one of just now for so long: it stands for the password where an account has none.
  package static let loginRecentMs: Int64 = 600_000
  /// What is kept of a client's name for itself, to be shown with its session.
  package static let agentBytesMax = 200
  /// A password that ingest makes for the operator to hand on: 120 random bits, typed once.
  package static let madePasswordBytes = 20
  /// The password file's entry of a user of this machine: the size that glibc suggests.
  package static let userEntryBytesMax = 16_384
  /// Posts that are deleted in one transaction when their account is: about as long as a commit takes anyway.
  package static let accountPostsErasedAtOnce = 100

  /// A provider's name for somebody. (OpenID Connect Core 1.0, section 2.)
  package static let subjectBytesMax = 255
  /// Identities of one account: somebody knows a few providers.
  package static let identitiesOfAccountMax = 16
  /// Logins that wait for a provider at once; above it 503. Each takes some seconds at most.
  package static let providerLoginsAtOnceMax = 32
  /// Time within which a person who was sent to a provider has to come back.
  package static let loginFlowMs: Int64 = 600_000
  /// Logins that were sent to a provider and have not come back; each about 500 bytes. Above it the network that has
  /// most loses its oldest.
  package static let loginFlowsMax = 10_000
  /// The same from one network; above it its oldest are forgotten.
  package static let loginFlowsOfNetworkMax = 200
  /// Where somebody wants to be after the login.
  package static let returnPathBytesMax = 512
}
