"""Tests of signing up, in and out, of a forgotten password, and of the page's messages on errors."""

import re

import pytest
from adding_dialog import Adding
from playwright.sync_api import expect
from provider import Provider

from product import PASSWORD, Product, free_port


def dialog(visitor):
    return visitor.page.get_by_role("dialog")


def sign_in(visitor, email, password):
    visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    dialog(visitor).get_by_label("Email address").fill(email)
    dialog(visitor).get_by_label("Password").fill(password)
    dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()


def test_sign_up_signs_in_and_survives_a_reload(shared, visit):
    visitor = visit(shared).open()
    visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    dialog(visitor).get_by_role("button", name="Sign up").click()
    dialog(visitor).get_by_label("First name").fill("Ada")
    dialog(visitor).get_by_label("Last name").fill("Lovelace")
    dialog(visitor).get_by_label("Email address").fill("ada.signs.up@example.org")
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Sign up", exact=True).click()
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")
    expect(dialog(visitor)).to_have_count(0)
    visitor.page.reload()
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")
    visitor.sign_out()
    expect(visitor.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()
    visitor.page.reload()
    expect(visitor.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()


def test_wrong_credentials_and_no_connection_differ_and_keep_the_input(apart, visit):
    ada = apart.person()
    visitor = visit(apart).open().connection("live")
    sign_in(visitor, ada.email, "not-the-password")
    trouble = dialog(visitor).locator(".trouble")
    expect(trouble).to_have_text("Wrong email address or password.")
    apart.ingest.kill()
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
    expect(trouble).to_contain_text("No connection to the server.")
    expect(dialog(visitor).get_by_label("Email address")).to_have_value(ada.email)
    expect(dialog(visitor).get_by_label("Password")).to_have_value(PASSWORD)
    apart.ingest.start()
    dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")


def open_sign_up(visitor):
    visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    dialog(visitor).get_by_role("button", name="Sign up").click()
    expect(dialog(visitor).get_by_role("heading")).to_have_text("Create an account")
    return dialog(visitor).get_by_role("button", name="Sign up", exact=True)


def test_sign_up_says_what_is_wrong_with_each_field(shared, visit):
    visitor = visit(shared).open()
    submit = open_sign_up(visitor)
    submit.click()
    expect(dialog(visitor).get_by_text("Enter your first name.")).to_be_visible()
    expect(dialog(visitor).get_by_text("Enter a valid email address")).to_be_visible()
    expect(dialog(visitor).get_by_text("Enter your password.")).to_be_visible()
    expect(dialog(visitor).get_by_label("First name")).to_be_focused()
    dialog(visitor).get_by_label("First name").fill("Ada")
    dialog(visitor).get_by_label("Email address").fill("ada.is.careless@example.org")
    password = dialog(visitor).get_by_label("Password")
    for weak, complaint in [
        ("short", "This password is too short. Use at least 8 characters."),
        ("password", "Many people use this password, so it is easy to guess. Choose another one."),
    ]:
        password.fill(weak)
        submit.click()
        expect(dialog(visitor).get_by_text(complaint)).to_be_visible()
        expect(password).to_have_attribute("aria-invalid", "true")
        expect(password).to_be_focused()


def test_a_person_with_an_account_goes_from_sign_up_to_sign_in_and_keeps_the_address(shared, visit):
    ada = shared.person()
    visitor = visit(shared).open()
    submit = open_sign_up(visitor)
    dialog(visitor).get_by_label("First name").fill("Ada")
    dialog(visitor).get_by_label("Email address").fill(ada.email)
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    submit.click()
    error = dialog(visitor).get_by_text("You already have an account.")
    expect(error).to_be_visible()
    expect(dialog(visitor).get_by_label("Email address")).to_have_attribute("aria-invalid", "true")
    error.get_by_role("button", name="Sign in").click()
    expect(dialog(visitor).get_by_role("heading")).to_have_text("Sign in")
    expect(dialog(visitor).get_by_label("Email address")).to_have_value(ada.email)
    expect(dialog(visitor).get_by_label("Password")).to_be_focused()
    visitor.page.keyboard.type(PASSWORD)
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")


def test_a_password_can_be_shown_and_hidden(shared, visit):
    visitor = visit(shared).open()
    visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    password = dialog(visitor).get_by_label("Password")
    toggle = dialog(visitor).get_by_role("button", name="Show password")
    password.fill("a secret")
    for is_shown in (True, False):
        password.focus()
        visitor.page.keyboard.press("Tab")
        expect(toggle).to_be_focused()
        visitor.page.keyboard.press("Enter")
        expect(password).to_have_attribute("type", "text" if is_shown else "password")
        expect(toggle).to_have_attribute("aria-pressed", str(is_shown).lower())
        expect(password).to_have_value("a secret")


def test_the_dialog_says_what_an_account_is_needed_for(shared, visit):
    visitor = visit(shared).open().connection("live")
    visitor.page.get_by_role("banner").get_by_role("button", name="Add a pin").click()
    expect(dialog(visitor).get_by_text("Sign in or create an account to add your pin.")).to_be_visible()


def test_after_too_many_wrong_passwords_the_right_one_works_again_in_time(product, visit):
    ada = product.person()
    visitor = visit(product).open()
    sign_in(visitor, ada.email, "wrong-1")
    trouble = dialog(visitor).locator(".trouble")
    submit = dialog(visitor).get_by_role("button", name="Sign in", exact=True)
    for number in range(2, 40):
        expect(trouble).not_to_be_empty()
        if "Try again in" in trouble.inner_text():
            break
        dialog(visitor).get_by_label("Password").fill(f"wrong-{number}")
        submit.click()
        expect(dialog(visitor).locator("[aria-busy]")).to_have_count(0)
    else:
        pytest.fail("The server refuses no attempt.")
    expect(submit).to_be_enabled()
    expect(trouble).to_be_empty()
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    submit.click()
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")


def test_the_wait_after_too_many_attempts_counts_down_and_sends_nothing(shared, visit):
    visitor = visit(shared)
    requests = []

    def refuse(route):
        requests.append(route.request.method)
        route.fulfill(status=429, headers={"Retry-After": "100"}, json={"code": "too_many_logins"})

    visitor.page.clock.install()
    visitor.open().page.route("**/v2/session", refuse)
    sign_in(visitor, "ada@example.org", "wrong")
    trouble = dialog(visitor).locator(".trouble")
    submit = dialog(visitor).get_by_role("button", name="Sign in", exact=True)
    expect(trouble).to_have_text("Too many attempts. Try again in 2 minutes.")
    expect(submit).to_be_disabled()
    visitor.page.clock.fast_forward(60_000)
    expect(trouble).to_have_text(re.compile(r"Try again in [34]\d seconds\."))
    dialog(visitor).get_by_label("Password").press("Enter")
    visitor.page.clock.fast_forward(60_000)
    expect(trouble).to_be_empty()
    expect(submit).to_be_enabled()
    assert requests == ["POST"]


@pytest.mark.parametrize("language, text", [
    ("en-GB", "Too many attempts. Wait a few minutes, then try again."),
    ("de-DE", "Zu viele Versuche. Warte ein paar Minuten, und versuch es dann noch einmal."),
])
def test_a_redirect_with_too_many_logins_shows_a_text_without_a_placeholder(shared, visit, language, text):
    # Ingest redirects a provider login that its rate limiter refuses. The URL has the code, but no time to wait.
    visitor = visit(shared, locale=language).open("/?loginError=too_many_logins")
    expect(dialog(visitor).get_by_text(text, exact=True)).to_be_visible()
    expect(dialog(visitor)).not_to_contain_text("{")
    assert visitor.page.url == shared.url + "/"


def test_an_unknown_problem_has_the_servers_own_words_marked_as_english(shared, visit):
    visitor = visit(shared, locale="de-DE").open()
    visitor.page.route("**/v2/session", lambda route: route.fulfill(
        status=422, json={"code": "of_a_later_version", "detail": "the moon is full"}))
    visitor.page.get_by_role("banner").get_by_role("button", name="Anmelden").click()
    dialog(visitor).get_by_label("E-Mail-Adresse").fill("ada@example.org")
    dialog(visitor).get_by_label("Passwort").first.fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Anmelden", exact=True).click()
    trouble = dialog(visitor).locator(".trouble")
    expect(trouble).to_have_text("Der Server antwortet auf Englisch: the moon is full")
    expect(trouble.locator("[lang=en]")).to_have_text("the moon is full")


def test_configured_providers_have_buttons_and_closed_sign_up_has_none(tmp_path, visit):
    product = Product(
        tmp_path, "--sign-up", "closed", "--public-url", "http://127.0.0.1", "--oidc-issuer", "http://127.0.0.1:1",
        "--oidc-client-id", "map", "--oidc-name", "Example Login")
    try:
        visitor = visit(product).open()
        visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        expect(dialog(visitor).get_by_role("link", name="Sign in with Example Login")).to_have_attribute(
            "href", "/v2/login/oidc?return=%2F")
        expect(dialog(visitor).get_by_role("button", name="Sign up")).to_have_count(0)
    finally:
        product.end()


def test_a_sign_in_with_a_provider_returns_to_the_search_of_the_table(tmp_path, visit):
    with Provider("grace") as provider:
        port = free_port()
        product = Product(tmp_path, *provider.options(port))
        product.url = f"http://127.0.0.1:{port}"
        try:
            visitor = visit(product).open("/table?q=Oslo%20%26%20Lima").connection("live")
            visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
            visitor.page.get_by_role("link", name="Sign in with Example Login").click()
            expect(visitor.page.locator("#account-name")).to_have_text("Grace")
            expect(visitor.page.get_by_role("searchbox")).to_have_value("Oslo & Lima")
        finally:
            product.end()


def test_a_failed_provider_login_shows_the_reason_and_keeps_the_input(tmp_path, visit):
    with Provider() as provider:
        port = free_port()
        product = Product(tmp_path, *provider.options(port))
        product.url = f"http://127.0.0.1:{port}"
        try:
            ada = product.person()
            visitor = visit(product).sign_in(ada).open().connection("live")
            adding = Adding(visitor).begin().find("Oslo").here().link("https://example.org/kept")
            visitor.context.clear_cookies()
            adding.submit()
            visitor.page.get_by_role("link", name="Sign in with Example Login").click()
            sign_in = visitor.page.locator("dialog.sign-in")
            expect(sign_in).to_contain_text("was not finished")
            assert visitor.page.url == product.url + "/"
            sign_in.get_by_label("Email address").fill(ada.email)
            sign_in.get_by_label("Password").fill(PASSWORD)
            sign_in.get_by_role("button", name="Sign in", exact=True).click()
            expect(adding.dialog.get_by_label("Your link")).to_have_value("https://example.org/kept")
            adding.submit()
            expect(visitor.page.locator(".leaflet-popup")).to_contain_text("example.org")
        finally:
            product.end()
