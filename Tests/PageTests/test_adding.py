"""Tests of the dialog that adds a pin: each step, and each failure. No failure loses the person's input."""

import re

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect

from conftest import ARRIVAL_MS, TOAST_MS
from product import PASSWORD, eventually


def test_a_typed_place_becomes_a_new_pin(adding):
    adding.begin().find("Seattle, WA").step(2)
    expect(adding.dialog.locator(".chosen, .choices")).to_contain_text("Seattle, Washington, United States")
    expect(adding.dialog.locator(".preview-map .pin")).to_be_visible()
    adding.here().step(3).link("example.org/ada")
    expect(adding.dialog.get_by_text("Opens https://example.org/ada")).to_be_visible()
    adding.submit()
    expect(adding.dialog).to_have_count(0)
    popup = adding.page.locator(".leaflet-popup")
    expect(popup).to_contain_text("Seattle, WA")
    expect(popup.locator('a[href="https://example.org/ada"]')).to_be_visible()
    expect(adding.page.locator(".pin.own")).to_be_visible()
    [post] = adding.person.posts()
    assert post["place"] == "Seattle, WA" and post["agreement"] == "not_given"


def test_places_are_suggested_while_typing_and_chosen_by_keyboard(adding):
    adding.begin()
    box = adding.dialog.get_by_role("combobox")
    box.press_sequentially("Reykj")
    options = adding.dialog.get_by_role("option")
    expect(options.first).to_contain_text("Reykjavík")
    expect(box).to_have_attribute("aria-expanded", "true")
    box.press("Escape")
    expect(options).to_have_count(0)
    expect(adding.dialog).to_be_visible()
    box.press_sequentially("a")
    expect(options.first).to_contain_text("Reykjavík")
    box.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    adding.step(2)
    expect(adding.dialog.locator(".chosen")).to_contain_text("Reykjavík")


def test_an_ambiguous_name_offers_a_choice_and_posts_the_chosen_place(adding):
    adding.begin().find("Springfield").step(2)
    choices = adding.dialog.get_by_role("radio")
    assert choices.count() > 2
    second = adding.dialog.locator(".choices label").nth(1)
    label = second.locator("span").first.evaluate("(span) => span.firstChild.textContent")
    second.click()
    adding.here().link("https://example.org/").submit()
    expect(adding.dialog).to_have_count(0)
    [post] = adding.person.posts()
    assert post["label"] == label and post["agreement"] == "verified"


def test_the_pin_moves_by_dragging_and_by_keys(adding):
    adding.begin().find("Oslo").step(2)
    pin = adding.dialog.locator(".preview-map .pin")
    box = pin.bounding_box()
    adding.page.mouse.move(box["x"] + 15, box["y"] + 12)
    adding.page.mouse.down()
    adding.page.mouse.move(box["x"] + 55, box["y"] + 12, steps=5)
    adding.page.mouse.up()
    expect(adding.dialog.get_by_text("Pin moved.")).to_be_visible()
    pin.focus()
    pin.press("ArrowUp")
    adding.here().link("https://example.org/").submit()
    expect(adding.dialog).to_have_count(0)
    [post] = adding.person.posts()
    assert post["longitude"] > 10.8 and post["latitude"] > 59.913 and post["place"] == "Oslo"


def test_the_device_position_can_be_used(shared, visit):
    person = shared.person()
    visitor = visit(
        shared, geolocation={"latitude": 48.14, "longitude": 11.58}, permissions=["geolocation"]).sign_in(person)
    adding = Adding(visitor.open())
    adding.begin()
    adding.dialog.get_by_role("button", name="Use my location").click()
    adding.step(2).asks("Is this the place?")
    expect(adding.dialog.get_by_label("Name of the place")).to_have_value("Munich, Bavaria, Germany")
    adding.here().link("https://example.org/").submit()
    expect(adding.dialog).to_have_count(0)
    [post] = person.posts()
    assert post["label"] == "Munich, Bavaria, Germany" and post["agreement"] == "verified"
    assert abs(post["latitude"] - 48.14) < 0.001 and abs(post["longitude"] - 11.58) < 0.001


def test_a_browser_that_hides_the_position_offers_no_button_for_it(adding):
    adding.page.evaluate("Object.defineProperty(window, 'isSecureContext', { value: false })")
    adding.begin()
    expect(adding.dialog.get_by_role("button", name="Find")).to_be_visible()
    expect(adding.dialog.get_by_role("button", name="Use my location")).to_be_hidden()


def test_a_blocked_device_position_leaves_the_other_ways(adding):
    adding.begin()
    adding.dialog.get_by_role("button", name="Use my location").click()
    adding.trouble(re.compile("Location access is blocked|Your device can’t find"))
    adding.find("Oslo").step(2)


def test_an_unknown_place_shows_an_error_and_can_be_corrected(adding):
    adding.begin().find("qqqzzzxx")
    adding.trouble("We can’t find “qqqzzzxx”.").step(1)
    expect(adding.dialog.get_by_role("combobox")).to_have_value("qqqzzzxx")
    adding.find("Oslo").step(2)
    adding.dialog.get_by_role("button", name="Back").click()
    expect(adding.dialog.get_by_role("combobox")).to_have_value("Oslo")


LINKS = {
    "javascript:alert(1)": "This is not a web address. Enter one such as example.org/ada.",
    "https://exa mple.org": "A web address can’t contain spaces.",
    "https://example.org/<b>": "A web address can’t contain any of",
    "@maya": "That looks like a handle. Paste the full link, for example https://instagram.com/maya.",
    "https://ada:secret@example.org": "Links can’t contain a name or password",
    "https://": "Enter a full web address",
    "nohost": "Enter a full web address",
}


def test_an_invalid_link_shows_an_error_while_typing(adding):
    adding.begin().find("Oslo").here().step(3)
    hint = adding.dialog.get_by_text("The web address that people open from your pin.")
    expect(hint).to_be_visible()
    for link, reason in LINKS.items():
        adding.link(link).trouble(reason)
        # The error takes the place of the hint.
        expect(hint).to_be_hidden()
    adding.link("").submit()
    adding.trouble("Enter a web address")
    adding.link("example.org").submit()
    expect(adding.dialog).to_have_count(0)


def test_each_step_reports_a_lost_connection_or_geocoder_and_continues_later(apart, visit):
    person = apart.person()
    adding = Adding(visit(apart).sign_in(person).extend_timers(ARRIVAL_MS).open().connection("live")).begin()
    apart.worker.kill()
    adding.find("Oslo").trouble("Place search is unavailable right now.").step(1)
    apart.worker.start()
    # The search continues by itself.
    adding.step(2)
    adding.dialog.get_by_role("button", name="Back").click()
    apart.ingest.kill()
    adding.find("Bergen, Norway").trouble("Waiting for the server …").step(1)
    apart.ingest.start()
    adding.step(2).here().link("https://example.org/kept")
    apart.ingest.kill()
    adding.submit().trouble("No connection to the server.").step(3)
    expect(adding.dialog.get_by_label("Your link")).to_have_value("https://example.org/kept")
    apart.ingest.start()
    eventually("places are found", lambda: _finds(apart))
    adding.submit()
    expect(adding.dialog).to_have_count(0)
    expect(adding.page.locator(".leaflet-popup")).to_contain_text("Bergen")
    assert len(person.posts()) == 1


def test_a_waiting_search_says_that_the_queue_is_paused_and_ends_with_cancel(apart, visit):
    operator = apart.operator()
    adding = Adding(visit(apart).sign_in(operator).open().connection("live")).begin()
    operator.request("POST", "/v2/admin/pause")
    adding.find("Oslo").trouble("The operator has paused place search.")
    box = adding.dialog.get_by_role("combobox")
    cancel = adding.dialog.get_by_role("button", name="Cancel")
    cancel.click()
    expect(box).to_be_focused()
    expect(adding.dialog.get_by_text("The operator has paused place search.")).to_have_count(0)
    expect(cancel).to_be_hidden()
    adding.dialog.get_by_role("button", name="Find").click()
    adding.trouble("The operator has paused place search.")
    # Another text ends the search for the first one.
    box.fill("Lima")
    expect(cancel).to_be_hidden()
    adding.dialog.get_by_role("button", name="Find").click()
    expect(cancel).to_be_visible()
    operator.request("POST", "/v2/admin/resume")
    adding.step(2)
    expect(adding.dialog.locator(".choices, .chosen")).to_contain_text("Lima")


def _finds(product):
    try:
        return product.request("GET", "/v2/geocode?q=Oslo")["places"]
    except Exception:
        return None


def test_a_post_that_waits_for_its_lookup_is_kept_with_a_message(apart, visit):
    person = apart.person()
    adding = Adding(visit(apart).sign_in(person).extend_timers(TOAST_MS).open().connection("live")).begin()
    adding.find("Oslo").step(2).here().link("https://example.org/")
    apart.worker.kill()
    adding.submit()
    expect(adding.page.locator("#toasts").get_by_text("Your pin for Oslo is saved.")).to_be_visible()
    apart.worker.start()
    expect(adding.page.locator(".pin.own")).to_be_visible()


def test_an_expired_session_is_renewed_in_the_dialog_and_keeps_the_input(adding):
    adding.begin().find("Oslo").here().link("https://example.org/kept")
    adding.person.request("DELETE", "/v2/sessions?except=current")
    adding.submit()
    again = adding.page.locator("dialog.sign-in")
    expect(again).to_contain_text("Your session has ended.")
    expect(again.get_by_label("Email address")).to_have_value(adding.person.email)
    again.get_by_label("Password").fill(PASSWORD)
    again.get_by_role("button", name="Sign in", exact=True).click()
    expect(adding.dialog).to_have_count(0)
    [post] = adding.person.posts()
    assert post["link"] == "https://example.org/kept"


def test_a_cancelled_sign_in_keeps_the_input(adding):
    adding.begin().find("Oslo").here().link("https://example.org/kept")
    adding.person.request("DELETE", "/v2/sessions?except=current")
    adding.submit()
    adding.page.locator("dialog.sign-in").get_by_role("button", name="Close").click()
    expect(adding.dialog.get_by_label("Your link")).to_have_value("https://example.org/kept")
    assert adding.person.posts() == []


def test_a_stranger_signs_in_first_and_then_continues(shared, visit):
    person = shared.person()
    adding = Adding(visit(shared).open())
    adding.page.get_by_role("banner").get_by_role("button", name="Add a pin").click()
    dialog = adding.page.locator("dialog.sign-in")
    expect(dialog).to_contain_text("Sign in or create an account to add your pin.")
    dialog.get_by_label("Email address").fill(person.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    adding.step(1)


@pytest.mark.parametrize("replaces", [True, False])
def test_a_person_with_a_pin_moves_it_or_adds_another(adding, replaces):
    first = adding.person.post("Lima, Peru")
    adding.visitor.open().connection("live")
    expect(adding.page.locator(".pin.own")).to_be_visible()
    adding.begin().find("Oslo").here().link("https://example.org/")
    if replaces:
        adding.dialog.get_by_label("Move my pin from Lima, Peru").check()
    adding.submit()
    expect(adding.dialog).to_have_count(0)
    posts = adding.person.posts()
    assert [post["place"] for post in posts] == (["Oslo"] if replaces else ["Lima, Peru", "Oslo"])
    assert posts[0]["id"] == first["id"]


def test_a_closed_dialog_keeps_the_input_and_says_so(adding):
    kept = adding.page.locator("#toasts").get_by_text("Your pin is saved as a draft.")
    adding.begin()
    adding.page.keyboard.press("Escape")
    expect(adding.dialog).to_have_count(0)
    # There is nothing to keep yet.
    expect(kept).to_have_count(0)
    adding.begin().find("Oslo").step(2)
    adding.dialog.get_by_role("button", name="Close").click()
    expect(kept).to_be_visible()
    adding.begin()
    expect(kept).to_have_count(0)
    expect(adding.dialog.get_by_role("combobox")).to_have_value("Oslo")
    adding.dialog.get_by_role("button", name="Find").click()
    adding.here().link("https://example.org/x")
    adding.page.keyboard.press("Escape")
    expect(kept).to_be_visible()
    adding.page.locator("#toasts").get_by_role("button", name="Continue").click()
    adding.step(3)
    expect(adding.dialog.get_by_label("Your link")).to_have_value("https://example.org/x")
    adding.submit()
    expect(adding.dialog).to_have_count(0)
    expect(kept).to_have_count(0)
    assert len(adding.person.posts()) == 1


def test_each_step_asks_one_question_and_has_one_primary_button(adding):
    def one_primary(*buttons):
        expect(adding.dialog.locator("button.primary")).to_have_count(1)
        expect(adding.dialog.locator(".actions button:visible")).to_have_text(list(buttons))

    adding.begin().asks("Where are you?")
    expect(adding.dialog.locator(".kicker")).to_have_text("Add a pin · Step 1 of 3")
    expect(adding.dialog.get_by_role("combobox", name="Where are you?")).to_be_focused()
    one_primary("Use my location", "Find")
    adding.find("Springfield").asks("Which one do you mean?")
    one_primary("Back", "Use this place")
    adding.dialog.get_by_role("button", name="Back").click()
    adding.find("Oslo, Norway").asks("Is this the place?").here().asks("Your link")
    expect(adding.dialog.get_by_role("textbox", name="Your link")).to_be_focused()
    one_primary("Back", "Put me on the map")


def test_an_empty_place_gets_the_pages_own_words(adding):
    adding.begin()
    adding.dialog.get_by_role("button", name="Find").click()
    adding.trouble("Enter a place, for example “Costa Rica” or “Seattle, WA”.")
    box = adding.dialog.get_by_role("combobox")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-required", "true")
    assert adding.dialog.locator("form").evaluate("(form) => form.noValidate")
    box.press_sequentially("O")
    expect(box).not_to_have_attribute("aria-invalid", "true")


def test_a_click_beside_the_dialog_closes_it_but_a_drag_does_not(adding):
    mouse = adding.page.mouse
    adding.begin()
    box = adding.dialog.get_by_role("combobox")
    box.fill("Somewhere")
    inside = box.bounding_box()
    # A selection of the text ends beside the dialog.
    mouse.move(inside["x"] + 40, inside["y"] + 10)
    mouse.down()
    mouse.move(20, 400, steps=4)
    mouse.up()
    expect(adding.dialog).to_be_visible()
    # A press beside the dialog ends inside.
    mouse.move(20, 400)
    mouse.down()
    mouse.move(inside["x"] + 40, inside["y"] + 10, steps=4)
    mouse.up()
    expect(adding.dialog).to_be_visible()
    mouse.click(20, 400)
    expect(adding.dialog).to_have_count(0)
    expect(adding.page.locator("#toasts").get_by_text("Your pin is saved as a draft.")).to_be_visible()


def test_nothing_closes_the_dialog_while_it_sends_a_pin(adding):
    held = []

    def hold(route):
        if route.request.method == "POST":
            held.append(route)
        else:
            route.fallback()

    adding.page.route("**/v2/posts", hold)
    adding.begin().find("Oslo, Norway").here().link("https://example.org/").submit()
    expect(adding.dialog.locator("button.primary")).to_have_attribute("aria-busy", "true")
    adding.page.mouse.click(20, 400)
    adding.page.keyboard.press("Escape")
    adding.dialog.get_by_role("button", name="Close").click()
    expect(adding.dialog).to_be_visible()
    held[0].continue_()
    expect(adding.dialog).to_have_count(0)
    assert len(adding.person.posts()) == 1


def test_the_message_the_title_and_the_pin_have_the_persons_own_words(adding):
    adding.begin().find("Antananarivo city").here().link("https://example.org/").submit()
    expect(adding.page.locator("#toasts").get_by_text("You are on the map: Antananarivo city", exact=True)).to_be_visible()
    expect(adding.page).to_have_title("Ada Lovelace: Antananarivo city · On The Map")
    popup = adding.page.get_by_role("group", name="Ada Lovelace: Antananarivo city", exact=True)
    expect(popup).to_contain_text("Antananarivo, Analamanga, Madagascar")
    expect(adding.page.get_by_role("button", name="Yours: Antananarivo city")).to_have_count(1)


def test_two_quick_presses_make_one_post(adding):
    adding.begin().find("Oslo").here().link("https://example.org/")
    adding.dialog.get_by_role("button", name="Put me on the map").dblclick()
    expect(adding.dialog).to_have_count(0)
    expect(adding.page.locator("#toasts").get_by_text("You are on the map: Oslo")).to_be_visible()
    assert len(adding.person.posts()) == 1
