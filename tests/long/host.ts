import { createEngine } from '../../src/engine/engine.js';

/** A host that is in the midst of calls until it is killed; it says which calls have begun. */
const [settings = '{}', script = '', calls] = process.argv.slice(2);
const engine = createEngine({ ...JSON.parse(settings), concurrency: Number(calls) });

for (let number = 0; number < Number(calls); number++) {
  void engine.call(
    { script, function: 'stay', args: { number } },
    {
      onEvent(event) {
        if (event.type === 'output') process.stdout.write(`${event.line}\n`);
      },
    },
  );
}
