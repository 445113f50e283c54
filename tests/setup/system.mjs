// The system's own packages: looked for everywhere, installed on Debian and Ubuntu.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { Missing, must } from './steps.mjs';

/** The names that Chromium has. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'];

/** How a thing is recognised, and what brings it: `[what, { module | command | commands | folder }, Debian package]`. */
const COMPILE = [['a C compiler and linker', { command: 'cc' }, 'build-essential']];
const WINDOW = [
  ['pkg-config', { command: 'pkg-config' }, 'pkg-config'],
  ['WebKitGTK 4.1', { module: 'webkit2gtk-4.1' }, 'libwebkit2gtk-4.1-dev'],
  ['GTK 3', { module: 'gtk+-3.0' }, 'libgtk-3-dev'],
  ['the library of tray icons', { module: 'ayatana-appindicator3-0.1' }, 'libayatana-appindicator3-dev'],
  ['libsoup 3', { module: 'libsoup-3.0' }, 'libsoup-3.0-dev'],
];
const TESTS = [
  ['git', { command: 'git' }, 'git'],
  ['ps', { command: 'ps' }, 'procps'],
  ['a display without a screen', { command: 'Xvfb' }, 'xvfb'],
  ['a message bus', { command: 'dbus-daemon' }, 'dbus'],
  ['the driver of WebKitGTK', { command: 'WebKitWebDriver' }, 'webkit2gtk-driver'],
  ['Chromium', { commands: CHROMIUM }, 'chromium'],
  ['a font', { folder: '/usr/share/fonts' }, 'fonts-dejavu-core'],
];

/** All that is needed: to compile, to build and show the window, to run the tests. */
export function needs({ window, tests }) {
  return [...COMPILE, ...(window ? WINDOW : []), ...(tests ? TESTS : [])];
}

/** The needs that are not met. */
export function unmet(list, { hasCommand, hasModule, hasFiles }) {
  return list.filter(([, { command, commands, module, folder }]) => {
    if (command) return !hasCommand(command);
    if (commands) return !commands.some(hasCommand);
    if (module) return !hasModule(module);
    return !hasFiles(folder);
  });
}

/** Whether `apt-get` is this system's way, by its os-release. */
export function isDebian(osRelease) {
  const value = (name) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(osRelease)?.[1] ?? '';
  return [value('ID'), ...value('ID_LIKE').split(' ')].some((id) => id === 'debian' || id === 'ubuntu');
}

const system = {
  hasCommand: (command) =>
    (process.env.PATH ?? '')
      .split(delimiter)
      .filter(isAbsolute)
      .some((folder) => {
        try {
          accessSync(join(folder, command), constants.X_OK);
          return true;
        } catch {
          return false;
        }
      }),
  hasModule: (module) => {
    try {
      execFileSync('pkg-config', ['--exists', module], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  },
  hasFiles: (folder) => existsSync(folder) && readdirSync(folder).length > 0,
};

/** Sees to it that all is there, or says what is missing. */
export async function prepareSystem({ window, tests }) {
  if (process.platform === 'win32') return;
  if (process.platform === 'darwin') return prepareMac();
  const list = needs({ window, tests });
  const missing = unmet(list, system);
  if (missing.length === 0) return;
  const packages = missing.map(([, , debian]) => debian);
  const words = missing.map(([what, , debian]) => `  ${what} (on Debian and Ubuntu: ${debian})`).join('\n');
  const osRelease = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!isDebian(osRelease) || !system.hasCommand('apt-get')) {
    throw new Missing(`These are missing; install them with your system's package manager and start again:\n${words}`);
  }
  console.log(`Missing, and installed now:\n${words}`);
  await install(packages);
  const still = unmet(list, system);
  if (still.length > 0) {
    throw new Missing(`Still missing after the installation: ${still.map(([what]) => what).join(', ')}`);
  }
}

async function install(packages) {
  const apt = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  const root = process.getuid() === 0;
  if (!root && !system.hasCommand('sudo')) {
    throw new Missing(`Run this as root, then start again:\n  apt-get update && ${apt.join(' ')}`);
  }
  const env = ['env', 'DEBIAN_FRONTEND=noninteractive'];
  const [program, ...before] = root ? env : ['sudo', ...env];
  await must(program, [...before, 'apt-get', 'update']);
  await must(program, [...before, ...apt]);
}

function prepareMac() {
  try {
    execFileSync('xcode-select', ['-p'], { stdio: 'ignore' });
  } catch {
    throw new Missing("Apple's command line tools are missing: run `xcode-select --install`, then start again");
  }
}
