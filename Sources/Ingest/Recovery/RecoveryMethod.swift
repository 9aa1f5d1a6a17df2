import Domain

/// The way in which users recover an account without their password, for clients.
struct RecoveryMethod: Sendable {
  /// True if ingest sends links by mail. Otherwise users ask the operator.
  let isByMail: Bool
  /// Mail address or URL of the operator. Nil if the operator gives none.
  let operatorContact: String?
  /// True if only accounts with a confirmed email address may post.
  let requiresConfirmedEmail: Bool

  /// Adds the members to an open object.
  func write(to json: inout JSONWriter) {
    json.add("recovery", isByMail ? "mail" : "operator")
    if let operatorContact { json.add("operatorContact", operatorContact) }
    json.add("confirmedEmailRequired", requiresConfirmedEmail)
  }
}
