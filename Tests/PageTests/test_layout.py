"""Tests of the layout from 320 to 2,560 pixels: the list beside the map, the sheet, and the cards."""

import datetime
import re

import pytest
from layout import FAULTS, LONG_NAME, SIZES, faults
from playwright.sync_api import expect

from conftest import DESKTOP, PHONE, TOAST_MS, UNDO_MS

LIT = re.compile(r"\blit\b")
LOW = {"width": 390, "height": 400}


@pytest.fixture(scope="module")
def people(shared):
    """Two people with pins: one with a short name, and one with a name of 64 characters."""
    wolfe, bo = shared.operator(LONG_NAME), shared.person("Bo", "")
    wolfe.post("Bern, Switzerland", "https://a.very.long.subdomain.of.a.very.long.host.example.org/")
    bo.post("Santiago de Chile", "https://example.org/bo")
    return {"long": wolfe, "short": bo}


def phone(visit, product, **options):
    return visit(product, **{"viewport": PHONE, "has_touch": True, "reduced_motion": "reduce", **options})


def sheet(visitor):
    return visitor.page.locator("#list")


def handle(visitor):
    return visitor.page.get_by_role("button", name="List of pins")


def is_at(visitor, height):
    expect(sheet(visitor)).to_have_attribute("data-height", height)


def item(visitor, name):
    return visitor.page.locator("#list li").filter(has_text=name).first


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
@pytest.mark.parametrize("name", ["stranger", "short", "long"])
def test_every_action_can_be_reached_at_every_size(shared, people, visit, name, language):
    visitor = phone(visit, shared, locale=language).extend_timers(TOAST_MS)
    if name != "stranger":
        visitor.sign_in(people[name])
    for path in ["/", "/table", "/posts"]:
        visitor.open(path).connection("live")
        for size in SIZES:
            assert faults(visitor, size) == [], (path, size)
    visitor.open().connection("live").page.locator("#connection").click()
    for size in SIZES:
        assert faults(visitor, size) == [], ("toast", size)


@pytest.fixture
def faults_of(browser):
    """Returns the faults of a list of rows, each 40 pixels high, with a button in the window of 300 pixels."""
    page = browser.new_page(viewport={"width": 800, "height": 300})

    def faults_of(before, rows, after, button):
        entries = "".join(f'<div class="entry"><a class="name" href="#">Row {number}</a></div>' for number in range(rows))
        page.set_content(f"""<style>
          body {{ margin: 0 }} section {{ height: 300px; overflow: auto }} .name {{ display: block; height: 40px }}
          #add {{ position: fixed; inset: {button} 0 auto; height: 40px; width: 800px }}
        </style><main><section><div style="height: {before}px"></div>{entries}<div style="height: {after}px"></div>
        </section></main><button id="add">+</button>""")
        return page.evaluate(FAULTS)

    yield faults_of
    page.close()


def test_the_faults_of_a_list_are_rows_that_scrolling_does_not_free(faults_of):
    assert faults_of(before=40, rows=6, after=0, button="0") == []
    # The middle of the last row is at the lower edge of the window, or less than a pixel above it.
    assert faults_of(before=40, rows=7, after=0, button="0") == []
    assert faults_of(before=39.6, rows=7, after=0, button="0") == []
    assert faults_of(before=60, rows=6, after=40, button="260px") == []
    assert faults_of(before=60, rows=6, after=0, button="260px") == ['Row 5 is under <button id="add">+</button>']


@pytest.mark.parametrize("height", ["half", "full"])
def test_every_action_can_be_reached_above_and_in_the_sheet(shared, people, visit, height):
    visitor = phone(visit, shared).sign_in(people["long"]).open().connection("live")
    handle(visitor).press("ArrowUp")
    if height == "full":
        handle(visitor).press("ArrowUp")
    is_at(visitor, height)
    for size in [*SIZES[:3], (390, 400)]:
        assert faults(visitor, size) == [], size


def test_a_list_beside_the_map_shows_the_newest_posts_first_and_searches_them(product, visit):
    product.person("Ada", "Lovelace").post("München", "https://one.example.org/")
    product.person("Łukasz", "Sørensen").post("Oslo, Norway", "https://two.example.org/")
    visitor = visit(product).open().connection("live")
    page = visitor.page
    names = page.locator("#list li a.name")
    expect(names).to_have_text(["Łukasz Sørensen", "Ada Lovelace"])
    expect(page.get_by_role("heading", name="2 pins")).to_be_visible()
    left, right = sheet(visitor).bounding_box(), page.locator("#map").bounding_box()
    assert left["x"] + left["width"] == right["x"] and right["x"] + right["width"] == DESKTOP["width"]
    product.person("Grace", "Hopper").post("Lima, Peru")
    expect(names).to_have_text(["Grace Hopper", "Łukasz Sørensen", "Ada Lovelace"])
    for text, found in {"munchen": "Ada Lovelace", "SORENSEN": "Łukasz Sørensen", "lukasz": "Łukasz Sørensen"}.items():
        page.get_by_role("searchbox").fill(text)
        expect(names).to_have_text([found])
    expect(page.get_by_role("heading", name="1 pin")).to_be_visible()
    page.get_by_role("searchbox").fill("no such text")
    page.get_by_role("button", name="Clear search").click()
    expect(names).to_have_count(3)
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_a_list_item_and_its_pin_light_each_other(product, visit):
    product.person("Ada").post("Oslo, Norway")
    product.person("Grace").post("Lima, Peru")
    visitor = visit(product, reduced_motion="reduce").open().connection("live")
    ada, pin = item(visitor, "Ada"), visitor.pin("Ada")
    ada.hover()
    expect(pin).to_have_class(LIT)
    expect(visitor.pin("Grace")).not_to_have_class(LIT)
    visitor.page.get_by_role("searchbox").hover()
    expect(pin).not_to_have_class(LIT)
    ada.get_by_role("link", name="Ada").focus()
    expect(pin).to_have_class(LIT)
    visitor.page.get_by_role("searchbox").focus()
    pin.hover()
    expect(ada).to_have_class(LIT)
    visitor.page.get_by_role("searchbox").hover()
    expect(ada).not_to_have_class(LIT)


def test_a_list_item_opens_its_pin(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product, reduced_motion="reduce").open().connection("live")
    item(visitor, "Ada").locator(".when").click()
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Ada Lovelace")


def test_the_sheet_follows_the_keyboard(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = phone(visit, product).open().connection("live")
    page = visitor.page
    is_at(visitor, "peek")
    expect(page.get_by_text("1 pin", exact=True)).to_be_visible()
    expect(page.locator("#list li")).to_be_hidden()
    handle(visitor).press("Enter")
    is_at(visitor, "half")
    expect(handle(visitor)).to_have_attribute("aria-expanded", "true")
    handle(visitor).press("ArrowUp")
    is_at(visitor, "full")
    page.keyboard.press("Tab")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Ada Lovelace")).to_be_focused()
    page.keyboard.press("Escape")
    is_at(visitor, "peek")
    expect(handle(visitor)).to_be_focused()
    expect(handle(visitor)).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#list li")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.locator("#map")).to_be_focused()


def drag(visitor, to, steps=8):
    """Drags the sheet's handle to a height of the window with a finger."""
    session = visitor.context.new_cdp_session(visitor.page)
    # Wait until the sheet stands still.
    handle(visitor).click(trial=True)
    box = handle(visitor).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 20

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": at} for at in points]})

    touch("touchStart", y)
    for step in range(1, steps + 1):
        touch("touchMove", y + (to - y) * step / steps)
        visitor.page.wait_for_timeout(30)
    # A finger that rests before it leaves has no speed.
    visitor.page.wait_for_timeout(100)
    touch("touchEnd")


def test_the_sheet_follows_a_finger(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = phone(visit, product).open().connection("live")
    drag(visitor, 430)
    is_at(visitor, "half")
    expect(visitor.page.locator("#list li")).to_be_visible()
    drag(visitor, 140)
    is_at(visitor, "full")
    drag(visitor, 800)
    is_at(visitor, "peek")
    handle(visitor).tap()
    is_at(visitor, "half")
    item(visitor, "Ada").get_by_role("link", name="Ada Lovelace").tap()
    is_at(visitor, "peek")
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Ada Lovelace")


def test_a_search_on_a_phone_raises_the_sheet_above_the_keyboard(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = phone(visit, product).open().connection("live")
    handle(visitor).tap()
    visitor.page.get_by_role("searchbox").tap()
    is_at(visitor, "full")
    visitor.page.set_viewport_size(LOW)
    visitor.page.get_by_role("searchbox").fill("oslo")
    expect(visitor.page.get_by_role("link", name="Ada Lovelace")).to_be_in_viewport()


def test_the_map_above_the_sheet_keeps_its_middle(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = phone(visit, product).open().connection("live")
    handle(visitor).press("ArrowUp")
    is_at(visitor, "half")
    visitor.page.locator("#list li a.name").click()
    expect(visitor.page.locator(".leaflet-popup")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("language, age", [("en-GB", "5 min ago"), ("de-DE", "vor 5 Min.")])
def test_a_phones_table_has_cards_with_name_place_and_short_age_on_one_line(product, visit, language, age):
    product.person("Ada", "Lovelace").post("Oslo", "https://example.org/ada")
    visitor = phone(visit, product, locale=language)
    visitor.page.clock.set_fixed_time(datetime.datetime.now() + datetime.timedelta(minutes=5, seconds=20))
    visitor.open("/table").connection("live")
    row = visitor.page.locator("tbody tr")
    expect(row.locator(".when")).to_have_text(age)
    expect(row).to_have_text(re.compile(r"Ada Lovelace.*Oslo.*example\.org", re.DOTALL))
    name, place, time, host = (row.locator(part).bounding_box() for part in ["a.name", ".where bdi", "time", ".host a"])
    middles = [box["y"] + box["height"] / 2 for box in (name, place, time)]
    assert max(middles) - min(middles) < 3, middles
    assert host["y"] + host["height"] / 2 > max(middles) + 15
    assert row.bounding_box()["height"] < 90


def test_a_phones_cards_are_a_table_that_can_be_sorted(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    product.person("Grace", "Hopper").post("Lima, Peru")
    visitor = phone(visit, product).open("/table").connection("live")
    page = visitor.page
    expect(page.get_by_role("table", name="The latest posts")).to_match_aria_snapshot("""
      - table "The latest posts":
        - rowgroup:
          - row:
            - columnheader "Name"
            - columnheader "Place"
            - columnheader "Link"
            - columnheader "Age"
        - rowgroup:
          - row /Grace Hopper Lima, Peru example.org/:
            - rowheader "Grace Hopper"
            - cell "Lima, Peru"
            - cell "example.org"
            - cell /now|ago/
          - row /Ada Lovelace/
    """)
    page.get_by_role("columnheader", name="Name").get_by_role("button").tap()
    expect(page.locator("tbody a.name")).to_have_text(["Ada Lovelace", "Grace Hopper"])


def test_the_names_of_the_table_stand_on_the_line_of_their_row(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product).open("/table").connection("live")
    row = visitor.page.locator("tbody tr")
    tops = [row.locator(part).bounding_box()["y"] for part in ["a.name bdi", ".where bdi", ".host a", "time"]]
    assert max(tops) - min(tops) <= 1, tops


def test_only_one_action_is_primary_and_refresh_appears_only_without_live_updates(shared, people, visit):
    visitor = visit(shared).sign_in(people["short"]).open().connection("live")
    expect(visitor.page.locator("button.primary:visible")).to_have_text(["Add a pin"])
    expect(visitor.page.locator("#refresh")).to_be_hidden()
    visitor.context.set_offline(True)
    visitor.connection("offline")
    expect(visitor.page.get_by_role("button", name="Refresh")).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_add_button_is_near_the_thumb_on_a_phone(shared, people, visit, size):
    visitor = phone(visit, shared, viewport=size).open().connection("live")
    box = visitor.page.get_by_role("banner").get_by_role("button", name="Add a pin").bounding_box()
    if size == DESKTOP:
        assert box["y"] < 60
        return
    assert (box["width"], box["height"]) == (56, 56)
    assert box["x"] > size["width"] / 2 and box["y"] > size["height"] * 0.75
    expect(visitor.page.get_by_role("heading", name="On The Map")).to_be_in_viewport()


def test_a_long_host_breaks_after_its_dots(shared, people, visit):
    visitor = phone(visit, shared).open("/table").connection("live")
    link = visitor.page.locator("#view-table").get_by_role("link", name="a.very.long.subdomain")
    assert link.bounding_box()["height"] > 40
    lines = link.evaluate("""(link) => [...link.childNodes].filter((part) => part.data).map((part) => {
      const range = document.createRange();
      range.selectNode(part);
      return range.getClientRects().length;
    })""")
    assert set(lines) == {1}


def test_names_in_right_to_left_scripts_do_not_reorder_their_row(product, visit):
    product.person("דוד", "כהן").post("Oslo (Norway)")
    visitor = visit(product).open().connection("live")
    name, place = item(visitor, "דוד").locator("a.name"), item(visitor, "דוד").locator(".where")
    assert name.bounding_box()["x"] < place.bounding_box()["x"]
    expect(place.locator("bdi")).to_have_text("Oslo (Norway)")


def test_views_without_posts_offer_the_action_that_they_suggest(product, visit):
    visitor = visit(product).open("/table").connection("live")
    page = visitor.page
    view = page.locator("#view-table")
    expect(view.get_by_text("Nobody is on the map yet. Be the first.")).to_be_visible()
    view.get_by_role("button", name="Add a pin").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    visitor.tab("My posts")
    page.locator("#view-posts").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    visitor.sign_in(product.person("Ada")).open("/posts").connection("live")
    expect(page.get_by_text("You have no posts yet.")).to_be_visible()
    page.locator("#view-posts").get_by_role("button", name="Add a pin").click()
    expect(page.get_by_role("combobox").last).to_be_focused()


def test_the_action_of_a_message_leaves_the_whole_width_of_a_phone_to_the_text(shared, visit):
    ada = shared.person()
    ada.post("Oslo, Norway")
    visitor = visit(shared, viewport=PHONE).sign_in(ada).extend_timers(UNDO_MS).open("/posts")
    visitor.page.get_by_role("button", name="Delete Oslo, Norway").click()
    text = visitor.page.locator(".toast > span").bounding_box()
    undo = visitor.page.locator(".toast").get_by_role("button", name="Undo").bounding_box()
    assert text["width"] > 200 and undo["y"] >= text["y"] + text["height"] - 1
