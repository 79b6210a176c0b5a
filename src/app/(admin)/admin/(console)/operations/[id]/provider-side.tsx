import type { Money } from '#payments/money.ts';
import { codeWords } from '#ui/admin/code-copy.ts';
import { Panel } from '#ui/admin/panel.tsx';
import { SidesTable } from '#ui/admin/sides-table.tsx';
import { sayingWords } from '#ui/admin/verdict-copy.ts';
import { Notice } from '#ui/notice.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import { serverApi } from '#app/trpc/server.ts';
import type { Look, Member, Operation } from './operation.ts';
import { ResolvePanel } from './resolve-panel.tsx';

/** Asked while the page is shown, so it comes a moment later than the rest, or says that no answer came. */
export async function ProviderSide(props: {
  operation: Operation;
  amount: Money;
  role: Member['role'];
  proposed: boolean;
}) {
  const { operation } = props;
  const api = await serverApi();
  const look = await api.operation.look({ operationId: operation.id }).catch(() => null);
  return (
    <>
      <Panel title="Our record and the provider’s" aside="Asked just now" bare>
        {look?.sides ? <SidesTable sides={look.sides} /> : <NoWord look={look} />}
      </Panel>
      <ResolvePanel
        operationId={operation.id}
        operation={operation.operation}
        status={operation.status}
        amount={props.amount}
        look={look}
        role={props.role}
        proposed={props.proposed}
      />
    </>
  );
}

function NoWord({ look }: { look: Look | null }) {
  const sighting = look?.sighting;
  if (sighting?.says === 'refused') {
    return (
      <Notice tone="unknown" title={`${sayingWords('refused')}.`}>
        {codeWords(sighting.code ?? '')}. That proves nothing about what happened.
      </Notice>
    );
  }
  if (sighting?.says === 'missing') return <Notice tone="plain" title="There is nothing to ask about." />;
  return (
    <Notice tone="unknown" title="The provider did not answer.">
      {sighting?.code ? `${codeWords(sighting.code)}. ` : ''}Nothing is known of its side at the moment, and
      silence proves nothing.
    </Notice>
  );
}

export function AskingProvider() {
  return (
    <Panel title="Our record and the provider’s" aside="Asking the provider…" bare>
      <div role="status" className="rounded-2xl border border-line bg-surface px-5 py-4 shadow-card">
        <span className="sr-only">Asking the provider</span>
        {['a', 'b', 'c', 'd', 'e'].map((row) => (
          <div key={row} className="flex gap-6 py-2.5">
            <Skeleton className="h-5 w-24" />
            <Skeleton className="h-5 flex-1" />
            <Skeleton className="h-5 flex-1" />
          </div>
        ))}
      </div>
    </Panel>
  );
}
