/** A tool that a person named as `server/tool`. Both may hold slashes: the longest server that fits is meant. */
export function splitToolName(
  word: string,
  servers: readonly string[],
): { readonly server: string; readonly tool: string } | undefined {
  const fitting = servers.filter((name) => word.startsWith(`${name}/`) && word.length > name.length + 1);
  const longest = fitting.reduce((best, name) => (name.length > best.length ? name : best), '');
  const slash = longest === '' ? word.indexOf('/') : longest.length;
  if (slash <= 0 || slash === word.length - 1) return undefined;
  return { server: word.slice(0, slash), tool: word.slice(slash + 1) };
}
