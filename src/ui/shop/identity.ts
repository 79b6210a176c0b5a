export interface ShopIdentity {
  readonly eyebrow: string;
  readonly promise: string;
  readonly story: string;
}

/** A shop's own texts; its colours are in globals.css by slug. */
const identities = new Map<string, ShopIdentity>([
  [
    'acme',
    {
      eyebrow: 'Roasted on Tuesdays',
      promise: 'Coffee worth getting up for.',
      story: 'Small lots, short lists, and the few tools that make a good cup easy.',
    },
  ],
  [
    'globex',
    {
      eyebrow: 'Paper goods since Monday',
      promise: 'Tools for thinking on paper.',
      story: 'Six things for a desk that gets used. Nothing that needs charging.',
    },
  ],
]);

const plain: ShopIdentity = {
  eyebrow: 'Demo shop',
  promise: 'Good things, paid for once.',
  story: 'Choose something, pay, and tap as often as you like.',
};

export function identityOf(slug: string): ShopIdentity {
  return identities.get(slug) ?? plain;
}
