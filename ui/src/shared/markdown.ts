// Markdown as blocks that are read once. While a message streams, only its last block is read again: whatever a later
// block stands behind is frozen, keeps its identity, and costs nothing more. Pure. There is no HTML anywhere on the way:
// `Markdown.svelte` draws the tokens as elements, so hostile text has nothing to become.
import { Lexer, type MarkedOptions, type Token, type Tokens } from 'marked';
import remend from 'remend';

export type Block = {
  /** Where the block begins in the message: its identity while the message grows. */
  at: number;
  raw: string;
  token: Token;
  /** The last block of a message that still streams. */
  open: boolean;
};

const options: MarkedOptions = { gfm: true, breaks: false };

export class MarkdownBlocks {
  private text = '';
  private streaming = false;
  private frozen: Block[] = [];
  /** Where the part begins that is read anew. */
  private from = 0;
  private links: Tokens.Def[] = [];
  private made: Block[] = [];
  /** Of an open code block: its text so far, so that a delta only adds. */
  private fence: OpenFence | null = null;
  /** UTF-16 units that were given to the lexer, for the tests of its cost. */
  lexed = 0;

  /** The blocks of a message; give it the whole text each time it has grown. */
  update(message: string, streaming: boolean): Block[] {
    // The lexer knows only LF; with its own replacing, places would shift.
    const text = message.includes('\r') ? message.replace(/\r\n?/g, '\n') : message;
    if (text === this.text && streaming === this.streaming && (text !== '' || this.made.length > 0)) return this.made;
    // A definition may stand behind the links that use it, so a finished message with one is read as a whole.
    if (!text.startsWith(this.text) || (!streaming && this.links.length > 0)) this.reset();
    this.text = text;
    this.streaming = streaming;
    this.made = this.read(streaming);
    return this.made;
  }

  private reset(): void {
    this.frozen = [];
    this.from = 0;
    this.fence = null;
    this.links = [];
  }

  private read(streaming: boolean): Block[] {
    if (streaming) {
      const open = this.growFence();
      if (open) return [...this.frozen, open];
    }
    this.fence = null;
    const tail = this.text.slice(this.from);
    const tokens = this.lex(tail);
    if (!streaming && this.from > 0 && tokens.some((t) => t.type === 'def')) {
      this.reset();
      return this.read(false);
    }
    let at = this.from;
    const blocks: Block[] = [];
    for (const token of tokens) {
      if (streaming && token.type === 'def') this.define(token as Tokens.Def);
      blocks.push({ at, raw: token.raw, token, open: false });
      at += token.raw.length;
    }
    const solid = (b: Block) => b.token.type !== 'space' && b.token.type !== 'def';
    const last = blocks.findLastIndex(solid);
    if (!streaming || last === -1) {
      return [...this.frozen, ...blocks.filter(solid)];
    }
    // A block is finished once the one behind it has a whole line: a half line may yet turn out to go on with the list,
    // the table or the quotation before it.
    const tailBlock = blocks[last] as Block;
    const whole = this.text.indexOf('\n', tailBlock.at) !== -1;
    if (whole) {
      this.frozen = [...this.frozen, ...blocks.slice(0, last).filter(solid)];
      this.from = tailBlock.at;
    }
    const shown = whole ? this.frozen : [...this.frozen, ...blocks.slice(0, last).filter(solid)];
    return [...shown, ...this.openBlock(tailBlock)];
  }

  /** The last block with its open syntax closed, so that `**bo` is not drawn as two stars. */
  private openBlock(block: Block): Block[] {
    if (block.token.type === 'code') {
      this.fence = openFence(block, this.text);
      return [{ ...block, open: true }];
    }
    const raw = this.text.slice(block.at);
    const mended = remend(raw, { linkMode: 'text-only', katex: false });
    const tokens =
      mended === raw ? [block.token] : this.lex(mended).filter((t) => t.type !== 'space' && t.type !== 'def');
    return tokens.map((token, i) => ({ at: block.at + i, raw: token.raw, token, open: i === tokens.length - 1 }));
  }

  /** An open code block grows without the lexer, until its fence closes. */
  private growFence(): Block | null {
    const fence = this.fence;
    if (!fence) return null;
    const from = fence.read;
    const line = this.text.lastIndexOf('\n', from - 1) + 1;
    const fresh = this.text.slice(Math.max(line, fence.at + fence.head));
    if (fresh.split('\n').some((l) => fence.closes.test(l))) return null;
    fence.read = this.text.length;
    const raw = this.text.slice(fence.at);
    const text = raw.slice(fence.head).replace(/\n$/, '');
    const token = { ...fence.token, raw, text };
    return { at: fence.at, raw, token, open: true };
  }

  private lex(text: string): Token[] {
    this.lexed += text.length;
    const lexer = new Lexer(options);
    for (const def of this.links) lexer.tokens.links[def.tag] = { href: def.href, title: def.title ?? null };
    return lexer.lex(text);
  }

  private define(def: Tokens.Def): void {
    // The newest reading of a tag: an address that is still being received grows.
    this.links = [...this.links.filter((known) => known.tag !== def.tag), def];
  }
}

type OpenFence = {
  at: number;
  /** Length of the opening line with its line end. */
  head: number;
  token: Tokens.Code;
  closes: RegExp;
  read: number;
};

function openFence(block: Block, text: string): OpenFence | null {
  // An indented fence or one in a quotation is left to the lexer: it changes the text of the lines.
  const opening = /^(`{3,}|~{3,})[^\n]*\n/.exec(block.raw);
  if (!opening) return null;
  const mark = opening[1] ?? '```';
  const closes = new RegExp(`^ {0,3}\\${mark[0]}{${mark.length},}[ \\t]*$`);
  const body = block.raw.slice(opening[0].length);
  if (body.split('\n').some((l) => closes.test(l))) return null;
  return { at: block.at, head: opening[0].length, token: block.token as Tokens.Code, closes, read: text.length };
}

/**
 * The level at which each block that is a heading is drawn, under a heading of level `above`: never more than one below the
 * heading before it.
 */
export function headingLevels(blocks: Block[], above: number): Map<Block, number> {
  const levels = new Map<Block, number>();
  let before = above;
  for (const block of blocks) {
    if (block.token.type !== 'heading') continue;
    before = Math.min(above + (block.token as Tokens.Heading).depth, before + 1, 6);
    levels.set(block, before);
  }
  return levels;
}

/** A web or mail address as it may be opened, or null: no script, no file, no relative path. */
export function safeUrl(href: string): string | null {
  try {
    const url = new URL(href);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** An image that is in the text itself, in a format that cannot carry script. */
export function safeImage(href: string): string | null {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/.test(href) ? href : null;
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  plusmn: '±',
  deg: '°',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  harr: '↔',
  rArr: '⇒',
  le: '≤',
  ge: '≥',
  ne: '≠',
  infin: '∞',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
  check: '✓',
};

/** Character references as the characters they stand for; unknown ones stay as written. */
export function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]+));/g, (whole, dec, hex, name) => {
    if (name !== undefined) return entities[name as string] ?? whole;
    const code = dec !== undefined ? Number(dec) : Number.parseInt(hex as string, 16);
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
  });
}
