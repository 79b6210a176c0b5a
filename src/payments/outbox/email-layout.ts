import { type CSSProperties, createElement as h, type ReactElement, type ReactNode } from 'react';

/**
 * The page of an e-mail. Tables and inline styles, because that is what mail programs understand; colours hold on a
 * white ground, because many of them ignore dark mode or invert by themselves.
 */
const colour = {
  ink: '#1d1b18',
  soft: '#56514a',
  line: '#e6e2da',
  ground: '#faf9f7',
  ok: '#14653d',
  accent: '#2747c4',
};
const font = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

export function page(props: {
  readonly preview: string;
  readonly shopName: string;
  readonly heading: string;
  readonly children: ReactNode;
}): ReactElement {
  return h(
    'html',
    { lang: 'en' },
    h('head', null, h('meta', { charSet: 'utf-8' }), h('title', null, props.heading)),
    h(
      'body',
      {
        style: {
          margin: 0,
          padding: '32px 16px',
          background: colour.ground,
          color: colour.ink,
          fontFamily: font,
        },
      },
      // What a list of messages shows beside the subject.
      h('div', { style: { display: 'none', maxHeight: 0, overflow: 'hidden' } }, props.preview),
      table(
        {
          maxWidth: 560,
          margin: '0 auto',
          background: '#ffffff',
          border: `1px solid ${colour.line}`,
          borderRadius: 12,
        },
        row(
          h(
            'td',
            { style: { padding: '32px 32px 28px' } },
            h(
              'p',
              { style: { margin: 0, fontSize: 14, fontWeight: 600, color: colour.soft } },
              props.shopName,
            ),
            h('h1', { style: { margin: '12px 0 0', fontSize: 26, lineHeight: 1.25 } }, props.heading),
            props.children,
          ),
        ),
      ),
    ),
  );
}

export function paragraph(text: string): ReactElement {
  return h('p', { style: { margin: '12px 0 0', fontSize: 15, lineHeight: 1.5, color: colour.soft } }, text);
}

export interface Entry {
  readonly name: string;
  readonly value: string;
  readonly strong?: boolean;
}

export function section(title: string, list: readonly Entry[]): ReactElement {
  const style: CSSProperties = { margin: '28px 0 0', fontSize: 15, fontWeight: 700 };
  return h('div', null, h('h2', { style }, title), entries(list, 10));
}

export function smallPrint(text: string): ReactElement {
  return h('p', { style: { margin: '12px 0 0', fontSize: 13, lineHeight: 1.5, color: colour.soft } }, text);
}

export function entries(list: readonly Entry[], marginTop = 24): ReactElement {
  return table(
    { marginTop, borderTop: `1px solid ${colour.line}` },
    list.map(({ name, value, strong = false }, index) => {
      const cell: CSSProperties = {
        verticalAlign: 'top',
        padding: '10px 0',
        borderBottom: `1px solid ${colour.line}`,
        fontSize: 15,
        fontWeight: strong ? 700 : 400,
      };
      return row(
        [
          h('td', { key: 'name', style: { ...cell, color: strong ? colour.ink : colour.soft } }, name),
          h(
            'td',
            { key: 'value', align: 'right', style: { ...cell, paddingLeft: 16, overflowWrap: 'anywhere' } },
            value,
          ),
        ],
        // Two attempts in one minute may read alike.
        `${index} ${name}`,
      );
    }),
  );
}

export function button(href: string, label: string): ReactElement {
  const style: CSSProperties = {
    display: 'inline-block',
    padding: '12px 20px',
    borderRadius: 8,
    background: colour.accent,
    color: '#ffffff',
    fontSize: 15,
    fontWeight: 600,
    textDecoration: 'none',
  };
  return h('p', { style: { margin: '28px 0 0' } }, h('a', { href, style }, label));
}

export function stamp(text: string): ReactElement {
  return h('p', { style: { margin: '20px 0 0', fontSize: 15, fontWeight: 600, color: colour.ok } }, text);
}

function table(style: CSSProperties, children: ReactNode): ReactElement {
  const layout = { role: 'presentation', width: '100%', cellPadding: 0, cellSpacing: 0 };
  return h(
    'table',
    { ...layout, style: { borderCollapse: 'separate', width: '100%', ...style } },
    h('tbody', null, children),
  );
}

function row(children: ReactNode, key?: string): ReactElement {
  return h('tr', { key }, children);
}
