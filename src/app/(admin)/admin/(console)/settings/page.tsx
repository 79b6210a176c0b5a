import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Card, PageHeading } from '#ui/admin/card.tsx';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { When } from '#ui/admin/when.tsx';
import { ContactForm } from './contact-form.tsx';
import { RefundLimits } from './refund-limits.tsx';
import { SettingsForm } from './settings-form.tsx';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage() {
  const api = await serverApi();
  const [me, account, settings, currencies, limits] = await signedIn(
    Promise.all([
      api.people.me(),
      api.account.me(),
      api.settings.get(),
      api.payment.currencies(),
      api.refunds.limits(),
    ]),
  );
  const isOwner = me.role === 'owner';
  return (
    <>
      <PageHeading title="Settings">
        The settings of {me.tenantName}. Where a field is empty, the default of the installation applies.
        {!isOwner && ' Owners can change this.'}
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
        updatedAt={settings.updatedAt}
        providerTimeoutMs={settings.providerTimeoutMs}
        readOnly={!isOwner}
        secondFactor={account.secondFactor}
      />
      <RefundLimits
        currencies={currencies}
        limits={limits}
        readOnly={!isOwner}
        secondFactor={account.secondFactor}
      />
      <Card
        id="shop-contact"
        title="Contact"
        intro="Shoppers see this address wherever a page or an e-mail gives them a reference to quote."
      >
        <ContactForm email={settings.contactEmail} readOnly={!isOwner} secondFactor={account.secondFactor} />
      </Card>
      <Card
        id="webhooks"
        title="Webhooks"
        intro="Your server gets a signed message about each payment and refund, at every address that you choose."
      >
        <ConsoleLink href="/admin/settings/endpoints">Webhook endpoints</ConsoleLink>
      </Card>
    </>
  );
}
