// What a row of the timeline is called by assistive technology.
import type { Row } from '../session/rows';

export function nameOf(row: Row): string {
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
