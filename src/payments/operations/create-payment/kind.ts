import type { PaymentResponse } from '#payments/payment.ts';
import type { KindOf } from '../operation-kind.ts';
import { type CreatePayment, createPaymentCommand } from './command.ts';
import { createPayment, paymentAtClaim } from './create-payment.ts';
import { createPaymentDefinition, createPaymentProblems } from './definition.ts';
import { createPaymentFollower } from './follow-event.ts';
import { paymentHttp } from './http.ts';
import { createPaymentInvestigator } from './investigate.ts';
import { paymentRows } from './rows.ts';
import { agreeingStates, comparePayment } from './snapshot.ts';

export const createPaymentKind: KindOf<'payment.create', CreatePayment, PaymentResponse> = {
  definition: createPaymentDefinition,
  problems: createPaymentProblems,
  command: createPaymentCommand,
  atClaim: paymentAtClaim,
  handle: (provider, execution, command, checkPurchase) =>
    createPayment(
      provider,
      execution,
      command,
      checkPurchase && (() => checkPurchase({ ...command, tenantId: execution.tenantId })),
    ),
  createInvestigator: (parts) => createPaymentInvestigator(createPaymentDefinition, parts),
  createFollower: createPaymentFollower,
  compareFacts: comparePayment,
  agreeingStates,
  rows: paymentRows,
  http: paymentHttp,
  metrics: {
    activity: 'payment',
    duplicateCharge: { refusedAs: [createPaymentProblems.payment_exists_for_reference.code] },
  },
};
