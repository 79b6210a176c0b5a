export { exportCurl } from './export-curl.ts';
export { exportPlaywright } from './export-playwright.ts';
export { createLab, type Lab, LabBusy, type LabParts } from './lab.ts';
export { createFaultInjector } from './lane/fault-injector.ts';
export { createFaultyProvider, createFaultyStore } from './lane/faulty-parts.ts';
export type { LaneMessage, Preparation, UntimedEvent } from './lane/messages.ts';
export { createNaiveCheckout, createNaiveTable } from './lane/naive-checkout.ts';
export { type Charge, createSandboxLedger, type ProviderLedger } from './ledger.ts';
export type { RunView } from './run-view.ts';
export {
  cutPointsOf,
  type LaneName,
  laneNames,
  type Scenario,
} from './scenario.ts';
export { findScenario, scenarios } from './scenarios.ts';
export { seedSchema } from './seed.ts';
export { xRay } from './x-ray.ts';
