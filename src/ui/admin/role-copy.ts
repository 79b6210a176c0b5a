import type { RouterOutputs } from '#server/trpc/outputs.ts';
export type RoleName = RouterOutputs['people']['me']['role'];

/** Label and description of each role. */
export const roleCopy = {
  viewer: { label: 'Viewer', may: 'sees everything of the shop and changes nothing' },
  operator: {
    label: 'Operator',
    may: 'also looks into payments, retries messages and proposes how to resolve',
  },
  approver: { label: 'Approver', may: 'also says yes or no to what another person proposed' },
  owner: { label: 'Owner', may: 'also decides about people, API keys and settings' },
} as const satisfies Record<RoleName, { label: string; may: string }>;

export const roleOptions = Object.entries(roleCopy).map(([role, { label }]) => [role, label] as const);
