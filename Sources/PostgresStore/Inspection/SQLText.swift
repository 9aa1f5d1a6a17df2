/// Texts of SQL for operators.
package enum SQLText {
  /// Returns a name as an identifier in quotation marks.
  package static func identifier(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  /// Returns a text as a literal.
  package static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}

extension ActivityState.Session {
  /// Command that ends the session.
  package var endCommand: String { "SELECT pg_terminate_backend(\(process))" }
}

extension ActivityState.Slot {
  /// Command that removes the slot.
  package var dropCommand: String { "SELECT pg_drop_replication_slot(\(SQLText.literal(name)))" }
}

extension ActivityState.PreparedTransaction {
  /// Command that ends the transaction.
  package var rollbackCommand: String { "ROLLBACK PREPARED \(SQLText.literal(identifier))" }
}
