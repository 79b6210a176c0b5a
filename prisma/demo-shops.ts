export interface DemoProduct {
  readonly slug: string;
  readonly name: string;
  /** One line, for the list of products. */
  readonly description: string;
  /** A few sentences for the product's own page. A blank line starts a paragraph. */
  readonly story: string;
  readonly details: readonly { readonly name: string; readonly value: string }[];
  readonly amountMinor: number;
  readonly art: string;
}

export interface DemoShop {
  readonly slug: string;
  readonly name: string;
  readonly currency: string;
  /** Where shoppers ask about a payment. No mail server exists under .example. */
  readonly contactEmail: string;
  readonly products: readonly DemoProduct[];
}

const facts = (details: Record<string, string>) =>
  Object.entries(details).map(([name, value]) => ({ name, value }));

const coffee: DemoShop = {
  slug: 'acme',
  name: 'Acme Coffee',
  currency: 'eur',
  contactEmail: 'help@acme.example',
  products: [
    {
      slug: 'yirgacheffe',
      name: 'Yirgacheffe, 250 g',
      description: 'Washed, light roast. Bergamot, apricot, a clean finish.',
      story: `Grown at two thousand metres by some seven hundred families who each bring a few baskets of cherries down to the same washing station. It smells of bergamot before you have even ground it, tastes of apricot while it is hot, and of black tea with honey when you have forgotten the cup for ten minutes.

Best as a filter: 15 g to 250 g of water at 94 °C, two and a half minutes. We roast on Tuesdays and post on Wednesdays, so it arrives with its best three weeks ahead of it.`,
      details: facts({
        Origin: 'Gedeb, Yirgacheffe, Ethiopia',
        Altitude: '1,950 to 2,150 m',
        Variety: 'Kurume, Dega and Wolisho',
        Process: 'Washed, dried on raised beds for 12 days',
        Roast: 'Light, for filter',
        Weight: '250 g, whole beans',
      }),
      amountMinor: 1450,
      art: 'beans',
    },
    {
      slug: 'espresso',
      name: 'House Espresso, 1 kg',
      description: 'Chocolate and hazelnut; made for milk and for mornings.',
      story: `The coffee we drink ourselves before the shop opens. Two thirds from Brazil for chocolate and body, one third from Guatemala so that it does not fall asleep in milk. It forgives a grinder that is a little off and a machine that is a little old.

Start at 18 g in, 38 g out, 28 seconds, and then trust your tongue more than the numbers.`,
      details: facts({
        Origin: 'Sul de Minas, Brazil; Huehuetenango, Guatemala',
        Process: 'Natural and washed',
        Roast: 'Medium, for espresso',
        'In the cup': 'Dark chocolate, hazelnut, a little orange',
        Weight: '1 kg, whole beans',
      }),
      amountMinor: 2990,
      art: 'bag',
    },
    {
      slug: 'dripper',
      name: 'Porcelain Dripper',
      description: 'Two cups at a time, and it looks good drying on the rack.',
      story: `A cone with a single wide hole and spiral ribs, which is all a dripper has to be. Porcelain holds the heat that plastic gives away, so the last of the water is nearly as hot as the first. The handle is big enough for two fingers, because one is never enough.

It stands on any cup or jug whose rim is between 7 and 10 centimetres wide.`,
      details: facts({
        Material: 'Glazed porcelain',
        Makes: '1 to 2 cups',
        Size: '12 × 10 × 9 cm',
        Weight: '340 g',
        'Filter paper': 'Conical, size 01',
        Care: 'Dishwasher, happily',
      }),
      amountMinor: 2400,
      art: 'dripper',
    },
    {
      slug: 'kettle',
      name: 'Gooseneck Kettle',
      description: 'Pours where you point it. 0.9 litres, for any hob.',
      story: `Most kettles have an opinion about where the water goes. This one does as it is told: a thin, steady stream that starts and stops where you want it, which is half of making filter coffee well. The handle stays cool, and the lid stays on when you tip out the last drop.

The base is magnetic steel, so it works on induction as well as on gas.`,
      details: facts({
        Material: 'Brushed stainless steel, beech handle',
        Capacity: '0.9 l',
        Size: '28 × 15 × 17 cm',
        Weight: '690 g',
        Hobs: 'Gas, electric, ceramic, induction',
      }),
      amountMinor: 6900,
      art: 'kettle',
    },
    {
      slug: 'grinder',
      name: 'Hand Grinder',
      description: 'Steel burrs, forty clicks, no cable.',
      story: `Thirty turns for a cup, and the kitchen smells of it. The burrs are the part that matters, so that is where the money went: hardened steel, held by two bearings, so the grounds come out even from the first turn to the last. Forty clicks lead from espresso to French press, and you can count your way back.

It comes apart without tools for cleaning, and goes together in only one way.`,
      details: facts({
        Burrs: 'Conical, 38 mm, hardened steel',
        Holds: '25 g of beans',
        Settings: '40 clicks, 22 µm each',
        Size: '17 × 5.5 cm, crank 15 cm',
        Weight: '510 g',
        Guarantee: 'Ten years on the burrs',
      }),
      amountMinor: 8900,
      art: 'grinder',
    },
    {
      slug: 'mug',
      name: 'Workshop Mug',
      description: 'Stoneware, 300 ml, glazed by hand; no two alike.',
      story: `Thrown and glazed by two people in a former bakery. The wall is thick at the bottom, where it keeps the coffee warm, and thin at the lip, where you would notice. The glaze runs a little differently on every one; if yours is the odd one out, so much the better.`,
      details: facts({
        Material: 'Stoneware, lead-free glaze',
        Capacity: '300 ml',
        Size: '8.5 cm wide, 9 cm high',
        Weight: '380 g',
        Care: 'Dishwasher and microwave',
      }),
      amountMinor: 1800,
      art: 'mug',
    },
  ],
};

const stationery: DemoShop = {
  slug: 'globex',
  name: 'Globex Stationery',
  currency: 'usd',
  contactEmail: 'help@globex.example',
  products: [
    {
      slug: 'notebook',
      name: 'Dot Grid Notebook',
      description: '192 pages of 100 g paper that lies flat.',
      story: `Sewn in sections, so it opens flat on the first page and on the last. The paper is heavy enough for a fountain pen on both sides, and the dots are grey enough to disappear once there is something on the page.

The pages are numbered, the first four are left for a table of contents, and the pocket at the back holds more receipts than you will ever need.`,
      details: facts({
        Pages: '192, numbered, 5 mm dots',
        Paper: '100 g/m², acid-free, FSC',
        Size: 'A5, 148 × 210 mm, 16 mm thick',
        Weight: '330 g',
        Binding: 'Thread-sewn, cloth spine',
      }),
      amountMinor: 1900,
      art: 'notebook',
    },
    {
      slug: 'pen',
      name: 'Brass Rollerball',
      description: 'Heavier than it looks. Takes any standard refill.',
      story: `Turned from one bar of solid brass and left without a coating, so it darkens where you hold it and stays bright where you do not. After a year it could not be anybody else's.

The cap posts with a click, and the refill is the most common one in the world on purpose.`,
      details: facts({
        Material: 'Solid brass, uncoated',
        Size: '138 mm closed, 11 mm wide',
        Weight: '46 g',
        Refill: 'Standard rollerball, black 0.7 mm enclosed',
        Care: 'None, or lemon juice and a cloth',
      }),
      amountMinor: 4800,
      art: 'pen',
    },
    {
      slug: 'pencils',
      name: 'Drawing Pencils, 12',
      description: 'From 4H to 6B in a tin that closes properly.',
      story: `Twelve grades, from one that barely marks the paper to one that you should keep away from white shirts. The leads are glued along their whole length, so a fall from the desk does not mean a pencil that breaks at every sharpening.

The grade is stamped on three sides, because the one you need is always lying on the other two.`,
      details: facts({
        Grades: '4H, 3H, 2H, H, F, HB, B, 2B, 3B, 4B, 5B, 6B',
        Wood: 'Californian cedar',
        Size: '175 mm long, tin 185 × 92 × 12 mm',
        Weight: '165 g',
      }),
      amountMinor: 2200,
      art: 'pencils',
    },
    {
      slug: 'lamp',
      name: 'Desk Lamp',
      description: 'Warm light where the work is, none in your eyes.',
      story: `A deep shade on two springs. It stays where you push it, lights the page and not the room, and its light is as warm as an old bulb but steadier. One knob: turning makes it brighter, pressing puts it out.

The light source is a standard bulb that anybody can change, so the lamp may well outlive the desk.`,
      details: facts({
        Light: '2,700 K, 20 to 800 lumens, dimmable',
        Power: '9 W, E27 bulb included',
        Reach: '72 cm',
        Weight: '2.4 kg, of which the foot is 1.9',
        Cable: '1.8 m, woven',
      }),
      amountMinor: 11900,
      art: 'lamp',
    },
    {
      slug: 'clips',
      name: 'Paper Clips, 200',
      description: 'The good ones. They do not let go.',
      story: `Made from wire a little thicker than usual and bent a little tighter, which is the whole secret. They hold twenty sheets without marking the first, and can be taken off and put on again for years.`,
      details: facts({
        Pieces: '200',
        Material: 'Galvanised steel wire, 1.2 mm',
        Size: '33 mm',
        Holds: 'Up to 20 sheets',
        Weight: '150 g with the box',
      }),
      amountMinor: 600,
      art: 'clips',
    },
    {
      slug: 'planner',
      name: 'Week Planner',
      description: 'One week a spread, undated, so no guilt.',
      story: `Seven columns, one margin, and no dates: a fortnight you did not plan does not stare back at you as empty pages. Tear-off corners find the current week, and a ribbon finds it faster.

There is room for fifty-four weeks, because years are never as tidy as fifty-two.`,
      details: facts({
        Pages: '112, one week to a spread',
        Paper: '90 g/m², cream',
        Size: '170 × 240 mm',
        Weight: '310 g',
        Binding: 'Thread-sewn, soft cover',
      }),
      amountMinor: 2600,
      art: 'planner',
    },
  ],
};

/** Prices are in the currency's minor unit. */
export const demoShops: readonly DemoShop[] = [coffee, stationery];
