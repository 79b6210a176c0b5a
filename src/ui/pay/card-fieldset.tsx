import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';

/** The card's part of the form, to which the error summary links. It contains a list of cards or Stripe's fields. */
export function CardFieldset(props: {
  error?: string | undefined;
  /** A payment is under way with this card. */
  locked?: boolean;
  children: ReactNode;
}) {
  const { error, locked, children } = props;
  return (
    <fieldset
      id="card"
      tabIndex={-1}
      aria-describedby={error ? 'card-error' : undefined}
      className="outline-none"
    >
      <legend className="mb-3 font-semibold">
        Card
        {locked && (
          <span className="ml-2 inline-flex items-center gap-1 align-bottom font-normal text-ink-soft text-sm">
            <Lock className="size-3.5" aria-hidden="true" /> locked while you pay
          </span>
        )}
      </legend>
      {error && (
        <p id="card-error" className="mb-2 text-danger text-sm">
          {error}
        </p>
      )}
      {children}
    </fieldset>
  );
}
