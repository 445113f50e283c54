// How high a row will be, before it was ever drawn. Wrong guesses cost a correction of the scroll bar, nothing else.
import type { Row } from '../session/rows';

export function guessHeight(row: Row, open: boolean): number {
  switch (row.kind) {
    case 'prompt':
      return 58 + 22 * lines(row.text.length, row.text) + (row.attachments.length > 0 ? 80 : 0);
    case 'answer':
      return 20 + 22 * lines(row.text.length, null);
    case 'tool':
      // The rows of a subagent are lines of their own.
      if (row.children.length > 0) return open ? 56 : 28;
      return open ? 220 : 28;
    case 'turn':
      return 56;
    case 'ended':
    case 'error':
      return 36;
    case 'void':
      return 0;
    default:
      return 28;
  }
}

function lines(length: number, text: string | null): number {
  const broken = text === null ? 0 : text.split('\n', 60).length - 1;
  return Math.max(1, Math.ceil(length / 76) + broken);
}
