import { createError, ExecutionError } from '../../errors.js';
import type { Redactor } from '../../redact.js';

const wordsShown = 8;
const longestLine = 300;

/** The same failure, said of the server by its name in the config, without its secrets, with what it wrote at last. */
export function nameError(server: string, redactor: Redactor, error: unknown): unknown {
  if (!(error instanceof ExecutionError)) return error;
  const { code, message, details } = error;
  const { stderr, ...rest } = details;
  const lines = linesOf(stderr ?? '', redactor);
  const words = lines.length === 0 ? '' : `. It wrote last:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return createError(code, `MCP server ${server}: ${redactor.text(message)}${words}`, {
    ...rest,
    ...(lines.length > 0 && { stderr: lines.join('\n') }),
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a server writes must not steer a terminal
const controls = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Redacted before it is cut: of a secret that is cut through, the first half would stay. */
function linesOf(text: string, redactor: Redactor): readonly string[] {
  return redactor
    .text(text.replace(controls, ''))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-wordsShown)
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
}
