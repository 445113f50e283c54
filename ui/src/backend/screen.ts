// For the replayed backend: what the program behind the window makes of a program's output. Both are held to the same cases
// (`tests/conversations/screens.json`).
import type { ToolCall } from '../bindings/bindings';
import { MOST_LINES, MOST_UNITS, type OutputHits, type OutputLine, type OutputPart, type OutputRun } from './outputs';

/** Concealed text is blank, and so is no look of its own. */
type Style = Omit<OutputRun, 'text'> & { hidden?: boolean };
type Run = OutputRun & { text: string };
type Row = { cells: string[]; styles: Style[] };

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const PLAIN: Style = {};

// Control sequences, then strings for the terminal up to their end (or that of the text), then two-character escapes.
const ESCAPE =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)([0-?]*)([ -/]*)([@-~])|(?:\u001b\[|\u009b)[0-?]*[ -/]*$|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^]*?(?:\u0007|\u001b\\|\u009c|$)|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|\n|\t/g;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const SIMPLE = /^[\u0020-\u007e]*$/;

export function linesOf(text: string): OutputLine[] {
  return new Screen().write(text).lines();
}

export function plainOf(line: OutputLine): string {
  return line.runs.map((run) => run.text ?? '').join('');
}

/** The part of a text that a question asks for; `from` below 0 counts from the end. */
export function partOf(text: string, from: number, count: number, done: boolean): OutputPart {
  const lines = linesOf(text);
  const start = from < 0 ? Math.max(0, lines.length + from) : Math.min(from, lines.length);
  return {
    from: start,
    lines: lines.slice(start, start + Math.min(count, MOST_LINES)),
    total: lines.length,
    bytes: new TextEncoder().encode(text).length,
    done,
    problem: null,
  };
}

export function foundIn(text: string, words: string, limit: number): OutputHits {
  const wanted = words.toLowerCase();
  const all = linesOf(text).flatMap((line, at) => (plainOf(line).toLowerCase().includes(wanted) ? [at] : []));
  return { lines: all.slice(0, limit), total: all.length, more: all.length > limit };
}

/** What a call's event holds of a stream; `text` is that of a kind which is no command. */
export function textOfCall(call: ToolCall, stream: 'stdout' | 'stderr' | 'text'): string {
  const detail = call.normalized;
  if (detail.kind === 'shell_exec') return detail.shell_exec.output?.[stream === 'stderr' ? 'stderr' : 'stdout'] ?? '';
  if (detail.kind === 'read_file') return detail.read_file.output?.content ?? '';
  if (detail.kind === 'code_search') return detail.code_search.output?.content ?? '';
  const output =
    detail.kind === 'mcp_tool' ? detail.mcp_tool.output : detail.kind === 'generic' ? detail.generic.output : '';
  if (typeof output === 'string') return output;
  if (!Array.isArray(output)) return '';
  return output.map((block: { text?: unknown }) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}

class Screen {
  private rows: Row[] = [{ cells: [], styles: [] }];
  private line = 0;
  private column = 0;
  private style: Style = PLAIN;

  write(text: string): this {
    let at = 0;
    for (const match of text.matchAll(ESCAPE)) {
      if (match.index > at) this.put(text.slice(at, match.index));
      at = match.index + match[0].length;
      if (match[3] !== undefined) this.control(match[1] ?? '', match[2] ?? '', match[3]);
      else this.character(match[0]);
    }
    if (at < text.length) this.put(text.slice(at));
    return this;
  }

  lines(): OutputLine[] {
    const { rows } = this;
    // A last line end opens no further line.
    const end = rows.at(-1)?.cells.length === 0 ? rows.length - 1 : rows.length;
    return rows.slice(0, end).map((row) => shortened(runsOf(row)));
  }

  private put(text: string): void {
    const row = this.row();
    const cells = SIMPLE.test(text) ? text : Array.from(graphemes.segment(text), (one) => one.segment);
    for (const cell of cells) {
      while (row.cells.length < this.column) {
        row.cells.push(' ');
        row.styles.push(PLAIN);
      }
      const { hidden, ...look } = this.style;
      row.cells[this.column] = hidden ? ' ' : cell;
      row.styles[this.column] = hidden === undefined ? this.style : look;
      this.column++;
    }
  }

  private row(): Row {
    while (this.rows.length <= this.line) this.rows.push({ cells: [], styles: [] });
    return this.rows[this.line] as Row;
  }

  private character(char: string): void {
    if (char === '\n') {
      this.line++;
      this.column = 0;
      this.row();
    } else if (char === '\r') this.column = 0;
    else if (char === '\b') this.column = Math.max(0, this.column - 1);
    else if (char === '\t') this.tab();
  }

  /** At the end of a line it is kept, the columns that it covers empty; over text it is a step. */
  private tab(): void {
    const row = this.row();
    const stop = this.column + 8 - (this.column % 8);
    if (this.column >= row.cells.length) {
      this.put('\t');
      for (; this.column < stop; this.column++) {
        row.cells[this.column] = '';
        row.styles[this.column] = this.style;
      }
    }
    this.column = stop;
  }

  /** Clearing the screen loses nothing, and a place on it is not known: what comes begins below. */
  private below(): void {
    this.line = this.rows.length - 1;
    if (this.rows[this.line]?.cells.length) this.line++;
    this.column = 0;
    this.row();
  }

  private control(params: string, between: string, final: string): void {
    if (between !== '' || /^[<-?]/.test(params)) return;
    const first = params === '' ? null : Number.parseInt(params, 10);
    const steps = Math.max(1, first ?? 1);
    const last = this.rows.length - 1;
    if (final === 'm') this.style = styleAfter(this.style, params);
    else if (final === 'A' || final === 'F') this.line = Math.max(0, this.line - steps);
    else if (final === 'B' || final === 'E') this.line = Math.min(last, this.line + steps);
    else if (final === 'C') this.column = Math.min(MOST_UNITS, this.column + steps);
    else if (final === 'D') this.column = Math.max(0, this.column - steps);
    else if (final === 'G') this.column = Math.min(MOST_UNITS, steps - 1);
    else if (final === 'K') this.erase(first ?? 0);
    else if (final === 'H' || final === 'f' || (final === 'J' && first === 2)) this.below();
    else if (final === 'J' && (first ?? 0) === 0) {
      this.erase(0);
      this.rows.length = Math.min(this.rows.length, this.line + 1);
    }
    if (final === 'E' || final === 'F') this.column = 0;
  }

  private erase(how: number): void {
    const row = this.row();
    if (how === 0) row.cells.length = Math.min(row.cells.length, this.column);
    else if (how === 1) {
      row.cells.fill(' ', 0, this.column + 1);
      row.styles.fill(PLAIN, 0, this.column + 1);
    } else if (how === 2) row.cells.length = 0;
    row.styles.length = row.cells.length;
  }
}

function runsOf(row: Row): Run[] {
  const runs: Run[] = [];
  let from = 0;
  const same = (a: Style, b: Style) => a === b || JSON.stringify(a) === JSON.stringify(b);
  for (let at = 1; at <= row.cells.length; at++) {
    if (at < row.cells.length && same(row.styles[at] ?? PLAIN, row.styles[from] ?? PLAIN)) continue;
    runs.push({ text: row.cells.slice(from, at).join(''), ...row.styles[from] });
    from = at;
  }
  return runs;
}

function shortened(runs: Run[]): OutputLine {
  let left = MOST_UNITS;
  let cut = 0;
  const kept: OutputRun[] = [];
  for (const run of runs) {
    if (run.text.length <= left) kept.push(run);
    else if (left > 0) kept.push({ ...run, text: run.text.slice(0, left) });
    cut += Math.max(0, run.text.length - left);
    left = Math.max(0, left - run.text.length);
  }
  return cut === 0 ? { runs: kept } : { runs: kept, cut };
}

/** The style after an SGR sequence (ECMA-48 8.3.117). What is apart by `:` belongs to one code. */
function styleAfter(before: Style, params: string): Style {
  const groups = params
    .split(';')
    .map((group) => group.split(':').map((one) => (one === '' ? 0 : Number.parseInt(one, 10))));
  let style = { ...before };
  const without = (...names: (keyof Style)[]) => names.forEach((name) => delete style[name]);
  for (let at = 0; at < groups.length; at++) {
    const group = groups[at] ?? [0];
    const code = group[0] ?? 0;
    if (code === 0) style = {};
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4 && group[1] === 0) without('underline');
    else if (code === 4 || code === 21) style.underline = true;
    else if (code === 7) style.inverse = true;
    else if (code === 8) style.hidden = true;
    else if (code === 9) style.strike = true;
    else if (code === 22) without('bold', 'dim');
    else if (code === 23) without('italic');
    else if (code === 24) without('underline');
    else if (code === 27) without('inverse');
    else if (code === 28) without('hidden');
    else if (code === 29) without('strike');
    else if (code === 39) without('fg');
    else if (code === 49) without('bg');
    else if (code >= 30 && code < 38) style.fg = NAMES[code - 30];
    else if (code >= 40 && code < 48) style.bg = NAMES[code - 40];
    else if (code >= 90 && code < 98) style.fg = `bright_${NAMES[code - 90]}`;
    else if (code >= 100 && code < 108) style.bg = `bright_${NAMES[code - 100]}`;
    else if (code === 38 || code === 48 || code === 58) {
      const rest = group.length > 1 ? group.slice(1) : groups.slice(at + 1).map((one) => one[0] ?? 0);
      const used = rest[0] === 5 ? 2 : rest[0] === 2 ? 4 : 0;
      if (group.length === 1) at += used;
      // With colons a colour space may stand before the three.
      const three = group.length > 5 ? rest.slice(2) : rest.slice(1);
      const colour =
        rest[0] === 5
          ? paletteColour(rest[1] ?? 0)
          : rest[0] === 2
            ? hex(three[0] ?? 0, three[1] ?? 0, three[2] ?? 0)
            : undefined;
      if (colour !== undefined && code !== 58) style[code === 38 ? 'fg' : 'bg'] = colour;
    }
  }
  return style;
}

/** Of the 256: the sixteen, the cube, the greys. */
function paletteColour(index: number): string {
  if (index < 8) return NAMES[index] ?? 'white';
  if (index < 16) return `bright_${NAMES[index - 8]}`;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return hex(grey, grey, grey);
  }
  const level = (n: number) => (n === 0 ? 0 : 55 + 40 * n);
  const at = index - 16;
  return hex(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6));
}

function hex(...parts: number[]): string {
  return `#${parts.map((part) => Math.min(255, part).toString(16).padStart(2, '0')).join('')}`;
}
