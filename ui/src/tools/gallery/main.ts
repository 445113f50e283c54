// The gallery page: `gallery.html#theme=light`. For development and its pictures; the app does not contain it.
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '../../shared/tokens.css';
import '../../app/base.css';
import { mount } from 'svelte';
import Gallery from './Gallery.svelte';

const theme = new URLSearchParams(location.hash.slice(1)).get('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
document.documentElement.style.height = 'auto';
document.body.style.height = 'auto';
document.body.style.overflow = 'auto';
const target = document.getElementById('app');
if (target) mount(Gallery, { target });
