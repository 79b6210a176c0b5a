import type { LucideIcon } from 'lucide-react';

/** A state as text, colour and icon: no reader depends on the colour. */
export function Badge({ label, Icon, colour }: { label: string; Icon: LucideIcon; colour: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap rounded-full py-0.5 pr-2.5 pl-2 font-medium text-xs leading-5 ${colour}`}
    >
      <Icon className="size-3.5" strokeWidth={2.5} aria-hidden="true" />
      {label}
    </span>
  );
}
