// What of `@pierre/diffs` is another module in our bundle, and why: it writes styles into HTML strings and `<style>`
// elements, which the content security policy blocks, and it could load every grammar and theme there is.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ours = (name: string) => fileURLToPath(new URL(`./src/review/library/${name}.ts`, import.meta.url));

const instead: [wanted: RegExp, file: string][] = [
  [/(^|\/)hastToHtml\.js$/, ours('html')],
  [/(^|\/)hostTheme\.js$/, ours('theme')],
  [/^shiki\/langs$/, ours('langs')],
  [/^shiki\/(wasm|engine\/oniguruma)$/, ours('none')],
  [/^@pierre\/highlights(\/.*)?$/, ours('none')],
  [/^@pierre\/theming\/themes$/, ours('none')],
];

export function diffsLibrary(): Plugin {
  return {
    name: 'kandev:diffs-library',
    enforce: 'pre',
    resolveId(wanted, importer) {
      if (!importer?.replaceAll('\\', '/').includes('/@pierre/diffs/')) return null;
      return instead.find(([pattern]) => pattern.test(wanted))?.[1] ?? null;
    },
  };
}
