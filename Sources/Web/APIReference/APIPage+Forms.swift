/// The page's section of schemas, and the description of a schema's values.
extension APIPage {
  func writeForms(to page: inout HTMLWriter) {
    page.element("h2", ["id": "forms"], "Schemas")
    for (name, schema) in document.root["components"]?["schemas"]?.members ?? [] where name != "ProblemCode" {
      page.element("section", ["id": "form-\(name)"]) { page in
        page.element("h3", [:], name)
        page.addParagraphs(schema["description"]?.string ?? "")
        if schema["properties"] == nil || schema["$ref"] != nil {
          page.element("p") { write(type: schema, to: &$0) }
        }
        writeMembers(of: schema, to: &page)
      }
    }
  }

  private func writeMembers(of schema: DocumentNode, to page: inout HTMLWriter) {
    let members = schema["properties"]?.members ?? []
    guard !members.isEmpty else { return }
    let required = Set((schema["required"]?.elements ?? []).map(\.plain))
    page.table(["Member", "Value", ""]) { page in
      for (name, member) in members {
        page.element("tr") { page in
          page.element("td") { $0.element("code", [:], name) }
          page.element("td") { page in
            write(type: member, to: &page)
            if !required.contains(name) { page.add(", optional") }
          }
          page.element("td") { $0.addMarked(member["description"]?.string ?? "") }
        }
      }
    }
  }

  /// Writes a short description of a schema's type, such as "string, 1 to 256 characters".
  func write(type schema: DocumentNode?, to page: inout HTMLWriter) {
    guard let schema else { return }
    if let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) {
      page.element("a", ["href": name == "ProblemCode" ? "#codes" : "#form-\(name)"], name)
      if let more = schema["properties"]?.members.map(\.name), !more.isEmpty {
        page.add(" with ")
        page.element("code", [:], more.joined(separator: ", "))
      }
    } else if let items = schema["items"] {
      page.add("\(APIPage.range(schema, "minItems", "maxItems") ?? "any number") of ")
      write(type: items, to: &page)
    } else if let choices = (schema["oneOf"] ?? schema["anyOf"])?.elements, schema["type"] == nil {
      for (index, choice) in choices.enumerated() {
        if index > 0 { page.add(" or ") }
        write(type: choice, to: &page)
      }
    } else if let values = (schema["enum"] ?? schema["const"]).map({ $0.elements.isEmpty ? [$0] : $0.elements }) {
      for (index, value) in values.enumerated() {
        if index > 0 { page.add(", ") }
        page.element("code", [:], value.plain)
      }
    } else {
      page.add(APIPage.typeText(schema))
    }
    guard let value = schema["default"] else { return }
    page.add(", default ")
    page.element("code", [:], value.plain)
  }

  private static func typeText(_ schema: DocumentNode) -> String {
    let types = schema["type"].map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
    var words = [types.isEmpty ? "anything" : types.map(\.plain).joined(separator: " or ")]
    if let length = range(schema, "minLength", "maxLength") { words.append("\(length) characters") }
    if let values = range(schema, "minimum", "maximum") { words.append(values) }
    return words.joined(separator: ", ")
  }

  /// Returns a range in words, such as "1 to 256". Nil if the schema sets neither bound.
  private static func range(_ schema: DocumentNode, _ min: String, _ max: String) -> String? {
    switch (schema[min]?.plain, schema[max]?.plain) {
    case (let min?, let max?): min == max ? min : "\(min) to \(max)"
    case (let min?, nil): "\(min) or more"
    case (nil, let max?): "at most \(max)"
    case (nil, nil): nil
    }
  }
}
