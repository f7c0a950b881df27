import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { pythonPart } from '../python/part.js';

const packageSchema = z.object({ version: z.string() });

export function packageVersion(): string {
  const path = join(pythonPart(), '..', 'package.json');
  return packageSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).version;
}
