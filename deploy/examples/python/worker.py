"""A complete geocoding worker in one file. It finds places in its own file of places.

    python worker.py PLACES [ENDPOINT]     default: tcp://127.0.0.1:7701

A line of PLACES has five fields, separated by tabs: name, latitude and longitude in degrees, label, country code. A
post's text must equal a name, in any case. SIGTERM or Ctrl-C ends the worker. It waits for the acknowledgement of its
results, and releases its other jobs to other workers. The numbers in comments are the steps of "A worker" in
proto/README.md.

The program needs jobs_pb2.py beside it. Generate it from the top of the repository:

    protoc -I proto/onthemap/jobs/v1 --python_out=deploy/examples/python jobs.proto
"""

import os
import pathlib
import signal
import sys
import time

import jobs_pb2 as pb
import zmq
from google.protobuf.message import DecodeError

MAGIC, MAJOR = 0x314D544F, 1
WINDOW, KEPT_MAX = 64, 960
FINAL = (pb.DISPOSITION_COMMITTED, pb.DISPOSITION_DUPLICATE, pb.DISPOSITION_STALE)


def places(path):
    """Returns the fields of each line by the name in lower case."""
    lines = (line.split("\t") for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if line.strip())
    return {line[0].lower(): line for line in lines}


class Worker:
    def __init__(self, endpoint, known):
        self.endpoint, self.known = endpoint, known
        self.instance = os.urandom(16)  # 1
        self.kept = {}  # unacknowledged results by job and token: result, time of the next resend, pause after it
        self.completed, self.is_leaving = 0, False
        self.connect()

    def connect(self):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.immediate, self.socket.linger = 1, 500
        self.socket.connect(self.endpoint)
        self.lose()

    def lose(self):
        """Ends the session. HELLO is due."""
        self.session, self.received, self.granted = 0, 0, 0
        self.hello_at = self.received_at = time.monotonic()
        self.beat_s, self.live_s, self.frame_max = 2, 6, 65_536

    def send(self, **body):
        frame = pb.WorkerFrame(magic=MAGIC, major=MAJOR, session=self.session, **body)
        try:
            self.socket.send(frame.SerializeToString(), zmq.DONTWAIT)
        except zmq.Again:
            pass  # no connection: results and HELLO are resent

    def send_results(self, results):
        """Sends results in frames within ingest's limit (3). A single result always fits."""
        part, size = [], 0
        for result in results:
            length = result.ByteSize() + 8
            if part and size + length > self.frame_max - 64:
                self.send(results=pb.Results(results=part))
                part, size = [], 0
            part.append(result)
            size += length
        if part:
            self.send(results=pb.Results(results=part))

    def held(self):
        """Returns the leases of the unacknowledged results, as many as fit into a frame."""
        count_max = (self.frame_max - 512) // 20
        return [pb.LeaseRef(job_id=job, lease_token=token) for job, token in list(self.kept)[:count_max]]

    def tick(self, now):
        """Does the work that is due."""
        if now - self.received_at > self.live_s and now >= self.hello_at:  # 8
            self.socket.close(0)
            self.connect()
        if not self.session:
            if now >= self.hello_at:  # 2
                self.hello_at = now + 1
                self.send(hello=pb.Hello(min_major=1, max_major=1, worker="python", instance=self.instance,
                                         software="worker.py", held=self.held()[:WINDOW]))
            return
        due = [key for key, (_, at, _) in self.kept.items() if at <= now]  # 6
        for key in due:
            result, _, pause = self.kept[key]
            self.kept[key] = (result, now + pause, min(2 * pause, 30))
        self.send_results([self.kept[key][0] for key in due])
        if now >= self.beat_at:  # 7
            self.beat_at = now + self.beat_s
            self.send(heartbeat=pb.WorkerHeartbeat(job_limit=self.granted, held=self.held(), progress=self.completed))
        self.grant()

    def grant(self):
        """Sends credit for a whole window when half of it is used (4)."""
        free = self.received + WINDOW - self.granted
        if not self.is_leaving and len(self.kept) < KEPT_MAX and free >= WINDOW // 2:
            self.granted = self.received + WINDOW
            self.send(credit=pb.Credit(job_limit=self.granted))

    def receive(self, now):
        try:
            frame = pb.IngestFrame.FromString(self.socket.recv())
        except DecodeError:
            return  # a malformed frame is ignored
        if frame.magic != MAGIC or frame.major != MAJOR:
            return
        body = frame.WhichOneof("body")
        if body == "error":  # 2
            print("refused:", frame.error.detail, flush=True)
            if not self.session:
                self.hello_at = now + min(max(frame.error.retry_after_ms / 1_000, 1), 60)
        elif body == "welcome" and frame.session != self.session:  # 3
            self.lose()
            self.session, self.beat_at = frame.session, now
            self.beat_s, self.live_s = frame.welcome.heartbeat_ms / 1_000, frame.welcome.liveness_ms / 1_000
            self.frame_max = frame.welcome.max_message_bytes
            self.kept = {key: (result, now, 1) for key, (result, _, _) in self.kept.items()}
            print("joined", flush=True)
            self.grant()
        elif frame.session != self.session:
            return
        elif body in ("reset", "drain"):  # 8
            self.lose()
        elif body == "jobs":
            self.received_at, self.received = now, self.received + len(frame.jobs.jobs)
            newest = dict(sorted(self.kept))  # the greatest token of each job
            new = [job for job in frame.jobs.jobs if job.lease_token > newest.get(job.job_id, 0)]
            if not self.is_leaving and new:
                results = [self.geocode(job) for job in new]
                self.completed += len(results)
                self.kept.update({(each.job_id, each.lease_token): (each, now + 1, 2) for each in results})
                self.send_results(results)
                self.grant()
        else:
            self.received_at = now
            for ack in frame.acks.acks:  # 6
                if ack.disposition in FINAL:
                    self.kept.pop((ack.job_id, ack.lease_token), None)

    def geocode(self, job):
        """Returns the result of a job (5)."""
        result = pb.Result(job_id=job.job_id, lease_token=job.lease_token)
        place = self.known.get(job.query.strip().lower())
        if job.HasField("lookup") and job.lookup.kind not in (0, pb.LOOKUP_KIND_FORWARD):
            result.failed.kind, result.failed.code = pb.FAILURE_KIND_PERMANENT, "malformed_job"
        elif place is None:
            result.not_found.SetInParent()
        else:
            name, latitude, longitude, label, country = place
            result.located.places.add(
                lat_e7=round(float(latitude) * 1e7), lon_e7=round(float(longitude) * 1e7), level=pb.LEVEL_CITY,
                match=pb.MATCH_EXACT, confidence_permille=1_000, label=label, name=name, country_code=country)
            if job.HasField("lookup"):
                result.located.details.add(provider="worker.py")
            print("found", name, flush=True)
        return result

    def leave(self):
        """Waits up to a second for acknowledgements, and then up to a second for the reply to its goodbye (9)."""
        self.is_leaving, end = True, time.monotonic() + 1
        while self.kept and self.session and time.monotonic() < end:
            self.run_once()
        self.send(release=pb.Release(leases=self.held(), goodbye=True))
        left, end = self.session, time.monotonic() + 1
        while left and self.session == left and time.monotonic() < end:
            self.run_once()
        print("left", flush=True)

    def run_once(self):
        now = time.monotonic()
        self.tick(now)
        if self.socket.poll(100):
            self.receive(now)


def main():
    worker = Worker(sys.argv[2] if len(sys.argv) > 2 else "tcp://127.0.0.1:7701", places(sys.argv[1]))
    ends = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ends.append(True))
    while not ends:
        worker.run_once()
    worker.leave()


if __name__ == "__main__":
    main()
