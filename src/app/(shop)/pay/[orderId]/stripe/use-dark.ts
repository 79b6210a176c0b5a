import { useSyncExternalStore } from 'react';

const query = '(prefers-color-scheme: dark)';

export function useDark(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const scheme = window.matchMedia(query);
      scheme.addEventListener('change', onChange);
      return () => scheme.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}
