/** What is looked for, kept in the address, so that a link or a reload shows the same. */
export const filters = String.raw`
const statuses = ['failed', 'flaky', 'passed', 'skipped'];
const orders = { order: 'In order', slowest: 'Slowest first', name: 'By name' };
const nothing = { q: '', status: '', kind: '', tag: '', suite: '', sort: 'order', case: '' };
let wanted = { ...nothing };
const counter = make('p', { id: 'count', role: 'status' });

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  wanted = Object.fromEntries(Object.entries(nothing).map(([name, usual]) => [name, given.get(name) ?? usual]));
}

function writeAddress() {
  const said = new URLSearchParams(Object.entries(wanted).filter(([name, value]) => value !== nothing[name]));
  history.replaceState(null, '', '#' + said);
}

const texts = report.cases.map((row) =>
  [row.id, row.target ?? '', row.kind, row.said, ...row.tags, report.suites[row.suite].name].join('\n').toLowerCase());

function matching() {
  const words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let at = 0; at < report.cases.length; at += 1) {
    const row = report.cases[at];
    if (wanted.status && !hasStatus(row, wanted.status)) continue;
    if (wanted.kind && row.kind !== wanted.kind) continue;
    if (wanted.tag && !row.tags.includes(wanted.tag)) continue;
    if (wanted.suite && String(row.suite) !== wanted.suite) continue;
    if (words.every((word) => texts[at].includes(word))) found.push(at);
  }
  const rows = report.cases;
  if (wanted.sort === 'slowest') found.sort((one, other) => rows[other].durationMs - rows[one].durationMs);
  if (wanted.sort === 'name') found.sort((one, other) => rows[one].id.localeCompare(rows[other].id));
  return found;
}

function filterForm(onChange) {
  const change = (name, value) => {
    wanted = { ...wanted, [name]: value, case: '' };
    onChange();
  };
  const search = make('input', { type: 'search', id: 'search', placeholder: 'Search  ( / )', 'aria-label': 'Search cases', autocomplete: 'off',
    oninput: () => change('q', search.value) });
  const buttons = ['', ...statuses].map((status) => {
    const count = status ? report.cases.filter((row) => hasStatus(row, status)).length : report.cases.length;
    return make('button', { type: 'button', 'data-status': status, disabled: count === 0 && status !== '', onclick: () => change('status', status) },
      status && make('span', { class: 'mark ' + status, 'aria-hidden': 'true' }, marks[status] + ' '), status || 'all', make('span', { class: 'badge' }, String(count)));
  });
  const kinds = [...new Set(report.cases.map(({ kind }) => kind))].sort();
  const tags = [...new Set(report.cases.flatMap((row) => row.tags))].sort();
  const selects = [
    choice('kind', 'Kind', kinds.map((kind) => [kind, kind])),
    choice('tag', 'Tag', tags.map((tag) => [tag, tag])),
    report.suites.length > 1 && choice('suite', 'Suite', report.suites.map(({ name }, index) => [String(index), name])),
  ].filter(Boolean);
  const sort = make('select', { id: 'sort', 'aria-label': 'Order', onchange: () => change('sort', sort.value) },
    Object.entries(orders).map(([value, label]) => make('option', { value }, label)));
  const form = make('form', { role: 'search', class: 'filters', onsubmit: (event) => event.preventDefault() },
    make('div', { class: 'segments', role: 'group', 'aria-label': 'Status' }, buttons), search, selects, sort, counter);
  return { form, search, show };

  function choice(name, label, options) {
    if (options.length < 2 && name !== 'tag' || options.length === 0) return undefined;
    const select = make('select', { id: name, 'aria-label': label, onchange: () => change(name, select.value) },
      make('option', { value: '' }, label + ': all'), options.map(([value, text]) => make('option', { value }, text)));
    return select;
  }

  function show() {
    if (search.value !== wanted.q) search.value = wanted.q;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.status === wanted.status));
    for (const select of [...selects, sort]) select.value = wanted[select.id];
  }
}
`;
