import type { ExperimentIcon } from '#ui/demo/experiment-list.tsx';
import { cutMs, type FaultyNetwork } from './faulty-network.ts';
import { networkOf } from './order-network.ts';
import { betweenClicksMs, pressPay } from './pay-button.ts';

export interface Experiment {
  readonly id: string;
  readonly icon: ExperimentIcon;
  readonly name: string;
  readonly does: string;
  readonly watch: string;
  run(on: { orderId: string; silenceProvider(): Promise<unknown> }): Promise<void>;
}

/** Ordered by where the fault is: the page, the server, the network, the bank. */
export function experimentsFor(silenceSeconds: number): readonly Experiment[] {
  return [
    {
      id: 'double-click',
      icon: 'click',
      name: 'Double-click for me',
      does: `Two clicks on the form’s button, ${betweenClicksMs} ms apart.`,
      watch: 'the page sends one request.',
      run: () => pressPay(2),
    },
    {
      id: 'twice',
      icon: 'twice',
      name: 'Send it twice at once',
      does: 'The same bytes leave two times, with one key.',
      watch: 'one is carried out, the other is not.',
      run: ({ orderId }) => press(orderId, (network) => network.sendTwice()),
    },
    {
      id: 'after',
      icon: 'cut',
      name: 'Drop the network after sending',
      does: 'The shop gets the request; its answer is lost.',
      watch: 'the repeat gets the stored answer.',
      run: ({ orderId }) => press(orderId, (network) => network.dropAt('after_claim')),
    },
    {
      id: 'before',
      icon: 'offline',
      name: 'Drop it before sending',
      does: `For ${cutMs / 1000} seconds nothing leaves this page.`,
      watch: 'it keeps trying, and pays when one gets out.',
      run: ({ orderId }) => press(orderId, (network) => network.dropAt('before_send')),
    },
    {
      id: 'silence',
      icon: 'silence',
      name: 'Silence the provider',
      does: `The bank charges, then says nothing for ${silenceSeconds} s.`,
      watch: 'unknown is never called failed.',
      async run({ silenceProvider }) {
        await silenceProvider();
        await pressPay();
      },
    },
  ];
}

async function press(orderId: string, arm: (network: FaultyNetwork) => void): Promise<void> {
  arm(networkOf(orderId));
  await pressPay();
}
