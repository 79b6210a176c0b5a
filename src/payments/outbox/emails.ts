import { render } from '@react-email/render';
import { Fragment, createElement as h } from 'react';
import { formatMoney, type Money } from '../money.ts';
import { button, type Entry, entries, page, paragraph, section, smallPrint, stamp } from './email-layout.ts';

interface Purchase {
  readonly shopName: string;
  /** The order's number, or the merchant's own reference. */
  readonly reference: string;
  /** Absent when there is no order of ours. */
  readonly orderedAt: Date | undefined;
  /** The order's page: whoever has the link may go on from any device. Absent when there is no order of ours. */
  readonly orderUrl: string | undefined;
  readonly lines: readonly { readonly name: string; readonly quantity: number; readonly amount: Money }[];
}

export interface ReceiptContent extends Purchase {
  readonly receiptNumber: number;
  readonly amount: Money;
  readonly paidAt: Date;
  /** Every attempt made for it, in order, and what became of each in words. */
  readonly attempts: readonly { readonly at: Date; readonly words: string }[];
  /** The one charge, as the provider calls it. */
  readonly chargeId: string | null;
  /** Brand and last four digits, where the provider told them. */
  readonly card: string | undefined;
}

export interface RefundContent extends Purchase {
  readonly amount: Money;
  readonly paid: Money;
  readonly refundedAt: Date;
}

export interface RenderedEmail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export function renderReceipt(receipt: ReceiptContent): Promise<RenderedEmail> {
  const amount = formatMoney(receipt.amount);
  return renderBoth({
    subject: `Receipt from ${receipt.shopName}: ${amount}`,
    purchase: receipt,
    heading: `Paid once: ${amount}`,
    opening: `Thank you. ${receipt.shopName} has your payment, exactly once.`,
    entries: [
      ...receipt.lines.map((line) => ({
        name: line.quantity === 1 ? line.name : `${line.quantity} × ${line.name}`,
        value: formatMoney(line.amount),
      })),
      { name: 'Total paid', value: amount, strong: true },
      { name: 'Order', value: receipt.reference },
      ...(receipt.orderedAt ? [{ name: 'Ordered', value: moment(receipt.orderedAt) }] : []),
      { name: 'Receipt', value: `No. ${receipt.receiptNumber}` },
      { name: 'Paid', value: moment(receipt.paidAt) },
      ...(receipt.card ? [{ name: 'Card', value: receipt.card }] : []),
    ],
    more: {
      title: `${receipt.attempts.length === 1 ? 'One attempt' : `${receipt.attempts.length} attempts`}, one charge`,
      entries: [
        ...receipt.attempts.map(({ at, words }) => ({ name: words, value: moment(at, 'medium') })),
        ...(receipt.chargeId ? [{ name: 'Charge, as the provider calls it', value: receipt.chargeId }] : []),
      ],
    },
    stamp: 'Paid once. Nothing more is due, however often the button was pressed.',
    label: 'View your order',
    aside: 'The link opens your order on any device, without signing in. Whoever has it can see the order.',
  });
}

export function renderRefundNotice(refund: RefundContent): Promise<RenderedEmail> {
  const amount = formatMoney(refund.amount);
  return renderBoth({
    subject: `Refund from ${refund.shopName}: ${amount}`,
    purchase: refund,
    heading: `Refunded: ${amount}`,
    opening: `${refund.shopName} has paid this back to the card you used. Banks take up to ten days to show it.`,
    entries: [
      { name: 'Refunded', value: amount, strong: true },
      { name: 'Originally paid', value: formatMoney(refund.paid) },
      { name: 'Order', value: refund.reference },
      { name: 'Date', value: moment(refund.refundedAt) },
    ],
    label: 'View your order',
  });
}

interface Letter {
  readonly subject: string;
  readonly purchase: Purchase;
  readonly heading: string;
  readonly opening: string;
  readonly entries: readonly Entry[];
  readonly more?: { readonly title: string; readonly entries: readonly Entry[] };
  readonly stamp?: string;
  readonly label: string;
  /** Small print under the link. */
  readonly aside?: string;
}

/** Both forms come from the same words, so that they can not say different things. */
async function renderBoth(letter: Letter): Promise<RenderedEmail> {
  const { shopName, orderUrl } = letter.purchase;
  const content = h(
    Fragment,
    null,
    paragraph(letter.opening),
    entries(letter.entries),
    letter.more && section(letter.more.title, letter.more.entries),
    letter.stamp && stamp(letter.stamp),
    orderUrl && button(orderUrl, letter.label),
    orderUrl && letter.aside && smallPrint(letter.aside),
  );
  const html = await render(
    page({ preview: letter.opening, shopName, heading: letter.heading, children: content }),
  );
  const text = [
    shopName,
    '',
    letter.heading,
    letter.opening,
    '',
    ...letter.entries.map(inText),
    ...(letter.more ? ['', letter.more.title, ...letter.more.entries.map(inText)] : []),
    ...(letter.stamp ? ['', letter.stamp] : []),
    ...(orderUrl ? ['', `${letter.label}:`, orderUrl, ...(letter.aside ? [letter.aside] : [])] : []),
    '',
  ].join('\n');
  return { subject: letter.subject, html, text };
}

function inText({ name, value }: Entry): string {
  return `${name}: ${value}`;
}

/** In UTC and saying so: the server does not know where the reader is. */
function moment(at: Date, dateStyle: 'long' | 'medium' = 'long'): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle, timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(at)} UTC`;
}
