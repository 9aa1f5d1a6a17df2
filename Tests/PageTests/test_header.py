"""Tests of the header at every width and in both languages: it fits the window, and every action can be reached."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

SIZES = [
    (320, 640), (360, 740), (361, 740), (390, 844), (480, 800), (481, 800), (512, 800), (540, 800), (600, 800),
    (641, 900), (700, 900), (737, 900), (768, 1024), (820, 1180), (844, 390), (897, 390), (903, 700), (929, 700),
    (977, 800), (1024, 768), (1122, 800), (1185, 800), (1280, 800), (1409, 900), (1440, 900), (1600, 900)]
LONG_NAME = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenh"
# Finds parts of the header that leave the window, lie under another element, or are too small for a finger.
FAULTS = """() => {
  const faults = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`scrolls to ${scrollWidth}`);
  const shown = [...document.querySelectorAll('.bar *')]
    .filter((one) => one.checkVisibility() && !one.closest('svg, .menu'));
  for (const one of shown.filter((one) => getComputedStyle(one).position !== 'absolute')) {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const isWithin = left >= 0 && top >= 0 && right <= innerWidth + .5 && bottom <= innerHeight;
    if (!isWithin) faults.push(`${one.id || one.className}: ${left} to ${right}`);
  }
  const actions = shown.filter((one) => one.matches('button, a'));
  for (const one of actions) {
    const { left, top, width, height } = one.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!one.contains(hit)) faults.push(`${one.id} is under ${hit?.outerHTML}`);
    if (height < 40 || width < 40) faults.push(`${one.id} is ${width} by ${height}`);
  }
  const status = document.getElementById('connection');
  const text = document.createRange();
  text.selectNodeContents(status.firstElementChild);
  const [textBox, statusBox] = [text.getBoundingClientRect(), status.getBoundingClientRect()];
  const fits = textBox.left >= statusBox.left + 12 && textBox.right <= statusBox.right + .5;
  if (!fits) faults.push(`the status needs ${textBox.width} of ${statusBox.width}`);
  return { faults, actions: actions.map((one) => one.id) };
}"""
TABS = ["tab-map", "tab-table", "tab-posts"]


@pytest.fixture(scope="session")
def wolfe(shared):
    wolfe = shared.operator(LONG_NAME)
    wolfe.post("Bern, Switzerland")
    return wolfe


def measure(visitor):
    """Returns the faults and actions at each size, also with two long status texts: the longest line and word."""
    found = {}
    for width, height in SIZES:
        visitor.page.set_viewport_size({"width": width, "height": height})
        for text in [None, "Nur für Mitglieder", "Reconnecting …"]:
            if text:
                visitor.page.locator("#connection span").evaluate("(one, text) => { one.textContent = text }", text)
            found[width, text] = visitor.page.evaluate(FAULTS)
    return found


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_header_fits_every_width_for_a_stranger(shared, visit, language):
    visitor = visit(shared, locale=language, has_touch=True).open().connection("live")
    for size, found in measure(visitor).items():
        assert found == {"faults": [], "actions": [*TABS, "refresh", "add", "sign-in"]}, size


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_header_fits_every_width_for_a_person_with_a_pin_and_a_long_name(shared, wolfe, visit, language):
    visitor = visit(shared, locale=language, has_touch=True).sign_in(wolfe).open().connection("live")
    expect(visitor.page.locator("#own")).to_be_visible()
    for size, found in measure(visitor).items():
        assert found == {"faults": [], "actions": [*TABS, "refresh", "own", "add", "account"]}, size


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_operators_header_fits_every_width_with_a_long_name(shared, wolfe, visit, language):
    visitor = visit(shared, locale=language, has_touch=True).sign_in(wolfe).open("/admin").connection("live")
    for size, found in measure(visitor).items():
        assert found["faults"] == [] and found["actions"][0] == "pause", (size, found)


@pytest.mark.parametrize("size", [(320, 640), (844, 390), (1440, 900)])
def test_the_account_menu_shows_the_full_name_and_signs_out(shared, wolfe, visit, size):
    visitor = visit(shared, viewport={"width": size[0], "height": size[1]}).sign_in(wolfe).open().connection("live")
    page = visitor.page
    menu = page.locator("#account-menu")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name=f"Account of {LONG_NAME} Operator").press("Enter")
    expect(menu).to_contain_text(f"{LONG_NAME} Operator{wolfe.email}")
    box = menu.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] and box["y"] + box["height"] <= size[1]
    assert menu.evaluate("(menu) => menu.scrollWidth <= menu.clientWidth")
    assert [rule["id"] for rule in Axe().run(page).response["violations"]] == []
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Sign out")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_focused()
    expect(menu).to_be_hidden()
    expect(page.locator("#account")).to_be_hidden()
