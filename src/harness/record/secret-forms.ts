import { minSecretLength } from '../../redact.js';

/** A secret as others write it: for addresses, in JSON, in base64 wherever it stands in what was encoded, and in hex. */
export function encodedForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const forms = [
    encodeURIComponent(bytes.toString()),
    decoded(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((before) => base64Within(bytes, before)),
  ];
  return [...new Set(forms)].filter((form) => form !== secret && form.length >= minSecretLength);
}

/** The characters that are the same whatever stands around the bytes: `before` is how many stand there, but for threes of them. */
function base64Within(bytes: Buffer, before: number): readonly string[] {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const whole = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
