import { randomUUID } from 'node:crypto';
import { mintInvitationToken } from '#console/members/invitations.ts';
import { roles } from '#console/members/membership.ts';
import { mintApiKey } from '#console/settings/api-key-token.ts';
import { createPaymentKind } from '#payments/index.ts';
import type { ConsoleHarness } from '#server/testing/console-harness.ts';

export interface FullShop {
  readonly tenantId: string;
  /** Part of every text in its rows: a response that contains it reveals data of this shop. */
  readonly mark: string;
  /** Everything that an input can identify: row ids, and the token of an invitation. */
  readonly ids: readonly string[];
  readonly token: string;
  readonly apiKey: string;
  readonly owner: Awaited<ReturnType<ConsoleHarness['createMember']>>;
  /** Has an account, and an open invitation to this shop. */
  readonly invited: Awaited<ReturnType<ConsoleHarness['createPerson']>>;
}

/**
 * A shop with a row of every kind. A new procedure may need a new row: the authorization test fails when a procedure
 * finds none of these.
 */
export async function openFullShop(harness: ConsoleHarness, mark: string): Promise<FullShop> {
  const { db } = harness;
  const tenantId = await harness.openShop(mark);
  const scoped = { tenantId };
  const [owner, ...others] = await Promise.all(
    roles.toReversed().map((role) => harness.createMember(tenantId, role)),
  );
  if (!owner) throw new Error('A shop has an owner.');
  const sessions = await db.session.findMany({ where: { userId: owner.userId } });

  const invited = await harness.createPerson(`invited-${mark}@example.com`);
  const { token, tokenHash } = mintInvitationToken();
  const invitation = await db.invitation.create({
    data: {
      id: randomUUID(),
      organizationId: tenantId,
      email: invited.email,
      role: 'viewer',
      tokenHash,
      inviterId: owner.userId,
      delivery: 'shown',
      expiresAt: new Date(Date.now() + 3_600_000),
    },
  });
  const key = mintApiKey();
  const apiKey = await db.apiKey.create({
    data: { ...scoped, name: mark, prefix: key.prefix, hash: key.hash },
  });
  await db.tenantSettings.create({ data: { ...scoped, replayHours: 48, updatedBy: mark } });

  const operationId = await createUnknownOperation(harness, tenantId, mark);
  const payment = await db.payment.create({
    data: {
      ...scoped,
      id: randomUUID(),
      operationId,
      reference: mark,
      amountMinor: 1200,
      currency: 'usd',
      paymentMethod: 'pm_card_visa',
      status: 'pending',
      providerIntentId: `pi_${mark}`,
    },
  });
  const refund = await db.refund.create({
    data: {
      ...scoped,
      id: randomUUID(),
      paymentId: payment.id,
      operationId: randomUUID(),
      reference: mark,
      amountMinor: 100,
      status: 'pending',
    },
  });
  const product = await db.product.create({
    data: {
      ...scoped,
      slug: mark,
      name: mark,
      description: mark,
      amountMinor: 1200,
      currency: 'usd',
      art: 'mug',
    },
  });
  const order = await db.order.create({
    data: {
      ...scoped,
      number: mark,
      amountMinor: 1200,
      currency: 'usd',
      lines: { create: [{ productId: product.id, name: mark, quantity: 1, unitAmountMinor: 1200 }] },
    },
  });
  const failed = { ...scoped, status: 'failed', attempts: 3, lastError: mark };
  const mail = { toAddress: `${mark}@example.com`, subject: mark, html: mark, text: mark };
  const email = await db.email.create({ data: { ...failed, ...mail, dedupeKey: `receipt:${payment.id}` } });
  const endpoint = await db.merchantWebhookEndpoint.create({
    data: {
      ...{ ...scoped, url: `https://${mark}.example/`, description: mark },
      ...{ secret: Buffer.from(mark), secretKey: 'test' },
    },
  });
  const disabledEndpoint = await db.merchantWebhookEndpoint.create({
    data: {
      ...{ ...scoped, url: `https://${mark}.example/disabled`, disabledAt: new Date() },
      ...{ secret: Buffer.from(mark), secretKey: 'test' },
    },
  });
  const event = await db.outboxEvent.create({
    data: { ...scoped, paymentId: payment.id, sourceId: payment.id, type: 'payment.succeeded' },
  });
  const delivery = await db.merchantWebhookDelivery.create({
    data: { ...failed, eventId: event.id, endpointId: endpoint.id, type: event.type, body: mark },
  });
  const providerEvent = await db.providerEvent.create({
    data: {
      ...scoped,
      provider: 'sandbox',
      eventId: `evt_${mark}`,
      type: mark,
      operationId,
      payload: { mark },
    },
  });
  const exception = await db.reconciliationException.create({
    data: { ...scoped, paymentId: payment.id, intentId: `pi_late_${mark}`, reason: 'order_cancelled' },
  });
  const lostPayment = await db.reconciliationException.create({
    data: { ...scoped, paymentId: payment.id, intentId: `pi_lost_${mark}`, reason: 'record_lost' },
  });
  const [proposer] = others;
  const proposal = await db.resolutionProposal.create({
    data: {
      ...scoped,
      operationId,
      assertion: 'charged',
      reason: mark,
      evidence: { state: 'no_response', code: mark },
      evidenceDigest: mark,
      proposerId: proposer?.userId ?? mark,
      proposerEmail: `${mark}@example.com`,
    },
  });
  const refundProposal = await db.refundProposal.create({
    data: {
      ...scoped,
      paymentId: payment.id,
      amountMinor: 100,
      refundsBefore: 1,
      reason: mark,
      proposerId: proposer?.userId ?? mark,
      proposerEmail: `${mark}@example.com`,
    },
  });
  const view = await db.savedView.create({
    data: { ...scoped, userId: owner.userId, name: mark, query: 'status=unknown' },
  });
  const audit = await db.auditEntry.create({
    data: {
      ...scoped,
      actorId: owner.userId,
      actorEmail: `${mark}@example.com`,
      action: 'operation.reconcile',
      subjectType: 'operation',
      subjectId: operationId,
      reason: mark,
    },
  });

  // Counts are flushed now, so that no row of this shop changes later.
  await harness.services.metrics.flush();
  const rows = [invitation, apiKey, payment, refund, product, order, email, event, delivery];
  const endpoints = [endpoint, disabledEndpoint];
  return {
    tenantId,
    mark,
    token,
    apiKey: key.token,
    owner,
    invited,
    ids: [
      tenantId,
      operationId,
      token,
      String(audit.id),
      ...[
        ...rows,
        ...endpoints,
        providerEvent,
        exception,
        lostPayment,
        proposal,
        refundProposal,
        view,
        ...sessions,
      ].map(({ id }) => id),
      ...[owner, ...others].flatMap(({ userId, memberId }) => [userId, memberId]),
    ],
  };
}

/** An unknown operation, made by the engine itself. */
async function createUnknownOperation(
  harness: ConsoleHarness,
  tenantId: string,
  mark: string,
): Promise<string> {
  const key = `${mark}-${randomUUID()}`;
  const request = { tenantId, principal: mark, keyHeader: key, input: { mark } };
  const outcome = await harness.services.engine.run(createPaymentKind.definition, request, async () => ({
    kind: 'unknown',
    code: 'timeout',
    evidence: { mark },
  }));
  if (outcome.kind !== 'pending') throw new Error(`The operation is ${outcome.kind}.`);
  return outcome.operationId;
}
