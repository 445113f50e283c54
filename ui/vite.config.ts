import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { frozenPrototypes } from './frozen.ts';
import { diffsLibrary } from './diffs.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: here,
  plugins: [svelte(), diffsLibrary(), frozenPrototypes()],
  // Workers that load grammars when they need them are modules.
  worker: { format: 'es', plugins: () => [diffsLibrary(), frozenPrototypes()] },
  clearScreen: false,
  cacheDir: fileURLToPath(new URL('../node_modules/.vite', import.meta.url)),
  server: { port: 1420, strictPort: true, host: '127.0.0.1' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'safari16',
    // The CSP lets in files of the app alone: nothing as data address, no polyfill put in as a script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  // Without it Svelte's server build is loaded, and `mount` fails.
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    // For a machine under load; a test that hangs still ends.
    testTimeout: 60_000,
  },
});
