"""Takes screenshots of every view of the page, phone and desktop, light and dark, and README's Map.jpg.

    python screenshots.py FOLDER

The services run on free local ports with posts of invented people, and end with the script.
"""

import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

from conftest import CHROMIUM, DESKTOP, PHONE, Visitor
from product import FailingWorker, Product
from views import VIEWS, show

PEOPLE = [
    ("Ada", "Lovelace"), ("Grace", "Hopper"), ("Mei", "Chen"), ("José", "Álvarez"), ("Ngọc", "Trần"),
    ("Amara", "Okafor"), ("Björn", "Åkesson"), ("Óscar", "Núñez"), ("Ирина", "Петрова"), ("Yuki", "Tanaka"),
]
PLACES = [
    "Seattle, WA", "Oslo", "Lima", "Nairobi", "東京", "Sydney", "Reykjavík", "São Paulo", "Cape Town", "Mumbai",
    "Paris", "Paris, TX", "Madrid", "Kyiv", "Toronto", "Mexico City", "Bogotá", "Buenos Aires", "Perth", "Auckland",
    "Singapore", "Bangkok", "Manila", "Seoul", "Cairo", "Lagos", "Dakar", "Accra", "Istanbul", "Athens", "Rome", "Milan",
    "Zürich", "München", "Prague", "Warsaw", "Stockholm", "Dublin", "Lisbon", "Ushuaia", "Anchorage", "Honolulu",
    "Denver", "Chicago", "New York", "Miami", "Havana", "Quito", "Santiago de Chile", "Hanoi",
]


def fill(product):
    """Adds posts of ten people and of Ada, the operator. Some posts are dead."""
    people = [product.person(*name) for name in PEOPLE[1:]]
    ada = product.operator("Ada")
    product.worker.kill()
    with FailingWorker(product):
        for place in ["Atlantis", "El Dorado", "Avalon"]:
            people[0].request("POST", "/v2/posts", {"place": place, "link": "https://example.org/"}, {"Prefer": "wait=15"})
    product.worker.start()
    for number, place in enumerate(PLACES):
        people[number % len(people)].post(place, f"https://example.org/{number}")
    ada.post("London, UK", "https://example.org/ada")
    ada.post("Torino", "https://example.org/ada/torino")
    return ada


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        product = Product(data, apart=True)
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            ada = fill(product)
            for device, size in [("desktop", DESKTOP), ("phone", PHONE)]:
                for theme in ["light", "dark"]:
                    for view in VIEWS:
                        visitor = Visitor(
                            chromium, product, viewport=size, color_scheme=theme, reduced_motion="reduce")
                        visitor.sign_in(ada).open()
                        show(visitor, view)
                        visitor.page.wait_for_timeout(600)
                        visitor.page.screenshot(path=folder / f"{view}-{device}-{theme}.png")
                        visitor.close()
            visitor = Visitor(chromium, product, viewport={"width": 1024, "height": 576}, reduced_motion="reduce")
            visitor.sign_in(ada).open()
            show(visitor, "popup")
            visitor.page.wait_for_timeout(600)
            visitor.page.screenshot(path=folder / "Map.jpg", type="jpeg", quality=80)
            visitor.close()
        finally:
            chromium.close()
            product.end()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
