import { declineOf } from '#payments/declines.ts';

export function declineWords(code: string | undefined): { readonly title: string; readonly body: string } {
  const { title, advice } = declineOf(code);
  return { title, body: `Nothing was charged. ${advice}` };
}
