// Which parts of a proposed input a person can change before allowing it, and the input that comes of it: always whole, with
// every field that was not touched as it was. Pure.
import type { PermissionRequest } from '../bindings/bindings';
import { isRecord } from '../tools/detail';

export type Field = {
  /** Where the text stands in the input; empty for the whole input as JSON. */
  path: (string | number)[];
  label: string;
  /** With LF only: a text field knows no other line end. */
  text: string;
  code: boolean;
};

/** The fields, or none where there is nothing to change. */
export function editable(request: PermissionRequest): Field[] {
  const { input, tool_name: tool } = request;
  if (!isRecord(input)) return [];
  const field = (key: string, label: string, code = true): Field[] =>
    typeof input[key] === 'string' ? [{ path: [key], label, text: lf(input[key]), code }] : [];
  switch (tool) {
    case 'Bash':
      return field('command', 'Command');
    case 'Write':
      return field('content', 'Content');
    case 'Edit':
      return field('new_string', 'New text');
    case 'NotebookEdit':
      return field('new_source', 'New source');
    case 'MultiEdit':
      return (Array.isArray(input.edits) ? input.edits : []).flatMap((edit, i): Field[] =>
        isRecord(edit) && typeof edit.new_string === 'string'
          ? [
              {
                path: ['edits', i, 'new_string'],
                label: `New text, edit ${i + 1}`,
                text: lf(edit.new_string),
                code: true,
              },
            ]
          : [],
      );
    case 'ExitPlanMode':
      return planField(request);
    case 'AskUserQuestion':
      return [];
    default:
      return [{ path: [], label: 'Input, as JSON', text: JSON.stringify(input, null, 2), code: true }];
  }
}

/** The plan may stand in a file alone, and is then not in the input; what is allowed carries it all the same (PROTOCOL 6.4). */
function planField({ input, normalized }: PermissionRequest): Field[] {
  const given = isRecord(input) && typeof input.plan === 'string' ? input.plan : null;
  const shown = normalized.kind === 'show_plan' ? normalized.show_plan.plan : null;
  const plan = given ?? shown;
  return plan === null ? [] : [{ path: ['plan'], label: 'Plan', text: lf(plan), code: false }];
}

export type Edited = { input: unknown; changed: boolean } | { problem: string };

/** The input with the texts in place of the fields'. */
export function applyEdits(input: unknown, fields: Field[], texts: (string | undefined)[]): Edited {
  let result = input;
  let changed = false;
  for (const [i, field] of fields.entries()) {
    const text = texts[i];
    if (text === undefined || lf(text) === field.text) continue;
    changed = true;
    if (field.path.length === 0) {
      try {
        result = JSON.parse(text);
      } catch (error) {
        return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
      }
      if (!isRecord(result)) return { problem: 'The input must be a JSON object.' };
    } else {
      result = put(result, field.path, (before) =>
        typeof before === 'string' && before.includes('\r\n') ? crlf(text) : lf(text),
      );
    }
  }
  return { input: result, changed };
}

function put(value: unknown, path: (string | number)[], make: (before: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return make(value);
  if (Array.isArray(value)) return value.map((item: unknown, i) => (i === key ? put(item, rest, make) : item));
  if (isRecord(value)) return { ...value, [key]: put(value[key], rest, make) };
  return value;
}

const lf = (text: string) => text.replace(/\r\n?/g, '\n');
const crlf = (text: string) => lf(text).replaceAll('\n', '\r\n');
