// What a review reports: `{file, line?, summary, failure_scenario, severity?, ...}` (PROTOCOL 5.2, ReportFindings). Pure.
import { isRecord } from '../detail';

export type Finding = {
  file: string | null;
  line: number | null;
  summary: string;
  scenario: string | null;
  severity: string | null;
  /** Fields that no other place shows. */
  rest: Record<string, unknown>;
};

export function readFindings(input: unknown, output: unknown): Finding[] {
  const lists = [output, input].map((one) => (isRecord(one) && Array.isArray(one.findings) ? one.findings : null));
  const list = lists.find((one) => one !== null && one.length > 0) ?? [];
  return list.filter(isRecord).map((one) => {
    const { file, line, summary, failure_scenario: scenario, severity, ...rest } = one;
    return {
      file: textOf(file),
      line: typeof line === 'number' && line > 0 ? line : null,
      summary: textOf(summary) ?? textOf(scenario) ?? 'No summary was given.',
      scenario: textOf(summary) === null ? null : textOf(scenario),
      severity: textOf(severity),
      rest,
    };
  });
}

/** How many there are of each severity, in the order in which they come. */
export function severities(findings: Finding[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { severity } of findings) if (severity) counts.set(severity, (counts.get(severity) ?? 0) + 1);
  return [...counts];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);
