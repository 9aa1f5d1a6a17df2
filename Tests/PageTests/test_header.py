"""Tests of the header at every width and in each language: it fits the window, and every action can be reached."""

import re

import pytest
from layout import LONG_NAME, violations
from playwright.sync_api import expect

SIZES = [
    (320, 640), (360, 740), (361, 740), (390, 844), (480, 800), (481, 800), (512, 800), (540, 800), (600, 800),
    (641, 900), (700, 900), (736, 900), (737, 900), (737, 390), (768, 1024), (820, 1180), (844, 390), (897, 390),
    (903, 700), (929, 700), (960, 800), (961, 800), (977, 390), (1024, 768), (1122, 800), (1185, 800), (1280, 800),
    (1409, 900), (1440, 900), (1600, 900), (1920, 1080), (2560, 1440)]
# A live list, and the states with the longest texts.
STATES = {"live": "Live", "members-only": "Nur für Mitglieder", "reconnecting": "Reconnecting …"}
# Finds parts of the header that leave the window, lie under another element, or are too small for a finger.
FAULTS = """([state, name]) => {
  const status = document.getElementById('connection');
  const label = status.querySelector('span');
  status.dataset.state = state;
  label.textContent = name;
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
  const names = actions.filter((one) => !status.contains(one)).map((one) => one.id);
  if (getComputedStyle(label).position === 'absolute') {
    return { faults, actions: names };
  }
  const text = document.createRange();
  text.selectNodeContents(label);
  const [textBox, statusBox] = [text.getBoundingClientRect(), status.getBoundingClientRect()];
  const fits = textBox.left >= statusBox.left + 12 && textBox.right <= statusBox.right + .5;
  if (!fits) faults.push(`the status needs ${textBox.width} of ${statusBox.width}`);
  return { faults, actions: names };
}"""
TABS = ["tab-map", "tab-table", "tab-posts"]


@pytest.fixture(scope="session")
def wolfe(shared):
    wolfe = shared.operator(LONG_NAME)
    wolfe.post("Bern, Switzerland")
    return wolfe


def measure(visitor):
    """Returns the faults and actions at each size and state."""
    found = {}
    for width, height in SIZES:
        visitor.page.set_viewport_size({"width": width, "height": height})
        measured = visitor.page.evaluate(f"(states) => states.map({FAULTS})", list(STATES.items()))
        found |= {(width, height, state): one for state, one in zip(STATES, measured)}
    return found


def expect_actions(visitor, *actions):
    """Checks the header at every size. Only a list without live updates has the refresh button."""
    for size, found in measure(visitor).items():
        refresh = ["refresh"] if size[2] == "reconnecting" else []
        assert found == {"faults": [], "actions": [*TABS, *refresh, *actions]}, size


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "es-ES", "fr-FR", "pt-BR"])
def test_the_header_fits_every_width_for_a_stranger(shared, visit, language):
    # Only the map would draw itself again for each size.
    visitor = visit(shared, locale=language, has_touch=True, reduced_motion="reduce").open("/posts").connection("live")
    expect_actions(visitor, "add", "sign-in", "account")


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "es-ES", "fr-FR", "pt-BR"])
def test_the_header_fits_every_width_for_a_person_with_a_pin_and_a_long_name(shared, wolfe, visit, language):
    visitor = visit(shared, locale=language, has_touch=True, reduced_motion="reduce").sign_in(wolfe)
    expect_actions(visitor.open("/posts").connection("live"), "add", "account")


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "es-ES", "fr-FR", "pt-BR"])
def test_the_operators_header_fits_every_width_with_a_long_name(shared, wolfe, visit, language):
    visitor = visit(shared, locale=language, has_touch=True).sign_in(wolfe).open("/admin").connection("live")
    for size, found in measure(visitor).items():
        assert found["faults"] == [] and found["actions"][0] == "pause", (size, found)


@pytest.mark.parametrize("size", [(320, 640), (844, 390), (1440, 900)])
def test_the_account_menu_shows_the_full_name_and_every_way_on(shared, wolfe, visit, size):
    visitor = visit(shared, viewport={"width": size[0], "height": size[1]}).sign_in(wolfe).open().connection("live")
    page = visitor.page
    menu = page.locator("#account-menu")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name=f"Account of {LONG_NAME} Operator").press("Enter")
    expect(menu).to_contain_text(f"{LONG_NAME} Operator{wolfe.email}")
    expect(menu.locator("> :visible")).to_have_text([
        re.compile(LONG_NAME), "My pin", "My posts", "Settings", re.compile("Language"), "Operator", "API", "Sign out"])
    box = menu.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] and box["y"] + box["height"] <= size[1]
    assert menu.evaluate("(menu) => menu.scrollWidth <= menu.clientWidth")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="My pin")).to_be_focused()
    page.get_by_role("button", name="Sign out").press("Enter")
    expect(page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_focused()
    expect(menu).to_be_hidden()


def test_a_strangers_menu_has_only_what_needs_no_account(shared, visit):
    visitor = visit(shared).open().connection("live")
    visitor.page.get_by_role("button", name="Menu").click()
    expect(visitor.page.locator("#account-menu > :visible")).to_have_text([re.compile("Language"), "API"])


def test_the_menus_links_lead_to_a_persons_posts_and_settings(shared, wolfe, visit):
    visitor = visit(shared).sign_in(wolfe).open().connection("live")
    visitor.menu("My posts")
    expect(visitor.page.locator("#view-posts li").first).to_be_visible()
    expect(visitor.page.locator("#account-menu")).to_be_hidden()
    visitor.menu("Settings")
    expect(visitor.page).to_have_url(f"{shared.url}/account")
