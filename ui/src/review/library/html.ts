// Stands in the bundle for `hastToHtml` of `@pierre/diffs`: the same HTML, with a class in place of each `style`.
import { classFor } from './styles';

type Value = string | number | boolean | null | undefined | (string | number)[];
type Node = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, Value>;
  children?: Node[];
};

const VOID = new Set(['br', 'hr', 'img', 'input', 'path', 'use', 'wbr']);
const NAMES: Record<string, string> = { className: 'class', tabIndex: 'tabindex', htmlFor: 'for', xLinkHref: 'href' };
/** What the library writes on words that changed within their line. */
const MARK = 'data-diff-span';
const NAME = /^[A-Za-z][\w:.-]*$/;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

/** Of a changed line, the share of its ink that may be marked as changed: beyond that it is another line. */
const MOST_MARKED = 0.6;

export function hastToHtml(tree: Node | Node[]): string {
  return htmlOf(tree, true);
}

/** `marks`: words that changed within their line are marked. */
function htmlOf(tree: Node | Node[], marks: boolean): string {
  if (!Array.isArray(tree)) return nodeHtml(tree, marks);
  let html = '';
  for (const node of tree) html += nodeHtml(node, marks);
  return html;
}

function nodeHtml(node: Node, marks: boolean): string {
  if (node.type === 'text') return escaped(node.value ?? '');
  const within = marks && !(isLine(node) && isAnother(node));
  const inner = node.children ? htmlOf(node.children, within) : '';
  const tag = node.tagName;
  if (node.type !== 'element' || tag === undefined) return inner;
  const open = `<${tag}${attributes(node.properties ?? {}, within)}>`;
  return VOID.has(tag) && inner === '' && tag !== 'path' && tag !== 'use' ? open : `${open}${inner}</${tag}>`;
}

const isLine = (node: Node) => node.properties?.['data-line'] !== undefined;
const isMark = (node: Node) => node.properties?.[MARK] !== undefined;
const inkOf = (text: string) => text.replace(/\s/g, '').length;

/** So much of the line is marked that nothing is told by it. */
function isAnother(line: Node): boolean {
  let [all, marked] = [0, 0];
  const count = (node: Node, within: boolean) => {
    const ink = node.type === 'text' ? inkOf(node.value ?? '') : 0;
    all += ink;
    if (within) marked += ink;
    for (const child of node.children ?? []) count(child, within || isMark(child));
  };
  count(line, false);
  return marked > all * MOST_MARKED;
}

function attributes(properties: Record<string, Value>, marks: boolean): string {
  // The button beside a line is drawn without a name.
  let html = properties['data-utility-button'] === undefined ? '' : ' aria-label="Comment on this line"';
  let names = '';
  for (const key in properties) {
    const value = properties[key];
    if (key === MARK && !marks) continue;
    if (value === null || value === undefined || value === false || Number.isNaN(value)) continue;
    const text = Array.isArray(value) ? value.join(' ') : String(value);
    const name = NAMES[key] ?? (/^aria[A-Z]/.test(key) ? `aria-${key.slice(4).toLowerCase()}` : key);
    if (name === 'style') names += ` ${classFor(text)}`;
    else if (name === 'class') names += ` ${text}`;
    else if (NAME.test(name)) html += value === true ? ` ${name}` : ` ${name}="${escaped(text)}"`;
  }
  return names === '' ? html : `${html} class="${escaped(names.trim())}"`;
}

function escaped(text: string): string {
  return /[&<"]/.test(text) ? text.replace(/[&<"]/g, (sign) => ENTITIES[sign] ?? sign) : text;
}
