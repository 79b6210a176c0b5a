import type { Metadata } from 'next';
import Link from 'next/link';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Card, PageHeading } from '#ui/admin/card.tsx';
import { Row, RowList } from '#ui/admin/row-list.tsx';
import { When } from '#ui/admin/when.tsx';
import { CreateKeyForm } from './create-key-form.tsx';
import { RevokeKey } from './revoke-key.tsx';

export const metadata: Metadata = { title: 'API keys' };

export default async function ApiKeysPage() {
  const api = await serverApi();
  const [me, keys] = await signedIn(Promise.all([api.people.me(), api.apiKeys.list()]));
  const owns = me.role === 'owner';
  return (
    <>
      <PageHeading title="API keys">
        For programs that take payments for {me.tenantName} through the{' '}
        <Link href="/docs" className="underline underline-offset-4">
          HTTP API
        </Link>
        . A key is shown once; only its fingerprint is kept.
      </PageHeading>
      {owns && (
        <Card id="create" title="New key" intro="One for each program, so that one can be revoked alone.">
          <CreateKeyForm />
        </Card>
      )}
      {keys.length === 0 ? (
        <p className="mt-6 rounded-2xl border border-line border-dashed px-5 py-10 text-center text-ink-soft">
          No keys. {owns ? 'The first program needs one.' : 'An owner can make one.'}
        </p>
      ) : (
        <RowList label="API keys">
          {keys.map((key) => (
            <Row
              key={key.id}
              action={
                key.revokedAt ? (
                  <p className="text-ink-faint text-sm">
                    Revoked <When at={key.revokedAt} />
                  </p>
                ) : (
                  owns && <RevokeKey id={key.id} name={key.name} />
                )
              }
            >
              <p className="break-words font-medium">
                {key.name}
                <code className="ml-2 font-mono font-normal text-ink-soft text-sm">{key.prefix}…</code>
              </p>
              <p className="mt-0.5 text-ink-soft text-sm">
                Made <When at={key.createdAt} />
                {' · '}
                {key.lastUsedAt ? (
                  <>
                    last used <When at={key.lastUsedAt} />
                  </>
                ) : (
                  'never used'
                )}
              </p>
            </Row>
          ))}
        </RowList>
      )}
    </>
  );
}
