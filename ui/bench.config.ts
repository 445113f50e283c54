import { defineConfig } from 'vitest/config';
import base from './vite.config.ts';

// What views of sessions cost, as ratios: `npm run ui:bench`.
export default defineConfig({ ...base, test: { ...base.test, environment: 'node', include: ['src/**/*.bench.ts'] } });
