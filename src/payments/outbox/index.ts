// For the worker. The console's side is in console.ts, which a Next route can load: it renders and sends nothing.
export type { OutboxMessage } from './consume-event.ts';
export type { DescribePurchase } from './email-consumers.ts';
export { verifySignature } from './signature.ts';
export { createOutboxTasks, type OutboxObservation, type OutboxSettings } from './tasks.ts';
