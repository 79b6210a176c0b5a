/** One charge in the provider's ledger. Surplus ones are hatched, not only red. */
export function Coin({ amount, surplus }: { amount: string; surplus: boolean }) {
  return (
    <span
      className={`money grid size-20 place-items-center rounded-full border-2 font-semibold text-sm ${
        surplus ? 'border-danger border-dashed bg-danger-soft text-danger' : 'border-ok bg-ok-soft text-ok'
      }`}
    >
      {amount}
    </span>
  );
}
