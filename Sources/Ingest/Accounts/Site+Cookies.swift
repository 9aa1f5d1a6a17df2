import Domain
import Foundation
import Hummingbird
import Messaging

/// The cookies of sessions.
extension Site {
  /// Name of the session cookie. The prefix `__Host-` needs TLS.
  var cookieName: String { isSecure ? "__Host-otm" : "otm" }

  /// Returns the cookie that holds a session's token.
  ///
  /// - Parameter maxAge: Seconds. 0 deletes the cookie.
  func sessionCookie(_ token: String, maxAge: Int) -> Cookie {
    cookie(cookieName, token, maxAge: maxAge, httpOnly: true)
  }

  /// Returns a cookie that scripts and apps may read.
  ///
  /// - Parameter maxAge: Seconds. 0 deletes the cookie.
  func openCookie(_ name: String, _ value: String, maxAge: Int) -> Cookie {
    cookie(name, value, maxAge: maxAge, httpOnly: false)
  }

  /// Returns a cookie with `Expires` and `Max-Age`. Some clients do not save cookies with `Max-Age` alone to disk.
  private func cookie(_ name: String, _ value: String, maxAge: Int, httpOnly: Bool) -> Cookie {
    let unixSeconds = maxAge > 0 ? WallClock.unixMs / 1_000 + Int64(maxAge) : 0
    return Cookie(
      name: name, value: value, expires: Date(timeIntervalSince1970: Double(unixSeconds)), maxAge: maxAge, path: "/",
      secure: isSecure, httpOnly: httpOnly, sameSite: .lax)
  }
}
