"""Tests of forgotten passwords and of links in mails. The services of these tests send no mail, so routes stand in."""

import pytest
from playwright.sync_api import expect

from product import PASSWORD

TOKEN = "cY0uVnN2sJb1hT6mZt4kQyq8r3fWl5oXaP7eUgIdEHM"
NEW_PASSWORD = "battery-staple"
EXPIRED = {"code": "invalid_token", "field": "token", "detail": "this link is unknown, was used or has expired"}


def dialog(visitor):
    return visitor.page.get_by_role("dialog")


def configure(visitor, **login):
    """Answers like a server with these members of `login` in its configuration."""

    def page(route):
        response = route.fetch()
        body = response.json()
        body["login"] |= login
        if body["account"]:
            body["account"]["emailConfirmed"] = False
        route.fulfill(response=response, json=body)

    visitor.page.route("**/v2/page", page)
    return visitor


def answer(visitor, path, *responses):
    """Answers requests for a path one by one. The last response repeats. Returns the bodies of the requests."""
    rest, bodies = list(responses), []

    def respond(route):
        bodies.append((route.request.method, route.request.post_data_json))
        route.fulfill(**(rest.pop(0) if len(rest) > 1 else rest[0]))

    visitor.page.route(f"**{path}", respond)
    return bodies


def forget(visitor):
    visitor.open().page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    dialog(visitor).get_by_label("Email address").fill("ada@example.org")
    dialog(visitor).get_by_role("button", name="Forgot password?").click()
    expect(dialog(visitor).get_by_role("heading")).to_have_text("Forgot password?")


def test_a_person_asks_for_a_link_and_learns_nothing_about_the_address(shared, visit):
    visitor = configure(visit(shared), recovery="mail")
    bodies = answer(visitor, "/v2/recovery", {"status": 202, "json": {"validSeconds": 1_800}})
    forget(visitor)
    expect(dialog(visitor).get_by_label("Email address")).to_have_value("ada@example.org")
    dialog(visitor).get_by_role("button", name="Send the link").click()
    expect(dialog(visitor).get_by_text(
        "If this address has an account, we have sent a link. It is valid for 30 minutes.")).to_be_visible()
    expect(dialog(visitor).get_by_role("button", name="Send the link")).to_be_hidden()
    assert bodies == [("POST", {"email": "ada@example.org"})]
    dialog(visitor).get_by_role("button", name="Back to sign in").click()
    expect(dialog(visitor).get_by_label("Email address")).to_have_value("ada@example.org")


@pytest.mark.parametrize("contact, link", [
    ("ops@example.org", "mailto:ops@example.org"), ("https://example.org/help", "https://example.org/help"),
    ("javascript:alert(1)", "mailto:javascript:alert(1)"), (None, None)])
def test_without_mail_the_page_names_the_operator(shared, visit, contact, link):
    visitor = configure(visit(shared), recovery="operator", **({"operatorContact": contact} if contact else {}))
    forget(visitor)
    expect(dialog(visitor).get_by_text("Ask the operator for a new password.")).to_be_visible()
    expect(dialog(visitor).get_by_role("textbox")).to_have_count(0)
    if link:
        expect(dialog(visitor).get_by_role("link", name=contact)).to_have_attribute("href", link)
    else:
        expect(dialog(visitor).get_by_role("link")).to_have_count(0)


def test_a_server_that_names_no_recovery_has_no_such_button(shared, visit):
    visitor = visit(shared)

    def page(route):
        response = route.fetch()
        body = response.json()
        body["login"].pop("recovery", None)
        route.fulfill(response=response, json=body)

    visitor.page.route("**/v2/page", page)
    visitor.open().page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    expect(dialog(visitor).get_by_label("Password")).to_be_visible()
    expect(dialog(visitor).get_by_role("button", name="Forgot password?")).to_have_count(0)


def test_a_link_from_a_mail_sets_a_new_password_and_signs_in(shared, visit):
    ada = shared.person()
    visitor = configure(visit(shared), recovery="mail")
    account = ada.request("GET", "/v2/account")
    bodies = answer(visitor, "/v2/recovery", {"json": {"account": account}})
    visitor.open(f"/reset#{TOKEN}")
    expect(dialog(visitor).get_by_role("heading")).to_have_text("Choose a new password")
    # The token is in no address that a person could share.
    assert TOKEN not in visitor.page.url
    password = dialog(visitor).get_by_label("New password")
    expect(password).to_be_focused()
    expect(password).to_have_attribute("autocomplete", "new-password")
    password.fill("short")
    dialog(visitor).get_by_role("button", name="Save password").click()
    expect(dialog(visitor).get_by_text("This password is too short.")).to_be_visible()
    password.fill(NEW_PASSWORD)
    dialog(visitor).get_by_role("button", name="Save password").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("Your new password is saved, and you are signed in.")
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")
    assert bodies == [("PUT", {"token": TOKEN, "password": NEW_PASSWORD})]


def test_an_expired_link_leads_to_another_one(shared, visit):
    visitor = configure(visit(shared), recovery="mail")
    answer(visitor, "/v2/recovery", {"status": 422, "json": EXPIRED})
    visitor.open(f"/reset#{TOKEN}")
    dialog(visitor).get_by_label("New password").fill(NEW_PASSWORD)
    dialog(visitor).get_by_role("button", name="Save password").click()
    expect(dialog(visitor).get_by_role("alert")).to_have_text("This link was already used, or it has expired.")
    # The password would not work again.
    expect(dialog(visitor).get_by_role("textbox")).to_have_count(0)
    dialog(visitor).get_by_role("button", name="Send another link").click()
    expect(dialog(visitor).get_by_role("heading")).to_have_text("Forgot password?")
    expect(dialog(visitor).get_by_label("Email address")).to_be_focused()


@pytest.mark.parametrize("path, mode", [("/reset", "Forgot password?"), ("/confirm", "Sign in")])
def test_a_link_without_its_end_says_so_and_leads_to_another_one(shared, visit, path, mode):
    visitor = configure(visit(shared), recovery="mail").open(path)
    expect(dialog(visitor).get_by_role("alert")).to_have_text(
        "This link is incomplete. Copy the whole link from the mail, or ask for another one.")
    expect(dialog(visitor).get_by_role("textbox")).to_have_count(0)
    expect(dialog(visitor).get_by_role("button", name="Send another link")).to_be_focused()
    visitor.page.keyboard.press("Enter")
    expect(dialog(visitor).last.get_by_role("heading")).to_have_text(mode)


def test_a_link_from_a_mail_confirms_the_address_only_after_a_press(shared, visit):
    visitor = configure(visit(shared), recovery="mail")
    bodies = answer(visitor, "/v2/confirmation", {"status": 503, "json": {"code": "busy"}}, {"status": 204})
    visitor.open(f"/confirm#{TOKEN}").connection("live")
    button = dialog(visitor).get_by_role("button", name="Confirm this address")
    expect(button).to_be_focused()
    # A scanner of mails that opens the link and runs its scripts has not used it up.
    assert bodies == []
    button.click()
    expect(dialog(visitor).get_by_role("alert").get_by_text("The server is busy.")).to_be_visible()
    button.click()
    expect(dialog(visitor).get_by_text("Your email address is confirmed.")).to_be_visible()
    expect(dialog(visitor).get_by_role("status")).to_be_focused()
    expect(button).to_have_count(0)
    dialog(visitor).get_by_role("button", name="Show the map").click()
    expect(dialog(visitor)).to_have_count(0)
    assert TOKEN not in visitor.page.url
    assert bodies == [("PUT", {"token": TOKEN})] * 2


def test_the_button_of_a_link_does_not_name_the_signed_in_account(shared, visit):
    # The link may belong to another account.
    visitor = configure(visit(shared), recovery="mail").sign_in(shared.person())
    answer(visitor, "/v2/confirmation", {"status": 204})
    visitor.open(f"/confirm#{TOKEN}")
    dialog(visitor).get_by_role("button", name="Confirm this address").click()
    expect(dialog(visitor).get_by_text("Your email address is confirmed.")).to_be_visible()


def test_an_expired_confirmation_asks_to_sign_in_and_sends_another_mail(shared, visit):
    ada = shared.person()
    visitor = configure(visit(shared), recovery="mail")
    answer(visitor, "/v2/confirmation", {"status": 422, "json": EXPIRED})
    bodies = answer(visitor, "/v2/account/confirmation", {"status": 202, "json": {"validSeconds": 86_400}})
    visitor.open(f"/confirm#{TOKEN}")
    dialog(visitor).get_by_role("button", name="Confirm this address").click()
    expect(dialog(visitor).get_by_text("This link was already used, or it has expired.")).to_be_visible()
    again = dialog(visitor).get_by_role("button", name="Send another link")
    again.click()
    # Without a sign-in, the person can still ask again.
    dialog(visitor).last.get_by_role("button", name="Close").click()
    again.click()
    dialog(visitor).last.get_by_label("Email address").fill(ada.email)
    dialog(visitor).last.get_by_label("Password").fill(PASSWORD)
    dialog(visitor).last.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog(visitor).get_by_text(f"We have sent a link to {ada.email}. It is valid for 24 hours.")
           ).to_be_visible()
    assert [method for method, _ in bodies] == ["POST"]


def test_the_profile_reminds_of_an_unconfirmed_address_and_sends_the_mail_again(shared, visit):
    ada = shared.person()
    visitor = configure(visit(shared), recovery="mail").sign_in(ada)
    answer(visitor, "/v2/account/confirmation", {"status": 202, "json": {"validSeconds": 86_400}})
    profile = visitor.open("/account").page.get_by_role("region", name="Profile")
    expect(profile.get_by_text("Confirm your email address: open the link in our mail. Nothing there?")).to_be_visible()
    profile.get_by_role("button", name="Send again").click()
    expect(profile.get_by_text(f"We have sent a link to {ada.email}.")).to_be_visible()


def test_a_mail_that_is_not_sent_says_when_to_ask_again(shared, visit):
    visitor = configure(visit(shared, locale="de-DE"), recovery="mail").sign_in(shared.person())
    answer(visitor, "/v2/account/confirmation", {
        "status": 429, "headers": {"Retry-After": "1200"},
        "json": {"code": "too_many_mails", "detail": "too many mails to this address"}})
    profile = visitor.open("/account").page.get_by_role("region", name="Profil")
    profile.get_by_role("button", name="Noch einmal senden").click()
    expect(profile.get_by_text("Zu viele Mails. Sieh in dein Postfach, oder versuch es in 20 Minuten noch einmal.")
           ).to_be_visible()


def test_an_address_that_is_already_confirmed_moves_the_focus_and_says_so(shared, visit):
    ada = shared.person()
    visitor = configure(visit(shared), recovery="mail").sign_in(ada)
    answer(visitor, "/v2/account/confirmation", {"status": 204})
    answer(visitor, "/v2/account", {"json": {**ada.request("GET", "/v2/account"), "emailConfirmed": True}})
    profile = visitor.open("/account").page.get_by_role("region", name="Profile")
    profile.get_by_role("button", name="Send again").press("Enter")
    expect(profile.get_by_role("heading")).to_be_focused()
    expect(visitor.page.locator("#announcements")).to_have_text("Your email address is confirmed.")
    expect(profile.get_by_role("button", name="Send again")).to_be_hidden()
