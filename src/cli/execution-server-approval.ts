import type { Approval } from '../codemode/code-execution.js';
import { CallerError } from '../errors.js';
import { harmless } from './harmless.js';
import { shownArguments } from './shown-arguments.js';

const longestArguments = 2000;

/** What the client shows the person. The names and arguments are foreign text, and stand within quotes or on their own line. */
export function questionFor({ server, tool, arguments: given }: Approval): string {
  const shown = shownArguments(given, longestArguments);
  return `A script wants to call ${nameOf(server, tool)} with these arguments:\n${shown}\nPermit this call?`;
}

export function nobodyAsked({ server, tool }: Approval): CallerError {
  const message = `The tool ${nameOf(server, tool)} may not be called: a person has to permit each call of it (--ask-tools), and this MCP client cannot ask one (it lacks elicitation). Tell the user, who may run the script on a terminal with mcp-exec run, or leave the tool out of --ask-tools.`;
  return new CallerError('NOT_ALLOWED', message);
}

function nameOf(server: string, tool: string): string {
  return harmless(`${server}/${tool}`).slice(0, 200);
}
