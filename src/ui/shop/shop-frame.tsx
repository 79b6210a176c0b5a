import Link from 'next/link';
import type { ReactNode } from 'react';

/** A page in the shop's own design, with its accent colour and its name at the top. */
export function ShopFrame(props: {
  shop: { slug: string; name: string };
  trail?: ReactNode;
  /** For pages whose content begins at the left edge. */
  fullWidth?: boolean;
  children: ReactNode;
}) {
  const { shop, trail, fullWidth, children } = props;
  const width = fullWidth ? '' : 'max-w-6xl';
  return (
    <div data-shop={shop.slug} className="flex min-h-dvh flex-col bg-canvas">
      <header className="border-line border-b bg-canvas print:border-none">
        <div
          className={`mx-auto flex min-h-16 items-center justify-between gap-4 px-5 sm:px-8 print:min-h-12 print:px-0 ${width}`}
        >
          <Link
            href={`/s/${shop.slug}`}
            className="-mx-2 inline-flex min-h-11 items-center gap-2.5 rounded-lg px-2 font-semibold print:mx-0 print:px-0 text-[1.0625rem] tracking-tight"
          >
            <span
              aria-hidden="true"
              className="grid size-7 shrink-0 place-items-center rounded-full bg-accent text-on-accent text-sm print:hidden"
            >
              {shop.name.slice(0, 1)}
            </span>
            <span className="wrap-anywhere min-w-0">{shop.name}</span>
          </Link>
          {trail}
        </div>
      </header>
      <main id="main" tabIndex={-1} className="flex flex-1 flex-col outline-none">
        {children}
      </main>
      <footer className="border-line border-t print:hidden">
        <p
          className={`mx-auto flex flex-wrap items-center gap-x-1.5 px-5 py-4 text-ink-faint text-sm sm:px-8 ${width}`}
        >
          A demo shop. Payments by
          <Link
            href="/"
            className="inline-flex min-h-11 items-center font-medium text-ink-soft underline decoration-line-strong underline-offset-4 hover:text-ink"
          >
            Paidonce
          </Link>
        </p>
      </footer>
    </div>
  );
}
