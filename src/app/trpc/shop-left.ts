const name = 'paidonce:shop-left';

/**
 * The page is about to be loaded again, and then shows another shop at the same address. The next document says so: a person who was
 * about to save something would otherwise do it in the wrong shop.
 */
export function noteShopLeft(storage: () => Pick<Storage, 'setItem'>): void {
  try {
    storage().setItem(name, '1');
  } catch {
    // Storage that is full or forbidden keeps the page from saying so, not from being loaded.
  }
}

/** Whether the page before this one showed another shop. Said once. */
export function takeShopLeft(storage: () => Pick<Storage, 'getItem' | 'removeItem'>): boolean {
  try {
    const left = storage().getItem(name) !== null;
    storage().removeItem(name);
    return left;
  } catch {
    return false;
  }
}
