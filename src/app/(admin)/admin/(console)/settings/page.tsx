import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Card, PageHeading } from '#ui/admin/card.tsx';
import { When } from '#ui/admin/when.tsx';
import { SettingsForm } from './settings-form.tsx';
import { WebhookForm } from './webhook-form.tsx';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage() {
  const api = await serverApi();
  const [me, settings, endpoint] = await signedIn(
    Promise.all([api.people.me(), api.settings.get(), api.settings.webhookEndpoint()]),
  );
  const owns = me.role === 'owner';
  return (
    <>
      <PageHeading title="Settings">
        What {me.tenantName} decides for itself. Where it decides nothing, the installation’s default holds.
        {!owns && ' Owners can change this.'}
      </PageHeading>
      {settings.updatedAt && (
        <p className="mt-2 text-ink-faint text-sm">
          Last changed <When at={settings.updatedAt} />
          {settings.updatedBy && ` by ${settings.updatedBy}`}
        </p>
      )}
      <SettingsForm
        choice={settings.choice}
        limits={settings.limits}
        providerTimeoutMs={settings.providerTimeoutMs}
        readOnly={!owns}
      />
      <Card
        id="webhook"
        title="Webhook"
        intro="Where your own server hears of payments and refunds. Each message is signed; the secret for that is shown once, when the address is set."
      >
        {endpoint ? (
          <p className="text-sm">
            <code className="break-all font-mono text-[0.8125rem]">{endpoint.url}</code>
            <span className="mt-0.5 block text-ink-faint text-xs">
              Set <When at={endpoint.createdAt} />
            </span>
          </p>
        ) : (
          <p className="text-ink-soft text-sm">No address is set: nobody is told.</p>
        )}
        {owns && <WebhookForm isSet={endpoint !== null} />}
      </Card>
    </>
  );
}
