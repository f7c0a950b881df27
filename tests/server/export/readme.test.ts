import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/manifest/manifest.js';
import { readmeOf } from '../../../src/server/export/readme.js';

const names = { name: 'shop', version: '1.0.0', author: 'Ada' };

function manifestWith(title: string): Manifest {
  const run = { kind: 'function', script: '/shop.py', function: 'sell' } as const;
  const tool = { name: 'sell', title, inputSchema: { type: 'object' }, run, enabled: true, why: 'It is public.' };
  return { manifestVersion: 1, scripts: [], tools: [tool] };
}

describe('the README of an export', () => {
  it('keeps a tool in its row, whatever its words are', () => {
    const page = readmeOf({ ...names, description: 'Sells.' }, manifestWith('Sell a|b\nor a\\|b <b>now</b>'));
    expect(page).toContain('| `sell` | Sell a\\|b or a\\|b &lt;b>now&lt;/b> |\n');
  });

  it('keeps a description in its paragraph', () => {
    const page = readmeOf({ ...names, description: 'Sells.\n\n## Run it\n<script>' }, manifestWith('Sell'));
    expect(page).toContain('# shop\n\nSells. ## Run it &lt;script>\n\nAn MCP server');
  });
});
