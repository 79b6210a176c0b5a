import type { Page } from 'playwright/test';
import { expect } from './fixtures.ts';

/**
 * Everything that a keyboard reaches on the page has a ring when it is focused. The ring crosses no letter of what it surrounds,
 * and no container cuts it off.
 */
export async function expectWholeFocusRings(page: Page): Promise<void> {
  // After a key the browser shows a ring for focus from a script as well.
  await page.keyboard.press('Tab');
  const { seen, faults } = await page.evaluate(inspectRings);
  expect(faults, page.url()).toEqual([]);
  expect(seen, page.url()).toBeGreaterThan(4);
}

/** Runs in the page. */
function inspectRings(): { seen: number; faults: string[] } {
  interface Box {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  }
  const isWithin = (inner: Box, outer: Box) =>
    inner.left >= outer.left - 0.5 &&
    inner.right <= outer.right + 0.5 &&
    inner.top >= outer.top - 0.5 &&
    inner.bottom <= outer.bottom + 0.5;
  const grow = ({ left, top, right, bottom }: Box, by: number): Box => ({
    left: left - by,
    top: top - by,
    right: right + by,
    bottom: bottom + by,
  });
  const meet = (one: Box, other: Box): Box => ({
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  });
  const cuts = (element: Element) => getComputedStyle(element).overflow !== 'visible';

  function* ancestorsOf(element: Element, until: Element) {
    for (let one = element.parentElement; one && one !== until; one = one.parentElement) yield one;
  }

  /** A ring may be drawn around the focused element's label or row, or by its ::after, which covers a card without letters. */
  function findRing(
    focused: Element,
  ): { element: Element; width: number; offset: number } | 'after' | undefined {
    for (const element of [focused, ...ancestorsOf(focused, document.body)]) {
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(element);
      const width = Number.parseFloat(outlineWidth);
      if (outlineStyle !== 'none' && width > 0)
        return { element, width, offset: Number.parseFloat(outlineOffset) };
    }
    return getComputedStyle(focused, '::after').outlineStyle === 'none' ? undefined : 'after';
  }

  /** The visible part of each run of letters: a long one may end in an ellipsis, and one for screen readers has none. */
  function lettersOf(element: Element): Box[] {
    const letters: Box[] = [];
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement;
      if (!parent || !text.textContent?.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const holders = [parent, ...ancestorsOf(parent, element)].filter((one) => one !== element && cuts(one));
      for (const rect of range.getClientRects()) {
        const shown = holders.reduce<Box>((box, one) => meet(box, one.getBoundingClientRect()), rect);
        if (shown.right - shown.left > 1 && shown.bottom - shown.top > 1) letters.push(shown);
      }
    }
    return letters;
  }

  const focusable =
    'a[href], button:not(:disabled), input:not([type=hidden]):not(:disabled), select, summary';
  const faults: string[] = [];
  let seen = 0;
  for (const focused of document.querySelectorAll<HTMLElement>(focusable)) {
    focused.focus();
    // The browser does not scroll to what it shows in part; here the ring's place matters, not the scrolling.
    focused.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (document.activeElement !== focused || !focused.checkVisibility()) continue;
    seen += 1;
    const name = focused.outerHTML.slice(0, 160);
    const ring = findRing(focused);
    if (ring === undefined) faults.push(`no ring: ${name}`);
    if (ring === undefined || ring === 'after') continue;
    const box = ring.element.getBoundingClientRect();
    const inside = grow(box, ring.offset);
    const outside = grow(inside, ring.width);
    if (ring.offset < 0 && !lettersOf(ring.element).every((letters) => isWithin(letters, inside)))
      faults.push(`the ring crosses letters: ${name}`);
    for (const holder of ancestorsOf(ring.element, document.body))
      if (cuts(holder) && !isWithin(outside, holder.getBoundingClientRect()))
        faults.push(`the ring is cut off: ${name}`);
  }
  return { seen, faults };
}
