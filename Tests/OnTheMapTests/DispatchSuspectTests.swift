import Testing

@testable import OnTheMap

@Suite("Dispatch: jobs that workers were lost over")
struct DispatchSuspectTests {
  private var dispatch = Dispatch(boot: 1)

  /// Loses every worker that there is, by silence.
  private mutating func loseAll(nowMs: inout Int64) -> Dispatch.Losses {
    dispatch.beat(from: nowMs, through: nowMs + Limits.livenessMs)
    nowMs += Limits.livenessMs + 1
    return dispatch.expire(nowMs: nowMs).losses
  }

  @Test("One that kills each worker dies of it alone: those that were with it twice are not buried with it")
  mutating func isolated() {
    let poison = JobID(rawValue: 1)
    dispatch.add((1...20).map { Job.post($0) })
    var nowMs: Int64 = 0
    var dead: [JobID] = []
    var settled: Set<JobID> = []
    for round in 1...3 {
      let session = dispatch.join(instance: UInt8(round), credit: 64, nowMs: nowMs)
      while true {
        let out = dispatch.assign(nowMs: nowMs).flatMap(\.jobs)
        // The worker dies before it answers any other that came with it.
        if out.isEmpty || out.contains(where: { $0.job.id == poison }) { break }
        for assignment in out {
          #expect(round < 3 || out.count == 1, "A suspect goes out alone.")
          _ = dispatch.judge(.found(assignment.lease))
          dispatch.settled(assignment.job.id)
          settled.insert(assignment.job.id)
        }
      }
      dead += loseAll(nowMs: &nowMs).dead
      #expect(dispatch.sessions[session] == nil)
    }
    #expect(dead == [poison])
    // The others that were behind it go out to the next worker.
    _ = dispatch.join(instance: 9, credit: 64, nowMs: nowMs)
    while let out = dispatch.assign(nowMs: nowMs).first?.jobs {
      for assignment in out {
        _ = dispatch.judge(.found(assignment.lease))
        dispatch.settled(assignment.job.id)
        settled.insert(assignment.job.id)
      }
    }
    #expect(settled.count == 19)
  }

  @Test("A suspect waits for a worker that has nothing, and who has least is given nothing more until then")
  mutating func emptied() {
    let (busy, idle) = (dispatch.join(instance: 1, credit: 64), dispatch.join(instance: 2, credit: 64))
    dispatch.add((1...40).map { Job.post($0) })
    let sent = dispatch.assign(nowMs: 0)
    let leases = Dictionary(uniqueKeysWithValues: sent.map { ($0.session, $0.jobs.map(\.lease)) })
    for lease in leases[idle, default: []].dropFirst() {
      _ = dispatch.judge(.found(lease))
      dispatch.settled(lease.job)
    }
    dispatch.add([.post(100, leaseLosses: 2), .post(101)])
    let next = dispatch.assign(nowMs: 1)
    #expect(next.map(\.session) == [busy] && next.first?.jobs.map(\.job.id.rawValue) == [101])
    #expect(dispatch.readyCount == 1)
    if let last = leases[idle]?.first { _ = dispatch.judge(.found(last)) }
    let alone = dispatch.assign(nowMs: 2)
    #expect(alone.map(\.session) == [idle] && alone.first?.jobs.map(\.job.id.rawValue) == [100])
    // Nothing beside it, until it is answered.
    dispatch.add([.post(102)])
    let beside = dispatch.assign(nowMs: 3)
    #expect(beside.map(\.session) == [busy])
    if let lease = alone.first?.jobs.first?.lease { _ = dispatch.judge(.found(lease)) }
    dispatch.add((200...300).map { Job.post($0) })
    let after = dispatch.assign(nowMs: 4)
    #expect(Set(after.map(\.session)) == [busy, idle])
  }

  @Test("One lost worker makes no suspect, and a look-up never is one")
  mutating func others() {
    _ = dispatch.join(credit: 64)
    dispatch.add([.post(1, leaseLosses: 1), .post(2, leaseLosses: 1), .lookup(3)])
    let sent = dispatch.assign(nowMs: 0)
    #expect(sent.flatMap(\.jobs).count == 3)
  }
}
