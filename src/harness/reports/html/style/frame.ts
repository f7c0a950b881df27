/** The page as a whole, and the list. */
export const frame = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
#page { max-width: 1500px; margin: 0 auto; padding: 20px 24px 60px; }
h1, h2, h3, p { margin: 0; }
h1 { font-size: 20px; font-weight: 600; } h2 { font-size: 15px; display: inline; } h3 { font-size: 13px; font-weight: 600; margin-bottom: 8px; }
.facts { color: var(--muted); font-size: 12.5px; overflow-wrap: anywhere; }
.headline { display: flex; align-items: center; gap: 12px; flex-wrap: wrap; }
.verdict { background: var(--status); color: var(--card); border-radius: 5px; padding: 2px 10px; font-weight: 600; text-transform: capitalize; }
.share { display: flex; gap: 2px; height: 8px; margin: 12px 0 8px; border-radius: 4px; overflow: hidden; }
.share span { background: var(--status); min-width: 4px; flex-basis: 0; } .share .skipped { opacity: .55; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 430px; gap: 20px; align-items: start; margin-top: 16px; }
@media (max-width: 1050px) { .columns { grid-template-columns: minmax(0, 1fr); } #page { padding: 14px; } }
.filters { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 8px 0; background: var(--page); }
@media (min-width: 1051px) { .filters { position: sticky; top: 0; z-index: 1; } .row { scroll-margin-top: 100px; } }
input, select, button { font: inherit; color: inherit; }
input, select { background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 5px 9px; min-width: 0; }
input[type=search] { flex: 1 1 180px; } select { max-width: 200px; }
.segments { display: flex; border: 1px solid var(--edge); border-radius: 6px; overflow: hidden; background: var(--card); }
.segments button { border: 0; background: none; padding: 5px 10px; cursor: pointer; border-left: 1px solid var(--edge); white-space: nowrap; }
.segments button:first-child { border-left: 0; } .segments button:disabled { color: var(--muted); cursor: default; opacity: .6; }
.segments button[aria-pressed=true] { background: var(--text); color: var(--card); } [aria-pressed=true] .mark, [aria-pressed=true] .badge { color: inherit; }
.badge { margin-left: 6px; color: var(--muted); font-size: 12px; font-variant-numeric: tabular-nums; }
.segments button:disabled .mark { color: inherit; }
#count { color: var(--muted); font-size: 12.5px; margin-left: auto; }
#list { list-style: none; margin: 0; padding: 0; background: var(--card); border: 1px solid var(--edge); border-radius: 8px; overflow: clip; }
#list:empty { display: none; } .none { padding: 18px 2px; }
.case:not(.open) { content-visibility: auto; contain-intrinsic-size: auto 38px; }
.case + .case { border-top: 1px solid var(--edge); }
.row { display: grid; grid-template-columns: 20px minmax(0, 1fr) minmax(0, auto) 76px; gap: 4px 10px; align-items: baseline;
  width: 100%; text-align: left; background: none; border: 0; padding: 8px 12px; cursor: pointer; }
.row:hover, .open > .row { background: var(--sunk); }
.mark { color: var(--status, var(--muted)); font-weight: 700; }
.row .mark { text-align: center; }
.name { overflow-wrap: anywhere; font-weight: 500; } .said { display: block; color: var(--muted); font-size: 12.5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.said.whole { white-space: normal; overflow-wrap: anywhere; }
.kind { color: var(--muted); font-size: 12.5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 240px; }
.number { text-align: right; font-variant-numeric: tabular-nums; color: var(--muted); white-space: nowrap; }
@media (max-width: 640px) { .segments { flex-wrap: wrap; width: 100%; } .segments button { flex: 1 0 auto; padding: 5px 8px; }
  .row { grid-template-columns: 20px minmax(0, 1fr) auto; } .row .kind { display: none; } }
:focus-visible { outline: 2px solid var(--focus); outline-offset: -2px; }
.more { display: block; margin: 12px auto; background: none; border: 1px solid var(--edge); border-radius: 6px; padding: 6px 14px; cursor: pointer; }
.more[hidden] { display: none; } .keys { padding: 10px 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.plain { padding: 20px; }
`;
