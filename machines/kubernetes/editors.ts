// Who wrote an object last, by its managedFields. Those are never kept; what is taken from them
// here travels with the observation until the fact about it is told. Pure, and cheap, as every line
// of a watch that is parsed comes through here.
import { at, isObject, text } from './json.ts';

/** An entry of the managedFields of an object. */
export interface Editor {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  /** RFC 3339. */
  readonly at: string;
  /** Empty: the object itself. */
  readonly subresource: string;
}

/** Who wrote last: anything, anything but the status, and anything in the spec. */
export interface Editors {
  readonly newest: Editor;
  readonly besidesStatus: Editor;
  readonly ofSpec: Editor;
}

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
