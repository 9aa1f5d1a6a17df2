"""Schemathesis hooks for the feed's API: tickets, and event streams.

The map is members-only, so that streams end: each ends with its ticket, which is valid for a second."""

import base64
import hashlib
import json
import os
import time

import jsonschema
import schemathesis

KEY = hashlib.blake2b(os.environ["ONTHEMAP_MAP_ACCESS_SECRET"].encode(), digest_size=32).digest()


def ticket():
    """Returns a ticket in ingest's format: the expiry in Unix milliseconds, and a keyed hash of the expiry."""
    end = str(int(time.time() * 1_000) + 1_000)
    proof = hashlib.blake2b(end.encode(), digest_size=32, key=KEY).digest()
    return end + "." + base64.urlsafe_b64encode(proof).decode().rstrip("=")


@schemathesis.auth(refresh_interval=None)
class Tickets:
    def get(self, case, ctx):
        return "replaced in set"

    def set(self, case, data, ctx):
        case.query = {**(case.query or {}), "ticket": ticket()}


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces the ticket, because the case's own one has expired by now."""
    if str((case.query or {}).get("ticket", "")).count(".") == 1:
        case.query["ticket"] = ticket()


@schemathesis.check
def event_conformance(ctx, response, case):
    """Checks each event against its schema in the document, and the kind of the first event."""
    if response.status_code != 200 or "text/event-stream" not in response.headers.get("content-type", [""])[0]:
        return
    root = case.operation.schema.raw_schema
    media = root["paths"][case.operation.path]["get"]["responses"]["200"]["content"]["text/event-stream"]
    if case.method.upper() == "HEAD":
        return
    text = response.content.decode()
    assert text.endswith("\n\n"), "the last event is incomplete"
    blocks = [block.split("\n") for block in text[:-2].split("\n\n")]
    retry = blocks[0][0]
    assert retry.startswith("retry: ") and 1_000 <= int(retry[7:]) <= 5_000, "no valid retry at the start"
    names = []
    for block in blocks[1:]:
        if block == [": heartbeat"]:
            continue
        fields = dict(line.split(": ", 1) for line in block)
        name, value = fields["event"], json.loads(fields["data"])
        validator = jsonschema.Draft202012Validator(
            {**media["x-event-schemas"][name], "components": root["components"]}
        )
        wrong = "; ".join(error.message for error in validator.iter_errors(value))
        assert not wrong, f"{name}: {wrong}"
        expected = None if name == "stale" else f"{value['epoch']}-{value['seq']}"
        assert fields.get("id") == expected, "the id does not match the data"
        names.append(name)
    assert names and names[0] in ("snapshot", "stale", "delta"), "the first event is no snapshot, delta or stale"
