import { Bag } from './bag.tsx';
import { Beans } from './beans.tsx';
import { Clips } from './clips.tsx';
import { Dripper } from './dripper.tsx';
import { Grinder } from './grinder.tsx';
import { Kettle } from './kettle.tsx';
import { Lamp } from './lamp.tsx';
import { Mug } from './mug.tsx';
import { Notebook } from './notebook.tsx';
import { Parcel } from './parcel.tsx';
import { Pen } from './pen.tsx';
import { Pencils } from './pencils.tsx';
import { Planner } from './planner.tsx';

const drawings = new Map([
  ['bag', Bag],
  ['beans', Beans],
  ['clips', Clips],
  ['dripper', Dripper],
  ['grinder', Grinder],
  ['kettle', Kettle],
  ['lamp', Lamp],
  ['mug', Mug],
  ['notebook', Notebook],
  ['pen', Pen],
  ['pencils', Pencils],
  ['planner', Planner],
]);

/** The drawing a product names. What has no drawing yet comes in a parcel. */
export function Art({ name }: { name: string }) {
  const Drawing = drawings.get(name) ?? Parcel;
  return <Drawing />;
}
