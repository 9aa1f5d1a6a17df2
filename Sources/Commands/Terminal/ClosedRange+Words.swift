import Foundation

extension ClosedRange<Int> {
  /// The range in words, for help and errors: "1 to 64".
  var words: String { "\(lowerBound) to \(upperBound)" }
}

extension ClosedRange<Double> {
  /// The range in words, without a fraction that is zero: "0.01 to 100".
  var words: String { "\(decimal(lowerBound)) to \(decimal(upperBound))" }
}

/// Returns a number as people write it, with at most six digits: "0.01", "1".
func decimal(_ number: Double) -> String { String(format: "%g", number) }
