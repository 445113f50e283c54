import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// What views of sessions cost, as ratios: `npm run ui:bench`.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: { environment: 'node', include: ['src/**/*.bench.ts'], testTimeout: 60_000 },
});
