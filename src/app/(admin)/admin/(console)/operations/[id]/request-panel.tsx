import { formatMoney } from '#payments/money.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import { requestedCopy } from '#ui/admin/operation-copy.ts';
import { Fact, Facts, Panel } from '#ui/admin/panel.tsx';
import { When } from '#ui/admin/when.tsx';
import type { Operation } from './operation.ts';

/** The command, and the identifiers to find it in the shop, in the logs and at the provider. */
export function RequestPanel({ operation }: { operation: Operation }) {
  const { about } = operation;
  return (
    <Panel title="What was asked">
      <Facts>
        <Fact name="Operation">{requestedCopy(operation.operation)}</Fact>
        {about && (
          <>
            <Fact name="Amount">
              <span className="money">{formatMoney(about.own.amount)}</span>
            </Fact>
            <Fact name="Reference" mono>
              {about.payment.reference}
            </Fact>
            <Fact name="Card" mono>
              {about.payment.card}
            </Fact>
            {about.payment.receiptTo && <Fact name="Receipt to">{about.payment.receiptTo}</Fact>}
          </>
        )}
        <Fact name="Began">
          <When at={operation.createdAt} precise />
        </Fact>
        <Fact name="Attempt">
          {operation.attempt}
          {about && about.payment.generation > 1 && `, try ${about.payment.generation} at the provider`}
        </Fact>
        <Fact name="Key" mono>
          {operation.key}
        </Fact>
        <Fact name="Fingerprint" mono>
          {operation.fingerprint} v{operation.fingerprintVersion}
        </Fact>
        <Fact name="Id" mono>
          {operation.id}
        </Fact>
        {/* Once it is completed, earlier errors are in the timeline only. */}
        {operation.errorCode && operation.status !== 'completed' && (
          <Fact name="Why">{codeCopy(operation.errorCode, operation.operation)}</Fact>
        )}
        {operation.expiresAt && (
          <Fact name="Replayed until">
            <When at={operation.expiresAt} />
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
