export { findFreePort } from '#run/free-port.ts';
