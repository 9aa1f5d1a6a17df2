"""Tests of the map: its world, pins and clusters, names, and buttons."""

import re

import pytest
from layout import hidden_pins
from playwright.sync_api import expect

from conftest import PHONE
from product import eventually

LIT = re.compile(r"\blit\b")
WIDE = {"width": 2560, "height": 1300}
FLAT = [{"width": 844, "height": 390}, {"width": 2560, "height": 1080}]
# The least zooms of these windows differ by more than one.
SMALL, LARGE = {"width": 600, "height": 900}, {"width": 1920, "height": 1080}
# Records the names that the page has drawn last on its map, and counts the drawings. Each drawing begins with a scale.
NAMES = """{
  window.drawn = { names: [], times: 0 };
  const { scale, fillText } = CanvasRenderingContext2D.prototype;
  const isNames = ({ canvas }) => canvas instanceof HTMLCanvasElement && canvas.closest('#map .place-names');
  CanvasRenderingContext2D.prototype.scale = function (...factors) {
    if (isNames(this)) drawn = { names: [], times: drawn.times + 1 };
    scale.apply(this, factors);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (isNames(this)) {
      const [, size] = this.font.match(/([\\d.]+)px/).map(Number);
      drawn.names.push({ text, x, y, size, spacing: parseFloat(this.letterSpacing), canvas: this.canvas,
        width: this.measureText(text).width });
    }
    fillText.call(this, text, x, y);
  };
}"""
COVERED = """() => {
  const pins = [...document.querySelectorAll('#map :is(.pin, .cluster)')].map((pin) => pin.getBoundingClientRect());
  return drawn.names.filter(({ x, y, size, width, canvas }) => {
    const { left, top } = canvas.getBoundingClientRect();
    return pins.some((pin) => left + x < pin.right && left + x + width > pin.left
      && top + y - size / 2 < pin.bottom && top + y + size / 2 > pin.top);
  }).map(({ text }) => text);
}"""


def button(visitor, name):
    return visitor.page.locator("#map").get_by_role("button", name=name, exact=True)


def names(visitor):
    """Returns the names on the map by their text, when there are some."""
    found = eventually("names on the map", lambda: visitor.page.evaluate(
        "drawn.names.map(({ canvas, ...name }) => name)"))
    assert len({name["text"] for name in found}) == len(found), "a name is on the map twice"
    return {name["text"]: name for name in found}


def is_within(inner, outer):
    return (outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]
            and outer["y"] <= inner["y"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"])


def tip(visitor, name):
    """Returns the point of the window that a pin's tip or a cluster's centre marks."""
    return visitor.pin(name).evaluate("""(pin) => {
      const { left, top } = pin.parentElement.getBoundingClientRect();
      return { x: left + pin._leaflet_pos.x, y: top + pin._leaflet_pos.y };
    }""")


def many(person, place, count):
    for number in range(count):
        person.request("POST", "/v2/posts", {"place": place, "link": f"https://example.org/{number}"})


def until_published(product, count):
    eventually("all posts are published", lambda: len(product.request("GET", "/v2/feed")["entries"]) == count)


def watched(visit, product, **options):
    visitor = visit(product, **options)
    visitor.page.add_init_script(NAMES)
    return visitor


def test_a_wide_window_has_one_world_with_space_for_the_pins_at_its_edge(product, visit):
    visitor = watched(visit, product, viewport=WIDE).open().connection("live")
    assert {"Australia", "Canada", "Brazil"} <= names(visitor).keys()
    expect(button(visitor, "Zoom out")).to_be_disabled()
    ground, tiles = visitor.page.evaluate("""() => [[document.querySelector('#map')],
      [...document.querySelectorAll('#map .leaflet-tile-pane canvas')]].map((all) => {
        const boxes = all.map((one) => one.getBoundingClientRect());
        return [Math.min(...boxes.map(({ left }) => left)), Math.max(...boxes.map(({ right }) => right))];
      })""")
    assert tiles[0] - ground[0] == pytest.approx(20, abs=2) and ground[1] - tiles[1] == pytest.approx(20, abs=2)


@pytest.mark.parametrize("size", [(320, 568), (390, 844), (820, 1180), (1440, 900)], ids=str)
def test_the_first_view_shows_pins_at_the_worlds_edge_whole_and_beside_the_buttons(product, visit, size):
    for place in ["Honolulu, HI", "Suva, Fiji", "Auckland", "Ushuaia", "Tromsø"]:
        product.person(place, "X").post(place)
    visitor = visit(product, viewport={"width": size[0], "height": size[1]}).open().connection("live")
    expect(visitor.pin("Tromsø X")).to_be_visible()
    assert hidden_pins(visitor) == []


def test_the_whole_world_fits_above_the_list_of_a_phone(product, visit):
    for place in ["Honolulu, HI", "Suva, Fiji", "Auckland", "Ushuaia", "Tromsø"]:
        product.person(place, "X").post(place)
    visitor = visit(product, viewport=PHONE).open().connection("live")
    expect(visitor.pin("Tromsø X")).to_be_visible()
    visitor.page.locator("#list-handle").press("ArrowUp")
    eventually("all pins are in view", lambda: hidden_pins(visitor) == [])


@pytest.mark.parametrize("size", [PHONE, {"width": 1440, "height": 900}], ids=["phone", "desktop"])
def test_the_first_view_shows_all_pins_and_no_change_moves_it(product, visit, size):
    people = {place: product.person(place, "X") for place in ["Reykjavík", "Lima", "Cape Town", "Mumbai"]}
    for place, person in people.items():
        person.post(place)
    visitor = visit(product, viewport=size).open().connection("live")
    ground = visitor.page.locator("#map").bounding_box()
    for place in people:
        assert is_within(visitor.pin(f"{place} X").bounding_box(), ground)
    before = tip(visitor, "Lima X")
    product.person("Sydney", "X").post("Sydney")
    expect(visitor.pin("Sydney X")).to_be_attached()
    assert tip(visitor, "Lima X") == before


@pytest.mark.parametrize("size", FLAT, ids=str)
def test_a_flat_window_shows_all_pins_first_and_the_whole_world(product, visit, size):
    places = ["Tromsø", "Reykjavík", "Anchorage", "Sydney", "Ushuaia"]
    for place in places:
        product.person(place, "X").post(place)
    visitor = visit(product, viewport=size, reduced_motion="reduce").open().connection("live")
    expect(visitor.page.locator("#map .pin")).to_have_count(len(places))
    assert hidden_pins(visitor) == []
    button(visitor, "Zoom in").click()
    button(visitor, "Zoom in").click()
    button(visitor, "Whole world").click()
    expect(button(visitor, "Zoom out")).to_be_disabled()
    assert hidden_pins(visitor) == []
    product.person("Vostok", "X").post("Vostok", latitude=-78.46, longitude=106.84)
    other = visit(product, viewport=size, reduced_motion="reduce").open().connection("live")
    expect(other.page.locator("#map .pin")).to_have_count(len(places) + 1)
    assert hidden_pins(other) == []


def test_the_whole_world_stays_in_view_when_a_phone_turns(product, visit):
    for place in ["Anchorage", "Ushuaia", "Mumbai"]:
        product.person(place, "X").post(place)
    visitor = visit(product, viewport=PHONE).open().connection("live")
    button(visitor, "Whole world").click()
    expect(button(visitor, "Zoom out")).to_be_disabled()
    for size in [{"width": 844, "height": 390}, PHONE]:
        visitor.page.set_viewport_size(size)
        eventually("all pins are in view", lambda: hidden_pins(visitor) == [])
        expect(button(visitor, "Zoom out")).to_be_disabled()


def test_a_larger_window_keeps_each_pin_at_its_place(product, visit):
    people = {place: product.person(place, "X") for place in ["Anchorage", "Sydney", "Oslo, Norway", "Berlin"]}
    for place, person in people.items():
        person.post(place)
    visitor = visit(product, viewport=SMALL).open().connection("live")
    cluster = visitor.page.get_by_role("button", name="2 pins")
    expect(cluster).to_be_visible()
    for _ in range(2):
        visitor.page.set_viewport_size(LARGE)
        for name in ["Oslo, Norway X", "Berlin X"]:
            expect(visitor.pin(name)).to_be_visible()
        assert tip(visitor, "Berlin X")["y"] > tip(visitor, "Oslo, Norway X")["y"] + 40
        # The clusters know each pin that leaves and comes.
        for place in ["Oslo, Norway", "Berlin"]:
            people[place].request("DELETE", f"/v2/posts/{people[place].posts()[0]['id']}")
            expect(visitor.pin(f"{place} X")).to_have_count(0)
            people[place].post(place)
            expect(visitor.pin(f"{place} X")).to_be_visible()
        visitor.page.set_viewport_size(SMALL)
        expect(cluster).to_be_visible()


def test_the_first_view_of_near_pins_has_their_surroundings(product, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = watched(visit, product).open().connection("live")
    expect(visitor.pin("Ada")).to_be_visible()
    eventually("the names of the neighbours", lambda: {"Sweden", "Finland"} <= names(visitor).keys())


def test_a_pin_in_antarctica_stands_on_land(product, visit):
    ada = product.person("Ada")
    visitor = visit(product).open().connection("live")
    expect(visitor.page.locator("#map .cover")).to_be_attached()
    ada.post("Vostok", latitude=-78.46, longitude=106.84)
    expect(visitor.pin("Ada")).to_be_attached()
    expect(visitor.page.locator("#map .cover")).to_have_count(0)


def test_a_cluster_is_larger_and_stronger_with_more_pins(product, visit):
    ada, grace = product.person("Ada"), product.person("Grace")
    many(grace, "Lima, Peru", 3)
    many(grace, "Nairobi", 12)
    many(grace, "Tokyo", 52)
    many(ada, "Oslo, Norway", 2)
    until_published(product, 69)
    looks = []
    for theme in ["light", "dark"]:
        visitor = visit(product, color_scheme=theme).sign_in(ada).open().connection("live")
        clusters = visitor.page.locator(".cluster")
        expect(clusters).to_have_count(4)
        looks.append([])
        for count in [3, 12, 52]:
            disc = visitor.page.get_by_role("button", name=f"{count} pins", exact=True).locator("span")
            looks[-1].append(disc.evaluate("""(disc) => {
              const { width, backgroundColor, color } = getComputedStyle(disc);
              return [parseFloat(width), backgroundColor, color];
            }"""))
        expect(visitor.page.get_by_role("button", name="2 pins, yours among them")).to_be_visible()
    for small, medium, large in looks:
        assert small[0] < medium[0] < large[0]
        assert len({small[1], medium[1], large[1]}) == 3
        for _, background, color in (small, medium, large):
            assert contrast(rgb(background), rgb(color)) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_persons_colour_has_contrast_with_its_letter_and_the_map(shared, visit, theme):
    visitor = visit(shared, color_scheme=theme).open()
    colours = visitor.page.evaluate("""() => {
      const style = getComputedStyle(document.documentElement);
      const hues = [...'01234567'].map((number) => `hue-${number}`);
      const named = [...hues, 'own', 'on-accent', 'on-own', 'land', 'water'];
      return Object.fromEntries(named.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    }""")
    hues = {name: colour for name, colour in colours.items() if name.startswith("hue-") or name == "own"}
    assert len(set(hues.values())) == 9
    for name, colour in hues.items():
        letter = colours["on-own" if name == "own" else "on-accent"]
        assert contrast(hexadecimal(colour), hexadecimal(letter)) >= 4.5, name
        for ground in ["land", "water"]:
            assert contrast(hexadecimal(colour), hexadecimal(colours[ground])) >= 3, (name, ground)


def hexadecimal(colour):
    return [int(colour[at:at + 2], 16) for at in (1, 3, 5)]


def rgb(colour):
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def contrast(one, other):
    """Returns the contrast of two colours. (WCAG 2.2.)"""

    def luminance(colour):
        parts = [part / 255 for part in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_two_people_have_their_own_colours_on_the_map_and_in_the_list(product, visit):
    ada = product.person("Ada", "Lovelace")
    for name, place in [("Grace", "Lima"), ("Mei", "Nairobi")]:
        product.person(name, "X").post(place)
    ada.post("Sydney")
    visitor = visit(product).sign_in(ada).open().connection("live")
    pins = [visitor.pin(name).evaluate("(pin) => getComputedStyle(pin.firstChild, '::before').backgroundColor")
            for name in ["Grace X", "Mei X", "Yours"]]
    discs = [visitor.page.locator("#list li").filter(has_text=name).locator(".disc").evaluate(
        "(disc) => getComputedStyle(disc).backgroundColor") for name in ["Grace X", "Mei X", "Ada Lovelace"]]
    assert pins == discs and len(set(pins)) == 3


def test_the_name_of_a_larger_country_is_larger_and_no_pin_covers_a_name(product, visit):
    for place in ["Berlin", "Paris", "Milan", "Seattle, WA", "Chicago", "Beijing", "Brasília", "Perth", "Moscow"]:
        product.person(place, "X").post(place)
    visitor = watched(visit, product, viewport=WIDE).open().connection("live")
    expect(visitor.page.locator("#map .leaflet-marker-icon")).to_have_count(9)
    eventually("all names have left the pins", lambda: visitor.page.evaluate(COVERED) == [])
    found = names(visitor)
    assert found["Russia"]["size"] > found["Mongolia"]["size"]
    assert found["Russia"]["spacing"] > found["Mongolia"]["spacing"]
    assert "Monaco" not in found and "Luxembourg" not in found
    # A name moves beside a pin in its middle.
    assert {"Germany", "Beijing"} & found.keys()
    button(visitor, "Zoom in").click()
    eventually("Poland has a name", lambda: "Poland" in names(visitor))
    found = names(visitor)
    assert found["Russia"]["size"] > found["Poland"]["size"]


def test_a_phone_has_the_names_of_the_largest_countries(product, visit):
    visitor = watched(visit, product, viewport=PHONE).open().connection("live")
    assert {"Russia", "Canada", "United States", "China", "Brazil", "Australia"} <= names(visitor).keys()


def test_the_mouse_or_the_focus_on_a_pin_shows_its_name_and_lights_its_row(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    product.person("Grace", "Hopper").post("Lima, Peru")
    visitor = visit(product).open().connection("live")
    name = visitor.page.locator(".pin-name")
    row = visitor.page.locator("#list li").filter(has_text="Ada Lovelace")
    expect(row).to_be_visible()
    visitor.pin("Ada").hover()
    expect(name).to_have_text("Ada Lovelace")
    expect(row).to_have_class(LIT)
    visitor.page.mouse.move(700, 700)
    expect(name).to_be_hidden()
    expect(row).not_to_have_class(LIT)
    visitor.page.locator("#map").focus()
    visitor.page.keyboard.press("Tab")
    expect(name).to_be_visible()
    expect(visitor.page.locator("#list li.lit")).to_contain_text(name.text_content())


def test_the_mouse_on_a_pin_of_a_narrow_window_moves_nothing(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    many(product.person("Grace", "Hopper"), "Lima, Peru", 20)
    until_published(product, 21)
    visitor = visit(product, viewport={"width": 700, "height": 800}).open().connection("live")
    visitor.pin("Ada").hover()
    expect(visitor.page.locator(".pin-name")).to_have_text("Ada Lovelace")
    expect(visitor.page.locator("#list li.lit")).to_contain_text("Ada Lovelace")
    assert visitor.page.locator("#view-map").evaluate("(view) => view.scrollTop") == 0
    visitor.page.locator("#list-handle").press("ArrowUp")
    visitor.page.locator("#list li").filter(has_text="Ada").hover()
    expect(visitor.pin("Ada")).to_have_class(LIT)


def test_the_name_of_a_pin_that_leaves_under_the_mouse_leaves_with_the_next_move(product, visit):
    ada = product.person("Ada", "Lovelace")
    post = ada.post("Oslo, Norway")
    visitor = visit(product).open().connection("live")
    visitor.pin("Ada").hover()
    expect(visitor.page.locator(".pin-name")).to_have_text("Ada Lovelace")
    ada.request("DELETE", f"/v2/posts/{post['id']}")
    expect(visitor.pin("Ada")).to_have_count(0)
    visitor.page.mouse.move(700, 700)
    expect(visitor.page.locator(".pin-name")).to_be_hidden()


def test_a_touch_shows_no_name_beside_the_popup(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    visitor = visit(product, viewport=PHONE, has_touch=True).open().connection("live")
    visitor.pin("Ada").tap()
    expect(visitor.page.locator(".leaflet-popup")).to_contain_text("Ada Lovelace")
    expect(visitor.page.locator(".pin-name")).to_be_hidden()


def test_a_row_lights_its_pin_or_the_cluster_around_it(product, visit):
    product.person("Ada", "Lovelace").post("Oslo, Norway")
    for name in ["Grace", "Mei"]:
        product.person(name, "X").post("Lima, Peru")
    visitor = visit(product).open().connection("live")
    rows = visitor.page.locator("#list li")
    rows.filter(has_text="Ada Lovelace").hover()
    expect(visitor.pin("Ada")).to_have_class(LIT)
    rows.filter(has_text="Mei X").hover()
    cluster = visitor.page.get_by_role("button", name="2 pins")
    expect(cluster).to_have_class(LIT)
    expect(visitor.pin("Ada")).not_to_have_class(LIT)
    # The light stays when the cluster changes.
    product.person("Alan", "X").post("Lima, Peru")
    expect(visitor.page.get_by_role("button", name="3 pins")).to_have_class(LIT)
