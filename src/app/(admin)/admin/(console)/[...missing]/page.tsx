import { notFound } from 'next/navigation';

/** Any other address below /admin, so that it is missing within the console and not outside of it. */
export default function MissingPage() {
  notFound();
}
