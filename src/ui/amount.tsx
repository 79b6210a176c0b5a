'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { formatMoney, type Money } from '#payments/money.ts';

const Locale = createContext('en-US');

/** `locale` is the reader's, as their browser has sent it, so that server and browser write the same. */
export function LocaleProvider({ locale, children }: { locale: string; children: ReactNode }) {
  return <Locale value={locale}>{children}</Locale>;
}

export function useLocale(): string {
  return useContext(Locale);
}

/** Writes amounts as the reader is used to: €14.50, 14,50 €. */
export function useFormatMoney(): (money: Money) => string {
  const locale = useLocale();
  return (money) => formatMoney(money, locale);
}

export function Amount({ of }: { of: Money }) {
  return useFormatMoney()(of);
}
