"""Tests of what a person does on the map: opening pins and clusters, adding a pin, and moving the view."""

import re

import pytest
from playwright.sync_api import expect
from test_land import zoom_in
from test_map import NAMES, button, many, tip, until_published

from conftest import PHONE
from product import eventually

OSLO = {"latitude": 59.91, "longitude": 10.75, "accuracy": 30_000}
CENTRE = {"x": 400, "y": 300}
# Finds popups that leave the map, and actions in them that something else covers.
COVERED_POPUP = """() => {
  const map = document.querySelector('#map').getBoundingClientRect();
  return [...document.querySelectorAll('.leaflet-popup, .leaflet-popup :is(button, a)')].filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const isWithin = left >= map.left && right <= map.right && top >= map.top && bottom <= map.bottom;
    return !isWithin || !one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  }).map((one) => one.textContent);
}"""


def offer(visitor):
    return visitor.page.get_by_role("button", name="Add a pin here")


def hold(visitor, x, y):
    """Presses the map with a finger until the page reacts."""
    touch = visitor.context.new_cdp_session(visitor.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    expect(offer(visitor)).to_be_visible()
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.fixture
def member(product, visit):
    return visit(product).sign_in(product.person("Ada", "Lovelace")).open().connection("live")


def test_a_click_on_the_map_begins_a_pin_there(member):
    member.page.locator("#map").click(position=CENTRE)
    offer(member).click()
    expect(member.page.locator("dialog .preview-map .pin")).to_be_visible()
    expect(offer(member)).to_have_count(0)


def test_a_click_that_closes_a_popup_offers_nothing(product, member):
    product.person("Grace", "Hopper").post("Lima, Peru")
    member.pin("Grace").click()
    popup = member.page.locator(".leaflet-popup")
    expect(popup).to_contain_text("Grace Hopper")
    member.page.locator("#map").click(position={"x": 60, "y": 600})
    expect(popup).to_have_count(0)
    # An offer would appear after this time.
    member.page.wait_for_timeout(600)
    expect(popup).to_have_count(0)


def test_a_double_click_zooms_and_offers_nothing(member):
    expect(button(member, "Zoom out")).to_be_disabled()
    member.page.locator("#map").dblclick(position=CENTRE)
    expect(button(member, "Zoom out")).to_be_enabled()
    member.page.wait_for_timeout(600)
    expect(offer(member)).to_have_count(0)


def test_a_long_press_begins_a_pin_there(product, visit):
    visitor = visit(product, viewport=PHONE, has_touch=True).sign_in(product.person()).open().connection("live")
    hold(visitor, 150, 400)
    visitor.page.wait_for_timeout(600)
    offer(visitor).tap()
    expect(visitor.page.locator("dialog .preview-map .pin")).to_be_visible()


def test_enter_begins_a_pin_at_the_centre_and_escape_returns_to_the_map(member):
    ground = member.page.locator("#map")
    ground.focus()
    member.page.keyboard.press("Enter")
    expect(offer(member)).to_be_focused()
    member.page.keyboard.press("Escape")
    expect(offer(member)).to_have_count(0)
    expect(ground).to_be_focused()
    member.page.keyboard.press("Enter")
    expect(offer(member)).to_be_focused()
    member.page.keyboard.press("Enter")
    expect(member.page.locator("dialog .preview-map .pin")).to_be_visible()


def test_the_context_menu_begins_a_pin_there(member):
    member.page.locator("#map").click(position=CENTRE, button="right")
    expect(offer(member)).to_be_visible()


def test_another_popup_replaces_that_of_a_pin(product, visit):
    post = product.person("Ada", "Lovelace").post("Oslo, Norway")
    for first in ["Grace", "Mei"]:
        product.person(first).post("Lima, Peru")
    visitor = visit(product, reduced_motion="reduce").open(f"/pin/{post['id']}").connection("live")
    popup = visitor.page.locator(".leaflet-popup")
    expect(popup).to_contain_text("Ada Lovelace")
    visitor.page.locator("#map").click(position={"x": 60, "y": 500}, button="right")
    expect(visitor.page).to_have_url(f"{product.url}/")
    expect(offer(visitor)).to_be_visible()
    expect(popup).to_have_count(1)
    visitor.page.keyboard.press("Escape")
    button(visitor, "Whole world").click()
    visitor.pin("Ada").click()
    expect(popup).to_contain_text("Ada Lovelace")
    cluster = visitor.page.get_by_role("button", name="2 pins")
    # The first press zooms to the cluster's place.
    cluster.press("Enter")
    expect(visitor.page).to_have_url(f"{product.url}/")
    cluster.press("Enter")
    expect(popup.locator(".cluster-list button")).to_have_count(2)


def test_the_keyboard_opens_a_pin_and_escape_returns_to_it(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product).open().connection("live")
    for key in ["Enter", " "]:
        visitor.pin("Ada").focus()
        visitor.page.keyboard.press(key)
        expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Ada Lovelace")
        visitor.page.keyboard.press("Escape")
        expect(visitor.page.locator(".leaflet-popup")).to_have_count(0)
        expect(visitor.pin("Ada")).to_be_focused()


def test_a_live_change_keeps_the_open_popup_and_its_focus(product, visit):
    ada = product.person("Ada", "Lovelace")
    post = ada.post("Oslo, Norway", "https://one.example.org/")
    visitor = visit(product).open().connection("live")
    visitor.pin("Ada").click()
    popup = visitor.page.locator(".leaflet-popup")
    expect(popup).to_contain_text("one.example.org")
    place = tip(visitor, "Ada")
    ada.request("PUT", f"/v2/posts/{post['id']}", {"place": "Oslo, Norway", "link": "https://two.example.org/"})
    expect(popup).to_contain_text("two.example.org")
    product.person("Grace", "Hopper").post("Oslo, Norway")
    expect(visitor.page.get_by_role("button", name="2 pins")).to_be_visible()
    expect(popup).to_contain_text("two.example.org")
    assert popup.evaluate("(popup) => popup.contains(document.activeElement)")
    assert tip(visitor, "2 pins") == pytest.approx(place)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
@pytest.mark.parametrize("size", [(320, 568), (390, 844), (820, 1180), (1440, 900)], ids=str)
def test_popups_and_lists_at_the_worlds_edge_are_whole_and_give_the_world_back(product, visit, size, motion):
    places = ["Suva, Fiji", "Ushuaia", "Tromsø"]
    for place in places:
        product.person(place, "X").post(place)
    for name in ["Ada", "Grace", "Mei"]:
        product.person(name, "X").post("Honolulu, HI")
    viewport = {"width": size[0], "height": size[1]}
    visitor = visit(product, viewport=viewport, reduced_motion=motion).open().connection("live")
    expect(visitor.pin("Suva")).to_be_visible()
    before = tip(visitor, "Ushuaia X")
    for name in ["3 pins", *places]:
        visitor.pin(name).press("Enter")
        expect(visitor.page.locator(".leaflet-popup")).to_have_count(1)
        eventually("the popup is whole", lambda: visitor.page.evaluate(COVERED_POPUP) == [])
        visitor.page.keyboard.press("Escape")
        expect(visitor.page.locator(".leaflet-popup")).to_have_count(0)
        # The world fills the width of the window again.
        # The first view may be a few pixels narrower than the world.
        eventually("the world is back", lambda: tip(visitor, "Ushuaia X")["x"] == pytest.approx(before["x"], abs=16))


def test_pins_at_one_place_open_as_a_list_and_none_leaves_its_place(product, visit):
    for name in ["Ada", "Grace", "Mei"]:
        product.person(name, "X").post("San José, Costa Rica")
    product.person("Alan", "X").post("Lima, Peru")
    visitor = visit(product, viewport=PHONE).open().connection("live")
    cluster = visitor.page.get_by_role("button", name="3 pins", exact=True)
    cluster.click()
    group = visitor.page.get_by_role("group", name=re.compile("^3 pins in San José"))
    expect(group.get_by_role("button")).to_have_text(["MMei X", "GGrace X", "AAda X"])
    expect(visitor.page.locator("#map .pin")).to_have_count(1)
    product.person("Zoe", "X").post("San José, Costa Rica")
    group = visitor.page.get_by_role("group", name=re.compile("^4 pins in San José"))
    expect(group.get_by_role("button")).to_have_count(4)
    visitor.page.get_by_role("button", name="Grace X").click()
    expect(visitor.page.locator(".popup")).to_contain_text("Grace X")
    # The list fades away.
    expect(visitor.page.locator(".leaflet-popup")).to_have_count(1)
    arrow = visitor.page.locator(".leaflet-popup-tip-container").bounding_box()
    centre = tip(visitor, "4 pins")
    assert arrow["x"] + arrow["width"] / 2 == pytest.approx(centre["x"], abs=2)
    assert 0 < centre["y"] - arrow["y"] < 60


def test_the_keyboard_opens_the_list_of_a_cluster_and_escape_returns_to_the_cluster(product, visit):
    for name in ["Ada", "Grace"]:
        product.person(name, "X").post("Lima, Peru")
    visitor = visit(product).open().connection("live")
    cluster = visitor.page.get_by_role("button", name="2 pins", exact=True)
    cluster.focus()
    visitor.page.keyboard.press("Enter")
    rows = visitor.page.get_by_role("group", name=re.compile("^2 pins in Lima")).get_by_role("button")
    expect(rows.first).to_be_focused()
    visitor.page.keyboard.press("Escape")
    expect(cluster).to_be_focused()
    visitor.page.keyboard.press("Enter")
    expect(rows.first).to_be_focused()
    visitor.page.keyboard.press("Tab")
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".popup")).to_contain_text("Ada X")


def test_a_cluster_of_several_places_zooms_to_its_pins_and_keeps_the_focus(product, visit):
    for place in ["Oslo, Norway", "Copenhagen", "Lima, Peru"]:
        product.person(place, "X").post(place)
    visitor = visit(product, viewport=PHONE).open().connection("live")
    visitor.page.get_by_role("button", name="2 pins", exact=True).focus()
    visitor.page.keyboard.press("Enter")
    expect(visitor.pin("Oslo, Norway X")).to_be_visible()
    expect(visitor.pin("Copenhagen X")).to_be_visible()
    eventually("a pin has the focus", lambda: visitor.page.evaluate("document.activeElement.matches('.pin')"))


def test_whole_world_shows_everything_again(product, visit):
    for place in ["Reykjavík", "Auckland"]:
        product.person(place, "X").post(place)
    visitor = visit(product, reduced_motion="reduce").open().connection("live")
    for _ in range(3):
        button(visitor, "Zoom in").click()
    expect(button(visitor, "Zoom out")).to_be_enabled()
    button(visitor, "Whole world").click()
    expect(button(visitor, "Zoom out")).to_be_disabled()
    expect(visitor.pin("Reykjavík X")).to_be_in_viewport()


def test_my_location_is_a_dot_in_the_circle_of_its_accuracy(product, visit):
    visitor = visit(product, permissions=["geolocation"], geolocation=OSLO).open().connection("live")
    button(visitor, "My location").click()
    dot, circle = visitor.page.locator("#map .my-position"), visitor.page.locator("#map .my-accuracy")
    expect(dot).to_be_in_viewport()
    expect(dot).to_have_text("You are here")
    eventually("the circle is larger than the dot", lambda: circle.bounding_box()["width"] > 60)
    expect(button(visitor, "My location")).not_to_have_attribute("aria-busy", "true")


def test_a_refused_location_is_explained(product, visit):
    visitor = visit(product).open().connection("live")
    button(visitor, "My location").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("Location access is blocked.")


def test_the_deepest_zoom_says_that_the_map_is_approximate(product, visit):
    visitor = visit(product).open().connection("live")
    note = visitor.page.locator("#map .leaflet-control-attribution")
    expect(note).not_to_contain_text("Approximate map")
    zoom_in(visitor)
    expect(note).to_contain_text("Approximate map")
    button(visitor, "Zoom out").click()
    expect(note).not_to_contain_text("Approximate map")


@pytest.mark.parametrize("size", [PHONE, {"width": 844, "height": 390}, {"width": 1440, "height": 900}], ids=str)
def test_no_button_of_the_map_covers_another(product, visit, size):
    visitor = visit(product, viewport=size).open().connection("live")
    for name in ["Zoom in", "Zoom out", "Whole world", "My location"]:
        box = button(visitor, name).bounding_box()
        assert box["width"] >= 40 and box["height"] >= 40
        assert button(visitor, name).evaluate("""(button) => {
          const { left, right, top, bottom } = button.getBoundingClientRect();
          return [[left + 5, top + 5], [right - 5, top + 5], [left + 5, bottom - 5], [right - 5, bottom - 5]]
            .every(([x, y]) => button.closest('.map-buttons').contains(document.elementFromPoint(x, y)));
        }""")


def test_a_change_of_one_post_costs_little_work(product, visit):
    ada = product.person()
    places = ["Oslo", "Lima", "Nairobi", "Sydney", "Perth", "Cairo", "Denver", "Quito", "Hanoi", "Athens"]
    for place in places:
        many(ada, place, 9)
    until_published(product, 90)
    visitor = visit(product)
    visitor.page.add_init_script(NAMES)
    visitor.open().connection("live")
    expect(visitor.page.locator("#map .cluster").first).to_be_visible()
    visitor.page.evaluate("""() => {
      window.work = { nodes: 0, from: performance.now(), draws: drawn.times };
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) work.nodes += addedNodes.length;
      }).observe(document.querySelector('.leaflet-marker-pane'), { childList: true });
    }""")
    for place in places:
        many(ada, place, 3)
    expect(visitor.page.locator("#list-title")).to_have_text("100 pins")
    newest = ada.post("Reykjavík")
    expect(visitor.page.locator(f"#list li[data-id='{newest['id']}']")).to_be_attached()
    work = visitor.page.evaluate(
        "({ nodes: work.nodes, draws: drawn.times - work.draws, ms: performance.now() - work.from })")
    # Each change adds a pin, and removes the oldest: at most two clusters and two pins change.
    assert work["nodes"] <= 31 * 4, work
    assert work["draws"] <= work["ms"] / 250 + 1, work
