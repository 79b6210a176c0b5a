import { headers } from 'next/headers';

/** The first language of the browser's list for which numbers can be written; the list is theirs, so it may be anything. */
export function localeOf(acceptLanguage: string | null): string {
  for (const part of (acceptLanguage ?? '').split(',').slice(0, maxLanguages)) {
    const tag = part.split(';')[0]?.trim() ?? '';
    try {
      const [supported] = Intl.NumberFormat.supportedLocalesOf(tag);
      if (supported) return supported;
    } catch {
      // Not a language: a star, or nonsense.
    }
  }
  return 'en-US';
}

/** Browsers send a handful; a longer list is not read to its end. */
const maxLanguages = 10;

export async function readerLocale(): Promise<string> {
  return localeOf((await headers()).get('accept-language'));
}
