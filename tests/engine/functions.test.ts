import { expect, it } from 'vitest';
import { collectEvents, describeWithEngine, failureOf, fixture } from './harness.js';

const kinds = fixture('every_kind_of_function.py');
const parameters = fixture('every_kind_of_parameter.py');

describeWithEngine('A function of a script', { idleChildren: 1 }, (engine) => {
  it.each([
    ['plain', { name: 'Al' }, 'plain Al'],
    ['awaited', { name: 'Al' }, 'awaited Al'],
    ['decorated', { name: 'Al', times: '2' }, 'AL AL'],
    ['awaited_by_its_decorator', { name: 'Al' }, 'awaited by its decorator Al'],
    ['collected_by_its_decorator', { count: 2 }, { all: [0, 1] }],
    ['cached', { name: 'Al' }, 'cached Al'],
    ['callable_object', { name: 'Al' }, 'hello Al'],
    ['async_callable_object', { name: 'Al' }, 'async Al'],
    ['bound_method', { name: 'Al' }, 'hello Al by method'],
    ['a_lambda', { name: 'Al' }, 'lambda Al'],
    ['returns_a_coroutine', { name: 'Al' }, 'awaited Al'],
    ['returns_a_generator', { count: 3 }, [0, 1, 4]],
  ])('%s gives its value', async (name, args, value) => {
    expect((await engine().call({ script: kinds, function: name, args })).value).toEqual(value);
  });

  it.each(['yielding', 'yielding_async'])('%s tells each value as it comes and returns all of them', async (name) => {
    const { events, onEvent } = collectEvents();
    const { value } = await engine().call({ script: kinds, function: name, args: { count: 3 } }, { onEvent });
    const all = [{ number: 0 }, { number: 1 }, { number: 2 }];
    expect(value).toEqual(all);
    expect(events).toEqual(all.map((item) => ({ type: 'value', value: item })));
  });

  it('tells a yielded value before the generator goes on', async () => {
    const { onEvent, next } = collectEvents();
    const cancel = new AbortController();
    const script = fixture('yields_then_waits.py');
    const call = engine().call({ script, function: 'numbers' }, { onEvent, signal: cancel.signal });
    expect(await next(({ type }) => type === 'value')).toEqual({ type: 'value', value: 1 });
    cancel.abort();
    expect((await failureOf(call)).code).toBe('CANCELLED');
  });

  it.each([
    ['defaults', { a: 1 }, [1, 2, 'three']],
    ['defaults', { a: 1, c: 'x' }, [1, 2, 'x']],
    ['variadic', { first: 1, rest: ['2', 3] }, [1, [2, 3]]],
    ['variadic', { first: 1 }, [1, []]],
    ['variadic_after_defaults', { rest: [9] }, [1, 2, [9]]],
    ['variadic_after_defaults', { b: 5 }, [1, 5, []]],
    ['keywords', { a: 1, x: '2.5', y: 3 }, [1, { x: 2.5, y: 3 }]],
    ['positional_only', { a: 1, c: 9 }, [1, 2, 9]],
    ['keyword_only', { a: 1 }, [1, 2]],
    ['everything', { a: 1, d: 4, rest: [7], x: 8 }, [1, 2, 3, [7], 4, 5, { x: 8 }]],
    ['none', {}, 'called'],
    ['null_by_default', { limit: null }, null],
    ['self_named', { self: 1, cls: 2, args: 3, kwargs: 4 }, [1, 2, 3, 4]],
  ])('%s takes %j', async (name, args, value) => {
    expect((await engine().call({ script: parameters, function: name, args })).value).toEqual(value);
  });

  it('needs no arguments where it has none', async () => {
    expect((await engine().call({ script: parameters, function: 'none' })).value).toBe('called');
  });

  it('is not imported ahead of a call where the caller says so', async () => {
    const work = { script: kinds, function: 'plain', args: { name: 'Al' }, prewarm: false };
    expect((await engine().call(work)).value).toBe('plain Al');
  });
});
