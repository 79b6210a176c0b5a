export { ArmedFault } from './armed-fault.ts';
export { Connection } from './connection.ts';
export { type CutPoint, cutPoints, type Fault, type FaultAction, isCutPoint } from './fault.ts';
