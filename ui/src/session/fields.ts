// Reads values whose shape nobody promised: the data of notices, the payloads of control messages. Pure.

/** A field of a value of any shape. */
export function fieldOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** A field that is a text with something in it. */
export function textOf(value: unknown, name: string): string | null {
  const found = fieldOf(value, name);
  return typeof found === 'string' && found !== '' ? found : null;
}

export function numberOf(value: unknown, name: string): number | null {
  const found = fieldOf(value, name);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** A field that is a list; an empty one where it is none. */
export function listOf(value: unknown, name: string): unknown[] {
  const found = fieldOf(value, name);
  return Array.isArray(found) ? found : [];
}
