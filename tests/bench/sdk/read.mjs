// Reads one turn of the stand-in CLI with the official TypeScript SDK; prints when it had the result.
import { query } from '@anthropic-ai/claude-agent-sdk';

let count = 0;
let at;
const options = { pathToClaudeCodeExecutable: process.argv[2], includePartialMessages: true };
for await (const message of query({ prompt: 'go', options })) {
  count += 1;
  if (message.type === 'result') at = performance.timeOrigin + performance.now();
}
console.log(JSON.stringify({ at, count }));
