import Testing

@testable import Domain

@Suite("Fair queue of ready jobs")
struct FairQueueTests {
  private func drain(_ queue: inout FairQueue) -> [JobID] {
    var jobs: [JobID] = []
    while let job = queue.popFirst() { jobs.append(job) }
    return jobs
  }

  private func post(_ number: UInt64) -> JobID { JobID(rawValue: number) }

  @Test("A lookup goes before waiting posts, and lookups and posts alternate")
  func lookups() {
    var queue = FairQueue()
    queue.append(post(1), account: AccountID(rawValue: 1))
    queue.append(JobID(lookup: 7), account: AccountID(rawValue: 1))
    queue.append(post(2), account: AccountID(rawValue: 2))
    queue.append(JobID(lookup: 8), account: AccountID(rawValue: 2))
    #expect(queue.count == 4)
    #expect(queue.popFirst() == JobID(lookup: 7))
    queue.append(JobID(lookup: 9), account: AccountID(rawValue: 3))
    #expect(drain(&queue) == [post(1), JobID(lookup: 8), post(2), JobID(lookup: 9)])
    #expect(queue.count == 0)
  }

  @Test("A thousand posts of one account do not delay the post of another")
  func fairness() {
    var queue = FairQueue()
    for number in 1...1_000 { queue.append(post(UInt64(number)), account: AccountID(rawValue: 1)) }
    queue.append(post(5_000), account: AccountID(rawValue: 2))
    queue.append(post(6_000), account: AccountID(rawValue: 3))
    #expect((0..<5).map { _ in queue.popFirst() } == [post(1), post(5_000), post(6_000), post(2), post(3)])
    #expect(drain(&queue) == (4...1_000).map { post($0) }, "An account's own posts keep their order.")
  }

  @Test("An account that queues again goes to the end of the rotation")
  func turns() {
    var queue = FairQueue()
    queue.append(post(1), account: AccountID(rawValue: 1))
    #expect(queue.popFirst() == post(1))
    queue.append(post(20), account: AccountID(rawValue: 2))
    queue.append(post(21), account: AccountID(rawValue: 2))
    queue.append(post(10), account: AccountID(rawValue: 1))
    #expect(drain(&queue) == [post(20), post(10), post(21)])
  }

  @Test("A removed lookup leaves the queue")
  func remove() {
    var queue = FairQueue()
    for number: UInt64 in 1...3 { queue.append(JobID(lookup: number), account: AccountID(rawValue: 0)) }
    queue.remove(lookup: JobID(lookup: 2))
    queue.remove(lookup: JobID(lookup: 9))
    #expect(queue.count == 2)
    #expect(drain(&queue) == [JobID(lookup: 1), JobID(lookup: 3)])
  }

  @Test("An empty queue returns no job")
  func empty() {
    var queue = FairQueue()
    #expect(queue.popFirst() == nil)
    queue.append(post(1), account: AccountID(rawValue: 1))
    #expect(queue.popFirst() == post(1))
    #expect(queue.popFirst() == nil)
    #expect(queue.count == 0)
  }
}
