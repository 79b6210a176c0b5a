import Link from 'next/link';
import { serverApi } from '#app/trpc/server.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { OnceFigure } from '#ui/once-figure.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { ShopCard } from '#ui/shop/shop-card.tsx';

export const dynamic = 'force-dynamic';

export default async function HomePage() {
  const api = await serverApi();
  const shops = await api.shop.list();
  return (
    <PageShell>
      <section className="grid items-center gap-12 pt-4 pb-16 lg:grid-cols-[1.1fr_1fr] lg:pt-10 lg:pb-24">
        <div>
          <h1 className="max-w-[14ch] font-semibold text-[2.75rem] leading-[1.04] tracking-[-0.035em] sm:text-6xl lg:text-[4.25rem]">
            Click Pay as often as you like: you pay once.
          </h1>
          <p className="mt-6 max-w-[46ch] text-ink-soft text-lg leading-8">
            Double clicks, lost connections, reloads, a bank that never answers: Paidonce is a checkout in
            which none of them can charge you twice, and none of them is hidden from you.
          </p>
          <div className="mt-8 flex flex-wrap gap-3">
            <a href="#shops" className={buttonStyle('primary', 'large')}>
              Buy something
            </a>
            <Link
              href="/lab"
              prefetch={false}
              className={`${buttonStyle('secondary', 'large')} not-group-data-demo/page:hidden`}
            >
              See it in the lab
            </Link>
          </div>
        </div>
        <OnceFigure />
      </section>

      <section id="shops" aria-labelledby="shops-title" className="scroll-mt-6">
        <h2 id="shops-title" className="font-semibold text-2xl tracking-tight">
          Two shops to try it in
        </h2>
        <p className="mt-1 text-ink-soft">
          Nothing is delivered and no money moves. The payments are real code.
        </p>
        {shops.length === 0 ? (
          <p className="mt-6 rounded-2xl border border-line border-dashed px-6 py-10 text-center text-ink-soft">
            There are no shops yet. <code className="font-mono text-sm">npm start</code> makes two when
            DEMO_DATA is on.
          </p>
        ) : (
          <ul className="mt-6 grid gap-6 md:grid-cols-2">
            {shops.map((shop) => (
              <li key={shop.slug} className="grid">
                <ShopCard shop={shop} />
              </li>
            ))}
          </ul>
        )}
      </section>

      <section
        aria-label="Behind the scenes"
        className="mt-16 grid gap-x-12 gap-y-8 border-line border-t pt-10 sm:grid-cols-2 lg:grid-cols-4"
      >
        {links.map(({ href, name, text }) => (
          <div key={href} className={href === '/lab' ? 'not-group-data-demo/page:hidden' : undefined}>
            <h2 className="font-semibold tracking-tight">
              <Link
                href={href}
                prefetch={false}
                className="-my-2 inline-flex min-h-11 items-center underline decoration-line-strong underline-offset-4 hover:decoration-accent"
              >
                {name}
              </Link>
            </h2>
            <p className="mt-1 text-ink-soft text-sm leading-6">{text}</p>
          </div>
        ))}
      </section>
    </PageShell>
  );
}

const links = [
  {
    href: '/lab',
    name: 'The lab',
    text: 'Nineteen failures, each run for real with and without Paidonce. The bank’s own ledger decides.',
  },
  {
    href: '/admin',
    name: 'The operators’ console',
    text: 'Payments whose outcome is not known yet, and the button that finds it out.',
  },
  {
    href: '/docs',
    name: 'The API',
    text: 'Every operation with a line to paste into a terminal, and what a repeated request gets.',
  },
  {
    href: '/problems',
    name: 'Problems, explained',
    text: 'Every answer other than “done”: what happened, what to do, and whether a new key is safe.',
  },
] as const;
