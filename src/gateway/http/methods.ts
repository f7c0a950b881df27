import type { FastifyInstance } from 'fastify';

/** Which methods an address takes, whatever it was asked with. */
export interface KnownMethods {
  at(url: string): readonly string[];
}

/** Has to be made before the routes are. */
export function recordMethods(app: FastifyInstance): KnownMethods {
  const known = new Map<string, { readonly form: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/')) return;
    const route = known.get(url) ?? { form: formOf(url), methods: new Set() };
    known.set(url, route);
    for (const name of [method].flat()) route.methods.add(name);
  });
  return {
    at(url) {
      const path = url.split('?', 1)[0] ?? '';
      return [...known.values()].flatMap(({ form, methods }) => (form.test(path) ? [...methods] : []));
    },
  };
}

function formOf(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}/?$`);
}
