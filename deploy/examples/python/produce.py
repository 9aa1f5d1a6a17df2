"""Puts the lines of standard input on the map, in batches of 64, and prints what became of each.

    python produce.py FILE [ENDPOINT] < posts.tsv     ENDPOINT is tcp://127.0.0.1:7700 unless given

A line is a place, a tabulator, and a link. FILE holds the token of a session, as POST /v2/session gives it. A post's
key is a hash of its line, so that the same line is one post, however often this is run: whatever is not answered is
simply sent again.

It needs submit_pb2.py beside it. Made once, from the top of the repository:

    protoc -I proto/onthemap/submit/v1 --python_out=deploy/examples/python submit.proto
"""

import hashlib
import itertools
import pathlib
import sys
import time

import submit_pb2
import zmq

BATCH, PATIENCE_S = 64, 5


def connect():
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.immediate = socket.linger = 1  # without a connection nothing is kept; at the end nothing is waited for
    socket.sndtimeo = PATIENCE_S * 1_000
    socket.connect(sys.argv[2] if len(sys.argv) > 2 else "tcp://127.0.0.1:7700")
    return socket


def ask(socket, request):
    """Sends a request until it is answered: with the same keys, that is safe. Returns the receipts and the socket."""
    while True:
        try:
            socket.send(request.SerializeToString())
        except zmq.Again:
            continue  # nobody listens yet
        end = time.monotonic() + PATIENCE_S
        while socket.poll(max(0, int(1_000 * (end - time.monotonic())))):
            reply = submit_pb2.SubmitReply.FromString(socket.recv())
            if reply.magic != 0x314D544F or reply.major != 1 or reply.request_id not in (request.request_id, 0):
                continue  # an answer to what was sent twice
            if reply.error.code == submit_pb2.ERROR_CODE_BUSY:
                time.sleep(reply.error.retry_after_ms / 1_000)
                break
            if reply.HasField("error"):
                sys.exit(f"refused: {reply.error.detail}")
            return reply.receipts.receipts, socket
        else:  # 6: the connection may be one in name only
            socket.close(0)
            socket = connect()


def main():
    token = pathlib.Path(sys.argv[1]).read_text().strip()
    socket, numbers = connect(), itertools.count(1)
    posts = (line.rstrip("\n").partition("\t") for line in sys.stdin if line.strip())
    while batch := list(itertools.islice(posts, BATCH)):
        while batch:
            request = submit_pb2.SubmitRequest(magic=0x314D544F, major=1, request_id=next(numbers))
            request.token = token
            for place, _, link in batch:
                key = hashlib.sha256(f"{place}\t{link}".encode()).hexdigest()
                request.batch.posts.add(idempotency_key=key, place=place, link=link)
            again, pause = [], 0
            receipts, socket = ask(socket, request)
            for post, receipt in zip(batch, receipts):
                if receipt.outcome == submit_pb2.OUTCOME_BUSY:
                    again.append(post)
                    pause = max(pause, receipt.retry_after_ms / 1_000)
                else:
                    outcome = submit_pb2.Outcome.Name(receipt.outcome).removeprefix("OUTCOME_").lower()
                    print(outcome, receipt.post_id or f"{receipt.code} ({receipt.detail})", post[0], flush=True)
            batch = again
            time.sleep(pause)


if __name__ == "__main__":
    main()
