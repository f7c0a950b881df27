/** What is inside a case, and what stands beside the list. */
export const content = `
.detail { padding: 10px 14px 16px 42px; border-top: 1px solid var(--edge); }
@media (max-width: 640px) { .detail { padding-left: 14px; } }
.detail > * + * { margin-top: 10px; }
pre { margin: 6px 0 0; padding: 8px 10px; background: var(--sunk); border: 1px solid var(--edge); border-radius: 6px; overflow: auto; max-height: 460px;
  font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.finding { border-left: 3px solid var(--failed); padding: 2px 0 2px 10px; } .finding .message { font-weight: 600; overflow-wrap: anywhere; }
.diff { position: relative; } .diff pre { padding: 6px 0; } .diff .key { font: 11.5px ui-monospace, monospace; color: var(--muted); margin-top: 6px; }
.diff .key .out { color: var(--passed); } .diff .key .in { color: var(--failed); margin-left: 10px; }
.diff .line { display: block; padding: 0 10px; } .diff .out.line { background: var(--out); } .diff .in.line { background: var(--in); }
.diff .line.note { color: var(--accent); } .sign { user-select: none; color: var(--muted); } .out .sign { color: var(--passed); } .in .sign { color: var(--failed); }
summary { cursor: pointer; font-weight: 600; font-size: 13px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px; margin: 6px 0 0; } dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.validator { margin-top: 6px; overflow-wrap: anywhere; }
.load p + p { color: var(--muted); font-size: 12.5px; }
aside { display: grid; gap: 12px; min-width: 0; } .suite { display: grid; gap: 12px; margin-top: 10px; }
aside details > summary > .facts { margin-left: 8px; font-weight: 400; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 12px 14px; min-width: 0; }
.card > pre, .crash pre { max-height: 200px; } .crash { margin-top: 10px; border-left: 3px solid var(--failed); padding-left: 10px; overflow-wrap: anywhere; }
.card details { margin-top: 8px; } .card ul { margin: 0; padding-left: 18px; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 12.5px; }
th, td { text-align: right; font-weight: 400; padding: 2px 0 2px 10px; white-space: nowrap; } th:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; }
thead th { color: var(--muted); padding-bottom: 4px; } .barcell { padding: 0 0 8px; }
.swatch { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 4px; } .swatch.p50 { background: var(--p50); } .swatch.p95 { background: var(--p95); } .swatch.p99 { background: var(--p99); }
.bars { display: block; width: 100%; height: 7px; border-radius: 3px; overflow: hidden; }
svg .p50 { fill: var(--p50); } svg .p95 { fill: var(--p95); } svg .p99 { fill: var(--p99); } svg .track { fill: var(--sunk); }
.chart { display: block; width: 100%; max-width: 560px; height: auto; margin-top: 4px; } .chart.wide { max-width: 760px; }
.grid { stroke: var(--edge); stroke-width: 1; } .tick { fill: var(--muted); font-size: 11px; } .line { fill: none; stroke: var(--p95); stroke-width: 2; stroke-linejoin: round; } .area { fill: var(--p95); opacity: .14; }
.cursor line { stroke: var(--muted); stroke-dasharray: 2 2; } .cursor circle { fill: var(--p50); stroke: var(--card); stroke-width: 2; }
.readout { color: var(--muted); font-size: 12px; text-align: right; }
.slowest { list-style: none; margin: 0; padding: 0; } .slowest li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 1px 10px; margin-top: 5px; } .slowest .bars { grid-column: 1 / -1; }
.link { background: none; border: 0; padding: 0; color: var(--accent); cursor: pointer; text-align: left; overflow-wrap: anywhere; } .link:hover { text-decoration: underline; }
`;
