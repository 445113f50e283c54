// Colours whole diffs off the main thread.
import '@pierre/diffs/worker/worker.js';
