// The tools that have no kind of their own (design 4, `misc`), by their exact names: what their line says, and the facts
// behind it. Pure. Fields are those of PROTOCOL 5.2; one that is missing is left out.
import { timeOfDay } from '../../session/format';
import type { IconName } from '../../shared/icons';
import { plural, waited } from '../../shared/time';
import { isRecord } from '../detail';
import { readFindings, severities } from './findings';

type Fields = Record<string, unknown>;
export type MiscParts = { input: Fields; output: unknown };
export type MiscFact = { name: string; value: string; /** How the value reads. */ as?: 'code' | 'text' };
type Look = {
  icon: IconName;
  verb: string;
  arg?: (parts: MiscParts) => string;
  notes?: (parts: MiscParts) => (string | null)[];
  facts?: (parts: MiscParts) => (MiscFact | null)[];
};

export function partsOf(details: unknown): MiscParts {
  const both = isRecord(details) && ('input' in details || 'output' in details);
  const input = both ? details.input : details;
  return { input: isRecord(input) ? input : {}, output: both ? details.output : null };
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : typeof value === 'number' ? String(value) : null;
const out = (parts: MiscParts, name: string): unknown => (isRecord(parts.output) ? parts.output[name] : undefined);
const fact = (name: string, value: unknown, as?: MiscFact['as']): MiscFact | null => {
  const words = text(value);
  return words === null ? null : { name, value: words, as };
};
const said = (parts: MiscParts): MiscFact | null =>
  fact('Said', typeof parts.output === 'string' ? parts.output : out(parts, 'message'), 'text');
const when = (value: unknown): string | null =>
  typeof value === 'number' && value > 0 ? timeOfDay(new Date(value).toISOString()) : null;

export const miscTools: Record<string, Look> = {
  Skill: {
    icon: 'plan',
    verb: 'Skill',
    arg: ({ input }) => [text(input.skill), text(input.args)].filter(Boolean).join(' '),
    notes: (parts) => [out(parts, 'success') === false ? 'not found' : null],
    facts: (parts) => [
      fact('Skill', parts.input.skill, 'code'),
      fact('Arguments', parts.input.args, 'text'),
      fact('Ran as', out(parts, 'commandName') === parts.input.skill ? null : out(parts, 'commandName'), 'code'),
      said(parts),
    ],
  },
  SendMessage: {
    icon: 'say',
    verb: 'Message',
    arg: ({ input }) => [text(input.to) && `to ${text(input.to)}`, text(input.summary)].filter(Boolean).join(': '),
    facts: (parts) => [
      fact('To', parts.input.to, 'code'),
      fact(
        'Message',
        typeof parts.input.message === 'string' ? parts.input.message : JSON.stringify(parts.input.message),
        'text',
      ),
      fact('Woke', out(parts, 'resumedAgentId'), 'code'),
      said(parts),
    ],
  },
  ListAgents: {
    icon: 'agent',
    verb: 'Agents',
    arg: () => '',
    facts: (parts) => [fact('Said', out(parts, 'listing'), 'text')],
  },
  CronCreate: {
    icon: 'clock',
    verb: 'Schedule',
    arg: (parts) => text(out(parts, 'humanSchedule')) ?? text(parts.input.cron) ?? '',
    notes: (parts) => [
      parts.input.recurring === true ? 'repeats' : parts.input.recurring === false ? 'once' : null,
      when(out(parts, 'nextFireAt')) && `next ${when(out(parts, 'nextFireAt'))}`,
    ],
    facts: (parts) => [
      fact('Prompt', parts.input.prompt, 'text'),
      fact('When', parts.input.cron, 'code'),
      fact('Schedule', out(parts, 'id'), 'code'),
    ],
  },
  CronList: {
    icon: 'clock',
    verb: 'Schedules',
    arg: (parts) =>
      Array.isArray(out(parts, 'jobs')) ? plural((out(parts, 'jobs') as unknown[]).length, 'schedule') : '',
    facts: (parts) =>
      (Array.isArray(out(parts, 'jobs')) ? (out(parts, 'jobs') as unknown[]) : [])
        .filter(isRecord)
        .map((job) =>
          fact(
            text(job.id) ?? 'Schedule',
            [text(job.humanSchedule) ?? text(job.cron), text(job.prompt)].filter(Boolean).join(': '),
          ),
        ),
  },
  CronDelete: { icon: 'clock', verb: 'Remove schedule', arg: ({ input }) => text(input.id) ?? '' },
  ScheduleWakeup: {
    icon: 'clock',
    verb: 'Wake up later',
    arg: ({ input }) => text(input.reason) ?? '',
    notes: (parts) => {
      const seconds = out(parts, 'clampedDelaySeconds') ?? parts.input.delaySeconds;
      return [typeof seconds === 'number' ? `in ${waited(seconds * 1000)}` : null];
    },
    facts: (parts) => [fact('Prompt', parts.input.prompt, 'text'), fact('At', when(out(parts, 'scheduledFor')))],
  },
  EnterWorktree: {
    icon: 'branch',
    verb: 'Enter worktree',
    arg: ({ input }) => text(input.name) ?? text(input.path) ?? '',
    facts: (parts) => [
      fact('Branch', out(parts, 'worktreeBranch'), 'code'),
      fact('Folder', out(parts, 'worktreePath'), 'code'),
      said(parts),
    ],
  },
  ExitWorktree: {
    icon: 'branch',
    verb: 'Leave worktree',
    arg: (parts) => text(out(parts, 'worktreeBranch')) ?? '',
    notes: ({ input, output }) => [
      output === null || output === undefined
        ? text(input.action)
        : input.action === 'remove'
          ? 'removed'
          : input.action === 'keep'
            ? 'kept'
            : text(input.action),
      input.discard_changes === true ? 'without its changes' : null,
    ],
    facts: (parts) => [fact('Back in', out(parts, 'originalCwd'), 'code'), said(parts)],
  },
  TaskStop: {
    icon: 'stop',
    verb: 'Stop task',
    arg: (parts) => text(out(parts, 'command')) ?? text(parts.input.task_id) ?? '',
    facts: (parts) => [said(parts)],
  },
  Workflow: {
    icon: 'agent',
    verb: 'Workflow',
    arg: (parts) => text(parts.input.title) ?? text(out(parts, 'workflowName')) ?? text(parts.input.name) ?? '',
    notes: (parts) => [out(parts, 'status') === 'async_launched' ? 'in the background' : text(out(parts, 'status'))],
  },
  ReportFindings: {
    icon: 'warn',
    verb: 'Findings',
    arg: (parts) => {
      const found = readFindings(parts.input, parts.output);
      return found.length === 0 ? 'none' : plural(found.length, 'finding');
    },
    notes: (parts) => severities(readFindings(parts.input, parts.output)).map(([word, n]) => `${n} ${word}`),
  },
  StructuredOutput: { icon: 'braces', verb: 'Structured output' },
};

export function miscFacts(tool: string, details: unknown): MiscFact[] {
  return (miscTools[tool]?.facts?.(partsOf(details)) ?? []).filter((one) => one !== null);
}
