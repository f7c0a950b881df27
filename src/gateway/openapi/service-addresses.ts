import type { JsonObject } from '../../toolbox.js';
import { type Address, type Body, json, nothing, type Parameter } from './operation.js';
import { ref } from './schemas.js';

const upload: Body = {
  'multipart/form-data': {
    type: 'object',
    required: ['file'],
    properties: {
      file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'A .py or a .zip.' },
      id: { type: 'string' },
      name: { type: 'string' },
      description: { type: 'string' },
      only: { type: 'string' },
      exclude: { type: 'string' },
    },
  },
  'text/x-python': { type: 'string' },
  'application/zip': { type: 'string' },
  'application/octet-stream': { type: 'string' },
};

const choices: readonly Parameter[] = [
  query('id', 'The id of the service; made from the name of the file where it is not given.'),
  query('name', 'What people see.'),
  query('only', 'The functions that become tools, with commas between them.'),
  query('exclude', 'Functions that do not.'),
  query('filename', 'The name of the file, where the body is the file itself.'),
  query('dryRun', 'Shows what would be served, and keeps nothing.', { type: 'boolean' }),
];

/** Services: what there is, and bringing, changing and taking away one's own. */
export const serviceAddresses: readonly Address[] = [
  {
    method: 'get',
    path: '/api/v1/services',
    id: 'listServices',
    summary: 'The services that one may use',
    scope: 'call',
    answers: { 200: json(listOf('services', 'ServiceSummary')) },
  },
  {
    method: 'post',
    path: '/api/v1/services',
    id: 'uploadService',
    summary: 'Upload a script or an archive of scripts as a service',
    scope: 'upload',
    parameters: choices,
    body: upload,
    answers: { 200: json('Uploaded'), 201: json('Uploaded') },
  },
  {
    method: 'get',
    path: '/api/v1/services/{service}',
    id: 'describeService',
    summary: 'A service with its tools, its state and its addresses',
    scope: 'call',
    answers: { 200: json('Service') },
  },
  {
    method: 'put',
    path: '/api/v1/services/{service}',
    id: 'replaceService',
    summary: 'Replace an uploaded service; calls under way finish on the old one',
    scope: 'upload',
    parameters: choices.filter(({ name }) => name !== 'id'),
    body: upload,
    answers: { 200: json('Uploaded') },
  },
  {
    method: 'patch',
    path: '/api/v1/services/{service}',
    id: 'chooseTools',
    summary: 'Choose which functions of an uploaded service are tools',
    scope: 'upload',
    body: json({
      type: 'object',
      properties: {
        only: { type: 'array', items: { type: 'string' } },
        exclude: { type: 'array', items: { type: 'string' } },
        name: { type: 'string' },
        description: { type: 'string' },
      },
    }),
    answers: { 200: json('Uploaded') },
  },
  {
    method: 'delete',
    path: '/api/v1/services/{service}',
    id: 'removeService',
    summary: 'Drain an uploaded service and remove it',
    scope: 'upload',
    answers: { 204: nothing },
  },
  {
    method: 'get',
    path: '/api/v1/services/{service}/export',
    id: 'exportService',
    summary: 'An uploaded service as a bundle that needs no gateway',
    scope: 'upload',
    answers: { 200: { 'application/zip': { type: 'string' } } },
  },
  {
    method: 'get',
    path: '/api/v1/services/{service}/tools',
    id: 'listTools',
    summary: 'The tools of a service',
    scope: 'call',
    answers: { 200: json(listOf('tools', 'Tool')) },
  },
  {
    method: 'get',
    path: '/api/v1/services/{service}/tools/{tool}',
    id: 'describeTool',
    summary: 'One tool with its schemas',
    scope: 'call',
    answers: { 200: json('Tool') },
  },
  {
    method: 'get',
    path: '/api/v1/services/{service}/openapi.json',
    id: 'describeServiceInOpenApi',
    summary: 'The tools of a service as an OpenAPI document, an address for each',
    scope: 'call',
    answers: { 200: json({ type: 'object' }) },
  },
];

function listOf(name: string, schema: string): JsonObject {
  return { type: 'object', required: [name], properties: { [name]: { type: 'array', items: ref(schema) } } };
}

function query(name: string, description: string, schema?: JsonObject): Parameter {
  return { in: 'query', name, description, ...(schema && { schema }) };
}
