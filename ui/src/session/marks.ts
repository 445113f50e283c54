// The icon and colour of a session's state: one drawing for each, wherever a session is listed.
import type { IconName } from '../shared/icons';
import type { RowState } from './phase';

export const stateIcons: Record<RowState, IconName> = {
  running: 'arc',
  waiting: 'wait',
  idle: 'ring',
  ended: 'check',
  failed: 'fail',
};

/** What broke off is not ticked off: its process ended in the middle of something. */
export function stateIcon(state: RowState, problem: string | null | undefined): IconName {
  return state === 'ended' && problem ? 'power' : stateIcons[state];
}

export function stateTone(state: RowState): 'running' | 'waiting' | 'failed' | 'quiet' {
  return state === 'running' || state === 'waiting' || state === 'failed' ? state : 'quiet';
}
