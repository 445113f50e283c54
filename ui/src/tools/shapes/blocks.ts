// What an MCP server answers with: content blocks, or a structured value (PROTOCOL 5.2, mcp__S__T). Pure.
import type { ImageData } from '../../bindings/bindings';
import { isRecord } from '../detail';

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'value'; value: unknown }
  | { kind: 'image'; image: ImageData }
  /** A thing that the server names; where it has a text, that came with it. */
  | {
      kind: 'resource';
      uri: string;
      name: string | null;
      about: string | null;
      type: string | null;
      text: string | null;
    };

export function readAnswer(output: unknown): Part[] {
  if (output === null || output === undefined || output === '') return [];
  if (typeof output === 'string') return [textOrValue(output)];
  if (Array.isArray(output) && output.length > 0 && output.every((b) => isRecord(b) && typeof b.type === 'string'))
    return (output as Record<string, unknown>[]).map(readBlock);
  // The text beside a structured value says the same again.
  if (
    isRecord(output) &&
    isRecord(output.structuredContent) &&
    Object.keys(output).every((k) => k === 'content' || k === 'structuredContent')
  )
    return [
      { kind: 'value', value: output.structuredContent },
      ...besideStructured(output.content, output.structuredContent),
    ];
  return [{ kind: 'value', value: output }];
}

function besideStructured(content: unknown, value: unknown): Part[] {
  const parts = readAnswer(content);
  const same = JSON.stringify(value);
  return parts.filter((part) => !(part.kind === 'value' && JSON.stringify(part.value) === same));
}

function readBlock(block: Record<string, unknown>): Part {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  if (block.type === 'text' && typeof block.text === 'string') return textOrValue(block.text);
  if (block.type === 'image') {
    const source = isRecord(block.source) ? block.source : block;
    const type = text(source.media_type) ?? text(source.mimeType);
    if (typeof source.data === 'string' && type !== null)
      return { kind: 'image', image: { media_type: type, data: source.data } };
  }
  if (block.type === 'resource_link' || block.type === 'resource') {
    const one = isRecord(block.resource) ? block.resource : block;
    const uri = text(one.uri);
    if (uri !== null)
      return {
        kind: 'resource',
        uri,
        name: text(one.title) ?? text(one.name),
        about: text(one.description),
        type: text(one.mimeType),
        text: text(one.text),
      };
  }
  return { kind: 'value', value: block };
}

/** Longer texts are not read as JSON: they are shown as text at once. */
const MOST = 1_000_000;

function textOrValue(text: string): Part {
  const trimmed = text.trim();
  if (trimmed.length > MOST || !/^[[{]/.test(trimmed) || !/[\]}]$/.test(trimmed)) return { kind: 'text', text };
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value === 'object' && value !== null ? { kind: 'value', value } : { kind: 'text', text };
  } catch {
    return { kind: 'text', text };
  }
}

/** Whether a text reads as Markdown: it has a heading, a list, a fence, a table or a link. Output of programs has none of these. */
export function isMarkdown(text: string): boolean {
  // Colours and cursor moves are a program's.
  if (text.includes('\u001b') || text.includes('\r')) return false;
  const start = text.slice(0, 4000);
  const signs = [
    /^#{1,6} \S/m,
    /^```/m,
    /^\s*[-*] \S.*\n\s*[-*] \S/m,
    /^\d+\. \S.*\n\d+\. \S/m,
    /^\|.*\|\s*\n\|[ :|-]+\|/m,
    /\[[^\]\n]+\]\(https?:\/\/[^)\s]+\)/,
    /\*\*[^*\n]+\*\*/,
  ];
  return signs.some((sign) => sign.test(start));
}
