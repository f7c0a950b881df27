import { expect, it } from 'vitest';
import { createScriptToolbox } from '../../../src/engine/toolbox/toolbox.js';
import type { JsonObject, JsonValue, ToolResult } from '../../../src/toolbox.js';
import { describeWithEngine, fixture, folderWith } from '../harness.js';
import { commandTool, functionTool, manifestOf, wrapped } from './manifests.js';

const script = 'media/returns_media_bytes.py';
const plain = ['picture', 'pictures', 'named', 'the_same_twice', 'sound', 'plain', 'one_after_another'];
const manifest = manifestOf([
  ...plain.map((name) => functionTool(script, name)),
  functionTool(script, 'text_or_picture', { draw: { type: 'boolean' } }, wrapped({ type: 'string' })),
  functionTool(script, 'beside_attached', { folder: { type: 'string' } }),
  commandTool('media/gives_a_picture_as_a_whole_script.py', 'whole', {}, []),
]);

describeWithEngine('Returned bytes', { idleChildren: 1 }, (engine) => {
  const call = (name: string, args: JsonObject = {}): Promise<ToolResult> =>
    createScriptToolbox({ manifest, engine: async () => engine() }).call(name, args);
  const valueGiven = async (name: string, args: JsonObject = {}): Promise<JsonValue> =>
    (await createScriptToolbox({ manifest, engine: async () => engine() }).run(name, args)).value;

  it('are a picture where they begin like one', async () => {
    const { content, structuredContent } = await call('picture');
    expect(content).toEqual([{ type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) }]);
    expect([structuredContent, await valueGiven('picture')]).toEqual([undefined, null]);
  });

  it('are a sound where they begin like one', async () => {
    expect((await call('sound')).content).toEqual([
      { type: 'audio', mimeType: 'audio/wav', data: expect.stringMatching(/^UklGR/) },
    ]);
  });

  it('leave their name in a list or an object, and are data deeper than that', async () => {
    expect(await valueGiven('pictures')).toEqual(['before', 'image-1.png', 'image-2.png']);
    const named = await valueGiven('named');
    expect(named).toMatchObject({ title: 'two', chart: 'image-1.png', raw: 'AAE=' });
    expect(named).toHaveProperty('deep.inside', expect.stringMatching(/^iVBOR/));
    expect((await call('named')).content.map(({ type }) => type)).toEqual(['text', 'image']);
  });

  it('that stand in a value twice come once', async () => {
    expect(await valueGiven('the_same_twice')).toEqual(['image-1.png', 'image-1.png']);
    expect((await call('the_same_twice')).content.map(({ type }) => type)).toEqual(['text', 'image']);
  });

  it('stay base64 where they are neither', async () => {
    expect(await valueGiven('plain')).toBe('bm8gcGljdHVyZQ==');
  });

  it('come one after another from a generator', async () => {
    expect(await valueGiven('one_after_another')).toEqual(['image-1.png', 'image-2.png']);
  });

  it('are told by their name to a tool that promises text', async () => {
    expect((await call('text_or_picture', { draw: true })).structuredContent).toEqual({ result: 'image-1.png' });
    expect((await call('text_or_picture', { draw: false })).structuredContent).toEqual({ result: 'text' });
  });

  it('get a name that no attached file has', async () => {
    const { content } = await call('beside_attached', { folder: folderWith({}) });
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'image']);
    expect(content[0]).toMatchObject({ text: expect.stringContaining('image-2.png') });
  });

  it('come from whole scripts too', async () => {
    const { content, structuredContent } = await call('whole');
    expect(structuredContent).toEqual({ picture: 'image-1.png' });
    expect(content.map(({ type }) => type)).toEqual(['text', 'image']);
  });

  it('stay base64 where nobody asks for files', async () => {
    const { value, files } = await engine().call({ script: fixture(script), function: 'picture' });
    expect([value, files]).toEqual([expect.stringMatching(/^iVBOR/), []]);
  });
});
