// Starts the real app in a real window and drives it by WebDriver: a display, a home, a data folder and a driver of its
// own for each, and proof at the end that nothing is left. Knows nothing of what the window shows.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { remote } from 'webdriverio';
import { Display } from './x11.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
/** The app, with the page built in. */
export const APP = process.env.KANDEV_DESKTOP ?? join(TARGET, 'debug/kandev-desktop');
export const RECORDINGS = join(ROOT, 'tests/transcripts');
const MARK = 'KANDEV_TEST_MARK';

/** A program of this checkout that must have been built before. */
export function built(name) {
  const path = join(TARGET, 'debug', name);
  accessSync(path, constants.X_OK);
  return path;
}

/** Waits for a condition; says what it was when it does not come. */
export async function until(what, condition, { within = 15_000, every = 50 } = {}) {
  const end = Date.now() + within;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A place to run things in: folders, a display, an environment that shows nothing of the machine's user. */
export class Lab {
  static async open({ width = 1440, height = 900, bus = false } = {}) {
    const lab = new Lab();
    try {
      await lab.start(width, height, bus);
    } catch (error) {
      await lab.close();
      throw error;
    }
    return lab;
  }

  mark = randomUUID();
  root = mkdtempSync(join(tmpdir(), 'kandev-window-'));
  home = this.folder('home');
  data = this.folder('data');
  workspace = this.folder('workspace');
  children = [];

  folder(name) {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  async start(width, height, bus) {
    this.env = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LANG: 'C.UTF-8',
      HOME: this.home,
      SHELL: '/bin/false',
      XDG_CONFIG_HOME: this.folder('home/.config'),
      XDG_DATA_HOME: this.folder('home/.local/share'),
      XDG_CACHE_HOME: this.folder('home/.cache'),
      XDG_STATE_HOME: this.folder('home/.local/state'),
      XDG_RUNTIME_DIR: this.folder('run'),
      TMPDIR: this.folder('tmp'),
      // No bus unless the test is about it: else each app would start one that outlives it.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      NO_AT_BRIDGE: '1',
      // The last place that is looked in for a CLI is the registry. No test leaves this machine.
      npm_config_offline: 'true',
      [MARK]: this.mark,
    };
    const screen = `${width}x${height}x24`;
    const display = this.spawn('Xvfb', ['-displayfd', '3', '-screen', '0', screen, '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    this.env.DISPLAY = `:${await firstLine('Xvfb', display, display.stdio[3])}`;
    if (bus) {
      this.bus = this.spawn('dbus-daemon', ['--session', '--nofork', '--print-address=3'], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      this.env.DBUS_SESSION_BUS_ADDRESS = await firstLine('dbus-daemon', this.bus, this.bus.stdio[3]);
    }
  }

  spawn(program, args, options = {}) {
    const child = spawn(onPath(program), args, { env: this.env, stdio: 'ignore', ...options });
    child.on('error', () => {});
    this.children.push(child);
    return child;
  }

  /** Runs the app without a driver to its end. */
  async run(args = [], env = {}) {
    const child = this.spawn(APP, args, { env: { ...this.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    let stdout = '';
    child.stderr.on('data', (bytes) => (stderr += bytes));
    child.stdout.on('data', (bytes) => (stdout += bytes));
    const [code, signal] = await once(child, 'close');
    return { code, signal, stdout, stderr };
  }

  /** Opens the app's window under a driver. */
  async app(args = [], env = {}) {
    accessSync(APP, constants.X_OK);
    const port = await freePort();
    const driver = this.spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
      env: { ...this.env, TAURI_WEBVIEW_AUTOMATION: 'true', ...env },
      stdio: [
        'ignore',
        process.env.KANDEV_TEST_LOUD ? 'inherit' : 'ignore',
        process.env.KANDEV_TEST_LOUD ? 'inherit' : 'ignore',
      ],
    });
    await until('the driver answers', async () => {
      if (driver.exitCode !== null) throw new Error(`WebKitWebDriver ended with ${driver.exitCode}`);
      return fetch(`http://127.0.0.1:${port}/status`).then(
        (answer) => answer.ok,
        () => false,
      );
    });
    const browser = await remote({
      hostname: '127.0.0.1',
      port,
      path: '/',
      logLevel: 'error',
      connectionRetryCount: 0,
      capabilities: {
        'webkitgtk:browserOptions': { binary: APP, args: ['--data-dir', this.data, ...args] },
        'wdio:enforceWebDriverClassic': true,
      },
    });
    return new App(this, browser, driver, `http://127.0.0.1:${port}`);
  }

  /** The size that the window had when it was closed last. */
  remember(width, height) {
    const rest = {
      x: 0,
      y: 0,
      prev_x: 0,
      prev_y: 0,
      visible: true,
      decorated: true,
      maximized: false,
      fullscreen: false,
    };
    writeFileSync(join(this.data, 'window.json'), JSON.stringify({ main: { width, height, ...rest } }));
  }

  /** Every process that was started here and lives, but for the lab's own and what its bus has started. */
  processes() {
    const own = new Set(this.children.map((child) => child.pid));
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && !own.has(Number(name)))
      .map(Number)
      .filter((pid) => {
        try {
          const env = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
          const isOfBus = env.some((variable) => variable.startsWith('DBUS_STARTER_'));
          return env.includes(`${MARK}=${this.mark}`) && !isOfBus;
        } catch {
          return false;
        }
      })
      .map((pid) => ({ pid, command: commandOf(pid) }))
      .filter(({ command }) => command !== '');
  }

  /** What is to be seen on the display. */
  async screen() {
    this.display ??= await Display.open(this.env.DISPLAY);
    return this.display;
  }

  /** Ends what is left; the folders go. */
  async close() {
    this.display?.close();
    for (const child of this.children.toReversed()) {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    for (const { pid } of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went by itself.
      }
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The app's window. */
class App {
  constructor(lab, browser, driver, address) {
    this.lab = lab;
    this.browser = browser;
    this.driver = driver;
    this.address = address;
    this.ended = false;
    this.pid = lab.processes().find(({ pid }) => executableOf(pid) === APP)?.pid;
  }

  /** What went wrong in the page since it was loaded. */
  problems() {
    return this.browser.execute(() => [...window.__problems]);
  }

  /** The same, and forgets them: a test that provokes them looks at them itself. */
  takeProblems() {
    return this.browser.execute(() => window.__problems.splice(0));
  }

  /** Calls a command as a script in the page would; how it was answered. */
  invoke(command, args = {}) {
    return this.browser.execute(
      (name, given) =>
        window.__TAURI_INTERNALS__.invoke(name, given).then(
          (value) => ({ value }),
          (error) => ({ refused: typeof error === 'string' ? error : `${error.code}` }),
        ),
      command,
      args,
    );
  }

  /** The app's windows on the display, the oldest first; the system's dialogs among them. */
  async windows() {
    const all = await (await this.lab.screen()).windows();
    return all.filter(({ title }) => title === 'Kandev Desktop').sort((one, other) => one.id - other.id);
  }

  /** Those that can be seen. */
  async seen() {
    return (await this.windows()).filter(({ seen }) => seen);
  }

  /** What is drawn in a window: a hash of it, and how many colours it has. */
  async picture(id) {
    return (await this.lab.screen()).picture(id);
  }

  /** Presses the frame's button of a window, of the newest one that can be seen if none is named. */
  async press(window) {
    const id = (window ?? (await this.seen()).at(-1)).id;
    await (await this.lab.screen()).closeWindow(id);
  }

  /** Closes the window, and quits when that is asked. */
  async close() {
    await this.press();
    await until('the question is answered, or the app has ended', async () => {
      if (!isAlive(this.pid)) return true;
      const answer = await this.invoke('answer_close', { choice: 'quit', remember: false }).catch(() => ({}));
      return answer.refused === undefined;
    });
    await this.#gone('the app has ended');
  }

  /** Waits until it has ended by itself. */
  async gone() {
    await this.#gone('the app has ended');
  }

  /** Asks the app to end as a session manager would, and waits until it has. */
  async quit() {
    process.kill(this.pid, 'SIGTERM');
    await this.#gone('the app has ended');
  }

  /** The app ends without a chance to do anything about it. */
  async kill() {
    process.kill(this.pid, 'SIGKILL');
    await this.#gone('the app is gone');
  }

  async #gone(what) {
    this.ended = true;
    await until(what, () => !isAlive(this.pid));
    this.driver.kill('SIGKILL');
  }
}

function isAlive(pid) {
  try {
    // A zombie is waited for by the driver, and no process any more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The lab's tools are found where this program finds them, whatever PATH they are given. */
function onPath(program) {
  if (isAbsolute(program)) return program;
  for (const folder of process.env.PATH.split(':')) {
    try {
      const path = join(folder, program);
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this one.
    }
  }
  throw new Error(`${program} is not installed`);
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function executableOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

/** The first line that a program says; fails when it ends or cannot be started. */
export async function firstLine(name, child, stream) {
  const lines = createInterface({ input: stream });
  const line = once(lines, 'line').then(([text]) => text);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code}`);
  });
  const missing = once(child, 'error').then(([error]) => {
    throw new Error(`${name} cannot be started: ${error.message}`);
  });
  failed.catch(() => {});
  missing.catch(() => {});
  const text = await Promise.race([line, failed, missing]);
  lines.close();
  return text.trim();
}
