// The block structure of a message, line by line, as CommonMark describes it: each line is read once, against the blocks that
// are open, and what it closes never changes again. So a text gives the same blocks however it came in pieces.
//
// Deliberately different from CommonMark: nesting is bounded, and deeper markers are text; a paragraph beyond a budget goes on
// as another; a definition stands on one line; raw HTML ends at a blank line; formulas are blocks; footnotes are text.

import { MAX_MATH } from './mathSigns';
import { type Block, blockOf, type Open, type Paragraph, type Root, type Rule, type Table } from './block';
import type { Target } from './spans';
import {
  alignsOf,
  cellsOf,
  closesFence,
  Cursor,
  definitionOf,
  fenceOf,
  headingOf,
  htmlOf,
  isRule,
  markerOf,
  mathOf,
  underline,
} from './starts';
import { emptyTree, entries, grown, type Tree } from './tree';

/** Lists, items and quotations inside one another. */
const MAX_DEPTH = 24;
/** UTF-16 units of a paragraph, which is read anew with each piece while it is open. */
const BUDGET = 4096;

export class Blocks {
  private stack: Open[] = [{ type: 'root', children: emptyTree() }];
  /** The first open block for which the last line was blank. */
  private blankFrom = Infinity;
  private heading = 0;
  definitions = new Map<string, Target>();

  constructor(private readonly provisional = false) {}

  /** A copy that reads on without this one knowing; it has no definitions but those it reads. */
  copy(): Blocks {
    const made = new Blocks(true);
    made.stack = this.stack.map((node) => ({ ...node }));
    made.blankFrom = this.blankFrom;
    made.heading = this.heading;
    return made;
  }

  view(open: boolean): Tree<Block> {
    let below: Block | null = null;
    for (let at = this.stack.length - 1; at > 0; at--) below = blockOf(this.at(at), below, open) ?? below;
    const { children } = this.stack[0] as Root;
    return below ? grown(children, below) : children;
  }

  line(source: string, ended: boolean): void {
    const cursor = new Cursor(source);
    let depth = 1;
    let quoted = 0;
    for (; depth < this.stack.length; depth++) {
      const node = this.at(depth);
      if (!this.goesOn(node, depth, cursor)) break;
      if (node.type === 'quote') quoted = depth;
    }
    const blanks = this.blankFrom;
    if (depth === this.stack.length && this.verbatim(cursor, ended)) {
      this.blankFrom = Infinity;
      return;
    }
    if (cursor.blank()) {
      this.cut(depth);
      this.blankFrom = quoted + 1;
      return;
    }
    this.start(cursor, depth, ended);
    if (this.blankFrom === blanks) this.blankFrom = Infinity;
  }

  /** More of the same line. */
  extend(text: string, ended: boolean): void {
    const tip = this.tip();
    if (tip.type === 'code') {
      tip.lines = grown(tip.lines, ended ? `${text}\n` : text);
    } else if (tip.type === 'html') {
      this.close();
      this.push({ ...tip, text, continued: true });
    } else {
      if (!('children' in tip)) this.close();
      this.push({ type: 'paragraph', text: text.trimStart(), continued: true, open: false });
    }
  }

  private at(index: number): Open {
    return this.stack[index] ?? this.root();
  }

  private root(): Root {
    return this.stack[0] as Root;
  }

  private tip(): Open {
    return this.at(this.stack.length - 1);
  }

  private goesOn(node: Open, depth: number, cursor: Cursor): boolean {
    switch (node.type) {
      case 'quote':
        if (cursor.indent() > 3 || cursor.sign() !== '>') return false;
        takeQuote(cursor);
        return true;
      case 'item':
        if (cursor.blank()) {
          cursor.skip(node.indent);
          return node.children.size > 0 || this.stack.length > depth + 1;
        }
        if (cursor.indent() < node.indent) return false;
        cursor.skip(node.indent);
        return true;
      case 'code':
        if (node.fence) return true;
        if (cursor.indent() < 4 && !cursor.blank()) return false;
        cursor.skip(4);
        return true;
      case 'html':
        return node.until === 'comment' || !cursor.blank();
      case 'paragraph':
      case 'table':
      case 'math':
        return !cursor.blank();
      default:
        return true;
    }
  }

  /** A line of a block that takes every line as it is. */
  private verbatim(cursor: Cursor, ended: boolean): boolean {
    const tip = this.tip();
    if (tip.type === 'code') {
      if (tip.fence) {
        if (cursor.indent() <= 3 && closesFence(cursor.rest().trimStart(), tip.fence)) {
          this.close();
          return true;
        }
        cursor.skip(tip.fence.indent);
      } else if (cursor.blank()) {
        tip.blanks = grown(tip.blanks, `${cursor.rest()}\n`);
        return true;
      }
      for (const blank of entries(tip.blanks)) tip.lines = grown(tip.lines, blank);
      tip.blanks = emptyTree();
      tip.lines = grown(tip.lines, ended ? `${cursor.rest()}\n` : cursor.rest());
      return true;
    }
    if (tip.type === 'html') {
      const line = cursor.rest();
      if (tip.text.length + line.length > BUDGET) {
        this.close();
        this.push({ ...tip, text: line, continued: true });
      } else tip.text += `\n${line}`;
      if (tip.until === 'comment' && line.includes('-->')) this.close();
      return true;
    }
    if (tip.type !== 'math') return false;
    const line = cursor.rest().trim();
    const end = line.indexOf(tip.close);
    if (end === line.length - 2 && end >= 0) {
      tip.text = `${tip.text}\n${line.slice(0, end)}`.trim();
      tip.close = '';
      this.close();
      return true;
    }
    if (end === -1 && tip.source.length + line.length < MAX_MATH) {
      tip.text += `\n${line}`;
      tip.source += `\n${line}`;
      return true;
    }
    // No formula after all.
    this.stack[this.stack.length - 1] = { type: 'paragraph', text: tip.source, continued: false, open: false };
    return false;
  }

  private start(cursor: Cursor, matched: number, ended: boolean): void {
    const tip = this.tip();
    let leaf = matched === this.stack.length && (tip.type === 'paragraph' || tip.type === 'table') ? tip : null;
    const lazy = !leaf && matched < this.stack.length && tip.type === 'paragraph' ? tip : null;
    let base = leaf ? matched - 1 : matched;
    let fresh = false;
    for (;;) {
      const indent = cursor.indent();
      if (cursor.blank()) {
        this.cut(base);
        return;
      }
      if (indent > 3) {
        if (leaf || (lazy && !fresh)) break;
        this.cut(base);
        cursor.skip(4);
        const line = ended ? `${cursor.rest()}\n` : cursor.rest();
        this.put({
          type: 'code',
          lang: '',
          lines: grown(emptyTree(), line),
          fence: null,
          blanks: emptyTree(),
          open: false,
        });
        return;
      }
      const sign = cursor.sign();
      if (sign === '>' && base < MAX_DEPTH) {
        this.cut(base);
        takeQuote(cursor);
        this.put({ type: 'quote', children: emptyTree(), open: false });
      } else if (!/[#`~<=\-*_+\d|:$\\]/.test(sign)) break;
      else {
        const rest = cursor.rest().trimStart();
        if (this.startLeaf(sign, rest, indent, base, leaf)) return;
        if (!this.startItem(cursor, rest, indent, base, leaf)) break;
      }
      base = this.stack.length;
      leaf = null;
      fresh = true;
    }
    const text = cursor.rest().trimStart();
    if (leaf?.type === 'table') this.row(leaf, text);
    else if (leaf) this.more(leaf, text);
    else if (lazy && !fresh) this.more(lazy, text);
    else this.paragraph(base, text);
  }

  /** Headings, fences, rules, HTML, tables and formulas. */
  private startLeaf(sign: string, rest: string, indent: number, base: number, leaf: Paragraph | Table | null): boolean {
    const paragraph = leaf?.type === 'paragraph' ? leaf : null;
    if (sign === '#') {
      const heading = headingOf(rest);
      if (!heading) return false;
      this.cut(base);
      this.putHeading(heading.depth, heading.text);
      return true;
    }
    if (sign === '`' || sign === '~') {
      const made = fenceOf(rest, indent);
      if (!made) return false;
      this.cut(base);
      this.put({
        type: 'code',
        lang: made.lang,
        lines: emptyTree(),
        fence: made.fence,
        blanks: emptyTree(),
        open: false,
      });
      return true;
    }
    if (sign === '<') {
      const until = htmlOf(rest, leaf !== null);
      if (!until) return false;
      this.cut(base);
      this.put({ type: 'html', text: rest, continued: false, until, open: false });
      if (until === 'comment' && rest.includes('-->')) this.close();
      return true;
    }
    if (paragraph && (sign === '-' || sign === '|' || sign === ':')) {
      const before = paragraph.text.lastIndexOf('\n') + 1;
      const header = paragraph.text.slice(before);
      const align = alignsOf(rest, header);
      if (align) {
        this.stack.pop();
        if (before > 0) {
          this.push({ ...paragraph, text: paragraph.text.slice(0, before - 1) });
          this.close();
        }
        const cells = cellsOf(header).map((text) => ({ text, open: false }));
        this.push({ type: 'table', align, header: cells, rows: emptyTree(), open: false });
        return true;
      }
    }
    if (paragraph && (sign === '=' || sign === '-') && !paragraph.continued) {
      const depth = underline(rest);
      if (depth) {
        this.stack.pop();
        this.putHeading(depth, paragraph.text);
        return true;
      }
    }
    if (isRule(rest)) {
      this.cut(base);
      this.put({ type: 'rule', open: false });
      return true;
    }
    const math = sign === '$' || sign === '\\' ? mathOf(rest) : null;
    if (!math) return false;
    this.cut(base);
    this.put({
      type: 'math',
      text: math.text,
      close: math.whole ? '' : math.close,
      source: rest,
      open: false,
    });
    if (math.whole) this.close();
    return true;
  }

  private startItem(cursor: Cursor, rest: string, indent: number, base: number, leaf: Open | null): boolean {
    const marker = base + 1 < MAX_DEPTH ? markerOf(rest) : null;
    if (!marker) return false;
    const empty = rest.slice(marker.width).trim() === '';
    if (leaf?.type === 'paragraph' && (empty || (marker.ordered && marker.start !== 1))) return false;
    cursor.skip(indent);
    cursor.take(marker.width);
    const spaces = cursor.indent();
    const gap = empty || spaces > 4 ? 1 : spaces;
    cursor.skip(gap);
    while (this.stack.length > base) this.close();
    const parent = this.tip();
    if (parent.type !== 'list' || parent.ordered !== marker.ordered || parent.delimiter !== marker.delimiter) {
      if (parent.type === 'list') this.close();
      const { ordered, start, delimiter } = marker;
      this.push({
        type: 'list',
        ordered,
        start,
        delimiter,
        loose: false,
        tasks: false,
        children: emptyTree(),
        open: false,
      });
    }
    this.push({ type: 'item', task: null, children: emptyTree(), indent: indent + marker.width + gap, open: false });
    return true;
  }

  private paragraph(base: number, source: string): void {
    this.cut(base);
    const definition = definitionOf(source.trimEnd());
    if (definition) {
      if (!this.definitions.has(definition.label)) this.definitions.set(definition.label, definition.target);
      return;
    }
    let text = source;
    const [item, list] = [this.tip(), this.at(this.stack.length - 2)];
    const task = item.type === 'item' && item.children.size === 0 ? /^\[([ xX])\][ \t]+(?=\S)/.exec(text) : null;
    if (task && item.type === 'item' && list.type === 'list') {
      item.task = task[1] !== ' ';
      list.tasks = true;
      text = text.slice(task[0].length);
    }
    this.put({ type: 'paragraph', text, continued: false, open: false });
  }

  private more(paragraph: Paragraph, line: string): void {
    if (paragraph.text.length + line.length < BUDGET) {
      Object.assign(paragraph, { text: `${paragraph.text}\n${line}` });
      return;
    }
    this.close();
    this.push({ type: 'paragraph', text: line, continued: true, open: false });
  }

  private row(table: Table, line: string): void {
    const cells = cellsOf(line);
    const row = table.align.map((_, i) => ({
      text: cells[i] ?? '',
      open: this.provisional && i === Math.min(cells.length, table.align.length) - 1,
    }));
    table.rows = grown(table.rows, row);
  }

  private putHeading(depth: number, text: string): void {
    if (this.stack.length === 1) this.heading = Math.min(depth, this.heading + 1);
    const level = this.stack.length === 1 ? this.heading : 0;
    this.loosen();
    this.append({ type: 'heading', level, text: text.trim(), open: false });
  }

  /** Closes what is open from there on. */
  private cut(base: number): void {
    while (this.stack.length > base) this.close();
  }

  /** A block that is no item: a list before it is over. */
  private put(node: Open | Rule): void {
    if (this.tip().type === 'list') this.close();
    this.loosen();
    if (node.type === 'rule') this.append(node);
    else this.stack.push(node);
  }

  private push(node: Open): void {
    this.loosen();
    this.stack.push(node);
  }

  /** A blank line before a second block of an item, or before a second item, makes the list loose. */
  private loosen(): void {
    const at = this.stack.length - 1;
    const tip = this.tip();
    if (at < this.blankFrom) return;
    if (tip.type === 'list' && tip.children.size > 0) tip.loose = true;
    const list = this.at(at - 1);
    if (tip.type === 'item' && tip.children.size > 0 && list.type === 'list') list.loose = true;
  }

  private append(block: Block): void {
    if (this.tip().type === 'list' && block.type !== 'item') this.close();
    const parent = this.tip();
    if ('children' in parent) parent.children = grown(parent.children, block);
  }

  private close(): void {
    const node = this.stack.pop();
    if (!node || node.type === 'root') return;
    const block = blockOf(node, null, false);
    if (block) this.append(block);
  }
}

function takeQuote(cursor: Cursor): void {
  cursor.skip(3);
  cursor.take(1);
  cursor.skip(1);
}
