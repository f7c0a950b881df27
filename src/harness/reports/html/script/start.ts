/** Puts the page together, and keeps it and its address the same. */
export const start = `
const page = document.getElementById('page');
const { form, search, show: showFilters } = filterForm(apply);
const aside = make('aside', { 'aria-label': 'Measures' });

function apply() {
  writeAddress();
  showAll();
}

function showAll() {
  showFilters();
  showList();
  showMeasures();
}

let measured;
function showMeasures() {
  if (measured === wanted.suite) return;
  measured = wanted.suite;
  const indexes = wanted.suite === '' ? report.suites.keys() : [Number(wanted.suite)];
  aside.replaceChildren(...[...indexes].filter((index) => report.suites[index]).flatMap(suiteMeasures));
}

function suiteMeasures(index, position) {
  if (report.suites.length === 1) return measuresOf(index).filter(Boolean);
  const { name, totals, took } = report.suites[index];
  const inside = make('div', { class: 'suite' });
  const box = make('details', { open: position === 0, ontoggle: () => box.open && fillOnce() },
    make('summary', {}, make('h2', {}, name), make('span', { class: 'facts' }, totals.failed > 0 ? totals.failed + ' failed, ' + took : took)), inside);
  if (position === 0) fillOnce();
  return [box];

  function fillOnce() {
    if (inside.childElementCount === 0) fill(inside, {}, measuresOf(index));
  }
}

function leaveSearch() {
  search.value = '';
  wanted.q = '';
  apply();
  search.blur();
}

/** Opens a case wherever it is, with nothing filtered that would hide it. */
function showCase(at) {
  if (!matching().includes(at)) wanted = { ...nothing, suite: wanted.suite };
  wanted.case = String(at);
  apply();
  const position = shownCases.indexOf(at);
  const row = rowButton(position);
  row.scrollIntoView({ block: 'start' });
  row.focus();
}

function showAddress() {
  if (wanted.case !== '' && report.cases[Number(wanted.case)]) showCase(Number(wanted.case));
  else showAll();
}

function header() {
  const { outcome } = report;
  const parts = ['passed', 'flaky', 'failed', 'skipped'].map((name) => [name, report.cases.filter((row) => markOf(row) === name).length]);
  const when = new Date(report.startedAt);
  const bar = make('div', { class: 'share', role: 'img', 'aria-label': report.summary });
  for (const [name, count] of parts) {
    if (count === 0) continue;
    const part = make('span', { class: name, title: count + ' ' + name });
    part.style.flexGrow = String(count);
    bar.append(part);
  }
  return make('header', {},
    make('div', { class: 'headline' },
      make('span', { class: 'verdict ' + outcome }, outcome),
      make('h1', {}, report.summary)),
    bar,
    make('p', { class: 'facts' }, [
      Number.isNaN(when.getTime()) ? '' : when.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' }),
      ...(report.suites.length === 1 ? [report.suites[0].name] : [report.suites.length + ' suites']), ...report.environment,
    ].filter(Boolean).join(' \u00b7 ')));
}

readAddress();
page.append(header(),
  make('div', { class: 'columns' },
    make('main', {}, form, listElement, none, more,
      make('p', { class: 'facts keys' }, '/ searches, arrows move, Enter opens, Escape closes.')),
    aside));
showAddress();
new IntersectionObserver((entries) => {
  if (entries.some(({ isIntersecting }) => isIntersecting) && madeRows < shownCases.length) makeRows(chunk);
}, { rootMargin: '600px' }).observe(more);
document.addEventListener('keydown', onKey);
addEventListener('hashchange', () => {
  readAddress();
  showAddress();
});
addEventListener('beforeprint', showForPrint);
`;
