// Conversations that lie in a home as the CLI leaves them, and the CLI as somebody runs it in a terminal.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claude } from './claude.mjs';

const project = (home, folder) => join(home, '.claude/projects', folder.replaceAll(/[^a-zA-Z0-9]/g, '-'));

/** The files of a folder's conversations, without those of subagents. */
export function filesOf(lab, folder = lab.workspace) {
  const path = project(lab.home, folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(path, name));
}

export const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Runs the CLI to its end, as in a terminal; the id of the conversation. */
export async function inTerminal(lab, env, args) {
  const child = lab.spawn(claude(), ['-p', '--output-format', 'json', ...args], {
    cwd: lab.workspace,
    env: { ...lab.lab.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, complained] = ['', ''];
  child.stdout.on('data', (bytes) => (said += bytes));
  child.stderr.on('data', (bytes) => (complained += bytes));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, `the CLI said ${said} ${complained}`);
  return JSON.parse(said).session_id;
}

/** The lines of a conversation of prompts and answers, at times that end at `until`. */
function linesOf({ id, folder, exchanges, until }) {
  let last = null;
  return exchanges.flatMap(([prompt, answer], at) =>
    [
      ['user', { role: 'user', content: prompt }],
      [
        'assistant',
        {
          id: `msg_${id.slice(0, 8)}${at}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text: answer }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 10, output_tokens: 10 },
        },
      ],
    ].map(([type, message], half) => {
      const number = (2 * at + half).toString(16).padStart(12, '0');
      const uuid = `${id.slice(0, 8)}-0000-4000-8000-${number}`;
      const line = {
        parentUuid: last,
        isSidechain: false,
        userType: 'external',
        cwd: folder,
        sessionId: id,
        version: '2.1.332',
        gitBranch: '',
        type,
        message,
        uuid,
        timestamp: new Date(until - (exchanges.length - at) * 60_000 + half * 1000).toISOString(),
      };
      last = uuid;
      return JSON.stringify(line);
    }),
  );
}

/** Writes a conversation as the CLI would have: `exchanges` are pairs of a prompt and its answer. */
export function leaveBehind(lab, conversation) {
  const path = project(lab.home, conversation.folder);
  mkdirSync(path, { recursive: true });
  const file = join(path, `${conversation.id}.jsonl`);
  writeFileSync(file, linesOf({ until: Date.now(), ...conversation }).join('\n') + '\n');
  return file;
}
