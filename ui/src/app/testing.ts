// The whole window in a test, on a stage of the replayed backend.
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { ReplayBackend, type Stage } from '../backend/replay';
import { stageFor } from '../dev/stages';
import App from './App.svelte';
import { AppState } from './state.svelte';

let running: ReturnType<typeof mount> | null = null;

/** Each test of the file has a window of its own. */
export function windowPerTest(): void {
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    // jsdom lays nothing out; the window only needs these to exist.
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe(): void {}
        unobserve(): void {}
        disconnect(): void {}
      },
    );
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    Element.prototype.scrollIntoView = () => undefined;
  });
  afterEach(close);
}

/** Waits for it; a machine under load may take its time. */
export const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000 });

/** Takes the window away, as the end of the page would. */
export function close(): void {
  if (running) void unmount(running);
  running = null;
  document.body.replaceChildren();
}

export async function opened(on: string | Stage, rows = 0): Promise<{ app: AppState; backend: ReplayBackend }> {
  const backend = new ReplayBackend(typeof on === 'string' ? stageFor(on, rows) : on);
  const app = new AppState(backend);
  running = mount(App, { target: document.body, props: { app } });
  await until(() => expect(app.place).not.toBe('loading'));
  await until(() => expect(app.cli).not.toBeNull());
  flushSync();
  return { app, backend };
}
