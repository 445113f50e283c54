// The CLI's suggestions in words (PROTOCOL 6.2). Each is offered by itself: taken together they allow more than any of them
// says. Pure. A suggestion that is not understood says so, and is never given a friendlier meaning.
import type { PermissionRequest } from '../bindings/bindings';
import { within } from '../shared/paths';
import { isRecord } from '../tools/detail';

export type SuggestionWords = {
  /** What it does from now on. */
  label: string;
  /** For how long, or where it is kept. */
  scope: string | null;
  /** All of it, for a hover. */
  whole: string;
};

/**
 * The suggestions that may be shown, with their places in the request. Where the CLI says that no lasting rule may come of
 * the answer, only the change of mode is left.
 */
export function offered(request: PermissionRequest): { at: number; suggestion: unknown }[] {
  const all = request.suggestions.map((suggestion, at) => ({ at, suggestion }));
  if (request.data.suppress_always_allow_rule !== true) return all;
  return all.filter(({ suggestion }) => isRecord(suggestion) && suggestion.type === 'setMode');
}

export function suggestionWords(suggestion: unknown, workspace: string): SuggestionWords {
  const whole = JSON.stringify(suggestion) ?? String(suggestion);
  if (!isRecord(suggestion)) return unknown(whole, null);
  const scope = scopeWords(suggestion.destination);
  switch (suggestion.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules': {
      const rules = Array.isArray(suggestion.rules) ? suggestion.rules.map((r) => ruleWords(r, workspace)) : [];
      if (rules.length === 0 || rules.some((r) => r === null)) return unknown(whole, suggestion.type);
      const what = listed(rules.filter((r) => r !== null));
      return { label: `${ruleVerb(suggestion.type, suggestion.behavior)} ${what}`, scope, whole };
    }
    case 'setMode':
      return typeof suggestion.mode === 'string'
        ? { label: modeWords(suggestion.mode), scope, whole }
        : unknown(whole, 'setMode');
    case 'addDirectories':
    case 'removeDirectories': {
      const folders = Array.isArray(suggestion.directories)
        ? suggestion.directories.filter((d) => typeof d === 'string')
        : [];
      if (folders.length === 0) return unknown(whole, suggestion.type);
      const names = folders.map((f) => folderWords(f, workspace));
      const verb = suggestion.type === 'addDirectories' ? 'Allow' : 'No longer allow';
      return { label: `${verb} ${listed(names)}`, scope, whole };
    }
    default:
      return unknown(whole, typeof suggestion.type === 'string' ? suggestion.type : null);
  }
}

function unknown(whole: string, type: string | null): SuggestionWords {
  return { label: `Allow, with a change this version does not know${type ? `: ${type}` : ''}`, scope: null, whole };
}

function ruleVerb(type: string, behavior: unknown): string {
  if (type === 'removeRules')
    return behavior === 'deny' ? 'No longer deny' : behavior === 'ask' ? 'No longer ask for' : 'No longer allow';
  const only = type === 'replaceRules' ? 'only ' : '';
  if (behavior === 'deny') return `Always deny ${only}`.trimEnd();
  if (behavior === 'ask') return `Always ask for ${only}`.trimEnd();
  return `Always allow ${only}`.trimEnd();
}

/** A rule: `Bash(git log:*)` is `git log *`, `Read(//etc/**)` is `reading /etc/**`. */
function ruleWords(rule: unknown, workspace: string): string | null {
  if (!isRecord(rule) || typeof rule.toolName !== 'string') return null;
  const content = typeof rule.ruleContent === 'string' && rule.ruleContent !== '' ? rule.ruleContent : null;
  const mcp = /^mcp__(.+?)__(.+)$/.exec(rule.toolName);
  if (mcp) return content === null ? `${mcp[1]}: ${mcp[2]}` : `${mcp[1]}: ${mcp[2]}, ${content}`;
  if (content === null) return `every ${rule.toolName}`;
  switch (rule.toolName) {
    case 'Bash':
      return content.replace(/:\*$/, ' *');
    case 'Read':
      return `reading ${pathWords(content, workspace)}`;
    case 'Edit':
    case 'Write':
      return `edits in ${pathWords(content, workspace)}`;
    case 'WebFetch':
      return content.startsWith('domain:') ? `fetching from ${content.slice('domain:'.length)}` : `fetching ${content}`;
    default:
      return `${rule.toolName}(${content})`;
  }
}

/** In a rule `//` begins an absolute path. */
function pathWords(path: string, workspace: string): string {
  return path.startsWith('//') ? within(path.slice(1), workspace) : path;
}

function folderWords(folder: string, workspace: string): string {
  return folder.replace(/[\\/]+$/, '') === workspace.replace(/[\\/]+$/, '')
    ? 'this folder'
    : `the folder ${within(folder, workspace)}`;
}

function modeWords(mode: string): string {
  switch (mode) {
    case 'acceptEdits':
      return 'Accept edits from now on';
    case 'bypassPermissions':
      return 'Ask for nothing from now on';
    case 'default':
      return 'Ask as usual from now on';
    case 'plan':
      return 'Plan only from now on';
    case 'dontAsk':
      return 'Deny what no rule allows from now on';
    default:
      return `Permission mode ${mode} from now on`;
  }
}

function scopeWords(destination: unknown): string | null {
  switch (destination) {
    case 'session':
      return 'this session';
    case 'localSettings':
      return 'this project, local settings';
    case 'projectSettings':
      return 'this project, shared settings';
    case 'userSettings':
      return 'all projects';
    case 'cliArg':
      return 'until the CLI ends';
    default:
      return typeof destination === 'string' ? destination : null;
  }
}

function listed(names: string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
