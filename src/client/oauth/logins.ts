import { isPrivateWay } from './address.js';
import { loginsFolder } from './folder.js';
import { type KeptLogin, keyOfServer, shownAddress } from './kept-login.js';
import { createServerLogin, type ServerLogin } from './server-login.js';
import { createLoginStore } from './store.js';

export interface LoginsOptions {
  /** Not given: among the data of the user. */
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Told what was found wrong with what is kept, and put right. */
  readonly note?: (message: string) => void;
}

/** The logins of this user to MCP servers at addresses. */
export interface Logins {
  /** How requests to the server are logged in; none where they would travel unprotected. */
  of(server: URL, name?: string): ServerLogin | undefined;
  find(server: URL): Promise<KeptLogin | undefined>;
  list(): Promise<readonly KeptLogin[]>;
  keep(server: URL, login: KeptLogin): Promise<void>;
  /** What was forgotten; none where there was no login. */
  forget(server: URL): Promise<KeptLogin | undefined>;
}

export function createLogins({ folder, environment = process.env, note = () => {} }: LoginsOptions = {}): Logins {
  const store = createLoginStore(folder ?? loginsFolder(environment), note);
  return {
    of(server, name) {
      if (!isPrivateWay(server)) return undefined;
      return createServerLogin(store, server, { server: name ?? shownAddress(server) });
    },
    find: (server) => store.read(keyOfServer(server)),
    list: () => store.list(),
    async keep(server, login) {
      await store.change(keyOfServer(server), async () => login);
    },
    async forget(server) {
      const key = keyOfServer(server);
      let forgotten = await store.read(key);
      if (!forgotten) return undefined;
      await store.change(key, async (kept) => {
        forgotten = kept;
        return undefined;
      });
      return forgotten;
    },
  };
}
