import { CallerError } from '../../errors.js';
import type { Area } from '../parts.js';

/**
 * `GET /metrics`. It names every service and tool, so it is for whoever may see all of them: a key without a list of
 * services, or an administrator.
 */
export const registerMetrics: Area = (app, { metrics }) => {
  app.get('/metrics', { config: { scope: 'call' } }, async ({ principal }, reply) => {
    if (principal.services !== undefined && !principal.scopes.has('admin')) {
      const message = 'The metrics tell of all services, and this key is for some of them only';
      throw new CallerError('NOT_ALLOWED', message);
    }
    const { contentType, body } = await metrics.page();
    return reply.header('content-type', contentType).header('cache-control', 'no-store').send(body);
  });
};
