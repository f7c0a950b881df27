#!/usr/bin/env node
'use strict';
// Runs the bundled command beside this file. What V8 compiled of it is kept there too, because compiling it again would
// take a third of the time until a server's first answer. Where nothing can be kept, everything works the same.
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script, constants } = require('node:vm');

const name = 'COMMAND';
const file = join(__dirname, `${name}.cjs`);
const kept = join(__dirname, `${name}.${process.version}-${process.platform}-${process.arch}.compiled`);
const compiled = readKept();
const script = new Script(
  `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`,
  { filename: file, cachedData: compiled, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
);
if (compiled === undefined || script.cachedDataRejected) keepLater();
script.runInThisContext()(exports, require, module, file, __dirname);

function readKept() {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

/** A server lives long enough, and has used by then what the next one needs first. */
function keepLater() {
  if (!isServer()) return;
  const timer = setTimeout(keep, 1000).unref();
  process.once('exit', keep);

  function keep(exitCode) {
    clearTimeout(timer);
    process.off('exit', keep);
    // One that failed at its start has used little.
    if (exitCode) return;
    const draft = `${kept}.${process.pid}`;
    try {
      writeFileSync(draft, script.createCachedData());
      renameSync(draft, kept);
    } catch {
      // The folder is not ours to write.
    }
  }
}

function isServer() {
  const words = process.argv.slice(2);
  if (!name.startsWith('mcp-execution-server')) return words.includes('serve');
  return !words.some((word) => ['-h', '--help', '-V', '--version'].includes(word));
}
