import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';

/** The few variables that the official client passes on, and what the server is given by name. */
export function serverEnvironment(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...getDefaultEnvironment(), ...given };
}
