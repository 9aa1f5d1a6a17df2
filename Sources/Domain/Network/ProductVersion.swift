/// The product's version.
package enum ProductVersion {
  /// By Semantic Versioning 2.0.0: what `--version`, the metrics and the API tell.
  package static let text = "0.1.0"
}
