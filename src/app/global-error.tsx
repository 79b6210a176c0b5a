'use client';

import './globals.css';

/** When even the layout failed: no components and no fonts, only text. */
export default function GlobalError({ retry }: { retry: () => void }) {
  return (
    <html lang="en">
      <body className="mx-auto max-w-xl px-5 py-20 font-sans">
        <title>Paidonce</title>
        <h1 className="font-semibold text-3xl">Something went wrong</h1>
        <p className="mt-4 leading-7">
          If you were paying: open the same page again. It first checks what became of your payment, and it
          cannot charge you twice.
        </p>
        <button
          type="button"
          onClick={retry}
          className="mt-6 min-h-11 rounded-xl bg-accent px-5 font-medium text-on-accent"
        >
          Load it again
        </button>
      </body>
    </html>
  );
}
