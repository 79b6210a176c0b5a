import Link from 'next/link';
import type { ReactNode } from 'react';

/** A link within a line of the console. */
export function ConsoleLink({
  href,
  mono = false,
  children,
}: {
  href: string;
  mono?: boolean;
  children: ReactNode;
}) {
  return (
    <Link
      href={href}
      className={`underline decoration-line-strong underline-offset-4 hover:decoration-accent ${mono ? 'break-all font-mono text-[0.8125rem]' : ''}`}
    >
      {children}
    </Link>
  );
}
