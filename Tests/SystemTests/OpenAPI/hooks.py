"""Schemathesis hooks for ingest's API: sessions, NDJSON, and responses with five bytes before their JSON."""

import itertools
import json
import os
import re

import jsonschema
import requests
import schemathesis

PASSWORD = "correct-horse"
GUARD = b")]}'\n"
numbers = itertools.count()


def address():
    """Returns a new client address each time, because the server limits failed logins by address. The server trusts
    this client as a proxy."""
    number = next(numbers)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def new_token():
    """Returns the token of a new account, which has the password of the document's examples."""
    account = {"email": f"user{next(numbers)}-{os.getpid()}@example.org", "password": PASSWORD, "firstName": "Ada"}
    response = requests.post(
        os.environ["ONTHEMAP_API"] + "/v2/accounts", json=account, headers={"X-Forwarded-For": address()}, timeout=120
    )
    response.raise_for_status()
    return response.json()["token"]


def operator_token():
    """Returns a token of the operator. The test has promoted the examples' account."""
    account = {"email": "cy@example.org", "password": PASSWORD}
    response = requests.post(
        os.environ["ONTHEMAP_API"] + "/v2/session", json=account, headers={"X-Forwarded-For": address()}, timeout=120
    )
    response.raise_for_status()
    return response.json()["token"]


@schemathesis.auth(refresh_interval=None)
class Sessions:
    """One session for all requests. A request that may end the session or change its account gets a new account. An
    operator's request gets the operator's session."""

    shared = None
    operator = None

    def get(self, case, ctx):
        method, path = case.operation.method.upper(), case.operation.path
        if path.startswith("/v2/admin"):
            Sessions.operator = Sessions.operator or operator_token()
            return Sessions.operator
        if "/v2/account" in path and method != "GET" or method == "DELETE" and "/session" in path:
            return new_token()
        Sessions.shared = Sessions.shared or new_token()
        return Sessions.shared

    def set(self, case, token, ctx):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces a valid id by the id of an existing object, because random ids never lead to a success."""
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address()}
    id = str((case.path_parameters or {}).get("id"))
    authorization = (case.headers or {}).get("Authorization")
    api, headers = os.environ["ONTHEMAP_API"], {"Authorization": authorization}
    if not authorization:
        return
    if case.operation.path == "/v2/sessions/{id}" and re.fullmatch("[0-9a-f]{32}", id):
        response = requests.get(api + "/v2/sessions", headers=headers, timeout=120)
        if response.ok:
            case.path_parameters["id"] = response.json()["sessions"][0]["id"]
    path = case.operation.path
    if (path.endswith("/StudentLocation/{id}") or path == "/v2/admin/posts/{id}") and re.fullmatch("[0-9A-Za-z]{10}", id):
        post = {"place": "Oslo", "link": "example.org"}
        response = requests.post(api + "/v2/posts", json=post, headers=headers, timeout=120)
        if response.ok:
            case.path_parameters["id"] = response.json()["id"]


@schemathesis.hook
def after_call(context, case, response):
    """Resumes a paused queue, because it would refuse all lookups."""
    if case.operation.path == "/v2/admin/pause" and response.status_code == 200:
        headers = {"Authorization": f"Bearer {Sessions.operator}"}
        requests.post(os.environ["ONTHEMAP_API"] + "/v2/admin/resume", headers=headers, timeout=120)


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    """Serializes a body of NDJSON."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "surrogatepass")


def mismatch(case, schema, text):
    """Returns the errors of a JSON text against a schema of the document. Empty if it matches."""
    components = case.operation.schema.raw_schema["components"]
    validator = jsonschema.Draft202012Validator({**schema, "components": components})
    return "; ".join(error.message for error in validator.iter_errors(json.loads(text)))


def described(response, case):
    """Returns the document's media type object for a response."""
    root = case.operation.schema.raw_schema
    item = follow(root, root["paths"][case.operation.path])
    responses = item.get(case.operation.method.lower(), {}).get("responses", {})
    status = str(response.status_code)
    documented = responses.get(status) or responses.get(status[0] + "XX") or {}
    type = response.headers.get("content-type", [""])[0].split(";")[0]
    return follow(root, documented).get("content", {}).get(type, {})


def follow(root, node):
    """Returns the node, or the target of its reference."""
    if "$ref" not in node:
        return node
    found = root
    for name in node["$ref"].split("/")[1:]:
        found = found[name]
    return found


@schemathesis.check
def guarded_response_conformance(ctx, response, case):
    """Checks the JSON after the five bytes."""
    schema = described(response, case).get("x-guarded-schema")
    if schema:
        assert response.content.startswith(GUARD), "the five bytes are missing"
        wrong = mismatch(case, schema, response.content[len(GUARD) :])
        assert not wrong, wrong


@schemathesis.check
def line_conformance(ctx, response, case):
    """Checks each line of an NDJSON response."""
    schema = described(response, case).get("x-line-schema")
    if schema:
        assert response.content.endswith(b"\n"), "the last line is incomplete"
        for line in response.content.split(b"\n")[:-1]:
            wrong = mismatch(case, schema, line)
            assert not wrong, wrong
