// What a line of the timeline is called by assistive technology.
import type { Row } from '../session/rows';
import { around, type Entry } from './entries';

export function nameOf(entry: Entry): string {
  const inside = around(entry).at(-1);
  const where = inside ? `, in ${inside.call.tool_title || inside.call.tool_name}` : '';
  return `${ownName(entry)}${where}`;
}

function ownName({ kind, run, row }: Entry): string {
  switch (kind) {
    case 'group':
      return run?.glances.words ?? '';
    case 'lost':
      return 'Earlier rows';
    case 'end':
      return 'End of the agent';
    case 'row':
      return rowName(row);
  }
}

function rowName(row: Row): string {
  switch (row.kind) {
    case 'prompt':
      return row.synthetic ? 'Text from the CLI' : 'Prompt';
    case 'answer':
      return 'Answer';
    case 'reasoning':
      return 'Reasoning';
    case 'tool':
      return `${row.call.tool_name}: ${row.call.tool_title}`;
    case 'notice':
      return 'Notice';
    case 'error':
      return 'Error';
    case 'turn':
      return `End of turn ${row.number}`;
    case 'unrecognized':
      return 'Unknown line';
    case 'ended':
      return 'End of the session';
    case 'try':
      return 'An earlier try';
    case 'void':
      return '';
  }
}
