import { cut } from '../../expect/shown.js';
import type { Rule } from './rule.js';

const nameForm = /^[a-zA-Z0-9_.-]{1,128}$/;
const portableForm = /^[a-zA-Z0-9_-]{1,64}$/;
const longestDescription = 1024;

export const nameRule: Rule = ({ name }) =>
  typeof name === 'string' && !nameForm.test(name)
    ? ['has a name that is not made of 1 to 128 letters, digits, dots, dashes and underscores']
    : [];

export const uniqueRule: Rule = (tool, all) => {
  const namesakes = all.filter(({ name }) => name === tool.name);
  return namesakes.length > 1 && namesakes[0] === tool ? [`is listed ${namesakes.length} times`] : [];
};

export const portableNameRule: Rule = ({ name }) =>
  typeof name === 'string' && nameForm.test(name) && !portableForm.test(name)
    ? ['has a name that some clients refuse: they take up to 64 letters, digits, dashes and underscores']
    : [];

export const descriptionRule: Rule = ({ description }) => {
  if (description === undefined) return ['has no description'];
  if (typeof description !== 'string') return ['has a description that is no text'];
  return description.trim() === '' ? ['has an empty description'] : [];
};

export const longDescriptionRule: Rule = ({ description }) =>
  typeof description === 'string' && description.length > longestDescription
    ? [`has a description of ${description.length} characters, of which some clients take ${longestDescription}`]
    : [];

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export const annotationsRule: Rule = ({ annotations }) => {
  if (annotations === undefined) return [];
  if (typeof annotations !== 'object' || annotations === null || Array.isArray(annotations)) {
    return ['has annotations that are no object'];
  }
  const given = new Map(Object.entries(annotations));
  const wrong = hints.filter((hint) => given.has(hint) && typeof given.get(hint) !== 'boolean');
  const title = given.has('title') && typeof given.get('title') !== 'string' ? ['has a title that is no text'] : [];
  return [
    ...wrong.map((hint) => `has ${hint} that is neither true nor false: ${cut(String(given.get(hint)), 40)}`),
    ...title,
  ];
};

export const contradictionRule: Rule = ({ annotations }) => {
  if (typeof annotations !== 'object' || annotations === null) return [];
  const given = new Map(Object.entries(annotations));
  return given.get('readOnlyHint') === true && given.get('destructiveHint') === true
    ? ['says that it only reads, and that it destroys']
    : [];
};
