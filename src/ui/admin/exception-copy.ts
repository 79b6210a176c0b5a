/** What was decided about money that the books did not expect. */
export function decisionCopy(exception: {
  readonly status: 'open' | 'refunded' | 'booked' | 'dismissed';
  /** It is about a refund that the bank returned. */
  readonly returned: boolean;
  /** False: the provider held no money of it that could be kept. */
  readonly refundable: boolean;
}): string {
  switch (exception.status) {
    case 'open':
      return 'Waiting for a decision';
    case 'refunded':
      return 'Refunded';
    case 'booked':
      return 'Booked';
    case 'dismissed':
      return exception.returned || !exception.refundable ? 'Resolved another way' : 'Kept';
  }
}
