"""Tests of the page's connection: it shows a stopped service, and recovers by itself."""

import http.server
import json
import re
import threading
import time

from adding_dialog import Adding
from playwright.sync_api import expect

from conftest import PHONE, TOAST_MS
from product import Product, eventually


def rows(visitor):
    return visitor.page.locator("tbody tr")


def test_the_page_polls_ingest_while_the_feed_is_down_and_is_live_again_later(apart, visit, check_duration):
    ada = apart.person("Ada")
    visitor = visit(apart).open("/#table").connection("live")
    apart.feed.kill()
    visitor.connection("reconnecting")
    ada.post("Oslo, Norway")
    expect(rows(visitor)).to_have_count(1)
    apart.feed.start()
    visitor.connection("live")
    ada.post("Lima, Peru")
    posted = time.monotonic()
    expect(rows(visitor)).to_have_count(2)
    check_duration(time.monotonic() - posted, 1)


def test_the_page_is_offline_while_ingest_is_down_even_with_a_feed_and_recovers(apart, visit):
    ada = apart.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(apart).open("/table").connection("live")
    apart.ingest.kill()
    visitor.connection("offline")
    expect(visitor.page.locator("#connection")).to_have_text(re.compile(r"^Offline · list of \d+:\d\d"))
    expect(rows(visitor)).to_have_count(1)
    apart.ingest.start()
    visitor.connection("live")
    eventually("a worker is connected", lambda: "worker" in apart.command("queue", "status").lower())
    ada.post("Lima, Peru")
    expect(rows(visitor)).to_have_count(2)


def test_the_header_and_a_dialog_report_the_same_failure_and_the_header_recovers(apart, visit):
    visitor = visit(apart).sign_in(apart.person("Ada")).open().connection("live")
    adding = Adding(visitor).begin()
    apart.ingest.kill()
    adding.find("Oslo")
    adding.trouble("Waiting for the server")
    assert visitor.page.locator("#connection").get_attribute("data-state") == "offline"
    expect(visitor.page.locator("#connection")).to_have_attribute("title", re.compile("No connection to the server."))
    apart.ingest.start()
    visitor.connection("live")


class DelayedFeed(http.server.BaseHTTPRequestHandler):
    """A feed that has lost ingest: it sends its list, which may be old, and then nothing."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        snapshot = json.dumps(self.server.product.request("GET", "/v2/feed") | {"stale": True})
        self.wfile.write(f"event: snapshot\ndata: {snapshot}\n\n".encode())
        self.server.ended.wait(120)

    def log_message(self, *_):
        pass


def test_a_list_is_delayed_if_only_the_feed_has_lost_ingest(tmp_path, visit):
    feed = http.server.ThreadingHTTPServer(("127.0.0.1", 0), DelayedFeed)
    product = feed.product = Product(tmp_path, "--public-feed-url", f"http://127.0.0.1:{feed.server_port}")
    feed.ended = threading.Event()
    threading.Thread(target=feed.serve_forever, daemon=True).start()
    try:
        product.person("Ada").post("Oslo, Norway")
        visitor = visit(product).open("/table").connection("delayed")
        expect(visitor.page.locator("#connection")).to_have_text("Delayed")
        expect(rows(visitor)).to_have_count(1)
    finally:
        feed.ended.set()
        feed.shutdown()
        feed.server_close()
        product.end()


def test_the_page_polls_while_a_proxy_holds_the_stream_back(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(product)
    visitor.page.route("**/v2/feed/stream*", lambda route: None)
    visitor.open("/table").connection("reconnecting")
    expect(rows(visitor)).to_have_count(1)
    ada.post("Lima, Peru")
    expect(rows(visitor)).to_have_count(2)
    visitor.page.unroute_all()
    visitor.connection("live")


def test_a_page_whose_refresh_fails_during_its_start_still_connects(product, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = visit(product)
    page = visitor.page
    held = []
    # The first request comes from the start of the page, the second one from the refresh.
    page.route("**/v2/feed", lambda route: route.abort() if held else held.append(route))
    # The document is complete only when the list, which it preloads, is loaded.
    page.goto("/table", wait_until="commit")
    expect(page.get_by_role("banner").get_by_role("button", name="Add a pin")).to_be_enabled()
    page.evaluate("dispatchEvent(new Event('online'))")
    visitor.connection("offline")
    held[0].abort()
    page.unroute_all()
    visitor.connection("live")
    expect(rows(visitor)).to_have_count(1)


def test_a_pause_shows_in_a_bar_to_everybody_until_it_ends(product, visit):
    olga = product.operator()
    visitors = [visit(product).open().connection("live"),
                visit(product, viewport=PHONE, locale="de-DE").sign_in(product.person("Ada")).open().connection("live")]
    texts = ["The operator has paused the map.", "Der Betreiber hat die Karte angehalten."]
    bars = [visitor.page.locator("#standing") for visitor in visitors]
    for bar in bars:
        expect(bar).to_be_hidden()
    olga.request("POST", "/v2/admin/pause")
    for visitor, bar, text in zip(visitors, bars, texts):
        # The page asks once a minute, and whenever it is shown again.
        visitor.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(bar).to_contain_text(text)
        expect(bar).to_be_in_viewport(ratio=1)
        visitor.connection("paused")
    olga.request("POST", "/v2/admin/resume")
    for visitor, bar in zip(visitors, bars):
        expect(bar).to_be_hidden()
        visitor.connection("live")


def test_a_page_shows_the_pause_immediately_after_a_refused_lookup(product, visit):
    visitor = visit(product).sign_in(product.person("Ada")).open().connection("live")
    adding = Adding(visitor).begin()
    product.operator().request("POST", "/v2/admin/pause")
    adding.find("Oslo")
    adding.trouble("The operator has paused place search.")
    visitor.connection("paused")
    expect(visitor.page.locator("#standing")).to_be_visible()


def test_the_page_keeps_its_list_while_all_services_are_down_and_reconnects(product, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = visit(product).extend_timers(TOAST_MS).open("/#table").connection("live")
    product.ingest.kill()
    visitor.connection("offline")
    expect(rows(visitor)).to_have_count(1)
    visitor.page.get_by_role("button", name="Refresh").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("No connection to the server.")
    product.ingest.start()
    visitor.connection("live")


def test_a_resumed_stream_delivers_the_missed_changes(product, visit):
    ada = product.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(product).open("/#table").connection("live")
    urls = []
    visitor.page.on("request", lambda request: urls.append(request.url) if "/stream" in request.url else None)
    visitor.context.set_offline(True)
    visitor.connection("offline")
    ada.post("Lima, Peru")
    visitor.context.set_offline(False)
    visitor.connection("live")
    expect(rows(visitor)).to_have_count(2)
    assert any(re.search(r"lastEventId=[0-9a-f]{32}-\d+", url) for url in urls)


def test_a_page_without_a_feed_polls_every_few_seconds(tmp_path, visit):
    product = Product(tmp_path, "--public-url", "https://map.example.org", "--trusted-proxies", "127.0.0.1")
    try:
        visitor = visit(product).open("/#table").connection("polling")
        expect(visitor.page.locator("#connection")).to_have_text("Updates every 3 s")
        product.person("Ada").post("Oslo, Norway")
        expect(rows(visitor)).to_have_count(1)
        visitor.page.get_by_role("button", name="Refresh").click()
        expect(visitor.page.locator("#announcements")).to_have_text("The list is up to date.")
    finally:
        product.end()


def test_the_keyboard_opens_the_explanation_of_the_state(shared, visit):
    visitor = visit(shared).extend_timers(TOAST_MS).open().connection("live")
    visitor.page.get_by_role("tab", name="Map").focus()
    visitor.page.keyboard.press("Tab")
    expect(visitor.page.get_by_role("button", name="Live")).to_be_focused()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator("#toasts")).to_contain_text("Changes appear immediately.")


def test_a_tap_on_the_state_of_the_connection_explains_it(shared, visit):
    visitor = visit(shared, viewport=PHONE, has_touch=True, is_mobile=True).extend_timers(TOAST_MS)
    visitor.open().connection("live")
    for _ in range(2):
        visitor.page.locator("#connection").tap()
        expect(visitor.page.locator("#toasts > *")).to_have_count(1)
        expect(visitor.page.locator("#toasts")).to_contain_text("Changes appear immediately.")


def test_a_page_that_opens_while_ingest_is_down_says_so_and_starts_by_itself_later(apart, visit):
    visitor = visit(apart)
    for path in ["page", "feed"]:
        visitor.page.route(f"**/v2/{path}", lambda route: route.abort())
    visitor.open().connection("offline")
    expect(visitor.page.locator("#connection")).to_have_text("Offline")
    visitor.page.unroute_all()
    visitor.connection("live")
    expect(visitor.page.get_by_role("banner").get_by_role("button", name="Add a pin")).to_be_enabled()
    # The browser warns that the page did not use the list, which the document preloads in vain.
    visitor.errors[:] = [error for error in visitor.errors if "was preloaded using link preload" not in error]


def test_no_button_is_enabled_before_the_page_can_react(shared, visit):
    page = visit(shared).page
    routes = []
    page.route("**/v2/page", lambda route: routes.append(route))
    page.goto("/")
    add = page.get_by_role("banner").get_by_role("button", name="Add a pin")
    expect(add).to_be_disabled()
    while not routes:
        page.wait_for_timeout(10)
    routes[0].continue_()
    expect(add).to_be_enabled()
    add.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_list_with_a_wrong_hash_is_never_shown(product, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = visit(product)
    body = product.request("GET", "/v2/feed")
    body["entries"][0]["seq"] = 7
    visitor.page.route("**/v2/feed", lambda route: route.fulfill(json=body))
    visitor.page.route("**/v2/feed/stream*", lambda route: route.abort())
    visitor.open("/#table").connection("offline")
    expect(rows(visitor)).to_have_count(0)


def test_the_hash_of_a_list_is_exact_for_great_sequence_numbers(product, visit):
    product.person("Ada").post("Oslo, Norway")
    body = product.request("GET", "/v2/feed")
    (entry,) = body["entries"]
    entry["seq"] = body["seq"] = 2**53 - 1
    state = 0xCBF29CE484222325
    for byte in entry["id"].encode() + entry["seq"].to_bytes(8, "little"):
        state = (state ^ byte) * 0x100000001B3 % 2**64
    body["stateHash"] = f"{state:016x}"
    visitor = visit(product)
    visitor.page.route("**/v2/feed", lambda route: route.fulfill(json=body))
    visitor.page.route("**/v2/feed/stream*", lambda route: route.abort())
    visitor.open("/table").connection("reconnecting")
    expect(rows(visitor)).to_have_count(1)


def test_a_thousand_changes_a_minute_do_not_slow_the_page(product, visit, check_duration):
    ada = product.person("Ada")
    for number in range(100):
        ada.request("POST", "/v2/posts", {"place": "Oslo", "link": f"https://example.org/{number}"})
    visitor = visit(product).open().connection("live")
    # The observer reports tasks of 50 ms and more.
    visitor.page.evaluate("""() => {
      window.longest = 0;
      const observer = new PerformanceObserver((list) => {
        window.longest = Math.max(window.longest, ...list.getEntries().map(({ duration }) => duration));
      });
      observer.observe({ type: 'longtask' });
    }""")
    begun = time.monotonic()
    places = ["Lima", "Oslo", "Paris", "Nairobi", "Tokyo", "Seattle", "Sydney"]
    for number in range(120):
        ada.request("POST", "/v2/posts", {"place": places[number % 7], "link": f"https://example.org/n{number}"})
        time.sleep(max(0, begun + number * 0.06 - time.monotonic()))
    check_duration(time.monotonic() - begun, 10)
    expect(visitor.page.locator("#connection")).to_have_attribute("data-state", "live")
    longest = visitor.page.evaluate("window.longest")
    visitor.tab("Table")
    expect(rows(visitor).first.get_by_role("link").last).to_have_attribute("href", "https://example.org/n119")
    check_duration(longest / 1_000, 0.05)
