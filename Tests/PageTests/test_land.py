"""The land of the map: its tiles, and how the page draws them."""

import land
import pytest
from playwright.sync_api import expect

from product import eventually

# From `onthemap geocode`.
COASTAL_CITIES = {
    "San José": (37.33939, -121.89496), "Palo Alto": (37.44188, -122.14302), "San Francisco": (37.77493, -122.41942),
    "Venice": (45.43713, 12.33265), "Alexandria": (31.20176, 29.91582), "Singapore": (1.36667, 103.8),
    "Hong Kong": (22.25, 114.16667), "Manhattan": (40.78343, -73.96625), "Copenhagen": (55.67594, 12.56553),
    "Mumbai": (19.07283, 72.88261), "Rio de Janeiro": (-22.90642, -43.18223), "Sydney": (-33.86785, 151.20732),
    "Tokyo": (35.6895, 139.69171),
}
LAND, WATER = [246, 243, 234, 255], [0, 0, 0, 0]


@pytest.mark.parametrize("city", COASTAL_CITIES)
def test_a_coastal_city_is_on_land(city):
    assert land.is_land(*COASTAL_CITIES[city])


def test_the_open_sea_and_the_caspian_sea_are_water():
    assert not land.is_land(30, -50)
    assert not land.is_land(41.5, 51)


def ground(visitor, name):
    """Returns the colour of the map below a pin's tip. Transparent is water."""
    return visitor.pin(name).evaluate("""(pin) => {
      const pane = pin.parentElement.getBoundingClientRect();
      const [x, y] = [pane.x + pin._leaflet_pos.x, pane.y + pin._leaflet_pos.y];
      const tile = [...document.querySelectorAll('#map .leaflet-tile-pane canvas')].findLast((canvas) => {
        const { left, right, top, bottom } = canvas.getBoundingClientRect();
        return left <= x && x < right && top <= y && y < bottom;
      });
      if (!tile) return null;
      // Chromium warns of many readings from the tile itself.
      const copy = new OffscreenCanvas(tile.width, tile.height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(tile, 0, 0);
      const box = tile.getBoundingClientRect();
      const scale = tile.width / box.width;
      return [...copy.getImageData((x - box.x) * scale, (y - box.y) * scale, 1, 1).data];
    }""")


def mumbai(product, visit):
    """Returns a window and a post in Mumbai, which is on the coast of the coarse tile."""
    return visit(product), product.person("Asha", "Rao").post("Mumbai, India")


def zoom_in(visitor):
    """Zooms to the deepest zoom."""
    button = visitor.page.locator("#map").get_by_role("button", name="Zoom in")
    while button.is_enabled():
        # The button may have become disabled.
        button.click(force=True)


def test_a_pin_in_a_coastal_city_stands_on_land_at_the_deepest_zoom(product, visit):
    visitor, post = mumbai(product, visit)
    visitor.open(f"/pin/{post['id']}")
    expect(visitor.page.locator(".leaflet-popup")).to_be_visible()
    zoom_in(visitor)
    eventually("land below the pin", lambda: ground(visitor, "Asha Rao") == LAND)


def test_the_map_shows_the_coarse_land_until_the_fine_land_can_be_loaded(product, visit):
    visitor, post = mumbai(product, visit)
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.abort()

    visitor.page.route("**/land/5/**", refuse)
    visitor.open(f"/pin/{post['id']}")
    expect(visitor.page.locator(".leaflet-popup")).to_be_visible()
    eventually("a request for fine land", lambda: refused)
    eventually("a coarse coast below the pin", lambda: ground(visitor, "Asha Rao") not in (None, LAND, WATER))
    visitor.page.unroute("**/land/5/**")
    eventually("land below the pin", lambda: ground(visitor, "Asha Rao") == LAND)


def test_a_map_without_the_files_of_its_version_keeps_the_coarse_land_and_offers_a_reload(product, visit):
    visitor, post = mumbai(product, visit)
    page = visitor.page
    page.route("**/land/5/**", lambda route: route.fulfill(status=404))
    visitor.open(f"/pin/{post['id']}")
    expect(page.locator(".leaflet-popup")).to_be_visible()
    expect(page.locator("#toasts")).to_contain_text("On The Map has a new version.")
    eventually("a coarse coast below the pin", lambda: ground(visitor, "Asha Rao") not in (None, LAND, WATER))
    zoom_in(visitor)
    expect(page.locator("#toasts > *")).to_have_count(1)
    page.unroute("**/land/5/**")
    page.locator("#toasts").get_by_role("button", name="Reload").click()
    eventually("land below the pin", lambda: ground(visitor, "Asha Rao") == LAND)


def test_no_land_is_drawn_twice_on_a_wide_screen(product, visit):
    visitor = visit(product, viewport={"width": 2560, "height": 800}).open()
    # Tiles without lines are alike, and their pictures are short.
    pictures = eventually("land on the map", lambda: visitor.page.evaluate("""() =>
      [...document.querySelectorAll('#map .leaflet-tile-pane canvas')]
        .map((tile) => tile.toDataURL()).filter(({ length }) => length > 3_000)"""))
    assert len(set(pictures)) == len(pictures)
