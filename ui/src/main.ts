import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import './shared/tokens.css';
import './app/base.css';
import './app/menu.css';
import { mount } from 'svelte';
import App from './app/App.svelte';
import { AppState } from './app/state.svelte';
import { tauriBackend } from './backend/tauri';

const target = document.getElementById('app');
if (target) mount(App, { target, props: { app: new AppState(tauriBackend()) } });
