// Cuts a text that grows into lines. A line of more than a screenful of screenfuls is given in parts, cut where the text says
// and not where the pieces came apart, so that every way of receiving a text gives the same parts.

/** UTF-16 units of the first part, which decides what kind of line it is, and of each further one. */
const FIRST_PART = 8192;
const NEXT_PART = 4096;

export type Part = {
  text: string;
  /** It begins a line. */
  first: boolean;
  /** A line end stands behind it. */
  ended: boolean;
};

export class Lines {
  private rest = '';
  private first = true;
  /** A carriage return whose line feed may still come. */
  private carry = false;

  /** What has no line end yet. */
  get pending(): Part {
    return { text: this.rest, first: this.first, ended: false };
  }

  push(delta: string, take: (part: Part) => void): void {
    let fresh = this.carry ? `\r${delta}` : delta;
    this.carry = fresh.endsWith('\r');
    if (this.carry) fresh = fresh.slice(0, -1);
    if (fresh.includes('\r')) fresh = fresh.replace(/\r\n?/g, '\n');
    if (fresh.includes('\0')) fresh = fresh.replaceAll('\0', '\ufffd');
    const text = this.rest + fresh;
    let [from, searched] = [0, this.rest.length];
    for (;;) {
      const end = text.indexOf('\n', searched);
      const to = end === -1 ? text.length : end;
      from = this.long(text, from, to, take);
      if (end === -1) break;
      take({ text: text.slice(from, end), first: this.first, ended: true });
      this.first = true;
      from = searched = end + 1;
    }
    this.rest = text.slice(from);
  }

  /** Whether a carriage return at the end stands for a line end of its own. */
  get returned(): boolean {
    return this.carry;
  }

  private long(text: string, start: number, to: number, take: (part: Part) => void): number {
    let from = start;
    for (;;) {
      const limit = this.first ? FIRST_PART : NEXT_PART;
      if (to - from <= limit + 1) return from;
      const cut = from + cutOf(text.slice(from, from + limit + 1), limit);
      take({ text: text.slice(from, cut), first: this.first, ended: false });
      this.first = false;
      from = cut;
    }
  }
}

/** Behind the last blank if there is one in the second half, else where no character is torn. */
function cutOf(text: string, limit: number): number {
  for (let at = limit; at > limit / 2; at--) if (text[at - 1] === ' ' || text[at - 1] === '\t') return at;
  let at = limit;
  while (at > limit - 64 && /[\p{M}\p{Cs}\u200d]/u.test(text[at] ?? '')) at--;
  return at;
}
