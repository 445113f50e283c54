// What went over the wire: recordings, and the debug files of sessions, which have the same form.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS } from './declared.mjs';

/** Recordings below a folder, or the file itself. */
export function recordings(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) return recordings(inside);
    return /(\.ndjson|raw-streamjson-[^/\\]*\.jsonl)$/.test(entry.name) ? [inside] : [];
  });
}

/** All names in recordings, as a map from kind to a map from name to the first file that has it. */
export function seen(files) {
  const found = new Map(KINDS.map((kind) => [kind, new Map()]));
  for (const file of files) {
    const add = (kind, name) => {
      if (typeof name === 'string' && name && !found.get(kind).has(name)) found.get(kind).set(name, file);
    };
    read(readFileSync(file, 'utf8'), add);
  }
  return found;
}

function read(text, add) {
  /** Requests of the host that have no answer yet, by id. What is refused as unknown is nothing that the CLI accepts. */
  let asked = new Map();
  for (const line of text.split('\n')) {
    const entry = parsed(line);
    if (entry?.dir === 'meta') asked = new Map();
    const message = entry?.line;
    if (typeof message !== 'object' || message === null) continue;
    if (entry.dir === 'in' && message.type === 'control_request') {
      asked.set(message.request_id, message.request?.subtype);
    } else if (entry.dir === 'out') {
      said(message, asked, add);
    }
  }
}

function said(message, asked, add) {
  // What a tool says stands in a message; a line without a type is none.
  if (typeof message.type !== 'string') return;
  add('message', message.type === 'system' ? `system/${message.subtype}` : message.type);
  if (message.type === 'result') add('result', message.subtype);
  if (message.type === 'assistant') add('assistant error', message.error);
  if (message.type === 'system') add('permission mode', message.permissionMode);
  if (message.type === 'system' && message.subtype.startsWith('hook_')) add('hook event', message.hook_event);
  if (message.type === 'control_request') {
    add('request of the CLI', message.request?.subtype);
    if (message.request?.subtype === 'hook_callback') add('hook event', message.request.input?.hook_event_name);
  }
  if (message.type === 'control_response') {
    const answer = message.response ?? {};
    const id = answer.request_id ?? message.request_id;
    if (asked.has(id) && !isUnknown(answer)) add('request to the CLI', asked.get(id));
    asked.delete(id);
  }
}

const isUnknown = ({ subtype, error, error_code }) =>
  subtype === 'error' && (error_code === 'unsupported_request' || /unsupported control request/i.test(error ?? ''));

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
