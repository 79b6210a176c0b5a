import NextLink from 'next/link';
import type { ComponentProps } from 'react';

/** A link within the console. Pages are not loaded ahead: a list of fifty links would be fifty requests. */
export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
