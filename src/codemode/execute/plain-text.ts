/** Control characters, line ends, and characters that turn the direction of text. */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;

/** Text of others on one line of a message, in bounds. */
export function plainText(text: string, longest = 200): string {
  const start = text.slice(0, longest * 2);
  const line = start.replace(unfit, ' ').trim();
  return line.length <= longest && start.length === text.length ? line : `${line.slice(0, longest)}…`;
}

/** `server/tool`, as it is said to people. */
export function nameOf({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return `${plainText(server, 100)}/${plainText(tool, 100)}`;
}
