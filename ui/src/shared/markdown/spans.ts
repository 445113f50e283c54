// Pairs emphasis marks and link brackets by the delimiter algorithm of CommonMark, in time that is linear in the text, and
// makes the tree of spans from what was paired. Nesting is bounded: deeper marks stay the signs they are.

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'math'; text: string; display: boolean }
  | { type: 'break' }
  | { type: 'em' | 'strong' | 'del'; children: Inline[] }
  | { type: 'link'; href: string; title: string | null; children: Inline[] }
  | { type: 'image'; href: string; title: string | null; alt: string };

export type Target = { href: string; title: string | null };
type Look = 'em' | 'strong' | 'del';

/** A run of the same marks. `prev` and `next` link those that may still pair. */
export type Run = {
  kind: 'run';
  /** Where it stands; only compared. */
  at: number;
  char: string;
  count: number;
  whole: number;
  canOpen: boolean;
  canClose: boolean;
  opens: Look[];
  closes: Look[];
  prev: Run | null;
  next: Run | null;
};
export type Bracket = { kind: 'bracket'; image: boolean; target: Target | null; hidden: boolean };
export type Piece = { kind: 'inline'; inline: Inline } | Run | Bracket | { kind: 'end' };

/** Spans inside spans. Nobody writes as many; a hostile text does. */
const MAX_DEPTH = 16;

export class Runs {
  last: Run | null = null;
  private first: Run | null = null;

  push(run: Run): void {
    run.prev = this.last;
    if (this.last) this.last.next = run;
    else this.first = run;
    this.last = run;
  }

  /** Pairs what stands behind `bottom`. */
  pair(bottom: Run | null): void {
    const floors = new Map<string, number>();
    let closer = bottom ? bottom.next : this.first;
    while (closer) {
      if (!closer.canClose) {
        closer = closer.next;
        continue;
      }
      const key = `${closer.char}${closer.canOpen ? 1 : 0}${closer.char === '~' ? closer.count : closer.whole % 3}`;
      const floor = floors.get(key) ?? bottom?.at ?? -1;
      let opener = closer.prev;
      while (opener && opener.at > floor && !fits(opener, closer)) opener = opener.prev;
      if (!opener || opener.at <= floor) {
        floors.set(key, closer.prev?.at ?? -1);
        const next: Run | null = closer.next;
        if (!closer.canOpen) this.drop(closer);
        closer = next;
        continue;
      }
      const used = closer.char === '~' ? closer.count : Math.min(opener.count, closer.count, 2);
      const look: Look = closer.char === '~' ? 'del' : used === 2 ? 'strong' : 'em';
      opener.opens.push(look);
      closer.closes.push(look);
      opener.count -= used;
      closer.count -= used;
      opener.next = closer;
      closer.prev = opener;
      if (opener.count === 0) this.drop(opener);
      if (closer.count === 0) {
        const next: Run | null = closer.next;
        this.drop(closer);
        closer = next;
      }
    }
  }

  /** What stands behind `bottom` can pair no more. */
  forget(bottom: Run | null): void {
    this.last = bottom;
    if (bottom) bottom.next = null;
    else this.first = null;
  }

  /** Of a text that still grows: marks that open are taken as closed at its end. Gives what ends there, innermost first. */
  closeOpen(): Look[] {
    const closes: Look[] = [];
    for (let run = this.last; run; run = run.prev) {
      if (!run.canOpen || (run.char === '~' && run.count !== 2)) continue;
      while (run.count > 0) {
        const used = Math.min(run.count, 2);
        const look: Look = run.char === '~' ? 'del' : used === 2 ? 'strong' : 'em';
        run.opens.push(look);
        closes.push(look);
        run.count -= used;
      }
    }
    return closes;
  }

  private drop(run: Run): void {
    if (run.prev) run.prev.next = run.next;
    else this.first = run.next;
    if (run.next) run.next.prev = run.prev;
    else this.last = run.prev;
  }
}

function fits(opener: Run, closer: Run): boolean {
  if (opener.char !== closer.char || !opener.canOpen) return false;
  if (closer.char === '~') return opener.count === closer.count;
  const mixed = opener.canClose || closer.canOpen;
  return !mixed || (opener.whole + closer.whole) % 3 !== 0 || (opener.whole % 3 === 0 && closer.whole % 3 === 0);
}

type Frame = { look: Look | Bracket | null; children: Inline[]; deep: boolean };

/** The tree of what was paired. `tail`: what ends where the text ends. */
export function treeOf(pieces: Piece[], tail: Look[]): Inline[] {
  const root: Frame = { look: null, children: [], deep: false };
  const frames: Frame[] = [root];
  const top = () => frames.at(-1) ?? root;
  let links = 0;
  // Marks that were paired beyond the bound, as signs; pairs nest, so a count is enough.
  let beyond = 0;

  const sign = (look: Look) => (look === 'strong' ? '**' : look === 'em' ? '*' : '~~');
  const open = (look: Look | Bracket, written: string) => {
    if (frames.length > MAX_DEPTH) {
      beyond++;
      addText(top().children, written);
    } else {
      frames.push({ look, children: [], deep: false });
      if (typeof look !== 'string' && !look.image) links++;
    }
  };
  const close = (written: string) => {
    if (beyond > 0) {
      beyond--;
      addText(top().children, written);
      return;
    }
    const frame = frames.pop();
    if (!frame || frame === root) return;
    const into = top().children;
    const { look, children } = frame;
    if (look === null) return;
    if (typeof look === 'string') into.push({ type: look, children });
    else if (look.image) into.push({ type: 'image', ...target(look), alt: plain(children) });
    else {
      links--;
      // A link lies in no other link: an address inside its words is only words.
      if (links > 0) for (const child of children) into.push(child);
      else into.push({ type: 'link', ...target(look), children });
    }
  };

  for (const piece of pieces) {
    if (piece.kind === 'inline') {
      const { inline } = piece;
      const into = top().children;
      if (inline.type === 'text') addText(into, inline.text);
      else if (inline.type === 'link' && links > 0) for (const child of inline.children) into.push(child);
      else into.push(inline);
    } else if (piece.kind === 'run') {
      for (const look of piece.closes) close(sign(look));
      addText(top().children, piece.char.repeat(piece.count));
      for (const look of piece.opens.toReversed()) open(look, sign(look));
    } else if (piece.kind === 'bracket') {
      if (piece.target) open(piece, piece.image ? '![' : '[');
      else if (!piece.hidden) addText(top().children, piece.image ? '![' : '[');
    } else close(']');
  }
  for (const look of tail) close(sign(look));
  while (frames.length > 1) close('');
  return root.children;
}

const target = (bracket: Bracket): Target => bracket.target ?? { href: '', title: null };

function addText(into: Inline[], text: string): void {
  if (text === '') return;
  const last = into.at(-1);
  if (last?.type === 'text') last.text += text;
  else into.push({ type: 'text', text });
}

/** The words alone. */
export function plain(inlines: Inline[]): string {
  return inlines
    .map((one) => {
      if ('children' in one) return plain(one.children);
      if (one.type === 'break') return '\n';
      return one.type === 'image' ? one.alt : one.text;
    })
    .join('');
}
