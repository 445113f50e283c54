// What a message is made of, as it is drawn and as it is known while the next line may still add to it. Pure.
import type { Align, Fence } from './starts';
import { grown, type Tree } from './tree';

/** Text whose spans are read when it is drawn. `open`: it still grows. */
export type Text = { readonly text: string; readonly open: boolean };

type Part = { readonly open: boolean };
export type Paragraph = Text & { type: 'paragraph'; /** Goes on from the block before. */ continued: boolean };
/** `level`: one more than the heading before at most, from 1; 0 inside other blocks, where it is no heading of the page. */
export type Heading = Text & { type: 'heading'; level: number };
export type Code = Part & { type: 'code'; lang: string; /** With their line ends. */ lines: Tree<string> };
export type Formula = Part & { type: 'math'; text: string };
export type Html = Part & { type: 'html'; text: string; continued: boolean };
export type Quote = Part & { type: 'quote'; children: Tree<Block> };
export type Item = Part & { type: 'item'; task: boolean | null; children: Tree<Block> };
export type List = Part & {
  type: 'list';
  ordered: boolean;
  start: number;
  loose: boolean;
  tasks: boolean;
  children: Tree<Block>;
};
export type Table = Part & { type: 'table'; align: Align[]; header: Text[]; rows: Tree<readonly Text[]> };
export type Rule = Part & { type: 'rule' };
export type Block = Paragraph | Heading | Code | Formula | Html | Quote | List | Item | Table | Rule;

export type Root = { type: 'root'; children: Tree<Block> };
/** Blocks that are open: as those that are made of them, with what the next line has to know. */
export type Open =
  | Root
  | Paragraph
  | (Code & { fence: Fence | null; /** Lines that count if another one follows. */ blanks: Tree<string> })
  | (Formula & { close: string; source: string })
  | (Html & { until: 'blank' | 'comment' })
  | Quote
  | (List & { delimiter: string })
  | (Item & { indent: number })
  | Table;

/** What an open block is, seen from outside. */
export function blockOf(node: Open, below: Block | null, open: boolean): Block | null {
  switch (node.type) {
    case 'root':
      return null;
    case 'paragraph':
      return node.text.trim() === '' ? null : { ...node, text: node.text.trimEnd(), open };
    case 'code':
      return { type: 'code', lang: node.lang, lines: node.lines, open };
    case 'math':
      if (node.close !== '' && !open) return { type: 'paragraph', text: node.source, continued: false, open };
      return { type: 'math', text: node.close === '' ? node.text : node.source, open };
    case 'html':
      return { type: 'html', text: node.text, continued: node.continued, open };
    case 'table':
      return { ...node, open };
    case 'quote':
      return { type: 'quote', children: below ? grown(node.children, below) : node.children, open };
    case 'item': {
      const children = below ? grown(node.children, below) : node.children;
      return { type: 'item', task: node.task, children, open };
    }
    case 'list': {
      const { ordered, start, loose, tasks } = node;
      const children = below ? grown(node.children, below) : node.children;
      return { type: 'list', ordered, start, loose, tasks, children, open };
    }
  }
}
