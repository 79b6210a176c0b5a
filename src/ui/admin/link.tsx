'use client';

import NextLink from 'next/link';
import type { ComponentProps } from 'react';
import { useShopAddress } from './linked-shop.tsx';

/** A link within the console. Pages are not loaded ahead: a list of fifty links would be fifty requests. */
export function Link({ href, ...props }: Omit<ComponentProps<typeof NextLink>, 'href'> & { href: string }) {
  return <NextLink prefetch={false} href={useShopAddress()(href)} {...props} />;
}
