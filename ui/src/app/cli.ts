// Which Claude Code there is, in words: the one place that reads the report, so that no two parts of the window differ. Pure.
import type { CliReport } from '../bindings/bindings';

/** `broken`: one was found and cannot be used. Null while it is looked for. */
export type CliState = 'usable' | 'broken' | 'missing' | null;

export function cliState(report: CliReport | null): CliState {
  if (report === null) return null;
  if (report.found === null) return 'missing';
  // npx alone is no Claude Code: it fetches one, and here it could not.
  if (report.found.source === 'npx' && report.problem !== null) return 'missing';
  return report.problem === null ? 'usable' : 'broken';
}

/** As short as it goes, for the edge of the window; null where there is nothing to say. */
export function cliTrouble(report: CliReport | null): string | null {
  switch (cliState(report)) {
    case 'missing':
      return 'Claude Code not found';
    case 'broken':
      return 'Claude Code cannot be used';
    default:
      return null;
  }
}

/** Which one, where from, and what is wrong with it. */
export function cliWords(report: CliReport | null): string {
  const state = cliState(report);
  if (report === null || state === null) return 'Looking for Claude Code.';
  const { found } = report;
  if (found === null) return `Not found. ${report.problem ?? ''}`.trim();
  if (state === 'missing') return `Not found, and npx could not fetch it. ${report.problem ?? ''}`.trim();
  const which = `${found.path}${found.version ? `, ${found.version}` : ''} (${found.source})`;
  return state === 'usable'
    ? `In use: ${which}`
    : `Found, but it cannot be used: ${which}. ${report.problem ?? ''}`.trim();
}
