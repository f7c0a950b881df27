import { type Address, json } from './operation.js';

const page = { 'text/plain': { type: 'string' } } as const;
const object = json({ type: 'object' });
const logLevel = json({ type: 'object', required: ['level'], properties: { level: { type: 'string' } } });

const actions = {
  restart: 'End the processes of a service, and start new ones',
  drain: 'Let a service take no new calls, and wait for those under way',
  resume: 'Let a drained service take calls again',
  recycle: 'Replace the processes of a service; calls under way finish on the old ones',
} as const;

/** How the gateway is, and looking after it. */
export const operationAddresses: readonly Address[] = [
  {
    method: 'get',
    path: '/health/live',
    id: 'isLive',
    summary: 'Whether the gateway answers at all',
    scope: 'open',
    answers: { 200: json('Health') },
  },
  {
    method: 'get',
    path: '/health/ready',
    id: 'isReady',
    summary: 'Whether every service works, as real calls have shown lately',
    scope: 'open',
    answers: { 200: json('Health'), 503: json('Health') },
  },
  {
    method: 'get',
    path: '/api/v1/services/{service}/health',
    id: 'isServiceReady',
    summary: 'Whether a service works',
    scope: 'call',
    parameters: [{ in: 'query', name: 'check', description: '"now" makes a real call first.' }],
    answers: { 200: json('Health'), 503: json('Health') },
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'showMetrics',
    summary: 'Figures for Prometheus',
    scope: 'call',
    answers: { 200: page },
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'describeGateway',
    summary: 'This document',
    scope: 'open',
    answers: { 200: object },
  },
  ...(['', '/{address}'] as const).map(
    (address): Address => ({
      method: 'get',
      path: `/.well-known/oauth-protected-resource${address}`,
      id: address === '' ? 'describeAuthorization' : 'describeAuthorizationOfAddress',
      summary: 'Who gives tokens for this gateway (RFC 9728)',
      scope: 'open',
      answers: { 200: object },
    }),
  ),
  ...(['restart', 'drain', 'resume', 'recycle'] as const).map(
    (action): Address => ({
      method: 'post',
      path: `/api/v1/admin/services/{service}/${action}`,
      id: `${action}Service`,
      summary: actions[action],
      scope: 'admin',
      answers: { 200: json('Health') },
    }),
  ),
  {
    method: 'get',
    path: '/api/v1/admin/requests',
    id: 'listRequests',
    summary: 'Calls that are waiting or running',
    scope: 'admin',
    answers: { 200: object },
  },
  {
    method: 'delete',
    path: '/api/v1/admin/requests/{id}',
    id: 'cancelRequest',
    summary: 'Cancel a call',
    scope: 'admin',
    answers: { 200: object },
  },
  {
    method: 'get',
    path: '/api/v1/admin/connections',
    id: 'listConnections',
    summary: 'Event streams and sessions that are open',
    scope: 'admin',
    answers: { 200: object },
  },
  {
    method: 'get',
    path: '/api/v1/admin/log-level',
    id: 'showLogLevel',
    summary: 'The level of the log',
    scope: 'admin',
    answers: { 200: logLevel },
  },
  {
    method: 'put',
    path: '/api/v1/admin/log-level',
    id: 'setLogLevel',
    summary: 'Set the level of the log',
    scope: 'admin',
    body: logLevel,
    answers: { 200: logLevel },
  },
];
