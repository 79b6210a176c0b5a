/** Set by the pay page just before it opens the receipt, and taken by the receipt. Both run in the same document. */
let arriving = false;

export function announceArrival(): void {
  arriving = true;
}

export function takeArrival(): boolean {
  const arrived = arriving;
  arriving = false;
  return arrived;
}
