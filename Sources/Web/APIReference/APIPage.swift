/// The reference page of an API's document. The page has an index, every operation, the problem codes, and the shared
/// responses and schemas. It has no scripts and loads no other resource.
struct APIPage: Sendable {
  let document: APIDocument
  private(set) var html = HTMLWriter()

  init(_ document: APIDocument) {
    self.document = document
    let info = document.root["info"]
    let title = "\(info?["title"]?.plain ?? "") \(info?["version"]?.plain ?? "")"
    var page = HTMLWriter()
    page.addRaw("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en"]) { page in
      page.element("head") { page in
        page.void("meta", ["charset": "utf-8"])
        page.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        page.element("title", [:], "\(title): the API")
        page.addRaw("<style>\(APIPage.style)</style>")
      }
      page.element("body") { page in
        page.element("h1", [:], title)
        page.addParagraphs(info?["description"]?.string ?? "")
        page.element("p") { $0.element("a", ["href": "/openapi.json"], "This document as OpenAPI 3.1") }
        writeIndex(to: &page)
        for (tag, operations) in sections { writeSection(tag, operations, to: &page) }
        writeCodes(to: &page)
        writeResponses(to: &page)
        writeForms(to: &page)
      }
    }
    html = page
  }

  private var sections: [(tag: DocumentNode, operations: [APIDocument.Operation])] {
    let operations = document.operations
    return (document.root["tags"]?.elements ?? []).map { tag in
      (tag, operations.filter { $0.node["tags"]?.elements.first?.string == tag["name"]?.string })
    }
  }

  private func writeIndex(to page: inout HTMLWriter) {
    page.element("nav") { page in
      for (tag, operations) in sections {
        page.element("h2", [:], tag["name"]?.plain ?? "")
        page.element("ul") { page in
          for operation in operations {
            page.element("li") { page in
              page.element("a", ["href": "#\(operation.anchor)"]) { write(operation, to: &$0) }
              page.add(" \(operation.node["summary"]?.plain ?? "")")
            }
          }
        }
      }
      page.element("h2", [:], "More")
      page.element("ul") { page in
        for (anchor, name) in [("codes", "Problem codes"), ("responses", "Shared responses"), ("forms", "Schemas")] {
          page.element("li") { $0.element("a", ["href": "#\(anchor)"], name) }
        }
      }
    }
  }

  /// Writes an operation's method and paths, such as "GET /v2/posts".
  private func write(_ operation: APIDocument.Operation, to page: inout HTMLWriter) {
    page.element("b", ["class": operation.method.lowercased()], operation.method)
    for path in operation.paths {
      page.add(" ")
      page.element("code", [:], path)
    }
  }

  private func writeSection(
    _ tag: DocumentNode, _ operations: [APIDocument.Operation], to page: inout HTMLWriter
  ) {
    page.element("h2", [:], tag["name"]?.plain ?? "")
    page.addParagraphs(tag["description"]?.string ?? "")
    for operation in operations {
      page.element("section", ["id": operation.anchor]) { page in
        page.element("h3") { $0.element("a", ["href": "#\(operation.anchor)"]) { write(operation, to: &$0) } }
        page.element("p") { page in
          page.element("strong", [:], operation.node["summary"]?.plain ?? "")
          page.add(" · \(login(operation))")
        }
        page.addParagraphs(operation.node["description"]?.string ?? "")
        writeParameters(operation.parameters, to: &page)
        writeBody(operation.node["requestBody"], to: &page)
        writeResponses(operation, to: &page)
      }
    }
  }

  private func login(_ operation: APIDocument.Operation) -> String {
    let wanted = (operation.node["security"] ?? document.root["security"])?.elements ?? []
    if wanted.isEmpty { return "open to everybody" }
    let name = wanted.contains { $0["ticket"] != nil } ? "ticket" : "session"
    return wanted.contains { $0.members.isEmpty } ? "with a \(name) or without" : "requires a \(name)"
  }

  private func writeParameters(_ parameters: [DocumentNode], to page: inout HTMLWriter) {
    guard !parameters.isEmpty else { return }
    page.element("h4", [:], "Parameters")
    page.table(["Name", "Value", ""]) { page in
      for parameter in parameters {
        page.element("tr") { page in
          page.element("td") { $0.element("code", [:], parameter["name"]?.plain ?? "") }
          page.element("td") { page in
            let media = parameter["content"]?.members.first?.node
            page.add("\(parameter["in"]?.plain ?? ""): ")
            if parameter["required"]?.plain == "true" { page.add("required, ") }
            write(type: parameter["schema"] ?? media?["schema"], to: &page)
            if parameter["allowEmptyValue"]?.plain == "true" { page.add(", may be empty") }
          }
          page.element("td") { page in
            page.addMarked(parameter["description"]?.string ?? "")
            guard let example = parameter["example"] else { return }
            page.add(" Example: ")
            page.element("code", [:], APIPage.inURL(example))
          }
        }
      }
    }
  }

  /// Returns an example as in a URL, with commas between the elements of a list.
  private static func inURL(_ example: DocumentNode) -> String {
    example.elements.isEmpty ? example.plain : example.elements.map(\.plain).joined(separator: ",")
  }

  private func writeBody(_ body: DocumentNode?, to page: inout HTMLWriter) {
    guard let body else { return }
    page.element("h4", [:], "Body")
    writeContent(body["content"], to: &page)
  }

  private func writeResponses(_ operation: APIDocument.Operation, to page: inout HTMLWriter) {
    page.element("h4", [:], "Responses")
    page.element("dl") { page in
      for (status, response) in operation.node["responses"]?.members ?? [] {
        // Link to shared responses, which have their own section.
        if let name = response["$ref"]?.string?.split(separator: "/").last {
          guard !APIPage.commonStatuses.contains(status) else { continue }
          page.element("dt", [:], status)
          page.element("dd") { page in
            page.element("a", ["href": "#response-\(name)"]) {
              $0.addMarked(document.resolved(response)["description"]?.string ?? "")
            }
            writeCodes(of: document.resolved(response), to: &page)
          }
        } else {
          page.element("dt", [:], status)
          page.element("dd") { write(response, to: &$0) }
        }
      }
    }
  }

  private static let commonStatuses: Set = ["408", "431", "5XX"]

  private func write(_ response: DocumentNode, to page: inout HTMLWriter) {
    page.addMarked(response["description"]?.string ?? "")
    writeCodes(of: response, to: &page)
    let headers = response["headers"]?.members ?? []
    if !headers.isEmpty {
      page.element("ul") { page in
        for (name, header) in headers {
          page.element("li") { page in
            page.element("code", [:], name)
            page.add(": ")
            page.addMarked(document.resolved(header)["description"]?.string ?? "")
          }
        }
      }
    }
    writeContent(response["content"], to: &page)
  }

  private func writeCodes(of response: DocumentNode, to page: inout HTMLWriter) {
    let schema = response["content"]?["application/problem+json"]?["schema"]
    let codes = schema?["properties"]?["code"]?["enum"]?.elements ?? []
    for (index, code) in codes.enumerated() {
      page.add(index == 0 ? " " : ", ")
      page.element("a", ["href": "#code-\(code.plain)"]) { $0.element("code", [:], code.plain) }
    }
  }

  private func writeContent(_ content: DocumentNode?, to page: inout HTMLWriter) {
    for (type, media) in content?.members ?? [] where media["example"] != nil || type != "application/problem+json" {
      page.element("p", ["class": "media"]) { page in
        page.element("code", [:], type)
        guard type != "application/problem+json" else { return }
        page.add(": ")
        if let schema = media["x-guarded-schema"] {
          page.add("five bytes, then ")
          write(type: schema, to: &page)
        } else if let schema = media["x-line-schema"] {
          page.add("lines of ")
          write(type: schema, to: &page)
        } else if let events = media["x-event-schemas"]?.members {
          page.add("events")
          for (index, event) in events.enumerated() {
            page.add(index == 0 ? ": " : ", ")
            page.element("code", [:], event.name)
            page.add(" with ")
            write(type: event.node, to: &page)
          }
        } else {
          write(type: media["schema"], to: &page)
        }
      }
      let examples = [media["example"]] + (media["examples"]?.members ?? []).map { $0.node["value"] }
      for example in examples.compactMap(\.self) {
        page.element("pre", ["tabindex": "0"]) { $0.element("code", [:], example.plain) }
      }
    }
  }

  private func writeCodes(to page: inout HTMLWriter) {
    page.element("h2", ["id": "codes"], "Problem codes")
    page.table(["Code", "Meaning"]) { page in
      for code in document.root["components"]?["schemas"]?["ProblemCode"]?["oneOf"]?.elements ?? [] {
        page.element("tr", ["id": "code-\(code["const"]?.plain ?? "")"]) { page in
          page.element("td") { $0.element("code", [:], code["const"]?.plain ?? "") }
          page.element("td") { $0.addMarked(code["description"]?.string ?? "") }
        }
      }
    }
  }

  private func writeResponses(to page: inout HTMLWriter) {
    page.element("h2", ["id": "responses"], "Shared responses")
    for (name, response) in document.root["components"]?["responses"]?.members ?? [] {
      page.element("section", ["id": "response-\(name)"]) { page in
        page.element("h3", [:], name)
        page.element("div") { write(response, to: &$0) }
      }
    }
  }
}

extension HTMLWriter {
  /// Writes a table that scrolls horizontally if it is too wide.
  mutating func table(_ heads: [String], _ rows: (inout HTMLWriter) -> Void) {
    element("div", ["class": "wide", "tabindex": "0"]) { page in
      page.element("table") { page in
        page.element("thead") { page in
          page.element("tr") { page in for head in heads { page.element("th", [:], head) } }
        }
        page.element("tbody") { rows(&$0) }
      }
    }
  }
}
