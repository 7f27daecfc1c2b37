// Who wrote an object last, by its managedFields. Those are never kept; what is taken from them
// here travels with the observation until the fact about it is told. Pure, and cheap, as every line
// of a watch that is parsed comes through here.
import type { Editor, Editors, Observation } from '#actors/ports.ts';
import { at, isObject, text } from '#machines/kubernetes/json.ts';

const isOfStatus = ({ subresource }: Editor): boolean => subresource === 'status';

/** Undefined where nobody is named. */
export function editorsOf(raw: unknown): Editors | undefined {
  const entries = at(raw, 'metadata', 'managedFields');
  if (!Array.isArray(entries)) return undefined;
  let newest: Editor | undefined;
  let besidesStatus: Editor | undefined;
  let ofSpec: Editor | undefined;
  for (const entry of entries) {
    const editor = editorOf(entry);
    if (editor === undefined) continue;
    if (isLater(editor, newest)) newest = editor;
    if (isOfStatus(editor)) continue;
    if (isLater(editor, besidesStatus)) besidesStatus = editor;
    if (at(entry, 'fieldsV1', 'f:spec') !== undefined && isLater(editor, ofSpec)) ofSpec = editor;
  }
  if (newest === undefined) return undefined;
  return { newest, besidesStatus: besidesStatus ?? newest, ofSpec: ofSpec ?? newest };
}

function editorOf(entry: unknown): Editor | undefined {
  if (!isObject(entry)) return undefined;
  const { manager, operation, time, subresource } = entry;
  return {
    manager: text(manager),
    operation: text(operation),
    at: text(time),
    subresource: text(subresource),
  };
}

/** Times are written alike, to the second: as text they sort as in time. */
const isLater = (one: Editor, other: Editor | undefined): boolean =>
  other === undefined || one.at >= other.at;

/** The observation with who wrote what it shows. */
export const signed = (observation: Observation, editors: Editors | undefined): Observation =>
  editors === undefined || observation.type === 'gone' ? observation : { ...observation, editors };
