'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Card } from '#ui/admin/card.tsx';
import { EmptyList } from '#ui/admin/data-table.tsx';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/notice.tsx';
import { EndpointCard } from './endpoint-card.tsx';
import { NewEndpoint } from './new-endpoint.tsx';

/** Deliveries come and go while the page is open. */
const pollMs = 5_000;

export function Endpoints(props: { isOwner: boolean; mayTest: boolean; secondFactor: boolean }) {
  const { isOwner } = props;
  const { data, isError, isFetching, refetch } = useQuery({
    ...useTRPC().webhookEndpoints.list.queryOptions(),
    refetchInterval: pollMs,
    refetchOnWindowFocus: 'always',
  });
  if (!data) {
    return isError ? (
      <Failed busy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <p role="status" className="mt-6 text-ink-soft">
        Loading the endpoints…
      </p>
    );
  }
  const { endpoints, eventTypes, max } = data;
  const read = async () => void (await refetch());
  return (
    <>
      {isError && <Failed busy={isFetching} onRetry={() => void refetch()} />}
      {endpoints.length === 0 ? (
        <EmptyList className="mt-6">
          No endpoints yet: no webhooks are sent.{' '}
          {isOwner ? 'Add the first one below.' : 'An owner can add one.'}
        </EmptyList>
      ) : (
        <ul aria-label="Endpoints" className="mt-6 grid gap-6">
          {endpoints.map((endpoint) => (
            <EndpointCard
              key={endpoint.id}
              endpoint={endpoint}
              eventTypes={eventTypes}
              onChanged={read}
              {...props}
            />
          ))}
        </ul>
      )}
      {isOwner && (
        <Card
          id="new-endpoint"
          title="New endpoint"
          intro="Every address gets each event once, and has a signing secret of its own, which is shown once."
        >
          {endpoints.length < max ? (
            <NewEndpoint eventTypes={eventTypes} secondFactor={props.secondFactor} onAdded={read} />
          ) : (
            <p className="text-ink-soft text-sm">
              A shop has at most {max} endpoints. Remove one to add another.
            </p>
          )}
        </Card>
      )}
    </>
  );
}

function Failed({ busy, onRetry }: { busy: boolean; onRetry: () => void }) {
  return (
    <div role="alert" className="mt-6">
      <Notice tone="danger" title="The endpoints could not be read.">
        <p>What is shown may be out of date. Messages are sent as usual.</p>
        <Button tone="secondary" size="small" className="mt-2" busy={busy} onClick={onRetry}>
          Try again
        </Button>
      </Notice>
    </div>
  );
}
