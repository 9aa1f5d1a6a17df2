import CZeroMQ
import Foundation
import Synchronization

/// A relay between DEALERs and a ROUTER that repeats and reorders messages. Its own thread owns its sockets.
final class FrameRelay: Sendable {
  private struct State: Sendable {
    var isCalm = false
    var isEnding = false
    var passed = 0
    var repeated = 0
    var swapped = 0
  }

  /// The state of one direction of a peer. A held message waits until the next message has passed.
  private struct Lane {
    var held: [UInt8]?
    var heldSince = ContinuousClock.now
  }

  private final class Peer {
    let id: [UInt8]
    let socket: UnsafeMutableRawPointer?
    var up = Lane()
    var down = Lane()

    init(_ id: [UInt8], _ socket: UnsafeMutableRawPointer?) {
      self.id = id
      self.socket = socket
    }
  }

  /// The port to connect to.
  let port: UInt16
  private let target: String
  private let seed: UInt64
  private let state = Mutex(State())

  /// - Parameter target: The ROUTER's address.
  init(to target: String, seed: UInt64) throws {
    port = try Port.free()
    self.target = target
    self.seed = seed
    Thread.detachNewThread { [self] in run() }
  }

  /// The numbers of messages that passed, were repeated, and were reordered.
  var counts: (passed: Int, repeated: Int, swapped: Int) {
    state.withLock { ($0.passed, $0.repeated, $0.swapped) }
  }

  /// Stops all faults: later messages pass once and in order.
  func calm() { state.withLock { $0.isCalm = true } }

  /// Ends the relay and its thread.
  func end() { state.withLock { $0.isEnding = true } }

  private func run() {
    let context = zmq_ctx_new()
    let front = zmq_socket(context, ZMQ_ROUTER)
    var zero: Int32 = 0
    zmq_setsockopt(front, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
    zmq_bind(front, "tcp://127.0.0.1:\(port)")
    var dice = SeededRandom(seed)
    var peers: [Peer] = []
    while !state.withLock({ $0.isEnding }) {
      var items = [zmq_pollitem_t(socket: front, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)]
      items += peers.map { zmq_pollitem_t(socket: $0.socket, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0) }
      zmq_poll(&items, Int32(items.count), 5)
      while let frames = FrameRelay.receive(front), frames.count == 2 {
        let peer = peers.first { $0.id == frames[0] } ?? Peer(frames[0], dial(context))
        if !peers.contains(where: { $0 === peer }) { peers.append(peer) }
        pass(frames[1], &peer.up, &dice) { FrameRelay.send([$0], to: peer.socket) }
      }
      for peer in peers {
        while let frames = FrameRelay.receive(peer.socket), frames.count == 1 {
          pass(frames[0], &peer.down, &dice) { FrameRelay.send([peer.id, $0], to: front) }
        }
        // A peer that waits for a reply sends no message that could pass its held request, so release it.
        release(&peer.up) { FrameRelay.send([$0], to: peer.socket) }
        release(&peer.down) { FrameRelay.send([peer.id, $0], to: front) }
      }
    }
    for peer in peers { zmq_close(peer.socket) }
    zmq_close(front)
    zmq_ctx_term(context)
  }

  private func dial(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let socket = zmq_socket(context, ZMQ_DEALER)
    var zero: Int32 = 0
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
    zmq_connect(socket, target)
    return socket
  }

  private func pass(_ message: [UInt8], _ lane: inout Lane, _ dice: inout SeededRandom, send: ([UInt8]) -> Void) {
    let isCalm = state.withLock { state in
      state.passed += 1
      return state.isCalm
    }
    let fate = isCalm ? 99 : dice.next() % 100
    if fate < 15, lane.held == nil {
      lane = Lane(held: message)
      return
    }
    send(message)
    if fate > 14 && fate < 30 {
      send(message)
      state.withLock { $0.repeated += 1 }
    }
    guard let held = lane.held else { return }
    send(held)
    lane.held = nil
    state.withLock { $0.swapped += 1 }
  }

  private func release(_ lane: inout Lane, send: ([UInt8]) -> Void) {
    guard let held = lane.held, ContinuousClock.now - lane.heldSince > .milliseconds(300) else { return }
    send(held)
    lane.held = nil
  }

  private static func send(_ frames: [[UInt8]], to socket: UnsafeMutableRawPointer?) {
    for (index, frame) in frames.enumerated() {
      let flags = ZMQ_DONTWAIT | (index + 1 < frames.count ? ZMQ_SNDMORE : 0)
      _ = frame.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, flags) }
    }
  }

  /// Receives all frames of a message. Nil if no message waits.
  private static func receive(_ socket: UnsafeMutableRawPointer?) -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    while true {
      var message = zmq_msg_t()
      zmq_msg_init(&message)
      defer { zmq_msg_close(&message) }
      guard zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0 else { return nil }
      frames.append(Array(UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message))))
      if zmq_msg_more(&message) == 0 { return frames }
    }
  }
}
