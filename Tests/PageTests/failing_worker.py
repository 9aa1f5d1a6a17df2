"""A worker that reports a permanent failure for every job, which makes posts dead.

    python failing_worker.py ENDPOINT

The worker is the example of deploy/examples/python with another result. The example's folder and jobs_pb2 must be on
PYTHONPATH.
"""

import sys

import jobs_pb2 as pb
import worker


class FailingWorker(worker.Worker):
    def geocode(self, job):
        result = pb.Result(job_id=job.job_id, lease_token=job.lease_token)
        result.failed.kind = pb.FAILURE_KIND_PERMANENT
        result.failed.code, result.failed.detail = "bad_place", "this worker likes no place"
        return result


failing = FailingWorker(sys.argv[1], {})
while True:
    failing.run_once()
