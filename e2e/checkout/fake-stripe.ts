import type { BrowserContext } from 'playwright/test';

/**
 * The part of Stripe.js that the page uses, served in its place. Stripe.js renders its fields in a frame of Stripe's; this
 * one renders an input into the same element, and sends the card number to Stripe's address only.
 */
const script = `
window.Stripe = function Stripe(publishableKey) {
  let made = 0;
  const field = (place) => place.querySelector('input');
  const elements = (options) => {
    const listeners = {};
    let place;
    const element = {
      on(event, listener) { listeners[event] = listener; return element; },
      once(event, listener) { listeners[event] = listener; return element; },
      off() { return element; },
      mount(where) {
        place = where;
        place.innerHTML = '<label>Card number <input autocomplete="off"></label>';
        setTimeout(() => listeners.ready && listeners.ready(element));
      },
      update(changes) { if (place && 'readOnly' in changes) field(place).readOnly = changes.readOnly; },
      unmount() {}, destroy() {}, blur() {}, clear() {}, focus() {}, collapse() {},
    };
    const group = {
      options,
      create: (type, chosen) => { window.stripeOptions.element = chosen; return element; },
      getElement: () => element,
      update() {},
      fetchUpdates: async () => ({}),
      async submit() {
        if (field(place).value.length >= 16) return { selectedPaymentMethod: 'card' };
        return { error: { type: 'validation_error', message: 'Your card number is incomplete.' } };
      },
      number: () => field(place).value,
    };
    window.stripeOptions = { publishableKey, options };
    return group;
  };
  return {
    elements,
    async createPaymentMethod({ elements: group }) {
      made += 1;
      const response = await fetch('https://api.stripe.com/v1/payment_methods', {
        method: 'POST', body: new URLSearchParams({ number: group.number(), made }),
      });
      return { paymentMethod: await response.json() };
    },
    createToken() {}, createSource() {}, confirmCardPayment() {}, _registerWrapper() {}, registerAppInfo() {},
  };
};
`;

/** Responds in place of Stripe, and records which card numbers it received. */
export async function fakeStripe(context: BrowserContext): Promise<{ scripts: string[]; numbers: string[] }> {
  const received = { scripts: [] as string[], numbers: [] as string[] };
  await context.route('https://js.stripe.com/**', (route) => {
    received.scripts.push(route.request().url());
    return route.fulfill({ contentType: 'text/javascript', body: script });
  });
  await context.route('https://api.stripe.com/**', (route) => {
    const form = new URLSearchParams(route.request().postData() ?? '');
    received.numbers.push(form.get('number') ?? '');
    return route.fulfill({
      headers: { 'access-control-allow-origin': '*' },
      json: { id: `pm_fake${received.numbers.length}` },
    });
  });
  return received;
}
