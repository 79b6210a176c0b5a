'use client';

import { useEffect } from 'react';

/** Rows, and sections with a heading: where a person goes on reading. */
const places = 'li, tr, article, section, main';

/**
 * An action may take away the button that it was started with, or its row. The browser then puts the focus at the beginning of the
 * document, and a person with a keyboard or a screen reader has to find the place again. It goes to the closest row or section that is
 * left, which has the outcome; or to the page's heading.
 */
export function KeepFocus() {
  useEffect(() => {
    let last:
      | { readonly element: HTMLElement; readonly around: Element[]; readonly path: string }
      | undefined;

    function remember({ target }: FocusEvent) {
      if (!(target instanceof HTMLElement)) return;
      const around: Element[] = [];
      let place = target.parentElement?.closest(places);
      for (; place; place = place.parentElement?.closest(places)) around.push(place);
      last = { element: target, around, path: window.location.pathname };
    }

    function restore() {
      if (!last || last.element.isConnected || document.activeElement !== document.body) return;
      const { around, path } = last;
      last = undefined;
      // The person has opened another page, or the element was in a dialog.
      if (path !== window.location.pathname || around.length === 0) return;
      const left = around.find((place) => place.isConnected);
      const next = left?.localName === 'main' ? left.querySelector('h1') : left;
      if (!(next instanceof HTMLElement)) return;
      if (!next.hasAttribute('tabindex')) next.tabIndex = -1;
      next.focus({ preventScroll: true });
    }

    const observer = new MutationObserver(restore);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
    };
  }, []);
  return null;
}
