// What a terminal would show of a program's output: colours, and the effect of carriage return, backspace, tab stops,
// erasing and moving up. Everything else that a terminal obeys (titles, links, modes) is dropped. Pure.
import Anser from 'anser';

export type AnsiColour = 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white';

export type AnsiStyle = {
  fg: AnsiColour | null;
  bg: AnsiColour | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
};

export type AnsiRun = { text: string; style: AnsiStyle | null };
export type AnsiLine = AnsiRun[];

/** A screen line: characters, and for each the style it was written in (0 is none). */
type Row = { chars: string[]; styles: number[] };

const COLOURS: AnsiColour[] = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

// Control sequences, then strings for the terminal up to their end (or that of the text), then two-character escapes.
const ESCAPE =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)([0-?]*)([ -/]*)([@-~])|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^]*?(?:\u0007|\u001b\\|\u009c|$)|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]|\n|\t/g;

/** A cell is a character with what belongs to it, so that an accent is not overwritten apart from its letter. */
const cells = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const SIMPLE = /^[\u0020-\u007e]*$/;

const MAX_COLUMN = 100_000;

export function ansiLines(text: string): AnsiLine[] {
  return new Screen().write(text).lines();
}

/** Without any of it: for copying, and for a line's worth of summary. */
export function plainText(text: string): string {
  return ansiLines(text)
    .map((line) => line.map((run) => run.text).join(''))
    .join('\n');
}

class Screen {
  private rows: Row[] = [{ chars: [], styles: [] }];
  private line = 0;
  private column = 0;
  private style = 0;
  private readonly styles: (AnsiStyle | null)[] = [null];
  private readonly known = new Map<string, number>();
  private readonly anser = new Anser();

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

  lines(): AnsiLine[] {
    const rows = this.rows;
    // A last line end opens no further line.
    const end = rows.length > 1 && rows.at(-1)?.chars.length === 0 ? rows.length - 1 : rows.length;
    return rows.slice(0, end).map((row) => this.runs(row));
  }

  private runs(row: Row): AnsiLine {
    const runs: AnsiLine = [];
    let from = 0;
    for (let i = 1; i <= row.chars.length; i++) {
      if (i < row.chars.length && row.styles[i] === row.styles[from]) continue;
      runs.push({ text: row.chars.slice(from, i).join(''), style: this.styles[row.styles[from] ?? 0] ?? null });
      from = i;
    }
    return runs;
  }

  private put(text: string) {
    const row = this.row();
    const parts = SIMPLE.test(text) ? text : Array.from(cells.segment(text), (s) => s.segment);
    for (const char of parts) {
      while (row.chars.length < this.column) {
        row.chars.push(' ');
        row.styles.push(0);
      }
      row.chars[this.column] = char;
      row.styles[this.column] = this.style;
      this.column++;
    }
  }

  private row(): Row {
    while (this.rows.length <= this.line) this.rows.push({ chars: [], styles: [] });
    return this.rows[this.line] as Row;
  }

  private character(char: string) {
    switch (char) {
      case '\n':
        this.line++;
        this.column = 0;
        this.row();
        break;
      case '\r':
        this.column = 0;
        break;
      case '\b':
        this.column = Math.max(0, this.column - 1);
        break;
      case '\t': {
        const stop = this.column + 8 - (this.column % 8);
        this.put(' '.repeat(stop - this.column));
        break;
      }
    }
  }

  private control(params: string, between: string, final: string) {
    if (between !== '' || /^[<-?]/.test(params)) return;
    const numbers = params.split(';').map((p) => (p === '' ? null : Number.parseInt(p, 10)));
    const first = numbers[0] ?? null;
    const steps = Math.max(1, first ?? 1);
    switch (final) {
      case 'm':
        this.style = this.styleAfter(params);
        break;
      case 'A':
        this.line = Math.max(0, this.line - steps);
        break;
      case 'B':
        this.line = Math.min(this.rows.length - 1, this.line + steps);
        break;
      case 'C':
        this.column = Math.min(MAX_COLUMN, this.column + steps);
        break;
      case 'D':
        this.column = Math.max(0, this.column - steps);
        break;
      case 'E':
        this.line = Math.min(this.rows.length - 1, this.line + steps);
        this.column = 0;
        break;
      case 'F':
        this.line = Math.max(0, this.line - steps);
        this.column = 0;
        break;
      case 'G':
        this.column = Math.min(MAX_COLUMN, steps - 1);
        break;
      case 'J':
        // Erasing what was printed before would lose output: only what lies behind the cursor goes.
        if ((first ?? 0) === 0) {
          this.erase(0);
          this.rows.length = Math.min(this.rows.length, this.line + 1);
        }
        break;
      case 'K':
        this.erase(first ?? 0);
        break;
    }
  }

  private erase(how: number) {
    const row = this.row();
    if (how === 0) {
      row.chars.length = Math.min(row.chars.length, this.column);
      row.styles.length = row.chars.length;
    } else if (how === 1) {
      row.chars.fill(' ', 0, this.column + 1);
      row.styles.fill(0, 0, this.column + 1);
    } else if (how === 2) {
      row.chars.length = 0;
      row.styles.length = 0;
    }
  }

  /** The style in force after an SGR sequence, as its number. */
  private styleAfter(params: string): number {
    const told = this.anser.processChunkJson(
      `${params.replaceAll('::', ':').replaceAll(':', ';')}m`,
      { json: true, use_classes: true },
      true,
    );
    const has = (name: string) => (told.decorations as string[]).includes(name);
    let fg = colourOf(told.fg, told.fg_truecolor);
    let bg = colourOf(told.bg, told.bg_truecolor);
    if (has('reverse')) [fg, bg] = [bg, fg ?? 'white'];
    const style: AnsiStyle = {
      fg,
      bg,
      bold: has('bold'),
      dim: has('dim'),
      italic: has('italic'),
      underline: has('underline'),
      strike: has('strikethrough'),
    };
    const key = JSON.stringify(style);
    if (key === NOTHING) return 0;
    let number = this.known.get(key);
    if (number === undefined) {
      number = this.styles.push(style) - 1;
      this.known.set(key, number);
    }
    return number;
  }
}

const NOTHING = JSON.stringify({
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
});

/** Any terminal colour as one of the eight that both themes can show on their own background. */
function colourOf(name: string | null, rgb: string | null): AnsiColour | null {
  if (name === null) return null;
  if (name === 'ansi-truecolor')
    return nearest(...(((rgb ?? '').split(',').map(Number) as [number, number, number]) ?? [0, 0, 0]));
  const palette = /^ansi-palette-(\d+)$/.exec(name);
  if (palette) return nearest(...paletteColour(Number(palette[1])));
  const plain = name.replace(/^ansi-(bright-)?/, '') as AnsiColour;
  return COLOURS.includes(plain) ? plain : null;
}

/** The cube and the greys of the 256 colours. */
function paletteColour(index: number): [number, number, number] {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (n: number) => (n === 0 ? 0 : 55 + 40 * n);
  const at = index - 16;
  return [level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)];
}

function nearest(r: number, g: number, b: number): AnsiColour {
  const most = Math.max(r, g, b);
  const least = Math.min(r, g, b);
  if (most - least < 40) return most > 150 ? 'white' : 'black';
  const span = most - least;
  const hue = (most === r ? ((g - b) / span + 6) % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4) * 60;
  if (hue < 25 || hue >= 335) return 'red';
  if (hue < 75) return 'yellow';
  if (hue < 165) return 'green';
  if (hue < 200) return 'cyan';
  if (hue < 260) return 'blue';
  return 'magenta';
}
