"""Tests of the notice about a place before posting: the understood part, and the accuracy of the pin."""

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect

LONDON = (
    "We don’t know “10 Downing St”, so this is the centre of London. Drag the pin to the right spot.")
CITY = "The pin is in the middle of the city. Drag it to the exact spot, or go back and enter your postcode."
COUNTRY = "The pin is in the middle of the country. Drag it to the exact spot, or go back and enter your city."


def test_an_unknown_street_shows_a_notice_with_the_pins_accuracy(adding):
    adding.begin().find("10 Downing St, London").step(2).notice(LONDON)
    expect(adding.dialog.locator(".notice")).to_be_visible()
    expect(adding.dialog.locator(".notice")).not_to_have_class("notice mild")
    button = adding.dialog.get_by_role("button", name="Use this place")
    expect(button).to_have_accessible_description(LONDON)
    adding.dialog.get_by_role("radio").nth(1).check()
    adding.notice(LONDON)
    pin = adding.dialog.locator(".preview-map .pin")
    pin.focus()
    pin.press("ArrowUp")
    # The person has moved the pin, but the street is still unknown.
    adding.notice("We don’t know “10 Downing St”, only “London”.")


@pytest.mark.parametrize("text, unknown, known", [
    ("Xyzstraße 5, Bayern", "Xyzstraße 5", "Bayern"), ("12 Foo Street, France", "12 Foo Street", "France")])
def test_the_notice_names_the_area_whose_centre_has_the_pin(adding, text, unknown, known):
    adding.begin().find(text).step(2).notice(
        f"We don’t know “{unknown}”, so this is the centre of {known}. Drag the pin to the right spot.")


def test_an_address_known_only_by_postcode_shows_a_notice(adding):
    adding.begin().find("1600 Pennsylvania Avenue NW, Washington, DC 20500").step(2).notice(
        "We don’t know “1600 Pennsylvania Avenue NW”, so this is the centre of the postcode area Washington, DC 20500. "
        "Drag the pin to the right spot.")


def test_a_misspelt_name_shows_the_closest_name(adding):
    adding.begin().find("Reykjavk").step(2).notice(
        "We don’t know “Reykjavk”. The closest name is “Reykjavík, Capital Region, Iceland”.")


@pytest.mark.parametrize("place", ["Oslo, Norway", "Seattle, WA", "Costa Rica"])
def test_a_known_place_shows_no_notice(adding, place):
    adding.begin().find(place).step(2).notice()
    expect(adding.dialog.locator(".notice")).to_be_hidden()


def test_ignored_words_around_a_place_show_a_mild_notice(adding):
    adding.begin().find("I live in Kyoto").step(2).notice("We searched for “Kyoto” and ignored “I live in”.", CITY)
    expect(adding.dialog.locator(".notice")).to_have_class("notice mild")


def test_a_country_in_a_phrase_shows_the_pins_accuracy(adding):
    adding.begin().find("somewhere in Costa Rica").step(2)
    expect(adding.dialog.locator(".notice p").last).to_have_text(COUNTRY)


def test_a_chosen_suggestion_shows_no_notice(adding):
    adding.begin()
    adding.dialog.get_by_role("combobox").press_sequentially("Springf")
    adding.dialog.get_by_role("option").first.click()
    adding.step(2).notice()


def test_the_notice_is_shown_in_german(shared, visit):
    visitor = visit(shared, locale="de-DE").sign_in(shared.person()).open().connection("live")
    visitor.page.locator("#add").click()
    adding = Adding(visitor)
    adding.dialog.get_by_role("combobox").fill("10 Downing St, London")
    adding.dialog.get_by_role("button", name="Suchen").click()
    adding.notice(
        "Wir kennen „10 Downing St“ nicht, darum steht der Pin in der Mitte von London. "
        "Zieh ihn an die richtige Stelle.")


def test_the_hint_names_only_places_that_the_server_knows(adding):
    adding.begin()
    expect(adding.dialog.locator(".hint")).to_have_text(
        "A city, a region, a country or a postcode. In the next step you can move the pin to the exact spot.")


@pytest.mark.parametrize("place, least, most", [("Oslo, Norway", 0, 0.05), ("Costa Rica", 0.05, 0.2), ("Canada", 1, 5)])
def test_the_previews_zoom_fits_the_places_extent(adding, place, least, most):
    adding.begin().find(place).step(2)
    before = adding.dialog.locator(".preview-map .pin").bounding_box()
    ground = adding.dialog.locator(".preview-map").bounding_box()
    assert ground["x"] < before["x"] < ground["x"] + ground["width"]
    point = adding.page.request.get(f"/v2/geocode?q={place}").json()["places"][0]
    # A key moves the pin by 10 pixels. The post shows this distance in degrees.
    adding.dialog.locator(".preview-map .pin").press("ArrowRight")
    adding.here().link("https://example.org/").submit()
    expect(adding.dialog).to_have_count(0)
    [post] = adding.person.posts()
    assert least < post["longitude"] - point["longitude"] < most


@pytest.mark.parametrize("place", ["United States", "Fiji", "Russia"])
def test_the_preview_of_a_country_across_the_date_line_shows_its_pin(adding, place):
    adding.begin().find(place).step(2)
    pin = adding.dialog.locator(".preview-map .pin").bounding_box()
    ground = adding.dialog.locator(".preview-map").bounding_box()
    assert ground["x"] + ground["width"] / 4 < pin["x"] < ground["x"] + ground["width"] - pin["width"]
