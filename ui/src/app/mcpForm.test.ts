import { describe, expect, it } from 'vitest';
import type { McpServer } from '../bindings/bindings';
import { emptyText, serverOf, summary, textOf, type ServerText } from './mcpForm';

const postgres: McpServer = {
  name: 'postgres',
  enabled: true,
  transport: {
    kind: 'stdio',
    command: 'npx',
    args: ['-y', '@example/pg', ''],
    env: [
      { name: 'PGHOST', value: 'localhost', secret: false },
      { name: 'PGPASSWORD', value: null, secret: true },
    ],
  },
};
const text = (over: Partial<ServerText>): ServerText => ({ ...emptyText(), name: 'a', command: 'b', ...over });
const problems = (made: ReturnType<typeof serverOf>) => ('problems' in made ? [...made.problems.keys()] : []);

describe('an MCP server as a form', () => {
  it('comes back as it was, its secrets kept', () => {
    const same = { ...postgres, transport: { ...postgres.transport, args: ['-y', '@example/pg'] } };
    expect(serverOf(textOf(postgres), postgres, [])).toEqual({ server: same });
    const http: McpServer = {
      name: 'h',
      enabled: false,
      transport: { kind: 'http', url: 'https://a.example/mcp', headers: [{ name: 'X', value: 'y', secret: false }] },
    };
    expect(serverOf(textOf(http), http, [])).toEqual({ server: http });
  });

  it('takes one argument a line, with all that stands in it', () => {
    const made = serverOf(text({ args: '--name\ntwo words \n\n-x' }), null, []);
    expect('server' in made && made.server.transport).toMatchObject({ args: ['--name', 'two words ', '-x'] });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a b' }, 'name'],
    [{ name: 'taken' }, 'name'],
    [{ command: ' ' }, 'command'],
    [{ kind: 'http' as const, url: 'example.org' }, 'url'],
    [{ kind: 'sse' as const, url: 'file:///etc' }, 'url'],
    [{ entries: [{ name: '', value: 'x', secret: false, kept: false }] }, 'entry.0'],
    [{ entries: [{ name: 'A', value: '', secret: true, kept: false }] }, 'entry.0'],
  ])('says what is missing: %j', (over, field) => {
    expect(problems(serverOf(text(over), null, ['taken']))).toEqual([field]);
  });

  it('wants a saved secret again when its server or it itself is called otherwise', () => {
    const given = textOf(postgres);
    expect(problems(serverOf({ ...given, name: 'pg' }, postgres, []))).toEqual(['entry.1']);
    const renamed = given.entries.map((one) => (one.kept ? { ...one, name: 'PGPASS' } : one));
    expect(problems(serverOf({ ...given, entries: renamed }, postgres, []))).toEqual(['entry.1']);
    expect(problems(serverOf({ ...given, kind: 'http', url: 'https://a.example' }, postgres, []))).toEqual(['entry.1']);
    const again = given.entries.map((one) => (one.kept ? { ...one, value: 'new' } : one));
    expect(problems(serverOf({ ...given, name: 'pg', entries: again }, postgres, []))).toEqual([]);
  });

  it('tells headers that differ in case alone from none, and variables not', () => {
    const twice = ['X-Key', 'x-key'].map((name) => ({ name, value: '1', secret: false, kept: false }));
    expect(problems(serverOf(text({ kind: 'http', url: 'https://a.example', entries: twice }), null, []))).toEqual([
      'entry.1',
    ]);
    expect(problems(serverOf(text({ entries: twice }), null, []))).toEqual([]);
  });

  it('is told in one line', () => expect(summary(postgres)).toBe('npx -y @example/pg '));
});
