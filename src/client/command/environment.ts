const passedOn =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'PROGRAMFILES(X86)',
        'PROGRAMW6432',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

/**
 * The few variables that the official client passes on, and what the server is given by name. The names stand here, so that a
 * process can be started before the client is loaded; a test holds them to the client's.
 */
export function serverEnvironment(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...Object.fromEntries(passedOn.flatMap(variable)), ...given };
}

/** A shell's function, which some shells export so, is no variable. */
function variable(name: string): [string, string][] {
  const value = process.env[name];
  return value === undefined || value.startsWith('()') ? [] : [[name, value]];
}
