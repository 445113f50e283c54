// What the mode and model pickers offer.
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
  const hit =
    list.find((one) => one.value === model) ??
    list.find((one) => model !== null && one.value !== 'default' && model.includes(one.value));
  return {
    choices,
    current: hit?.display_name ?? model ?? 'default',
    value: hit?.value ?? (model === null ? 'default' : null),
  };
}
