/** What an opened case shows. Its data is parsed only then. */
export const detail = String.raw`
function detailOf(index) {
  const data = JSON.parse(document.getElementById('case-' + index).textContent);
  const row = report.cases[index];
  const facts = [
    report.suites.length > 1 && report.suites[row.suite].name,
    data.place,
    data.method && data.method + (row.target ? ' ' + row.target : ''),
    row.latencyMs !== undefined && 'answered in ' + showMs(row.latencyMs),
    row.tries,
    row.tags.length > 0 && 'tags: ' + row.tags.join(', '),
  ].filter(Boolean);
  return [
    make('p', { class: 'facts' }, facts.flatMap((fact, at) => at === 0 ? [fact] : [' \u00b7 ', fact])),
    row.status === 'skipped' && make('p', {}, 'Skipped: ' + (row.said || 'no reason given')),
    data.findings.map(findingOf),
    data.earlier.length > 0 && make('p', {}, 'It passed in the end. What failed before:'),
    data.earlier.map(findingOf),
    data.moreFindings > 0 && make('p', {}, data.moreFindings + ' more findings are in the JSON report.'),
    data.load && loadOf(data.load),
    block('Request', data.request, row.status !== 'passed'),
    block('Response', data.response, row.status !== 'passed'),
    block('Events', data.events, false),
    valuesOf(data.values),
    validatorsOf(data.validators),
    block('The server wrote at last', data.stderr, true),
  ];
}

function findingOf(lines) {
  const [first, ...others] = lines;
  const box = make('div', { class: 'finding' }, make('p', { class: 'message' }, first ? first[1] : ''));
  const places = others.filter(([kind]) => kind === 'place').map(([, text]) => text);
  if (places.length > 0) box.append(make('p', { class: 'facts' }, places.join(' \u00b7 ')));
  const rest = others.filter(([kind]) => kind !== 'place');
  const compared = rest.filter(([kind]) => kind !== 'quote');
  const quoted = rest.filter(([kind]) => kind === 'quote');
  if (compared.length > 0) box.append(diffOf(compared));
  if (quoted.length > 0) box.append(make('pre', { tabindex: 0 }, quoted.map(([, text]) => text).join('\n')));
  return box;
}

const diffSigns = { out: '-', in: '+', same: ' ', note: '@' };
const diffNames = { out: 'expected: ', in: 'came: ', same: '', note: '' };

function diffOf(lines) {
  const hasBoth = lines.some(([kind]) => kind === 'out') && lines.some(([kind]) => kind === 'in');
  return make('div', { class: 'diff' },
    hasBoth && make('p', { class: 'key', 'aria-hidden': 'true' },
      make('span', { class: 'out' }, '- expected'), ' ', make('span', { class: 'in' }, '+ came')),
    make('pre', { tabindex: 0, 'aria-label': 'Difference of what was expected and what came' },
      lines.map(([kind, text]) => make('span', { class: 'line ' + kind },
        make('span', { class: 'sign', 'aria-hidden': 'true' }, diffSigns[kind] + ' '),
        diffNames[kind] && make('span', { class: 'unseen' }, diffNames[kind]),
        text + '\n'))));
}

function block(title, text, isOpen) {
  if (text === undefined || text === '') return undefined;
  return make('details', { open: isOpen }, make('summary', {}, title), make('pre', { tabindex: 0 }, text));
}

function valuesOf(values) {
  if (values.length === 0) return undefined;
  return make('details', { open: true }, make('summary', {}, 'Values'),
    make('dl', {}, values.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])));
}

function validatorsOf(validators) {
  if (validators.length === 0) return undefined;
  return make('details', { open: true }, make('summary', {}, validators.length === 1 ? 'Validator' : 'Validators'),
    validators.map(({ passed, lines: [first, ...logs] }) => [
      make('p', { class: 'validator ' + (passed ? 'passed' : 'failed') },
        make('span', { class: 'mark', 'aria-hidden': 'true' }, marks[passed ? 'passed' : 'failed'] + ' '), first),
      logs.length > 0 && make('pre', { tabindex: 0 }, logs.join('\n')),
    ]).flat());
}

function loadOf(load) {
  return make('div', { class: 'load' }, load.lines.map((line) => make('p', {}, line)), histogram(load));
}
`;
