"""Tests of the links in mails, with the real server and a mail server."""

import re

import pytest
from mail_server import MailServer
from playwright.sync_api import expect
from test_recovery import dialog, forget

from product import Product


@pytest.fixture
def mail_server():
    with MailServer() as server:
        yield server


@pytest.fixture
def product(tmp_path, mail_server):
    """Services that send mails to the mail server."""
    product = Product(
        tmp_path, "--smtp-url", f"smtp://127.0.0.1:{mail_server.port}", "--mail-from", "map@example.org",
        has_public_url=True)
    yield product
    product.end()


def next_link(server):
    """Returns the link of the next mail."""
    text = server.mails.get(timeout=120).replace("=\r\n", "").replace("=3D", "=")
    return re.search(r"http://\S+/(?:reset|confirm)#\S+", text)[0]


def test_a_link_from_a_mail_confirms_the_address_once_for_all(product, mail_server, visit):
    ada = product.person()
    first = next_link(mail_server)
    visitor = visit(product).sign_in(ada).open("/account")
    visitor.page.get_by_role("button", name="Send again").click()
    expect(visitor.page.get_by_text("We have sent a link to")).to_be_visible()
    second = next_link(mail_server)
    assert first != second
    for _ in range(2):
        visitor.page.goto("/")
        visitor.page.goto(second)
        dialog(visitor).get_by_role("button", name="Confirm").click()
        expect(dialog(visitor).get_by_text("Your email address is confirmed.")).to_be_visible()
    visitor.open("/account")
    expect(visitor.page.get_by_label("First name")).to_be_visible()
    expect(visitor.page.get_by_role("button", name="Send again")).to_be_hidden()


def test_a_link_from_a_mail_sets_a_forgotten_password_once(product, mail_server, visit):
    ada = product.person()
    next_link(mail_server)
    visitor = visit(product)
    forget(visitor)
    dialog(visitor).get_by_label("Email address").fill(ada.email)
    dialog(visitor).get_by_role("button", name="Send the link").click()
    expect(dialog(visitor).get_by_text("If this address has an account")).to_contain_text("30 minutes")
    link = next_link(mail_server)
    for outcome in ("saved", "expired"):
        visitor.page.goto("/")
        visitor.page.goto(link)
        dialog(visitor).get_by_label("New password").fill("battery-staple")
        dialog(visitor).get_by_role("button", name="Save password").click()
        expect(visitor.page.get_by_text(re.compile(outcome)).first).to_be_visible()
