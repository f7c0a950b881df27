#!/usr/bin/env node
'use strict';
// Runs the bundled command beside this file. What V8 compiled of it is kept there too, because compiling it again would
// take a third of the time until a server's first answer. Where nothing can be kept, everything works the same.
const { isAscii } = require('node:buffer');
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script, constants } = require('node:vm');

const name = 'COMMAND';
const use = useOf(process.argv.slice(2));
const unkept = new Map();
const loaded = new Map();
load(`${name}.cjs`, use);

/** Files that some verbs load are kept, too; all others are Node's to find. */
function requireOf(id) {
  const [, file] = /^\.\/([\w-]+\.cjs)$/.exec(id) ?? [];
  return file === undefined ? require(id) : load(file);
}

/** Files are named after their content: V8 itself looks no further than the length of a source. */
function load(name, use) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const file = join(__dirname, name);
  const kept = `${file.slice(0, -4)}.${use ? `${use}-` : ''}${process.version}-${process.platform}-${process.arch}.compiled`;
  const cachedData = readKept(kept);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${readSource(file)}\n})`, {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cachedData === undefined || script.cachedDataRejected) keepLater(kept, script);
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, requireOf, module, file, __dirname);
  return module.exports;
}

/** Most of it is ASCII, which needs no decoding. */
function readSource(file) {
  const bytes = readFileSync(file);
  return isAscii(bytes) ? bytes.latin1Slice() : bytes.utf8Slice();
}

function readKept(kept) {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

/** At the end, or when a server has lived long enough to have used what the next one needs first. */
function keepLater(kept, script) {
  if (!use) return;
  if (unkept.size === 0) {
    setTimeout(keepAll, 1000).unref();
    process.once('exit', keepAll);
  }
  unkept.set(kept, script);
}

function keepAll(exitCode) {
  // One that failed at its start has used little.
  if (exitCode > 1) return;
  for (const [kept, script] of unkept) keep(kept, script);
  unkept.clear();
}

function keep(kept, script) {
  const draft = `${kept}.${process.pid}`;
  try {
    writeFileSync(draft, script.createCachedData());
    renameSync(draft, kept);
  } catch {
    // The folder is not ours to write.
  }
}

/** What starts often is worth it; each uses other parts of the command first. */
function useOf(words) {
  if (words.some((word) => ['-h', '--help', '-V', '--version'].includes(word))) return undefined;
  if (name.startsWith('mcp-execution-server')) return 'serve';
  return ['serve', 'test', 'run'].find((verb) => words[0] === verb || (verb === 'serve' && words.includes(verb)));
}
