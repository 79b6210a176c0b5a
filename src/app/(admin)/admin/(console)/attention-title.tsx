'use client';

import { usePathname } from 'next/navigation';
import { useEffect } from 'react';
import { useAttention } from './use-attention.ts';

const counted = /^\(\d+\) /;

/** Puts the number of things that need a person in front of the tab's title, also after each change of the page. */
export function AttentionTitle() {
  const total = useAttention()?.total ?? 0;
  const path = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another title
  useEffect(() => {
    const write = () => {
      const plain = document.title.replace(counted, '');
      const wanted = total > 0 ? `(${total}) ${plain}` : plain;
      if (document.title !== wanted) document.title = wanted;
    };
    write();
    // Next replaces the title a moment after the page.
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [total, path]);
  return null;
}
