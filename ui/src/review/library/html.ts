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
const NAME = /^[A-Za-z][\w:.-]*$/;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

export function hastToHtml(tree: Node | Node[]): string {
  if (!Array.isArray(tree)) return htmlOf(tree);
  let html = '';
  for (const node of tree) html += htmlOf(node);
  return html;
}

function htmlOf(node: Node): string {
  if (node.type === 'text') return escaped(node.value ?? '');
  const inner = node.children ? hastToHtml(node.children) : '';
  const tag = node.tagName;
  if (node.type !== 'element' || tag === undefined) return inner;
  const open = `<${tag}${attributes(node.properties ?? {})}>`;
  return VOID.has(tag) && inner === '' && tag !== 'path' && tag !== 'use' ? open : `${open}${inner}</${tag}>`;
}

function attributes(properties: Record<string, Value>): string {
  let html = '';
  let names = '';
  for (const key in properties) {
    const value = properties[key];
    if (value === null || value === undefined || value === false || Number.isNaN(value)) continue;
    const text = Array.isArray(value) ? value.join(' ') : String(value);
    const name = NAMES[key] ?? key;
    if (name === 'style') names += ` ${classFor(text)}`;
    else if (name === 'class') names += ` ${text}`;
    else if (NAME.test(name)) html += value === true ? ` ${name}` : ` ${name}="${escaped(text)}"`;
  }
  return names === '' ? html : `${html} class="${escaped(names.trim())}"`;
}

function escaped(text: string): string {
  return /[&<"]/.test(text) ? text.replace(/[&<"]/g, (sign) => ENTITIES[sign] ?? sign) : text;
}
