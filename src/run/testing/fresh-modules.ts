import { afterAll, vi } from 'vitest';

// For the unit tests, many of which are about state that a module of the browser keeps, or replace modules: the next file loads
// ours anew.
afterAll(() => {
  vi.resetModules();
});
