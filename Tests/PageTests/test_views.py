"""Tests of every view and state of the page: axe finds nothing, and nothing is cut off, at three sizes and in two themes."""

import pytest
from layout import violations

from conftest import PHONE
from views import VIEWS, show

# A window of each kind, from a phone to a desktop, and the theme.
LOOKS = [(390, 844, "light"), (390, 844, "dark"), (820, 1180, "light"), (1440, 900, "light")]
# Finds scrolled views and dialogs that are wider than their space.
CUT_OFF = """() => {
  const faults = [...document.querySelectorAll('html, main > section, dialog[open]')]
    .filter((one) => one.scrollWidth > one.clientWidth);
  return faults.map((one) => `${one.id || one.className} scrolls to ${one.scrollWidth}`);
}"""


@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_no_violations_and_nothing_is_cut_off(crowd, visit, name):
    visitor = show(name, visit, crowd, viewport=PHONE, has_touch=True)
    page = visitor.page
    for width, height, theme in LOOKS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        assert violations(page) == [], (width, theme)
        assert page.evaluate(CUT_OFF) == [], (width, theme)
    page.unroute_all(behavior="ignoreErrors")
