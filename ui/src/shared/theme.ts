// The theme that the page is drawn in, for what cannot be styled by the tokens alone.
import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const observer = new MutationObserver(update);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
});

/** Read in an effect or a template, it is read again when the theme changes. */
export function theme(): 'light' | 'dark' {
  subscribe();
  return document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';
}
