"""Reads one turn of the stand-in CLI with the official Python SDK; prints when it had the result."""

import json
import sys
import time

import anyio
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query


async def main():
    # Its own limit of a line is 1 MiB, which the conversation has longer ones than.
    options = ClaudeAgentOptions(cli_path=sys.argv[1], include_partial_messages=True, max_buffer_size=1 << 28)
    count, at = 0, None
    async for message in query(prompt="go", options=options):
        count += 1
        if isinstance(message, ResultMessage):
            at = time.time() * 1000
    print(json.dumps({"at": at, "count": count}))


anyio.run(main)
