// `npm run protocol:drift [-- FOLDER...]`: what the SDK declares and what was seen on the wire, against our own table
// (src-tauri/crates/wire/protocol.json). The folders hold recordings or debug files of sessions, besides the recordings of
// the tests. Ends with 1 when something is declared or was seen and is not in the table.
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareDeclarations } from '../setup/modules.mjs';
import { Missing, ROOT, main } from '../setup/steps.mjs';
import { KINDS, declared } from './declared.mjs';
import { recordings, seen } from './seen.mjs';

const SDK = join(ROOT, 'tests/protocol/node_modules/@anthropic-ai/claude-agent-sdk');
export const DECLARATIONS = join(SDK, 'sdk.d.ts');
export const RECORDINGS = join(ROOT, 'tests/transcripts');

/** Our table, as a map from kind to set. */
export function ours(table = JSON.parse(readFileSync(join(ROOT, 'src-tauri/crates/wire/protocol.json'), 'utf8'))) {
  const subtypes = (rows) => new Set(rows.map((row) => row.subtype));
  return new Map([
    ['message', new Set(table.messages.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type)))],
    ['request to the CLI', subtypes(table.to_cli)],
    ['request of the CLI', subtypes(table.from_cli)],
    ['hook event', new Set(table.hook_events)],
    ['permission mode', new Set(table.permission_modes)],
    ['result', new Set(table.result_subtypes)],
    ['assistant error', new Set(table.assistant_errors)],
  ]);
}

/** Each name of each kind with who has it, sorted. */
export function compare(table, declarations, sightings) {
  return KINDS.flatMap((kind) => {
    const has = [table, declarations, sightings].map((source) => source.get(kind));
    const names = [...new Set(has.flatMap((names) => [...names.keys()]))].sort();
    return names.map((name) => {
      const [known, isDeclared, isSeen] = has.map((names) => names.has(name));
      return { kind, name, known, declared: isDeclared, seen: isSeen };
    });
  });
}

/** The columns of the table, left to right; a row is in exactly one. */
const COLUMNS = [
  ['known', (row) => row.known && (row.declared || row.seen)],
  ['declared only', (row) => !row.known && row.declared && !row.seen],
  ['seen only', (row) => !row.known && row.seen],
  ['ours only', (row) => row.known && !row.declared && !row.seen],
];

/** What a person is shown. */
export function report(rows, title = '') {
  const widths = COLUMNS.map(([name]) => Math.max(name.length, 4) + 2);
  const line = (name, cells) => `${name.padEnd(20)}${cells.map((cell, i) => `${cell}`.padStart(widths[i])).join('')}`;
  const lines = [
    title,
    '',
    line(
      '',
      COLUMNS.map(([name]) => name),
    ),
  ];
  for (const kind of KINDS) {
    const mine = rows.filter((row) => row.kind === kind);
    lines.push(
      line(
        kind,
        COLUMNS.map(([, belongs]) => mine.filter(belongs).length),
      ),
    );
  }
  for (const [column, belongs] of COLUMNS.slice(1)) {
    const listed = rows.filter(belongs);
    if (listed.length) lines.push('', `${column[0].toUpperCase()}${column.slice(1)}`);
    for (const { kind, name } of listed) lines.push(`  ${kind.padEnd(20)}${name}`);
  }
  const gaps = missing(rows);
  const verdict = gaps.length ? `${gaps.length} not in our table.` : 'Everything declared or seen is in our table.';
  return [...lines, '', verdict].join('\n').trimStart();
}

export const missing = (rows) => rows.filter((row) => !row.known);

/** The whole comparison; `folders` are looked through besides the recordings of the tests. */
export function drift({ folders = [], declarations = DECLARATIONS } = {}) {
  const table = ours();
  const files = [RECORDINGS, ...folders].flatMap(recordings);
  const rows = compare(table, declared(declarations, table.get('request of the CLI')), seen(files));
  const { version } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8'));
  return { rows, title: `SDK ${version}; ${files.length} recordings` };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    await prepareDeclarations();
    const folders = process.argv.slice(2).map((folder) => resolve(process.env.INIT_CWD ?? '', folder));
    const unread = folders.find((folder) => recordings(folder).length === 0);
    if (unread) throw new Missing(`there are no recordings in ${relative(process.cwd(), unread)}`);
    const { rows, title } = drift({ folders });
    console.log(report(rows, title));
    return missing(rows).length ? 1 : 0;
  });
}
