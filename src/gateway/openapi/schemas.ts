import { errorTable } from '../../errors.js';
import type { JsonObject } from '../../toolbox.js';

/** The forms of bodies that are the same at several addresses. */
export const schemas = {
  Error: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: { enum: [...Object.keys(errorTable), 'INTERNAL'] },
      message: { type: 'string', description: 'What is wrong, in a sentence.' },
      advice: { type: 'string', description: 'What to do about it.' },
      reference: { type: 'string', description: 'Under which the log of the gateway has the detail.' },
    },
  },
  Failure: { type: 'object', required: ['error'], properties: { error: ref('Error') } },
  ContentBlock: {
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', examples: ['text', 'image', 'audio', 'resource', 'resource_link'] } },
    description: 'A content block as MCP has them.',
  },
  Output: {
    type: 'object',
    description: 'What the tool printed, apart from what it returned.',
    properties: { stdout: { type: 'string' }, stderr: { type: 'string' } },
  },
  Figures: {
    type: 'object',
    description: 'What the call cost, and how it was isolated.',
    properties: {
      queueMs: { type: 'number' },
      wallMs: { type: 'number' },
      cpuMs: { type: 'number' },
      peakMemoryBytes: { type: 'number' },
      addedMemoryBytes: { type: 'number' },
    },
  },
  Answer: {
    type: 'object',
    required: ['content'],
    properties: {
      content: { type: 'array', items: ref('ContentBlock') },
      structuredContent: { type: 'object', description: 'The result as data, in the form of the output schema.' },
      output: ref('Output'),
      figures: ref('Figures'),
    },
  },
  FailedCall: {
    type: 'object',
    required: ['error'],
    properties: {
      error: ref('Error'),
      content: { type: 'array', items: ref('ContentBlock') },
      structuredContent: { type: 'object' },
      traceback: { type: 'string' },
      output: ref('Output'),
      figures: ref('Figures'),
    },
  },
  Tool: {
    type: 'object',
    required: ['name', 'inputSchema'],
    properties: {
      name: { type: 'string' },
      title: { type: 'string' },
      description: { type: 'string' },
      inputSchema: { type: 'object', description: 'JSON Schema of the arguments.' },
      outputSchema: { type: 'object', description: 'JSON Schema of structuredContent.' },
      annotations: { type: 'object' },
    },
  },
  ServiceSummary: {
    type: 'object',
    required: ['id', 'name', 'tools', 'status', 'breaker'],
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      description: { type: 'string' },
      status: { enum: ['starting', 'ready', 'failing', 'draining'] },
      reason: { type: 'string', description: 'Why it is not ready.' },
      breaker: { enum: ['closed', 'open', 'half-open'] },
      tools: { type: ['integer', 'null'], description: 'How many; null where the service does not say in time.' },
    },
  },
  Service: {
    type: 'object',
    required: ['id', 'name', 'status', 'breaker', 'version', 'source', 'tools'],
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      description: { type: 'string' },
      status: { enum: ['starting', 'ready', 'failing', 'draining'] },
      reason: { type: 'string' },
      breaker: { enum: ['closed', 'open', 'half-open'] },
      version: { type: 'string' },
      source: { enum: ['script', 'command', 'url'] },
      isUploaded: { type: 'boolean' },
      processes: { type: 'object' },
      probedAt: { type: 'string', format: 'date-time' },
      probeMs: { type: 'number' },
      notes: { type: 'array', items: { type: 'string' }, description: 'For its owner: what is not served, and why.' },
      addresses: { type: 'object', additionalProperties: { type: 'string' } },
      tools: { type: ['array', 'null'], items: ref('Tool') },
    },
  },
  Uploaded: {
    type: 'object',
    description: 'What was found in an upload: each function, whether it is a tool, and why not.',
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      tools: { type: 'array', items: { type: 'object' } },
      problems: { type: 'array', items: { type: 'string' } },
      notes: { type: 'array', items: { type: 'string' } },
    },
  },
  Health: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string' }, reason: { type: 'string' } },
  },
  JsonRpcRequest: {
    type: 'object',
    required: ['jsonrpc', 'method'],
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer'] },
      method: { type: 'string', examples: ['tools/call', 'tools/list', 'ping'] },
      params: { type: 'object' },
    },
  },
  JsonRpcAnswer: {
    type: 'object',
    required: ['jsonrpc'],
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer', 'null'] },
      result: { type: 'object' },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
      },
    },
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

export function ref(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
