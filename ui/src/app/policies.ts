// The policies in one line each: what a session may do without asking.
import type { Policy, StopCheck } from '../bindings/bindings';

export const policyWords: Record<Policy, string> = {
  supervised: 'Reads freely. Asks before everything that can change something.',
  plan: 'Reads only, then proposes a plan and asks.',
  rules: 'The rules and mode of your own Claude Code settings.',
  autonomous: 'Asks nothing and skips every check. The session carries a warning.',
};

export const policies = Object.keys(policyWords) as Policy[];

/** The modes that a session under the policy `rules` can start in. */
export const ruleModes: { value: string; says: string }[] = [
  { value: 'default', says: 'asks before what the rules do not allow' },
  { value: 'acceptEdits', says: 'edits in the folder go ahead' },
  { value: 'dontAsk', says: 'denies what the rules do not allow' },
  { value: 'auto', says: 'the CLI decides what needs asking' },
];

export const stopChecks: { value: StopCheck; name: string; says: string }[] = [
  { value: 'off', name: 'off', says: 'Nothing is checked.' },
  { value: 'tell', name: 'tell', says: 'Says so when a turn ends with uncommitted changes.' },
  {
    value: 'send_back',
    name: 'send back',
    says: 'Sends the agent back to them, once; the policies rules and autonomous only say so.',
  },
];

/** What `--effort` takes. */
export const efforts = ['low', 'medium', 'high', 'max'];
