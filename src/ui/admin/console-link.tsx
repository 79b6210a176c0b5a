import type { ReactNode } from 'react';
import { Link } from './link.tsx';

/** A link within a line of the console. */
export function ConsoleLink({
  href,
  mono = false,
  children,
}: {
  href: string;
  /** For ids: on one line in a table, broken only where the column is too narrow. */
  mono?: boolean;
  children: ReactNode;
}) {
  return (
    <Link
      href={href}
      className={`underline decoration-line-strong underline-offset-4 hover:decoration-accent ${mono ? 'font-mono text-[0.8125rem] [td_&]:whitespace-nowrap break-words' : ''}`}
    >
      {children}
    </Link>
  );
}
