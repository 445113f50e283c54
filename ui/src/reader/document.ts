// The conversation as a document: turns with headings, and under them what was said and done, in order. Pure; made from the
// rows that the timeline draws, so that both tell the same.
import type { ToolCall } from '../bindings/bindings';
import { outcomeOf } from '../session/outcome';
import type { Row } from '../session/rows';
import type { SessionView } from '../session/view';
import { lookOf } from '../timeline/notices';
import { plural, waited } from '../shared/time';
import { callLine, callTexts } from './words';

export type Part = { key: string } & (
  | { kind: 'prompt'; text: string; at: string; files: number; note: string | null }
  | { kind: 'answer'; text: string; streaming: boolean }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; line: string; call: ToolCall; parts: Part[] }
  | { kind: 'note'; text: string }
);
export type ReaderTurn = {
  key: string;
  number: number;
  /** "Turn 3: the beginning of its prompt". */
  heading: string;
  parts: Part[];
  /** How it ended; null while it goes on. */
  end: string | null;
};

/** Turns, the newest last. `from`: the place of the first row that is wanted, which begins a turn. */
export function readerTurns(view: SessionView, workspace: string, from = 0): ReaderTurn[] {
  const turns: ReaderTurn[] = [];
  let number = view.turnsBefore + 1 + view.rows.slice(0, from).filter((row) => row.kind === 'turn').length;
  let open: ReaderTurn | null = null;
  for (const row of view.rows.slice(from)) {
    if (row.kind === 'void' || row.behind !== undefined) continue;
    // What stands behind the end of a turn and before the next prompt belongs to the one that ended.
    const begins = row.kind === 'prompt' && !row.synthetic && (open === null || open.end !== null);
    if (
      open === null ||
      begins ||
      (open.end !== null && row.kind !== 'error' && row.kind !== 'notice' && row.kind !== 'ended')
    ) {
      open = {
        key: `t${number}${turns.at(-1)?.number === number ? row.key : ''}`,
        number,
        heading: `Turn ${number}`,
        parts: [],
        end: null,
      };
      turns.push(open);
    }
    if (row.kind === 'turn') {
      number = row.number + 1;
      open.number = row.number;
      open.end = endWords(row);
    } else {
      const part = partOf(row, workspace);
      if (part) open.parts.push(part);
    }
  }
  for (const [at, turn] of turns.entries()) {
    const [first] = turn.parts;
    const prompt = turn.parts.find((part) => part.kind === 'prompt');
    const words = prompt?.kind === 'prompt' ? prompt.text.replace(/\s+/g, ' ').trim() : '';
    if (at === 0 && from > 0 && first?.kind !== 'prompt') turn.heading = `Turn ${turn.number}, from its middle on`;
    else if (words !== '')
      turn.heading = `Turn ${turn.number}: ${words.length > 80 ? `${words.slice(0, 80).trimEnd()} …` : words}`;
  }
  return turns;
}

/** How much further back a page may begin, in rows, so that it begins with a turn. */
const NEAR = 100;

/** The place of the row with which the last `wanted` rows begin: the start of a turn where one is near. */
export function placeOf(rows: readonly Row[], wanted: number): number {
  const start = Math.max(0, rows.length - wanted);
  for (let at = start; at > Math.max(0, start - NEAR); at--) if (rows[at - 1]?.kind === 'turn') return at;
  return start <= NEAR ? 0 : start;
}

/** Rows are replaced when they change, so a part holds for as long as its row. */
const made = new WeakMap<Row, Part | 'nothing'>();

function partOf(row: Row, workspace: string): Part | null {
  const known = made.get(row);
  if (known !== undefined) return known === 'nothing' ? null : known;
  const part = newPart(row, workspace);
  made.set(row, part ?? 'nothing');
  return part;
}

function newPart(row: Row, workspace: string): Part | null {
  const { key } = row;
  switch (row.kind) {
    case 'prompt':
      if (row.synthetic) return { key, kind: 'note', text: `From Claude Code: ${row.text}` };
      return {
        key,
        kind: 'prompt',
        text: row.text,
        at: row.at,
        files: row.attachments.length,
        note: row.queue?.state === 'queued' ? 'queued' : row.queue?.state === 'returned' ? 'not delivered' : null,
      };
    case 'answer':
      return { key, kind: 'answer', text: row.text.read(), streaming: row.streaming };
    case 'reasoning':
      return { key, kind: 'reasoning', text: row.text.read() };
    case 'tool': {
      const parts = row.children.map((child) => partOf(child, workspace)).filter((part) => part !== null);
      return { key, kind: 'call', line: callLine(row, workspace), call: row.call, parts };
    }
    case 'notice': {
      const look = lookOf(row, false, 0);
      return { key, kind: 'note', text: [look.head, look.rest, look.fact].filter(Boolean).join(' ') };
    }
    case 'error':
      return { key, kind: 'note', text: `Error: ${row.error}` };
    case 'unrecognized':
      return { key, kind: 'note', text: 'A line that this version does not know. The inspector has it.' };
    case 'ended':
      return { key, kind: 'note', text: row.data.expected ? 'The session ended.' : 'The session broke off.' };
    case 'try':
      return { key, kind: 'note', text: `${plural(row.tries, 'earlier try', 'earlier tries')} left out.` };
    default:
      return null;
  }
}

function endWords(row: Extract<Row, { kind: 'turn' }>): string {
  const parts = [`Turn ${row.number} ${outcomeOf(row.data)}`];
  if (row.data.duration_ms !== null) parts.push(waited(row.data.duration_ms));
  if (row.files > 0)
    parts.push(`${plural(row.files, 'file')} changed, ${plural(row.added, 'line')} added, ${row.removed} removed`);
  return `${parts.join(', ')}.`;
}

/** All of it as plain text, for copying. */
export function readerText(turns: ReaderTurn[]): string {
  const lines: string[] = [];
  const write = (parts: Part[], indent: string) => {
    for (const part of parts) {
      if (part.kind === 'prompt') lines.push(`${indent}Prompt`, part.text, '');
      else if (part.kind === 'answer') lines.push(`${indent}Answer`, part.text, '');
      else if (part.kind === 'reasoning') lines.push(`${indent}Reasoning`, part.text, '');
      else if (part.kind === 'note') lines.push(`${indent}${part.text}`, '');
      else {
        lines.push(`${indent}${part.line}`);
        for (const text of callTexts(part.call)) lines.push(`${indent}${text.name}:`, text.text);
        lines.push('');
        write(part.parts, `${indent}  `);
      }
    }
  };
  for (const turn of turns) {
    lines.push(turn.heading, '');
    write(turn.parts, '');
    if (turn.end) lines.push(turn.end, '');
  }
  return lines.join('\n').trimEnd();
}
