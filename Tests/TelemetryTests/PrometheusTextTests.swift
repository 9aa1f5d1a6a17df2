import Glibc
import Metrics
import Testing

@testable import Telemetry

@Suite("Prometheus text")
struct PrometheusTextTests {
  private static func text(_ metric: Metric, _ series: ([(String, String)], PrometheusText.Reading)...) -> [String] {
    PrometheusText([.init(metric: metric, series: series.map { ($0.0, $0.1) })]).text.split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  @Test("A counter has help, type and a line for each set of labels")
  func counter() {
    let metric = Metric("a_total", .counter, "Things.", labels: ["kind", "code"])
    #expect(
      Self.text(
        metric, ([("kind", "x"), ("code", "200")], .number(3)), ([("kind", "y"), ("code", "404")], .number(0.5)))
        == [
          "# HELP a_total Things.", "# TYPE a_total counter", #"a_total{kind="x",code="200"} 3"#,
          #"a_total{kind="y",code="404"} 0.5"#, "",
        ])
  }

  @Test("A metric without labels has no braces, and a metric without series has no lines")
  func bare() {
    #expect(Self.text(Metric("a", .gauge, ""), ([], .number(1))) == ["# TYPE a gauge", "a 1", ""])
    #expect(Self.text(Metric("a", .gauge, "Nothing.")) == [""])
  }

  @Test("Special characters are escaped in labels and help")
  func escaping() {
    let metric = Metric("a", .gauge, "A \"b\" \\ c\nd", labels: ["l"])
    #expect(
      Self.text(metric, ([("l", "x\"y\\z\nü{},=")], .number(1))) == [
        #"# HELP a A "b" \\ c\nd"#, "# TYPE a gauge", #"a{l="x\"y\\z\nü{},="} 1"#, "",
      ])
  }

  @Test("Histogram buckets are cumulative up to +Inf")
  func histogram() {
    let metric = Metric("h_seconds", .histogram, "H.", labels: ["l"], bounds: [0.005, 1])
    #expect(
      Self.text(metric, ([("l", "x")], .histogram(bounds: [0.005, 1], counts: [2, 3, 4], sum: 12.25))) == [
        "# HELP h_seconds H.", "# TYPE h_seconds histogram", #"h_seconds_bucket{l="x",le="0.005"} 2"#,
        #"h_seconds_bucket{l="x",le="1"} 5"#, #"h_seconds_bucket{l="x",le="+Inf"} 9"#, #"h_seconds_sum{l="x"} 12.25"#,
        #"h_seconds_count{l="x"} 9"#, "",
      ])
  }

  @Test(
    "Numbers have the format of Go",
    arguments: [
      (0.0, "0"), (-0.0, "0"), (1, "1"), (-3, "-3"), (0.1, "0.1"), (1e15, "1000000000000000"),
      (1_700_000_000.25, "1700000000.25"), (1e300, "1e+300"), (2.5e-05, "2.5e-05"), (.infinity, "+Inf"),
      (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
  func numbers(number: Double, text: String) { #expect(PrometheusText.text(number) == text) }
}

@Suite("Metric registry")
struct MetricRegistryTests {
  @Test("Each kind of instrument appears with name, labels and value")
  func kinds() async {
    let registry = MetricRegistry()
    let counter = Counter(label: "c_total", dimensions: [("l", "x")], factory: registry)
    counter.increment()
    counter.increment(by: 4)
    FloatingPointCounter(label: "f_total", factory: registry).increment(by: 2.75)
    let meter = Meter(label: "m", factory: registry)
    meter.set(5)
    meter.increment(by: 1.5)
    meter.decrement()
    Gauge(label: "g", factory: registry).record(7)
    registry.add { [Metric.queuePaused.sample(1)] }
    #expect(
      await registry.text() == """
        # TYPE c_total counter
        c_total{l="x"} 5
        # TYPE f_total counter
        f_total 2
        # TYPE g gauge
        g 7
        # TYPE m gauge
        m 5.5
        # HELP onthemap_queue_paused \(Metric.queuePaused.help)
        # TYPE onthemap_queue_paused gauge
        onthemap_queue_paused 1

        """)
    counter.reset()
    #expect(await registry.text().contains("c_total{l=\"x\"} 0\n"))
  }

  @Test("Equal names and labels share one instrument, and an instrument of another kind is ignored")
  func same() async {
    let registry = MetricRegistry()
    for _ in 0..<3 { Counter(label: "c_total", dimensions: [("l", "x")], factory: registry).increment() }
    Counter(label: "c_total", dimensions: [("l", "y")], factory: registry).increment()
    Meter(label: "c_total", factory: registry).set(9)
    let text = await registry.text()
    #expect(text == "# TYPE c_total counter\nc_total{l=\"x\"} 3\nc_total{l=\"y\"} 1\n")
  }

  @Test("A timer's buckets are in seconds and include their bound")
  func timer() async {
    let registry = MetricRegistry()
    let metric = Metric.geocodeDuration
    let timer = Timer(label: metric.name, dimensions: [("outcome", "located")], factory: registry)
    timer.recordNanoseconds(10_000)
    timer.recordMicroseconds(26)
    timer.recordSeconds(3)
    let lines = await registry.text().split(separator: "\n")
    func value(_ name: String) -> Substring? { lines.first { $0.hasPrefix(name) }?.split(separator: " ").last }
    #expect(value(#"onthemap_geocode_duration_seconds_bucket{outcome="located",le="1e-05"}"#) == "1")
    #expect(value(#"onthemap_geocode_duration_seconds_bucket{outcome="located",le="2.5e-05"}"#) == "1")
    #expect(value(#"onthemap_geocode_duration_seconds_bucket{outcome="located",le="5e-05"}"#) == "2")
    #expect(value(#"onthemap_geocode_duration_seconds_bucket{outcome="located",le="2.5"}"#) == "2")
    #expect(value(#"onthemap_geocode_duration_seconds_bucket{outcome="located",le="+Inf"}"#) == "3")
    #expect(value(#"onthemap_geocode_duration_seconds_count{outcome="located"}"#) == "3")
    #expect(value(#"onthemap_geocode_duration_seconds_sum{outcome="located"}"#) == "3.000036")
  }

  @Test("An invalid metric name is repaired, and a destroyed metric disappears")
  func names() async {
    let registry = MetricRegistry()
    let counter = Counter(label: "http.server-réq 1", factory: registry)
    counter.increment()
    Counter(label: "9_total", factory: registry).increment()
    #expect(
      await registry.text()
        == "# TYPE _9_total counter\n_9_total 1\n# TYPE http_server_r_q_1 counter\nhttp_server_r_q_1 1\n")
    counter.destroy()
    #expect(await registry.text() == "# TYPE _9_total counter\n_9_total 1\n")
  }

  @Test("Concurrent counting loses no event")
  func concurrency() async {
    let registry = MetricRegistry()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let counter = Counter(label: "c_total", factory: registry)
          let recorder = Recorder(label: Metric.storeRows.name, factory: registry)
          for number in 0..<1_000 {
            counter.increment()
            recorder.record(number % 4)
          }
        }
      }
    }
    let text = await registry.text()
    #expect(text.contains("c_total 8000\n") && text.contains("onthemap_store_commit_rows_sum 12000\n"))
    #expect(text.contains("onthemap_store_commit_rows_bucket{le=\"1\"} 4000\n"))
  }

  @Test("Names and labels of the catalogue follow the conventions of Prometheus")
  func catalogue() {
    for metric in Metric.all.values {
      #expect(metric.name.wholeMatch(of: /(onthemap|process)_[a-z_]+/) != nil, "\(metric.name)")
      #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter), "\(metric.name)")
      #expect((metric.kind == .histogram) == !metric.bounds.isEmpty && metric.bounds == metric.bounds.sorted())
      #expect(metric.help.hasSuffix(".") && metric.labels.allSatisfy { $0.wholeMatch(of: /[a-z_]+/) != nil })
    }
  }

  @Test("The process collector reports plausible values of this process")
  func process() throws {
    let samples = ProcessCollector(version: "1.2.3").collect()
    func value(_ metric: Metric) throws -> Double {
      try #require(samples.first { $0.metric.name == metric.name }).value
    }
    #expect(samples.first?.values == ["1.2.3"])
    #expect(try value(.processThreads) >= 1 && value(.processDescriptors) >= 3)
    #expect(try value(.processResident) > 1_000_000 && value(.processVirtual) > value(.processResident))
    #expect(try value(.processDescriptorsMax) > value(.processDescriptors) && value(.processCPU) > 0)
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // A test's process runs for minutes at most.
    #expect(try (Double(now.tv_sec) - 3_600...Double(now.tv_sec) + 1).contains(value(.processStart)))
  }
}
