/** Elements and figures. Text becomes text: nothing is ever parsed as markup. */
export const make = String.raw`
const report = JSON.parse(document.getElementById('report').textContent);

function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

function showMs(ms) {
  const trimmed = (value) => value.toFixed(1).replace(/\.0$/, '');
  if (ms < 9.95) return trimmed(ms) + ' ms';
  if (ms < 999.5) return Math.round(ms) + ' ms';
  if (ms < 59950) return trimmed(ms / 1000) + ' s';
  const whole = Math.round(ms / 1000);
  return Math.floor(whole / 60) + ' min ' + (whole % 60) + ' s';
}

function showBytes(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)));
  return (bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1).replace(/\.0$/, '') + ' ' + units[power];
}

const marks = { passed: '\u2713', failed: '\u2715', flaky: '~', skipped: '\u2013' };

function markOf({ status, isFlaky }) {
  return status === 'passed' && isFlaky ? 'flaky' : status;
}

function hasStatus(row, status) {
  return status === 'flaky' ? row.isFlaky : row.status === status;
}

function card(title, ...children) {
  return make('section', { class: 'card' }, make('h3', {}, title), ...children);
}
`;
