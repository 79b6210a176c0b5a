/** Begins the references of the refunds that operators make. */
export const consolePrefix = 'console-';
/** Begins the references of the refunds that were made in the provider's dashboard. */
export const dashboardPrefix = 'dashboard-';

/**
 * Of a merchant's own refund. Under a name of those above it would be taken for an operator's, count against the limits of
 * operators, and keep them from refunding the payment when their own next reference is the same.
 */
export const ownReference = new RegExp(`^(?!${consolePrefix}|${dashboardPrefix})`);
