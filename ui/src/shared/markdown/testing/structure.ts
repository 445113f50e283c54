// For tests: what the reader makes of a text and what a reference says of it, brought to one form that can be compared. What
// is no structure is left out: levels of headings, the attributes of raw HTML, how addresses are escaped.
import type { Block, Text } from '../block';
import { documentOf, type MarkdownDocument } from '../document';
import type { Inline } from '../spans';
import { entries, type Tree } from '../tree';

type Node = string | { tag: string; has?: Record<string, string>; of: Node[] };

/** One line of text: `p(one em(two))`. */
export const ours = (text: string): string => {
  const doc = documentOf(text);
  return written(blocks(doc, doc.view(false), false));
};
export const theirs = (html: string): string =>
  written(inside(new DOMParser().parseFromString(`<body>${html}</body>`, 'text/html').body));

function written(nodes: Node[]): string {
  return joined(nodes)
    .map((node) => {
      if (typeof node === 'string') return JSON.stringify(node).slice(1, -1);
      const has = Object.entries(node.has ?? {}).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
      return `<${node.tag}${has.join('')}>${written(node.of)}</${node.tag}>`;
    })
    .join('');
}

/** Texts side by side are one; blanks around a line end say nothing. */
function joined(nodes: Node[]): Node[] {
  const made: Node[] = [];
  for (const node of nodes) {
    const last = made.at(-1);
    if (typeof node === 'string' && typeof last === 'string') made[made.length - 1] = last + node;
    else made.push(node);
  }
  return made
    .map((node, i) => {
      if (typeof node !== 'string') return node;
      const before = made[i - 1];
      const text = node.replace(/ *\n */g, '\n');
      return typeof before === 'object' && before.tag === 'br' ? text.trimStart() : text;
    })
    .filter((node) => node !== '');
}

function address(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

const link = (href: string, title: string, of: Node[]): Node => ({ tag: 'a', has: { href: address(href), title }, of });
const image = (src: string, alt: string, title: string): Node => ({
  tag: 'img',
  has: { src: address(src), alt, title },
  of: [],
});
/** Blanks in code are as they stand. */
const code = (text: string): string => text.replaceAll(' ', '\u00b7').replaceAll('\n', '\u21b5');

function spans(inlines: Inline[]): Node[] {
  return inlines.map((one): Node => {
    switch (one.type) {
      case 'text':
        return one.text;
      case 'code':
        return { tag: 'code', of: [code(one.text)] };
      case 'math':
        return { tag: 'math', of: [one.text] };
      case 'break':
        return { tag: 'br', of: [] };
      case 'image':
        return image(one.href, one.alt, one.title ?? '');
      case 'link':
        return link(one.href, one.title ?? '', spans(one.children));
      default:
        return { tag: one.type, of: spans(one.children) };
    }
  });
}

const blocks = (doc: MarkdownDocument, tree: Tree<Block>, tight: boolean): Node[] =>
  Array.from(entries(tree)).flatMap((block) => nodesOf(doc, block, tight));

function nodesOf(doc: MarkdownDocument, block: Block, tight: boolean): Node[] {
  const read = (text: Text) => spans(doc.inlines(text));
  switch (block.type) {
    case 'paragraph':
      return tight ? read(block) : [{ tag: 'p', of: read(block) }];
    case 'heading':
      return [{ tag: 'h', of: read(block) }];
    case 'code':
      return [{ tag: 'pre', has: { lang: block.lang }, of: [code([...entries(block.lines)].join(''))] }];
    case 'math':
      return [{ tag: 'math', of: [block.text] }];
    case 'html':
      return [{ tag: 'html', of: [block.text] }];
    case 'rule':
      return [{ tag: 'hr', of: [] }];
    case 'quote':
      return [{ tag: 'blockquote', of: blocks(doc, block.children, false) }];
    case 'list': {
      const of = Array.from(entries(block.children)).flatMap((item) => nodesOf(doc, item, !block.loose));
      return [block.ordered ? { tag: 'ol', has: { start: String(block.start) }, of } : { tag: 'ul', of }];
    }
    case 'item': {
      const box: Node[] = block.task === null ? [] : [{ tag: 'input', has: { checked: String(block.task) }, of: [] }];
      return [{ tag: 'li', of: [...box, ...blocks(doc, block.children, tight)] }];
    }
    case 'table': {
      const row = (cells: readonly Text[], tag: string): Node => ({
        tag: 'tr',
        of: cells.map((cell, i) => ({ tag, has: { align: block.align[i] ?? '' }, of: read(cell) })),
      });
      const rows = Array.from(entries(block.rows), (cells) => row(cells, 'td'));
      return [{ tag: 'table', of: [row(block.header, 'th'), ...rows] }];
    }
  }
}

/** Between these a line end says nothing. */
const HOLDS_BLOCKS = new Set(['BODY', 'UL', 'OL', 'LI', 'BLOCKQUOTE', 'TABLE', 'THEAD', 'TBODY', 'TR']);

function inside(element: Element): Node[] {
  const holds = HOLDS_BLOCKS.has(element.tagName);
  return Array.from(element.childNodes).flatMap((child): Node[] => {
    if (child instanceof Element) return nodeOf(child);
    const text = child.nodeType === 3 ? (child.textContent ?? '') : '';
    return [holds ? text.replace(/^\n|\n$/g, '') : text];
  });
}

function nodeOf(element: Element): Node[] {
  const tag = element.tagName.toLowerCase();
  const get = (name: string) => element.getAttribute(name) ?? '';
  if (tag === 'thead' || tag === 'tbody') return inside(element);
  if (tag === 'pre') {
    const lang = /language-(\S+)/.exec(element.firstElementChild?.className ?? '')?.[1] ?? '';
    return [{ tag, has: { lang }, of: [code(element.textContent ?? '')] }];
  }
  if (tag === 'code') return [{ tag, of: [code(element.textContent ?? '')] }];
  if (tag === 'a') return [link(get('href'), get('title'), inside(element))];
  if (tag === 'img') return [image(get('src'), get('alt'), get('title'))];
  if (tag === 'input') return [{ tag, has: { checked: String(element.hasAttribute('checked')) }, of: [] }];
  if (tag === 'ol') return [{ tag, has: { start: get('start') || '1' }, of: inside(element) }];
  if (tag === 'th' || tag === 'td') return [{ tag, has: { align: get('align') }, of: inside(element) }];
  return [{ tag: /^h\d$/.test(tag) ? 'h' : tag, of: inside(element) }];
}
