export { type LaneResult, runDoubleClick } from './double-click.ts';
export { type Charge, createSandboxLedger, type ProviderLedger } from './ledger.ts';
