import { formatMoney } from '#payments/money.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import { Copyable } from '#ui/admin/copyable.tsx';
import { requestedCopy } from '#ui/admin/operation-copy.ts';
import { Fact, Facts, Panel } from '#ui/admin/panel.tsx';
import { When } from '#ui/admin/when.tsx';
import type { Operation } from './operation.ts';

/** The command, and the identifiers to find it in the shop, in the logs and at the provider. */
export function RequestPanel({ operation }: { operation: Operation }) {
  const { about } = operation;
  return (
    <Panel title="Request">
      <Facts>
        <Fact name="Operation">{requestedCopy(operation.operation)}</Fact>
        {about && (
          <>
            <Fact name="Amount">
              <span className="money">{formatMoney(about.own.amount)}</span>
            </Fact>
            <Fact name="Reference">
              <Copyable text={about.payment.reference} name="the reference" />
            </Fact>
            <Fact name="Card" mono>
              {about.payment.card}
            </Fact>
            {about.payment.email && <Fact name="Customer">{about.payment.email}</Fact>}
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
        <Fact name="Id">
          <Copyable text={operation.id} name="the operation’s id" />
        </Fact>
        {/* Also while the provider does not answer: it is what to quote to its support. */}
        {about?.payment.intentId && (
          <Fact name="At the provider">
            <Copyable
              text={about.payment.intentId}
              name="the provider’s id"
              href={operation.providerAddress}
            />
          </Fact>
        )}
        {about?.own.providerId && about.own.providerId !== about.payment.intentId && (
          <Fact name="Refund there">
            <Copyable text={about.own.providerId} name="the provider’s id of the refund" />
          </Fact>
        )}
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
