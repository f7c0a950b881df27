import type { RunEvent } from '../../report.js';
import { showMs } from '../figures.js';
import { visibleLine } from '../foreign.js';

const shownNames = 3;

/** How far a run is, in one line: `12/40  1 failed  3.2 s  adds numbers, greets`. */
export interface Progress {
  onEvent(event: RunEvent): void;
  line(): string;
}

export function createProgress(now: () => number): Progress {
  const startedAt = now();
  const running = new Set<string>();
  let [suite, total, done, failed] = ['', 0, 0, 0];
  return {
    onEvent(event) {
      switch (event.type) {
        case 'suite-started':
          [suite, total, done] = [event.name, event.cases, 0];
          running.clear();
          return;
        case 'case-started':
          running.add(event.id);
          return;
        case 'case-finished':
          running.delete(event.report.id);
          done += 1;
          total = Math.max(total, done);
          if (event.report.status === 'failed') failed += 1;
          return;
      }
    },
    line() {
      const names = [...running].slice(0, shownNames).map(visibleLine).join(', ');
      const more = running.size > shownNames ? ` and ${running.size - shownNames} more` : '';
      const parts = [
        visibleLine(suite),
        // Checks are not counted before.
        `${done}/${Math.max(total, done + running.size)}`,
        ...(failed > 0 ? [`${failed} failed`] : []),
        showMs(Math.floor((now() - startedAt) / 100) * 100),
        `${names}${more}`,
      ];
      return parts.filter((part) => part !== '').join('  ');
    },
  };
}
