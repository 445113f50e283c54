import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
  { ignores: ['**/dist/**', '**/bindings/**'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@tauri-apps/*'], message: 'Only ui/src/backend speaks to Tauri.' }] },
      ],
      '@typescript-eslint/no-unused-expressions': ['error', { allowShortCircuit: true, allowTernary: true }],
      // Text with braces or spaces at its ends reads better as a string.
      'svelte/no-useless-mustaches': 'off',
      // A draft of something is a state of its own.
      'svelte/prefer-writable-derived': 'off',
      // Views are rebuilt by number, not by reactive collections.
      'svelte/prefer-svelte-reactivity': 'off',
      // The window has no routes; links open outside.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  { files: ['**/backend/tauri.ts'], rules: { 'no-restricted-imports': 'off' } },
);
