// A session's phase in words, and the state its row in the list shows.
import type { Phase, SessionInfo } from '../bindings/bindings';

/** What a row of the session list is drawn as; `data-state` carries it. */
export type RowState = 'running' | 'waiting' | 'idle' | 'ended' | 'failed';

export function rowState(info: SessionInfo): RowState {
  if (info.waiting > 0) return 'waiting';
  switch (info.phase) {
    case 'approval':
    case 'question':
      return 'waiting';
    case 'starting':
    case 'thinking':
    case 'streaming':
    case 'tool':
    case 'retrying':
    case 'compacting':
    case 'rate_limited':
    case 'background':
      return 'running';
    case 'idle':
      return 'idle';
    case 'stopped':
      return 'ended';
    case 'failed':
      return 'failed';
  }
}

export const phaseWords: Record<Phase, string> = {
  starting: 'Starting',
  idle: 'Ready',
  thinking: 'Reasoning',
  streaming: 'Streaming',
  tool: 'Running a tool',
  approval: 'Waiting for you',
  question: 'Waiting for you',
  rate_limited: 'Rate limited',
  retrying: 'Retrying',
  compacting: 'Compacting',
  background: 'Tasks running',
  stopped: 'Ended',
  failed: 'Failed',
};

/** Whether there is something to interrupt. */
export function isBusy(phase: Phase): boolean {
  return phase !== 'idle' && phase !== 'stopped' && phase !== 'failed' && phase !== 'background';
}

/** Whether the process is gone. */
export function isOver(phase: Phase): boolean {
  return phase === 'stopped' || phase === 'failed';
}

/** What the oldest question asks, in two parts: the tool and what it is about. */
export function askedFor(waitingFor: string | null): { tool: string; what: string } {
  if (!waitingFor) return { tool: 'Question', what: '' };
  const [, name = waitingFor, what = ''] = /^([^:\s]+)[:\s]\s*(.*)$/s.exec(waitingFor) ?? [];
  if (name.startsWith('mcp__')) return { tool: 'MCP', what };
  return { tool: { AskUserQuestion: 'Question', ExitPlanMode: 'Plan' }[name] ?? name, what };
}

const stateWords: Record<RowState, string> = {
  running: 'running',
  waiting: 'waiting for you',
  idle: 'idle',
  ended: 'ended',
  failed: 'failed',
};

export function stateWord(state: RowState): string {
  return stateWords[state];
}
