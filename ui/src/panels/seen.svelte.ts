// Whether anybody can see the side panels: on wide windows always, on others while the drawer or the wide review is open. What
// nobody sees asks for nothing.
import { createSubscriber, MediaQuery } from 'svelte/reactivity';
import type { AppState } from '../app/state.svelte';

let narrow: MediaQuery | null = null;
const subscribe = createSubscriber((update) => {
  document.addEventListener('visibilitychange', update);
  return () => document.removeEventListener('visibilitychange', update);
});

export function isSeen(app: AppState): boolean {
  subscribe();
  narrow ??= new MediaQuery('(max-width: 1279px)');
  return !document.hidden && (app.drawer || app.changes.wide || !narrow.current);
}
