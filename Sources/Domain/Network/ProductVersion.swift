/// The product's version.
package enum ProductVersion {
  /// Version by Semantic Versioning 2.0.0. `--version`, the metrics and the API report it.
  package static let text = "0.1.0"
}
