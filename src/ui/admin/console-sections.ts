/** The sections of the console; `g` and then the letter opens one. */
export const consoleSections = [
  { href: '/admin', name: 'Overview', letter: 'h' },
  { href: '/admin/operations', name: 'Operations', letter: 'o' },
  { href: '/admin/payments', name: 'Payments', letter: 'y' },
  { href: '/admin/queue', name: 'Queue', letter: 'q' },
  { href: '/admin/proposals', name: 'Approvals', letter: 'p' },
  { href: '/admin/exceptions', name: 'Unexpected payments', letter: 'u' },
  { href: '/admin/webhooks', name: 'Webhooks', letter: 'w' },
  { href: '/admin/outbox', name: 'Outbox', letter: 'b' },
  { href: '/admin/audit', name: 'Audit', letter: 'a' },
  { href: '/admin/members', name: 'Members', letter: 'm' },
  { href: '/admin/api-keys', name: 'API keys', letter: 'k' },
  { href: '/admin/settings', name: 'Settings', letter: 's' },
] as const;
