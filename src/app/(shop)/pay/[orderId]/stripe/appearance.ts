import type { Appearance } from '@stripe/stripe-js';

/** Stripe's fields are in a frame that does not have our styles, so the values of our tokens are passed on. */
export function appearanceFor(element: Element, dark: boolean): Appearance {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    theme: dark ? 'night' : 'stripe',
    variables: {
      fontFamily: 'Geist, ui-sans-serif, system-ui, sans-serif',
      // 16 px: a smaller font makes phones zoom into the field.
      fontSizeBase: '16px',
      spacingUnit: '4px',
      gridRowSpacing: '16px',
      borderRadius: '12px',
      colorPrimary: token('accent'),
      colorBackground: token('surface'),
      colorText: token('ink'),
      colorTextSecondary: token('ink-soft'),
      colorTextPlaceholder: token('ink-faint'),
      colorDanger: token('danger'),
      focusOutline: `2px solid ${token('accent')}`,
      focusBoxShadow: 'none',
    },
    rules: {
      '.Label': { fontSize: '14px', fontWeight: '500', color: token('ink'), marginBottom: '8px' },
      '.Input': { border: `1px solid ${token('line-strong')}`, boxShadow: 'none', padding: '12px 16px' },
      '.Input--invalid': { border: `1px solid ${token('danger')}`, boxShadow: 'none' },
      '.Error': { fontSize: '14px', marginTop: '6px' },
    },
  };
}
