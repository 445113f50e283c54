// An MCP server of the settings as the texts of a form, and what those texts make. Pure. The backend has the last word on
// what it takes; what is checked here is what a person can see to be missing.
import type { McpEntry, McpServer } from '../bindings/bindings';

export type Kind = 'stdio' | 'sse' | 'http';

export type EntryText = {
  name: string;
  value: string;
  secret: boolean;
  /** A saved secret stands behind it, whose value is not known here. */
  kept: boolean;
};

export type ServerText = {
  name: string;
  enabled: boolean;
  kind: Kind;
  command: string;
  /** One to a line, each taken as it stands. */
  args: string;
  url: string;
  /** Variables or headers, by the kind. */
  entries: EntryText[];
};

export const kinds: { value: Kind; name: string; says: string }[] = [
  { value: 'stdio', name: 'Program (stdio)', says: 'A program on this machine that the CLI starts with each session.' },
  { value: 'http', name: 'HTTP', says: 'A server that is reached by its address.' },
  { value: 'sse', name: 'SSE', says: 'A server of the older kind that sends events over one open answer.' },
];

export const emptyText = (): ServerText => ({
  name: '',
  enabled: true,
  kind: 'stdio',
  command: '',
  args: '',
  url: '',
  entries: [],
});

export function textOf(server: McpServer): ServerText {
  const { transport } = server;
  const entries = (transport.kind === 'stdio' ? transport.env : transport.headers).map((entry) => ({
    name: entry.name,
    value: entry.value ?? '',
    secret: entry.secret,
    kept: entry.secret && entry.value === null,
  }));
  const base = { ...emptyText(), name: server.name, enabled: server.enabled, kind: transport.kind, entries };
  return transport.kind === 'stdio'
    ? { ...base, command: transport.command, args: transport.args.join('\n') }
    : { ...base, url: transport.url };
}

export type Made = { server: McpServer } | { problems: Map<string, string> };

/** `before`: the server that is changed; null for a new one. `others`: the names that are taken. */
export function serverOf(text: ServerText, before: McpServer | null, others: string[]): Made {
  const problems = new Map<string, string>();
  const name = text.name.trim();
  if (name === '') problems.set('name', 'A name is needed.');
  else if (!/^[\w-]{1,64}$/.test(name)) problems.set('name', 'Letters, digits, _ and - alone, at most 64.');
  else if (others.includes(name)) problems.set('name', 'Another server has this name.');
  if (text.kind === 'stdio' && text.command.trim() === '') problems.set('command', 'A command is needed.');
  if (text.kind !== 'stdio' && !/^https?:\/\/[^\s/]/i.test(text.url.trim()))
    problems.set('url', 'An address with http or https is needed.');
  const seen = new Set<string>();
  const entries: McpEntry[] = [];
  text.entries.forEach((entry, i) => {
    const own = entry.name.trim();
    if (own === '' && entry.value === '' && !entry.kept) return;
    if (own === '') problems.set(`entry.${i}`, 'A name is needed.');
    else if (seen.has(text.kind === 'stdio' ? own : own.toLowerCase()))
      problems.set(`entry.${i}`, 'It is there twice.');
    seen.add(text.kind === 'stdio' ? own : own.toLowerCase());
    const keeps = entry.kept && entry.value === '' && entry.secret;
    if (keeps && !isSameHome(text, before, own))
      problems.set(`entry.${i}`, 'Enter the value again: the saved one belongs to the old name or kind.');
    else if (entry.secret && entry.value === '' && !entry.kept) problems.set(`entry.${i}`, 'A value is needed.');
    entries.push({ name: own, value: keeps ? null : entry.value, secret: entry.secret });
  });
  if (problems.size > 0) return { problems };
  const transport: McpServer['transport'] =
    text.kind === 'stdio'
      ? { kind: 'stdio', command: text.command.trim(), args: linesOf(text.args), env: entries }
      : { kind: text.kind, url: text.url.trim(), headers: entries };
  return { server: { name, enabled: text.enabled, transport } };
}

/** A saved secret belongs to the name of its server, the name of its entry, and whether that is a variable or a header. */
function isSameHome(text: ServerText, before: McpServer | null, entry: string): boolean {
  if (before === null || before.name !== text.name.trim()) return false;
  if ((before.transport.kind === 'stdio') !== (text.kind === 'stdio')) return false;
  const old = before.transport.kind === 'stdio' ? before.transport.env : before.transport.headers;
  return old.some((one) => one.secret && one.name === entry);
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

/** What it is, in one line. */
export function summary(server: McpServer): string {
  const { transport } = server;
  return transport.kind === 'stdio' ? [transport.command, ...transport.args].join(' ') : transport.url;
}
