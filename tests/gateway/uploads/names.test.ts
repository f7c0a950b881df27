import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExecutionError } from '../../../src/errors.js';
import { serviceIdForm } from '../../../src/gateway/service.js';
import { createEntryNames } from '../../../src/gateway/uploads/entry-names.js';
import { fileNameOf, idFrom } from '../../../src/gateway/uploads/recognise.js';

it.each([
  ['calc.py', 'calc.py', 'calc'],
  ['C:\\Users\\me\\My Script.PY', 'My Script.py', 'My-Script'],
  ['../../etc/passwd', 'passwd', 'passwd'],
  ['.hidden.py', 'hidden.py', 'hidden'],
  ['a;rm rf.py', 'a_rm rf.py', 'a_rm-rf'],
  [`${'x'.repeat(300)}.py`, `${'x'.repeat(125)}.py`, 'x'.repeat(64)],
])('a file called %s is kept as %s and makes the id %s', (given, file, id) => {
  expect(fileNameOf(given)).toBe(file);
  expect(idFrom(file)).toBe(id);
});

it('any name of a file gives a plain name and a right id, or a clear error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (given) => {
      try {
        const file = fileNameOf(given);
        expect(file).not.toMatch(/[/\\\0\n]|^\./);
        expect(idFrom(file)).toMatch(serviceIdForm);
      } catch (error) {
        expect(error).toBeInstanceOf(ExecutionError);
      }
    }),
  );
});

it('any name in an archive leads below its folder, or is refused', () => {
  const part = fc.oneof(fc.constantFrom('..', '.', '', 'C:', '\\', '\0', 'a'), fc.string({ maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      try {
        const taken = createEntryNames(100).take(parts.join('/'));
        for (const name of taken?.path ?? []) expect(['', '.', '..']).not.toContain(name);
        expect(taken?.path.join('') ?? '').not.toMatch(/[/\\\0]/);
      } catch (error) {
        expect(error).toBeInstanceOf(ExecutionError);
      }
    }),
  );
});
