// Read by the browser too: texts only.

/** The states of our payments and refunds, for operators. What shoppers read is in payment-status-copy.ts. */
export const paymentStates = {
  pending: 'Not known yet',
  succeeded: 'Charged',
  declined: 'Declined by the bank',
  released: 'Released: nothing was charged',
} as const;

export const refundStates = {
  pending: 'Not known yet',
  succeeded: 'Paid back',
  failed: 'Was paid back, and came back',
  released: 'Released: nothing was paid back',
} as const;
