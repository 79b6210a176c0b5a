import type { RouterOutputs } from '#server/trpc/outputs.ts';
export type RoleName = RouterOutputs['people']['me']['role'];

/** Label and description of each role. */
export const roleCopy = {
  viewer: { label: 'Viewer', may: 'can see everything in the shop and change nothing' },
  operator: {
    label: 'Operator',
    may: 'can also refund up to the shop’s limit, or any amount without one, reconcile payments, decide on unexpected ones, resend messages and propose decisions',
  },
  approver: { label: 'Approver', may: 'can also approve or reject what another person proposed' },
  owner: { label: 'Owner', may: 'can also manage members, API keys and settings' },
} as const satisfies Record<RoleName, { label: string; may: string }>;

export const roleOptions = Object.entries(roleCopy).map(([role, { label }]) => [role, label] as const);
