import type { Metadata } from 'next';
import { buttonStyle } from '#ui/button-style.ts';
import { PageShell } from '#ui/page-shell.tsx';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFoundPage() {
  return (
    <PageShell width="max-w-2xl">
      <h1 className="pt-10 font-semibold text-3xl tracking-[-0.025em] sm:text-4xl">
        There is nothing at this address
      </h1>
      <p className="mt-4 text-ink-soft text-lg leading-8">
        The link may be mistyped or cut short. Order links are long: copy all of it, to the last character.
      </p>
      <a href="/" className={`${buttonStyle('primary', 'large')} mt-8`}>
        Go to the shops
      </a>
    </PageShell>
  );
}
