import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import { readEnv } from '#server/env.ts';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'Paidonce', template: '%s · Paidonce' },
  description: 'Click Pay as often as you like: you pay once.',
  // Order links are capabilities; nothing here belongs in a search index.
  robots: { index: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#faf9f7' },
    { media: '(prefers-color-scheme: dark)', color: '#131210' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // A page that is rendered at build time has no nonce on its scripts, and they would not run.
  await connection();
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`}>
      {/* Links to the lab are shown only where there is one. */}
      <body data-demo={readEnv().demo || undefined} className="group/page min-h-dvh font-sans antialiased">
        <a
          href="#main"
          className="sr-only rounded-md bg-accent px-4 py-3 text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50"
        >
          Skip to the content
        </a>
        {children}
      </body>
    </html>
  );
}
