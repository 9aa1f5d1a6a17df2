"""A worker that knows no place and says of each that trying again is useless: what makes posts dead.

    python failing_worker.py ENDPOINT

It is the example of deploy/examples/python with another answer, and needs its folder and jobs_pb2 on PYTHONPATH.
"""

import sys

import jobs_pb2 as pb
import work


class FailingWorker(work.Worker):
    def answer(self, job):
        result = pb.Result(job_id=job.job_id, lease_token=job.lease_token)
        result.failed.kind = pb.FAILURE_KIND_PERMANENT
        result.failed.code, result.failed.detail = "bad_place", "this worker likes no place"
        return result


worker = FailingWorker(sys.argv[1], {})
while True:
    worker.turn()
