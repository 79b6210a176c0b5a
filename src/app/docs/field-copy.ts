/** Descriptions of fields whose schema has none, by field name. */
const descriptions = new Map([
  ['amountMinor', 'How much, in the minor unit of the currency: 1200 is 12.00 USD, or 1200 JPY.'],
  ['currency', 'Three-letter ISO code, in lower case.'],
  ['paymentMethod', 'What to charge: a payment method of the provider. The demo takes Stripe’s test cards.'],
  [
    'reference',
    'Your own name for what is being paid. One live payment per reference, whichever key is used.',
  ],
  ['receiptEmail', 'Where the receipt is sent.'],
  ['returnUrl', 'Where the shopper comes back to after their bank has asked them something.'],
  ['paymentId', 'The payment’s id.'],
  ['refundId', 'The refund’s id.'],
  ['operationId', 'The operation’s id: what this key stands for, and where to look it up.'],
  ['operation', 'What was asked for: payment.create or refund.create.'],
  ['status', 'How it stands.'],
  ['declineCode', 'Why the bank said no, in Stripe’s words; only when it did.'],
  ['refundedMinor', 'How much of it has been paid back.'],
  ['attempt', 'How many times execution has been granted under this key.'],
  ['errorCode', 'Why the last attempt did not end in an answer.'],
  ['resource', 'What the operation made.'],
  ['type', 'What kind of thing it is.'],
  ['id', 'Its id.'],
  ['body', 'The stored answer, as it was sent.'],
  ['url', 'The address to send the shopper to.'],
  ['action', 'What to do now.'],
  ['code', 'The problem in one word, for programs. It never changes its meaning.'],
  ['detail', 'This occurrence in words, for people.'],
  ['title', 'The problem in words.'],
  ['newKey', 'Whether the same wish under a new key could take effect twice.'],
  ['statusUrl', 'Where the outcome can be read.'],
  ['createdAt', 'When it began.'],
  ['updatedAt', 'When it last changed.'],
  ['completedAt', 'When it ended.'],
  ['data', 'What was found. Empty when nothing of yours has this key.'],
  ['key', 'The key the operation was asked for with.'],
]);

/** Fields whose name has another meaning in one schema. */
const inContext = new Map([
  ['CreateRefund.amountMinor', 'How much to pay back. Left out: all that is left.'],
  ['CreateRefund.paymentId', 'The payment to refund.'],
  ['Problem.type', 'The address of the page that explains the problem.'],
  ['Problem.status', 'The HTTP status, once more.'],
  ['Payment.completedAt', 'When it became certain.'],
  ['Operation.response.status', 'The HTTP status of the stored answer.'],
  ['path.id', 'The id, as it was answered.'],
]);

export function fieldCopy(context: string, name: string): string | undefined {
  return inContext.get(`${context}.${name}`) ?? descriptions.get(name);
}
