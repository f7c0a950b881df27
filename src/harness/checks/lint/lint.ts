import { isJsonObject, type JsonObject, type JsonValue } from '../../../toolbox.js';
import { named } from '../findings.js';
import {
  annotationsRule,
  contradictionRule,
  descriptionRule,
  longDescriptionRule,
  nameRule,
  portableNameRule,
  uniqueRule,
} from './naming.js';
import type { Rule } from './rule.js';
import { type RuleName, ruleLevels, ruleNames } from './rule-names.js';
import {
  defaultsRule,
  inputSchemaRule,
  outputSchemaRule,
  propertyDescriptionsRule,
  referencesRule,
  requiredRule,
  rootUnionRule,
  sizeRule,
} from './schemas.js';

export interface Remark {
  readonly rule: RuleName;
  readonly level: 'error' | 'advice';
  readonly message: string;
  readonly tool?: string;
}

const rules: Readonly<Record<Exclude<RuleName, 'form'>, Rule>> = {
  name: nameRule,
  unique: uniqueRule,
  description: descriptionRule,
  input_schema: inputSchemaRule,
  output_schema: outputSchemaRule,
  required: requiredRule,
  references: referencesRule,
  size: sizeRule,
  annotations: annotationsRule,
  contradiction: contradictionRule,
  portable_name: portableNameRule,
  long_description: longDescriptionRule,
  property_descriptions: propertyDescriptionsRule,
  defaults: defaultsRule,
  root_union: rootUnionRule,
};

/** What is wrong with tools as a server lists them, tool by tool. */
export async function lintTools(
  listed: readonly JsonValue[],
  isMeant: (name: string) => boolean = () => true,
): Promise<readonly Remark[]> {
  const tools = listed.filter(isNamed);
  const remarks: Remark[] = listed.flatMap((tool, index) => (isNamed(tool) ? [] : [formRemark(index)]));
  for (const tool of tools.filter(({ name }) => isMeant(name))) {
    for (const rule of ruleNames) {
      if (rule === 'form') continue;
      const found = await rules[rule](tool, tools);
      remarks.push(...found.map((what) => remarkOf(rule, tool.name, what)));
    }
  }
  return remarks;
}

function isNamed(tool: JsonValue): tool is JsonObject & { readonly name: string } {
  return isJsonObject(tool) && typeof tool.name === 'string';
}

function formRemark(index: number): Remark {
  const message = `Tool ${index + 1} of the list is no object with a name (rule form).`;
  return { rule: 'form', level: ruleLevels.form, message };
}

function remarkOf(rule: RuleName, tool: string, what: string): Remark {
  return { rule, level: ruleLevels[rule], message: `${named(tool)} ${what} (rule ${rule}).`, tool };
}
