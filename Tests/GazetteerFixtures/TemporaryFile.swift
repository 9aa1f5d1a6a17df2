import Foundation

/// A path of its own that is removed with the object.
package final class TemporaryFile: Sendable {
  package let path = FileManager.default.temporaryDirectory.appending(path: "gazetteer-\(UUID().uuidString)").path

  package init() {}

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
