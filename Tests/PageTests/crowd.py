"""People and pins as on a busy map, for the tests of all views and for the screenshots."""

import pathlib
import urllib.error

from layout import LONG_NAME

from product import Product

PEOPLE = [
    ("Grace", "Hopper"), ("Mei", "Chen"), ("José", "Álvarez"), ("Ngọc", "Trần"), ("Amara", "Okafor"), ("Bo", ""),
    ("Björn", "Åkesson"), ("Ирина", "Петрова"), ("יעל", "כהן"), (LONG_NAME, "sr."),
    ("<img src=x onerror=alert(1)>", "&amp; {name}"),
]
PLACES = [
    "Seattle, WA", "Oslo", "Lima", "Nairobi", "東京", "Sydney", "Reykjavík", "São Paulo", "Cape Town", "Mumbai", "Paris",
    "Madrid", "Kyiv", "Toronto", "Mexico City", "Bogotá", "Buenos Aires", "Perth", "Auckland", "Singapore", "Manila",
    "Cairo", "Lagos", "Dakar", "Istanbul", "Zürich", "München", "Ushuaia", "Anchorage", "Suva, Fiji", "Chicago", "Managua",
    # A cluster of one place opens as a list.
    *["Honolulu"] * 3,
]


class Crowd:
    """Services with about 40 posts of people with short, long, right-to-left and hostile names.

    Ada is an operator, with posts on the map and one that is not. Carl has no posts. Eve's post comes and goes. `last` is
    a pin of the cluster. `empty` are services without posts, and `closed` are those of a members-only map.
    """

    def __init__(self, folder):
        for name in ["empty", "closed"]:
            (pathlib.Path(folder) / name).mkdir()
        self.product, self.empty = Product(folder), Product(pathlib.Path(folder) / "empty")
        self.closed = Product(pathlib.Path(folder) / "closed", "--map-access", "members")
        self.ada, self.carl, self.eve = (
            self.product.operator("Ada"), self.product.person("Carl", "Sagan"), self.product.person("Eve", "Online"))
        people = [self.product.person(*name) for name in PEOPLE]
        people[-1].post("<script>alert(1)</script>", "https://example.org/?q=%3Cb%3E", latitude=7, longitude=21)
        for number, place in enumerate(PLACES):
            self.last = people[number % len(people)].post(place, f"https://number-{number}.example.org/a/long/path")
        self.ada.request("POST", "/v2/posts", {"place": "qqqzzzxx", "link": "example.org"}, {"Prefer": "wait=30"})
        self.ada.post("Torino", "https://example.org/ada/torino")
        self.newest = self.ada.post("London, UK", "https://ada.example.org/")

    def leave(self):
        """Deletes Eve's posts."""
        for post in self.eve.posts():
            try:
                self.eve.request("DELETE", f"/v2/posts/{post['id']}")
            except urllib.error.HTTPError as error:
                # A page that was left has deleted the post already.
                if error.code not in (404, 410):
                    raise

    def end(self):
        self.product.end()
        self.empty.end()
        self.closed.end()
