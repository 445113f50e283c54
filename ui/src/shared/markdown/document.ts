// One message that grows: takes what was appended, and gives its blocks. What a piece costs depends on the piece and on the
// line and paragraph that are open, both bounded, and never on the message.
import type { Block, Text } from './block';
import { Blocks } from './blocks';
import { readInline } from './inline';
import { Lines } from './lines';
import type { Inline } from './spans';
import type { Tree } from './tree';

/** A text as its owner keeps it: only what is new is asked for. */
export type Growing = {
  readonly length: number;
  /** What stands behind the first `at` units. */
  after(at: number): string;
};

/** A line of signs alone: what it begins is seen with what comes next. */
const UNDECIDED = /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)*(?:[-+*=_#|:$~`\\[\]<!]+|\d{1,9}[.)]?|\[[ xX]\]?)?\s*$/;

export class MarkdownDocument {
  private lines = new Lines();
  private blocks = new Blocks();
  private read = new WeakMap<Text, Inline[]>();
  /** Finished texts that name labels which nobody has defined yet. */
  private waiting = new Map<string, Text[]>();
  private last: { text: string; definitions: Blocks['definitions'] } | null = null;
  /** UTF-16 units that were taken. */
  length = 0;
  /** Grows when finished texts have to be drawn again: a definition came behind the links that use it. */
  epoch = 0;
  /** UTF-16 units that were read as lines and as spans, for the tests of the cost. */
  cost = { lines: 0, spans: 0 };

  append(delta: string): void {
    if (delta === '') return;
    this.length += delta.length;
    this.last = null;
    this.lines.push(delta, ({ text, first, ended }) => {
      this.cost.lines += text.length + 1;
      if (first) this.blocks.line(text, ended);
      else this.blocks.extend(text, ended);
    });
  }

  /** `open`: more will come. */
  view(open: boolean): Tree<Block> {
    const { text, first } = this.lines.pending;
    if (text === '' || (open && first && text.length < 200 && UNDECIDED.test(text))) {
      if (!open) this.resolve(this.blocks.definitions);
      return this.blocks.view(open);
    }
    this.cost.lines += text.length;
    const ahead = this.blocks.copy();
    if (first) ahead.line(text, this.lines.returned);
    else ahead.extend(text, this.lines.returned);
    if (!open) {
      this.last = { text, definitions: new Map([...ahead.definitions, ...this.blocks.definitions]) };
      this.resolve(this.last.definitions);
    }
    return ahead.view(open);
  }

  inlines(text: Text): Inline[] {
    const known = this.read.get(text);
    if (known) return known;
    this.cost.spans += text.text.length;
    const { inlines, unknown } = readInline(text.text, this.last?.definitions ?? this.blocks.definitions, text.open);
    this.read.set(text, inlines);
    if (!text.open) {
      for (const label of new Set(unknown)) {
        const texts = this.waiting.get(label);
        if (texts) texts.push(text);
        else this.waiting.set(label, [text]);
      }
    }
    return inlines;
  }

  private resolve(definitions: Blocks['definitions']): void {
    let late = false;
    for (const [label, texts] of this.waiting) {
      if (!definitions.has(label)) continue;
      for (const text of texts) this.read.delete(text);
      this.waiting.delete(label);
      late = true;
    }
    if (late) this.epoch++;
  }
}

/** The document of a text that is whole. */
export function documentOf(text: string): MarkdownDocument {
  const made = new MarkdownDocument();
  made.append(text);
  return made;
}

const kept = new WeakMap<Growing, MarkdownDocument>();

/** The document of a text in pieces, read up to where the text is now. */
export function documentFor(text: Growing): MarkdownDocument {
  let made = kept.get(text);
  if (!made || made.length > text.length) {
    made = new MarkdownDocument();
    kept.set(text, made);
  }
  made.append(text.after(made.length));
  return made;
}

/** Reads a text that is given whole each time; what goes on from the last one is only added. */
export function wholeOf(): (text: string) => MarkdownDocument {
  let made = new MarkdownDocument();
  let known = '';
  return (text) => {
    if (!text.startsWith(known)) made = new MarkdownDocument();
    made.append(text.slice(made.length));
    known = text;
    return made;
  };
}
