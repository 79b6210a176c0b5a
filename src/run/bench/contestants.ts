import { openEngineWorkload } from './engine-workload.ts';
import { openFloorWorkload } from './floor-workload.ts';
import { openPaymentWorkload } from './payment-workload.ts';
import type { OpenOptions, Workload } from './workload.ts';

/** Who is measured in a process of its own. pgbench, the limit, is a program by itself. */
export const contestants = {
  engine: {
    label: 'Paidonce engine, 3 commits',
    open: (options: OpenOptions): Workload => openEngineWorkload(options, { commits: 3 }),
  },
  engine2: {
    label: 'Paidonce engine, 2 commits',
    open: (options: OpenOptions): Workload => openEngineWorkload(options, { commits: 2 }),
  },
  payment: { label: 'Paidonce createPayment, 3 commits', open: openPaymentWorkload },
  floor: {
    label: 'hand-written pg, 2 commits, no recovery',
    open: (options: OpenOptions): Workload => openFloorWorkload(options, { protected: true }),
  },
  unprotected: {
    label: 'no protection at all, 1 commit',
    open: (options: OpenOptions): Workload => openFloorWorkload(options, { protected: false }),
  },
} as const;
export type Contestant = keyof typeof contestants;
