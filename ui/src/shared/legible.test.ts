import { describe, expect, it } from 'vitest';
import { contrast, grounds, legible, parse } from './legible';
import { randomFrom } from './testing/texts';

describe('a colour of a program', () => {
  it('can be read in both themes, whatever it is', () => {
    const random = randomFrom(5);
    for (let n = 0; n < 3000; n++) {
      const colour = `#${random(0x1000000).toString(16).padStart(6, '0')}`;
      const made = legible(colour);
      expect(contrast(parse(made?.dark ?? ''), grounds.dark)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(parse(made?.light ?? ''), grounds.light)).toBeGreaterThanOrEqual(4.5);
    }
  });
  it('stays as it is where it can be read', () => {
    expect(legible('#ff8800')?.dark).toBe('#ff8800');
    expect(legible('#003388')?.light).toBe('#003388');
    expect(legible('#003388')?.dark).not.toBe('#003388');
  });
  it('keeps its hue', () => {
    const [r, g, b] = parse(legible('#000080')?.dark ?? '');
    expect(b).toBeGreaterThan(Math.max(r, g));
  });
  it('is no other text', () =>
    expect(['red', '#fff', '#12345g', 'url(x)', '#000000;color:red'].map(legible)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]));
});
