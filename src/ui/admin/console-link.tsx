import type { ReactNode } from 'react';
import { Link } from './link.tsx';

const inCell =
  '[td_&]:inline-block [td_&]:truncate [td_&]:pb-0.5 [td_&]:align-bottom max-lg:[td_&]:max-w-full lg:[td_&]:max-w-68';

/** A link within a line of the console. */
export function ConsoleLink({
  href,
  mono = false,
  children,
}: {
  href: string;
  /** For ids: on one line in a table, cut where it would take the width of other columns. */
  mono?: boolean;
  children: ReactNode;
}) {
  return (
    <Link
      href={href}
      title={mono && typeof children === 'string' ? children : undefined}
      className={`underline decoration-line-strong underline-offset-4 hover:decoration-accent ${mono ? `break-words font-mono text-[0.8125rem] ${inCell}` : ''}`}
    >
      {children}
    </Link>
  );
}
