import { render } from '@react-email/render';
import { Fragment, createElement as h } from 'react';
import { formatMoney, type Money } from '../money.ts';
import { button, type Entry, entries, page, paragraph, section, smallPrint, stamp } from './email-layout.ts';

export interface Purchase {
  readonly shopName: string;
  /** Where to ask about it; absent when the shop has named none. */
  readonly contactEmail: string | undefined;
  /** The order's number, or the merchant's own reference. */
  readonly reference: string;
  /** Absent when there is no order of ours. */
  readonly orderedAt: Date | undefined;
  /** The order's page, which opens on any device without signing in. Absent when there is no order of ours. */
  readonly orderUrl: string | undefined;
  readonly lines: readonly { readonly name: string; readonly quantity: number; readonly amount: Money }[];
}

export interface ReceiptContent extends Purchase {
  readonly receiptNumber: number;
  readonly amount: Money;
  readonly paidAt: Date;
  /** Every payment made for it, in order, each with its status as a label. */
  readonly payments: readonly { readonly at: Date; readonly label: string }[];
  /** Another payment for it was found to be charged as well, and was not paid back. */
  readonly otherCharge: boolean;
  /** Its charge, as the provider calls it. */
  readonly chargeId: string | null;
  /** Brand and last four digits, where the provider sent them. */
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
  const attempts = receipt.payments.length === 1 ? 'One attempt' : `${receipt.payments.length} attempts`;
  return renderBoth({
    ...(receipt.otherCharge
      ? {
          heading: `Paid: ${amount}`,
          opening: `Thank you. ${receipt.shopName} has your payment. Another payment for it was found to be charged as well: see below.`,
          stamp: 'Nothing more is due.',
        }
      : {
          heading: `Paid once: ${amount}`,
          opening: `Thank you. ${receipt.shopName} has your payment, exactly once.`,
          stamp: 'Paid once. Nothing more is due, however often the button was pressed.',
        }),
    subject: `Receipt from ${receipt.shopName}: ${amount}`,
    purchase: receipt,
    entries: [
      ...receipt.lines.map((line) => ({
        name: line.quantity === 1 ? line.name : `${line.quantity} × ${line.name}`,
        value: formatMoney(line.amount),
      })),
      { name: 'Total paid', value: amount, strong: true },
      { name: 'Order', value: receipt.reference },
      ...(receipt.orderedAt ? [{ name: 'Ordered', value: formatTime(receipt.orderedAt) }] : []),
      { name: 'Receipt', value: `No. ${receipt.receiptNumber}` },
      { name: 'Paid', value: formatTime(receipt.paidAt) },
      ...(receipt.card ? [{ name: 'Card', value: receipt.card }] : []),
    ],
    more: {
      title: receipt.otherCharge ? attempts : `${attempts}, one charge`,
      entries: [
        ...receipt.payments.map(({ at, label }) => ({ name: label, value: formatTime(at, 'medium') })),
        ...(receipt.chargeId ? [{ name: 'Charge, as the provider calls it', value: receipt.chargeId }] : []),
      ],
    },
    label: 'View your order',
    aside:
      'The link opens your order on any device, without signing in. Anyone who has it can see the order.',
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
      { name: 'Date', value: formatTime(refund.refundedAt) },
    ],
    label: 'View your order',
  });
}

export interface NotChargedContent extends Purchase {
  readonly amount: Money;
  /** Why the bank declined; absent when the payment never reached it. */
  readonly reason: string | undefined;
}

/** The end of a payment whose outcome was unknown, and which did not happen. */
export function renderNotCharged(payment: NotChargedContent): Promise<RenderedEmail> {
  const amount = formatMoney(payment.amount);
  return renderBoth({
    subject: `Not charged: your payment to ${payment.shopName}`,
    purchase: payment,
    heading: `Not charged: ${amount}`,
    opening: `Your bank has answered. The payment did not happen, and nothing was charged.${payment.reason ? ` ${payment.reason}` : ''}`,
    entries: [
      { name: 'Charged', value: 'nothing', strong: true },
      { name: 'Amount of the order', value: amount },
      { name: 'Order', value: payment.reference },
    ],
    label: 'View your order, or pay it',
  });
}

interface EmailContent {
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

/** Both forms are made from the same content, so that they cannot differ. */
async function renderBoth(email: EmailContent): Promise<RenderedEmail> {
  const { shopName, orderUrl, contactEmail, reference } = email.purchase;
  const contact = contactEmail && `Questions? Write to ${contactEmail} and quote ${reference}.`;
  const content = h(
    Fragment,
    null,
    paragraph(email.opening),
    entries(email.entries),
    email.more && section(email.more.title, email.more.entries),
    email.stamp && stamp(email.stamp),
    orderUrl && button(orderUrl, email.label),
    orderUrl && email.aside && smallPrint(email.aside),
    contact && smallPrint(contact),
  );
  const html = await render(
    page({ preview: email.opening, shopName, heading: email.heading, children: content }),
  );
  const text = [
    shopName,
    '',
    email.heading,
    email.opening,
    '',
    ...email.entries.map(textOf),
    ...(email.more ? ['', email.more.title, ...email.more.entries.map(textOf)] : []),
    ...(email.stamp ? ['', email.stamp] : []),
    ...(orderUrl ? ['', `${email.label}:`, orderUrl, ...(email.aside ? [email.aside] : [])] : []),
    ...(contact ? ['', contact] : []),
    '',
  ].join('\n');
  return { subject: email.subject, html, text };
}

function textOf({ name, value }: Entry): string {
  return `${name}: ${value}`;
}

/** In UTC and saying so: the server does not know where the reader is. */
function formatTime(at: Date, dateStyle: 'long' | 'medium' = 'long'): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle, timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(at)} UTC`;
}
