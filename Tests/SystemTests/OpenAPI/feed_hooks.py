"""What schemathesis has to know of the feed's API: tickets, and streams of events.

The map is members-only, so that streams end: each with its ticket, which is good for a second."""

import base64
import hashlib
import json
import os
import time

import jsonschema
import schemathesis

KEY = hashlib.blake2b(os.environ["ONTHEMAP_MAP_ACCESS_SECRET"].encode(), digest_size=32).digest()


def ticket():
    """As ingest makes it: when it ends, in ms, and a hash of that with the key."""
    end = str(int(time.time() * 1_000) + 1_000)
    proof = hashlib.blake2b(end.encode(), digest_size=32, key=KEY).digest()
    return end + "." + base64.urlsafe_b64encode(proof).decode().rstrip("=")


@schemathesis.auth(refresh_interval=None)
class Tickets:
    def get(self, case, ctx):
        return "a new one each time"

    def set(self, case, data, ctx):
        case.query = {**(case.query or {}), "ticket": ticket()}


@schemathesis.hook
def before_call(context, case, kwargs):
    """A ticket that was made with the case is over by now."""
    if str((case.query or {}).get("ticket", "")).count(".") == 1:
        case.query["ticket"] = ticket()


@schemathesis.check
def event_conformance(ctx, response, case):
    """Each event is what the document says of its name, and they come in its order."""
    if response.status_code != 200 or "text/event-stream" not in response.headers.get("content-type", [""])[0]:
        return
    root = case.operation.schema.raw_schema
    media = root["paths"][case.operation.path]["get"]["responses"]["200"]["content"]["text/event-stream"]
    if case.method.upper() == "HEAD":
        return
    text = response.content.decode()
    assert text.endswith("\n\n"), "the last event has no end"
    blocks = [block.split("\n") for block in text[:-2].split("\n\n")]
    assert blocks[0][0].startswith("retry: ") and 1_000 <= int(blocks[0][0][7:]) <= 5_000, "no pause comes first"
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
        assert fields.get("id") == (None if name == "stale" else f"{value['epoch']}-{value['seq']}"), "another id"
        names.append(name)
    assert names and names[0] in ("snapshot", "stale", "delta"), "nothing says how the list stands"
