import Testing

@testable import Web

@Suite("View tickets for a members-only map")
struct ViewTicketsTests {
  private let tickets = ViewTickets(secret: "0123456789abcdef0123456789abcdef")

  @Test("A ticket is valid until its end for every holder of the key")
  func end() {
    let ticket = tickets.ticket(endMs: 1_000)
    let other = ViewTickets(secret: "0123456789abcdef0123456789abcdef")
    #expect(other.end(of: ticket, unixMs: 999) == 1_000)
    #expect(other.end(of: ticket, unixMs: 1_000) == nil)
  }

  @Test("No description of tickets or map access shows the key")
  func hidden() {
    let mapAccess = MapAccess.members(tickets)
    var dumped = ""
    dump((tickets, mapAccess), to: &dumped)
    for text in [
      "\(tickets)", "\(mapAccess)", String(reflecting: tickets), String(reflecting: mapAccess), dumped,
    ] {
      #expect(text.contains("***") && !text.contains("key") && !text.contains("["), "\(text)")
    }
  }

  @Test("Forged and altered tickets are refused")
  func forged() {
    let ticket = tickets.ticket(endMs: 1_000)
    #expect(ViewTickets(secret: "0123456789abcdef0123456789abcdeg").end(of: ticket, unixMs: 0) == nil)
    #expect(ViewTickets().end(of: ticket, unixMs: 0) == nil)
    let extended = "9000" + ticket.drop { $0 != "." }
    let padded = "01000" + ticket.drop { $0 != "." }
    for text in ["", ".", "1000", "1000.", extended, padded, ticket + "a", String(ticket.dropLast()), "+" + ticket] {
      #expect(tickets.end(of: text, unixMs: 0) == nil, "\(text)")
    }
  }
}
