#!/usr/bin/env python3
"""Writes ../names.json, the names of countries and cities on the map, from pinned packages and the gazetteer's places.
The same sources produce the same bytes.

usage: names.py [--cache DIRECTORY]

Needs pip, apt-get and dpkg-deb, and only the Python standard library. NOTICE.md lists the sources and describes the
file.
"""

import gzip
import hashlib
import heapq
import json
import lzma
import math
import pathlib
import unicodedata

import rds
from packages import cache, capitals, shapes
from topology import area, snapped

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE.parent / "names.json"
PLACES = HERE.parent.parent / "Gazetteer" / "Data" / "places.tsv.xz"

# Usual names for abbreviated or outdated names of the source.
USUAL = {
    "Antigua and Barb.": "Antigua and Barbuda", "Aland": "Åland", "Bosnia and Herz.": "Bosnia and Herzegovina",
    "Br. Indian Ocean Ter.": "British Indian Ocean Territory", "Central African Rep.": "Central African Republic",
    "Congo": "Congo", "Czech Rep.": "Czechia", "Côte d'Ivoire": "Ivory Coast", "Dem. Rep. Congo": "DR Congo",
    "Dem. Rep. Korea": "North Korea", "Dominican Rep.": "Dominican Republic", "Eq. Guinea": "Equatorial Guinea",
    "Faeroe Is.": "Faroe Islands", "Fr. Polynesia": "French Polynesia", "Korea": "South Korea", "Lao PDR": "Laos",
    "Fr. S. Antarctic Lands": "French Southern Lands", "Heard I. and McDonald Is.": "Heard Island",
    "Indian Ocean Ter.": "Christmas Island", "Macao": "Macau", "Macedonia": "North Macedonia",
    "N. Cyprus": "Northern Cyprus", "N. Mariana Is.": "Northern Mariana Islands", "S. Sudan": "South Sudan",
    "S. Geo. and S. Sandw. Is.": "South Georgia", "St-Barthélemy": "Saint Barthélemy", "St-Martin": "Saint Martin",
    "St. Kitts and Nevis": "Saint Kitts and Nevis", "St. Pierre and Miquelon": "Saint Pierre and Miquelon",
    "St. Vin. and Gren.": "Saint Vincent", "Swaziland": "Eswatini", "São Tomé and Principe": "São Tomé and Príncipe",
    "Turks and Caicos Is.": "Turks and Caicos Islands", "U.S. Virgin Is.": "US Virgin Islands",
    "Vatican": "Vatican City", "W. Sahara": "Western Sahara", "Wallis and Futuna Is.": "Wallis and Futuna",
}

# Shapes of the source without a name on the map: an uninhabited glacier, reefs.
NAMELESS = {"Siachen Glacier", "Ashmore and Cartier Is."}

# English names of cities for other names of the source.
USUAL_CITIES = {
    "Al Basrah al Qadimah": "Basra", "Al Mawsil al Jadidah": "Mosul", "Köln": "Cologne", "León de los Aldama": "León",
    "Makkah": "Mecca", "Montréal": "Montreal", "Nay Pyi Taw": "Naypyidaw",
    "New South Memphis": "Memphis", "New York City": "New York",
    "Petropavlovsk-Kamchatsky": "Petropavlovsk", "Santiago de los Caballeros": "Santiago", "Sevilla": "Seville",
    "Ulan Bator": "Ulaanbaatar", "Zürich": "Zurich", "Xi’an": "Xi'an",
}

# Villages and towns for which the source gives the population of a whole district.
DISTRICTS = {("PH", "Budta"), ("IN", "Kallakurichi"), ("KE", "Kakamega"), ("CN", "Bao'an")}

# Countries whose names the source writes with transliteration marks, which English omits.
TRANSLITERATED = set("AE AF BD BH EG ER IN IQ IR JO JP KP KR KW LB LK LY NP OM PK PS QA SA SD SY YE".split())

# The zooms at which a country's name may first show.
COUNTRY_ZOOMS = range(2, 7)
# Number of cities whose names first show at each zoom.
CITIES = {3: 75, 4: 190, 5: 330, 6: 380, 7: 325, 8: 200}

# In pixels: the least distance between two cities, half the width of a letter of a country's name, and the line height.
APART, HALF_LETTER, LINE = 60, 3.6, 16

# The span in pixels of a country's largest part at which its name shows, by zoom.
SPAN = {2: 52, 3: 44, 4: 36, 5: 20}

# A capital counts as a city with this many times its inhabitants, and with at least this many.
CAPITAL_WEIGHT, CAPITAL_LEAST = 3, 60000
LEAST_POPULATION = 15000

# The distance to other cities, in multiples of APART, beyond which isolation no longer raises a city's score.
ALONE = 3


def mercator(latitude, longitude, zoom=0):
    """Returns the position in pixels on a world of 256 pixels at zoom 0."""
    size = 256 * 2 ** zoom
    return ((longitude + 180) / 360 * size,
            (1 - math.asinh(math.tan(math.radians(max(-85, min(85, latitude))))) / math.pi) / 2 * size)


def clearance(x, y, rings):
    """Returns the distance of a point from the nearest outline, negative outside. Rings are edges in a plane."""
    inside, nearest = False, math.inf
    for (ax, ay), (bx, by) in rings:
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
        dx, dy = bx - ax, by - ay
        along = dx * dx + dy * dy
        part = max(0, min(1, ((x - ax) * dx + (y - ay) * dy) / along)) if along else 0
        nearest = min(nearest, (ax + part * dx - x) ** 2 + (ay + part * dy - y) ** 2)
    return math.sqrt(nearest) if inside else -math.sqrt(nearest)


def label_point(points, rings):
    """Returns the point of a ring with the most space around it. Space to the sides counts twice, because names are
    wide."""
    middle = math.cos(math.radians(sum(y for _, y in points) / len(points)))
    flat = [[(x * middle / 2, y) for x, y in ring] for ring in rings]
    edges = [(a, b) for ring in flat for a, b in zip(ring, ring[1:] + ring[:1])]
    xs, ys = zip(*((x * middle / 2, y) for x, y in points))
    size = max(min(max(xs) - min(xs), max(ys) - min(ys)), 1e-6) / 2
    heap, best = [], (-math.inf, 0, 0)

    def probe(x, y, half):
        nonlocal best
        space = clearance(x, y, edges)
        best = max(best, (space, x, y))
        heapq.heappush(heap, (-(space + half * math.sqrt(2)), x, y, half))

    for i in range(math.ceil((max(xs) - min(xs)) / size)):
        for j in range(math.ceil((max(ys) - min(ys)) / size)):
            probe(min(xs) + (i + 0.5) * size, min(ys) + (j + 0.5) * size, size / 2)
    while heap and -heap[0][0] > best[0] * 1.03 + 0.001:
        _, x, y, half = heapq.heappop(heap)
        for i in (-half / 2, half / 2):
            for j in (-half / 2, half / 2):
                probe(x + i, y + j, half / 2)
    return best[2], best[1] / middle * 2


def thinned(points):
    """Returns a ring with few enough points for quick measurements."""
    return points[::max(1, len(points) // 400)]


def country_rows(directory):
    """Yields name, latitude, longitude, and span in pixels at zoom 0 of every country."""
    columns, countries = shapes(directory, "countries50")
    for name, rings in zip(rds.strings(columns["name"]), countries):
        if name in NAMELESS:
            continue
        rings = [points for points in map(snapped, rings) if len(points) > 2]
        largest = max(rings, key=lambda points: abs(area(points)))
        west, east = min(x for x, _ in largest), max(x for x, _ in largest)
        # Other rings matter only as holes: countries and lakes inside.
        holes = [thinned(points) for points in rings if points is not largest
                 and west < min(x for x, _ in points) and max(x for x, _ in points) < east
                 and clearance(*points[0], list(zip(largest, largest[1:] + largest[:1]))) > 0]
        latitude, longitude = label_point(largest, [thinned(largest), *holes])
        plane = [mercator(y, x) for x, y in largest]
        yield usual(name), round(latitude, 2), round(longitude, 2), math.sqrt(abs(area(plane)))


def usual(name):
    return USUAL.get(name, name.removesuffix(" Is.") + " Islands" if name.endswith(" Is.") else name)


def countries(directory):
    """Returns the names with their first zoom. A name shows if the country is wide enough and no larger country's name
    is in its place."""
    chosen = []
    for name, latitude, longitude, span in sorted(country_rows(directory), key=lambda row: (-row[3], row[0])):
        for zoom in COUNTRY_ZOOMS:
            wide = zoom == COUNTRY_ZOOMS[-1] or span * 2 ** zoom >= SPAN[zoom]
            if wide and (zoom == COUNTRY_ZOOMS[-1] or free(name, latitude, longitude, zoom, chosen)):
                break
        # Web Mercator enlarges Antarctica.
        chosen.append((name, latitude, longitude, max(zoom, 3) if name == "Antarctica" else zoom))
    return chosen


def free(name, latitude, longitude, zoom, others):
    x, y = mercator(latitude, longitude, zoom)
    for other, its_latitude, its_longitude, its_zoom in others:
        if its_zoom <= zoom:
            u, v = mercator(its_latitude, its_longitude, zoom)
            if abs(u - x) < (len(name) + len(other)) * HALF_LETTER + 4 and abs(v - y) < LINE:
                return False
    return True


def english(country, name):
    if country in TRANSLITERATED:
        name = "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    return USUAL_CITIES.get(name, name)


def places(directory):
    """Returns weight, name, latitude and longitude of cities."""
    names, found, capital_rows = capitals(directory), [], {}
    with lzma.open(PLACES, "rt", encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if fields[0] not in "PS" or len(fields) != 9:
                continue
            kind, country, _, latitude, longitude, population, name, _, others = fields
            name = name.split("|")[0]
            if (country, name) in DISTRICTS:
                continue
            row = [int(population), english(country, name), round(float(latitude), 2), round(float(longitude), 2)]
            capital = names.get(country)
            if capital and (capital == name or capital in others.split("|")):
                # Prefer a place with this name as its main name, and then the largest.
                capital_rows[country] = max(capital_rows.get(country, (False,)), (capital == name, *row))
            if kind == "P" and row[0] >= LEAST_POPULATION:
                found.append(tuple(row))
    capital_rows = {row[1:] for row in capital_rows.values()}
    rows = [(max(row[0] * CAPITAL_WEIGHT, CAPITAL_LEAST) if row in capital_rows else row[0], *row[1:])
            for row in capital_rows.union(found)]
    return sorted(rows, key=lambda row: (-row[0], row[1:]))


def cities(directory, labels):
    """Returns the names with their first zoom. Large and isolated cities come first, and no two are nearer than
    APART."""
    rows = places(directory)
    spots = [mercator(row[2], row[3]) for row in rows]
    distances, chosen = [math.inf] * len(rows), {}
    for zoom, count in CITIES.items():
        scale = 2 ** zoom
        boxes = [(*mercator(latitude, longitude), len(name) * HALF_LETTER / scale, LINE / 2 / scale)
                 for name, latitude, longitude, its_zoom in labels if its_zoom <= zoom < 6]
        open_rows = [index for index in unrivalled(spots, chosen, APART / 2 / scale) if not any(
            abs(spots[index][0] - x) < width and abs(spots[index][1] - y) < height for x, y, width, height in boxes)]
        for index in picked(open_rows, rows, spots, distances, APART / scale, count):
            chosen[index] = zoom
    return [(*rows[index][1:], zoom) for index, zoom in chosen.items()]


def unrivalled(spots, chosen, near):
    """Yields the cities without a larger neighbour that does not show yet, so that Shanghai comes before its
    neighbours."""
    squares = {}
    for index, spot in enumerate(spots):
        if index in chosen:
            continue
        x, y = math.floor(spot[0] / near), math.floor(spot[1] / near)
        rivals = [other for i in (x - 1, x, x + 1) for j in (y - 1, y, y + 1) for other in squares.get((i, j), ())]
        if not any(math.dist(spot, other) < near for other in rivals):
            squares.setdefault((x, y), []).append(spot)
            yield index


def picked(candidates, rows, spots, distances, apart, count):
    """Returns the indexes of the next cities. Scores only fall as cities are picked, so a heap of old scores
    suffices."""
    def score(index):
        return math.sqrt(rows[index][0]) * min(distances[index] / apart, ALONE)

    heap, left = [(-score(index), index) for index in candidates if distances[index] >= apart], count
    picks = []
    heapq.heapify(heap)
    while heap and left:
        old, index = heapq.heappop(heap)
        # Update the distance for this heap's picks only when the city comes up.
        distances[index] = min([distances[index]] + [math.dist(spots[index], spots[pick]) for pick in picks])
        if distances[index] < apart:
            continue
        if -score(index) > old:
            heapq.heappush(heap, (-score(index), index))
            continue
        picks.append(index)
        left -= 1
    for index in range(len(rows)):
        distances[index] = min([distances[index]] + [math.dist(spots[index], spots[pick]) for pick in picks])
    return picks


def main():
    with cache("Writes ../names.json from pinned packages.") as directory:
        labels = countries(directory)
        result = {"countries": labels, "cities": cities(directory, labels)}
    data = json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    TARGET.write_bytes(data)
    print(f"{TARGET.name}: {len(data)} bytes, {len(gzip.compress(data, 9, mtime=0))} packed, {len(labels)} countries, "
          f"{len(result['cities'])} cities, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
