// Claim templates and the lists that share them, as entries with paths, for the rules of both.
import { list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { type SetView, templatePath } from '../view.ts';

export const templatesPath = `${templatePath}.resourceClaimTemplates`;
export const sharingPath = `${templatePath}.resourceSharing`;

/** A claim template for examples. */
export const template = (name: string) => ({
  name,
  templateSpec: { spec: { devices: { requests: [{ name: 'gpu' }] } } },
});

export interface Entry {
  readonly path: string;
  readonly name: string;
  readonly raw: JsonObject;
}

const entries = (path: string, value: unknown): readonly Entry[] =>
  list(value).map((source, index) => {
    const raw = object(source);
    return { path: `${path}[${index}]`, name: text(raw['name']), raw };
  });

export const templatesOf = (set: SetView): readonly Entry[] =>
  entries(templatesPath, set.template['resourceClaimTemplates']);

export const sharesOf = (path: string, owner: JsonObject): readonly Entry[] =>
  entries(path, owner['resourceSharing']);

/** The sharing lists of all three levels. */
export const listsOf = (set: SetView): readonly (readonly Entry[])[] => [
  sharesOf(sharingPath, set.template),
  ...[...set.cliques, ...set.groups].map(({ path, raw }) =>
    sharesOf(`${path}.resourceSharing`, raw),
  ),
];
