/** What breaks clients fails; what only some of them mind, or what models read worse, is advice. */
export const ruleLevels = {
  form: 'error',
  name: 'error',
  unique: 'error',
  description: 'error',
  input_schema: 'error',
  output_schema: 'error',
  required: 'error',
  references: 'error',
  size: 'error',
  annotations: 'error',
  contradiction: 'advice',
  portable_name: 'advice',
  long_description: 'advice',
  property_descriptions: 'advice',
  defaults: 'advice',
  root_union: 'advice',
} as const;

export type RuleName = keyof typeof ruleLevels;
export const ruleNames = Object.keys(ruleLevels) as [RuleName, ...RuleName[]];
