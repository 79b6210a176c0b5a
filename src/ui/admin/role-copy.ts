/** The operator's words for each role; no other place explains them. */
export const roleWords = {
  viewer: { word: 'Viewer', may: 'sees everything of the shop and changes nothing' },
  operator: {
    word: 'Operator',
    may: 'also looks into payments, retries messages and proposes how to resolve',
  },
  approver: { word: 'Approver', may: 'also says yes or no to what another person proposed' },
  owner: { word: 'Owner', may: 'also decides about people, API keys and settings' },
} as const;

export type RoleName = keyof typeof roleWords;

export const roleOptions = Object.entries(roleWords).map(([role, { word }]) => [role, word] as const);
