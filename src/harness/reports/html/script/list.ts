/** The cases. Rows are made as they come into sight, and what is inside one when it is opened. */
export const list = `
const chunk = 100;
const mostPrinted = 5000;
const mostOpened = 500;
let shownCases = [];
let madeRows = 0;
const listElement = make('ol', { id: 'list', 'aria-label': 'Cases' });
const none = make('p', { class: 'none', hidden: true }, 'No case matches. ',
  make('button', { type: 'button', class: 'link', onclick: () => { wanted = { ...nothing }; apply(); } }, 'Show all'));
const more = make('button', { type: 'button', class: 'more', onclick: () => makeRows(chunk) }, 'Show more');

function showList() {
  shownCases = matching();
  madeRows = 0;
  listElement.replaceChildren();
  const all = report.cases.length;
  counter.textContent = shownCases.length === all ? all + (all === 1 ? ' case' : ' cases') : shownCases.length + ' of ' + all + ' cases';
  none.hidden = shownCases.length > 0;
  makeRows(chunk);
}

/** What is printed is what would be seen: all that matches, and of failed cases what is inside. */
function showForPrint() {
  makeRows(mostPrinted - madeRows);
  for (const item of [...listElement.children].slice(0, mostOpened)) {
    if (report.cases[item.dataset.at].status === 'failed' && !item.classList.contains('open')) item.dispatchEvent(new Event('open'));
  }
}

function makeRows(count) {
  const next = shownCases.slice(madeRows, madeRows + count);
  madeRows += next.length;
  listElement.append(...next.map(rowOf));
  more.hidden = madeRows >= shownCases.length;
}

function rowOf(at) {
  const row = report.cases[at];
  const mark = markOf(row);
  const inside = make('div', { class: 'detail', id: 'detail-' + at, hidden: true });
  const button = make('button', { type: 'button', class: 'row', 'aria-expanded': 'false', 'aria-controls': inside.id, onclick: () => toggle() },
    make('span', { class: 'mark ' + mark, 'aria-hidden': 'true' }, marks[mark]),
    make('span', { class: 'unseen' }, mark + ': '),
    make('span', { class: 'title' }, make('span', { class: 'name' }, row.id),
      row.said && row.status !== 'passed' && make('span', { class: row.status === 'skipped' ? 'said whole' : 'said' }, row.said)),
    make('span', { class: 'kind' }, row.target && row.target !== row.id ? row.kind + ' ' + row.target : row.kind),
    make('span', { class: 'number', title: row.latencyMs === undefined ? '' : 'answered in ' + showMs(row.latencyMs) },
      row.status === 'skipped' ? '' : showMs(row.durationMs)));
  const item = make('li', { class: 'case', 'data-at': at, onopen: () => open() }, button, inside);
  if (String(at) === wanted.case) open();
  return item;

  function open() {
    if (inside.childElementCount === 0) fill(inside, {}, detailOf(at).flat());
    inside.hidden = false;
    item.classList.add('open');
    button.setAttribute('aria-expanded', 'true');
  }

  function toggle() {
    if (inside.hidden) {
      open();
      wanted.case = String(at);
    } else {
      inside.hidden = true;
      item.classList.remove('open');
      button.setAttribute('aria-expanded', 'false');
      if (wanted.case === String(at)) wanted.case = '';
    }
    writeAddress();
  }
}

function rowButton(position) {
  while (madeRows <= position && madeRows < shownCases.length) makeRows(chunk);
  const item = listElement.children[Math.max(0, Math.min(position, madeRows - 1))];
  return item && item.firstElementChild;
}

function moveFrom(element, steps) {
  const item = element && element.closest('.case');
  const position = item ? [...listElement.children].indexOf(item) + steps : 0;
  const button = rowButton(position);
  if (button) button.focus();
}

function onKey(event) {
  const target = event.target;
  const isTyping = target.matches('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && !isTyping) search.focus();
  else if (event.key === 'Escape' && target === search) leaveSearch();
  else if (event.key === 'Escape' && target.closest('.case.open')) closeAround(target);
  else if (event.key === 'ArrowDown' && (target === search || target === document.body)) moveFrom(undefined, 0);
  else if (target.matches('.row') && rowKeys[event.key]) rowKeys[event.key](target);
  else return;
  event.preventDefault();
}

const rowKeys = {
  ArrowDown: (row) => moveFrom(row, 1),
  ArrowUp: (row) => moveFrom(row, -1),
  Home: () => rowButton(0).focus(),
  End: () => rowButton(shownCases.length - 1).focus(),
};

function closeAround(target) {
  const row = target.closest('.case').firstElementChild;
  row.click();
  row.focus();
}
`;
