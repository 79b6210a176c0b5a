import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Card, PageHeading } from '#ui/admin/card.tsx';
import { Link } from '#ui/admin/link.tsx';
import { Row, RowList } from '#ui/admin/row-list.tsx';
import { When } from '#ui/admin/when.tsx';
import { CreateKeyForm } from './create-key-form.tsx';
import { scopeCopy } from './key-copy.ts';
import { RevokeKey } from './revoke-key.tsx';

export const metadata: Metadata = { title: 'API keys' };

export default async function ApiKeysPage() {
  const api = await serverApi();
  const [me, account, keys] = await signedIn(
    Promise.all([api.people.me(), api.account.me(), api.apiKeys.list()]),
  );
  const now = Date.now();
  const isOwner = me.role === 'owner';
  return (
    <>
      <PageHeading title="API keys">
        For programs that take payments for {me.tenantName} through the{' '}
        <Link href="/docs" className="underline underline-offset-4">
          HTTP API
        </Link>
        . A key is shown once; only its hash is stored.
      </PageHeading>
      {isOwner && (
        <Card
          id="create"
          title="New key"
          intro="Use one for each program, so that each can be revoked on its own."
        >
          <CreateKeyForm secondFactor={account.secondFactor} />
        </Card>
      )}
      {keys.length === 0 ? (
        <p className="mt-6 rounded-2xl border border-line border-dashed px-5 py-10 text-center text-ink-soft">
          No keys yet. {isOwner ? 'Create one for your first program.' : 'An owner can create one.'}
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
                ) : key.expiresAt && Date.parse(key.expiresAt) <= now ? (
                  <p className="text-warn text-sm">
                    Expired <When at={key.expiresAt} />
                  </p>
                ) : (
                  isOwner && <RevokeKey id={key.id} name={key.name} />
                )
              }
            >
              <p className="break-words font-medium">
                {key.name}
                <code className="ml-2 font-mono font-normal text-ink-soft text-sm">{key.prefix}…</code>
              </p>
              <p className="mt-0.5 text-ink-soft text-sm">
                Created <When at={key.createdAt} />
                {' · '}
                {key.lastUsedAt ? (
                  <>
                    last used <When at={key.lastUsedAt} />
                  </>
                ) : (
                  'never used'
                )}
              </p>
              <p className="mt-0.5 text-ink-soft text-sm">
                For: {key.scopes.map((scope) => scopeCopy[scope].label.toLowerCase()).join(', ')}
                {' · '}
                {key.expiresAt ? (
                  <>
                    until <When at={key.expiresAt} />
                  </>
                ) : (
                  'until it is revoked'
                )}
              </p>
            </Row>
          ))}
        </RowList>
      )}
    </>
  );
}
