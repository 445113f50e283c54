// What shared parts ask of the window around them, without knowing it.
import { getContext, setContext } from 'svelte';

export type Surroundings = {
  /** Opens an http, https or mailto address outside the window. */
  openUrl: (url: string) => void;
};

const key = Symbol('surroundings');

export function provideSurroundings(surroundings: Surroundings): void {
  setContext(key, surroundings);
}

/** Where nothing was provided, a link does nothing. */
export function surroundings(): Surroundings {
  return getContext<Surroundings | undefined>(key) ?? { openUrl: () => {} };
}
