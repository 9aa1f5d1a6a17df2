import Foundation

/// The path of a temporary file. `deinit` removes the file.
package final class TemporaryFile: Sendable {
  package let path = FileManager.default.temporaryDirectory.appending(path: "gazetteer-\(UUID().uuidString)").path

  package init() {}

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
