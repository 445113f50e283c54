// Who asks, what for, where and why, in words. Pure.
import type { PermissionRequest, Policy } from '../bindings/bindings';
import { parseDiff } from '../shared/diff';
import type { IconName } from '../shared/icons';
import { within } from '../shared/paths';
import { duration, plural } from '../shared/time';
import { textOf } from '../session/fields';
import { isRecord } from '../tools/detail';
import { lineCount } from '../tools/heads';

export type CardHead = { icon: IconName; title: string; arg: string; code: boolean };

export function cardHead(request: PermissionRequest, workspace: string): CardHead {
  const payload = request.normalized;
  const plain = (title: string, arg: string, code: boolean): CardHead => ({ icon: 'wait', title, arg, code });
  switch (request.action_type) {
    case 'question':
      return {
        icon: 'ask',
        title: payload.kind === 'ask_user' && payload.ask_user.questions.length > 1 ? 'Questions' : 'Question',
        arg: '',
        code: false,
      };
    case 'plan':
      return { icon: 'plan', title: 'Approve this plan?', arg: '', code: false };
    case 'command':
      return plain(
        'Allow this command?',
        payload.kind === 'shell_exec' ? (payload.shell_exec.description ?? '') : '',
        false,
      );
    case 'file_write': {
      if (payload.kind !== 'modify_file') return plain('Allow this change?', request.tool_name, false);
      const { file_path, mutations } = payload.modify_file;
      const title = mutations.some((m) => m.type === 'create')
        ? 'Allow this new file?'
        : mutations.some((m) => m.type === 'delete')
          ? 'Allow removing this file?'
          : 'Allow this edit?';
      return plain(title, within(file_path, workspace), true);
    }
    case 'file_read':
      return plain(
        'Allow reading this file?',
        payload.kind === 'read_file' ? within(payload.read_file.file_path, workspace) : '',
        true,
      );
    case 'network':
      return payload.kind === 'http_request' && payload.http_request.url !== null
        ? plain('Allow fetching this page?', payload.http_request.url, true)
        : plain(
            'Allow this web search?',
            payload.kind === 'http_request' ? (payload.http_request.query ?? '') : '',
            false,
          );
    case 'mcp_tool':
      return plain(
        unstyled(request.data.title) ?? 'Allow this tool?',
        payload.kind === 'mcp_tool' ? `${payload.mcp_tool.server}: ${payload.mcp_tool.tool}` : request.tool_name,
        true,
      );
    default:
      if (isOdd(request)) return plain('Allow this?', request.tool_name, true);
      return plain(
        unstyled(request.data.title) ?? `Allow ${request.data.display_name ?? request.tool_name}?`,
        request.tool_title === request.tool_name ? '' : request.tool_title,
        false,
      );
  }
}

/** Asked in a shape that this build does not know: it is shown as it came, and can be answered all the same. */
export function isOdd(request: PermissionRequest): boolean {
  return request.tool_name.trim() === '' || !isRecord(request.input);
}

/** A fact: words, and a path or address that stands behind them as code. */
export type Fact = { words: string; code: string | null };

export function who(request: PermissionRequest, parentTitle: string | null): Fact {
  const agent = request.data.agent_id;
  if (parentTitle !== null) return { words: `Subagent “${parentTitle}”`, code: agent };
  if (agent !== null) return { words: 'A subagent of this session', code: agent };
  return { words: 'This session', code: null };
}

export function what(request: PermissionRequest): Fact {
  if (isOdd(request)) return { words: 'A request in a shape that this version does not know', code: null };
  const parts = [request.data.display_name ?? request.tool_name];
  const payload = request.normalized;
  if (payload.kind === 'shell_exec') {
    const { command, timeout, background } = payload.shell_exec;
    if (command !== null && lineCount(command.trimEnd()) > 1) parts.push(plural(lineCount(command.trimEnd()), 'line'));
    if (background) parts.push('in the background');
    if (timeout !== null) parts.push(`at most ${duration(timeout)}`);
  } else if (payload.kind === 'modify_file') {
    const hunks = payload.modify_file.mutations.reduce(
      (n, m) => n + (m.diff === null ? 1 : parseDiff(m.diff).files.reduce((k, f) => k + f.hunks.length, 0)),
      0,
    );
    if (payload.modify_file.mutations.some((m) => m.type === 'create')) parts.push('new file');
    else if (hunks > 0) parts.push(plural(hunks, 'hunk'));
  } else if (payload.kind === 'mcp_tool') {
    const from = textOf(request.data.mcp_server, 'source');
    return {
      words: `Tool ${payload.mcp_tool.tool} of the MCP server ${payload.mcp_tool.server}${from ? ` (${fromWords(from)})` : ''}`,
      code: null,
    };
  }
  return { words: parts.join(', '), code: null };
}

export function where(request: PermissionRequest, workspace: string): Fact {
  const payload = request.normalized;
  switch (payload.kind) {
    case 'modify_file':
      return { words: '', code: payload.modify_file.resolved_path ?? payload.modify_file.file_path };
    case 'read_file':
      return { words: '', code: payload.read_file.file_path };
    case 'shell_exec':
      return { words: '', code: payload.shell_exec.work_dir ?? workspace };
    case 'http_request':
      return payload.http_request.url === null
        ? { words: 'The web', code: null }
        : { words: '', code: hostOf(payload.http_request.url) };
    default:
      return { words: '', code: workspace };
  }
}

export function why(request: PermissionRequest, policy: Policy): Fact {
  const { decision_reason_type: type, blocked_path: blocked } = request.data;
  const reason = unstyled(request.data.decision_reason);
  const said = reason === null ? '' : `: ${reason}`;
  const rule = ruleOf(request);
  if (rule !== null)
    return { words: `${reason === null ? '' : `${reason}. `}Your rule in ${rule.place} asks for it:`, code: rule.rule };
  if (blocked !== null) return { words: `${reason ?? 'Blocked path'}:`, code: blocked };
  switch (type) {
    case 'hook':
      if (policy === 'supervised' && (reason === null || /supervised/i.test(reason))) {
        return { words: 'Policy supervised asks before everything that can change something', code: null };
      }
      return { words: `${hookWords(request)} asks${said}`, code: null };
    case 'rule':
      return {
        words: `A rule in ${placeWords(request.data.decision_reason_rule_source ?? null)} asks${said}`,
        code: null,
      };
    case 'mode':
      return { words: `The permission mode asks${said}`, code: null };
    case 'workingDir':
      return { words: reason ?? 'Outside the working folder', code: null };
    case 'safetyCheck':
      return {
        words: `Safety check${request.data.classifier_approvable === false ? ', which only a person may pass' : ''}${said}`,
        code: null,
      };
    case 'subcommandResults':
      return { words: `Parts of this command need permission${said}`, code: null };
    default:
      break;
  }
  if (reason !== null) return { words: reason, code: null };
  if (request.data.server_policy_ask_only === true)
    return { words: 'The policy for this MCP server is to ask each time', code: null };
  if (request.action_type === 'question') return { words: 'The agent needs your answer to go on', code: null };
  if (request.action_type === 'plan')
    return { words: 'The plan is written; the session stays in plan mode until you approve', code: null };
  switch (policy) {
    case 'supervised':
      return { words: 'Policy supervised asks before everything that can change something', code: null };
    case 'plan':
      return { words: 'Policy plan: what is not reading is asked for', code: null };
    case 'rules':
      return { words: 'No rule allows it, so the CLI asks', code: null };
    case 'autonomous':
      return { words: 'The CLI asks, although this session skips permissions', code: null };
  }
}

/** What goes on when it is answered. */
export function next(request: PermissionRequest, parentTitle: string | null): Fact {
  const subagent = parentTitle !== null || request.data.agent_id !== null;
  const waits = subagent
    ? 'The subagent waits for your answer; the others go on'
    : 'The turn waits for your answer, and goes on with it';
  const alone = request.data.requires_user_interaction ? '. No rule may answer it for you' : '';
  return { words: `${waits}${alone}`, code: null };
}

/** `Bash(git push:*)`, where a rule of the user's own has the call asked for, and where that stands. */
function ruleOf(request: PermissionRequest): { rule: string; place: string } | null {
  const rule = request.data.matched_ask_rule;
  const tool = textOf(rule, 'tool_name');
  if (tool === null) return null;
  const content = textOf(rule, 'rule_content');
  const source = textOf(rule, 'source');
  return { rule: `${tool}${content === null ? '' : `(${content})`}`, place: placeWords(source) };
}

function hookWords(request: PermissionRequest): string {
  const { decision_reason_hook_event: event, decision_reason_hook_source: source } = request.data;
  return `A ${event ? `${event} ` : ''}hook${source ? ` of ${placeWords(source)}` : ''}`;
}

/** Where a rule or a hook is kept. */
function placeWords(source: string | null): string {
  const known: Record<string, string> = {
    userSettings: 'the user settings',
    projectSettings: 'the project settings',
    localSettings: 'the local project settings',
    policySettings: 'the managed settings',
    flagSettings: 'the settings given at the start',
    cliArg: 'the arguments of the start',
    command: 'a command',
    session: 'this session',
  };
  return source === null ? 'the settings' : (known[source] ?? source);
}

/** Where an MCP server comes from. */
function fromWords(source: string): string {
  const known: Record<string, string> = {
    user: 'from the user settings',
    project: 'from the project',
    local: 'from the local project settings',
    dynamic: 'given by this app',
    sdk: 'of this app',
    plugin: 'of a plugin',
    managed: 'managed',
    enterprise: 'managed',
    claudeai: 'of claude.ai',
    agent: 'of an agent',
  };
  return known[source] ?? source;
}

/** A text of the CLI's without what would colour a terminal. */
function unstyled(text: string | null): string | null {
  // eslint-disable-next-line no-control-regex
  const plain = text?.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').trim() ?? '';
  return plain === '' ? null : plain;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
