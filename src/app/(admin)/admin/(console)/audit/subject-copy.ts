interface Subject {
  readonly type: string;
  readonly id: string;
}

/** The page of an entry's subject, if it has one. */
export function subjectAddress({ type, id }: Subject): string | undefined {
  switch (type) {
    case 'operation':
      return `/admin/operations/${id}`;
    case 'payment':
      return `/admin/payments/${id}`;
    case 'provider_event':
      return `/admin/webhooks/${id}`;
    case 'email':
      return `/admin/outbox/${id}`;
    case 'delivery':
      return '/admin/outbox';
    case 'webhook_endpoint':
      return '/admin/settings/endpoints';
    case 'exception':
      return '/admin/exceptions';
    default:
      return undefined;
  }
}

export function subjectCopy({ type, id }: Subject): string {
  // The log is that of one tenant.
  if (type === 'tenant') return 'this shop';
  const name = type.replaceAll('_', ' ');
  return /^[0-9a-f-]{36}$/.test(id) ? `${name} ${id.slice(0, 8)}` : `${name} ${id}`;
}
