import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { BackLink } from '#ui/admin/back-link.tsx';
import { When } from '#ui/admin/when.tsx';

export const metadata: Metadata = { title: 'E-mail' };

export default async function EmailPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const api = await serverApi();
  const email = await signedIn(orNotFound(api.outbox.email({ id })));
  return (
    <>
      <BackLink href="/admin/outbox">Outbox</BackLink>
      <h1 className="mt-2 font-semibold text-2xl tracking-[-0.02em]">{email.subject}</h1>
      <p className="mt-1 text-ink-soft text-sm">
        To {email.toAddress}, created <When at={email.createdAt} />
      </p>
      {/* Sandboxed: the content of an e-mail can run no script and reach nothing on this page. */}
      <iframe
        title={`The e-mail "${email.subject}"`}
        sandbox=""
        srcDoc={email.html}
        className="mt-6 h-[720px] w-full rounded-2xl border border-line bg-white"
      />
      <h2 className="mt-8 font-semibold text-lg">As plain text</h2>
      <pre className="mt-2 overflow-x-auto whitespace-pre-wrap rounded-2xl bg-sunken p-5 text-sm">
        {email.text}
      </pre>
    </>
  );
}
