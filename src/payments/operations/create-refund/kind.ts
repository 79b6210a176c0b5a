import type { KindOf } from '../operation-kind.ts';
import { type CreateRefund, createRefund, createRefundCommand } from './create-refund.ts';
import { createRefundDefinition, createRefundProblems } from './definition.ts';
import { createRefundFollower } from './follow-event.ts';
import { refundHttp } from './http.ts';
import { createRefundInvestigator } from './investigate.ts';
import type { RefundResponse } from './refund.ts';
import { refundRows } from './rows.ts';
import { agreeingStates, compareRefund } from './snapshot.ts';

export const createRefundKind: KindOf<'refund.create', CreateRefund, RefundResponse> = {
  definition: createRefundDefinition,
  problems: createRefundProblems,
  command: createRefundCommand,
  handle: (provider, execution, command) => createRefund(provider, execution, command),
  createInvestigator: createRefundInvestigator,
  createFollower: createRefundFollower,
  compareFacts: compareRefund,
  agreeingStates,
  rows: refundRows,
  http: refundHttp,
  metrics: { activity: 'refund', duplicateCharge: null },
};
