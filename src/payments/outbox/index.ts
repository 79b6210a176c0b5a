// For the worker. The console's side is in console.ts, which a Next route can load: it renders and sends nothing.
export { verifySignature } from './signature.ts';
export { createOutboxTasks, type OutboxObservation, type OutboxSettings } from './tasks.ts';
