/** The rooms of the console, in the order of a day's work; the letter goes there after a `g`. */
export const consoleRooms = [
  { href: '/admin', name: 'Overview', letter: 'h' },
  { href: '/admin/operations', name: 'Operations', letter: 'o' },
  { href: '/admin/queue', name: 'Queue', letter: 'q' },
  { href: '/admin/proposals', name: 'Proposals', letter: 'p' },
  { href: '/admin/late', name: 'Late truths', letter: 'l' },
  { href: '/admin/webhooks', name: 'Webhooks', letter: 'w' },
  { href: '/admin/outbox', name: 'Outbox', letter: 'b' },
  { href: '/admin/audit', name: 'Audit', letter: 'a' },
  { href: '/admin/members', name: 'Members', letter: 'm' },
  { href: '/admin/api-keys', name: 'API keys', letter: 'k' },
  { href: '/admin/settings', name: 'Settings', letter: 's' },
] as const;
