import { logLevels } from '../toolbox.js';

type Params = Readonly<Record<string, unknown>>;

interface Form {
  readonly fits: (params: Params) => boolean;
  readonly sentence: string;
}

const list: Form = {
  fits: ({ cursor }) => cursor === undefined || typeof cursor === 'string',
  sentence: 'A "cursor" is a string: the nextCursor of the answer before.',
};

/** The SDK calls what does not fit an internal error, and describes its own schema instead of the mistake. */
const forms = new Map<string, Form>([
  [
    'initialize',
    {
      fits: ({ protocolVersion, capabilities, clientInfo }) =>
        typeof protocolVersion === 'string' && isRecord(capabilities) && isImplementation(clientInfo),
      sentence:
        'The "params" of initialize have a "protocolVersion", "capabilities", and "clientInfo" with a name and a version.',
    },
  ],
  [
    'logging/setLevel',
    {
      fits: ({ level }) => logLevels.some((each) => each === level),
      sentence: `The "params" of logging/setLevel have a "level": ${logLevels.join(', ')}.`,
    },
  ],
  [
    'resources/read',
    {
      fits: ({ uri }) => typeof uri === 'string',
      sentence: 'The "params" of resources/read have a "uri", which is a string.',
    },
  ],
  [
    'tools/call',
    {
      fits: ({ name }) => typeof name === 'string',
      sentence: 'The "params" of tools/call have a "name": the tool.',
    },
  ],
  ['tools/list', list],
  ['resources/list', list],
  ['resources/templates/list', list],
]);

/** What is wrong with the params of a method that is known here. */
export function mistakeIn(method: string, params: unknown): string | undefined {
  const form = forms.get(method);
  return form === undefined || form.fits(isRecord(params) ? params : {}) ? undefined : form.sentence;
}

function isImplementation(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && typeof value.version === 'string';
}

function isRecord(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
