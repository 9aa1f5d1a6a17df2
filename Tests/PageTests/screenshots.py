"""Takes screenshots of every view of the page, and README's Map.jpg.

    python screenshots.py FOLDER [VIEW …]

Each view is taken at three widths, in two themes and two languages, as VIEW-WIDTH-THEME-LANGUAGE.png. The services run
on free local ports with posts of invented people, and end with the script.
"""

import functools
import pathlib
import sys
import tempfile

import source
from crowd import Crowd
from playwright.sync_api import sync_playwright

from conftest import CHROMIUM, Visitor
from views import VIEWS, show

SIZES = [(390, 844), (820, 1180), (1440, 900)]
LOCALES = ["en-GB", "de-DE"]


def take(visitor, path, **options):
    """Takes a picture when the page has come to rest."""
    visitor.page.wait_for_timeout(400)
    visitor.page.screenshot(path=path, **options)


def main(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        crowd = Crowd(data)
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *source.ARGUMENTS])
        visit = functools.partial(Visitor, chromium)
        try:
            for name in names:
                for locale in LOCALES:
                    for width, height in SIZES:
                        visitor = show(name, visit, crowd, locale=locale, viewport={"width": width, "height": height})
                        for theme in ["light", "dark"]:
                            visitor.page.emulate_media(color_scheme=theme)
                            take(visitor, folder / f"{name}-{width}-{theme}-{locale[:2]}.png")
                        visitor.close()
            visitor = show("own-pin", visit, crowd, viewport={"width": 1024, "height": 576})
            take(visitor, folder / "Map.jpg", type="jpeg", quality=80)
            visitor.close()
        finally:
            chromium.close()
            crowd.end()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:] or VIEWS)
