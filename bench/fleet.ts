import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Servers as an agent meets them: twelve of them, with thirteen tools each, made of Python scripts by this product. */
export const fleetSize = { servers: 12, tools: 12 * 13 } as const;

const things = [
  'invoice issue order ticket contact deployment document event message product shipment payment',
].flatMap((line) => line.split(' '));
const verbs = 'create get update delete list search archive restore assign comment export import summarise'.split(' ');

/** Writes the scripts, and the config that names a server for each. Gives back the config's path. */
export function writeFleet(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const command = resolve('dist', 'bin', 'mcp-exec.js');
  const servers = Object.fromEntries(
    things.map((thing) => {
      const script = join(folder, `${thing}s.py`);
      writeFileSync(script, scriptOf(thing));
      return [`${thing}s`, { command: process.execPath, args: [command, 'serve', script] }];
    }),
  );
  const config = join(folder, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: servers }, null, 2));
  return config;
}

function scriptOf(thing: string): string {
  return `"""Everything about ${thing}s."""
from dataclasses import dataclass, field
from typing import Literal, Optional


@dataclass
class Money:
    amount: float
    currency: Literal["EUR", "USD", "GBP", "JPY"] = "EUR"


@dataclass
class ${capital(thing)}:
    id: str
    title: str
    state: Literal["open", "waiting", "closed"]
    owner: Optional[str] = None
    total: Optional[Money] = None
    tags: list[str] = field(default_factory=list)


${verbs.map((verb) => functionOf(verb, thing)).join('\n\n')}
`;
}

function functionOf(verb: string, thing: string): string {
  return `def ${verb}_${thing}(
    account: str,
    ${thing}_id: str,
    title: str = "",
    state: Literal["open", "waiting", "closed"] = "open",
    total: Optional[Money] = None,
    tags: Optional[list[str]] = None,
    since: Optional[str] = None,
    limit: int = 50,
    dry_run: bool = False,
) -> list[${capital(thing)}]:
    """${capital(verb)} ${thing}s of an account, and say what they look like afterwards.

    Works on one ${thing} where its id is given, and on all that fit the other parameters where it is empty. Nothing is
    changed with dry_run, and what would have been is returned all the same.

    Args:
        account: The account that the ${thing}s belong to, by its short name.
        ${thing}_id: The id of one ${thing}, as other tools return it; empty for all.
        title: Words that the title has to contain, in any order.
        state: The state that the ${thing}s are in, or are brought into.
        total: The amount that the ${thing} is about, with its currency.
        tags: Labels that the ${thing} carries; each of them has to be there.
        since: Only what changed since that day, as YYYY-MM-DD.
        limit: The largest number of ${thing}s that is worked on at once.
        dry_run: Look, and change nothing.
    """
    return [${capital(thing)}(${thing}_id or "1", title or "${thing}", state)]
`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
