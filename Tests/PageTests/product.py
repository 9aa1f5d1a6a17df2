"""The built services on free local ports: all roles in one process, or each role in its own process."""

import json
import os
import pathlib
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("ONTHEMAP_BINARY", ROOT / ".build/debug/onthemap"))
PASSWORD = "correct-horse"

reserved_ports = set()


def eventually(event, condition, within=120):
    """Waits until the condition is true and returns its value. Fails after `within` seconds."""
    end = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"timed out after {within} s before {event}"
        time.sleep(0.02)


def bare_environment():
    """Returns the environment without settings of the services."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ONTHEMAP_")}


def free_port():
    """Returns a free port that no other test gets, in this process or another, because it may be used much later.

    The port is below the range for port 0, and outside the ranges of the other test sets.
    """
    own = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    every = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    while True:
        port = random.randrange(25_000 + own, 32_000, every)
        if port in reserved_ports:
            continue
        reserved_ports.add(port)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Role:
    """A process of the services. The process keeps its ports over restarts."""

    def __init__(self, folder, *arguments, binary=BINARY, environment=None):
        self.binary = binary
        self.environment = environment or {}
        self.arguments = [str(argument) for argument in arguments]
        self.log = pathlib.Path(folder) / f"{self.arguments[0]}.err"
        self.process = None

    def start(self):
        environment = bare_environment()
        environment.update(self.environment)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.binary, *self.arguments], stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("ready "), f"{self.arguments[0]} ended: {self.log.read_text()[-2000:]}"
        self.ready = dict(word.split("=", 1) for word in line.split()[1:])
        return self

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait(120)
            self.process.stdout.close()
        self.process = None


class FailingWorker:
    """A failing Python worker while the context is open: every post that it gets becomes dead."""

    def __init__(self, product):
        self.product = product

    def __enter__(self):
        folder = pathlib.Path(self.product.folder)
        protocol = ROOT / "proto/onthemap/jobs/v1"
        subprocess.run(["protoc", "-I", protocol, f"--python_out={folder}", "jobs.proto"], check=True)
        path = os.pathsep.join([str(folder), str(ROOT / "deploy/examples/python")])
        self.process = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).with_name("failing_worker.py"), self.product.jobs],
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(120)


class Person:
    """A person with an account, who uses the API with a token."""

    def __init__(self, product, first_name, last_name):
        self.product, self.name = product, f"{first_name} {last_name}".strip()
        self.email = f"{secrets.token_hex(6)}@example.org"
        body = {"email": self.email, "password": PASSWORD, "firstName": first_name, "lastName": last_name}
        self.token = product.request("POST", "/v2/accounts", body)["token"]

    def request(self, method, path, body=None, headers=None):
        own = {"Authorization": f"Bearer {self.token}"}
        return self.product.request(method, path, body, own | (headers or {}))

    def post(self, place, link="https://example.org/", **point):
        """Creates a post, which is published on return."""
        post = self.request("POST", "/v2/posts", {"place": place, "link": link, **point}, {"Prefer": "wait=30"})
        assert post["state"] == "published", post
        return post

    def posts(self):
        return self.request("GET", "/v2/posts")["posts"]


class Product:
    """Ingest with a worker and a feed."""

    def __init__(self, folder, *options, apart=False, has_public_url=False, map_access_secret=None, binary=BINARY):
        self.folder, self.binary = folder, binary
        ports = {name: free_port() for name in ["http", "feed", "jobs", "changes", "submit", "publish", "query"]}
        self.url = f"http://127.0.0.1:{ports['http']}"
        self.feed_url = f"http://127.0.0.1:{ports['feed']}"
        at = {name: f"tcp://127.0.0.1:{port}" for name, port in ports.items()}
        self.jobs = at["jobs"]
        data = pathlib.Path(folder) / "data"
        listen = [
            "--data", data, "--http", f"127.0.0.1:{ports['http']}", "--jobs", at["jobs"], "--changes", at["changes"],
            "--submit", at["submit"], "--operations", "none"]
        if has_public_url:
            listen += ["--public-url", self.url]
        to_feed = ["--publish", at["publish"], "--query", at["query"]]
        if not apart:
            self.ingest = Role(
                folder, "up", *listen, *to_feed, "--feed-http", f"127.0.0.1:{ports['feed']}", *options,
                binary=binary).start()
            self.roles = [self.ingest]
            return
        shared = {"ONTHEMAP_MAP_ACCESS_SECRET_FILE": str(map_access_secret)} if map_access_secret else {}
        map_access = ["--map-access", "members"] if map_access_secret else []
        self.ingest = Role(
            folder, "ingest", *listen, "--public-feed-url", self.feed_url, *options, binary=binary,
            environment=shared).start()
        self.feed = Role(
            folder, "feed", *map_access, "--ingest", at["changes"], *to_feed, "--http", f"127.0.0.1:{ports['feed']}",
            "--data", pathlib.Path(folder) / "feed", "--operations", "none", binary=binary,
            environment=shared).start()
        self.worker = Role(folder, "worker", "--ingest", at["jobs"], "--operations", "none", binary=binary).start()
        self.roles = [self.ingest, self.feed, self.worker]

    def request(self, method, path, body=None, headers=None):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **(headers or {})})
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.loads(response.read() or "null")

    def person(self, first_name="Ada", last_name="Lovelace"):
        return Person(self, first_name, last_name)

    def operator(self, first_name="Olga"):
        operator = self.person(first_name, "Operator")
        self.command("user", "promote", operator.email)
        return operator

    def command(self, *arguments):
        """Runs an operator's command on ingest's host. Returns its output."""
        environment = {**bare_environment(), "ONTHEMAP_DATA": str(pathlib.Path(self.folder) / "data")}
        return subprocess.run(
            [self.binary, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=True).stdout

    def end(self):
        for role in self.roles:
            role.kill()
