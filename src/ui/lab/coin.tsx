/** One charge in the provider's ledger. A surplus one has a dashed border as well as another colour. */
export function Coin({ amount, surplus }: { amount: string; surplus: boolean }) {
  return (
    <span
      className={`money inline-flex min-h-8 items-center rounded-full border-2 px-3 font-semibold text-xs ${
        surplus ? 'border-danger border-dashed bg-danger-soft text-danger' : 'border-ok bg-ok-soft text-ok'
      }`}
    >
      {amount}
    </span>
  );
}
