// `spec.volumeClaimTemplates` of a claim beside those of its template, as far as that allows it
// (spec agent-sandbox 2.4.6).
import { at, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { InjectionPolicy } from '../objects/template.ts';
import { refused, type Refused } from './refused.ts';

const nameOf = (volume: JsonObject): string => text(at(volume, 'metadata', 'name'));

const wrong = (message: string): Refused => refused('VolumeClaimTemplatesError', message);

/** All that the Sandbox is to have, those of the template first. */
export function mergedVolumes(
  own: readonly JsonObject[],
  asked: readonly JsonObject[],
  policy: InjectionPolicy,
): readonly JsonObject[] | Refused {
  if (asked.length > 0 && policy === 'Disallowed') {
    return wrong('volume claim templates are disallowed by the template');
  }
  const invalid = errorOf(own) ?? errorOf(asked);
  if (invalid !== undefined) return wrong(`invalid volume claim templates: ${invalid}`);
  const byName = new Map(asked.map((volume) => [nameOf(volume), volume]));
  const both = own.find((volume) => byName.has(nameOf(volume)));
  if (both !== undefined && policy === 'Allowed') {
    return wrong(
      'overriding volume claim templates is forbidden by the template: cannot override template ' +
        `volume "${nameOf(both)}"`,
    );
  }
  const names = new Set(own.map(nameOf));
  return [
    ...own.map((volume) => byName.get(nameOf(volume)) ?? volume),
    ...asked.filter((volume) => !names.has(nameOf(volume))),
  ];
}

function errorOf(volumes: readonly JsonObject[]): string | undefined {
  const names = volumes.map(nameOf);
  if (names.includes('')) return 'a name is empty';
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `the name "${twice}" is there twice`;
}
