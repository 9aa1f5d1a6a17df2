"""Tests of the suggestions while typing: they never move, cover or cut off an action, at any window size."""

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect

SIZES = [(1440, 900), (1280, 800), (768, 1024), (844, 390), (390, 844), (390, 400), (320, 568), (320, 400)]
# Returns the text of the button at a point, or null.
BUTTON_AT = "([x, y]) => document.elementFromPoint(x, y)?.closest('button')?.textContent ?? null"


def begin(product, visit, size, language):
    visitor = visit(product, viewport={"width": size[0], "height": size[1]}, locale=language)
    visitor.sign_in(product.person()).open("/posts").connection("live")
    visitor.page.locator("#add").click()
    return Adding(visitor)


def centre(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
@pytest.mark.parametrize("size", SIZES)
def test_no_action_moves_or_is_covered_when_suggestions_appear(shared, visit, size, language):
    adding = begin(shared, visit, size, language)
    buttons = adding.dialog.locator(".actions button:visible").all()
    places = {button.inner_text(): centre(button.bounding_box()) for button in buttons}
    assert len(places) == 2 and all(0 < y < size[1] for _, y in places.values()), places
    adding.dialog.get_by_role("combobox").press_sequentially("Springf")
    expect(adding.dialog.get_by_role("option")).to_have_count(5)
    assert [adding.page.evaluate(BUTTON_AT, place) for place in places.values()] == list(places)
    [find] = [place for name, place in places.items() if name in ("Find", "Suchen")]
    adding.page.mouse.click(*find)
    # The dialog asks for a choice and has placed no pin.
    expect(adding.dialog.locator(".choices")).to_be_visible()
    expect(adding.dialog.get_by_role("radio")).not_to_have_count(1)


@pytest.mark.parametrize("size", SIZES)
def test_every_suggestion_can_be_seen_or_scrolled_to_in_the_dialog(shared, visit, size):
    adding = begin(shared, visit, size, "en-GB")
    box = adding.dialog.get_by_role("combobox")
    box.press_sequentially("Springf")
    options = adding.dialog.get_by_role("option")
    expect(options).to_have_count(5)
    dialog, shown = adding.dialog.bounding_box(), adding.dialog.get_by_role("listbox").bounding_box()
    assert shown["x"] >= dialog["x"] and shown["x"] + shown["width"] <= dialog["x"] + dialog["width"]
    assert shown["y"] >= dialog["y"] and shown["y"] + shown["height"] <= min(dialog["y"] + dialog["height"], size[1])
    if size[1] >= 700 and size[0] >= 700:
        assert adding.dialog.get_by_role("listbox").evaluate("(list) => list.scrollHeight <= list.clientHeight")
    for number in range(5):
        box.press("ArrowDown")
        marked = options.nth(number)
        expect(marked).to_have_attribute("aria-selected", "true")
        hit = adding.page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.closest('li')?.id", centre(marked.bounding_box()))
        assert hit == marked.get_attribute("id")
    label = options.last.inner_text()
    options.last.click()
    adding.step(2)
    expect(adding.dialog.locator(".chosen")).to_have_text(label)


def labels(places):
    """Returns the visible names of places, without their levels."""
    return places.evaluate_all("(nodes) => nodes.map((node) => node.querySelector('bdi').textContent)")


@pytest.mark.parametrize("text", ["Costa Rica", "Springfield", "Georgia", "San Pedro", "San José"])
def test_no_two_suggestions_and_no_two_choices_look_alike(adding, text):
    adding.begin().dialog.get_by_role("combobox").press_sequentially(text)
    options = adding.dialog.get_by_role("option")
    expect(options.nth(1)).to_be_visible()
    assert len(set(labels(options))) == options.count() > 1
    adding.dialog.get_by_role("button", name="Find").click()
    choices = adding.dialog.locator(".choices label")
    expect(choices.nth(1)).to_be_visible()
    assert len(set(labels(choices))) == choices.count() > 1


def test_a_namesake_in_the_same_region_is_told_apart_by_its_county_and_posted(adding):
    found = adding.page.request.get("/v2/geocode?q=Costa Rica&limit=5").json()["places"]
    twins = [place for place in found if place["label"] == "Costa Rica, Mato Grosso do Sul, Brazil"]
    assert [twin["county"] for twin in twins] == ["", "Iguatemi"]
    adding.begin().dialog.get_by_role("combobox").press_sequentially("Costa Rica")
    adding.dialog.get_by_role("option", name="Costa Rica, Iguatemi, Mato Grosso do Sul, Brazil").click()
    adding.here().link("https://example.org/").submit()
    expect(adding.dialog).to_have_count(0)
    [post] = adding.person.posts()
    assert (post["latitude"], post["longitude"]) == (twins[1]["latitude"], twins[1]["longitude"])


def test_a_namesake_that_cannot_be_told_apart_is_left_out(adding):
    place = {
        "label": "Twin, Region, Country", "name": "Twin", "region": "Region", "county": "", "country": "Country",
        "countryCode": "NO", "latitude": 60, "longitude": 10, "level": "city", "match": "exact", "confidence": 0.5,
        "matched": "Twin", "unmatched": ""}
    county = {**place, "county": "Shire"}
    twins = [place, {**place, "latitude": 65}, county, {**county, "latitude": 70}]
    adding.page.route("**/v2/geocode?*", lambda route: route.fulfill(json={"query": "Twin", "places": twins}))
    adding.begin().find("Twin").step(2)
    expect(adding.dialog.locator(".choices bdi")).to_have_text(
        ["Twin, Region, Country", "Twin, Shire, Region, Country"])
    adding.dialog.get_by_role("button", name="Back").click()
    adding.dialog.get_by_role("combobox").press_sequentially("s")
    expect(adding.dialog.get_by_role("option")).to_have_count(2)
