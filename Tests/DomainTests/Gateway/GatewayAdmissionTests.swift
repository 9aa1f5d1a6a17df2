import Domain
import Testing

@Suite("Gateway admission")
struct GatewayAdmissionTests {
  private let ticket = GatewayAdmission.Ticket(peer: [0, 9], request: 1)

  private func ticket(_ request: Int) -> GatewayAdmission.Ticket { .init(peer: [0, 9], request: UInt64(request)) }

  @Test("Admission executes a request only on the connection that the request names")
  func connection() throws {
    var admission = GatewayAdmission(generation: 7)
    let connection = try #require(admission.connection(of: [0, 9]))
    let earlier = try #require(GatewayAdmission(generation: 6).connection(of: [0, 9]))
    let other = try #require(admission.connection(of: [0, 8]))
    #expect(connection.count <= Limits.gatewayConnectionBytesMax)
    for name in [earlier, other, []] {
      #expect(admission.begin(ticket, on: name, bytes: 0) == .refuse(.staleConnection))
    }
    #expect(admission.begin(ticket, on: connection, bytes: 0) == .admit)
    #expect(admission.begin(ticket, on: connection, bytes: 0) == .open)
    #expect(admission.isOpen(ticket) && !admission.isIdle)
    #expect(admission.end(ticket) == true)
    #expect(admission.end(ticket) == false)
    #expect(admission.isIdle)
  }

  @Test("The shutdown admits nothing more, and sends no Welcome")
  func shutdown() throws {
    var admission = GatewayAdmission(generation: 7)
    let name = try #require(admission.connection(of: [0, 9]))
    #expect(admission.begin(ticket, on: name, bytes: 0) == .admit)
    admission.shutDown()
    #expect(admission.begin(ticket(2), on: name, bytes: 0) == .refuse(.shutdown))
    #expect(admission.connection(of: [0, 9]) == nil)
    #expect(admission.end(ticket) == true)
  }

  @Test("Admission refuses the request above the maximum, until another request ends")
  func requestsMax() throws {
    var admission = GatewayAdmission(generation: 7)
    let name = try #require(admission.connection(of: [0, 9]))
    for number in 0..<Limits.gatewayRequestsMax {
      #expect(admission.begin(ticket(number), on: name, bytes: 0) == .admit)
    }
    #expect(admission.begin(ticket(Limits.gatewayRequestsMax), on: name, bytes: 0) == .refuse(.busy))
    #expect(admission.end(ticket(5)) == true)
    #expect(admission.begin(ticket(Limits.gatewayRequestsMax), on: name, bytes: 0) == .admit)
  }

  @Test("Frames with posts are admitted beside the maximum of other requests, up to their own maximum")
  func postFramesMax() throws {
    var admission = GatewayAdmission(generation: 7)
    let name = try #require(admission.connection(of: [0, 9]))
    for number in 0..<Limits.gatewayRequestsMax {
      #expect(admission.begin(ticket(number), on: name, bytes: 0) == .admit)
    }
    let frames = Limits.gatewayRequestsMax..<Limits.gatewayRequestsMax + Limits.gatewayPostFramesTotalMax
    for number in frames { #expect(admission.begin(ticket(number), on: name, bytes: nil) == .admit) }
    #expect(admission.begin(ticket(frames.upperBound), on: name, bytes: nil) == .refuse(.busy))
    #expect(admission.end(ticket(frames.lowerBound)) == true)
    #expect(admission.begin(ticket(frames.upperBound), on: name, bytes: nil) == .admit)
  }

  @Test("Admission refuses a body above the maximum of all bodies, until another request ends")
  func bytesMax() throws {
    var admission = GatewayAdmission(generation: 7)
    let name = try #require(admission.connection(of: [0, 9]))
    #expect(admission.begin(ticket(1), on: name, bytes: Limits.gatewayBytesMax - 1) == .admit)
    #expect(admission.begin(ticket(2), on: name, bytes: 2) == .refuse(.busy))
    #expect(admission.begin(ticket(2), on: name, bytes: 1) == .admit)
    #expect(admission.begin(ticket(3), on: name, bytes: 1) == .refuse(.busy))
    #expect(admission.end(ticket(1)) == true)
    #expect(admission.begin(ticket(3), on: name, bytes: 1) == .admit)
  }
}
