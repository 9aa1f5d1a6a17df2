"""Tests of the public map and table, with live changes."""

import re
import time

import pytest
from playwright.sync_api import expect

from product import eventually

NEW = re.compile(r"\bnew\b")


def test_a_stranger_sees_the_map_and_every_live_change(product, visit, check_duration):
    ada = product.person("Ada", "Lovelace")
    ada.post("Oslo, Norway", "https://example.org/ada")
    visitor = visit(product).open().connection("live")
    expect(visitor.pin("Ada Lovelace: Oslo")).to_be_visible()
    product.person("Grace", "Hopper").post("Copenhagen")
    posted = time.monotonic()
    expect(visitor.pin("Grace Hopper: Copenhagen")).to_be_visible()
    check_duration(time.monotonic() - posted, 1)
    assert set(visitor.statuses) <= {200}


def test_a_new_pin_is_highlighted_and_announced_to_screen_readers(product, visit):
    visitor = visit(product).open().connection("live")
    # The page itself watches the pin: on a slow machine the test might look too late.
    visitor.page.evaluate("""() => {
      window.wasNew = false;
      const check = () => { window.wasNew ||= document.querySelector('.new[aria-label^="Grace Hopper"]') !== null };
      new MutationObserver(check).observe(
        document.querySelector('.leaflet-marker-pane'), { subtree: true, childList: true, attributes: true });
    }""")
    product.person("Grace", "Hopper").post("Lima, Peru")
    eventually("the pin is new", lambda: visitor.page.evaluate("window.wasNew"))
    expect(visitor.page.locator("#announcements")).to_have_text("New: Grace Hopper, Lima, Peru")
    expect(visitor.pin("Grace Hopper")).not_to_have_class(NEW)


def test_a_pin_popup_shows_name_place_and_link_and_closes_on_a_tap_outside(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway", "https://example.org/ada")
    visitor = visit(product).open()
    visitor.pin("Ada Lovelace").click()
    popup = visitor.page.locator(".leaflet-popup")
    expect(popup).to_contain_text("Ada Lovelace")
    expect(popup).to_contain_text("Oslo, Norway")
    link = popup.get_by_role("link", name="example.org")
    expect(link).to_have_attribute("href", "https://example.org/ada")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow ugc")
    visitor.page.locator("#map").click(position={"x": 60, "y": 400})
    expect(popup).to_have_count(0)


def test_close_pins_form_a_cluster_that_opens(product, visit):
    for name in ["Ada", "Grace", "Alan"]:
        product.person(name).post("Oslo, Norway")
    visitor = visit(product).open()
    cluster = visitor.page.get_by_role("button", name="3 pins")
    cluster.click()
    visitor.page.get_by_role("button", name="Grace").click()
    expect(visitor.page.locator(".popup")).to_contain_text("Grace")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_row_opens_its_pin_beside_any_neighbours(product, visit, motion):
    ada = product.person("Ada")
    visitor = visit(product, reduced_motion=motion)
    near, nearer, chain = [(59.95, 10.85)], [(59.914, 10.753)], [(59.9 + step / 100, 10.74) for step in range(9)]
    for number, (latitude, longitude) in enumerate([(59.91273, 10.74609)] * 2 + near + nearer + chain):
        host = f"number-{number}.example.org"
        ada.post("Oslo", f"https://{host}/", latitude=latitude, longitude=longitude)
        visitor.open().connection("live").tab("Table")
        visitor.page.locator("tbody th a").first.click()
        expect(visitor.page.locator(".leaflet-popup")).to_contain_text(host)
        # A later end of an animation must not close the popup again.
        visitor.page.wait_for_timeout(300)
        expect(visitor.page.locator(".leaflet-popup")).to_contain_text(host)


def test_the_table_is_newest_first_and_can_be_sorted_and_searched(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway", "https://one.example.org/a")
    product.person("Grace", "Hopper").post("Lima, Peru", "https://two.example.org/b")
    product.person("Björk", "G").post("Reykjavík", "https://three.example.org/c")
    visitor = visit(product).open().tab("Table")
    names = visitor.page.locator("tbody th a")
    expect(names).to_have_text(["Björk G", "Grace Hopper", "Ada Lovelace"])
    for column, rising in {
        "Name": ["Ada Lovelace", "Björk G", "Grace Hopper"], "Place": ["Grace Hopper", "Ada Lovelace", "Björk G"],
        "Link": ["Ada Lovelace", "Björk G", "Grace Hopper"], "Age": ["Björk G", "Grace Hopper", "Ada Lovelace"],
    }.items():
        head = visitor.page.get_by_role("columnheader", name=column)
        head.get_by_role("button").click()
        expect(names).to_have_text(rising)
        expect(head).to_have_attribute("aria-sort", "ascending")
        head.get_by_role("button").click()
        expect(names).to_have_text(rising[::-1])
        expect(head).to_have_attribute("aria-sort", "descending")
    search = visitor.page.get_by_role("searchbox")
    for text, found in {"björk": "Björk G", "LIMA": "Grace Hopper", "one.ex": "Ada Lovelace"}.items():
        search.fill(text)
        expect(names).to_have_text([found])
    expect(visitor.page.locator("#announcements")).to_have_text(re.compile(r"^\d+ pins?$"))
    search.fill("nobody at all")
    expect(visitor.page.locator("#announcements")).to_have_text("No posts match your search.")
    expect(visitor.page.locator("#view-table").get_by_text("No posts match your search.")).to_be_visible()


def test_a_row_opens_its_pin_and_its_link_opens_another_tab(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway", f"{product.url}/v2/version")
    visitor = visit(product).open().tab("Table")
    with visitor.context.expect_page() as opened:
        visitor.page.locator("td a").click()
    assert opened.value.evaluate("window.opener") is None
    opened.value.close()
    visitor.page.get_by_role("link", name="Ada Lovelace").click()
    expect(visitor.page.get_by_role("tab", name="Map")).to_have_attribute("aria-selected", "true")
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Ada Lovelace")


def test_the_newest_hundred_posts_are_shown(product, visit):
    ada = product.person()
    for number in range(103):
        ada.request("POST", "/v2/posts", {"place": "Oslo", "link": f"https://example.org/{number}"})
    eventually("all posts are published", lambda: product.request("GET", "/v2/feed")["seq"] == 103)
    visitor = visit(product).open().tab("Table")
    expect(visitor.page.locator("tbody tr")).to_have_count(100)


HOSTILE = [
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "\"><svg onload=alert(1)>", "{{constructor}}",
    "'-alert(1)-'", "&lt;b&gt;",
]


def test_hostile_names_and_places_are_shown_as_text(product, visit):
    for text in HOSTILE:
        person = product.person(text, "x")
        person.request("POST", "/v2/posts", {
            "place": text, "link": "https://example.org/?q=%3Cscript%3E", "latitude": 10, "longitude": 10},
            {"Prefer": "wait=30"})
    visitor = visit(product).open().connection("live")
    visitor.page.on("dialog", lambda dialog: pytest.fail(f"it has run: {dialog.message}"))
    visitor.tab("Table")
    rows = visitor.page.locator("tbody tr")
    shown = product.request("GET", "/v2/feed")["entries"]
    assert len(shown) == len(HOSTILE)
    expect(rows).to_have_count(len(shown))
    for index, entry in enumerate(shown):
        expect(rows.nth(index)).to_contain_text(entry["place"])
    assert visitor.page.locator("tbody img, tbody script, tbody svg").count() == 0
    rows.first.locator("th a").click()
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text(shown[0]["place"])
    assert visitor.page.locator(".leaflet-popup img, .leaflet-popup script").count() == 0


def test_an_invalid_link_is_never_a_link(product, visit):
    ada = product.person()
    # Apps of the original service send such texts. Only their owner sees them, and the map has an empty link.
    product.request("POST", "/v1/StudentLocation", {
        "uniqueKey": "1", "firstName": "Ada", "lastName": "L", "mapString": "Oslo", "mediaURL": "javascript:alert(1)",
        "latitude": 59.9, "longitude": 10.7}, {"Authorization": f"Bearer {ada.token}"})
    visitor = visit(product).open().tab("Table")
    expect(visitor.page.locator("tbody tr")).to_have_count(1)
    assert visitor.page.locator("tbody td a").count() == 0


def test_two_browsers_see_each_others_pins(product, visit, check_duration):
    ada, grace = product.person("Ada"), product.person("Grace")
    windows = {"Ada": visit(product).sign_in(ada).open().connection("live"),
               "Grace": visit(product).sign_in(grace).open().connection("live")}
    for name, other in [("Ada", "Grace"), ("Grace", "Ada")]:
        place = {"Ada": "Oslo", "Grace": "Lima"}[name]
        windows[name].page.evaluate(
            """async (place) => { await fetch('/v2/posts', { method: 'POST', headers: {
              'Content-Type': 'application/json', Prefer: 'wait=5' },
              body: JSON.stringify({ place, link: 'https://example.org/' }) }) }""", place)
        posted = time.monotonic()
        expect(windows[other].pin(name)).to_be_visible()
        check_duration(time.monotonic() - posted, 1)
