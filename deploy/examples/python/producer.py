"""Posts the lines of standard input in batches of 64, and prints the outcome of each.

    python producer.py FILE [ENDPOINT] < posts.tsv     default: tcp://127.0.0.1:7700

A line is a place, a tab, and a link. FILE holds a session token from POST /v2/session. A post's idempotency key
is a hash of its line, so that the same line makes one post in any number of runs. The program resends posts without a
reply.

The program needs submit_pb2.py beside it. Generate it from the top of the repository:

    protoc -I proto/onthemap/submit/v1 --python_out=deploy/examples/python submit.proto
"""

import hashlib
import itertools
import pathlib
import sys
import time

import submit_pb2
import zmq
from google.protobuf.message import DecodeError

BATCH, REPLY_TIMEOUT_S = 64, 5
SILENCE_S = 6


class Link:
    """The connection to ingest. It reconnects with a new socket after SILENCE_S without a message."""

    def __init__(self):
        self.socket = None
        self.connect()

    def connect(self):
        if self.socket:
            self.socket.close(0)
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        # Queue nothing without a connection, and do not wait at the end.
        self.socket.immediate = self.socket.linger = 1
        self.socket.sndtimeo = REPLY_TIMEOUT_S * 1_000
        self.socket.connect(sys.argv[2] if len(sys.argv) > 2 else "tcp://127.0.0.1:7700")

    def submit(self, request):
        """Sends a request, and resends it until a reply comes. The posts' idempotency keys make resending safe."""
        received_at = time.monotonic()
        while True:
            try:
                self.socket.send(request.SerializeToString())
            except zmq.Again:
                received_at = time.monotonic()
                continue  # no connection yet
            due = time.monotonic() + REPLY_TIMEOUT_S
            while (now := time.monotonic()) < due:
                if now - received_at > SILENCE_S:
                    self.connect()
                    received_at = now
                    break
                if not self.socket.poll(max(1, int(1_000 * min(due - now, received_at + SILENCE_S - now)))):
                    continue
                received_at = time.monotonic()
                reply = self.receive(request)
                if reply is None:
                    continue
                if reply.error.code == submit_pb2.ERROR_CODE_BUSY:
                    time.sleep(reply.error.retry_after_ms / 1_000)
                    received_at = time.monotonic()
                    break
                if reply.HasField("error"):
                    sys.exit(f"refused: {reply.error.detail}")
                return reply.receipts.receipts

    def receive(self, request):
        """Returns the reply to a request. None for any other message."""
        frames = self.socket.recv_multipart()
        try:
            reply = submit_pb2.SubmitReply.FromString(frames[0])
        except DecodeError:
            return None
        if len(frames) > 1 or reply.magic != 0x314D544F or reply.major != 1:
            return None
        if reply.request_id == 0:
            print(f"ingest could not read a frame: {reply.error.detail}", file=sys.stderr)
        if reply.request_id != request.request_id:
            return None  # the reply to an earlier request, or an error without a request
        is_whole = len(reply.receipts.receipts) == len(request.batch.posts)
        return reply if is_whole or reply.HasField("error") else None


def main():
    token = pathlib.Path(sys.argv[1]).read_text().strip()
    link, numbers = Link(), itertools.count(1)
    posts = (line.rstrip("\n").partition("\t") for line in sys.stdin if line.strip())
    while batch := list(itertools.islice(posts, BATCH)):
        while batch:
            request = submit_pb2.SubmitRequest(magic=0x314D544F, major=1, request_id=next(numbers))
            request.token = token
            for place, _, url in batch:
                key = hashlib.sha256(f"{place}\t{url}".encode()).hexdigest()
                request.batch.posts.add(idempotency_key=key, place=place, link=url)
            busy, pause = [], 0
            for post, receipt in zip(batch, link.submit(request)):
                if receipt.outcome == submit_pb2.OUTCOME_BUSY:
                    busy.append(post)
                    pause = max(pause, receipt.retry_after_ms / 1_000)
                else:
                    outcome = submit_pb2.Outcome.Name(receipt.outcome).removeprefix("OUTCOME_").lower()
                    print(outcome, receipt.post_id or f"{receipt.code} ({receipt.detail})", post[0], flush=True)
            batch = busy
            time.sleep(pause)


if __name__ == "__main__":
    main()
