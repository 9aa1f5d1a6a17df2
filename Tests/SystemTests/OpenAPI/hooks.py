"""What schemathesis has to know of this API: sessions, NDJSON, and answers that are JSON behind five bytes."""

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
    """Another one each time: the server trusts this client to say it, and holds up who tries many passwords."""
    number = next(numbers)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def new_token():
    """A session of a new account, with the password of the document's examples."""
    account = {"email": f"user{next(numbers)}-{os.getpid()}@example.org", "password": PASSWORD, "firstName": "Ada"}
    answer = requests.post(
        os.environ["ONTHEMAP_API"] + "/v2/accounts", json=account, headers={"X-Forwarded-For": address()}, timeout=120
    )
    answer.raise_for_status()
    return answer.json()["token"]


def operator_token():
    """A session of the operator, whom the test has made of the examples' account."""
    account = {"email": "cy@example.org", "password": PASSWORD}
    answer = requests.post(
        os.environ["ONTHEMAP_API"] + "/v2/session", json=account, headers={"X-Forwarded-For": address()}, timeout=120
    )
    answer.raise_for_status()
    return answer.json()["token"]


@schemathesis.auth(refresh_interval=None)
class Sessions:
    """One session for all requests; who may end it, or all of its account, gets an account of its own, and what takes
    an operator gets the operator's."""

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
    """An id that could be one becomes that of something there is: no other way leads to these operations' success."""
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address()}
    id = str((case.path_parameters or {}).get("id"))
    authorization = (case.headers or {}).get("Authorization")
    api, headers = os.environ["ONTHEMAP_API"], {"Authorization": authorization}
    if not authorization:
        return
    if case.operation.path == "/v2/sessions/{id}" and re.fullmatch("[0-9a-f]{32}", id):
        answer = requests.get(api + "/v2/sessions", headers=headers, timeout=120)
        if answer.ok:
            case.path_parameters["id"] = answer.json()["sessions"][0]["id"]
    path = case.operation.path
    if (path.endswith("/StudentLocation/{id}") or path == "/v2/admin/posts/{id}") and re.fullmatch("[0-9A-Za-z]{10}", id):
        post = {"place": "Oslo", "link": "example.org"}
        answer = requests.post(api + "/v2/posts", json=post, headers=headers, timeout=120)
        if answer.ok:
            case.path_parameters["id"] = answer.json()["id"]


@schemathesis.hook
def after_call(context, case, response):
    """A queue that stays paused would refuse all look-ups."""
    if case.operation.path == "/v2/admin/pause" and response.status_code == 200:
        headers = {"Authorization": f"Bearer {Sessions.operator}"}
        requests.post(os.environ["ONTHEMAP_API"] + "/v2/admin/resume", headers=headers, timeout=120)


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "surrogatepass")


def mismatch(case, schema, text):
    """Why a JSON text is not what a schema of the document says; nothing where it is."""
    components = case.operation.schema.raw_schema["components"]
    validator = jsonschema.Draft202012Validator({**schema, "components": components})
    return "; ".join(error.message for error in validator.iter_errors(json.loads(text)))


def described(response, case):
    """The document's media type of an answer."""
    root = case.operation.schema.raw_schema
    item = follow(root, root["paths"][case.operation.path])
    answers = item.get(case.operation.method.lower(), {}).get("responses", {})
    status = str(response.status_code)
    answer = answers.get(status) or answers.get(status[0] + "XX") or {}
    type = response.headers.get("content-type", [""])[0].split(";")[0]
    return follow(root, answer).get("content", {}).get(type, {})


def follow(root, node):
    """What a reference leads to."""
    if "$ref" not in node:
        return node
    found = root
    for name in node["$ref"].split("/")[1:]:
        found = found[name]
    return found


@schemathesis.check
def guarded_answer_conformance(ctx, response, case):
    schema = described(response, case).get("x-guarded-schema")
    if schema:
        assert response.content.startswith(GUARD), "the five bytes are missing"
        wrong = mismatch(case, schema, response.content[len(GUARD) :])
        assert not wrong, wrong


@schemathesis.check
def line_conformance(ctx, response, case):
    schema = described(response, case).get("x-line-schema")
    if schema:
        assert response.content.endswith(b"\n"), "the last line has no end"
        for line in response.content.split(b"\n")[:-1]:
            wrong = mismatch(case, schema, line)
            assert not wrong, wrong
