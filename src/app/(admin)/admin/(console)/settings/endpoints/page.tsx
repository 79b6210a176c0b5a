import { HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { prefetch, prefetched, serverApi, trpcOfServer } from '#app/trpc/server.ts';
import { BackLink } from '#ui/admin/back-link.tsx';
import { PageHeading } from '#ui/admin/card.tsx';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Endpoints } from './endpoints.tsx';

export const metadata: Metadata = { title: 'Webhook endpoints' };

export default async function EndpointsPage() {
  const api = await serverApi();
  const [me, account] = await signedIn(
    Promise.all([
      api.people.me(),
      api.account.me(),
      prefetch(trpcOfServer.webhookEndpoints.list.queryOptions()),
    ]),
  );
  return (
    <>
      <BackLink href="/admin/settings">Settings</BackLink>
      <PageHeading title="Webhook endpoints">
        Your server gets a signed message about each payment and refund of {me.tenantName}, at every address
        below. <ConsoleLink href="/docs#webhooks">How to verify a message</ConsoleLink>
        {me.role !== 'owner' && '. Owners can change the endpoints.'}
      </PageHeading>
      <HydrationBoundary state={prefetched()}>
        <Endpoints
          isOwner={me.role === 'owner'}
          mayTest={me.role !== 'viewer'}
          secondFactor={account.secondFactor}
        />
      </HydrationBoundary>
    </>
  );
}
