// `npm start`: sets up what is missing, builds, and opens the app with the arguments given. Where there is no display,
// the rehearsal tour is played as text.
import { prepareModules } from './modules.mjs';
import { buildPage } from './page.mjs';
import { cargo, main, run } from './steps.mjs';
import { prepareSystem } from './system.mjs';
import { checkTools } from './tools.mjs';

const { DISPLAY, WAYLAND_DISPLAY, INIT_CWD } = process.env;
const display = process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
// npm moves into the checkout; a relative folder in the arguments is meant from where npm was called.
const cwd = INIT_CWD ?? process.cwd();
const manifest = new URL('../../Cargo.toml', import.meta.url);

await main(async () => {
  checkTools({ forTests: false });
  await prepareSystem({ window: display, tests: false });
  await prepareModules();
  return display ? openApp(process.argv.slice(2)) : playTour();
});

async function openApp(args) {
  await buildPage();
  const app = ['-p', 'kandev-desktop', '--features', 'custom-protocol'];
  await cargo(['build', ...app]);
  return runBuilt([...app, '--quiet', '--', ...args]);
}

async function playTour() {
  console.log('There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window can open.');
  console.log('Here is the rehearsal tour as text; `kandev run` holds real sessions in the same way.\n');
  const kandev = ['-p', 'kandev-headless', '--bin', 'kandev'];
  await cargo(['build', ...kandev]);
  return runBuilt([...kandev, '--quiet', '--', 'run', '--rehearsal']);
}

/** `cargo run`, for it knows where the program was built. */
function runBuilt(args) {
  const { pathname } = manifest;
  const path = process.platform === 'win32' ? pathname.slice(1) : pathname;
  return run('cargo', ['run', '--manifest-path', decodeURIComponent(path), ...args], { cwd });
}
