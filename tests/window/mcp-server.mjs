// An MCP server over stdio as a person would add it: `echo` says a text again, `order` asks the person for something by a
// form. It writes the value of its variable TOKEN into the file that its variable PROOF names.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const TOOLS = [
  {
    name: 'echo',
    description: 'Says it again',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  { name: 'order', description: 'Orders tea, and asks which', inputSchema: { type: 'object', properties: {} } },
];
const QUESTION = {
  message: 'Which tea is it to be?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Your name', minLength: 2 },
      kind: { type: 'string', title: 'Kind', enum: ['green', 'black', 'oolong'] },
      cups: { type: 'integer', title: 'Cups', minimum: 1, maximum: 6, default: 2 },
      milk: { type: 'boolean', title: 'With milk', default: false },
    },
    required: ['name', 'kind'],
  },
};

if (process.env.PROOF) writeFileSync(process.env.PROOF, process.env.TOKEN ?? '');

const asked = new Map();
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const words = (text) => ({ content: [{ type: 'text', text }] });

function call(id, { name, arguments: given }) {
  if (name === 'echo') return say({ id, result: words(given.text) });
  const question = `question-${id}`;
  asked.set(question, id);
  return say({ id: question, method: 'elicitation/create', params: QUESTION });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined && asked.has(id)) {
    say({ id: asked.get(id), result: words(`${result?.action}: ${JSON.stringify(result?.content ?? null)}`) });
  } else if (method === 'initialize') {
    say({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'tea', version: '1.2.3' },
      },
    });
  } else if (method === 'tools/list') say({ id, result: { tools: TOOLS } });
  else if (method === 'tools/call') call(id, params);
  else if (id !== undefined) say({ id, result: {} });
});
