import type { CaseReport, Report } from '../report.js';
import { isTooLong, stringify } from './jsontext.js';

const beyondAscii = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** All of a report, for programs. What could command a terminal is written in digits. */
export function toJson(report: Report): string {
  const text = whole(report) ?? stringify(withoutAnswers(report), 2);
  return `${text.replace(beyondAscii, inDigits)}\n`;
}

function whole(report: Report): string | undefined {
  try {
    return stringify(report, 2);
  } catch (error) {
    if (isTooLong(error)) return undefined;
    throw error;
  }
}

function withoutAnswers(report: Report): Report {
  const note = 'What was asked and answered is left out: the report would be too large with it.';
  const shortened = ({ request: _request, response: _response, events: _events, ...rest }: CaseReport) => rest;
  return {
    ...report,
    suites: report.suites.map((suite) => ({
      ...suite,
      cases: suite.cases.map(shortened),
      notes: [...suite.notes, note],
    })),
  };
}

function inDigits(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
