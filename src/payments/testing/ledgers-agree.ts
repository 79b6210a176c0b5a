import type { PrismaClient } from '#prisma';

interface SandboxCharge {
  readonly intent: string;
  readonly status: string;
  readonly amount: number;
}

interface SandboxRefund {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Compares the provider's charges and refunds with our books, for everything that is resolved: nothing was charged or paid
 * back twice, all that moved at the provider is booked or an exception, and all that is booked has moved. Harnesses call it
 * when they close, so it follows every test that pays.
 */
export async function assertLedgersAgree(
  db: PrismaClient,
  sandboxUrl: string,
  tenantId: string,
): Promise<void> {
  const [charges, refunds] = await Promise.all([
    readLedger<SandboxCharge>(`${sandboxUrl}/_sandbox/charges?tenant=${encodeURIComponent(tenantId)}`),
    readLedger<SandboxRefund>(`${sandboxUrl}/_sandbox/refunds`),
  ]);
  const exceptions = await db.reconciliationException.findMany({ where: { tenantId } });
  await assertChargesAgree();
  await assertRefundsAgree();

  async function assertChargesAgree(): Promise<void> {
    const payments = await db.payment.findMany({
      where: { tenantId, status: { in: ['succeeded', 'pending'] } },
    });
    const excused = new Set([
      ...exceptions.map(({ intentId }) => intentId),
      ...payments.filter(({ status }) => status === 'pending').map((row) => row.providerIntentId),
    ]);
    expectSame(
      'charges',
      charges
        .filter(({ status, intent }) => ['succeeded', 'refunded'].includes(status) && !excused.has(intent))
        .map(({ intent, amount }) => `${intent} ${amount}`),
      payments
        .filter(({ providerIntentId }) => !excused.has(providerIntentId))
        .map(({ providerIntentId, amountMinor }) => `${providerIntentId} ${amountMinor}`),
    );
  }

  async function assertRefundsAgree(): Promise<void> {
    const rows = await db.refund.findMany({ where: { tenantId } });
    const flagged = new Set(exceptions.map(({ refundId }) => refundId));
    // What was made in the provider's dashboard has no metadata, and what was paid after it had been returned has those of the row
    // that failed. Both are compared by the id.
    const byId = new Map(refunds.map((one) => [one.id, one]));
    const madeElsewhere = ({ providerRefundId, operationId }: (typeof rows)[number]) => {
      const one = byId.get(providerRefundId ?? '');
      return one?.metadata.operation === operationId ? undefined : one;
    };
    for (const row of rows) {
      const { amountMinor, status } = row;
      const one = madeElsewhere(row);
      if (one)
        expectSame(
          'refunds',
          [`${one.id} ${one.amount} ${one.status}`],
          [`${one.id} ${amountMinor} ${status}`],
        );
    }
    const excused = new Set([
      // What never was in the books is refunded under the exception's own id, and not booked.
      ...exceptions.map(({ id }) => id),
      ...rows
        .filter(
          (row) =>
            row.status === 'pending' ||
            row.status === 'failed' ||
            flagged.has(row.id) ||
            madeElsewhere(row) !== undefined,
        )
        .map(({ operationId }) => operationId),
    ]);
    expectSame(
      'refunds',
      refunds
        .filter(
          ({ metadata }) => metadata.paidonce_tenant === tenantId && !excused.has(metadata.operation ?? ''),
        )
        .filter(({ status }) => status === 'succeeded')
        .map(({ metadata, amount }) => `${metadata.operation} ${amount}`),
      rows
        .filter(({ status, operationId }) => status === 'succeeded' && !excused.has(operationId))
        .map(({ operationId, amountMinor }) => `${operationId} ${amountMinor}`),
    );
  }
}

async function readLedger<Row>(url: string): Promise<Row[]> {
  return ((await (await fetch(url)).json()) as { data: Row[] }).data;
}

function expectSame(what: string, theirs: readonly string[], ours: readonly string[]): void {
  const [a, b] = [theirs.toSorted().join('\n'), ours.toSorted().join('\n')];
  if (a !== b) throw new Error(`The ${what} disagree. The provider has:\n${a}\nand we have:\n${b}`);
}
