import { When } from './when.tsx';

/** What a provider's own wish to be left alone means here. Its messages and the shoppers' payments are not held back. */
export function ProviderPause({ until }: { until: string }) {
  return (
    <>
      The provider has asked for a pause: no automatic check is made before <When at={until} precise />. Its
      messages and new payments go on.
    </>
  );
}
