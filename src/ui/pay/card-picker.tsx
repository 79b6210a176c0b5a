import { Ban, ChevronDown, CreditCard, ShieldCheck, Zap } from 'lucide-react';
import type { MouseEvent } from 'react';
import { CardBrand } from './card-brand.tsx';
import { CardFieldset } from './card-fieldset.tsx';

export interface Card {
  readonly id: string;
  readonly label: string;
  readonly kind: 'success' | 'decline' | 'authentication' | 'fault';
  readonly description: string;
}

const icons = { success: CreditCard, decline: Ban, authentication: ShieldCheck, fault: Zap } as const;

const groups = [
  ['decline', 'Cards the bank refuses'],
  ['authentication', 'Cards that ask for a confirmation'],
  ['fault', 'Things that go wrong on the way'],
] as const;

/** Uncontrolled radio buttons, so that a choice made before JavaScript runs is kept. */
export function CardPicker(props: {
  cards: readonly Card[];
  error?: string | undefined;
  /** A payment is under way with the chosen card. The buttons keep their focus and cannot be changed. */
  locked: boolean;
}) {
  const { cards, error, locked } = props;
  const working = cards.filter(({ kind }) => kind === 'success');
  return (
    <CardFieldset error={error} locked={locked}>
      {/* A key that chooses a radio button raises a click too. */}
      <div
        onClickCapture={locked ? keepChoice : undefined}
        data-locked={locked || undefined}
        className="group/cards overflow-hidden rounded-xl border border-line-strong bg-surface data-locked:bg-sunken"
      >
        <CardRows cards={working} checkedId={working[0]?.id} />
        {cards.length > working.length && <FailingCards cards={cards} />}
      </div>
    </CardFieldset>
  );
}

/** The section with the failing cards still opens. */
function keepChoice(event: MouseEvent) {
  if (event.target instanceof Element && !event.target.closest('summary')) event.preventDefault();
}

function FailingCards({ cards }: { cards: readonly Card[] }) {
  return (
    <details className="group border-line border-t">
      <summary className="flex min-h-12 items-center gap-3 rounded-b-xl px-4 font-medium text-sm -outline-offset-2 hover:bg-sunken group-[:has(:checked):not([open])]:bg-accent-soft">
        <Zap className="size-4.5 text-ink-faint" aria-hidden="true" />
        Break something
        <ChevronDown
          className="ml-auto size-4.5 text-ink-faint transition-transform group-open:rotate-180"
          aria-hidden="true"
        />
      </summary>
      <div className="max-h-80 overflow-y-auto overscroll-contain border-line border-t shadow-[inset_0_6px_6px_-6px_rgb(0_0_0/0.12)]">
        {groups.map(([kind, name]) => {
          const groupCards = cards.filter((card) => card.kind === kind);
          if (groupCards.length === 0) return null;
          return (
            <fieldset key={kind} className="[&+&]:border-line [&+&]:border-t">
              <legend className="float-left w-full px-4 pt-3.5 pb-1 font-medium text-ink-faint text-xs">
                {name}
              </legend>
              <div className="clear-both">
                <CardRows cards={groupCards} />
              </div>
            </fieldset>
          );
        })}
      </div>
    </details>
  );
}

function CardRows({ cards, checkedId }: { cards: readonly Card[]; checkedId?: string | undefined }) {
  return cards.map((card) => {
    const Icon = icons[card.kind];
    return (
      <label
        key={card.id}
        className="flex min-h-12 items-center gap-3 px-4 py-2.5 hover:bg-sunken has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent [&+&]:border-line [&+&]:border-t"
      >
        <input
          type="radio"
          name="paymentMethod"
          value={card.id}
          defaultChecked={card.id === checkedId}
          className="size-4.5 shrink-0 scroll-my-12 accent-accent outline-none"
          aria-describedby={card.kind === 'success' ? undefined : `about-${card.id}`}
        />
        <span className="min-w-0 flex-1">
          <span className="block font-medium text-sm">{card.label}</span>
          {card.kind !== 'success' && (
            <span id={`about-${card.id}`} className="block text-ink-soft text-sm leading-5">
              {card.description}
            </span>
          )}
        </span>
        {card.kind === 'success' ? (
          <CardBrand label={card.label} />
        ) : (
          <Icon className="mr-2.5 size-4.5 shrink-0 text-ink-faint" aria-hidden="true" />
        )}
      </label>
    );
  });
}
