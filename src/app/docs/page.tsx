import type { Metadata } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { readEnv } from '#server/env.ts';
import { CodePanel } from '#ui/docs/code-panel.tsx';
import { DocsNav } from '#ui/docs/docs-nav.tsx';
import { OperationSection } from '#ui/docs/operation-section.tsx';
import { ProblemIndex } from '#ui/docs/problem-index.tsx';
import { SecondRequestTable } from '#ui/docs/second-request-table.tsx';
import { Notice } from '#ui/notice.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { problems } from '../problems/problem-table.ts';
import { readApi } from './read-api.ts';
import { secondRequestRows } from './second-request.ts';
import { webhookExample, webhookSample } from './webhook-sample.ts';

export const metadata: Metadata = { title: 'API reference' };

const link = 'underline decoration-line-strong underline-offset-4 hover:decoration-accent';
const code = 'font-mono text-[0.9em]';

export default function DocsPage() {
  const { PUBLIC_URL, provider } = readEnv();
  const { operations, version } = readApi(PUBLIC_URL);
  const sections = [
    { id: 'start', name: 'Start here' },
    { id: 'second-request', name: 'Repeated requests' },
    ...operations.map(({ id, summary, method }) => ({ id, name: summary, method })),
    { id: 'webhooks', name: 'Webhooks' },
    { id: 'problems', name: 'Problems' },
  ];
  return (
    <PageShell wide>
      <div className="lg:grid lg:grid-cols-[13rem_1fr] lg:gap-10">
        <DocsNav sections={sections} />
        <div className="min-w-0">
          <h1 className="font-semibold text-4xl tracking-[-0.03em] sm:text-5xl">API reference</h1>
          <p className="mt-4 max-w-[58ch] text-ink-soft text-lg leading-8">
            Send it as often as you like: it happens once. Five operations over HTTPS, JSON in and out,
            amounts as integers in minor units.
          </p>
          <p className="mt-3 text-ink-faint text-sm">
            Version {version} ·{' '}
            <a href="/api/v1/openapi.json" className={`inline-flex min-h-11 items-center ${link}`}>
              OpenAPI description
            </a>
          </p>

          <Section id="start" title="Start here">
            <Steps sandbox={provider === 'sandbox'} url={PUBLIC_URL} />
          </Section>

          <Section id="second-request" title="What a repeated request gets">
            <p className="mt-2 max-w-[62ch] text-ink-soft leading-7">
              A key names one request, and only that one: the same request under the same key is answered by
              what the key finds.
            </p>
            <SecondRequestTable rows={secondRequestRows} />
          </Section>

          {operations.map((operation) => (
            <OperationSection key={operation.id} operation={operation} />
          ))}

          <Section id="webhooks" title="Webhooks">
            <Webhooks />
          </Section>

          <Section id="problems" title="Problems">
            <p className="mt-2 max-w-[62ch] text-ink-soft leading-7">
              Everything that is not an answer comes as <code className={code}>application/problem+json</code>{' '}
              (RFC 9457). Act on its <code className={code}>code</code>; its{' '}
              <code className={code}>newKey</code> says whether the same request under a new key is safe; its{' '}
              <code className={code}>type</code> is the address of a page that explains it.
            </p>
            <ProblemIndex problems={problems} />
          </Section>
        </div>
      </div>
    </PageShell>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="scroll-mt-6 border-line border-t py-12 first-of-type:mt-8"
    >
      <h2 id={`${id}-title`} className="font-semibold text-2xl tracking-tight">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Steps({ sandbox, url }: { sandbox: boolean; url: string }) {
  return (
    <>
      <dl className="mt-5 grid gap-6 md:grid-cols-3">
        <Step title="Who you are">
          Every request carries <code className={code}>Authorization: Bearer po_…</code>, an API key of one
          shop.
          {sandbox && (
            <>
              {' '}
              <code className={code}>npm start</code> prints one for each demo shop.
            </>
          )}
        </Step>
        <Step title="What you want">
          Every POST carries <code className={code}>Idempotency-Key</code>: one random name per request, kept
          for every retry. A UUID is a good one.
        </Step>
        <Step title="Where to send it">
          <code className={`${code} break-all`}>{url}</code>
        </Step>
      </dl>
      <Notice tone="unknown" title="202 is not a failure." className="mt-8 max-w-[62ch]">
        The outcome is not known yet and is being checked. Ask again with the same key. A new key could charge
        a second time, which is why a{' '}
        <Link href="/problems/payment_exists_for_reference" className={link}>
          reference
        </Link>{' '}
        has at most one live payment, under any key.
      </Notice>
    </>
  );
}

function Webhooks() {
  return (
    <>
      <p className="mt-2 max-w-[62ch] text-ink-soft leading-7">
        Add endpoints in the{' '}
        <Link href="/admin/settings/endpoints" className={link}>
          console
        </Link>
        : each gets the events that you choose, and a test whenever you want one. Messages are signed by the{' '}
        <a href="https://www.standardwebhooks.com" className={link}>
          Standard Webhooks
        </a>{' '}
        scheme, so that a library you have verifies them:{' '}
        <code className={code}>npm install standardwebhooks</code>.
      </p>
      <ul className="mt-4 grid max-w-[62ch] list-disc gap-2 pl-5 text-ink-soft leading-7">
        <li>
          Answer with a status from 200 to 299 within ten seconds. Otherwise the message is sent again: up to
          21 tries within three days.
        </li>
        <li>
          The same event may come more than once, under the same <code className={code}>webhook-id</code>,
          which is also its <code className={code}>id</code>. Handle it once. Their order is not promised.
        </li>
        <li>
          After you rotate the secret, messages carry two signatures for a day: one of each secret. The
          library accepts either.
        </li>
      </ul>
      <div className="mt-6 grid gap-6">
        <CodePanel title="A receiver, in Node.js" code={webhookSample} kind="script" copy />
        <CodePanel title="A message" code={JSON.stringify(webhookExample, null, 2)} kind="json" />
      </div>
    </>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt className="font-medium">{title}</dt>
      <dd className="mt-1 text-ink-soft text-sm leading-6">{children}</dd>
    </div>
  );
}
