// The table of the protocol against the SDK's declarations and the recordings, and that a gap would show.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { KINDS, Unreadable, declared } from './declared.mjs';
import { DECLARATIONS, drift, missing, ours, report } from './drift.mjs';
import { seen } from './seen.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const gaps = (options) => missing(drift(options).rows).map(({ kind, name }) => [kind, name]);

/** A folder that holds a file with this text, for as long as the test runs. */
function file(t, name, text) {
  const folder = mkdtempSync(join(tmpdir(), 'drift-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), text);
  return { folder, path: join(folder, name) };
}

/** The SDK's declarations with one place changed. */
function changed(t, from, to) {
  const text = readFileSync(DECLARATIONS, 'utf8');
  assert.ok(text.includes(from), `${from} is not declared any more`);
  return file(t, 'sdk.d.ts', text.replace(from, to)).path;
}

const recorded = (dir, line) => `${JSON.stringify({ t: 0, dir, line })}\n`;

test('all that the SDK declares and all that was recorded is in the table', () => {
  assert.deepEqual(gaps(), []);
});

test('of each kind something is declared, and of each something was seen', () => {
  const { rows } = drift();
  for (const kind of KINDS) {
    const mine = rows.filter((row) => row.kind === kind);
    assert.ok(
      mine.some((row) => row.known && row.declared && row.seen),
      kind,
    );
  }
});

for (const [what, from, to, gap] of [
  ['a system subtype', "subtype: 'status'", "subtype: 'status' | 'brand_new'", ['message', 'system/brand_new']],
  ['a type', "type: 'keep_alive'", "type: 'keep_alive' | 'brand_new'", ['message', 'brand_new']],
  ['a request', "subtype: 'get_usage'", "subtype: 'get_usage' | 'brand_new'", ['request to the CLI', 'brand_new']],
  ['a hook event', "['PreToolUse', ", "['PreToolUse', 'BrandNew', ", ['hook event', 'BrandNew']],
  ['a mode', "PermissionMode = 'default'", "PermissionMode = 'default' | 'new'", ['permission mode', 'new']],
  ['a result', "'error_max_turns'", "'error_max_turns' | 'error_new'", ['result', 'error_new']],
  ['an error', "MessageError = 'auth", "MessageError = 'brand_new' | 'auth", ['assistant error', 'brand_new']],
]) {
  test(`${what} that is newly declared is news`, (t) => {
    assert.deepEqual(gaps({ declarations: changed(t, from, to) }), [gap]);
  });
}

test('declarations of another form are an error and no empty comparison', (t) => {
  const read = (path) => declared(path, ours().get('request of the CLI'));
  for (const name of ['StdoutMessage', 'SDKControlRequestInner', 'PermissionMode', 'SDKResultMessage']) {
    const path = changed(t, `declare type ${name} =`, `declare type ${name}Else =`);
    assert.throws(() => read(path), Unreadable, name);
  }
  assert.throws(() => read(changed(t, 'const HOOK_EVENTS:', 'const HOOKS:')), Unreadable);
  assert.throws(() => read(file(t, 'sdk.d.ts', '').path), Unreadable);
});

test('a session that met something new is news, and the command ends with 1', (t) => {
  const lines = [
    recorded('out', { type: 'system', subtype: 'brand_new' }),
    recorded('out', { type: 'control_request', request_id: 'a', request: { subtype: 'ask_anew' } }),
    'no json\n',
  ];
  const { folder } = file(t, 'raw-streamjson-one.jsonl', lines.join(''));
  const { status, stdout } = spawnSync(process.execPath, [here('drift.mjs'), folder], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stdout, /Seen only\n {2}message {13}system\/brand_new\n {2}request of the CLI {2}ask_anew/);
  assert.match(stdout, /2 not in our table/);
});

test('a request counts as seen when the CLI took it, not when it refused it as unknown', (t) => {
  const ask = (id, subtype) => recorded('in', { type: 'control_request', request_id: id, request: { subtype } });
  const answer = (response) => recorded('out', { type: 'control_response', response });
  const { path } = file(
    t,
    'a.ndjson',
    [
      ask('1', 'taken'),
      ask('2', 'refused'),
      ask('3', 'unknown'),
      ask('4', 'unknown_in_old_words'),
      ask('5', 'unanswered'),
      answer({ subtype: 'success', request_id: '1' }),
      answer({ subtype: 'error', request_id: '2', error: 'no such model' }),
      answer({ subtype: 'error', request_id: '3', error: 'x', error_code: 'unsupported_request' }),
      answer({ subtype: 'error', request_id: '4', error: 'Unsupported control request subtype: y' }),
    ].join(''),
  );
  assert.deepEqual([...seen([path]).get('request to the CLI').keys()], ['taken', 'refused']);
});

test('the table that a person sees counts each name once', () => {
  const row = (name, known, isDeclared, isSeen) => ({
    kind: 'message',
    name,
    known,
    declared: isDeclared,
    seen: isSeen,
  });
  const rows = [row('a', true, true, true), row('b', true, false, false), row('c', false, true, false)];
  const text = report(rows, 'Title');
  assert.match(text, /^Title\n/);
  assert.match(text, /message +1 +1 +0 +1\n/);
  assert.match(text, /Declared only\n {2}message {13}c\n/);
  assert.match(text, /Ours only\n {2}message {13}b\n/);
});
