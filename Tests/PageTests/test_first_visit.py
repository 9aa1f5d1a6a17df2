"""Tests of the card that says what the page is for."""

import pytest
from layout import SIZES, faults
from playwright.sync_api import expect

from conftest import DESKTOP, PHONE

SENTENCE = "A shared map of people. Say where you are, add a link, and see everybody live."


def card(visitor):
    return visitor.page.get_by_role("region", name="Welcome")


def test_a_new_visitor_reads_what_the_page_is_until_they_close_the_card(product, visit):
    product.person("Ada").post("Oslo, Norway")
    visitor = visit(product, is_new=True).open().connection("live")
    expect(card(visitor)).to_contain_text(SENTENCE)
    card(visitor).get_by_role("button", name="Close").click()
    expect(card(visitor)).to_be_hidden()
    visitor.open().connection("live")
    expect(visitor.pin("Ada")).to_be_visible()
    expect(card(visitor)).to_be_hidden()


def test_a_map_without_pins_shows_the_card_again(product, visit):
    visitor = visit(product).open().connection("live")
    expect(card(visitor)).to_contain_text(SENTENCE)
    product.person("Ada").post("Oslo, Norway")
    expect(visitor.pin("Ada")).to_be_visible()
    expect(card(visitor)).to_be_hidden()


def test_the_cards_button_begins_to_add_a_pin_and_the_pin_replaces_the_card(product, visit):
    ada = product.person("Ada")
    visitor = visit(product, is_new=True).sign_in(ada).open().connection("live")
    card(visitor).get_by_role("button", name="Add a pin").click()
    expect(visitor.page.get_by_role("combobox").last).to_be_focused()
    visitor.page.keyboard.press("Escape")
    ada.post("Oslo, Norway")
    visitor.open().connection("live")
    expect(visitor.pin("Yours: Oslo")).to_be_visible()
    expect(card(visitor)).to_be_hidden()


def test_a_browser_without_storage_shows_and_closes_the_card(product, visit):
    visitor = visit(product, is_new=True)
    visitor.page.add_init_script("""
      Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError') } });""")
    visitor.open().connection("live")
    card(visitor).get_by_role("button", name="Close").click()
    expect(card(visitor)).to_be_hidden()


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_card_never_covers_a_control(product, visit, language):
    visitor = visit(product, is_new=True, locale=language, has_touch=True, reduced_motion="reduce")
    visitor.open().connection("live")
    expect(visitor.page.locator("#welcome")).to_be_visible()
    for size in [*SIZES, (390, 400)]:
        assert faults(visitor, size) == [], size


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_card_shifts_nothing_while_the_page_loads(product, visit, size):
    visitor = visit(product, is_new=True, viewport=size)
    visitor.page.add_init_script("""
      window.shifted = 0;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shifted += entry.value })
        .observe({ type: 'layout-shift', buffered: true });""")
    visitor.open().connection("live")
    expect(card(visitor)).to_be_visible()
    visitor.page.wait_for_timeout(300)
    assert visitor.page.evaluate("window.shifted") < 0.02
