"""The page's notice about a place before a person posts: the part it understood, and how exact the pin is."""

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect

TOWN = "The pin is in the middle of the town. Drag it to your home, or go back and write your postcode."
POSTCODE = "The pin is in the middle of the postcode’s area. Drag it to your home."
COUNTRY = "The pin is in the middle of the country. Drag it to your home, or go back and write your town."


def test_a_street_that_is_not_known_is_said_with_the_choice_and_how_exact_the_pin_is(adding):
    understood = "Only “London” was understood. “10 Downing St” was not."
    adding.begin().find("10 Downing St, London").step(2).notice(understood, TOWN)
    expect(adding.dialog.locator(".notice")).to_be_visible()
    expect(adding.dialog.locator(".notice")).not_to_have_class("notice mild")
    button = adding.dialog.get_by_role("button", name="Here it is")
    expect(button).to_have_accessible_description(f"{understood} {TOWN}")
    adding.dialog.get_by_role("radio").nth(1).check()
    adding.notice(understood, TOWN)
    pin = adding.dialog.locator(".preview-map .pin")
    pin.focus()
    pin.press("ArrowUp")
    # The pin is where the person has put it, but the street is not known all the same.
    adding.notice(understood)


def test_an_address_of_which_only_the_postcode_is_known_says_so(adding):
    adding.begin().find("1600 Pennsylvania Avenue NW, Washington, DC 20500").step(2).notice(
        "Only “Washington, DC 20500” was understood. “1600 Pennsylvania Avenue NW” was not.", POSTCODE)


def test_a_misspelt_name_is_said_to_be_read_as_another(adding):
    adding.begin().find("Reykjavk").step(2).notice(
        "No place is called “Reykjavk”. The closest name is “Reykjavík, Capital Region, Iceland”.")


@pytest.mark.parametrize("place", ["Oslo, Norway", "Seattle, WA", "Costa Rica"])
def test_a_plain_place_says_nothing(adding, place):
    adding.begin().find(place).step(2).notice()
    expect(adding.dialog.locator(".notice")).to_be_hidden()


def test_words_around_a_place_are_said_in_a_mild_way(adding):
    adding.begin().find("I live in Kyoto").step(2).notice("Found by “Kyoto”. “I live in” was left out.", TOWN)
    expect(adding.dialog.locator(".notice")).to_have_class("notice mild")


def test_a_country_by_some_words_says_how_exact_its_pin_is(adding):
    adding.begin().find("somewhere in Costa Rica").step(2)
    expect(adding.dialog.locator(".notice p").last).to_have_text(COUNTRY)


def test_a_suggestion_that_was_chosen_says_nothing(adding):
    adding.begin()
    adding.dialog.get_by_role("combobox").press_sequentially("Springf")
    adding.dialog.get_by_role("option").first.click()
    adding.step(2).notice()


def test_it_is_said_in_german_too(shared, visit):
    visitor = visit(shared, locale="de-DE").sign_in(shared.person()).open().connection("live")
    visitor.page.locator("#add").click()
    adding = Adding(visitor)
    adding.dialog.get_by_role("combobox").fill("10 Downing St, London")
    adding.dialog.get_by_role("button", name="Suchen").click()
    adding.notice(
        "Nur „London“ ist bekannt, „10 Downing St“ nicht.",
        "Der Pin steht mitten im Ort. Zieh ihn zu dir nach Hause, oder geh zurück und gib deine Postleitzahl an.")


def test_the_hint_promises_nothing_that_the_server_may_not_know(adding):
    adding.begin()
    expect(adding.dialog.locator(".hint")).to_have_text(
        "A town, a region, a country or a postcode. In the next step you can move the pin to the exact spot.")


@pytest.mark.parametrize("place, least, most", [("Oslo, Norway", 0, 0.05), ("Costa Rica", 0.05, 0.2), ("Canada", 1, 5)])
def test_the_preview_shows_as_much_of_the_map_as_the_place_is_wide(adding, place, least, most):
    adding.begin().find(place).step(2)
    before = adding.dialog.locator(".preview-map .pin").bounding_box()
    ground = adding.dialog.locator(".preview-map").bounding_box()
    assert ground["x"] < before["x"] < ground["x"] + ground["width"]
    point = adding.page.request.get(f"/v2/geocode?q={place}").json()["places"][0]
    # A key moves the pin by 10 pixels: the post tells how many degrees they are.
    adding.dialog.locator(".preview-map .pin").press("ArrowRight")
    adding.here().link("https://example.org/").submit()
    expect(adding.dialog).to_have_count(0)
    [post] = adding.person.posts()
    assert least < post["longitude"] - point["longitude"] < most


@pytest.mark.parametrize("place", ["United States", "Fiji", "Russia"])
def test_a_country_across_the_date_line_is_previewed_with_its_pin(adding, place):
    adding.begin().find(place).step(2)
    pin = adding.dialog.locator(".preview-map .pin").bounding_box()
    ground = adding.dialog.locator(".preview-map").bounding_box()
    assert ground["x"] + ground["width"] / 4 < pin["x"] < ground["x"] + ground["width"] * 3 / 4
