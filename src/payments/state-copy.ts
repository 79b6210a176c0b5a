// Read by the browser too: texts only.

/** The states of our payments and refunds, for operators. What shoppers read is in payment-status-copy.ts. */
export const paymentStates = {
  pending: 'Not known yet',
  succeeded: 'Charged',
  declined: 'Declined by the bank',
  released: 'Not charged',
} as const;

export const refundStates = {
  pending: 'Not known yet',
  succeeded: 'Paid back',
  failed: 'Paid back, then returned by the bank',
  released: 'Not paid back',
} as const;
