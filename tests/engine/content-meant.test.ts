import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeLaunchers, failureOf, folderWith } from './harness.js';

describeLaunchers('A call that says which content of the script it means', (makeEngine, launcher) => {
  const version = (number: number) => `def tell():\n    return ${number}\n`;

  // An interpreter that is started ahead reads the file as it is by then.
  if (launcher === 'fork')
    it('is served by what was imported before, while the file is another', async () => {
      const { script, hash, work } = scene(version(1));
      const engine = makeEngine({ idleChildren: 2 });
      expect((await engine.call(work, { content: hash })).value).toBe(1);
      await engine.warm(script, { content: hash });
      writeFileSync(script, 'def tell( :\n');
      expect((await engine.call(work, { content: hash })).value).toBe(1);
      await engine.warm(script, { content: hash });
      expect(await failureOf(engine.call(work))).toMatchObject({ code: 'SYNTAX_ERROR' });
    });

  it('is served by the file as soon as that is what is meant', async () => {
    const { script, hash, work } = scene(version(1));
    const engine = makeEngine({ idleChildren: 2 });
    expect((await engine.call(work, { content: hash })).value).toBe(1);
    writeFileSync(script, version(22));
    expect((await engine.call(work, { content: hashOf(script) })).value).toBe(22);
  });

  it('is refused a content that is no text', async () => {
    const { work } = scene(version(1));
    const wrong = { content: 5 as unknown as string };
    expect(await failureOf(makeEngine().call(work, wrong))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  function scene(text: string) {
    const script = join(folderWith({ 'script.py': text }), 'script.py');
    return { script, hash: hashOf(script), work: { script, function: 'tell' } };
  }
});

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
