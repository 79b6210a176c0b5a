import type { ReactNode } from 'react';

/** The card's part of the form, to which the error summary links. It contains a list of cards or Stripe's fields. */
export function CardFieldset({ error, children }: { error?: string | undefined; children: ReactNode }) {
  return (
    <fieldset
      id="card"
      tabIndex={-1}
      aria-describedby={error ? 'card-error' : undefined}
      className="outline-none"
    >
      <legend className="mb-3 font-semibold">Card</legend>
      {error && (
        <p id="card-error" className="mb-2 text-danger text-sm">
          {error}
        </p>
      )}
      {children}
    </fieldset>
  );
}
