'use client';

import { useEffect, useRef } from 'react';

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Takes the focus whenever the list of errors changes, so that screen readers announce it. */
export function ErrorSummary({ errors }: { errors: readonly FieldError[] }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (errors.length > 0) box.current?.focus();
  }, [errors]);
  if (errors.length === 0) return null;
  return (
    <section
      ref={box}
      tabIndex={-1}
      aria-labelledby="error-summary-title"
      className="rounded-xl border border-danger bg-danger-soft px-4 py-3.5 text-sm outline-none focus:ring-2 focus:ring-danger"
    >
      <h2 id="error-summary-title" className="font-medium text-danger">
        {errors.length === 1 ? 'Please correct one thing' : `Please correct ${errors.length} things`}
      </h2>
      <ul className="mt-1">
        {errors.map(({ field, message }) => (
          <li key={field}>
            <a href={`#${field}`} className="inline-block py-1 text-danger underline underline-offset-4">
              {message}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
