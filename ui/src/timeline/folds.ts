// Which rows stand open before anybody opened or closed one, and which are not drawn at all.
import type { Row } from '../session/rows';
import { isAside } from './notices';

export function opensByItself(row: Row, calm: boolean): boolean {
  if (row.kind !== 'tool') return false;
  const { normalized, tool_status: status } = row.call;
  switch (normalized.kind) {
    case 'show_plan':
    case 'ask_user':
      // While it waits, the question itself shows it all.
      return status !== 'running';
    case 'modify_file':
      return !calm && status === 'complete';
    case 'shell_exec': {
      const code = normalized.shell_exec.output?.exit_code;
      return (
        !calm && status !== 'running' && (status === 'error' || (code !== undefined && code !== null && code !== 0))
      );
    }
    case 'subagent_task':
      return !calm;
    case 'manage_todos':
      return !calm && normalized.manage_todos.operation === 'write';
    default:
      return false;
  }
}

/** Whether a row is left out: what was withdrawn, what a retry left behind, and in the calm view what a reader of the answers
 * does not need. */
export function isLeftOut(row: Row, calm: boolean, folds: ReadonlyMap<string, boolean> = new Map()): boolean {
  if (row.behind !== undefined && folds.get(row.behind) !== true) return true;
  return row.kind === 'void' || (calm && row.kind === 'notice' && isAside(row));
}
