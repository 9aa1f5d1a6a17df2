"""Follows the feed: prints each change immediately, and reports when the list may be wrong.

    python subscriber.py [--json] [ENDPOINT ...]      default: tcp://127.0.0.1:7710

Several endpoints are feeds of the same list. The program connects to the next one when a feed is silent or shuts down.
With --json each line is an object. "kind" is snapshot (a new list), delta (a change of the list), stale (the feed has
lost ingest, or reaches it again) or resync (the list may be wrong, and a new one is requested). "epoch", "seq",
"stateHash" and "live" describe the list.

The numbers in comments are the steps of "A subscriber, level 1" in proto/README.md. The program needs the folder
onthemap beside it. README.md explains how to generate it.
"""

import contextlib
import json
import random
import re
import secrets
import sys
import time
import warnings

import zmq
from google.protobuf.message import DecodeError
from onthemap.feed.v1 import feed_pb2

TOPIC = "otm.feed/1/main/"
MAGIC, MAJOR, MINOR = 0x314D544F, 1, 0
FRAME_MAX, LIST_MAX, FAILOVER_MAX = 327_680, 100, 8
SILENCE_S, PAUSE_S, PAUSE_MAX_S, AWAY_MAX_S = 3, 0.5, 30, 60
BEHIND_MAX = 3  # heartbeats in a row
POST_ID, ENDPOINT = re.compile("[0-9A-Za-z]{10}"), re.compile(r"tcp://[^\s/]+:\d{1,5}")
UNIX_MS_MAX = 253_402_300_799_999  # the end of the year 9999


class Subscriber:
    """The rules of a subscriber, without a socket and a clock.

    The caller passes received messages and the time, and prints the returned events. The caller keeps a socket
    connected to `endpoint`, and opens a new one when `connection` changes. The socket's third topic is `join`, unless
    `join` is None.
    """

    def __init__(self, endpoints, now):
        self.endpoints, self.endpoints_max = list(endpoints), len(endpoints) + FAILOVER_MAX
        self.connection = 0
        self.epoch, self.seq, self.posts, self.hash = b"", 0, [], state_hash([])
        self.live = self.stale = False
        self.behind = 0
        self.received_at, self.pause = now, None
        self.rejoin(now)

    @property
    def endpoint(self):
        return self.endpoints[0]

    def receive(self, frames, now):
        """Handles a message. Returns events: pairs of a kind, and the new posts, the staleness or the reason."""
        frame = read(frames)
        if frame is None:
            return []  # 2
        self.received_at = max(self.received_at, now)
        body = frame.WhichOneof("body")
        if body == "snapshot":
            return self.replace(frame, now)
        if body == "bye":  # 6
            events = self.lose(f"feed closed: {frame.bye.reason}", now)
            self.leave(frame.bye, now)
            return events
        if body is None or not self.live:
            return []
        if frame.epoch != self.epoch:
            return self.lose("epoch changed", now)
        return self.change(frame, now) if body == "delta" else self.compare(frame, now)

    def replace(self, frame, now):  # 3
        posts = list(frame.snapshot.entries)[:LIST_MAX]
        value = state_hash(posts)
        if value != frame.snapshot.state_hash:
            return self.lose("state hash mismatch", now)
        if self.live and frame.epoch == self.epoch and frame.seq <= self.seq:
            return []
        self.epoch, self.seq, self.posts, self.hash = frame.epoch, frame.seq, posts, value
        self.live, self.stale, self.pause = True, frame.stale, None
        self.behind = 0
        return [("snapshot", posts)] + ([("stale", True)] if self.stale else [])

    def change(self, frame, now):  # 4
        delta = frame.delta
        if frame.seq <= self.seq:
            return []
        if delta.prev_seq > self.seq:
            return self.lose(f"changes {self.seq + 1} to {delta.prev_seq} are missing", now)
        replaced = set(delta.remove) | {post.post_id for post in delta.upsert}
        posts = [post for post in self.posts if post.post_id not in replaced] + list(delta.upsert)
        posts = sorted(posts, key=lambda post: post.seq, reverse=True)[:LIST_MAX]
        value = state_hash(posts)
        if value != delta.state_hash:
            return self.lose("state hash mismatch", now)
        new = [post for post in delta.upsert if post.seq > self.seq]  # the others return to the list
        self.seq, self.posts, self.hash = frame.seq, posts, value
        return [("delta", new)]

    def compare(self, frame, now):  # 5
        if frame.seq > self.seq:
            return self.lose(f"changes {self.seq + 1} to {frame.seq} are missing", now)
        if frame.seq == self.seq and frame.heartbeat.state_hash != self.hash:
            return self.lose("state hash mismatch", now)
        self.behind = self.behind + 1 if frame.seq < self.seq else 0
        if self.behind == BEHIND_MAX:
            return self.lose(f"sequence regressed to {frame.seq}", now)
        if frame.stale == self.stale:
            return []
        self.stale = frame.stale
        return [("stale", self.stale)]

    def lose(self, reason, now):  # 7
        self.live = False
        self.pause = PAUSE_S if self.pause is None else min(2 * self.pause, PAUSE_MAX_S)
        self.due = now + random.uniform(0, self.pause)  # full jitter: many subscribers lose a feed together
        return [("resync", reason)]

    def tick(self, now):
        """Does the work that is due. Call this several times a second. Returns events."""
        events = []
        if now - self.received_at > SILENCE_S:  # 8
            events = [("resync", "no frame from the feed")] if self.live else []
            self.live = False
            self.connect_next(now)
        if not self.live and now >= self.due:
            self.rejoin(now)
        return events

    def rejoin(self, now):
        self.join = f"{TOPIC}j/{secrets.token_hex(16)}/"
        self.wait(now)

    def wait(self, now):
        self.due = now + max(self.pause or 0, SILENCE_S)

    def leave(self, bye, now):
        """Connects to the next known feed, or waits for the only feed to return."""
        named = bye.failover_endpoints[:FAILOVER_MAX]
        new = [each for each in named if ENDPOINT.fullmatch(each) and each not in self.endpoints]
        self.endpoints[1:1] = new[: self.endpoints_max - len(self.endpoints)]
        if len(self.endpoints) > 1:
            self.connect_next(now)
        else:
            # libzmq repeats each subscription when the feed returns. The join topic must not be one of them.
            self.join = None
            self.received_at = now + min(bye.retry_after_ms / 1_000, AWAY_MAX_S)
            self.due = max(self.due, self.received_at)

    def connect_next(self, now):
        self.endpoints.append(self.endpoints.pop(0))
        self.connection += 1
        self.received_at = now
        self.wait(now)  # the new socket subscribes, which requests a list


def read(frames):
    """Returns the frame. None if it is malformed or of another version."""
    try:
        _, body = frames
        # Debian's protobuf only warns about a frame that it could not read completely.
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            frame = feed_pb2.FeedFrame.FromString(body)
    except (ValueError, DecodeError):
        return None
    if caught:
        return None
    if frame.magic != MAGIC or frame.major != MAJOR or len(frame.epoch) != 16:
        return None
    if frame.WhichOneof("body") is None and frame.minor <= MINOR:
        return None
    posts = [*frame.snapshot.entries, *frame.delta.upsert]
    ids = [*(post.post_id for post in posts), *frame.delta.remove]
    return frame if all(map(POST_ID.fullmatch, ids)) and all(map(is_post, posts)) else None


def is_post(post):
    is_on_earth = abs(post.lat_e7) <= 900_000_000 and abs(post.lon_e7) <= 1_800_000_000
    return is_on_earth and max(post.created_unix_ms, post.updated_unix_ms) <= UNIX_MS_MAX


def state_hash(posts):
    """Returns the list's hash: FNV-1a, 64 bits, over ids and sequence numbers."""
    value = 14_695_981_039_346_656_037
    for post in posts:
        for byte in post.post_id.encode() + post.seq.to_bytes(8, "little"):
            value = (value ^ byte) * 1_099_511_628_211 % 2**64
    return value


def as_json(subscriber, kind, detail):
    line = {"kind": kind, "epoch": subscriber.epoch.hex(), "seq": subscriber.seq}
    line |= {"stateHash": f"{subscriber.hash:016x}", "live": subscriber.live}
    line |= {"reason": detail} if kind == "resync" else {"stale": subscriber.stale}
    return json.dumps(line)


def as_text(subscriber, kind, detail):
    """Returns a line for people, without control characters that users may have typed."""
    words = {"resync": f"reconnecting: {detail}", "stale": "the feed reaches ingest again"}
    if kind == "stale" and detail:
        words["stale"] = "delayed: the feed cannot reach ingest"
    if kind in ("snapshot", "delta"):
        newest = [f"{post.first_name} {post.last_name}, {post.label}: {post.link}" for post in detail]
        newest = newest[:1] if kind == "snapshot" else newest[::-1]
        words[kind] = f"seq {subscriber.seq}: {len(subscriber.posts)} posts; " + ("; ".join(newest) or "no new post")
    return "".join(each if each.isprintable() else "?" for each in words[kind])


def connect(subscriber):
    """Returns a new socket. Each connection has its own, because libzmq closes an old connection asynchronously."""
    feed = zmq.Context.instance().socket(zmq.SUB)
    feed.ipv6, feed.rcvhwm, feed.maxmsgsize, feed.linger = True, 10_000, FRAME_MAX, 0
    feed.reconnect_ivl, feed.reconnect_ivl_max = random.randint(100, 499), 2_000
    feed.tcp_keepalive, feed.tcp_keepalive_idle, feed.tcp_keepalive_intvl, feed.tcp_maxrt = 1, 5, 5, 15_000
    for topic in filter(None, (TOPIC + "d/", TOPIC + "h/", subscriber.join)):  # 1: in this order
        feed.subscribe(topic)
    with contextlib.suppress(zmq.ZMQError):  # invalid address: the next endpoint follows
        feed.connect(subscriber.endpoint)
    return feed


def main():
    as_line = as_json if "--json" in sys.argv[1:] else as_text
    endpoints = [each for each in sys.argv[1:] if each != "--json"] or ["tcp://127.0.0.1:7710"]
    subscriber = Subscriber(endpoints, time.monotonic())
    feed, join, connection = connect(subscriber), subscriber.join, subscriber.connection
    while True:
        events = subscriber.receive(feed.recv_multipart(), time.monotonic()) if feed.poll(100) else []
        events += subscriber.tick(time.monotonic())
        if connection != subscriber.connection:
            feed.close()
            feed, join, connection = connect(subscriber), subscriber.join, subscriber.connection
        if join != subscriber.join:
            if join:
                feed.unsubscribe(join)
            join = subscriber.join
            if join:
                feed.subscribe(join)
        for kind, detail in events:
            print(as_line(subscriber, kind, detail), flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
