"""Small cities that only the postcodes name: the choice of names that are names of cities, and the cities' regions."""

import collections
import re
import statistics

from areas import distance
from naming import clean, key

# Accuracies of the source's points. 3: amid the points of other rows of the code. 4: the place of this name in
# GeoNames. 2 and 5: the centre of a municipality. 6: the centre of addresses. 0 and 1: unknown.
NAMED_PLACE = {4}
ACCURACIES = {
    # The smallest cities, of which GeoNames has half. Their codes cover few square kilometres.
    "GB": {3, 4}, "IT": {3, 4},
    # Whole municipalities or parishes, and points from the post or the mapping agency.
    "BR": {2}, "CR": {6}, "FR": {5}, "DK": {4, 6}, "EE": {6}, "FI": {4, 5, 6}, "LU": {4, 6}, "NL": {0, 4, 6}, "PL": {6},
    "KR": {6},
    # Only cities with a post office, for any accuracy of the point.
    "NO": {0, 4}, "SE": {0, 4}, "ZA": {0, 4},
    "FO": {0, 1, 3, 4}, "GL": {0, 1, 3, 4}, "IS": {0, 1, 3, 4}, "PF": {0, 4},
}

# Countries that are left out, for one of three reasons. Their rows name streets, quarters, districts, offices or the
# country. Their rows are too many for the known data. Another script covers them (the United States).
LEFT_OUT = frozenset("""
    AE AI AS CC CO CX DO DZ FK FM GI GS GU HK HM ID IO JE JP MC MH MO MP MW MX NF NR NU PE PN PR PW SG TC TR US VA VI
    WF WS
    """.split())

# Maximum distance between two points of one city.
SAME_CITY_KM = 20
# Maximum distance between two points of one municipality with a known centre, which may lie in a forest.
SAME_MUNICIPALITY_KM = 150
WIDE = {"BR"}

# Form of a German place's name. A German row without a reliable point names a company, an office, or a municipality
# whose name differs from those of its cities. Offices have the endings below, and companies lie in larger cities.
GERMAN_PLACE = re.compile(r"(Bad |Groß |Klein )?[A-ZÄÖÜ][a-zäöüß]+(-[A-ZÄÖÜ][a-zäöüß]+)?"
                          r"( (an|in|bei|am|im|ob|vor|auf)( der| dem)? [A-ZÄÖÜ][a-zäöüß]+)?")
GERMAN_OFFICE = re.compile(r"(amt|arsenal|bank|behörde|bund|dienst|direktion|genossenschaft|gericht|hospital|inkasso|"
                           r"kasse|klinik|klinikum|komplex|krankenhaus|mittel|park|pflege|post|präsident|schule|"
                           r"service|shop|stelle|universität|verlag|versicherung|versicherungen|verwaltung|wehr|"
                           r"zeitung|zentrum)\b", re.I)
OUT_OF_CITY_KM = 2

# Maximum distance between a row and the centre of the rows of its code. A more distant row has the point of another
# place of its name. Deserts are exempt.
FAR_OFF_KM = 25
MIDDLE_ROWS = 3
DESERTS = {"AR", "AU", "UY"}

# Minimum share of a country's cities with `LARGER_INHABITANTS` that the postcodes must name. At or above this share, a
# city that the postcodes do not name is a part of a larger city, unless it has `PART_INHABITANTS` or more.
NAMED_SHARE = 0.7
LARGER_INHABITANTS = 15_000
PART_INHABITANTS = 100_000

# Numbers of namesakes in one region or country at which a city's name is ambiguous. Cities that the data knows only by
# such a name are left out.
NAMESAKES_IN_REGION = 3
NAMESAKES_IN_COUNTRY = 8

# Maximum distance at which a row with a city's name determines the region of the source's state.
SAME_PLACE_KM = 5
# Minimum share of the rows within this distance that must agree on the region.
STATE_SHARE = 0.8
# Number of nearest cities with a known county that must agree on a city's county.
COUNTY_NEIGHBOURS = 3
# Margin in degrees around the box of a country's known cities, within which its small cities must lie.
BORDER_DEGREES = 0.5
# Cells per degree.
CELLS = 4

# Whole words, without accents and case, which mark the name of an office, an estate or a factory.
OTHER_WORDS = frozenset("""
    aeroport aeropuerto airport apartado barrio bo bc dc camp cantt cedex college colony dairy district edso estate extn
    factory fpo gpo ho hospital industrial kolonia lpo mc militar mill mills office pobox poligono postafiok project
    rs sector so tso universidad university urbanitzacio urbanizacion
    """.split())
# Countries that write a city's name in two languages, separated by a slash.
BILINGUAL = frozenset("AT BE BG CH EE ES FI IT LU RS SI SK".split())

# A last word in the name of a part of a city.
DIRECTIONS = re.compile(r" (North|South|East|West|Central|Centre|Northeast|Northwest|Southeast|Southwest)$")

ARTICLE = re.compile(r"^(.+), (El|La|Los|Las|A|O|As|Os|L'|Els|Les|Es|Sa|Ses)$")
BRACKET = re.compile(r"^([^()]+?) *\(([^()]+)\)$")
# Words that are lower-case within a Romance name, although the source capitalizes them.
PARTICLES = re.compile(r"(?<= )(A|Al|D[aeio]|Das|Del|Dell[aeo]|Dei|Degli|Delle|Dos|E|El|En|I|L[aeo]|Las|Los|Y)(?= )")
CAPITALISED = frozenset("AR BO CL CO CR EC ES GT HN IT MX PA UY".split())


def city_names(country, name):
    """Returns the names of a row's city, the displayed one first. Empty if the row names no city."""
    name = clean(name or "") or ""
    bracket = BRACKET.match(name)
    slash = re.fullmatch(r"([^/]+)/([^/]+)", name)
    if slash and country == "DE":
        parts = [slash[1]]
    else:
        parts = [bracket[1]] if bracket else name.split("/") if country in BILINGUAL else [name]
    parts = [part.strip() for part in parts]
    if country == "BG":
        # "Боян / Bojan" becomes "Bojan", "Боян": the Latin form comes first, as in the other sources.
        parts.reverse()
    names = [city_name(country, part) for part in parts]
    if not all(names):
        return []
    if bracket and country in ("AT", "CH", "DE", "PL", "RO") or slash and country == "DE":
        # "Nienburg (Saale)" is a common query. Elsewhere the brackets hold a parish or a municipality.
        names.append(name)
    short = re.sub(r" (bei|an der|in der|am|im) .*", "", names[0]) if names[0] != parts[0] else ""
    return names + ([short] if short and short not in names else [])


def city_name(country, name):
    """Returns a name in its usual form. Empty if the name is not that of a city."""
    article = ARTICLE.match(name)
    if article:
        name = article[2] + ("" if article[2].endswith("'") else " ") + article[1]
    if country in ("CH", "LI", "NL", "DK"):
        # "Hofstetten SO", "København K".
        name = re.sub(r" [A-ZÆØÅ]{1,2}$", "", name)
    if country in ("AT", "CH", "DE", "LI"):
        name = name.replace(" b. ", " bei ").replace(" a. d. ", " an der ").replace(" i. d. ", " in der ")
    if country == "KR":
        return name if re.fullmatch("[가-힣]{2,}[읍면]", name) else ""
    # "Осташков 4", "Baki-92": a post office of a city.
    name = re.sub(r"[ -]*\d+$", "", name)
    if any(c.isdigit() or c in ',;:"„()&_/' for c in name) or sum(c.isalpha() for c in name) < 2:
        return ""
    if name.isupper():
        name = " ".join("-".join(part.capitalize() for part in word.split("-")) for word in name.split())
    if country in CAPITALISED:
        name = PARTICLES.sub(lambda word: word[0].lower(), name)
    words = set(key(name.replace("-", " ")).split())
    if words & OTHER_WORDS or country == "CN" and words & {"county", "city"}:
        return ""
    return "" if country == "CA" and DIRECTIONS.search(name) else name


def city_key(name):
    """Returns a key that is equal for "St. Just-in-Roseland" and "Saint Just in Roseland"."""
    words = key(name.replace("-", " ").replace("'", " ").replace("’", " ")).split()
    return "".join({"saint": "st", "sankt": "st", "sainte": "ste"}.get(word, word) for word in words)


class PostalNames:
    """The points at which the postcodes use a name."""

    def __init__(self, rows):
        """Indexes `rows`, which are (country, state, name, accuracy, code, point)."""
        self.points = collections.defaultdict(set)
        for country, _, names, _, _, point in rows:
            for name in city_names(country, names):
                self.points[country, city_key(name)].add(point)

    def has(self, country, names, point):
        return any(distance(point, other) < SAME_CITY_KM for name in {city_key(name) for name in names}
                   for other in self.points.get((country, name), ()))

    def parts(self, places):
        """Returns the numbers of the cities that are parts of larger ones. `places` are (country, names, inhabitants,
        point)."""
        nameless, larger, named = set(), collections.Counter(), collections.Counter()
        for number, (country, names, inhabitants, point) in enumerate(places):
            has = self.has(country, names, point)
            if inhabitants >= LARGER_INHABITANTS:
                larger[country] += 1
                named[country] += has
            if not has and inhabitants < PART_INHABITANTS:
                nameless.add(number)
        return {number for number in nameless if named[places[number][0]] > NAMED_SHARE * larger[places[number][0]]}


class SmallCities:
    """A search for cities that only the postcodes name. Call `add` for every known city, and then `found`."""

    def __init__(self):
        self.points = collections.defaultdict(list)
        self.grid = collections.defaultdict(list)
        self.boxes = {}

    def add(self, country, region, point, names):
        """Adds a known city. `region` is the third field of its line."""
        for name in {city_key(name) for name in names}:
            self.points[country, name].append((point, region))
        self.grid[country, *self.cell(point)].append((point, region))
        south, west, north, east = self.boxes.get(country, (*point, *point))
        self.boxes[country] = (min(south, point[0]), min(west, point[1]), max(north, point[0]), max(east, point[1]))

    def is_inside(self, country, point):
        south, west, north, east = self.boxes.get(country, (-90, -180, 90, 180))
        return (south - BORDER_DEGREES < point[0] < north + BORDER_DEGREES
                and west - BORDER_DEGREES < point[1] < east + BORDER_DEGREES)

    def found(self, rows):
        """Returns the cities that are not known: country, third field of the line, point, names.

        `rows` are (country, state, name, accuracy, code, point).
        """
        rows = sorted(set(rows))
        named = collections.defaultdict(list)
        for country, _, _, accuracy, _, point in rows:
            if country == "DE" and accuracy in NAMED_PLACE:
                named[self.cell(point)].append(point)
        middles, cities = self.middles(rows), []
        regions, new = self.states(rows), collections.defaultdict(list)
        for country, state, name, accuracy, code, point in sorted(rows, key=lambda row: (row[0], -row[3], *row)):
            far = distance(point, middles.get((country, code), point)) > FAR_OFF_KM
            if far or not self.is_inside(country, point):
                continue
            names = city_names(country, name)
            if country == "DE" and names:
                names = self.german(names, accuracy, point, named)
            elif accuracy not in ACCURACIES.get(country, NAMED_PLACE):
                continue
            near = SAME_MUNICIPALITY_KM if country in WIDE else SAME_CITY_KM
            keys = {city_key(name) for name in names}
            if not names or any(distance(point, other) < near for name in keys
                                for other in [p for p, _ in self.points.get((country, name), ())] + new[country, name]):
                continue
            for name in keys:
                new[country, name].append(point)
            cities.append((country, self.region(country, regions.get((country, state)), point), point, names))
        return self.unambiguous(cities)

    def unambiguous(self, cities):
        """Returns the cities whose name few others share (`NAMESAKES_IN_REGION`, `NAMESAKES_IN_COUNTRY`)."""
        count = collections.Counter()
        for (country, name), places in self.points.items():
            count.update((country, region.split("/")[0], name) for _, region in places)
            count[country, name] += len(places)
        for country, region, _, names in cities:
            count.update([(country, region.split("/")[0], city_key(names[0])), (country, city_key(names[0]))])
        return [(country, region, point, names) for country, region, point, names in cities
                if count[country, region.split("/")[0], city_key(names[0])] < NAMESAKES_IN_REGION
                and count[country, city_key(names[0])] < NAMESAKES_IN_COUNTRY]

    @staticmethod
    def middles(rows):
        """Returns the centre of the points of each code with enough rows. A median resists a few wrong points."""
        points = collections.defaultdict(list)
        for country, _, _, _, code, point in rows:
            if country not in DESERTS:
                points[country, code].append(point)
        return {code: tuple(statistics.median(values) for values in zip(*found))
                for code, found in points.items() if len(found) >= MIDDLE_ROWS}

    @staticmethod
    def cell(point):
        return round(point[0] * CELLS), round(point[1] * CELLS)

    @staticmethod
    def around(cell):
        return [(cell[0] + y, cell[1] + x) for y in (-1, 0, 1) for x in (-1, 0, 1)]

    def german(self, names, accuracy, point, named):
        """Returns the names of a German row's city. Empty if the row names no city."""
        part = self.part(names, point)
        if accuracy in NAMED_PLACE:
            return part
        if accuracy != 0 or not GERMAN_PLACE.fullmatch(part[0]) or any(map(GERMAN_OFFICE.search, part)):
            return []
        if part == names and any(distance(point, other) < OUT_OF_CITY_KM
                                 for cell in self.around(self.cell(point)) for other in named.get(cell, ())):
            return []
        return part

    def part(self, names, point):
        """Splits a German city's name from that of its municipality: "Rheinsberg Zechow" becomes "Zechow" and the full
        name."""
        words = names[0].split()
        for count in range(1, len(words)):
            rest = " ".join(words[count:])
            if rest[0].isupper() and any(distance(point, other) < SAME_CITY_KM for other, _ in
                                         self.points.get(("DE", city_key(" ".join(words[:count]))), ())):
                return [rest, names[0], *names[1:]]
        return names

    def states(self, rows):
        """Returns the region of each state of the source. The known cities that the state's rows name decide."""
        votes = collections.defaultdict(collections.Counter)
        for country, state, name, _, _, point in rows:
            for other, region in self.points.get((country, city_key(name)), ()):
                if state and distance(point, other) < SAME_PLACE_KM:
                    votes[country, state][region.split("/")[0]] += 1
        regions = {}
        for state, counts in votes.items():
            region, count = max(sorted(counts.items()), key=lambda vote: vote[1])
            if count >= STATE_SHARE * counts.total():
                regions[state] = region
        return regions

    def region(self, country, region, point):
        """Returns the third field of a city's line. A region of None becomes that of the nearest city."""
        near = sorted((distance(point, other), field) for cell in self.around(self.cell(point))
                      for other, field in self.grid.get((country, *cell), ()))
        if region is None:
            region = near[0][1].split("/")[0] if near else ""
        inside = [field for _, field in near if field.startswith(region + "/")][:COUNTY_NEIGHBOURS]
        return inside[0] if len(inside) == COUNTY_NEIGHBOURS and len(set(inside)) == 1 else region
