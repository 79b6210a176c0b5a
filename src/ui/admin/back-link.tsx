import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from './link.tsx';

export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="-ml-3 inline-flex min-h-11 items-center gap-2 rounded-lg px-3 font-medium text-ink-soft text-sm hover:text-ink"
    >
      <ArrowLeft className="size-4" aria-hidden="true" />
      {children}
    </Link>
  );
}
