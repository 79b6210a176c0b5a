import type { ReactNode } from 'react';
import { readerLocale } from '#app/reader-locale.ts';
import { LocaleProvider } from '#ui/amount.tsx';

export default async function ShopLayout({ children }: { children: ReactNode }) {
  return <LocaleProvider locale={await readerLocale()}>{children}</LocaleProvider>;
}
