// For the worker. The console's side is in console.ts, which a Next route can load: it renders and sends nothing.
export { consumeEvent, createConsumers, type OutboxMessage } from './consume-event.ts';
export type { DescribePurchase } from './email-consumers.ts';
export { createOutbox, type Outbox, type OutboxObservation, type OutboxSettings } from './outbox.ts';
export { relayBatchSize } from './relay.ts';
