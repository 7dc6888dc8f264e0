"""An engine that does what the test asks for. Usage: fake_worker.py [die | silent] THREADS"""

import json
import os
import sys
import time

if sys.argv[1] == "die":
    sys.exit("no such library")
versions = {"fake": "1", "threads": sys.argv[-1], "omp": os.environ["OMP_NUM_THREADS"]}
print(json.dumps({"versions": versions}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "die":
        print("Traceback\nout of luck", file=sys.stderr)
        sys.exit(3)
    if request["op"] == "sleep":
        time.sleep(60)
    answer = {"error": "not today"} if request["op"] == "refuse" else {"heard": request, "text": "x" * 100000}
    print(json.dumps(answer), flush=True)
