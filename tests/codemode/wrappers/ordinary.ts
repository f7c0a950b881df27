import type { KnownServer } from '../../../src/codemode/known-tools.js';

/** An issue tracker, as many are. */
export const ordinaryServer: KnownServer = {
  name: 'tracker',
  description: 'Issues of projects.\n\nUse list_issues before create_issue, so that nothing is reported twice.',
  tools: [
    {
      tool: {
        name: 'create_issue',
        description: 'Creates an issue. It gets the state "open" unless another is said.',
        inputSchema: {
          type: 'object',
          properties: {
            title: { type: 'string', description: 'What it is about.' },
            body: { type: 'string', description: 'Markdown.' },
            labels: { type: 'array', items: { $ref: '#/$defs/Label' } },
            state: { enum: ['open', 'closed'], default: 'open' },
            'assigned-to': { type: ['string', 'null'] },
          },
          required: ['title'],
          $defs: {
            Label: {
              type: 'object',
              description: 'A word that issues have in common.',
              properties: { name: { type: 'string' }, color: { type: 'string', description: 'As in CSS.' } },
              required: ['name'],
            },
          },
        },
        outputSchema: {
          type: 'object',
          properties: { id: { type: 'integer' }, url: { type: 'string' } },
          required: ['id', 'url'],
        },
      },
      result: {
        origin: 'declared',
        schema: {
          type: 'object',
          properties: { id: { type: 'integer' }, url: { type: 'string' } },
          required: ['id', 'url'],
        },
      },
    },
    {
      tool: {
        name: 'list-issues',
        title: 'List issues',
        annotations: { readOnlyHint: true },
        inputSchema: {
          type: 'object',
          properties: { limit: { type: 'integer', default: 30 }, since: { type: 'string' } },
        },
      },
      result: {
        origin: 'inferred',
        samples: 3,
        isJsonText: true,
        schema: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'integer' }, title: { type: 'string' } },
            required: ['id'],
          },
        },
      },
    },
    { tool: { name: 'ping', inputSchema: { type: 'object', properties: {} } } },
    { tool: { name: 'query', description: 'Asks in the language of the tracker.', inputSchema: { type: 'object' } } },
  ],
};
