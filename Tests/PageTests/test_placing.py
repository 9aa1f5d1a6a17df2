"""Tests of a pin that the person sets on the map: after an unknown place, at the device's position, or in the sea."""

import re

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect

from product import eventually

SIZES = [
    (1440, 900), (1280, 800), (1024, 768), (768, 1024), (600, 900), (844, 390), (390, 844), (390, 400), (320, 568),
    (320, 400)]
# Returns the text of the button at a point, or null.
BUTTON_AT = "([x, y]) => document.elementFromPoint(x, y)?.closest('button')?.textContent ?? null"
FIRST = "Set the pin first: drag it, or tap your place on the map."


def centre(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def name(adding):
    return adding.dialog.get_by_label("Name of the place")


def located(product, visit, latitude, longitude, **options):
    """Opens the dialog at a position of the device."""
    person = product.person()
    visitor = visit(
        product, geolocation={"latitude": latitude, "longitude": longitude}, permissions=["geolocation"], **options)
    adding = Adding(visitor.sign_in(person).open().connection("live")).begin()
    adding.dialog.get_by_role("button", name="Use my location").click()
    adding.step(2).person = person
    return adding


def posted(adding):
    """Finishes the dialog and returns the new post."""
    adding.here().link("https://example.org/").submit()
    expect(adding.dialog).to_have_count(0)
    expect(adding.page.locator(".leaflet-popup")).to_be_visible()
    [post] = adding.person.posts()
    return post


def test_an_unknown_place_can_be_placed_by_a_click_on_the_map(adding):
    adding.begin().place_yourself("Qqqzzz Lodge").step(2).asks("Where on the map?")
    expect(name(adding)).to_have_value("Qqqzzz Lodge")
    # The pin is in the middle of the world until it has a place.
    adding.here().trouble(FIRST).step(2)
    expect(adding.pin).to_be_focused()
    ground = adding.dialog.locator(".preview-map").bounding_box()
    adding.page.mouse.click(ground["x"] + ground["width"] / 4, ground["y"] + ground["height"] / 3)
    adding.trouble("Pin moved.")
    expect(adding.dialog.get_by_text(FIRST)).to_have_count(0)
    post = posted(adding)
    assert post["place"] == post["label"] == "Qqqzzz Lodge" and post["agreement"] == "unverified"
    assert post["longitude"] < -30 and post["latitude"] > 10
    expect(adding.page.locator(".leaflet-popup")).to_contain_text("Qqqzzz Lodge")
    expect(adding.page).to_have_title("Ada Lovelace: Qqqzzz Lodge · On The Map")
    expect(adding.page.locator("#toasts")).to_contain_text("You are on the map: Qqqzzz Lodge")


def test_an_unknown_place_can_be_placed_by_a_tap(shared, visit):
    person = shared.person()
    visitor = visit(shared, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    visitor.sign_in(person).open().connection("live").page.locator("#add").tap()
    adding = Adding(visitor).place_yourself("Qqqzzz Hut").step(2)
    adding.person = person
    ground = adding.dialog.locator(".preview-map").bounding_box()
    adding.page.touchscreen.tap(ground["x"] + ground["width"] * 3 / 4, ground["y"] + ground["height"] * 3 / 4)
    adding.trouble("Pin moved.")
    post = posted(adding)
    assert post["longitude"] > 30 and post["agreement"] == "unverified"


def test_an_unknown_place_can_be_placed_by_keyboard_alone(adding):
    press = adding.page.keyboard.press

    def tab_to(text):
        for _ in range(12):
            if adding.page.evaluate("document.activeElement.textContent") == text:
                return
            press("Tab")
        pytest.fail(f"no way to {text}")

    adding.page.locator("#add").focus()
    press("Enter")
    adding.step(1)
    adding.page.keyboard.type("Qqqzzz Farm")
    press("Enter")
    adding.trouble("We can’t find “Qqqzzz Farm”.")
    tab_to("Place the pin yourself")
    press("Enter")
    expect(adding.pin).to_be_focused()
    for key in ["ArrowLeft", "ArrowLeft", "+", "+", "+", "ArrowUp"] + ["ArrowLeft"] * 40:
        press(key)
    adding.trouble("Pin moved.")
    # The map follows a pin that leaves it.
    pin, ground = adding.pin.bounding_box(), adding.dialog.locator(".preview-map").bounding_box()
    assert ground["x"] <= pin["x"] and pin["x"] + pin["width"] <= ground["x"] + ground["width"]
    tab_to("Use this place")
    press("Enter")
    adding.step(3)
    adding.page.keyboard.type("example.org/farm")
    press("Enter")
    expect(adding.dialog).to_have_count(0)
    expect(adding.page.locator(".leaflet-popup")).to_contain_text("Qqqzzz Farm")
    [post] = adding.person.posts()
    assert post["agreement"] == "unverified"


def test_a_placed_pin_can_be_edited_and_keeps_its_point(adding):
    adding.person.post("Qqqzzz Hut", latitude=61.5, longitude=8.25)
    adding.page.goto("/posts")
    adding.page.get_by_role("button", name="Edit Qqqzzz Hut").click()
    adding.dialog.get_by_role("button", name="Find").click()
    adding.dialog.get_by_role("button", name="Place the pin yourself").click()
    adding.step(2).asks("Is this the place?")
    name(adding).fill("Qqqzzz Old Hut")
    adding.here()
    expect(adding.dialog.locator(".chosen")).to_have_text("Qqqzzz Old Hut")
    adding.submit()
    expect(adding.dialog).to_have_count(0)
    [post] = adding.person.posts()
    assert (post["place"], post["latitude"], post["longitude"]) == ("Qqqzzz Old Hut", 61.5, 8.25)


def test_a_position_in_the_sea_is_named_by_its_coordinates_until_a_person_names_it(shared, visit):
    adding = located(shared, visit, 49.3, -30.1).asks("Is this the place?")
    expect(name(adding)).to_have_value("49.30, −30.10")
    expect(adding.pin).to_be_visible()
    name(adding).fill("")
    adding.here().trouble("Enter a name for the place.").step(2)
    name(adding).fill("Qqqzzz Buoy")
    post = posted(adding)
    assert (post["place"], post["latitude"], post["longitude"]) == ("Qqqzzz Buoy", 49.3, -30.1)


def test_the_name_follows_the_pin_until_a_person_types_one(shared, visit):
    adding = located(shared, visit, 48.14, 11.58)
    expect(name(adding)).to_have_value("Munich, Bavaria, Germany")
    ground = adding.dialog.locator(".preview-map").bounding_box()
    adding.page.mouse.click(*centre({**ground, "width": ground["width"] / 2}))
    expect(name(adding)).not_to_have_value("Munich, Bavaria, Germany")
    expect(name(adding)).to_have_value(re.compile("Germany|Switzerland|Austria"))
    name(adding).fill("My garden")
    adding.page.mouse.click(*centre(ground))
    adding.trouble("Pin moved.")
    adding.here()
    expect(adding.dialog.locator(".chosen")).to_have_text("My garden")


def test_a_name_that_the_server_does_not_look_up_stays_the_coordinates(shared, visit):
    person = shared.person()
    visitor = visit(shared, geolocation={"latitude": 48.14, "longitude": 11.58}, permissions=["geolocation"])
    adding = Adding(visitor.sign_in(person).open().connection("live")).begin()
    adding.page.route("**/v2/reverse?*", lambda route: route.abort())
    adding.dialog.get_by_role("button", name="Use my location").click()
    adding.step(2)
    expect(name(adding)).to_have_value("48.14, 11.58")
    adding.here().step(3)


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
@pytest.mark.parametrize("size", SIZES)
def test_no_map_or_message_covers_an_action(shared, visit, size, language):
    visitor = visit(shared, viewport={"width": size[0], "height": size[1]}, locale=language)
    visitor.sign_in(shared.person()).open().connection("live").page.locator("#add").click()
    adding = Adding(visitor)
    box = adding.dialog.get_by_role("combobox")

    def check_actions(count):
        for end in ["0", "dialog.scrollHeight"]:
            adding.dialog.evaluate(f"(dialog) => dialog.scrollTo(0, {end})")
            buttons = adding.dialog.locator(".actions button:visible")
            expect(buttons).to_have_count(count)
            for button in buttons.all():
                assert adding.page.evaluate(BUTTON_AT, centre(button.bounding_box())) == button.text_content()
        assert adding.dialog.evaluate("(dialog) => dialog.scrollWidth <= dialog.clientWidth")

    box.fill("qqqzzzxx " * 20)
    box.press("Enter")
    yourself = adding.dialog.locator(".notes button")
    expect(yourself).to_be_visible()
    check_actions(2)
    yourself.click()
    expect(adding.pin).to_be_visible()
    adding.dialog.locator("button.primary").click()
    trouble = adding.dialog.locator(".trouble")
    expect(trouble).not_to_be_empty()
    place = trouble.bounding_box()
    assert place["y"] + place["height"] <= adding.dialog.locator(".actions").bounding_box()["y"]
    check_actions(2)
    adding.dialog.locator(".actions button").first.click()
    box.fill("10 Downing St, London")
    box.press("Enter")
    expect(adding.dialog.get_by_role("radio").first).to_be_visible()
    check_actions(2)


def test_names_from_people_stay_text_and_are_isolated(adding):
    hostile = "<img src=x onerror=alert(1)> שלום 12"
    adding.begin().place_yourself(hostile).step(2)
    adding.dialog.get_by_role("button", name="Back").click()
    adding.find(f"{hostile}!").trouble(f"We can’t find “{hostile}!”.")
    quoted = adding.dialog.locator(".error bdi")
    expect(quoted).to_have_text(f"{hostile}!")
    assert quoted.evaluate("(node) => getComputedStyle(node).unicodeBidi") == "isolate"
    adding.dialog.get_by_role("button", name="Place the pin yourself").click()
    adding.pin.press("ArrowUp")
    adding.here()
    expect(adding.dialog.locator(".chosen bdi")).to_have_text(f"{hostile}!")
    adding.link("https://example.org/").submit()
    expect(adding.page.locator(".leaflet-popup")).to_contain_text(hostile)
    expect(adding.page.locator("img[src=x]")).to_have_count(0)


def test_a_point_of_the_map_becomes_a_pin_with_the_name_of_the_place_there(product, visit):
    person = product.person()
    first = person.post("Sydney")
    adding = Adding(visit(product, reduced_motion="reduce").sign_in(person).open().connection("live"))
    adding.page.get_by_role("button", name="Whole world").click()
    ground = adding.page.locator("#map")
    # The map shows the whole world, so these points lie in the Atlantic and in Spain.
    for left, found in [(0.39, r"^[34]\d\.\d\d, −[345]\d\.\d\d$"), (0.489, "Spain$")]:
        box = ground.bounding_box()
        adding.page.mouse.click(box["x"] + box["width"] * left, box["y"] + box["height"] * 0.36, button="right")
        adding.page.get_by_role("button", name="Add a pin here").click()
        adding.step(2).asks("Is this the place?")
        expect(adding.pin).to_be_focused()
        expect(name(adding)).to_have_value(re.compile(found))
        expect(adding.pin).to_be_visible()
        if left < 0.4:
            adding.page.keyboard.press("Escape")
            expect(adding.dialog).to_have_count(0)
    adding.here().link("https://example.org/second").submit()
    expect(adding.dialog).to_have_count(0)
    [second] = [post for post in person.posts() if post["id"] != first["id"]]
    assert 38 < second["latitude"] < 45 and second["agreement"] == "verified"
    assert second["label"].endswith("Spain")


def test_the_preview_of_a_place_has_the_names_of_its_neighbours(adding):
    adding.page.evaluate("""() => {
      window.written = new Set();
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        if (this.canvas.closest('.preview-map')) written.add(text);
        fillText.call(this, text, x, y);
      };
    }""")
    adding.begin().find("Springfield").asks("Which one do you mean?")
    for state, neighbour in {"Missouri": "Tulsa", "Massachusetts": "Boston", "Illinois": "St. Louis"}.items():
        adding.page.get_by_label(f"Springfield, {state}").check()
        eventually("the names of the neighbours", lambda name=neighbour: adding.page.evaluate(
            "(name) => [...written].some((text) => text.includes(name))", name))
