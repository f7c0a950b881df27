import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser';
import { readJson } from '../configfile/json.js';
import { CallerError } from '../errors.js';
import type { KeyEntry } from '../gateway/access/keys.js';
import { readConfig, replaceConfig } from './install/config-file.js';

/** Puts an entry under `keys` of a config file; comments and everything else stay as they are, and so does a copy. */
export async function addKeyToConfig(file: string, entry: KeyEntry): Promise<void> {
  const config = await readConfig(file);
  if (config.mode === undefined) {
    const message = `${file} does not exist; make it first, with {} in it`;
    throw new CallerError('INVALID_CONFIG', message, { argument: '--config', file });
  }
  const before = keysIn(config.text, file);
  const edits =
    before === undefined
      ? modify(config.text, ['keys'], [entry], { formattingOptions: formatOf(config.text) })
      : modify(config.text, ['keys', before.length], entry, {
          formattingOptions: formatOf(config.text),
          isArrayInsertion: true,
        });
  const text = applyEdits(config.text, edits);
  if (keysIn(text, file)?.length !== (before?.length ?? 0) + 1) {
    const message = `${file} has to be edited by hand: the entry could not be put under "keys". Nothing was written`;
    throw new CallerError('INVALID_CONFIG', message, { argument: '--config', file });
  }
  await replaceConfig(config, text);
}

function keysIn(text: string, file: string): readonly unknown[] | undefined {
  const json = readJson(text, file);
  const { value } = json;
  const keys: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'keys') : undefined;
  if (keys === undefined || Array.isArray(keys)) return keys;
  throw json.wrong(['keys'], 'expected a list: [ … ]');
}

function formatOf(text: string): FormattingOptions {
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return unit.startsWith('\t')
    ? { insertSpaces: false, tabSize: 1, eol }
    : { insertSpaces: true, tabSize: unit.length, eol };
}
