import { createHash } from 'node:crypto';
import type { Report } from '../../report.js';
import { summaryLine } from '../summary.js';
import { detailsOf } from './details.js';
import { indexOf } from './index-data.js';
import { embeddedJson, escapeHtml } from './markup.js';
import { plainList } from './plain-list.js';
import { script } from './script.js';
import { style } from './style.js';

/** The page asks for nothing: whatever a server made it say, nothing leaves it. */
export function pageOf(report: Report): string {
  const title = escapeHtml(`${summaryLine(report)} · test report`);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const details = detailsOf(report).map(
    (each, index) => `<script type="application/json" id="case-${index}">${embeddedJson(each)}</script>\n`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<noscript>${plainList(report)}</noscript>
<div id="page"></div>
<script type="application/json" id="report">${embeddedJson(indexOf(report))}</script>
${details.join('')}<script>${script}</script>
</body>
</html>
`;
}

function hashOf(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
