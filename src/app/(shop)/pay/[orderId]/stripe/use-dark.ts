import { useSyncExternalStore } from 'react';

const query = '(prefers-color-scheme: dark)';

export function useDark(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const scheme = window.matchMedia(query);
      scheme.addEventListener('change', changed);
      return () => scheme.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}
