"""Requests the latest posts from a feed once, and prints them, newest first.

    python query.py [ENDPOINT]        default: tcp://127.0.0.1:7711

The program needs the folder onthemap beside it. README.md explains how to generate it.
"""

import sys

import zmq
from onthemap.feed.v1 import query_pb2

feed = zmq.Context().socket(zmq.REQ)
feed.linger, feed.rcvtimeo = 0, 5_000  # a REQ socket without a reply is unusable: create a new one
feed.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:7711")
query = query_pb2.FeedRequest(magic=0x314D544F, major=1, request_id=1, get_snapshot=query_pb2.GetSnapshot())
feed.send(query.SerializeToString())
reply = query_pb2.FeedReply.FromString(feed.recv())
if reply.HasField("error"):
    sys.exit(f"refused: {reply.error.detail}; retry after {reply.error.retry_after_ms} ms")
for post in reply.snapshot.entries:
    print(f"{post.seq} {post.first_name} {post.last_name}, {post.label}: {post.link}")
