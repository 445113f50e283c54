// The window on written events, in a browser: `dev.html#state=working&theme=dark`. Not part of the app.
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '../shared/tokens.css';
import '../app/base.css';
import '../app/menu.css';
import { mount } from 'svelte';
import { acts } from '../app/acts';
import App from '../app/App.svelte';
import { AppState, type DialogName, type PanelName } from '../app/state.svelte';
import { ReplayBackend } from '../backend/replay';
import { stageFor } from './stages';

const asked = new URLSearchParams(location.hash.slice(1));
const state = asked.get('state') ?? 'working';
const theme = asked.get('theme');
const stage = stageFor(state, Number(asked.get('rows') ?? 0));
if (theme === 'light' || theme === 'dark') stage.app.settings = { ...stage.app.settings, theme };
if (asked.has('calm')) stage.app.settings = { ...stage.app.settings, calm: true };
if (asked.has('slice')) stage.slice = Number(asked.get('slice'));

const backend = new ReplayBackend(stage);
const app = new AppState(backend);
const scope = asked.get('scope');
if (scope === 'turn' || scope === 'session' || scope === 'git') app.changes.scope = scope;
if (asked.has('wide')) app.changes.wide = true;
if (asked.has('split')) stage.app.settings = { ...stage.app.settings, diff_style: 'split' };
const panel = asked.get('panel');
if (panel) app.panel = panel as PanelName;
if (asked.has('drawer')) setTimeout(() => (app.drawer = true), 100);
const target = document.getElementById('app');
if (target) mount(App, { target, props: { app } });
if (state === 'inbox') setTimeout(() => app.openInbox(), 50);
const section = asked.get('section');
if (section === 'mcp') app.settingsSection = section;
if (state === 'new') setTimeout(() => app.openNew(), 50);
const words = asked.get('words');
if (words !== null)
  setTimeout(() => {
    const field = document.querySelector<HTMLInputElement>('[role="combobox"]');
    if (!field) return;
    field.value = words;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, 300);
if (state === 'close' || state === 'quit')
  setTimeout(
    () => backend.askToClose({ running: 2, waiting: 1, tray: !asked.has('notray'), quit: state === 'quit' }),
    100,
  );
if (state === 'restore') setTimeout(() => runAct('restore'), 200);
if (state === 'delete') setTimeout(() => runAct('delete'), 200);
function runAct(id: string): void {
  acts(app)
    .find((act) => act.id === id)
    ?.run();
}
if (asked.has('dialog')) setTimeout(() => (app.dialog = asked.get('dialog') as DialogName), 100);
Object.assign(window, { app, backend });
