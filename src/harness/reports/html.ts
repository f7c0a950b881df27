import type { Report } from '../report.js';

/** One page that needs nothing else: no network, no server, no other file. */
export async function toHtml(report: Report): Promise<string> {
  const { pageOf } = await import('./html/page.js');
  return pageOf(report);
}
