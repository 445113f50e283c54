import { expect, it } from 'vitest';
import { colour } from './colouring';
import { grammars, languageNamed, languageOf, type Language } from './languages';

const words = async (code: string, language: Language) =>
  (await colour(code, language)).map((spans, i) => {
    const line = code.split('\n')[i] ?? '';
    return spans.map((s) => [line.slice(s.from, s.to), s.syntax]);
  });

it('colours by meaning', async () => {
  const [first, second] = await words('pub fn delay(n: u32) -> Duration { // why\n    let x = "a";', 'rust');
  expect(first).toContainEqual(['pub', 'keyword']);
  expect(first).toContainEqual(['delay', 'function']);
  expect(first).toContainEqual(['Duration', 'type']);
  expect(first).toContainEqual(['// why', 'comment']);
  expect(second).toContainEqual(['"a"', 'string']);
});

it.each(Object.keys(grammars) as Language[])(
  'has a grammar that the engine can run: %s',
  async (language) => {
    const lines = await colour('# a // b "c" 12\n<x y="z">{ if (a) return 1; }</x>\n', language);
    expect(lines).toHaveLength(3);
  },
  30_000,
);

it('knows languages by fence words and file names', () => {
  expect([languageNamed('TS'), languageNamed('bash'), languageNamed('constructor'), languageNamed(null)]).toEqual([
    'typescript',
    'shellscript',
    null,
    null,
  ]);
  expect([
    languageOf('/a/b.rs'),
    languageOf('C:\\x\\Dockerfile'),
    languageOf('Makefile'),
    languageOf('a.unknown'),
    languageOf('rs'),
  ]).toEqual(['rust', 'dockerfile', 'make', null, 'rust']);
});
