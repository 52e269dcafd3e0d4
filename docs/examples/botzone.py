# A bot for Botzone's JSON, kept running: leitai match kob botzone:docs/examples/botzone.py space
import json
import sys

requests = json.loads(sys.stdin.readline())["requests"]
while requests:
    legal = requests.pop()["legal"]
    print(json.dumps({"response": legal[len(legal) // 2]}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    requests = [json.loads(line) for line in [sys.stdin.readline()] if line]
