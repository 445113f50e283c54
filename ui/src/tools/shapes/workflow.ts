// The steps of a workflow, as its task tells them in `workflow_progress` (PROTOCOL 5.2 and 8). Pure.
import { isRecord } from '../detail';

export type Step = {
  label: string;
  /** The wire's word: `start`, `done` and the like. */
  state: string;
  tokens: number | null;
  tools: number | null;
  ms: number | null;
  result: string | null;
};

export function readSteps(progress: unknown): Step[] {
  if (!Array.isArray(progress)) return [];
  return progress.filter(isRecord).map((one, at) => ({
    label: textOf(one.label) ?? textOf(one.promptPreview) ?? textOf(one.title) ?? `Step ${at + 1}`,
    state: textOf(one.state) ?? textOf(one.status) ?? '',
    tokens: numberOf(one.tokens),
    tools: numberOf(one.toolCalls),
    ms: numberOf(one.durationMs),
    result: textOf(one.resultPreview) ?? textOf(one.error),
  }));
}

export function stepWords(state: string): { word: string; over: boolean; failed: boolean } {
  switch (state) {
    case 'done':
    case 'completed':
      return { word: 'done', over: true, failed: false };
    case 'failed':
    case 'error':
      return { word: 'failed', over: true, failed: true };
    case 'start':
    case 'running':
      return { word: 'running', over: false, failed: false };
    case '':
    case 'queued':
      return { word: 'waiting', over: false, failed: false };
    default:
      return { word: state, over: false, failed: false };
  }
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
