"""Tests of the page's connection: it shows a stopped service, and recovers by itself."""

import re
import time

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


def test_the_page_shows_a_delayed_list_while_ingest_is_down_and_recovers(apart, visit):
    ada = apart.person("Ada")
    ada.post("Oslo, Norway")
    visitor = visit(apart).open("/#table").connection("live")
    apart.ingest.kill()
    visitor.connection("stale")
    expect(rows(visitor)).to_have_count(1)
    apart.ingest.start()
    visitor.connection("live")
    eventually("a worker is connected", lambda: "worker" in apart.command("queue", "status").lower())
    ada.post("Lima, Peru")
    expect(rows(visitor)).to_have_count(2)


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


def test_a_tap_on_the_state_of_the_connection_explains_it(shared, visit):
    visitor = visit(shared, viewport=PHONE, has_touch=True, is_mobile=True).extend_timers(TOAST_MS)
    visitor.open().connection("live")
    for _ in range(2):
        visitor.page.locator("#connection").tap()
        expect(visitor.page.locator("#toasts > *")).to_have_count(1)
        expect(visitor.page.locator("#toasts")).to_contain_text("Changes appear immediately.")


def test_a_page_that_opens_while_ingest_is_down_says_so(apart, visit):
    visitor = visit(apart).open()
    visitor.page.route("**/v2/page", lambda route: route.abort())
    visitor.page.reload()
    expect(visitor.page.locator("#connection")).to_contain_text("No connection to the server.")


def test_no_button_is_enabled_before_the_page_can_react(shared, visit):
    page = visit(shared).page
    routes = []
    page.route("**/v2/page", lambda route: routes.append(route))
    page.goto("/")
    controls = [page.get_by_role("tab", name="Table"), page.get_by_role("button", name="Add a pin"),
                page.get_by_role("button", name="Refresh")]
    for control in controls:
        expect(control).to_be_disabled()
    while not routes:
        page.wait_for_timeout(10)
    routes[0].continue_()
    for control in controls:
        expect(control).to_be_enabled()
    page.get_by_role("button", name="Add a pin").click()
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


def test_a_thousand_changes_a_minute_do_not_slow_the_page(product, visit, check_duration):
    ada = product.person("Ada")
    for number in range(100):
        ada.request("POST", "/v2/posts", {"place": "Oslo", "link": f"https://example.org/{number}"})
    visitor = visit(product).open().connection("live")
    visitor.page.evaluate("""() => {
      window.longest = 0;
      let last = performance.now();
      const measure = (now) => {
        window.longest = Math.max(window.longest, now - last);
        last = now;
        requestAnimationFrame(measure);
      };
      requestAnimationFrame(measure);
    }""")
    begun = time.monotonic()
    places = ["Lima", "Oslo", "Paris", "Nairobi", "Tokyo", "Seattle", "Sydney"]
    for number in range(250):
        ada.request("POST", "/v2/posts", {"place": places[number % 7], "link": f"https://example.org/n{number}"})
        time.sleep(max(0, begun + number * 0.06 - time.monotonic()))
    check_duration(time.monotonic() - begun, 20)
    expect(visitor.page.locator("#connection")).to_have_attribute("data-state", "live")
    longest = visitor.page.evaluate("window.longest")
    visitor.tab("Table")
    expect(rows(visitor).first.get_by_role("link")).to_have_attribute("href", "https://example.org/n249")
    check_duration(longest / 1_000, 0.3)
