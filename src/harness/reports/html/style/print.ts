/** On paper: the day's colours, all of what is shown, and nothing that can only be clicked. */
export const print = `
@media print {
  :root { color-scheme: light; } * { print-color-adjust: exact; }
  body { background: none; } #page { padding: 0; max-width: none; }
  .columns { display: block; } .filters, .more, .keys, .readout { display: none; }
  pre, .card > pre, .crash pre { max-height: none; overflow: visible; }
  .said, .kind { white-space: normal; } .row { padding: 4px 8px; } .case:not(.open) { content-visibility: visible; break-inside: avoid; }
  .row, h3, summary { break-after: avoid; } .card { break-inside: avoid; margin-top: 10px; } aside { display: block; margin-top: 16px; }
}
`;
