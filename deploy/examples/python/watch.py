"""Prints every snapshot of the feed: its seq, how many posts it holds, and the newest of them.

    python watch.py [ENDPOINT]        ENDPOINT is tcp://127.0.0.1:7710 unless given

It needs feed_pb2.py beside it. Made once, from the top of the repository:

    protoc -I proto/onthemap/feed/v1 --python_out=deploy/examples/python feed.proto
"""

import sys

import feed_pb2
import zmq

feed = zmq.Context().socket(zmq.SUB)
feed.subscribe("otm.feed/1/main/s/")
feed.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:7710")
while True:
    topic, body = feed.recv_multipart()
    frame = feed_pb2.FeedFrame.FromString(body)
    posts = frame.snapshot.entries  # newest first: the whole list, so replace what you have
    newest = f"{posts[0].first_name} {posts[0].last_name}, {posts[0].label}: {posts[0].link}" if posts else "nobody yet"
    print(f"seq {frame.seq}: {len(posts)} posts, newest: {newest}", flush=True)
