import CZeroMQ
package import Domain
import Glibc

/// A secret key of CURVE with its public one. Says only the public one of itself.
package struct KeyPair: Sendable, CustomStringConvertible {
  /// What others may know.
  package let publicKey: PublicKey
  /// 40 characters of Z85, to be kept from everybody.
  package let secret: String

  /// A new pair, from the system's random numbers. Both keys begin with a letter or a digit, so that neither looks like
  /// an option.
  package static func random() throws(LinkError) -> KeyPair {
    var (publicText, secretText) = ([CChar](repeating: 0, count: 41), [CChar](repeating: 0, count: 41))
    while true {
      guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .socket(reason: LinkError.lastReason) }
      let secret = KeyPair.text(secretText)
      guard let pair = KeyPair(secret: secret), KeyPair.text(publicText) == pair.publicKey.description,
        [secret, pair.publicKey.description].allSatisfy({ $0.first?.isLetter == true || $0.first?.isNumber == true })
      else { continue }
      return pair
    }
  }

  /// Nil where the text is no key.
  package init?(secret: some StringProtocol) {
    guard secret.utf8.count == 40, Z85.bytes(secret) != nil else { return nil }
    var text = [CChar](repeating: 0, count: 41)
    guard zmq_curve_public(&text, String(secret)) == 0, let key = PublicKey(KeyPair.text(text)) else { return nil }
    publicKey = key
    self.secret = String(secret)
  }

  package var description: String { "KeyPair(\(publicKey))" }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// How a link that listens knows its peers: by its own key, which they must know, and by theirs.
package struct CurveServer: Sendable {
  /// The listener's own.
  package let keys: KeyPair
  package let access: LiveAllowList

  /// - Parameter keys: the listener's own.
  package init(keys: KeyPair, access: LiveAllowList) {
    self.keys = keys
    self.access = access
  }
}

/// How a client is known to a link, and knows that it is the right one.
package struct CurveClient: Sendable {
  /// The client's own.
  package let keys: KeyPair
  /// The listener's.
  package let server: PublicKey

  /// - Parameters:
  ///   - keys: the client's own.
  ///   - server: the listener's.
  package init(keys: KeyPair, server: PublicKey) {
    self.keys = keys
    self.server = server
  }
}

extension CurveServer {
  /// How the process that listens connects to itself.
  package var client: CurveClient { CurveClient(keys: keys, server: keys.publicKey) }
}
