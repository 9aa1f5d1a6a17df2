"""Tests of signing up, in and out, and of the page's messages on errors."""

import http.server
import json
import threading
import urllib.parse

import pytest
from playwright.sync_api import expect

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
    expect(trouble).to_have_text("Wrong email address or password. Check both.")
    apart.ingest.kill()
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
    expect(trouble).to_contain_text("No connection to the server.")
    expect(dialog(visitor).get_by_label("Email address")).to_have_value(ada.email)
    expect(dialog(visitor).get_by_label("Password")).to_have_value(PASSWORD)
    apart.ingest.start()
    dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
    expect(visitor.page.locator("#account-name")).to_have_text("Ada")


def test_a_taken_address_and_a_weak_password_show_errors_at_their_fields(shared, visit):
    ada = shared.person()
    visitor = visit(shared).open()
    visitor.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    dialog(visitor).get_by_role("button", name="Sign up").click()
    dialog(visitor).get_by_label("First name").fill("Ada")
    dialog(visitor).get_by_label("Email address").fill(ada.email)
    dialog(visitor).get_by_label("Password").fill("password")
    submit = dialog(visitor).get_by_role("button", name="Sign up", exact=True)
    submit.click()
    expect(dialog(visitor).get_by_label("Password")).to_have_attribute("aria-invalid", "true")
    expect(dialog(visitor).get_by_text("This password is too short or too common.")).to_be_visible()
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    submit.click()
    expect(dialog(visitor).get_by_label("Email address")).to_have_attribute("aria-invalid", "true")
    expect(dialog(visitor).get_by_text("Sign in instead.")).to_be_visible()


def test_too_many_wrong_passwords_show_the_time_to_wait(product, visit):
    ada = product.person()
    visitor = visit(product).open()
    sign_in(visitor, ada.email, "wrong-1")
    trouble = dialog(visitor).locator(".trouble")
    for number in range(2, 40):
        expect(trouble).not_to_be_empty()
        if "Try again in" in trouble.inner_text():
            break
        dialog(visitor).get_by_label("Password").fill(f"wrong-{number}")
        dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
        expect(dialog(visitor).locator("[aria-busy]")).to_have_count(0)
    expect(trouble).to_contain_text("Too many attempts. Try again in")


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


class RefusingProvider(http.server.BaseHTTPRequestHandler):
    """An OpenID Connect provider at which every person cancels."""

    def do_GET(self):
        url = f"http://127.0.0.1:{self.server.server_port}"
        path, _, query = self.path.partition("?")
        if path == "/authorize":
            fields = dict(urllib.parse.parse_qsl(query))
            self.send_response(302)
            self.send_header("Location", f"{fields['redirect_uri']}?error=access_denied&state={fields['state']}")
            self.end_headers()
            return
        body = json.dumps({
            "issuer": url, "authorization_endpoint": url + "/authorize", "token_endpoint": url + "/token",
            "jwks_uri": url + "/keys", "response_types_supported": ["code"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_failed_provider_login_shows_the_reason_and_keeps_the_input(tmp_path, visit):
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), RefusingProvider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    port = free_port()
    product = Product(
        tmp_path, "--public-url", f"http://127.0.0.1:{port}",
        "--oidc-issuer", f"http://127.0.0.1:{provider.server_port}",
        "--oidc-client-id", "map", "--oidc-name", "Example Login", "--http", f"127.0.0.1:{port}")
    product.url = f"http://127.0.0.1:{port}"
    try:
        ada = product.person()
        visitor = visit(product).sign_in(ada).open().connection("live")
        visitor.page.get_by_role("banner").get_by_role("button", name="Add a pin").click()
        visitor.page.get_by_role("combobox").last.fill("Oslo")
        visitor.page.get_by_role("button", name="Find").click()
        visitor.page.get_by_role("button", name="Use this place").click()
        visitor.page.get_by_label("Your link").fill("https://example.org/kept")
        visitor.context.clear_cookies()
        visitor.page.get_by_role("button", name="Put me on the map").click()
        visitor.page.get_by_role("link", name="Sign in with Example Login").click()
        expect(dialog(visitor)).to_contain_text("was not finished")
        assert visitor.page.url == product.url + "/"
        dialog(visitor).get_by_label("Email address").fill(ada.email)
        dialog(visitor).get_by_label("Password").fill(PASSWORD)
        dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
        expect(visitor.page.get_by_label("Your link")).to_have_value("https://example.org/kept")
        visitor.page.get_by_role("button", name="Put me on the map").click()
        expect(visitor.page.locator(".leaflet-popup")).to_contain_text("https://example.org/kept")
    finally:
        product.end()
        provider.shutdown()
        provider.server_close()
