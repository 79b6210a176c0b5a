// Test support of other modules may import from run/testing/ only (`architecture.test.ts`), not from run/ itself.
export { findFreePort } from '#run/free-port.ts';
