import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppState } from '../app/state.svelte';
import { blankInfo, ReplayBackend } from '../backend/replay';
import type { SessionInfo } from '../bindings/bindings';
import { mcpStatus } from '../dev/mcp';
import { stageFor } from '../dev/stages';
import { apply } from '../session/view';
import { reactive } from '../shared/testing/reactive.svelte';
import McpServers from './McpServers.svelte';

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
});
const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000 });

let running: ReturnType<typeof mount> | null = null;
afterEach(() => {
  if (running) void unmount(running);
  running = null;
  document.body.replaceChildren();
});

const all = ['mcp_status', 'mcp_toggle', 'mcp_reconnect'];
function show(change: Partial<SessionInfo> = {}) {
  const stage = stageFor('working', 0);
  const [first] = stage.sessions;
  if (first) first.mcp = mcpStatus;
  const backend = new ReplayBackend(stage);
  const app = new AppState(backend);
  app.drawer = true;
  const store = app.storeOf('s1');
  const props = reactive({ app, store, info: { ...blankInfo('s1', '/w', ''), can: all, ...change } });
  running = mount(McpServers, { target: document.body, props });
  flushSync();
  return { backend, app, store, props };
}
const row = (name: string) =>
  [...document.querySelectorAll('li')].find((li) => li.textContent?.trim().startsWith(name)) as HTMLElement;
const button = (text: string, within: ParentNode) =>
  [...within.querySelectorAll('button')].find((b) => b.textContent?.trim().startsWith(text)) as HTMLButtonElement;

it('shows how each server is: state, version, what is wrong', async () => {
  show();
  await until(() => expect(row('postgres')).toBeDefined());
  expect(row('postgres').textContent).toMatch(/connected/);
  expect(row('postgres').textContent).toContain('1.4.2, stdio, of this app');
  expect(row('tracker').textContent).toContain('ECONNREFUSED');
  expect(row('calendar').textContent).toContain('needs a sign-in');
});

it('names the tools of a server when asked', async () => {
  show();
  await until(() => expect(row('postgres')).toBeDefined());
  expect(document.body.textContent).not.toContain('Runs one statement');
  button('3 tools', row('postgres')).click();
  flushSync();
  expect(row('postgres').textContent).toContain('Runs one statement');
});

it('switches a server off and on, connects one again, and shows what the CLI says then', async () => {
  const { backend } = show();
  await until(() => expect(row('postgres')).toBeDefined());
  row('postgres').querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
  await until(() => expect(row('postgres').textContent).toContain('off'));
  button('Reconnect', row('tracker')).click();
  await until(() => expect(row('tracker').textContent).toContain('connected'));
  expect(backend.asked.filter((one) => /^mcp(Toggle|Reconnect)/.test(one.name)).map((one) => one.args)).toEqual([
    ['s1', 'postgres', false],
    ['s1', 'tracker'],
  ]);
});

it('says why the CLI did not do it', async () => {
  const { app, backend } = show();
  await until(() => expect(row('tracker')).toBeDefined());
  backend.failing.set('mcpReconnect', { code: 'refused', message: 'no such server' });
  button('Reconnect', row('tracker')).click();
  await until(() => expect(app.toasts.map((toast) => toast.hint)).toEqual(['no such server']));
});

it('asks nothing of a version that does not know it, and shows what the CLI said by itself', () => {
  const { backend, store } = show({ can: [] });
  apply(store.view, {
    seq: 1,
    at: new Date().toISOString(),
    type: 'session_status',
    data: {
      session_status: 'new',
      model: null,
      cwd: null,
      permission_mode: null,
      tools: [],
      mcp_servers: [{ name: 'lab', status: 'connected' }],
      cli_version: null,
    },
  } as never);
  store.tick += 1;
  flushSync();
  expect(row('lab').textContent).toContain('connected');
  expect(row('lab').querySelector('button, input')).toBeNull();
  expect(backend.asked.some((one) => one.name === 'mcpStatus')).toBe(false);
});
