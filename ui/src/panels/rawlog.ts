// The raw lines of a session as a window holds them: read page by page, found by direction and word. Knows no framework.
import type { RawLine } from '../bindings/bindings';

/** Lines that are asked for at once; fewer may come. */
export const PAGE = 500;

export class RawLog {
  readonly lines: RawLine[] = [];
  /** Lines that were gone before they could be read. */
  lost = 0;
  /** Places of the lines that made events, in the order of their events. */
  private readonly telling: number[] = [];

  /** The index to read on from. */
  get cursor(): number {
    return this.lines.at(-1)?.index ?? 0;
  }

  take(page: readonly RawLine[]): void {
    for (const line of page) {
      const before = this.lines.at(-1);
      if (before && line.index <= before.index) continue;
      this.lost += line.left_out;
      if (line.first_seq) this.telling.push(this.lines.length);
      this.lines.push(line);
    }
  }

  /** Places of the lines that made the event of that number. */
  placesOf(seq: number): number[] {
    let low = 0;
    let high = this.telling.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((this.line(mid)?.last_seq ?? 0) < seq) low = mid + 1;
      else high = mid;
    }
    const found: number[] = [];
    for (let i = low; i < this.telling.length; i++) {
      const line = this.line(i);
      if (!line || (line.first_seq ?? Infinity) > seq) break;
      found.push(this.telling[i] as number);
    }
    return found;
  }

  private line(i: number): RawLine | undefined {
    return this.lines[this.telling[i] ?? -1];
  }
}

export type Wanted = { dir: RawLine['dir'] | null; words: string };

/** Which of a growing list are wanted; looks at each line once. */
export class Sieve {
  readonly places: number[] = [];
  private looked = 0;
  private readonly words: string;

  constructor(private readonly wanted: Wanted) {
    this.words = wanted.words.trim().toLowerCase();
  }

  sift(lines: readonly RawLine[]): void {
    for (; this.looked < lines.length; this.looked++) {
      const line = lines[this.looked];
      if (line && this.fits(line)) this.places.push(this.looked);
    }
  }

  private fits(line: RawLine): boolean {
    if (this.wanted.dir !== null && line.dir !== this.wanted.dir) return false;
    return this.words === '' || line.line.toLowerCase().includes(this.words);
  }
}

/** What the line says it is, without reading all of it: `system/init`, `control_request/can_use_tool`. */
export function lineType(line: RawLine): string {
  if (line.dir === 'err') return 'stderr';
  if (line.dir !== 'in' && line.dir !== 'out') return line.dir;
  const head = line.line.slice(0, 600);
  const type = /"type"\s*:\s*"([\w.-]+)"/.exec(head)?.[1];
  if (!type) return 'text';
  // The type of a message inside is not what the line is.
  const sub =
    /"(?:subtype)"\s*:\s*"([\w.-]+)"/.exec(head)?.[1] ??
    (type === 'stream_event' ? /"event"\s*:\s*\{\s*"type"\s*:\s*"([\w.-]+)"/.exec(head)?.[1] : undefined);
  return sub ? `${type}/${sub}` : type;
}

const dirNames: Record<string, string> = {
  out: 'Line from the CLI',
  in: 'Line to the CLI',
  err: 'Line from the CLI, stderr',
  meta: 'A process was started',
  host: 'What the host did',
  exit: 'The process is gone',
};

/** Whose line it is, in words. */
export function dirWords(line: RawLine): string {
  return dirNames[line.dir] ?? line.dir;
}

/** The line as a value, or null where it is none or too large to draw as one. */
export function parsed(line: string): unknown {
  if (line.length > 2_000_000) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
