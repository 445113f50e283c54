// The gallery page: `gallery.html#bash-error&theme=light`, `#group-questions`, `#all`, `#show=bash-error`;
// without an id, the index. For
// development and its pictures; the app does not contain it.
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '../../shared/tokens.css';
import '../../app/base.css';
import { flushSync, mount, unmount } from 'svelte';
import { entries, groupId, groups } from './entries';
import Gallery from './Gallery.svelte';

document.documentElement.style.height = 'auto';
document.body.style.height = 'auto';
document.body.style.overflow = 'auto';

let shown: ReturnType<typeof mount> | null = null;
function show(): void {
  const [first = '', ...rest] = location.hash.slice(1).split('&');
  const named = !first.includes('=');
  const asked = new URLSearchParams(named ? rest.join('&') : location.hash.slice(1));
  const wanted = named ? decodeURIComponent(first) : (asked.get('show') ?? '');
  const theme = asked.get('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const target = document.getElementById('app');
  if (!target) return;
  if (shown) void unmount(shown);
  shown = mount(Gallery, { target, props: { wanted } });
  flushSync();
  scrollTo(0, 0);
  document.documentElement.dataset.shown = location.hash;
}

addEventListener('hashchange', show);
show();
// For the photographer and the tests of the page.
Object.assign(window, {
  gallery: { entries: entries.map(({ id, group, title }) => ({ id, group, title })), groups: groups.map(groupId) },
});
