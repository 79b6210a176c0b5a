/** Texts for the actions of the audit log. */
const copies = new Map([
  ['operation.reconcile', 'Reconciled'],
  ['operation.assertion', 'Gave a verdict'],
  ['operation.override', 'Overrode the evidence alone'],
  ['proposal.open', 'Proposed a verdict'],
  ['proposal.approve', 'Approved a proposal'],
  ['proposal.reject', 'Rejected a proposal'],
  ['proposal.withdraw', 'Withdrew a proposal'],
  ['proposal.void', 'Found a proposal void'],
  ['exception.refund', 'Had late money sent back'],
  ['exception.dismiss', 'Kept late money'],
  ['provider_event.reprocess', 'Had a webhook looked into again'],
  ['email.retry', 'Sent an e-mail again'],
  ['delivery.retry', 'Sent a merchant webhook again'],
]);

export function actionCopy(action: string): string {
  return copies.get(action) ?? action.replaceAll(/[._]/g, ' ');
}
