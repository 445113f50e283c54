// For tests: props that can change after mounting.
export function reactive<T extends object>(value: T): T {
  const state = $state(value);
  return state;
}
