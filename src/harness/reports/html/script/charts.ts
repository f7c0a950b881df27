/** Charts by hand: each has a name for those who do not see it, and numbers beside the picture. */
export const charts = String.raw`
function niceCeiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

/** A line over time, with the value under the pointer told. */
function timeChart({ label, points, showY, ceiling }) {
  const [width, height, left, bottom, top] = [400, 120, 52, 18, 8];
  const lastX = points.at(-1)[0];
  const firstX = points[0][0];
  const most = ceiling ?? niceCeiling(Math.max(...points.map(([, y]) => y)));
  const x = (value) => left + ((value - firstX) / (lastX - firstX || 1)) * (width - left - 6);
  const y = (value) => height - bottom - (value / most) * (height - bottom - top);
  const line = points.map(([px, py]) => x(px).toFixed(1) + ',' + y(py).toFixed(1)).join(' ');
  const base = height - bottom;
  const ticks = [0, most / 2, most].map((value) => [
    svg('line', { class: 'grid', x1: left, x2: width - 6, y1: y(value), y2: y(value) }),
    svg('text', { class: 'tick', x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, showY(value)),
  ]);
  const cursor = svg('g', { class: 'cursor', visibility: 'hidden' });
  const rule = svg('line', { y1: top, y2: base });
  const dot = svg('circle', { r: 3.5 });
  cursor.append(rule, dot);
  const readout = make('p', { class: 'readout', 'aria-hidden': 'true' }, '\u00a0');
  const chart = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': label, class: 'chart' },
    ticks.flat(),
    svg('polygon', { class: 'area', points: x(firstX) + ',' + base + ' ' + line + ' ' + x(lastX) + ',' + base }),
    svg('polyline', { class: 'line', points: line }),
    svg('text', { class: 'tick', x: left, y: height - 4 }, showMs(firstX)),
    svg('text', { class: 'tick', x: width - 6, y: height - 4, 'text-anchor': 'end' }, showMs(lastX)),
    cursor);
  chart.addEventListener('pointermove', (event) => {
    const box = chart.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const nearest = points.reduce((best, point) => Math.abs(x(point[0]) - at) < Math.abs(x(best[0]) - at) ? point : best);
    for (const [name, value] of [['x1', x(nearest[0])], ['x2', x(nearest[0])]]) rule.setAttribute(name, value);
    dot.setAttribute('cx', x(nearest[0]));
    dot.setAttribute('cy', y(nearest[1]));
    cursor.setAttribute('visibility', 'visible');
    readout.textContent = showY(nearest[1]) + ' after ' + showMs(nearest[0]);
  });
  chart.addEventListener('pointerleave', () => {
    cursor.setAttribute('visibility', 'hidden');
    readout.textContent = '\u00a0';
  });
  return [chart, readout];
}

/** Bars over one another from the same start: the shortest is the darkest. */
function layeredBar(parts, most) {
  return svg('svg', { class: 'bars', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'track', x: 0, y: 0, width: 100, height: 8 }),
    parts.map(([name, value]) => svg('rect', { class: name, x: 0, y: 0, height: 8, width: Math.max(0.6, (value / (most || 1)) * 100) })));
}

/** How many calls took how long. */
function histogram({ histogram: buckets, latency }) {
  const shown = buckets.slice(
    Math.max(0, buckets.findIndex(({ count }) => count > 0) - 1),
    buckets.findLastIndex(({ count }) => count > 0) + 2);
  if (shown.length === 0) return undefined;
  const [width, height, bottom, top] = [640, 150, 22, 16];
  const most = Math.max(...shown.map(({ count }) => count));
  const step = width / shown.length;
  const every = Math.ceil(shown.length / 10);
  const columns = shown.map(({ upToMs, count }, index) => {
    const tall = (count / most) * (height - bottom - top);
    const within = index === 0 ? 'up to ' + showMs(upToMs) : showMs(shown[index - 1].upToMs) + ' to ' + showMs(upToMs);
    return [
      svg('rect', { class: 'p95', x: index * step + 1, width: Math.max(1, step - 2), y: height - bottom - tall, height: tall, rx: 1.5 },
        svg('title', {}, within + ': ' + count)),
      index % every === 0 && svg('text', { class: 'tick', x: (index + 0.5) * step, y: height - 6, 'text-anchor': 'middle' }, '\u2264 ' + showMs(upToMs)),
      count === most && svg('text', { class: 'tick', x: (index + 0.5) * step, y: height - bottom - tall - 4, 'text-anchor': 'middle' }, String(count)),
    ];
  });
  return svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img', class: 'chart wide',
    'aria-label': 'Calls by how long they took: half within ' + showMs(latency.p50Ms) + ', 99 of 100 within ' + showMs(latency.p99Ms) },
    svg('line', { class: 'grid', x1: 0, x2: width, y1: height - bottom, y2: height - bottom }), columns.flat());
}
`;
