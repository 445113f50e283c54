// One clock for everything that counts seconds on screen. It ticks only while somebody looks at it.
import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** Milliseconds since the epoch; read in a template or a `$derived` it moves on each second. */
export function now(): number {
  subscribe();
  return Date.now();
}
