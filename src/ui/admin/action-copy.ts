/** What people do, as the log names it and as it is read. */
const words = new Map([
  ['operation.reconcile', 'Reconciled'],
  ['operation.verdict', 'Gave a verdict'],
  ['operation.override', 'Overrode the evidence alone'],
  ['proposal.open', 'Proposed a verdict'],
  ['proposal.approve', 'Approved a proposal'],
  ['proposal.reject', 'Rejected a proposal'],
  ['proposal.withdraw', 'Withdrew a proposal'],
  ['proposal.void', 'Found a proposal void'],
  ['late_truth.refund', 'Had late money sent back'],
  ['late_truth.dismiss', 'Kept late money'],
  ['provider_event.reprocess', 'Had a webhook looked into again'],
  ['email.retry', 'Sent an e-mail again'],
  ['delivery.retry', 'Sent a merchant webhook again'],
]);

export function actionWords(action: string): string {
  return words.get(action) ?? action.replaceAll(/[._]/g, ' ');
}
