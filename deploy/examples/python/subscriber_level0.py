"""Prints every snapshot of the feed: its sequence number, its number of posts, and the newest post.

    python subscriber_level0.py [ENDPOINT]        default: tcp://127.0.0.1:7710

The program needs the folder onthemap beside it. README.md explains how to generate it.
"""

import sys

import zmq
from onthemap.feed.v1 import feed_pb2

feed = zmq.Context().socket(zmq.SUB)
feed.subscribe("otm.feed/1/main/s/")
feed.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:7710")
while True:
    topic, body = feed.recv_multipart()
    frame = feed_pb2.FeedFrame.FromString(body)
    posts = frame.snapshot.entries  # the whole list, newest first: it replaces the previous one
    newest = f"{posts[0].first_name} {posts[0].last_name}, {posts[0].label}: {posts[0].link}" if posts else "none yet"
    behind = " (delayed: the feed cannot reach ingest)" if frame.stale else ""
    print(f"seq {frame.seq}: {len(posts)} posts, newest: {newest}{behind}", flush=True)
