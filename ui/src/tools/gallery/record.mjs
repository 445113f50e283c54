// Picks from the recorded conversations one call of every tool in every state that they hold, as the events that tell of
// it, for the gallery: `node ui/src/tools/gallery/record.mjs`, after `cargo build -p kandev-headless`. `KANDEV` names another
// `kandev`. What it writes is checked in, so that the page needs no program.
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const kandev = process.env.KANDEV ?? join(root, 'target/debug/kandev');
const transcripts = join(root, 'tests/transcripts');
/** Calls of one tool in one state, at most: they differ in which fields they have. */
const MOST = 5;

const picked = new Map();
for (const file of readdirSync(transcripts)
  .filter((name) => name.endsWith('.ndjson'))
  .sort()) {
  const run = spawnSync(kandev, ['normalize', join(transcripts, file)], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`${file}: ${run.error?.message ?? run.stderr}`);
  const events = run.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  for (const one of callsIn(events)) pick(basename(file, '.ndjson'), one);
}

function callsIn(events) {
  const calls = new Map();
  const asked = new Map();
  for (const event of events) {
    const id = event.tool_call_id ?? event.tool_use_id ?? asked.get(event.pending_id);
    if (event.type === 'tool_call' && !event.parent_tool_call_id) calls.set(id, { end: null, asked: null, events: [] });
    const call = calls.get(id) ?? calls.get(event.parent_tool_call_id);
    if (!call) continue;
    if (/^(tool_|permission_|task_)/.test(event.type) || event.parent_tool_call_id) call.events.push(event);
    if (event.type === 'permission_request') asked.set(event.pending_id, id);
    if (event.type === 'permission_resolved') call.asked = event.behavior;
    if (event.type === 'permission_cancelled') call.asked = 'cancelled';
    if (event.type === 'tool_update' && event.tool_status !== 'running' && calls.has(event.tool_call_id))
      call.end = event;
  }
  return [...calls.values()].filter((call) => call.end !== null);
}

function pick(from, { events, end, asked }) {
  const state = [end.tool_name, end.tool_status, asked ?? ''].join(' ');
  const shape = JSON.stringify(shapeOf(end.normalized[end.normalized.kind], 2));
  const known = picked.get(state) ?? new Map();
  picked.set(state, known);
  if (known.has(shape) || known.size >= MOST) return;
  known.set(shape, { from, events });
}

/** Which fields there are, and which of them are empty. */
function shapeOf(value, depth) {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return 0;
  if (typeof value !== 'object') return 1;
  if (Array.isArray(value) || depth === 0) return 2;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner, depth - 1)]));
}

const lines = [...picked]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .flatMap(([, shapes]) => [...shapes.values()])
  .map((one) => JSON.stringify(one));
const target = fileURLToPath(new URL('recorded.jsonl', import.meta.url));
writeFileSync(target, `${lines.join('\n')}\n`);
console.log(`${lines.length} calls of ${new Set([...picked.keys()].map((key) => key.split(' ')[0])).size} tools`);
