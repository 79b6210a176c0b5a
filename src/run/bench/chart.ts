/** One bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Ours are drawn in the accent colour. */
  readonly ours: boolean;
}

const [width, labelWidth, rowHeight, barHeight, top] = [720, 250, 30, 16, 44];

/**
 * Horizontal bars as an SVG that is readable on a light and on a dark page: it has no background, and its colours follow the
 * reader's setting where the page passes it on, and have enough contrast on both where it does not.
 */
export function barChart(title: string, unit: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const scale = (width - labelWidth - 90) / most;
  const height = top + bars.length * rowHeight + 8;
  const rows = bars.map(({ label, value, ours }, index) => {
    const y = top + index * rowHeight;
    const length = Math.max(2, value * scale);
    const text = y + barHeight - 3;
    return `  <text class="text" x="${labelWidth - 10}" y="${text}" text-anchor="end">${escapeXml(label)}</text>
  <rect class="${ours ? 'ours' : 'other'}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="3"/>
  <text class="text" x="${(labelWidth + length + 8).toFixed(1)}" y="${text}">${Math.round(value).toLocaleString('en')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
  <style>
    text { font: 13px system-ui, sans-serif }
    .title { font-weight: 600; font-size: 14px }
    .text, .title { fill: #6b7280 }
    .ours { fill: #0f9d74 }
    .other { fill: #9aa3af }
    @media (prefers-color-scheme: dark) { .text, .title { fill: #b4bcc8 } .ours { fill: #34d399 } .other { fill: #5b6472 } }
  </style>
  <text class="title" x="10" y="22">${escapeXml(title)}, ${escapeXml(unit)}</text>
${rows.join('\n')}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
