import { expect, test } from 'vitest';
import { ApiProblem } from '../../api/problem.ts';
import { getStanding, typedFaults } from './typed-faults.ts';

test('keeps the errors of what was typed alone', () => {
  const fault = (pointer: string, code = 'invalid_value') => ({ pointer, code, detail: 'is wrong' });
  const body = { destinations: [{ instance_id: '', template: '{{ a | b }}' }] };
  const typed = fault('/destinations/0/template', 'template_syntax');
  expect(
    typedFaults([fault('/destinations/0/instance_id'), fault('/destinations/0/to', 'required'), typed], body),
  ).toEqual([typed]);
});

test('drops the errors of what was edited since', () => {
  const faults = ['/name', '/destinations/1/to', '/destinations/1/template'].map((pointer) => ({
    pointer,
    code: 'required',
    detail: 'is required',
  }));
  const problem = new ApiProblem({ status: 400, code: 'invalid_request', title: '', detail: '', faults });
  const sent = { destinations: [{ template: 'a' }, {}] };
  const pointers = (now: object) => getStanding(problem, sent, now).faults.map(({ pointer }) => pointer);
  expect(pointers(sent)).toEqual(faults.map(({ pointer }) => pointer));
  expect(pointers({ ...sent, name: 'Blog' })).toEqual(['/destinations/1/to', '/destinations/1/template']);
  expect(pointers({ destinations: [{ template: 'a' }, { chat_id: 'chat_1' }] })).toEqual([
    '/name',
    '/destinations/1/template',
  ]);
  const done = { name: 'Blog', destinations: [{ template: 'a' }, { to: 'bob', template: 'b' }] };
  expect(getStanding(problem, sent, done)).toEqual({ problem: null, faults: [] });
  const other = new Error('no answer');
  expect(getStanding(other, sent, done)).toEqual({ problem: other, faults: [] });
});
