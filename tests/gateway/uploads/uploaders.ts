import type { Principal } from '../../../src/gateway/access/principal.js';

/** A script with a tool, and a function that is none. */
export const calc = new Blob(['def add(a, b): ...\ndef _hidden(): ...\n']);

/** Somebody who may upload; one called admin may do everything. */
export const uploader = (id: string, more: Partial<Principal> = {}): Principal => ({
  id,
  name: id,
  scopes: new Set(id === 'admin' ? ['call', 'upload', 'admin'] : ['call', 'upload']),
  ...more,
});
