import Link from 'next/link';
import { Art } from '#ui/product-art.tsx';
import { buttonStyle } from '../button-style.ts';

export function EmptyCart(props: { shop: { slug: string; name: string }; art: readonly string[] }) {
  return (
    <div className="mt-8 rounded-3xl bg-art-ground px-6 pt-10 pb-12 text-center">
      <div className="mx-auto grid max-w-sm grid-cols-3 gap-2" aria-hidden="true">
        {props.art.map((name) => (
          <Art key={name} name={name} />
        ))}
      </div>
      <p className="mt-8 font-semibold text-xl tracking-tight">There is nothing in it yet.</p>
      <p className="mt-1 text-ink-soft">The shelf is short; you will have seen all of it in a minute.</p>
      <Link href={`/s/${props.shop.slug}`} className={`${buttonStyle('primary', 'large')} mt-6`}>
        <span className="wrap-anywhere min-w-0">Look around {props.shop.name}</span>
      </Link>
    </div>
  );
}
