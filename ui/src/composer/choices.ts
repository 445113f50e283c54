// What the mode, model, effort and thinking pickers offer.
import type { ModelChoice, Policy } from '../bindings/bindings';

export type Choice = { value: string; name: string; says: string | null };

/** The CLI's permission modes that can be switched to in mid-session. */
const modes: Choice[] = [
  { value: 'default', name: 'default', says: 'Asks before what the rules do not allow' },
  { value: 'acceptEdits', name: 'acceptEdits', says: 'Edits in the folder go ahead, the rest is asked' },
  { value: 'plan', name: 'plan', says: 'Reads only, then proposes a plan' },
  { value: 'dontAsk', name: 'dontAsk', says: 'Denies what the rules do not allow, asks nothing' },
  { value: 'auto', name: 'auto', says: 'The CLI decides what needs asking' },
];

export function modeChoices(current: string | null, policy: Policy): Choice[] {
  const offered = policy === 'rules' ? modes : modes.slice(0, 3);
  if (current === null || offered.some((mode) => mode.value === current)) return offered;
  return [...offered, { value: current, name: current, says: null }];
}

/** The CLI's own list; the model in use is named even where the list does not have it. */
export function modelChoices(
  list: ModelChoice[],
  model: string | null,
): { choices: Choice[]; current: string; value: string | null } {
  const choices = list.map((one) => ({ value: one.value, name: one.display_name, says: one.description }));
  const hit = modelOf(list, model);
  return {
    choices,
    current: hit?.display_name ?? model ?? 'default',
    value: hit?.value ?? (model === null ? 'default' : null),
  };
}

function modelOf(list: ModelChoice[], model: string | null): ModelChoice | undefined {
  return (
    list.find((one) => one.value === model) ??
    list.find((one) => model !== null && one.value !== 'default' && model.includes(one.value)) ??
    (model === null ? list.find((one) => one.value === 'default') : undefined)
  );
}

/** Stands for the CLI's own choice in a picker. */
export const DEFAULT = 'default';

const efforts: Choice[] = [
  { value: DEFAULT, name: 'default', says: 'What the CLI takes for this model' },
  { value: 'low', name: 'low', says: 'Quick answers to plain questions' },
  { value: 'medium', name: 'medium', says: null },
  { value: 'high', name: 'high', says: 'Thinks longer, uses more tokens' },
  { value: 'max', name: 'max', says: 'As long as it takes' },
];

/** The levels that the model in use supports, as far as the CLI says; none where it says that there are none. */
export function effortChoices(list: ModelChoice[], model: string | null, effort: string | null): Choice[] {
  const levels = levelsOf(modelOf(list, model));
  if (levels?.length === 0) return [];
  const named = (value: string) => efforts.find((one) => one.value === value) ?? { value, name: value, says: null };
  const offered = levels === null ? efforts : [DEFAULT, ...levels].map(named);
  return effort === null || offered.some((one) => one.value === effort) ? offered : [...offered, named(effort)];
}

function levelsOf(model: ModelChoice | undefined): string[] | null {
  const levels: unknown = model && 'effort_levels' in model ? model.effort_levels : null;
  return Array.isArray(levels) ? levels.filter((level) => typeof level === 'string') : null;
}

/** Thinking budgets in tokens. */
export const thinkingChoices: Choice[] = [
  { value: DEFAULT, name: 'default', says: 'What the CLI takes for this model' },
  { value: '0', name: 'off', says: null },
  { value: '4000', name: '4k tokens', says: null },
  { value: '16000', name: '16k tokens', says: null },
  { value: '32000', name: '32k tokens', says: null },
];
