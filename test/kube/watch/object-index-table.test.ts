// What an index of one kind tells of an object, step by step: lists, events and replies in the
// orders in which a server, a late watch and our own writes bring them.
import { describe, expect, it } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { ObjectIndex } from '#src/kube/watch/object-index.ts';

/** `a/1@3`: the object `a` with the UID `1` at version 3. */
function objectOf(text: string, more: object = {}): KubeObject {
  const [, name = '', uid = '', resourceVersion = ''] = /^(\w+)\/(\w+)@(\w+)$/.exec(text) ?? [];
  const metadata = { namespace: 'n', name, uid, resourceVersion, ...more };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

/** `+` is there so, `-` is gone, `?` that is not sure, nor later than that version. */
function say(one: Observation | undefined): string[] {
  if (one?.type === 'seen') {
    const { name, uid, resourceVersion } = one.object.metadata;
    return [`+${name}/${uid}@${resourceVersion}`];
  }
  if (one?.type !== 'gone') return [];
  const doubt = one.isSure === false ? `?${one.upTo ?? ''}` : '';
  return [`-${one.ref.name}/${one.uid}${doubt}`];
}

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const steps: Readonly<Record<string, (index: ObjectIndex, args: string[]) => string[]>> = {
  list: (index, [version = '', ...objects]) => {
    index.beginList(version);
    const told = objects.flatMap((one) => index.listed(objectOf(one)));
    return [...told, ...index.endList(version)].flatMap(say);
  },
  begin: (index, [version = '']) => {
    index.beginList(version);
    return [];
  },
  changed: (index, [one = '']) => index.changed(objectOf(one)).flatMap(say),
  deleted: (index, [one = '']) => index.deleted(objectOf(one)).flatMap(say),
  ended: (index, [one = '']) => index.deleted(objectOf(one, going)).flatMap(say),
  held: (index, [one = '']) =>
    index.deleted(objectOf(one, { ...going, finalizers: ['x'] })).flatMap(say),
  learn: (index, [one = '']) => {
    const { replaced, overtaken } = index.learn(objectOf(one));
    return [...say(replaced).map((text) => `replaced ${text}`), ...say(overtaken)];
  },
  asking: (index) => {
    index.asking();
    return [];
  },
  absent: (index) => index.absent().flatMap(say),
  echoed: (index, [version = '']) => [String(index.echoed(version))],
  bookmark: (index, [version = '']) => [String(index.bookmark(version))],
  contradicts: (index, [one = '']) => [String(index.contradicts(objectOf(one)))],
  newest: (index) => [index.newest],
  version: (index) => [index.version],
  size: (index) => [String(index.size)],
};

/** Each step with what it tells, `list 5 a/1@3: +a/1@3`. */
function expectTold(script: readonly string[], isFiltered: boolean): void {
  const index = new ObjectIndex('Pod', isFiltered);
  const told = script.map((line) => {
    const [step = ''] = line.split(':');
    const [name = '', ...args] = step.split(' ');
    const answer = steps[name]?.(index, args).join(' ');
    return answer === '' ? step : `${step}: ${answer}`;
  });
  expect(told).toEqual(script);
}

const lists = {
  'tells all of it once': ['list 5 a/1@3 b/2@4: +a/1@3 +b/2@4', 'list 6 a/1@3 b/2@4', 'size: 2'],
  'tells what has changed since': ['list 5 a/1@3: +a/1@3', 'list 7 a/1@6: +a/1@6'],
  'tells who is not in it any more': ['list 5 a/1@3: +a/1@3', 'list 6: -a/1', 'size: 0'],
  'tells the end of who had the name before': ['list 5 a/1@3: +a/1@3', 'list 7 a/2@6: -a/1 +a/2@6'],
  'does not go back to who had the name before': ['list 5 a/2@4: +a/2@4', 'list 6 a/1@3'],
  'does not go back where a reply alone has told who has the name now': [
    'list 5',
    'learn a/2@8',
    'list 6 a/1@4',
    'size: 1',
  ],
  'tells what a reply alone has told, once': [
    'list 5',
    'learn a/1@8',
    'list 9 a/1@8: +a/1@8',
    'list 10 a/1@8',
  ],
  'leaves what a later reply has told of': ['list 5', 'learn a/1@8', 'list 7', 'list 9: -a/1'],
  'contradicts what was known before it began': [
    'list 5 a/1@5: +a/1@5',
    'begin 4',
    'contradicts a/1@4: false',
    'begin 9',
    'contradicts a/1@4: true',
    'contradicts a/1@5: false',
    'contradicts b/2@1: false',
  ],
  'contradicts an end that was seen': [
    'list 5 a/1@3: +a/1@3',
    'deleted a/1@8: -a/1',
    'begin 7',
    'contradicts a/1@3: false',
    'begin 9',
    'contradicts a/1@3: true',
  ],
  'is asked for from the newest version on that was told of': [
    'list 5',
    'newest: 5',
    'learn a/1@9',
    'newest: 9',
    'begin 12',
    'newest: 12',
  ],
} as const;

const events = {
  'are told in the order of versions, each once': [
    'list 5 a/1@3: +a/1@3',
    'changed a/1@7: +a/1@7',
    'changed a/1@7',
    'changed a/1@6',
    'version: 7',
  ],
  'of before the list are none': ['list 5', 'changed b/2@5', 'changed b/2@4', 'size: 0'],
  'that are late tell of others all the same': [
    'list 5 a/1@3: +a/1@3',
    'changed c/3@9: +c/3@9',
    'changed b/2@7: +b/2@7',
    'changed a/1@8: +a/1@8',
    'version: 9',
  ],
  'bring nobody back': ['list 5 a/1@3: +a/1@3', 'deleted a/1@8: -a/1', 'changed a/1@7'],
  'bring back nobody whose name another has': [
    'list 5 a/1@3: +a/1@3',
    'changed a/2@9: -a/1 +a/2@9',
    'changed a/1@8',
  ],
  'of an end concern that object alone': [
    'list 5 a/1@3: +a/1@3',
    'deleted a/2@8',
    'deleted b/3@9',
    'version: 9',
    'size: 1',
  ],
  'of an end are late where the object was changed since': [
    'list 5',
    'changed a/1@8: +a/1@8',
    'deleted a/1@7',
    'size: 1',
  ],
  'of a bookmark move the version forward alone': [
    'list 5',
    'bookmark 9: true',
    'bookmark 8: false',
    'bookmark 9: true',
    'version: 9',
    'changed a/1@8: +a/1@8',
  ],
} as const;

const replies = {
  'make their event an echo, once': [
    'list 5 a/1@3: +a/1@3',
    'learn a/1@7',
    'echoed 7: true',
    'version: 7',
    'echoed 7: false',
    'changed a/1@7',
  ],
  'are told with their event, and not once more by a list': [
    'list 5',
    'learn a/1@7',
    'echoed 7: true',
    'list 8 a/1@7',
  ],
  'make no other event an echo': ['list 5', 'learn a/1@7', 'echoed 8: false', 'version: 5'],
  'whose event is late are no echo': [
    'list 5',
    'learn a/1@7',
    'changed b/2@8: +b/2@8',
    'echoed 7: false',
    'changed a/1@7',
  ],
  'whose event was told already are no echo': [
    'list 5',
    'learn a/1@7',
    'changed a/1@7: +a/1@7',
    'echoed 7: false',
  ],
  'that a list has come to are no echo': [
    'list 5 a/1@3: +a/1@3',
    'learn a/1@7',
    'list 7 a/1@7: +a/1@7',
    'echoed 7: false',
  ],
  'that a list has not come to are an echo yet': [
    'list 5 a/1@3: +a/1@3',
    'learn a/1@9',
    'list 7 a/1@3',
    'echoed 9: true',
  ],
  'of who has lost its name since are no echo': [
    'list 5 a/1@3: +a/1@3',
    'learn a/1@7',
    'learn a/2@8: replaced -a/1',
    'echoed 7: false',
    'echoed 8: true',
  ],
  'after the end was seen are told to be over': [
    'list 5 a/1@3: +a/1@3',
    'deleted a/1@8: -a/1',
    'learn a/1@7: -a/1',
    'size: 0',
  ],
  'of who had the name before are told to be over': [
    'list 5',
    'changed a/2@9: +a/2@9',
    'learn a/1@7: -a/1',
    'size: 1',
  ],
  'that come in another order leave the later holder': [
    'list 5',
    'learn a/2@8',
    'learn a/1@7',
    'list 9 a/2@8: +a/2@8',
  ],
  'since it was asked outlive that there is no such kind': [
    'list 5 a/1@3: +a/1@3',
    'asking',
    'learn b/2@7',
    'absent: -a/1?',
    'size: 1',
    'newest: 0',
    'echoed 7: false',
  ],
  'before it was asked do not': [
    'list 5',
    'learn b/2@7',
    'asking',
    'absent: -b/2?',
    'size: 0',
    'version: 0',
  ],
} as const;

describe.each(Object.entries({ 'A list': lists, 'Events of a watch': events, Replies: replies }))(
  '%s',
  (_, table) => {
    it.each(Object.entries(table))('%s', (__, script: readonly string[]) => {
      expectTold(script, false);
    });
  },
);

describe('Where a label is selected by', () => {
  it.each([
    ['who is not in a list may have lost the label', ['list 5 a/1@3: +a/1@3', 'list 6: -a/1?6']],
    ['so may who is deleted for the watch', ['list 5 a/1@3: +a/1@3', 'deleted a/1@8: -a/1?8']],
    ['who was going and held may too', ['list 5 a/1@3: +a/1@3', 'held a/1@8: -a/1?8']],
    ['who was going and held by nobody is gone', ['list 5 a/1@3: +a/1@3', 'ended a/1@8: -a/1']],
  ])('%s', (_, script) => expectTold(script, true));
});
